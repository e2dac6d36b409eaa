// Rows that are added where numbers say, times a weight each: reads whose indices follow each other in a vector stay
// gathers, as the block phase has no masked loads.
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a -- --arg arg0=random:24x32 --arg arg1=random:24 --arg arg2=iota:24:9 --arg result0=zeros:10x32 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<24x32xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24xi64>) -> tensor<10x32xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<10x32xf32>
    %expanded = tensor.expand_shape %arg1 [[0, 1]] output_shape [24, 1] : tensor<24xf32> into tensor<24x1xf32>
    %0 = tensor.empty() : tensor<24x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<24x32xf32>, tensor<24x1xf32>) outs(%0 : tensor<24x32xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %4 = arith.mulf %in, %in_3 : f32
      linalg.yield %4 : f32
    } -> tensor<24x32xf32>
    %expanded_1 = tensor.expand_shape %arg2 [[0, 1]] output_shape [24, 1] : tensor<24xi64> into tensor<24x1xi64>
    %expanded_2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [24, 1, 32] : tensor<24x32xf32> into tensor<24x1x32xf32>
    %2 = tensor.empty() : tensor<24xi32>
    %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<24xi32>) outs(%cst_0 : tensor<10x32xf32>) {
    ^bb0(%in: i32, %out: f32):
      %4 = linalg.index 2 : index
      %5 = linalg.index 0 : index
      %extracted = tensor.extract %expanded_1[%4, %c0] : tensor<24x1xi64>
      %6 = arith.index_cast %extracted : i64 to index
      %7 = arith.subi %5, %6 : index
      %8 = arith.cmpi ult, %7, %c1 : index
      %9 = linalg.index 1 : index
      %10 = scf.if %8 -> (f32) {
        %extracted_3 = tensor.extract %expanded_2[%4, %7, %9] : tensor<24x1x32xf32>
        scf.yield %extracted_3 : f32
      } else {
        scf.yield %cst : f32
      }
      %11 = arith.addf %out, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<10x32xf32>
    return %3 : tensor<10x32xf32>
  }
}
