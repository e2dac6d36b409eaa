// Rows of a stream are two dimensions that follow each other, of which heads are between rows and columns, as in
// [sequence, heads, columns]. Neither rows nor elements fill the last tile.
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function rows --chip sm_90a --kernels 1 -- --arg q=random:3x67x2x16:1 --arg k=random:197x2x16:2 --arg v=random:197x2x16:3 --arg result0=zeros:3x67x2x16 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#qd = affine_map<(h, x, i, j, d) -> (x, i, h, d)>
#kd = affine_map<(h, x, i, j, d) -> (j, h, d)>
#sj = affine_map<(h, x, i, j, d) -> (h, x, i, j)>
#pj = affine_map<(h, x, i, d, j) -> (h, x, i, j)>
#vj = affine_map<(h, x, i, d, j) -> (j, h, d)>
#yd = affine_map<(h, x, i, d, j) -> (x, i, h, d)>
#all = affine_map<(h, x, i, j) -> (h, x, i, j)>
#row = affine_map<(h, x, i, j) -> (h, x, i)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
!keys = tensor<197x2x16xbf16>
!scores = tensor<2x3x67x197xf32>
!result = tensor<3x67x2x16xf32>

func.func @rows(%q: tensor<3x67x2x16xbf16> {carousel.argument = #q}, %k: !keys {carousel.argument = #k}, %v: !keys {carousel.argument = #v}) -> !result {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : !scores
  %fs = linalg.fill ins(%zero : f32) outs(%es : !scores) -> !scores
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x67x2x16xbf16>, !keys) outs(%fs : !scores) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> !scores
  %er = tensor.empty() : tensor<2x3x67xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x3x67xf32>) -> tensor<2x3x67xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : !scores) outs(%fm : tensor<2x3x67xf32>) dimensions = [3]
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %top : !scores, tensor<2x3x67xf32>) outs(%es : !scores) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %d = arith.subf %a, %t : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> !scores
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3x67xf32>) -> tensor<2x3x67xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : !scores) outs(%fl : tensor<2x3x67xf32>) dimensions = [3]
  %ew = tensor.empty() : tensor<2x3x67x197xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%e, %sum : !scores, tensor<2x3x67xf32>) outs(%ew : tensor<2x3x67x197xbf16>) {
  ^bb0(%a: f32, %t: f32, %o: bf16):
    %d = arith.divf %a, %t : f32
    %r = arith.truncf %d : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x3x67x197xbf16>
  %ey = tensor.empty() : !result
  %fy = linalg.fill ins(%zero : f32) outs(%ey : !result) -> !result
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<2x3x67x197xbf16>, !keys) outs(%fy : !result) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %t = arith.extf %c : bf16 to f32
    %p = arith.mulf %x, %t : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> !result
  return %y : !result
}
