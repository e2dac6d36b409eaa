// Two products of one factor whose results meet in an elementwise op are one kernel: of two matrices, of halves of one, of
// few tiles, and on a chip whose threads have other registers. With f32, they are two.
// DEFINE: %{function} =
// DEFINE: %{chips} = sm_90a
// DEFINE: %{count} = 1
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip %{chips} --function %{function} --kernels %{count} --
// REDEFINE: %{chips} = sm_80,sm_90a
// REDEFINE: %{function} = gate
// RUN: %{graph} --arg x=random:131x104:1 --arg v=random:136x104:2 --arg w=random:136x104:3 --arg result0=zeros:131x136 --rtol 2e-2 --atol 0.1 | FileCheck %s
// REDEFINE: %{chips} = sm_90a
// RUN: %{graph} --arg x=random:40x101:1 --arg v=random:67x101:2 --arg w=random:67x101:3 --arg result0=zeros:40x67 --rtol 2e-2 --atol 0.1 | FileCheck %s
// REDEFINE: %{function} = halves
// RUN: %{graph} --arg x=random:70x128:1 --arg w=random:128x144:2 --arg result0=zeros:70x72 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{function} = halves_with_bias
// RUN: %{graph} --arg x=random:2x35x128:1 --arg w=random:144x128:2 --arg b=random:144:3 --arg result0=zeros:2x35x72 --rtol 2e-2 --atol 0.1 | FileCheck %s
// REDEFINE: %{function} = few_tiles
// RUN: %{graph} --arg x=random:64x1024:1 --arg v=random:64x1024:2 --arg w=random:64x1024:3 --arg result0=zeros:64x64 --rtol 1e-3 --atol 1e-2 | FileCheck %s
// REDEFINE: %{count} = 2
// REDEFINE: %{function} = of_f32
// RUN: %{graph} --arg x=random:40x64:1 --arg v=random:67x64:2 --arg w=random:67x64:3 --arg result0=zeros:40x67 --rtol 1e-4 --atol 1e-3 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#id = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(b, i, j) -> (b, i, j)>
#column = affine_map<(b, i, j) -> (j)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#v = #carousel.argument<"v", in>
#w = #carousel.argument<"w", in>
#b = #carousel.argument<"b", in>

// silu(x v) * (x w), with each product rounded, as PyTorch has it.
func.func @gate(%x: tensor<?x?xbf16> {carousel.argument = #x}, %v: tensor<?x?xbf16> {carousel.argument = #v}, %w: tensor<?x?xbf16> {carousel.argument = #w}) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %v, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %p = linalg.generic #product ins(%x, %v : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %0 = arith.mulf %a, %c : bf16
    %1 = arith.addf %o, %0 : bf16
    linalg.yield %1 : bf16
  } -> tensor<?x?xbf16>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.negf %0 : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %0, %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<?x?xbf16>
  %q = linalg.generic #product ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %0 = arith.mulf %a, %c : bf16
    %1 = arith.addf %o, %0 : bf16
    linalg.yield %1 : bf16
  } -> tensor<?x?xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %q : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %0 = arith.mulf %a, %c : bf16
    linalg.yield %0 : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// A matrix for both, with f32 between, as JAX has it.
func.func @halves(%x: tensor<70x128xbf16> {carousel.argument = #x}, %w: tensor<128x144xbf16> {carousel.argument = #w}) -> tensor<70x72xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x144xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<70x144xf32>) -> tensor<70x144xf32>
  %h = linalg.matmul ins(%x, %w : tensor<70x128xbf16>, tensor<128x144xbf16>) outs(%f : tensor<70x144xf32>) -> tensor<70x144xf32>
  %p = tensor.extract_slice %h[0, 0] [70, 72] [1, 1] : tensor<70x144xf32> to tensor<70x72xf32>
  %q = tensor.extract_slice %h[0, 72] [70, 72] [1, 1] : tensor<70x144xf32> to tensor<70x72xf32>
  %r = tensor.empty() : tensor<70x72xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<70x72xf32>, tensor<70x72xf32>) outs(%r : tensor<70x72xbf16>) {
  ^bb0(%a: f32, %c: f32, %o: bf16):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<70x72xbf16>
  return %y : tensor<70x72xbf16>
}

// A linear layer and chunk(2, -1): a bias and roundings stand between product and slices.
func.func @halves_with_bias(%x: tensor<2x35x128xbf16> {carousel.argument = #x}, %w: tensor<144x128xbf16> {carousel.argument = #w}, %b: tensor<144xbf16> {carousel.argument = #b}) -> tensor<2x35x72xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x35x144xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x35x144xbf16>) -> tensor<2x35x144xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x35x128xbf16>, tensor<144x128xbf16>) outs(%f : tensor<2x35x144xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %0 = arith.mulf %a, %c : bf16
    %1 = arith.addf %o, %0 : bf16
    linalg.yield %1 : bf16
  } -> tensor<2x35x144xbf16>
  %h = linalg.generic {indexing_maps = [#id3, #column, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %b : tensor<2x35x144xbf16>, tensor<144xbf16>) outs(%e : tensor<2x35x144xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %0 = arith.addf %a, %c : bf16
    linalg.yield %0 : bf16
  } -> tensor<2x35x144xbf16>
  %s = tensor.extract_slice %h[0, 0, 0] [2, 35, 72] [1, 1, 1] : tensor<2x35x144xbf16> to tensor<2x35x72xbf16>
  %t = tensor.extract_slice %h[0, 0, 72] [2, 35, 72] [1, 1, 1] : tensor<2x35x144xbf16> to tensor<2x35x72xbf16>
  %r = tensor.empty() : tensor<2x35x72xbf16>
  %y = linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %t : tensor<2x35x72xbf16>, tensor<2x35x72xbf16>) outs(%r : tensor<2x35x72xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %0 = arith.maximumf %a, %zero : bf16
    %1 = arith.mulf %0, %c : bf16
    linalg.yield %1 : bf16
  } -> tensor<2x35x72xbf16>
  return %y : tensor<2x35x72xbf16>
}

// One tile, whose sums several parts divide.
func.func @few_tiles(%x: tensor<64x1024xf16> {carousel.argument = #x}, %v: tensor<64x1024xf16> {carousel.argument = #v}, %w: tensor<64x1024xf16> {carousel.argument = #w}) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %v : tensor<64x1024xf16>, tensor<64x1024xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<64x1024xf16>, tensor<64x1024xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.mul ins(%p, %q : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

func.func @of_f32(%x: tensor<40x64xf32> {carousel.argument = #x}, %v: tensor<67x64xf32> {carousel.argument = #v}, %w: tensor<67x64xf32> {carousel.argument = #w}) -> tensor<40x67xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x67xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x67xf32>) -> tensor<40x67xf32>
  %p = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %v : tensor<40x64xf32>, tensor<67x64xf32>) outs(%f : tensor<40x67xf32>) -> tensor<40x67xf32>
  %q = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<40x64xf32>, tensor<67x64xf32>) outs(%f : tensor<40x67xf32>) -> tensor<40x67xf32>
  %y = linalg.mul ins(%p, %q : tensor<40x67xf32>, tensor<40x67xf32>) outs(%e : tensor<40x67xf32>) -> tensor<40x67xf32>
  return %y : tensor<40x67xf32>
}
