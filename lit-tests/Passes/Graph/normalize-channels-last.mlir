// Of convolutions with channels first, all images between them have channels last: arguments are read, and results are written, as they are.
// RUN: carousel-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

// A residual block: the product of one element and the elementwise ops are at pixels, too, and nothing is transposed between them.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-propagate-channels-last
// CHECK-LABEL: func.func @block
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8x8xf32>
// CHECK: %[[LAST:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<2x4x8x8xf32>) outs(%{{.*}} : tensor<2x8x8x4xf32>)
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[LAST]]
// CHECK: %[[INNER:.*]] = linalg.generic {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<2x10x10x4xf32>, tensor<3x3x4x4xf32>) outs(%{{.*}} : tensor<2x8x8x4xf32>)
// CHECK: %[[RELU:.*]] = linalg.generic {{.*}} ins(%[[INNER]], %{{.*}} : tensor<2x8x8x4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<2x8x8x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[RELU]], %{{.*}} : tensor<2x8x8x4xf32>, tensor<4x4xf32>) outs(%{{.*}} : tensor<2x8x8x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
// CHECK-SAME: ins(%[[WIDE]], %[[X]] :
// CHECK-NOT: linalg.generic
func.func @block(%x: tensor<2x4x8x8xf32>, %v: tensor<4x4x3x3xf32>, %b: tensor<4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x4x8x8xf32> to tensor<2x4x10x10xf32>
  %e = tensor.empty() : tensor<2x4x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%p, %v : tensor<2x4x10x10xf32>, tensor<4x4x3x3xf32>)
      outs(%f : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, c, i, j) -> (n, c, i, j)>, affine_map<(n, c, i, j) -> (c)>,
        affine_map<(n, c, i, j) -> (n, c, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %b : tensor<2x4x8x8xf32>, tensor<4xf32>) outs(%e : tensor<2x4x8x8xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x4x8x8xf32>
  %2 = linalg.conv_2d_nchw_fchw ins(%1, %w : tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>)
      outs(%f : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = arith.addf %2, %x : tensor<2x4x8x8xf32>
  return %3 : tensor<2x4x8x8xf32>
}

// -----

// Pools, slices, parts that are put together and groups of channels follow. What reads an image otherwise has a copy with channels first.
// CHECK-LABEL: func.func @others
// CHECK: %[[IMAGE:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x9x9x4xf32>, tensor<3x3x4x4xf32>)
// CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK-SAME: ins(%[[IMAGE]],
// CHECK-SAME: outs(%{{.*}} : tensor<?x3x3x4xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x3x3x2x4xf32>)
// CHECK: tensor.extract %[[MAX]]
// CHECK: tensor.extract %[[IMAGE]]
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x2x4x3x3xf32>)
// CHECK: tensor.collapse_shape %[[FIRST]] {{\[\[}}0], [1, 2, 3, 4]]
func.func @others(%x: tensor<?x4x9x9xf32>, %v: tensor<4x4x3x3xf32>, %w: tensor<2x4x4x2x2xf32>)
    -> (tensor<?x72xf32>, tensor<?x2x4x2x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x9x9xf32>
  %e = tensor.empty(%n) : tensor<?x4x7x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x7x7xf32>) -> tensor<?x4x7x7xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<?x4x9x9xf32>, tensor<4x4x3x3xf32>)
      outs(%f : tensor<?x4x7x7xf32>) -> tensor<?x4x7x7xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %m = tensor.dim %0, %c0 : tensor<?x4x7x7xf32>
  %pe = tensor.empty(%m) : tensor<?x4x3x3xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<?x4x3x3xf32>) -> tensor<?x4x3x3xf32>
  %1 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%0, %window : tensor<?x4x7x7xf32>, tensor<3x3xf32>)
      outs(%pf : tensor<?x4x3x3xf32>) -> tensor<?x4x3x3xf32>
  %2 = tensor.extract_slice %0[0, 0, 2, 3] [%n, 4, 3, 3] [1, 1, 1, 1] : tensor<?x4x7x7xf32> to tensor<?x4x3x3xf32>
  %3 = tensor.concat dim(1) %1, %2 : (tensor<?x4x3x3xf32>, tensor<?x4x3x3xf32>) -> tensor<?x8x3x3xf32>
  %flat = tensor.collapse_shape %3 [[0], [1, 2, 3]] : tensor<?x8x3x3xf32> into tensor<?x72xf32>
  %4 = tensor.expand_shape %3 [[0], [1, 2], [3], [4]] output_shape [%n, 2, 4, 3, 3] : tensor<?x8x3x3xf32> into tensor<?x2x4x3x3xf32>
  %ge = tensor.empty(%n) : tensor<?x2x4x2x2xf32>
  %gf = linalg.fill ins(%zero : f32) outs(%ge : tensor<?x2x4x2x2xf32>) -> tensor<?x2x4x2x2xf32>
  %5 = linalg.conv_2d_ngchw_gfchw ins(%4, %w : tensor<?x2x4x3x3xf32>, tensor<2x4x4x2x2xf32>)
      outs(%gf : tensor<?x2x4x2x2xf32>) -> tensor<?x2x4x2x2xf32>
  return %flat, %5 : tensor<?x72xf32>, tensor<?x2x4x2x2xf32>
}
