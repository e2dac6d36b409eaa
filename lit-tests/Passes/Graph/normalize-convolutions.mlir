// Convolutions have their channels last, add in f32, and have images that strides divide.
// RUN: carousel-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

// Pads go around what is transposed, and dilations stay in the maps.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-lower-convolutions
// CHECK-LABEL: func.func @channels_first
// CHECK: %[[IMAGE:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2x3x8x8xf32>)
// CHECK: -> tensor<2x8x8x3xf32>
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[IMAGE]] into %{{.*}}[0, 2, 2, 0] [2, 8, 8, 3] [1, 1, 1, 1]
// CHECK: %[[WEIGHTS:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<5x3x3x3xf32>)
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 + d5 * 2, d3 + d6 * 2, d4)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]
// CHECK-SAME: ins(%[[PADDED]], %[[WEIGHTS]] : tensor<2x12x12x3xf32>, tensor<3x3x3x5xf32>)
func.func @channels_first(%x: tensor<2x3x8x8xf32>, %w: tensor<5x3x3x3xf32>, %o: tensor<2x5x8x8xf32>) -> tensor<2x5x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x3x8x8xf32> to tensor<2x3x12x12xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<2x3x12x12xf32>, tensor<5x3x3x3xf32>)
      outs(%o : tensor<2x5x8x8xf32>) -> tensor<2x5x8x8xf32>
  return %y : tensor<2x5x8x8xf32>
}

// -----

// Other pads than of zeros are transposed with what is inside of them.
// CHECK-LABEL: func.func @channels_first_in_ones
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.fill ins(%[[ONE]] : f32)
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0, 1, 1] [2, 3, 2, 2] [1, 1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[PADDED]] : tensor<2x3x4x4xf32>)
func.func @channels_first_in_ones(%x: tensor<2x3x2x2xf32>, %w: tensor<5x3x3x3xf32>, %o: tensor<2x5x2x2xf32>) -> tensor<2x5x2x2xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<2x3x2x2xf32> to tensor<2x3x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<2x3x4x4xf32>, tensor<5x3x3x3xf32>)
      outs(%o : tensor<2x5x2x2xf32>) -> tensor<2x5x2x2xf32>
  return %y : tensor<2x5x2x2xf32>
}

// -----

// One element of the kernel, and every pixel once: a product.
// CHECK-LABEL: func.func @pointwise
// CHECK: linalg.generic {indexing_maps = [affine_map<({{.*}}) -> (d0, d1, d2, d4)>, affine_map<({{.*}}) -> (d4, d3)>, affine_map<({{.*}}) -> (d0, d1, d2, d3)>]
func.func @pointwise(%x: tensor<2x8x8x3xf32>, %w: tensor<1x1x3x5xf32>, %o: tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x3xf32>, tensor<1x1x3x5xf32>)
      outs(%o : tensor<2x8x8x5xf32>) -> tensor<2x8x8x5xf32>
  return %y : tensor<2x8x8x5xf32>
}

// -----

// CHECK-LABEL: func.func @narrow_pointwise
// CHECK: arith.extf
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.truncf
func.func @narrow_pointwise(%x: tensor<2x8x8x4xbf16>, %w: tensor<1x1x4x4xbf16>) -> tensor<2x8x8x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x8x8x4xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x8x8x4xbf16>) -> tensor<2x8x8x4xbf16>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x4xbf16>, tensor<1x1x4x4xbf16>)
      outs(%f : tensor<2x8x8x4xbf16>) -> tensor<2x8x8x4xbf16>
  return %y : tensor<2x8x8x4xbf16>
}

// -----

// The dimension of one image went, and comes back for the pad: the kernel has to see that it has zeros around all of the image.
// CHECK-LABEL: func.func @one_image
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x8x8xf32>,
// CHECK: %[[LAST:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<1x4x8x8xf32>) outs(%{{.*}} : tensor<1x8x8x4xf32>)
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[LAST]] into %{{.*}}[0, 1, 1, 0] [1, 8, 8, 4] [1, 1, 1, 1] : tensor<1x8x8x4xf32> into tensor<1x10x10x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<1x10x10x4xf32>, tensor<3x3x4x4xf32>)
func.func @one_image(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>, %o: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x4x10x10xf32>, tensor<4x4x3x3xf32>)
      outs(%o : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}

// -----

