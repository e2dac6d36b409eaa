// A row of the kernel and the few channels of an image become one depth, where that saves enough.
// RUN: carousel-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter='carousel-normalize-graph' 2>&1 | FileCheck %s

// CHECK: remark: [Passed] JoinedTaps | Category:carousel-normalize-graph | Function=stem | Remark="7 elements of the kernel and 3 channels are one depth of 24, in a copy of the image"
// CHECK: remark: [Passed] JoinedTaps | {{.*}}Function=halves | Remark="5 elements of the kernel and 5 channels are one depth of 32, in a copy of the image"
// CHECK: remark: [Missed] JoinedTaps | {{.*}}Function=small | Remark="copying an image of 3 channels, so that 7 elements of the kernel are one depth, takes as long as it saves"
// CHECK: remark: [Passed] JoinedTaps | {{.*}}Function=bytes | Remark="7 elements of the kernel and 3 channels are one depth of 24, in a copy of the image"
// CHECK: remark: [Passed] JoinedTaps | {{.*}}Function=patches | Remark="32 elements of the kernel and 3 channels are one depth of 96, in a copy of the image"
// CHECK: remark: [Passed] JoinedTaps | {{.*}}Function=gradient_of_few | Remark="7 elements of the kernel and 3 channels are one depth of 24, in a copy of the image"
// CHECK-NOT: JoinedTaps

#image = affine_map<(n, i, j, f, a, b, c) -> (n, i * 2 + a, j * 2 + b, c)>
#weights = affine_map<(n, i, j, f, a, b, c) -> (a, b, c, f)>
#result = affine_map<(n, i, j, f, a, b, c) -> (n, i, j, f)>

// Rows of the image are read where they are, pads of rows stay, and those of the joined dimension are zeros of the copy.
// CHECK-LABEL: func.func @stem
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3]] : tensor<32x224x224x3xf32> into tensor<32x224x672xf32>
// CHECK: %[[COPY:.*]] = linalg.generic
// CHECK: arith.addi
// CHECK: %[[LOW:.*]] = arith.maxsi
// CHECK: %[[HIGH:.*]] = arith.minsi %[[LOW]]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[HIGH]] : i32 to index
// CHECK: arith.cmpi eq
// CHECK: arith.cmpi ult, %{{.*}}, %c21_i32
// CHECK: tensor.extract %[[ROWS]][%{{.*}}, %{{.*}}, %[[INDEX]]]
// CHECK: -> tensor<32x224x112x24xf32>
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[COPY]] into %{{.*}}[0, 3, 0, 0] [32, 224, 112, 24] [1, 1, 1, 1] : tensor<32x224x112x24xf32> into tensor<32x230x112x24xf32>
// CHECK: %[[SPREAD:.*]] = linalg.generic
// CHECK: -> tensor<7x6x4x64xf32>
// CHECK: %[[WEIGHTS:.*]] = tensor.collapse_shape %[[SPREAD]] {{\[}}[0], [1, 2], [3]]
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>]
// CHECK-SAME: ins(%[[PADDED]], %[[WEIGHTS]] : tensor<32x230x112x24xf32>, tensor<7x24x64xf32>)
func.func @stem(%x: tensor<32x224x224x3xf32>, %w: tensor<7x7x3x64xf32>, %o: tensor<32x112x112x64xf32>) -> tensor<32x112x112x64xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<32x224x224x3xf32> to tensor<32x230x230x3xf32>
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<32x230x230x3xf32>, tensor<7x7x3x64xf32>)
      outs(%o : tensor<32x112x112x64xf32>) -> tensor<32x112x112x64xf32>
  return %y : tensor<32x112x112x64xf32>
}

// A depth of 25 is filled up to granules of 16 bytes.
// CHECK-LABEL: func.func @halves
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x68x64x32xbf16>, tensor<5x32x64xbf16>)
func.func @halves(%x: tensor<?x68x68x5xbf16>, %w: tensor<5x5x5x64xbf16>, %o: tensor<?x64x64x64xbf16>) -> tensor<?x64x64x64xbf16> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x68x68x5xbf16>, tensor<5x5x5x64xbf16>)
      outs(%o : tensor<?x64x64x64xbf16>) -> tensor<?x64x64x64xbf16>
  return %y : tensor<?x64x64x64xbf16>
}

