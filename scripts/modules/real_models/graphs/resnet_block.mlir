#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
module {
  func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<128x64x3x3xf32> {carousel.parameter}, %arg2: tensor<128xf32> {carousel.parameter}, %arg3: tensor<128xf32> {carousel.parameter}, %arg4: tensor<128x128x3x3xf32> {carousel.parameter}, %arg5: tensor<128xf32> {carousel.parameter}, %arg6: tensor<128xf32> {carousel.parameter}, %arg7: tensor<128x64x1x1xf32> {carousel.parameter}, %arg8: tensor<128xf32> {carousel.parameter}, %arg9: tensor<128xf32> {carousel.parameter}, %arg10: tensor<128xf32> {carousel.parameter}, %arg11: tensor<128xf32> {carousel.parameter}, %arg12: tensor<128xf32> {carousel.parameter}, %arg13: tensor<128xf32> {carousel.parameter}, %arg14: tensor<128xf32> {carousel.parameter}, %arg15: tensor<128xf32> {carousel.parameter}) -> tensor<8x128x28x28xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-05 : f64
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst : f32
    } : tensor<8x64x56x56xf32> to tensor<8x64x58x58xf32>
    %0 = tensor.empty() : tensor<8x128x28x28xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8x128x28x28xf32>) -> tensor<8x128x28x28xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg1 : tensor<8x64x58x58xf32>, tensor<128x64x3x3xf32>) outs(%1 : tensor<8x128x28x28xf32>) -> tensor<8x128x28x28xf32>
    %3 = tensor.empty() : tensor<128xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg11 : tensor<128xf32>) outs(%3 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.truncf %cst_0 : f64 to f32
      %28 = arith.addf %in, %27 : f32
      linalg.yield %28 : f32
    } -> tensor<128xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<128xf32>) outs(%3 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.rsqrt %in : f32
      linalg.yield %27 : f32
    } -> tensor<128xf32>
    %expanded = tensor.expand_shape %arg10 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %expanded_1 = tensor.expand_shape %5 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %expanded : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.subf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_1 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.mulf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %expanded_2 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_2 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.mulf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %expanded_3 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_3 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.addf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<8x128x28x28xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.cmpf ugt, %in, %cst : f32
      %28 = arith.select %27, %in, %cst : f32
      linalg.yield %28 : f32
    } -> tensor<8x128x28x28xf32>
    %padded_4 = tensor.pad %10 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst : f32
    } : tensor<8x128x28x28xf32> to tensor<8x128x30x30xf32>
    %11 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_4, %arg4 : tensor<8x128x30x30xf32>, tensor<128x128x3x3xf32>) outs(%1 : tensor<8x128x28x28xf32>) -> tensor<8x128x28x28xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg13 : tensor<128xf32>) outs(%3 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.truncf %cst_0 : f64 to f32
      %28 = arith.addf %in, %27 : f32
      linalg.yield %28 : f32
    } -> tensor<128xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%12 : tensor<128xf32>) outs(%3 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.rsqrt %in : f32
      linalg.yield %27 : f32
    } -> tensor<128xf32>
    %expanded_5 = tensor.expand_shape %arg12 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %expanded_6 = tensor.expand_shape %13 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %expanded_5 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.subf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_6 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.mulf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %expanded_7 = tensor.expand_shape %arg5 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %expanded_7 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.mulf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %expanded_8 = tensor.expand_shape %arg6 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_8 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.addf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %18 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%arg0, %arg7 : tensor<8x64x56x56xf32>, tensor<128x64x1x1xf32>) outs(%1 : tensor<8x128x28x28xf32>) -> tensor<8x128x28x28xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg15 : tensor<128xf32>) outs(%3 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.truncf %cst_0 : f64 to f32
      %28 = arith.addf %in, %27 : f32
      linalg.yield %28 : f32
    } -> tensor<128xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%19 : tensor<128xf32>) outs(%3 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.rsqrt %in : f32
      linalg.yield %27 : f32
    } -> tensor<128xf32>
    %expanded_9 = tensor.expand_shape %arg14 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %expanded_10 = tensor.expand_shape %20 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_9 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.subf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_10 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.mulf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %expanded_11 = tensor.expand_shape %arg8 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_11 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.mulf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %expanded_12 = tensor.expand_shape %arg9 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %expanded_12 : tensor<8x128x28x28xf32>, tensor<128x1x1xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.addf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %24 : tensor<8x128x28x28xf32>, tensor<8x128x28x28xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %27 = arith.addf %in, %in_13 : f32
      linalg.yield %27 : f32
    } -> tensor<8x128x28x28xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<8x128x28x28xf32>) outs(%0 : tensor<8x128x28x28xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.cmpf ugt, %in, %cst : f32
      %28 = arith.select %27, %in, %cst : f32
      linalg.yield %28 : f32
    } -> tensor<8x128x28x28xf32>
    return %26 : tensor<8x128x28x28xf32>
  }
}

