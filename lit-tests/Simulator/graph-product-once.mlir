// Factors come by rings where the loop of their product has one iteration, for keys that are one tile and for a depth that is
// one; a role goes on with its rings in the next program.
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_80,sm_90a --kernels 1
// RUN: %{simulate} --function attention -- --arg q=random:5x64x2x64:1 --arg k=random:5x64x2x64:2 --arg v=random:5x64x2x64:3 --arg result0=zeros:5x64x2x64 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// RUN: %{simulate} --function product -- --arg a=random:3x150x64:1 --arg b=random:3x64x72:2 --arg result0=zeros:3x150x72 --rtol 1e-3 --atol 1e-3 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_80: right
// CHECK: sm_90a: right
// RUN: carousel-compile %s --chip sm_90a --no-cubin --explain -o %t.pkg | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN-LABEL: ::attention_0{{$}}
// EXPLAIN: load arg1: 4 stages of 8192 bytes by tensor
// EXPLAIN: load arg2: 4 stages of 8192 bytes by tensor
// EXPLAIN: load arg0: 2 stages of 8192 bytes by tensor
// EXPLAIN: a product by wgmma
// EXPLAIN: a product by wgmma
// EXPLAIN-LABEL: ::product_0_64x128{{$}}
// EXPLAIN: load arg0, arg1: 8 stages of 24576 bytes by tensor
// EXPLAIN: a product by wgmma

#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#a = #carousel.argument<"a", in>
#b = #carousel.argument<"b", in>
!heads = tensor<5x64x2x64xbf16>
!permuted = tensor<5x2x64x64xbf16>
!rows = tensor<10x64x64xbf16>
!sums = tensor<10x64x64xf32>
!row = tensor<10x64xf32>

#m = affine_map<(d0,d1,d2)->(d0,d1,d2)>
#r = affine_map<(d0,d1,d2)->(d0,d1)>
func.func @attention(%q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k}, %v: !heads {carousel.argument = #v}) -> !heads {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %e0 = tensor.empty() : !permuted
  %qt = linalg.transpose ins(%q : !heads) outs(%e0 : !permuted) permutation = [0,2,1,3]
  %kt0 = linalg.transpose ins(%k : !heads) outs(%e0 : !permuted) permutation = [0,2,1,3]
  %vt = linalg.transpose ins(%v : !heads) outs(%e0 : !permuted) permutation = [0,2,1,3]
  %qc = tensor.collapse_shape %qt [[0,1],[2],[3]] : !permuted into !rows
  %kc = tensor.collapse_shape %kt0 [[0,1],[2],[3]] : !permuted into !rows
  %vc = tensor.collapse_shape %vt [[0,1],[2],[3]] : !permuted into !rows
  %es = tensor.empty() : !sums
  %zs = linalg.fill ins(%zero : f32) outs(%es : !sums) -> !sums
  %ekt = tensor.empty() : !rows
  %ktt = linalg.transpose ins(%kc : !rows) outs(%ekt : !rows) permutation = [0,2,1]
  %s = linalg.batch_matmul ins(%qc, %ktt : !rows, !rows) outs(%zs : !sums) -> !sums
  %sc = linalg.generic {indexing_maps=[#m,#m], iterator_types=["parallel","parallel","parallel"]} ins(%s : !sums) outs(%es : !sums) {
  ^bb0(%a: f32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    linalg.yield %x : f32 } -> !sums
  %er = tensor.empty() : !row
  %mi = linalg.fill ins(%ninf : f32) outs(%er : !row) -> !row
  %mx = linalg.generic {indexing_maps=[#m,#r], iterator_types=["parallel","parallel","reduction"]} ins(%sc : !sums) outs(%mi : !row) {
  ^bb0(%a: f32, %o: f32):
    %x = arith.maximumf %a, %o : f32
    linalg.yield %x : f32 } -> !row
  %ex = linalg.generic {indexing_maps=[#m,#r,#m], iterator_types=["parallel","parallel","parallel"]} ins(%sc, %mx : !sums, !row) outs(%es : !sums) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32 } -> !sums
  %z0 = linalg.fill ins(%zero : f32) outs(%er : !row) -> !row
  %sum = linalg.generic {indexing_maps=[#m,#r], iterator_types=["parallel","parallel","reduction"]} ins(%ex : !sums) outs(%z0 : !row) {
  ^bb0(%a: f32, %o: f32):
    %x = arith.addf %a, %o : f32
    linalg.yield %x : f32 } -> !row
  %ep = tensor.empty() : !rows
  %p = linalg.generic {indexing_maps=[#m,#r,#m], iterator_types=["parallel","parallel","parallel"]} ins(%ex, %sum : !sums, !row) outs(%ep : !rows) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16 } -> !rows
  %eo = tensor.empty() : !sums
  %zo = linalg.fill ins(%zero : f32) outs(%eo : !sums) -> !sums
  %of = linalg.batch_matmul ins(%p, %vc : !rows, !rows) outs(%zo : !sums) -> !sums
  %eob = tensor.empty() : !rows
  %ob = linalg.generic {indexing_maps=[#m,#m], iterator_types=["parallel","parallel","parallel"]} ins(%of : !sums) outs(%eob : !rows) {
  ^bb0(%a: f32, %o: bf16):
    %y = arith.truncf %a : f32 to bf16
    linalg.yield %y : bf16 } -> !rows
  %oe = tensor.expand_shape %ob [[0,1],[2],[3]] output_shape [5,2,64,64] : !rows into !permuted
  %eoo = tensor.empty() : !heads
  %ot = linalg.transpose ins(%oe : !permuted) outs(%eoo : !heads) permutation = [0,2,1,3]
  return %ot : !heads
}

func.func @product(%a: tensor<3x150x64xbf16> {carousel.argument = #a}, %b: tensor<3x64x72xbf16> {carousel.argument = #b}) -> tensor<3x150x72xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x150x72xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x150x72xf32>) -> tensor<3x150x72xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<3x150x64xbf16>, tensor<3x64x72xbf16>) outs(%zeros : tensor<3x150x72xf32>) -> tensor<3x150x72xf32>
  return %c : tensor<3x150x72xf32>
}
