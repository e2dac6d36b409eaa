// Programs whose products a library computes do what their ops do.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --libraries --function %{function}
// REDEFINE: %{function} = layer
// RUN: %{graph} --chip sm_90a -- --arg x=random:67x40 --arg w=random:40x24 --arg b=random:24 --arg result0=zeros:67x24 --rtol 1e-5 --atol 1e-5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: %{graph} -- --arg x=random:1x1 --arg w=random:1x1 --arg b=random:1 --arg result0=zeros:1x1 --rtol 1e-5 --atol 1e-5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: %{graph} -- --arg x=random:7x0 --arg w=random:0x5 --arg b=random:5 --arg result0=zeros:7x5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: %{graph} -- --arg x=random:0x7 --arg w=random:7x5 --arg b=random:5 --arg result0=zeros:0x5 | FileCheck %s --check-prefixes=CHECK,LAYER
// RUN: not %{graph} -- --arg x=random:7x8 --arg w=random:7x5 --arg b=random:5 --arg result0=zeros:7x5 | FileCheck %s --check-prefix=EXTENT
// LAYER: graph-libraries.mlir: 0 kernels
// EXTENT: expected dimension 0 of w to be as long as dimension 1 of x in a product
// RUN: not %{graph} -- --arg x=random:7x8 --arg w=random:8x5 --arg b=random:6 --arg result0=zeros:7x5 | FileCheck %s --check-prefix=BIAS
// BIAS: expected dimension 0 of b to be as long as dimension 1 of the result after a product
// REDEFINE: %{function} = block
// RUN: %{graph} --chip sm_90a -- --arg x=random:2x5x40 --arg w=random:40x24 --arg b=random:24 --arg r=random:2x5x24 --arg result0=zeros:2x5x24 --rtol 1e-2 --atol 1e-2 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: %{graph} -- --arg x=random:1x1x1 --arg w=random:1x1 --arg b=random:1 --arg r=random:1x1x1 --arg result0=zeros:1x1x1 --rtol 1e-2 --atol 1e-2 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: %{graph} -- --arg x=random:3x2x0 --arg w=random:0x5 --arg b=random:5 --arg r=random:3x2x5 --arg result0=zeros:3x2x5 --rtol 1e-2 --atol 1e-2 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: not %{graph} -- --arg x=random:3x2x4 --arg w=random:4x5 --arg b=random:5 --arg r=random:3x3x5 --arg result0=zeros:3x2x5 | FileCheck %s --check-prefix=RESIDUAL
// RESIDUAL: expected dimension 1 of r to be as long as dimension
// NONE: graph-libraries.mlir: 0 kernels
// REDEFINE: %{function} = columns
// RUN: %{graph} -- --arg x=random:9x7 --arg w=random:9x6 --arg b=random:7 --arg result0=zeros:6x7 --rtol 1e-5 --atol 1e-5 | FileCheck %s --check-prefixes=CHECK,NONE
// REDEFINE: %{function} = turned
// RUN: %{graph} --chip sm_80 -- --arg x=random:7x8x3 --arg w=random:5x7x8 --arg result0=zeros:5x3 --rtol 1e-2 --atol 1e-2 | FileCheck %s --check-prefixes=CHECK,TURNED
// TURNED: graph-libraries.mlir: 1 kernels
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

// bf16, with a bias, a residual and gelu that are computed in f32: no kernel. The rows are two dimensions.
func.func @block(%x: tensor<?x?x?xbf16> {carousel.argument = #x}, %w: tensor<?x?xbf16> {carousel.argument = #w},
                 %b: tensor<?xbf16> {carousel.argument = #b},
                 %r: tensor<?x?x?xbf16> {carousel.argument = #carousel.argument<"r", in>}) -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xbf16>
  %rows = tensor.dim %x, %c1 : tensor<?x?x?xbf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%batch, %rows, %n) : tensor<?x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>,
      affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x?xbf16>, tensor<?x?xbf16>) outs(%z : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %wa = arith.extf %a : bf16 to f32
    %wc = arith.extf %c : bf16 to f32
    %q = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %e1 = tensor.empty(%batch, %rows, %n) : tensor<?x?x?xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (j)>,
      affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %b, %r : tensor<?x?x?xf32>, tensor<?xbf16>, tensor<?x?x?xbf16>) outs(%e1 : tensor<?x?x?xbf16>) {
  ^bb0(%v: f32, %vb: bf16, %vr: bf16, %o: bf16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %cubic = arith.constant 4.471500e-02 : f32
    %linear = arith.constant 0.797884583 : f32
    %wb = arith.extf %vb : bf16 to f32
    %wr = arith.extf %vr : bf16 to f32
    %s0 = arith.addf %v, %wb : f32
    %s = arith.addf %s0, %wr : f32
    %g0 = math.powf %s, %three : f32
    %g1 = arith.mulf %g0, %cubic : f32
    %g2 = arith.addf %s, %g1 : f32
    %g3 = arith.mulf %g2, %linear : f32
    %g4 = math.tanh %g3 : f32
    %g5 = arith.addf %one, %g4 : f32
    %g6 = arith.mulf %half, %g5 : f32
    %g = arith.mulf %s, %g6 : f32
    %t = arith.truncf %g : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?x?xbf16>
  return %y : tensor<?x?x?xbf16>
}

// The result has m last, and the bias goes along it: the factors change places. Relu.
func.func @columns(%x: tensor<?x?xf32> {carousel.argument = #x}, %w: tensor<?x?xf32> {carousel.argument = #w},
                   %b: tensor<?xf32> {carousel.argument = #b}) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %vb: f32, %o: f32):
    %s = arith.addf %v, %vb : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
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
