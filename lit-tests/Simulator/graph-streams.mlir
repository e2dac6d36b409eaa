// Attention of graphs is one kernel: with a causal mask and finite numbers of it, with grouped heads, a window, a soft cap, a
// bias and documents, and with fully masked rows, which are zero, or NaN. Lengths are 0, 1, prime, and one off a tile.
// DEFINE: %{function} =
// DEFINE: %{chips} = sm_90a
// DEFINE: %{products} = exact
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip %{chips} --function %{function} --products %{products} --kernels 1 --
// REDEFINE: %{function} = causal
// REDEFINE: %{chips} = sm_80,sm_90a
// DEFINE: %{close} = --rtol 1e-2 --atol 1e-2
// RUN: %{graph} --arg q=random:2x67x64:1 --arg k=random:2x67x64:2 --arg v=random:2x67x64:3 --arg result0=zeros:2x67x64 %{close} --again \
// RUN:   --arg q=random:1x257x64:1 --arg k=random:1x257x64:2 --arg v=random:1x257x64:3 --arg result0=zeros:1x257x64 %{close} --again \
// RUN:   --arg q=random:1x1x64:1 --arg k=random:1x1x64:2 --arg v=random:1x1x64:3 --arg result0=zeros:1x1x64 %{close} --again \
// RUN:   --arg q=random:1x5x64:1 --arg k=random:1x0x64:2 --arg v=random:1x0x64:3 --arg result0=zeros:1x5x64 %{close} --again \
// RUN:   --arg q=random:2x131x64:1 --arg k=random:2x131x64:2 --arg v=random:2x131x64:3 --arg result0=zeros:2x131x64 %{close} | FileCheck %s --check-prefixes=FOLDED,CHECK
// REDEFINE: %{function} = safe
// REDEFINE: %{products} = tf32
// RUN: %{graph} --arg q=random:1x70x32:1 --arg k=random:1x70x32:2 --arg v=random:1x70x32:3 --arg result0=zeros:1x70x32 --arg result1=zeros:1x70 --rtol 2e-3 --atol 2e-3 | FileCheck %s
// REDEFINE: %{products} = exact
// RUN: %{graph} --arg q=random:1x70x32:1 --arg k=random:1x70x32:2 --arg v=random:1x70x32:3 --arg result0=zeros:1x70x32 --arg result1=zeros:1x70 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// CHECK: block phase: right
// FOLDED: sm_80: right
// CHECK: sm_90a: right

#sd = affine_map<(h, i, j, d) -> (h, i, d)>
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

// Keys up to the row's own count. The scores are scaled.
func.func @causal(%q: tensor<?x?x64xbf16> {carousel.argument = #q}, %k: tensor<?x?x64xbf16> {carousel.argument = #k}, %v: tensor<?x?x64xbf16> {carousel.argument = #v}) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %h = tensor.dim %q, %c0 : tensor<?x?x64xbf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x64xbf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x64xbf16>
  %es = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#sd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>) outs(%fs : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %is = arith.cmpi sge, %i, %j : index
    %x = arith.mulf %a, %scale : f32
    %r = arith.select %is, %x, %low : f32
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
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<?x?x?xf32>) outs(%fl : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %ew = tensor.empty(%h, %m, %n) : tensor<?x?x?xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %sum : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ew : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?x?xbf16>
  %ey = tensor.empty(%h, %m) : tensor<?x?x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<?x?x?xbf16>, tensor<?x?x64xbf16>) outs(%fy : tensor<?x?x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %c = arith.mulf %x, %z : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// Of the first 20 rows, no key counts: their results are zero, as PyTorch has it, and the logarithm of their sums is NaN. The
// factors of f32 are rounded to tf32, or threads multiply them as they are.
func.func @safe(%q: tensor<1x70x32xf32> {carousel.argument = #q}, %k: tensor<1x70x32xf32> {carousel.argument = #k}, %v: tensor<1x70x32xf32> {carousel.argument = #v}) -> (tensor<1x70x32xf32>, tensor<1x70xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %true = arith.constant true
  %twenty = arith.constant 20 : index
  %es = tensor.empty() : tensor<1x70x70xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<1x70x70xf32>) -> tensor<1x70x70xf32>
  %s = linalg.generic {indexing_maps = [#sd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x70x32xf32>, tensor<1x70x32xf32>) outs(%fs : tensor<1x70x70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x70x70xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<1x70x70xf32>) outs(%es : tensor<1x70x70xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %back = arith.subi %i, %twenty : index
    %is = arith.cmpi sge, %back, %j : index
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<1x70x70xf32>
  %er = tensor.empty() : tensor<1x70xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<1x70xf32>) -> tensor<1x70xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<1x70x70xf32>) outs(%fm : tensor<1x70xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<1x70xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %max : tensor<1x70x70xf32>, tensor<1x70xf32>) outs(%es : tensor<1x70x70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> tensor<1x70x70xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<1x70xf32>) -> tensor<1x70xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<1x70x70xf32>) outs(%fl : tensor<1x70xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<1x70xf32>
  %ei = tensor.empty() : tensor<1x70xi1>
  %fi = linalg.fill ins(%true : i1) outs(%ei : tensor<1x70xi1>) -> tensor<1x70xi1>
  %none = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<1x70x70xf32>) outs(%fi : tensor<1x70xi1>) {
  ^bb0(%a: f32, %o: i1):
    %x = arith.cmpf oeq, %a, %low : f32
    %r = arith.andi %x, %o : i1
    linalg.yield %r : i1
  } -> tensor<1x70xi1>
  %w = linalg.generic {indexing_maps = [#row, #all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%none, %p, %sum : tensor<1x70xi1>, tensor<1x70x70xf32>, tensor<1x70xf32>) outs(%es : tensor<1x70x70xf32>) {
  ^bb0(%c: i1, %a: f32, %b: f32, %o: f32):
    %x = arith.divf %a, %b : f32
    %r = arith.select %c, %zero, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x70x70xf32>
  %ey = tensor.empty() : tensor<1x70x32xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x70x32xf32>) -> tensor<1x70x32xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<1x70x70xf32>, tensor<1x70x32xf32>) outs(%fy : tensor<1x70x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.mulf %a, %b : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> tensor<1x70x32xf32>
  %lse = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel", "parallel"]} ins(%max, %sum : tensor<1x70xf32>, tensor<1x70xf32>) outs(%er : tensor<1x70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = math.log %b : f32
    %r = arith.addf %a, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x70xf32>
  return %y, %lse : tensor<1x70x32xf32>, tensor<1x70xf32>
}