// 7 and 9 are odd: one more row of zeros.
// CHECK-LABEL: func.func @odd
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 1, 1, 0] [2, 7, 7, 4] [1, 1, 1, 1] : tensor<2x7x7x4xf32> into tensor<2x10x10x4xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x10x10x4xf32>, tensor<3x3x4x4xf32>)
func.func @odd(%x: tensor<2x7x7x4xf32>, %w: tensor<3x3x4x4xf32>, %o: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x7x7x4xf32> to tensor<2x9x9x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<2x9x9x4xf32>, tensor<3x3x4x4xf32>)
      outs(%o : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %y : tensor<2x4x4x4xf32>
}

// -----

// The zeros behind go around the pad of ones.
// CHECK-LABEL: func.func @odd_in_ones
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 1, 0] [1, 3, 3, 4] [1, 1, 1, 1] : {{.*}} into tensor<1x5x5x4xf32>
// CHECK: tensor.insert_slice %[[PADDED]] into %{{.*}}[0, 0, 0, 0] [1, 5, 5, 4] [1, 1, 1, 1] : tensor<1x5x5x4xf32> into tensor<1x6x6x4xf32>
func.func @odd_in_ones(%x: tensor<1x3x3x4xf32>, %w: tensor<3x3x4x4xf32>, %o: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x3x3x4xf32> to tensor<1x5x5x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x5x5x4xf32>, tensor<3x3x4x4xf32>)
      outs(%o : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %y : tensor<1x2x2x4xf32>
}

// -----

// So they go around a dilated image.
// CHECK-LABEL: func.func @odd_dilated
// CHECK: %[[DILATED:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 1, 0] [1, 2, 2, 4] [1, 2, 2, 1] : {{.*}} into tensor<1x5x5x4xf32>
// CHECK: tensor.insert_slice %[[DILATED]] into %{{.*}}[0, 0, 0, 0] [1, 5, 5, 4] [1, 1, 1, 1] : tensor<1x5x5x4xf32> into tensor<1x6x6x4xf32>
func.func @odd_dilated(%x: tensor<1x2x2x4xf32>, %w: tensor<3x3x4x4xf32>, %o: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x5x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
  %p = tensor.insert_slice %x into %f[0, 1, 1, 0] [1, 2, 2, 4] [1, 2, 2, 1] : tensor<1x2x2x4xf32> into tensor<1x5x5x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x5x5x4xf32>, tensor<3x3x4x4xf32>)
      outs(%o : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %y : tensor<1x2x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @narrow
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x6x6x4xf32>)
// CHECK: arith.extf
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.truncf
func.func @narrow(%x: tensor<2x8x8x4xbf16>, %w: tensor<3x3x4x4xbf16>) -> tensor<2x6x6x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x6x6x4xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x6x6x4xbf16>) -> tensor<2x6x6x4xbf16>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x4xbf16>, tensor<3x3x4x4xbf16>)
      outs(%f : tensor<2x6x6x4xbf16>) -> tensor<2x6x6x4xbf16>
  return %y : tensor<2x6x6x4xbf16>
}

// -----

// Channels in groups have no product.
// CHECK-LABEL: func.func @groups
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
func.func @groups(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4xf32>, %o: tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32> {
  %y = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x8x8x4xf32>, tensor<3x3x4xf32>)
      outs(%o : tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32>
  return %y : tensor<2x6x6x4xf32>
}

// -----

// A sum along all pixels of two images keeps the channels of both last, and the images before their pixels. Zeros between the pixels of one become steps in the other.
// CHECK-LABEL: func.func @summed_pixels
// CHECK-SAME: (%[[X:.*]]: tensor<2x7x9x4xf32>, %[[G:.*]]: tensor<2x4x5x8xf32>,
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[X]] into %{{.*}} : tensor<2x7x9x4xf32> into tensor<2x10x12x4xf32>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d0 + d5 * 2, d1 + d6 * 2, d2)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]
// CHECK-SAME: ins(%[[PADDED]], %[[G]] : tensor<2x10x12x4xf32>, tensor<2x4x5x8xf32>)
func.func @summed_pixels(%x: tensor<2x7x9x4xf32>, %g: tensor<2x4x5x8xf32>, %o: tensor<3x3x4x8xf32>) -> tensor<3x3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x7x9x4xf32> to tensor<2x9x11x4xf32>
  %e = tensor.empty() : tensor<2x7x9x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x9x8xf32>) -> tensor<2x7x9x8xf32>
  %d = tensor.insert_slice %g into %z[0, 0, 0, 0] [2, 4, 5, 8] [1, 2, 2, 1] : tensor<2x4x5x8xf32> into tensor<2x7x9x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, f, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, f, n, i, j) -> (n, i, j, f)>, affine_map<(a, b, c, f, n, i, j) -> (a, b, c, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %d : tensor<2x9x11x4xf32>, tensor<2x7x9x8xf32>) outs(%o : tensor<3x3x4x8xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x4x8xf32>
  return %y : tensor<3x3x4x8xf32>
}

