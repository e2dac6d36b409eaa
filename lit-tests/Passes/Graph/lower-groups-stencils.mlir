// A convolution whose channels have weights of their own is a loop along the kernel, on vectors of pixels and channels. So is a pool, whose pad is what is outside of the image. Its gradient is one along boxes of pixels, which programs divide.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --remarks-filter="carousel-(schedule|lower)-groups" 2>&1 | FileCheck %s --implicit-check-not='element by element'

// CHECK: Schedule {{.*}}Function=depthwise | Remark="column, 32 by the grid, 128 by the grid in vectors of 128, 3 by a loop, 3 by a loop, 56 by the grid in vectors of 4, 56 by the grid in vectors of 8"
// CHECK: Schedule {{.*}}Function=weights | Remark="column, 32 by a loop, divided into parts of 4 iterations or more, 128 by the grid in vectors of 128, 56 by a loop in vectors of 4, 56 by a loop in vectors of 8
// CHECK: Schedule {{.*}}Function=pool | Remark="column, 64 by the grid, 64 by the grid in vectors of 64, 3 by a loop, 3 by a loop, 56 by the grid in vectors of 8, 56 by the grid in vectors of 8"

// CHECK: gpu.func @depthwise
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [false, false, true]} : {{.*}}, vector<4x8x128xbf16>
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : {{.*}}, vector<128xbf16>
// CHECK: math.fma {{.*}} : vector<128x4x8xf32>
func.func @depthwise(%p0: tensor<32x56x56x128xbf16>, %p1: tensor<3x3x128xbf16>) -> tensor<32x56x56x128xf32> {
  %group = carousel.group "depthwise"(%p0, %p1) {
  ^bb0(%x: tensor<32x56x56x128xbf16>, %w: tensor<3x3x128xbf16>):
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0.0 : bf16
    %p = tensor.empty() : tensor<32x58x58x128xbf16>
    %z = linalg.fill ins(%none : bf16) outs(%p : tensor<32x58x58x128xbf16>) -> tensor<32x58x58x128xbf16>
    %i = tensor.insert_slice %x into %z[0, 1, 1, 0] [32, 56, 56, 128] [1, 1, 1, 1] : tensor<32x56x56x128xbf16> into tensor<32x58x58x128xbf16>
    %e = tensor.empty() : tensor<32x56x56x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x56x56x128xf32>) -> tensor<32x56x56x128xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(n, i, j, c, a, b) -> (n, i + a, j + b, c)>,
          affine_map<(n, i, j, c, a, b) -> (a, b, c)>, affine_map<(n, i, j, c, a, b) -> (n, i, j, c)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%i, %w : tensor<32x58x58x128xbf16>, tensor<3x3x128xbf16>) outs(%f : tensor<32x56x56x128xf32>) {
    ^bb0(%in: bf16, %weight: bf16, %out: f32):
      %l = arith.extf %in : bf16 to f32
      %r = arith.extf %weight : bf16 to f32
      %m = arith.mulf %l, %r : f32
      %s = arith.addf %out, %m : f32
      linalg.yield %s : f32
    } -> tensor<32x56x56x128xf32>
    carousel.yield %y : tensor<32x56x56x128xf32>
  } : (tensor<32x56x56x128xbf16>, tensor<3x3x128xbf16>) -> tensor<32x56x56x128xf32>
  return %group : tensor<32x56x56x128xf32>
}

// CHECK: gpu.func @weights
// CHECK: scf.for
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [false, false, true]} : {{.*}}, vector<4x8x128xbf16>
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true, true, true]} : {{.*}}, vector<4x8x128xbf16>
// CHECK: math.fma
// CHECK: carousel.pipeline
// CHECK: vector.multi_reduction <add>
func.func @weights(%p0: tensor<32x58x58x128xbf16>, %p1: tensor<32x56x56x128xbf16>) -> tensor<3x3x128xf32> {
  %group = carousel.group "weights"(%p0, %p1) {
  ^bb0(%x: tensor<32x58x58x128xbf16>, %g: tensor<32x56x56x128xbf16>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3x3x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3x128xf32>) -> tensor<3x3x128xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i, b + j, c)>,
          affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x, %g : tensor<32x58x58x128xbf16>, tensor<32x56x56x128xbf16>) outs(%f : tensor<3x3x128xf32>) {
    ^bb0(%in: bf16, %weight: bf16, %out: f32):
      %l = arith.extf %in : bf16 to f32
      %r = arith.extf %weight : bf16 to f32
      %m = arith.mulf %l, %r : f32
      %s = arith.addf %out, %m : f32
      linalg.yield %s : f32
    } -> tensor<3x3x128xf32>
    carousel.yield %y : tensor<3x3x128xf32>
  } : (tensor<32x58x58x128xbf16>, tensor<32x56x56x128xbf16>) -> tensor<3x3x128xf32>
  return %group : tensor<3x3x128xf32>
}

// CHECK: gpu.func @pool
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[LOW:.*]] = arith.constant 0xFF80 : bf16
// CHECK: vector.transfer_read %{{.*}}, %[[LOW]] {in_bounds = [false, true, false, true]} : {{.*}}, vector<8x1x8x64xbf16>
// CHECK: arith.maximumf {{.*}} : vector<64x8x8xbf16>
func.func @pool(%p0: tensor<64x112x112x64xbf16>) -> tensor<64x56x56x64xbf16> {
  %group = carousel.group "pool"(%p0) {
  ^bb0(%x: tensor<64x112x112x64xbf16>):
    %low = arith.constant 0xFF80 : bf16
    %p = tensor.empty() : tensor<64x114x114x64xbf16>
    %z = linalg.fill ins(%low : bf16) outs(%p : tensor<64x114x114x64xbf16>) -> tensor<64x114x114x64xbf16>
    %i = tensor.insert_slice %x into %z[0, 1, 1, 0] [64, 112, 112, 64] [1, 1, 1, 1] : tensor<64x112x112x64xbf16> into tensor<64x114x114x64xbf16>
    %e = tensor.empty() : tensor<64x56x56x64xbf16>
    %f = linalg.fill ins(%low : bf16) outs(%e : tensor<64x56x56x64xbf16>) -> tensor<64x56x56x64xbf16>
    %w = tensor.empty() : tensor<3x3xbf16>
    %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
        ins(%i, %w : tensor<64x114x114x64xbf16>, tensor<3x3xbf16>) outs(%f : tensor<64x56x56x64xbf16>) -> tensor<64x56x56x64xbf16>
    carousel.yield %y : tensor<64x56x56x64xbf16>
  } : (tensor<64x112x112x64xbf16>) -> tensor<64x56x56x64xbf16>
  return %group : tensor<64x56x56x64xbf16>
}
