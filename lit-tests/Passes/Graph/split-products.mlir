// Products of few tiles that sum over much become batches of products, one for each part, and sums of them. Parts are as many
// as make 132 programs of 128 x 128, more than 16, and of equal length in multiples of 64.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

// 33 would be wanted of four tiles; 2048 steps divide by 32.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-split-products
// CHECK-LABEL: func.func @four_tiles
// CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [256, 32, 4096]
// CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0, 1], [2]] output_shape [32, 4096, 256]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} {{.*}} outs(%{{.+}} : tensor<32x256x256xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]} ins(%{{.+}} : tensor<32x256x256xf32>) outs(%{{.+}} : tensor<256x256xf32>)
func.func @four_tiles(%x: tensor<256x131072xbf16>, %w: tensor<131072x256xbf16>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.matmul ins(%x, %w : tensor<256x131072xbf16>, tensor<131072x256xbf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %p : tensor<256x256xf32>
}

// A batch has tiles of its own: four of one tile leave 33 parts; 66 * 64 divides by 33.
// CHECK-LABEL: func.func @batch
// CHECK: tensor<33x4x64x64xf32>
func.func @batch(%x: tensor<4x64x16896xf16>, %w: tensor<4x16896x64xf16>) -> tensor<4x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %p = linalg.batch_matmul ins(%x, %w : tensor<4x64x16896xf16>, tensor<4x16896x64xf16>) outs(%f : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  return %p : tensor<4x64x64xf32>
}

// Eight tiles need 16 parts, which the kernel adds. No parts of equal length: 4099 steps are a prime number. Too little to sum
// over. Extents that aren't known. Factors of f32. No matrices.
// CHECK-LABEL: func.func @eight_tiles
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @eight_tiles(%x: tensor<256x131072xbf16>, %w: tensor<131072x512xbf16>) -> tensor<256x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  %p = linalg.matmul ins(%x, %w : tensor<256x131072xbf16>, tensor<131072x512xbf16>) outs(%f : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %p : tensor<256x512xf32>
}

// CHECK-LABEL: func.func @prime
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @prime(%x: tensor<64x262336xbf16>, %w: tensor<262336x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x262336xbf16>, tensor<262336x64xbf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @short
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @short(%x: tensor<64x8192xbf16>, %w: tensor<8192x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x8192xbf16>, tensor<8192x64xbf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @unknown(%x: tensor<?x131072xbf16>, %w: tensor<131072x64xbf16>, %e: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x131072xbf16>, tensor<131072x64xbf16>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %p : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @wide
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @wide(%x: tensor<64x131072xf32>, %w: tensor<131072x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x131072xf32>, tensor<131072x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @vector
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @vector(%x: tensor<64x131072xbf16>, %w: tensor<131072xbf16>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %p = linalg.matvec ins(%x, %w : tensor<64x131072xbf16>, tensor<131072xbf16>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  return %p : tensor<64xf32>
}
