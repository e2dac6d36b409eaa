// A boolean mask in memory, of all scores or of keys alone: rows in whole granules of 16 bytes, in words, and others.
// DEFINE: %{close} = --rtol 2e-2 --atol 2e-2
// DEFINE: %{args} =
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a --kernels 1 -- %{args} %{close} | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

// REDEFINE: %{function} = full
// REDEFINE: %{args} = --arg q=random:1x144x16:1 --arg k=random:1x144x16:2 --arg v=random:1x144x16:3 --arg mask=random:1x144x144:4 --arg result0=zeros:1x144x16 %{close} --again \
// REDEFINE:   --arg q=random:1x132x16:1 --arg k=random:1x132x16:2 --arg v=random:1x132x16:3 --arg mask=random:1x132x132:4 --arg result0=zeros:1x132x16 %{close} --again \
// REDEFINE:   --arg q=random:1x131x16:1 --arg k=random:1x131x16:2 --arg v=random:1x131x16:3 --arg mask=random:1x131x131:4 --arg result0=zeros:1x131x16
// RUN: %{simulate}
// REDEFINE: %{function} = keys
// REDEFINE: %{args} = --arg q=random:2x40x16:1 --arg k=random:2x131x16:2 --arg v=random:2x131x16:3 --arg mask=random:2x131:4 --arg result0=zeros:2x40x16
// RUN: %{simulate}

#qd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#keys = affine_map<(h, i, j) -> (h, j)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#mask = #carousel.argument<"mask", in>
!heads = tensor<?x?x16xbf16>

func.func @full(%q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k}, %v: !heads {carousel.argument = #v}, %mask: tensor<?x?x?xi1> {carousel.argument = #mask}) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %h = tensor.dim %q, %c0 : !heads
  %m = tensor.dim %q, %c1 : !heads
  %n = tensor.dim %v, %c1 : !heads
  %es = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : !heads, !heads) outs(%fs : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<?x?x?xf32>, tensor<?x?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %c: i1, %o: f32):
    %r = arith.select %c, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %er = tensor.empty(%h, %m) : tensor<?x?xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : tensor<?x?x?xf32>) outs(%fm : tensor<?x?xf32>) dimensions = [2]
  %ew = tensor.empty(%h, %m, %n) : tensor<?x?x?xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ew : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %t: f32, %o: bf16):
    %d = arith.subf %a, %t : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?x?xbf16>
  %ey = tensor.empty(%h, %m) : tensor<?x?x16xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<?x?x?xbf16>, !heads) outs(%fy : tensor<?x?x16xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %t = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %t : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

func.func @keys(%q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k}, %v: !heads {carousel.argument = #v}, %mask: tensor<?x?xi1> {carousel.argument = #mask}) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %h = tensor.dim %q, %c0 : !heads
  %m = tensor.dim %q, %c1 : !heads
  %n = tensor.dim %v, %c1 : !heads
  %es = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : !heads, !heads) outs(%fs : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %z = linalg.generic {indexing_maps = [#all, #keys, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<?x?x?xf32>, tensor<?x?xi1>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %c: i1, %o: f32):
    %r = arith.select %c, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %er = tensor.empty(%h, %m) : tensor<?x?xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : tensor<?x?x?xf32>) outs(%fm : tensor<?x?xf32>) dimensions = [2]
  %ew = tensor.empty(%h, %m, %n) : tensor<?x?x?xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ew : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %t: f32, %o: bf16):
    %d = arith.subf %a, %t : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?x?xbf16>
  %ey = tensor.empty(%h, %m) : tensor<?x?x16xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<?x?x?xbf16>, !heads) outs(%fy : tensor<?x?x16xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %t = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %t : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}
