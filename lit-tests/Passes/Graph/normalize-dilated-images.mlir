// A convolution of an image with zeros between its pixels is one for each remainder of the result's pixels, by the
// elements of the kernel that meet pixels. Pixels that none meets are zero.
// RUN: carousel-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#image = affine_map<(n, i, j, c, a, b, f) -> (n, i + a, j + b, f)>
#weights = affine_map<(n, i, j, c, a, b, f) -> (a, b, c, f)>
#result = affine_map<(n, i, j, c, a, b, f) -> (n, i, j, c)>

// Rows have stride 2, columns 1. Even rows meet the middle row of the kernel, odd ones the others, and a row of zeros
// behind the image.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: [1, 2, 1, 1]
// CHECK: %[[MIDDLE:.*]] = tensor.extract_slice %arg0[1, 0, 0, 0] [1, 3, 8, 16] [2, 1, 1, 1]
// CHECK: %[[EVEN:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
// CHECK-SAME: ins(%{{.*}}, %[[MIDDLE]] : tensor<?x4x10x16xf32>, tensor<1x3x8x16xf32>)
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[EVEN]] into %{{.*}}[0, 0, 0, 0] [{{.*}}, 4, 8, 8] [1, 2, 1, 1]
// CHECK: tensor.insert_slice %arg1 into %{{.*}}[0, 0, 1, 0] [{{.*}}, 4, 8, 16] [1, 1, 1, 1] : {{.*}} into tensor<?x5x10x16xf32>
// CHECK: %[[OTHERS:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [2, 3, 8, 16] [2, 1, 1, 1]
// CHECK: %[[ODD:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[OTHERS]] : tensor<?x5x10x16xf32>, tensor<2x3x8x16xf32>)
// CHECK: %[[LAST:.*]] = tensor.insert_slice %[[ODD]] into %[[FIRST]][0, 1, 0, 0] [{{.*}}, 4, 8, 8] [1, 2, 1, 1]
// CHECK: return %[[LAST]]
func.func @rows(%w: tensor<3x3x8x16xf32>, %g: tensor<?x4x8x16xf32>) -> tensor<?x8x8x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %g, %c0 : tensor<?x4x8x16xf32>
  %e = tensor.empty(%n) : tensor<?x10x10x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x10x10x16xf32>) -> tensor<?x10x10x16xf32>
  %spread = tensor.insert_slice %g into %zeros[0, 1, 1, 0] [%n, 4, 8, 16] [1, 2, 1, 1] : tensor<?x4x8x16xf32> into tensor<?x10x10x16xf32>
  %r = tensor.empty(%n) : tensor<?x8x8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%r : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %y = linalg.generic {indexing_maps = [#image, #weights, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%spread, %w : tensor<?x10x10x16xf32>, tensor<3x3x8x16xf32>) outs(%init : tensor<?x8x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x8x8x8xf32>
  return %y : tensor<?x8x8x8xf32>
}

// -----

#image = affine_map<(n, i, j, c, a, b, f) -> (n, i + a, j + b, f)>
#weights = affine_map<(n, i, j, c, a, b, f) -> (a, b, c, f)>
#result = affine_map<(n, i, j, c, a, b, f) -> (n, i, j, c)>

// With a stride of 3, a kernel of 2 leaves out a third of the rows. The conversion of the result goes along.
// CHECK-LABEL: func.func @holes
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @holes(%w: tensor<2x1x8x16xbf16>, %g: tensor<2x4x8x16xbf16>) -> tensor<2x10x8x8xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x11x8x16xbf16>
  %zeros = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x11x8x16xbf16>) -> tensor<2x11x8x16xbf16>
  %spread = tensor.insert_slice %g into %zeros[0, 1, 0, 0] [2, 4, 8, 16] [1, 3, 1, 1] : tensor<2x4x8x16xbf16> into tensor<2x11x8x16xbf16>
  %r = tensor.empty() : tensor<2x10x8x8xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%r : tensor<2x10x8x8xbf16>) -> tensor<2x10x8x8xbf16>
  %y = linalg.generic {indexing_maps = [#image, #weights, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%spread, %w : tensor<2x11x8x16xbf16>, tensor<2x1x8x16xbf16>) outs(%init : tensor<2x10x8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %s: bf16):
    %p = arith.mulf %a, %b : bf16
    %t = arith.addf %s, %p : bf16
    linalg.yield %t : bf16
  } -> tensor<2x10x8x8xbf16>
  return %y : tensor<2x10x8x8xbf16>
}
