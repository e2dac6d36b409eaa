// A factor whose rows are repeated: the result has a dimension that no factor has, and no library writes it.
// RUN: carousel-opt %s --carousel-normalize-graph --carousel-select-libraries --mlir-print-local-scope | FileCheck %s
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --libraries --chip sm_90a -- --arg arg0=random:32x64 --arg arg1=random:64x64 --arg result0=zeros:64x64 --rtol 1e-4 --atol 1e-4 | FileCheck %s --check-prefix=SAME
// CHECK-LABEL: func.func @main
// CHECK-NOT: carousel.library_matmul
// CHECK: return
// SAME: block phase: right
// SAME: sm_90a: right

#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<32x64xf32>, %arg1: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<32x2x64xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<32x64xf32>) outs(%0 : tensor<32x2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x2x64xf32>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<32x2x64xf32> into tensor<64x64xf32>
    %2 = tensor.empty() : tensor<64x64xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = linalg.matmul ins(%collapsed, %arg1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%3 : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }
}
