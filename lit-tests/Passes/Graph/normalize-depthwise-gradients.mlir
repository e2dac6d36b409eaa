// Gradients of depthwise weights become a sum for each element of the kernel and each image, and an op that adds these.
// RUN: carousel-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter='carousel-normalize-graph' 2>&1 | FileCheck %s

// CHECK: remark: [Passed] SeparateTaps | Category:carousel-normalize-graph | Function=row | Remark="3 elements of a kernel are sums of one pass, which reads pixels once for all of them"
// CHECK: remark: [Passed] SeparateTaps | {{.*}}Function=strided
// CHECK-NOT: SeparateTaps

#image = affine_map<(a, c, n, i) -> (n, a + i, c)>
#factor = affine_map<(a, c, n, i) -> (n, i, c)>
#result = affine_map<(a, c, n, i) -> (a, c)>

// A pad of one pixel more keeps each index a window.
// CHECK-LABEL: func.func @row
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 2, 0] [64, 4096, 32] [1, 1, 1] : tensor<64x4096x32xf32> into tensor<64x4099x32xf32>
// CHECK: %[[FIRST:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + 1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[PADDED]],
// CHECK: -> tensor<64x32xf32>
// CHECK: %[[SECOND:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + 2, d2)>
// CHECK: %[[THIRD:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + 3, d2)>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[FIRST]], %[[SECOND]], %[[THIRD]] :
// CHECK: arith.select
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: -> tensor<3x32xf32>
func.func @row(%x: tensor<64x4096x32xf32>, %g: tensor<64x4096x32xf32>) -> tensor<3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<64x4096x32xf32> to tensor<64x4098x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  %y = linalg.generic {indexing_maps = [#image, #factor, #result],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %g : tensor<64x4098x32xf32>, tensor<64x4096x32xf32>) outs(%f : tensor<3x32xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// The stride of 2 divides 8226 pixels, and not one more: one more is two.
// CHECK-LABEL: func.func @strided
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 2, 0] [64, 8223, 32] [1, 1, 1] : tensor<64x8223x32xf32> into tensor<64x8228x32xf32>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 * 2 + 1, d2)>
func.func @strided(%x: tensor<64x8223x32xf32>, %g: tensor<64x4112x32xf32>) -> tensor<3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<64x8223x32xf32> to tensor<64x8225x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, c, n, i) -> (n, a + i * 2, c)>, #factor, #result],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %g : tensor<64x8225x32xf32>, tensor<64x4112x32xf32>) outs(%f : tensor<3x32xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// Few pixels, elements of 16 bits, too many elements of the kernel stay.
// CHECK-LABEL: func.func @few
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @halves
func.func @few(%x: tensor<2x66x32xf32>, %g: tensor<2x64x32xf32>) -> tensor<3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  %y = linalg.generic {indexing_maps = [#image, #factor, #result],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %g : tensor<2x66x32xf32>, tensor<2x64x32xf32>) outs(%f : tensor<3x32xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @long
func.func @halves(%x: tensor<64x4098x32xbf16>, %g: tensor<64x4096x32xbf16>) -> tensor<3x32xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<3x32xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<3x32xbf16>) -> tensor<3x32xbf16>
  %y = linalg.generic {indexing_maps = [#image, #factor, #result],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %g : tensor<64x4098x32xbf16>, tensor<64x4096x32xbf16>) outs(%f : tensor<3x32xbf16>) {
  ^bb0(%in: bf16, %by: bf16, %out: bf16):
    %m = arith.mulf %in, %by : bf16
    %s = arith.addf %out, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<3x32xbf16>
  return %y : tensor<3x32xbf16>
}

// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @long(%x: tensor<64x4122x32xf32>, %g: tensor<64x4096x32xf32>) -> tensor<27x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<27x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<27x32xf32>) -> tensor<27x32xf32>
  %y = linalg.generic {indexing_maps = [#image, #factor, #result],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %g : tensor<64x4122x32xf32>, tensor<64x4096x32xf32>) outs(%f : tensor<27x32xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<27x32xf32>
  return %y : tensor<27x32xf32>
}