// CHECK-LABEL: func.func @small
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x22x22x3xf32>, tensor<7x7x3x16xf32>)
func.func @small(%x: tensor<1x22x22x3xf32>, %w: tensor<7x7x3x16xf32>, %o: tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x22x22x3xf32>, tensor<7x7x3x16xf32>)
      outs(%o : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  return %y : tensor<1x16x16x16xf32>
}

// Four channels are a granule, and fill half of a depth. Unknown columns and
// bodies that compute with indices stay.
// CHECK-LABEL: func.func @granule
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<?x68x68x4xf32>, tensor<5x5x4x64xf32>)
func.func @granule(%x: tensor<?x68x68x4xf32>, %w: tensor<5x5x4x64xf32>, %o: tensor<?x64x64x64xf32>) -> tensor<?x64x64x64xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x68x68x4xf32>, tensor<5x5x4x64xf32>)
      outs(%o : tensor<?x64x64x64xf32>) -> tensor<?x64x64x64xf32>
  return %y : tensor<?x64x64x64xf32>
}

// CHECK-LABEL: func.func @unknown_columns
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<?x?x?x3xf32>, tensor<5x5x3x64xf32>)
func.func @unknown_columns(%x: tensor<?x?x?x3xf32>, %w: tensor<5x5x3x64xf32>, %o: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x3xf32>, tensor<5x5x3x64xf32>)
      outs(%o : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}

// CHECK-LABEL: func.func @with_index
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<?x133x133x3xf32>, tensor<5x5x3x64xf32>)
func.func @with_index(%x: tensor<?x133x133x3xf32>, %w: tensor<5x5x3x64xf32>, %o: tensor<?x64x64x64xf32>) -> tensor<?x64x64x64xf32> {
  %y = linalg.generic {indexing_maps = [#image, #weights, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x133x133x3xf32>, tensor<5x5x3x64xf32>) outs(%o : tensor<?x64x64x64xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %b = linalg.index 5 : index
    %i = arith.index_cast %b : index to i32
    %s = arith.sitofp %i : i32 to f32
    %v = arith.mulf %in, %by : f32
    %m = arith.mulf %v, %s : f32
    %a = arith.addf %out, %m : f32
    linalg.yield %a : f32
  } -> tensor<?x64x64x64xf32>
  return %y : tensor<?x64x64x64xf32>
}

// The copy of the weights has their type.
// CHECK-LABEL: func.func @bytes
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<32x224x109x24xbf16>, tensor<7x24x64xi8>)
func.func @bytes(%x: tensor<32x224x224x3xbf16>, %w: tensor<7x7x3x64xi8>, %o: tensor<32x109x109x64xf32>) -> tensor<32x109x109x64xf32> {
  %y = linalg.generic {indexing_maps = [#image, #weights, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<32x224x224x3xbf16>, tensor<7x7x3x64xi8>) outs(%o : tensor<32x109x109x64xf32>) {
  ^bb0(%in: bf16, %by: i8, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.sitofp %by : i8 to f32
    %m = arith.mulf %0, %1 : f32
    %a = arith.addf %out, %m : f32
    linalg.yield %a : f32
  } -> tensor<32x109x109x64xf32>
  return %y : tensor<32x109x109x64xf32>
}

// Few large windows next to each other are joined, too.
// CHECK-LABEL: func.func @patches
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<64x224x7x96xbf16>, tensor<32x96x768xbf16>)
func.func @patches(%x: tensor<64x3x224x224xbf16>, %w: tensor<768x3x32x32xbf16>, %o: tensor<64x768x7x7xbf16>) -> tensor<64x768x7x7xbf16> {
  %y = linalg.conv_2d_nchw_fchw {strides = dense<32> : tensor<2xi64>}
      ins(%x, %w : tensor<64x3x224x224xbf16>, tensor<768x3x32x32xbf16>)
      outs(%o : tensor<64x768x7x7xbf16>) -> tensor<64x768x7x7xbf16>
  return %y : tensor<64x768x7x7xbf16>
}

// The gradient of weights sums along a batch, which is no image of seven channels: with channels last, and first.
// CHECK-LABEL: func.func @gradient
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<7x114x114x128xbf16>, tensor<7x112x112x128xbf16>)
func.func @gradient(%x: tensor<7x114x114x128xbf16>, %g: tensor<7x112x112x128xbf16>, %o: tensor<3x3x128x128xbf16>) -> tensor<3x3x128x128xbf16> {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, f, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, f, n, i, j) -> (n, i, j, f)>, affine_map<(a, b, c, f, n, i, j) -> (a, b, c, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<7x114x114x128xbf16>, tensor<7x112x112x128xbf16>) outs(%o : tensor<3x3x128x128xbf16>) {
  ^bb0(%in: bf16, %by: bf16, %out: bf16):
    %m = arith.mulf %in, %by : bf16
    %a = arith.addf %out, %m : bf16
    linalg.yield %a : bf16
  } -> tensor<3x3x128x128xbf16>
  return %y : tensor<3x3x128x128xbf16>
}

