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
