// Streams of few rows are divided among parts of their programs, each of which has rows of its own: the last part corrects and
// adds what all left. Right in any order of CTAs, with parts that masks leave without elements, rows without any, infinite
// scores and NaN.
// DEFINE: %{chips} = sm_90a
// DEFINE: %{close} = --rtol 1e-2 --atol 1e-2
// DEFINE: %{args} =
// DEFINE: %{order} =
// DEFINE: %{function} = decode
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip %{chips} --kernels 1 -- %{args} %{close} %{order} | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

// Two parts, of which the mask leaves one without keys; in any order.
// REDEFINE: %{order} = --policy all --schedules 1
// REDEFINE: %{args} = --arg q=random:1x6x16:1 --arg k=random:1x700x16:2 --arg v=random:1x700x16:3 --arg result0=zeros:1x6x16 --arg result1=zeros:1x6
// RUN: %{simulate}
// REDEFINE: %{order} =
// REDEFINE: %{chips} = sm_80,sm_90a
// Five parts, the last one of which has one tile; many rows; and a launch of few keys, which isn't divided.
// REDEFINE: %{args} = --arg q=random:2x5x16:1 --arg k=random:2x2049x16:2 --arg v=random:2x2049x16:3 --arg result0=zeros:2x5x16 --arg result1=zeros:2x5 %{close} --again \
// REDEFINE:   --arg q=random:1x400x16:1 --arg k=random:1x1030x16:2 --arg v=random:1x1030x16:3 --arg result0=zeros:1x400x16 --arg result1=zeros:1x400 %{close} --again \
// REDEFINE:   --arg q=random:1x5x16:1 --arg k=random:1x130x16:2 --arg v=random:1x130x16:3 --arg result0=zeros:1x5x16 --arg result1=zeros:1x5
// RUN: %{simulate}
// Where a mask also makes the exponentials zero, a row without keys has a sum of zero, and not NaN.
// RUN: sed -e 's/%%r = math.exp %%x : f32/%%e = math.exp %%x : f32\n    %%c = arith.cmpf one, %%a, %%low : f32\n    %%r = arith.select %%c, %%e, %%zero : f32/' %s > %t.mlir
// DEFINE: %{masked} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %t.mlir --function decode --kernels 1 -- %{args} %{close}
// REDEFINE: %{args} = --arg q=random:1x5x16:1 --arg k=random:1x130x16:2 --arg v=random:1x130x16:3 --arg result0=zeros:1x5x16 --arg result1=zeros:1x5 %{close} --again \
// REDEFINE:   --arg q=random:1x6x16:1 --arg k=random:1x700x16:2 --arg v=random:1x700x16:3 --arg result0=zeros:1x6x16 --arg result1=zeros:1x6
// RUN: %{masked} | FileCheck %s --check-prefix=MASKED
// MASKED: block phase: right

#qd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#one = affine_map<(h, i) -> (h, i)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>

// Rows need up to 300 keys before their own, which is as far from the end as the row is. Row 1 needs none, row 2 has an infinite
// score, row 3 a NaN, and row 4 scores so far below zero that their exponentials would be zero.
func.func @decode(%q: tensor<?x?x16xbf16> {carousel.argument = #q}, %k: tensor<?x?x16xbf16> {carousel.argument = #k}, %v: tensor<?x?x16xbf16> {carousel.argument = #v}) -> (tensor<?x?x16xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %far = arith.constant 300 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %least = arith.constant -500.0 : f32
  %h = tensor.dim %q, %c0 : tensor<?x?x16xbf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x16xbf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x16xbf16>
  %es = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<?x?x16xbf16>, tensor<?x?x16xbf16>) outs(%fs : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %u = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %back = arith.subi %n, %j : index
    %near = arith.cmpi eq, %back, %c3 : index
    %second = arith.cmpi eq, %i, %c2 : index
    %third = arith.cmpi eq, %i, %c3 : index
    %fourth = arith.cmpi eq, %i, %c4 : index
    %hasInf = arith.andi %near, %second : i1
    %hasNan = arith.andi %near, %third : i1
    %x = arith.select %hasInf, %inf, %a : f32
    %y = arith.select %hasNan, %nan, %x : f32
    %deep = arith.addf %y, %least : f32
    %r = arith.select %fourth, %deep, %y : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%u : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %first = arith.subi %n, %m : index
    %own = arith.addi %first, %i : index
    %begin = arith.subi %own, %far : index
    %x = arith.cmpi sge, %own, %j : index
    %y = arith.cmpi sgt, %j, %begin : index
    %some = arith.cmpi ne, %i, %c1 : index
    %both = arith.andi %x, %y : i1
    %is = arith.andi %both, %some : i1
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %er = tensor.empty(%h, %m) : tensor<?x?xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%fm : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<?x?x?xf32>) outs(%fl : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %ew = tensor.empty(%h, %m, %n) : tensor<?x?x?xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ew : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?x?xbf16>
  %ey = tensor.empty(%h, %m) : tensor<?x?x16xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<?x?x?xbf16>, tensor<?x?x16xbf16>) outs(%fy : tensor<?x?x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %c = arith.mulf %x, %z : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x?x16xf32>
  %lse = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel", "parallel"]} ins(%max, %l : tensor<?x?xf32>, tensor<?x?xf32>) outs(%er : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = math.log %b : f32
    %r = arith.addf %a, %x : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y, %lse : tensor<?x?x16xf32>, tensor<?x?xf32>
}