// -----

// The image of which all pixels are summed has its own channels last: here, its batch was.
// CHECK-LABEL: func.func @summed_pixels_of_batches
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x16x16x2xf32>) outs(%{{.*}} : tensor<2x16x16x4xf32>)
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d1 + d4, d2 + d5, d0)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d4, d5, d3)>
func.func @summed_pixels_of_batches(%x: tensor<4x16x16x2xf32>, %g: tensor<14x14x2x8xf32>, %o: tensor<4x3x3x8xf32>) -> tensor<4x3x3x8xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %g : tensor<4x16x16x2xf32>, tensor<14x14x2x8xf32>)
      outs(%o : tensor<4x3x3x8xf32>) -> tensor<4x3x3x8xf32>
  return %y : tensor<4x3x3x8xf32>
}

// -----

// The gradient of an image with strides is a convolution for each phase of its pixels, which meets a part of the weights. Weights
// with channels first are permuted as a whole, so that a part of them has whole rows of channels; CSE leaves one permutation.
// CHECK-LABEL: func.func @phases_of_channels_first
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<4x8x3x3xbf16>) outs(%{{.*}} : tensor<3x3x8x4xbf16>)
// CHECK: tensor.extract_slice %{{.*}}[1, 1, 0, 0] [1, 1, 8, 4] [2, 2, 1, 1] : tensor<3x3x8x4xbf16>
// CHECK: tensor.extract_slice %{{.*}}[1, 0, 0, 0] [1, 2, 8, 4] [2, 2, 1, 1] : tensor<3x3x8x4xbf16>
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0, 0] [2, 1, 8, 4] [2, 2, 1, 1] : tensor<3x3x8x4xbf16>
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 2, 8, 4] [2, 2, 1, 1] : tensor<3x3x8x4xbf16>
func.func @phases_of_channels_first(%g: tensor<2x4x4x8xbf16>, %w: tensor<4x8x3x3xbf16>, %o: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x10x10x8xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x10x10x8xbf16>) -> tensor<2x10x10x8xbf16>
  %d = tensor.insert_slice %g into %z[0, 1, 1, 0] [2, 4, 4, 8] [1, 2, 2, 1] : tensor<2x4x4x8xbf16> into tensor<2x10x10x8xbf16>
  %i = tensor.empty() : tensor<2x8x8x4xf32>
  %f = linalg.fill ins(%none : f32) outs(%i : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, a, b, f, i, j, c) -> (n, a + i, b + j, c)>,
        affine_map<(n, a, b, f, i, j, c) -> (f, c, i, j)>, affine_map<(n, a, b, f, i, j, c) -> (n, a, b, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%d, %w : tensor<2x10x10x8xbf16>, tensor<4x8x3x3xbf16>) outs(%f : tensor<2x8x8x4xf32>) {
  ^bb0(%in: bf16, %weight: bf16, %out: f32):
    %a = arith.extf %in : bf16 to f32
    %b = arith.extf %weight : bf16 to f32
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x8x8x4xf32>
  return %y : tensor<2x8x8x4xf32>
}

// -----

// Weights that a copy reverses are read from their end on, and stay as they are in memory.
// CHECK-LABEL: func.func @reversed
// CHECK-SAME: (%[[G:.*]]: tensor<2x9x11x8xf32>, %[[W:.*]]: tensor<3x3x4x8xf32>,
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 - d4 + 2, d2 - d5 + 2, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d3, d6)>
// CHECK-SAME: ins(%[[G]], %[[W]]
func.func @reversed(%g: tensor<2x9x11x8xf32>, %w: tensor<3x3x4x8xf32>, %o: tensor<2x7x9x4xf32>) -> tensor<2x7x9x4xf32> {
  %e = tensor.empty() : tensor<3x3x8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, f, c) -> (-a + 2, -b + 2, c, f)>, affine_map<(a, b, f, c) -> (a, b, f, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<3x3x4x8xf32>) outs(%e : tensor<3x3x8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x3x8x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%g, %r : tensor<2x9x11x8xf32>, tensor<3x3x8x4xf32>)
      outs(%o : tensor<2x7x9x4xf32>) -> tensor<2x7x9x4xf32>
  return %y : tensor<2x7x9x4xf32>
}

