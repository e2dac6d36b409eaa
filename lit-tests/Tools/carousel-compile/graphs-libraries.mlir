// A product that a library computes is a step of the package, unless libraries are forbidden.
// RUN: rm -rf %t && mkdir %t && carousel-compile %s -o %t/p --chip sm_90a --no-cubin --quiet
// RUN: FileCheck %s --input-file %t/p/manifest.json
// RUN: carousel-run %t/p --explain --program heads | FileCheck %s --check-prefix=STEPS
// RUN: carousel-run %t/p --explain --json --program heads | FileCheck %s --check-prefix=JSON
// RUN: carousel-compile %s -o %t/none --chip sm_90a --no-cubin --quiet --no-libraries
// RUN: FileCheck %s --check-prefix=NONE --input-file %t/none/manifest.json

// Heads stand between the rows of both factors, and the second one is transposed. It lacks one of the batches, which
// come first in all three.
// CHECK: "kind": "matmul",
// CHECK-NEXT: "tf32": false,
// CHECK-NEXT: "lhs": {"kind":"tensor","argument":0,"element":"f32","offset":0,"extents":[2,512,4096,512],"strides":[512,1024,524288,1]},
// CHECK-NEXT: "rhs": {"kind":"tensor","argument":1,"element":"f32","offset":0,"extents":[2,512,512,512],"strides":[512,0,1,1024]},
// CHECK-NEXT: "target": {"kind":"tensor","argument":2,"element":"f32","offset":0,"extents":[2,512,4096,512],"strides":[262144,512,524288,1]},
// CHECK-NEXT: "scratch": {"kind":"tensor","argument":3,"element":"i8","offset":0,"extents":[33554432],"strides":[1]},
// CHECK-NEXT: "family": "library",
// CHECK-NEXT: "sources": ["graphs-libraries.mlir:[[# @LINE + 19]]"]

// STEPS: 1. matmul (library)
// STEPS-NEXT: from      graphs-libraries.mlir:
// STEPS-NEXT: operands  x:
// STEPS-NEXT: w:
// STEPS-NEXT: result0:
// STEPS-NEXT: workspace:

// JSON: "kind": "matmul",
// JSON-NEXT: "family": "library"

// NONE-NOT: "matmul"
// NONE: "kind": "launch"
func.func @heads(%x: tensor<4096x512x2x512xf32> {carousel.argument = #carousel.argument<"x", in>},
    %w: tensor<512x2x512xf32> {carousel.argument = #carousel.argument<"w", in>}) -> tensor<4096x2x512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x2x512x512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x2x512x512xf32>) -> tensor<4096x2x512x512xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>,
      affine_map<(b, h, m, n, k) -> (n, h, k)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x512x2x512xf32>, tensor<512x2x512xf32>)
      outs(%i : tensor<4096x2x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096x2x512x512xf32>
  return %y : tensor<4096x2x512x512xf32>
}

// With a bias, a residual and a function, it is a step of another kind, which older readers refuse.
// CHECK: "kind": "fused_matmul",
// CHECK-NEXT: "function": "relu",
// CHECK-NEXT: "tf32": false,
// CHECK-NEXT: "lhs": {"kind":"tensor","argument":0,
// CHECK-NEXT: "rhs": {"kind":"tensor","argument":1,
// CHECK-NEXT: "target": {"kind":"tensor","argument":4,"element":"bf16","offset":0,"extents":[4096,1024],"strides":[1024,1]},
// CHECK-NEXT: "bias": {"kind":"tensor","argument":2,"element":"bf16","offset":0,"extents":[1024],"strides":[1]},
// CHECK-NEXT: "residual": {"kind":"tensor","argument":3,"element":"bf16","offset":0,"extents":[4096,1024],"strides":[1024,1]},
// CHECK-NEXT: "scratch": {"kind":"tensor","argument":5,
// CHECK-NEXT: "family": "library",
// CHECK-NEXT: "sources": ["graphs-libraries.mlir:[[# @LINE + 8]]","graphs-libraries.mlir:[[# @LINE + 11]]"]
func.func @linear(%x: tensor<4096x1024xbf16> {carousel.argument = #carousel.argument<"x", in>},
    %w: tensor<1024x1024xbf16> {carousel.argument = #carousel.argument<"w", in>},
    %b: tensor<1024xbf16> {carousel.argument = #carousel.argument<"b", in>},
    %r: tensor<4096x1024xbf16> {carousel.argument = #carousel.argument<"r", in>}) -> tensor<4096x1024xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x1024xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4096x1024xbf16>, tensor<1024x1024xbf16>) outs(%z : tensor<4096x1024xf32>)
      -> tensor<4096x1024xf32>
  %e1 = tensor.empty() : tensor<4096x1024xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b, %r : tensor<4096x1024xf32>, tensor<1024xbf16>, tensor<4096x1024xbf16>)
      outs(%e1 : tensor<4096x1024xbf16>) {
  ^bb0(%v: f32, %vb: bf16, %vr: bf16, %o: bf16):
    %wb = arith.extf %vb : bf16 to f32
    %wr = arith.extf %vr : bf16 to f32
    %s0 = arith.addf %v, %wb : f32
    %s1 = arith.addf %s0, %wr : f32
    %m = arith.maximumf %s1, %zero : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x1024xbf16>
  return %y : tensor<4096x1024xbf16>
}
