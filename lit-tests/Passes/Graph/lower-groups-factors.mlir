// Factors of products that have dimensions of their own, and one tensor as both factors: kernels are valid, and read inside.
// RUN: carousel-opt %s --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups --mlir-print-local-scope | FileCheck %s

// What one factor alone is summed along is no depth of a product.
// CHECK-LABEL: func.func @summed_alone
// CHECK: carousel.family = "row"
func.func @summed_alone(%x: tensor<16x8xf32>, %y: tensor<2x8x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, a, k) -> (m, k)>, affine_map<(m, n, a, k) -> (a, k, n)>, affine_map<(m, n, a, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %y : tensor<16x8xf32>, tensor<2x8x8xf32>) outs(%f : tensor<16x8xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %t = arith.mulf %in, %other : f32
    %s = arith.addf %out, %t : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  return %p : tensor<16x8xf32>
}


// Two dimensions that are summed stand at other places of the second factor, which is the same tensor.
// CHECK-LABEL: func.func @both_factors
// CHECK: gpu.func @both_factors_0(%{{.*}}: memref<2x8x2x8xf32, #gpu.address_space<global>>
func.func @both_factors(%x: tensor<2x8x2x8xf32>) -> tensor<2x8x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x2x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x2x8xf32>) -> tensor<2x8x2x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, k, l) -> (a, b, k, l)>, affine_map<(a, b, c, d, k, l) -> (k, l, c, d)>, affine_map<(a, b, c, d, k, l) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %x : tensor<2x8x2x8xf32>, tensor<2x8x2x8xf32>) outs(%f : tensor<2x8x2x8xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %t = arith.mulf %in, %other : f32
    %s = arith.addf %out, %t : f32
    linalg.yield %s : f32
  } -> tensor<2x8x2x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : tensor<2x8x2x8xf32>) outs(%e : tensor<2x8x2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 3 : index
    %is = arith.cmpi sge, %i, %j : index
    %s = arith.select %is, %zero, %in : f32
    linalg.yield %s : f32
  } -> tensor<2x8x2x8xf32>
  return %y : tensor<2x8x2x8xf32>
}