// -----

// Part of the weights isn't all of them: the copy stays.
// CHECK-LABEL: func.func @reversed_part
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<4x3x4x8xf32>) outs(%{{.*}} : tensor<3x3x4x8xf32>)
// CHECK: linalg.generic {{.*}} (d0, d1 + d4, d2 + d5, d6)
func.func @reversed_part(%g: tensor<2x9x11x4xf32>, %w: tensor<4x3x4x8xf32>, %o: tensor<2x7x9x8xf32>) -> tensor<2x7x9x8xf32> {
  %e = tensor.empty() : tensor<3x3x4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, f) -> (-a + 2, b, c, f)>, affine_map<(a, b, c, f) -> (a, b, c, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<4x3x4x8xf32>) outs(%e : tensor<3x3x4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x3x4x8xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%g, %r : tensor<2x9x11x4xf32>, tensor<3x3x4x8xf32>)
      outs(%o : tensor<2x7x9x8xf32>) -> tensor<2x7x9x8xf32>
  return %y : tensor<2x7x9x8xf32>
}

// -----

// Groups of 4 channels are joined to groups of 64: weights of different groups are zero. The pad stays around the image.
// CHECK-LABEL: func.func @narrow_groups
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x8x128xbf16>, %[[W:.*]]: tensor<3x3x4x32x4xbf16>)
// CHECK: %[[WEIGHTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x3x2x16x4x16x4xbf16>)
// CHECK: linalg.index 3
// CHECK: linalg.index 5
// CHECK: arith.select
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[WEIGHTS]] {{.*}} into tensor<3x3x2x64x64xbf16>
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %{{.*}} into %{{.*}} : tensor<2x8x8x2x64xbf16> into tensor<2x10x10x2x64xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[PADDED]], %[[JOINED]] : tensor<2x10x10x2x64xbf16>, tensor<3x3x2x64x64xbf16>)
// CHECK: arith.truncf
// CHECK: -> tensor<2x8x8x2x64xbf16>
// CHECK-NOT: linalg.generic
func.func @narrow_groups(%x: tensor<2x8x8x128xbf16>, %w: tensor<3x3x4x32x4xbf16>) -> tensor<2x8x8x32x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<2x8x8x128xbf16> to tensor<2x10x10x128xbf16>
  %g = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [2, 10, 10, 32, 4] : tensor<2x10x10x128xbf16> into tensor<2x10x10x32x4xbf16>
  %e = tensor.empty() : tensor<2x8x8x32x4xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x8x8x32x4xbf16>) -> tensor<2x8x8x32x4xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(n, i, j, g, f, a, b, c) -> (n, i + a, j + b, g, c)>,
        affine_map<(n, i, j, g, f, a, b, c) -> (a, b, c, g, f)>, affine_map<(n, i, j, g, f, a, b, c) -> (n, i, j, g, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%g, %w : tensor<2x10x10x32x4xbf16>, tensor<3x3x4x32x4xbf16>) outs(%f : tensor<2x8x8x32x4xbf16>) {
  ^bb0(%in: bf16, %weight: bf16, %out: bf16):
    %m = arith.mulf %in, %weight : bf16
    %s = arith.addf %out, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<2x8x8x32x4xbf16>
  return %y : tensor<2x8x8x32x4xbf16>
}

// -----

// Groups whose results have a dimension that no factor has aren't joined.
// CHECK-LABEL: func.func @equal_channels
// CHECK: linalg.generic {{.*}} iterator_types = [{{.*}}"reduction", "reduction", "reduction"]} ins(%{{.*}} : tensor<2x3x4x2x2xf32>, tensor<2x1x2x2xf32>)
func.func @equal_channels(%x: tensor<2x3x4x2x2xf32>, %w: tensor<2x2x1x2xf32>) -> tensor<2x2x5x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x5x3x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2x5x3x3xf32>) -> tensor<2x2x5x3x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, g, f, i, j, c, a, b) -> (n, i + a, j + b, g, c)>,
        affine_map<(n, g, f, i, j, c, a, b) -> (c, g, a, b)>, affine_map<(n, g, f, i, j, c, a, b) -> (n, g, f, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x3x4x2x2xf32>, tensor<2x2x1x2xf32>) outs(%f : tensor<2x2x5x3x3xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x2x5x3x3xf32>
  return %y : tensor<2x2x5x3x3xf32>
}
