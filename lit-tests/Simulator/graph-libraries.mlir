// Programs whose products a library computes do what their ops do.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --libraries --function %{function}
// REDEFINE: %{function} = layer
// RUN: %{graph} --chip sm_90a -- --arg x=random:67x40 --arg w=random:40x24 --arg b=random:24 --arg result0=zeros:67x24 --rtol 1e-5 --atol 1e-5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: %{graph} -- --arg x=random:1x1 --arg w=random:1x1 --arg b=random:1 --arg result0=zeros:1x1 --rtol 1e-5 --atol 1e-5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: %{graph} -- --arg x=random:7x0 --arg w=random:0x5 --arg b=random:5 --arg result0=zeros:7x5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: %{graph} -- --arg x=random:0x7 --arg w=random:7x5 --arg b=random:5 --arg result0=zeros:0x5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: not %{graph} -- --arg x=random:7x8 --arg w=random:7x5 --arg b=random:5 --arg result0=zeros:7x5 | FileCheck %s --check-prefix=EXTENT
// LAYER: graph-libraries.mlir: 1 kernels
// EXTENT: expected dimension 0 of w to be as long as dimension 1 of x in a product
// REDEFINE: %{function} = turned
// RUN: %{graph} --chip sm_80 -- --arg x=random:7x8x3 --arg w=random:5x7x8 --arg result0=zeros:5x3 --rtol 1e-2 --atol 1e-2 | FileCheck %s --check-prefixes=CHECK,LAYER
// REDEFINE: %{function} = heads
// RUN: %{graph} -- --arg q=random:2x16x12x64 --arg k=random:2x16x12x64 --arg result0=zeros:2x12x16x16 --rtol 1e-5 --atol 1e-5 | FileCheck %s --check-prefixes=CHECK,HEADS
// HEADS: graph-libraries.mlir: 2 kernels
// CHECK: block phase: right
// CHECK-NOT: wrong

#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#b = #carousel.argument<"b", in>

func.func @layer(%x: tensor<?x?xf32> {carousel.argument = #x}, %w: tensor<?x?xf32> {carousel.argument = #w},
                 %b: tensor<?xf32> {carousel.argument = #b}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Sums along two dimensions that are one in both factors, and a result that is transposed and rounded.
func.func @turned(%x: tensor<?x?x?xbf16> {carousel.argument = #x}, %w: tensor<?x?x?xbf16> {carousel.argument = #w})
    -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c2 : tensor<?x?x?xbf16>
  %n = tensor.dim %w, %c0 : tensor<?x?x?xbf16>
  %e = tensor.empty(%n, %m) : tensor<?x?xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (k, l, m)>, affine_map<(m, n, k, l) -> (n, k, l)>,
      affine_map<(m, n, k, l) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%z : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %q = arith.mulf %a, %c : bf16
    %s = arith.addf %o, %q : bf16
    linalg.yield %s : bf16
  } -> tensor<?x?xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %s = arith.negf %a : bf16
    linalg.yield %s : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// Two copies, and one call for all batches and heads.
func.func @heads(%q: tensor<?x16x12x64xf32> {carousel.argument = #carousel.argument<"q", in>}, %k: tensor<?x16x12x64xf32> {carousel.argument = #carousel.argument<"k", in>}) -> tensor<?x12x16x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %q, %c0 : tensor<?x16x12x64xf32>
  %e = tensor.empty(%b) : tensor<?x12x16x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x12x16x16xf32>) -> tensor<?x12x16x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, s, t, d) -> (b, s, h, d)>, affine_map<(b, h, s, t, d) -> (b, t, h, d)>,
      affine_map<(b, h, s, t, d) -> (b, h, s, t)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x16x12x64xf32>, tensor<?x16x12x64xf32>) outs(%z : tensor<?x12x16x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %n = arith.addf %o, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x12x16x16xf32>
  return %y : tensor<?x12x16x16xf32>
}
