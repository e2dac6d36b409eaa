// Masks that front ends make of positions, as tensors that two layers read, bound the tiles of both kernels: causal ones, and
// windows. The length is one more than two tiles.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a --kernels 2 -- --arg q=random:1x257x16:1 --arg k=random:1x257x16:2 --arg v=random:1x257x16:3 --arg result0=zeros:1x257x16 --arg result1=zeros:1x257x16 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right
// REDEFINE: %{function} = causal
// RUN: %{simulate}
// REDEFINE: %{function} = window
// RUN: %{simulate}

// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s --check-prefix=BOUNDS
//       BOUNDS: gpu.func @causal_0
//       BOUNDS: arith.minsi
//       BOUNDS: %[[END:[0-9]+]] = arith.minsi %{{[0-9]+}}, %c257
//  BOUNDS-NEXT: scf.for %{{.*}} = %c0 to %[[END]] step
// BOUNDS-LABEL: gpu.func @window_0
//       BOUNDS: scf.for %{{.*}} = %{{[0-9]+}} to %{{[0-9]+}} step

#qd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#one = affine_map<(h, i, j) -> (i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#m = affine_map<(i, j) -> (i, j)>
#mi = affine_map<(i, j) -> (i)>
#mj = affine_map<(i, j) -> (j)>
#v = affine_map<(i) -> (i)>
#qa = #carousel.argument<"q", in>
#ka = #carousel.argument<"k", in>
#va = #carousel.argument<"v", in>
!heads = tensor<1x257x16xbf16>
!scores = tensor<1x257x257xf32>

func.func @causal(%q: !heads {carousel.argument = #qa}, %k: !heads {carousel.argument = #ka}, %v: !heads {carousel.argument = #va}) -> (tensor<1x257x16xf32>, tensor<1x257x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %mask = func.call @seen() : () -> tensor<257x257xi1>
  %em = tensor.empty() : tensor<257x257xf32>
  %bias = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%mask : tensor<257x257xi1>) outs(%em : tensor<257x257xf32>) {
  ^bb0(%c: i1, %o: f32):
    %r = arith.select %c, %zero, %low : f32
    linalg.yield %r : f32
  } -> tensor<257x257xf32>
  %y = func.call @attention(%q, %k, %v, %bias) : (!heads, !heads, !heads, tensor<257x257xf32>) -> tensor<1x257x16xf32>
  %z = func.call @attention(%k, %q, %v, %bias) : (!heads, !heads, !heads, tensor<257x257xf32>) -> tensor<1x257x16xf32>
  return %y, %z : tensor<1x257x16xf32>, tensor<1x257x16xf32>
}

func.func @window(%q: !heads {carousel.argument = #qa}, %k: !heads {carousel.argument = #ka}, %v: !heads {carousel.argument = #va}) -> (tensor<1x257x16xf32>, tensor<1x257x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %width = arith.constant 100 : index
  %mask = func.call @seen() : () -> tensor<257x257xi1>
  %em = tensor.empty() : tensor<257x257xf32>
  %bias = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%mask : tensor<257x257xi1>) outs(%em : tensor<257x257xf32>) {
  ^bb0(%c: i1, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %near = arith.cmpi slt, %d, %width : index
    %both = arith.andi %c, %near : i1
    %r = arith.select %both, %zero, %low : f32
    linalg.yield %r : f32
  } -> tensor<257x257xf32>
  %y = func.call @attention(%q, %k, %v, %bias) : (!heads, !heads, !heads, tensor<257x257xf32>) -> tensor<1x257x16xf32>
  %z = func.call @attention(%k, %q, %v, %bias) : (!heads, !heads, !heads, tensor<257x257xf32>) -> tensor<1x257x16xf32>
  return %y, %z : tensor<1x257x16xf32>, tensor<1x257x16xf32>
}

// What begins a document has a position that doesn't follow the one before it; here, only the first one does.
func.func private @seen() -> tensor<257x257xi1> {
  %c1 = arith.constant 1 : i64
  %ev = tensor.empty() : tensor<257xi64>
  %at = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%ev : tensor<257xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %r = arith.index_cast %i : index to i64
    linalg.yield %r : i64
  } -> tensor<257xi64>
  %before = arith.constant dense<-1> : tensor<1xi64>
  %joined = tensor.concat dim(0) %before, %at : (tensor<1xi64>, tensor<257xi64>) -> tensor<258xi64>
  %last = tensor.extract_slice %joined[0] [257] [1] : tensor<258xi64> to tensor<257xi64>
  %em = tensor.empty() : tensor<257x257xi1>
  %mask = linalg.generic {indexing_maps = [#mi, #mj, #mj, #m], iterator_types = ["parallel", "parallel"]} ins(%at, %at, %last : tensor<257xi64>, tensor<257xi64>, tensor<257xi64>) outs(%em : tensor<257x257xi1>) {
  ^bb0(%a: i64, %b: i64, %c: i64, %o: i1):
    %seen = arith.cmpi sle, %b, %a : i64
    %d = arith.subi %b, %c : i64
    %follows = arith.cmpi eq, %d, %c1 : i64
    %r = arith.andi %seen, %follows : i1
    linalg.yield %r : i1
  } -> tensor<257x257xi1>
  return %mask : tensor<257x257xi1>
}

func.func private @attention(%q: !heads, %k: !heads, %v: !heads, %bias: tensor<257x257xf32>) -> tensor<1x257x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : !scores
  %fs = linalg.fill ins(%zero : f32) outs(%es : !scores) -> !scores
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : !heads, !heads) outs(%fs : !scores) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> !scores
  %z = linalg.generic {indexing_maps = [#all, #one, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %bias : !scores, tensor<257x257xf32>) outs(%es : !scores) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> !scores
  %er = tensor.empty() : tensor<1x257xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<1x257xf32>) -> tensor<1x257xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : !scores) outs(%fm : tensor<1x257xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<1x257x257xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : !scores, tensor<1x257xf32>) outs(%ew : tensor<1x257x257xbf16>) {
  ^bb0(%a: f32, %t: f32, %o: bf16):
    %d = arith.subf %a, %t : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x257x257xbf16>
  %ey = tensor.empty() : tensor<1x257x16xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x257x16xf32>) -> tensor<1x257x16xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<1x257x257xbf16>, !heads) outs(%fy : tensor<1x257x16xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %t = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %t : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x257x16xf32>
  return %y : tensor<1x257x16xf32>
}