// CHECK-LABEL: func.func @gradient_of_first
// CHECK-NOT: tensor.extract
func.func @gradient_of_first(%x: tensor<7x128x114x114xbf16>, %g: tensor<7x128x112x112xbf16>, %o: tensor<128x128x3x3xbf16>) -> tensor<128x128x3x3xbf16> {
  %y = linalg.generic {indexing_maps = [affine_map<(f, c, a, b, n, i, j) -> (n, c, a + i, b + j)>,
        affine_map<(f, c, a, b, n, i, j) -> (n, f, i, j)>, affine_map<(f, c, a, b, n, i, j) -> (f, c, a, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<7x128x114x114xbf16>, tensor<7x128x112x112xbf16>) outs(%o : tensor<128x128x3x3xbf16>) {
  ^bb0(%in: bf16, %by: bf16, %out: bf16):
    %m = arith.mulf %in, %by : bf16
    %a = arith.addf %out, %m : bf16
    linalg.yield %a : bf16
  } -> tensor<128x128x3x3xbf16>
  return %y : tensor<128x128x3x3xbf16>
}

// Of few channels, what is kept is joined: the gradient has the joined depth, whose end is left out.
// CHECK-LABEL: func.func @gradient_of_few
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0 + d4 * 2, d5, d1)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>]
// CHECK-SAME: ins(%{{.*}}, %arg1 : tensor<64x230x112x24xbf16>, tensor<64x112x112x64xbf16>)
// CHECK: %[[KEPT:.*]] = tensor.extract_slice %[[SUMS]][0, 0, 0] [7, 21, 64] [1, 1, 1]
// CHECK: tensor.expand_shape %[[KEPT]] {{\[}}[0], [1, 2], [3]] output_shape [7, 7, 3, 64]
func.func @gradient_of_few(%x: tensor<64x229x229x3xbf16>, %g: tensor<64x112x112x64xbf16>) -> tensor<7x7x3x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x7x3x64xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<7x7x3x64xf32>) -> tensor<7x7x3x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, f, n, i, j) -> (n, a + i * 2, b + j * 2, c)>,
        affine_map<(a, b, c, f, n, i, j) -> (n, i, j, f)>, affine_map<(a, b, c, f, n, i, j) -> (a, b, c, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<64x229x229x3xbf16>, tensor<64x112x112x64xbf16>) outs(%o : tensor<7x7x3x64xf32>) {
  ^bb0(%in: bf16, %by: bf16, %out: f32):
    %u = arith.extf %in : bf16 to f32
    %v = arith.extf %by : bf16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<7x7x3x64xf32>
  return %y : tensor<7x7x3x64xf32>
}
