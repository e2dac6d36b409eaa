#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<64x3x224x224xbf16>, %arg1: tensor<64x3x7x7xbf16> {carousel.parameter}, %arg2: tensor<64xbf16> {carousel.parameter}, %arg3: tensor<64xbf16> {carousel.parameter}, %arg4: tensor<64x64x1x1xbf16> {carousel.parameter}, %arg5: tensor<64xbf16> {carousel.parameter}, %arg6: tensor<64xbf16> {carousel.parameter}, %arg7: tensor<64x64x3x3xbf16> {carousel.parameter}, %arg8: tensor<64xbf16> {carousel.parameter}, %arg9: tensor<64xbf16> {carousel.parameter}, %arg10: tensor<256x64x1x1xbf16> {carousel.parameter}, %arg11: tensor<256xbf16> {carousel.parameter}, %arg12: tensor<256xbf16> {carousel.parameter}, %arg13: tensor<256x64x1x1xbf16> {carousel.parameter}, %arg14: tensor<256xbf16> {carousel.parameter}, %arg15: tensor<256xbf16> {carousel.parameter}, %arg16: tensor<128x256x1x1xbf16> {carousel.parameter}, %arg17: tensor<128xbf16> {carousel.parameter}, %arg18: tensor<128xbf16> {carousel.parameter}, %arg19: tensor<128x128x3x3xbf16> {carousel.parameter}, %arg20: tensor<128xbf16> {carousel.parameter}, %arg21: tensor<128xbf16> {carousel.parameter}, %arg22: tensor<512x128x1x1xbf16> {carousel.parameter}, %arg23: tensor<512xbf16> {carousel.parameter}, %arg24: tensor<512xbf16> {carousel.parameter}, %arg25: tensor<512x256x1x1xbf16> {carousel.parameter}, %arg26: tensor<512xbf16> {carousel.parameter}, %arg27: tensor<512xbf16> {carousel.parameter}, %arg28: tensor<256x512x1x1xbf16> {carousel.parameter}, %arg29: tensor<256xbf16> {carousel.parameter}, %arg30: tensor<256xbf16> {carousel.parameter}, %arg31: tensor<256x256x3x3xbf16> {carousel.parameter}, %arg32: tensor<256xbf16> {carousel.parameter}, %arg33: tensor<256xbf16> {carousel.parameter}, %arg34: tensor<1024x256x1x1xbf16> {carousel.parameter}, %arg35: tensor<1024xbf16> {carousel.parameter}, %arg36: tensor<1024xbf16> {carousel.parameter}, %arg37: tensor<1024x512x1x1xbf16> {carousel.parameter}, %arg38: tensor<1024xbf16> {carousel.parameter}, %arg39: tensor<1024xbf16> {carousel.parameter}, %arg40: tensor<512x1024x1x1xbf16> {carousel.parameter}, %arg41: tensor<512xbf16> {carousel.parameter}, %arg42: tensor<512xbf16> {carousel.parameter}, %arg43: tensor<512x512x3x3xbf16> {carousel.parameter}, %arg44: tensor<512xbf16> {carousel.parameter}, %arg45: tensor<512xbf16> {carousel.parameter}, %arg46: tensor<2048x512x1x1xbf16> {carousel.parameter}, %arg47: tensor<2048xbf16> {carousel.parameter}, %arg48: tensor<2048xbf16> {carousel.parameter}, %arg49: tensor<2048x1024x1x1xbf16> {carousel.parameter}, %arg50: tensor<2048xbf16> {carousel.parameter}, %arg51: tensor<2048xbf16> {carousel.parameter}, %arg52: tensor<1000x2048xbf16> {carousel.parameter}, %arg53: tensor<1000xbf16> {carousel.parameter}, %arg54: tensor<64xbf16> {carousel.parameter}, %arg55: tensor<64xbf16> {carousel.parameter}, %arg56: tensor<64xbf16> {carousel.parameter}, %arg57: tensor<64xbf16> {carousel.parameter}, %arg58: tensor<64xbf16> {carousel.parameter}, %arg59: tensor<64xbf16> {carousel.parameter}, %arg60: tensor<256xbf16> {carousel.parameter}, %arg61: tensor<256xbf16> {carousel.parameter}, %arg62: tensor<256xbf16> {carousel.parameter}, %arg63: tensor<256xbf16> {carousel.parameter}, %arg64: tensor<128xbf16> {carousel.parameter}, %arg65: tensor<128xbf16> {carousel.parameter}, %arg66: tensor<128xbf16> {carousel.parameter}, %arg67: tensor<128xbf16> {carousel.parameter}, %arg68: tensor<512xbf16> {carousel.parameter}, %arg69: tensor<512xbf16> {carousel.parameter}, %arg70: tensor<512xbf16> {carousel.parameter}, %arg71: tensor<512xbf16> {carousel.parameter}, %arg72: tensor<256xbf16> {carousel.parameter}, %arg73: tensor<256xbf16> {carousel.parameter}, %arg74: tensor<256xbf16> {carousel.parameter}, %arg75: tensor<256xbf16> {carousel.parameter}, %arg76: tensor<1024xbf16> {carousel.parameter}, %arg77: tensor<1024xbf16> {carousel.parameter}, %arg78: tensor<1024xbf16> {carousel.parameter}, %arg79: tensor<1024xbf16> {carousel.parameter}, %arg80: tensor<512xbf16> {carousel.parameter}, %arg81: tensor<512xbf16> {carousel.parameter}, %arg82: tensor<512xbf16> {carousel.parameter}, %arg83: tensor<512xbf16> {carousel.parameter}, %arg84: tensor<2048xbf16> {carousel.parameter}, %arg85: tensor<2048xbf16> {carousel.parameter}, %arg86: tensor<2048xbf16> {carousel.parameter}, %arg87: tensor<2048xbf16> {carousel.parameter}) -> tensor<64x1000xbf16> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF80 : bf16
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 4.900000e+01 : bf16
    %padded = tensor.pad %arg0 low[0, 0, 3, 3] high[0, 0, 3, 3] {
    ^bb0(%arg88: index, %arg89: index, %arg90: index, %arg91: index):
      tensor.yield %cst : bf16
    } : tensor<64x3x224x224xbf16> to tensor<64x3x230x230xbf16>
    %0 = tensor.empty() : tensor<64x64x112x112xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<64x64x112x112xf32>) -> tensor<64x64x112x112xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg1 : tensor<64x3x230x230xbf16>, tensor<64x3x7x7xbf16>) outs(%1 : tensor<64x64x112x112xf32>) -> tensor<64x64x112x112xf32>
    %3 = tensor.empty() : tensor<64x64x112x112xbf16>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<64x64x112x112xf32>) outs(%3 : tensor<64x64x112x112xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x64x112x112xbf16>
    %5 = tensor.empty() : tensor<64xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg54 : tensor<64xbf16>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg55 : tensor<64xbf16>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%7 : tensor<64xf32>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%8 : tensor<64xf32>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %expanded = tensor.expand_shape %6 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %expanded_4 = tensor.expand_shape %9 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %expanded : tensor<64x64x112x112xbf16>, tensor<64x1x1xf32>) outs(%0 : tensor<64x64x112x112xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x112x112xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %expanded_4 : tensor<64x64x112x112xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<64x64x112x112xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x64x112x112xf32>
    %expanded_5 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xbf16> into tensor<64x1x1xbf16>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %expanded_5 : tensor<64x64x112x112xf32>, tensor<64x1x1xbf16>) outs(%0 : tensor<64x64x112x112xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x112x112xf32>
    %expanded_6 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xbf16> into tensor<64x1x1xbf16>
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %expanded_6 : tensor<64x64x112x112xf32>, tensor<64x1x1xbf16>) outs(%0 : tensor<64x64x112x112xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x112x112xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<64x64x112x112xf32>) outs(%3 : tensor<64x64x112x112xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x64x112x112xbf16>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<64x64x112x112xbf16>) outs(%3 : tensor<64x64x112x112xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x64x112x112xbf16>
    %padded_7 = tensor.pad %15 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg88: index, %arg89: index, %arg90: index, %arg91: index):
      tensor.yield %cst_1 : bf16
    } : tensor<64x64x112x112xbf16> to tensor<64x64x114x114xbf16>
    %16 = tensor.empty() : tensor<64x64x56x56xbf16>
    %17 = linalg.fill ins(%cst_1 : bf16) outs(%16 : tensor<64x64x56x56xbf16>) -> tensor<64x64x56x56xbf16>
    %18 = tensor.empty() : tensor<3x3xbf16>
    %19 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_7, %18 : tensor<64x64x114x114xbf16>, tensor<3x3xbf16>) outs(%17 : tensor<64x64x56x56xbf16>) -> tensor<64x64x56x56xbf16>
    %20 = tensor.empty() : tensor<64x64x56x56xf32>
    %21 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<64x64x56x56xf32>) -> tensor<64x64x56x56xf32>
    %22 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%19, %arg4 : tensor<64x64x56x56xbf16>, tensor<64x64x1x1xbf16>) outs(%21 : tensor<64x64x56x56xf32>) -> tensor<64x64x56x56xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<64x64x56x56xf32>) outs(%16 : tensor<64x64x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x64x56x56xbf16>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg56 : tensor<64xbf16>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg57 : tensor<64xbf16>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%25 : tensor<64xf32>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%26 : tensor<64xf32>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %expanded_8 = tensor.expand_shape %24 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %expanded_9 = tensor.expand_shape %27 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %expanded_8 : tensor<64x64x56x56xbf16>, tensor<64x1x1xf32>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x56x56xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %expanded_9 : tensor<64x64x56x56xf32>, tensor<64x1x1xf32>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x64x56x56xf32>
    %expanded_10 = tensor.expand_shape %arg5 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xbf16> into tensor<64x1x1xbf16>
    %30 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %expanded_10 : tensor<64x64x56x56xf32>, tensor<64x1x1xbf16>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x56x56xf32>
    %expanded_11 = tensor.expand_shape %arg6 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xbf16> into tensor<64x1x1xbf16>
    %31 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %expanded_11 : tensor<64x64x56x56xf32>, tensor<64x1x1xbf16>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x56x56xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<64x64x56x56xf32>) outs(%16 : tensor<64x64x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x64x56x56xbf16>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<64x64x56x56xbf16>) outs(%16 : tensor<64x64x56x56xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x64x56x56xbf16>
    %padded_12 = tensor.pad %33 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg88: index, %arg89: index, %arg90: index, %arg91: index):
      tensor.yield %cst : bf16
    } : tensor<64x64x56x56xbf16> to tensor<64x64x58x58xbf16>
    %34 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_12, %arg7 : tensor<64x64x58x58xbf16>, tensor<64x64x3x3xbf16>) outs(%21 : tensor<64x64x56x56xf32>) -> tensor<64x64x56x56xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<64x64x56x56xf32>) outs(%16 : tensor<64x64x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x64x56x56xbf16>
    %36 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg58 : tensor<64xbf16>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg59 : tensor<64xbf16>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%37 : tensor<64xf32>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%38 : tensor<64xf32>) outs(%5 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<64xf32>
    %expanded_13 = tensor.expand_shape %36 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %expanded_14 = tensor.expand_shape %39 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35, %expanded_13 : tensor<64x64x56x56xbf16>, tensor<64x1x1xf32>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x56x56xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %expanded_14 : tensor<64x64x56x56xf32>, tensor<64x1x1xf32>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x64x56x56xf32>
    %expanded_15 = tensor.expand_shape %arg8 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xbf16> into tensor<64x1x1xbf16>
    %42 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41, %expanded_15 : tensor<64x64x56x56xf32>, tensor<64x1x1xbf16>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x56x56xf32>
    %expanded_16 = tensor.expand_shape %arg9 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xbf16> into tensor<64x1x1xbf16>
    %43 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %expanded_16 : tensor<64x64x56x56xf32>, tensor<64x1x1xbf16>) outs(%20 : tensor<64x64x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x64x56x56xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43 : tensor<64x64x56x56xf32>) outs(%16 : tensor<64x64x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x64x56x56xbf16>
    %45 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<64x64x56x56xbf16>) outs(%16 : tensor<64x64x56x56xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x64x56x56xbf16>
    %46 = tensor.empty() : tensor<64x256x56x56xf32>
    %47 = linalg.fill ins(%cst_0 : f32) outs(%46 : tensor<64x256x56x56xf32>) -> tensor<64x256x56x56xf32>
    %48 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%45, %arg10 : tensor<64x64x56x56xbf16>, tensor<256x64x1x1xbf16>) outs(%47 : tensor<64x256x56x56xf32>) -> tensor<64x256x56x56xf32>
    %49 = tensor.empty() : tensor<64x256x56x56xbf16>
    %50 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<64x256x56x56xf32>) outs(%49 : tensor<64x256x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x56x56xbf16>
    %51 = tensor.empty() : tensor<256xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg60 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg61 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%53 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<256xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%54 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %expanded_17 = tensor.expand_shape %52 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %expanded_18 = tensor.expand_shape %55 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %56 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50, %expanded_17 : tensor<64x256x56x56xbf16>, tensor<256x1x1xf32>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x56x56xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %expanded_18 : tensor<64x256x56x56xf32>, tensor<256x1x1xf32>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x256x56x56xf32>
    %expanded_19 = tensor.expand_shape %arg11 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %58 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57, %expanded_19 : tensor<64x256x56x56xf32>, tensor<256x1x1xbf16>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x56x56xf32>
    %expanded_20 = tensor.expand_shape %arg12 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %59 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %expanded_20 : tensor<64x256x56x56xf32>, tensor<256x1x1xbf16>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x56x56xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59 : tensor<64x256x56x56xf32>) outs(%49 : tensor<64x256x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x56x56xbf16>
    %61 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%19, %arg13 : tensor<64x64x56x56xbf16>, tensor<256x64x1x1xbf16>) outs(%47 : tensor<64x256x56x56xf32>) -> tensor<64x256x56x56xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61 : tensor<64x256x56x56xf32>) outs(%49 : tensor<64x256x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x56x56xbf16>
    %63 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg62 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg63 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%64 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<256xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%65 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %expanded_21 = tensor.expand_shape %63 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %expanded_22 = tensor.expand_shape %66 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %expanded_21 : tensor<64x256x56x56xbf16>, tensor<256x1x1xf32>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x56x56xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67, %expanded_22 : tensor<64x256x56x56xf32>, tensor<256x1x1xf32>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x256x56x56xf32>
    %expanded_23 = tensor.expand_shape %arg14 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %69 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %expanded_23 : tensor<64x256x56x56xf32>, tensor<256x1x1xbf16>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x56x56xf32>
    %expanded_24 = tensor.expand_shape %arg15 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %70 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %expanded_24 : tensor<64x256x56x56xf32>, tensor<256x1x1xbf16>) outs(%46 : tensor<64x256x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x56x56xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70 : tensor<64x256x56x56xf32>) outs(%49 : tensor<64x256x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x56x56xbf16>
    %72 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60, %71 : tensor<64x256x56x56xbf16>, tensor<64x256x56x56xbf16>) outs(%49 : tensor<64x256x56x56xbf16>) {
    ^bb0(%in: bf16, %in_76: bf16, %out: bf16):
      %267 = arith.addf %in, %in_76 : bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x56x56xbf16>
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72 : tensor<64x256x56x56xbf16>) outs(%49 : tensor<64x256x56x56xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x256x56x56xbf16>
    %74 = tensor.empty() : tensor<64x128x56x56xf32>
    %75 = linalg.fill ins(%cst_0 : f32) outs(%74 : tensor<64x128x56x56xf32>) -> tensor<64x128x56x56xf32>
    %76 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%73, %arg16 : tensor<64x256x56x56xbf16>, tensor<128x256x1x1xbf16>) outs(%75 : tensor<64x128x56x56xf32>) -> tensor<64x128x56x56xf32>
    %77 = tensor.empty() : tensor<64x128x56x56xbf16>
    %78 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<64x128x56x56xf32>) outs(%77 : tensor<64x128x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x128x56x56xbf16>
    %79 = tensor.empty() : tensor<128xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg64 : tensor<128xbf16>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<128xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg65 : tensor<128xbf16>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<128xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%81 : tensor<128xf32>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<128xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%82 : tensor<128xf32>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<128xf32>
    %expanded_25 = tensor.expand_shape %80 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %expanded_26 = tensor.expand_shape %83 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %84 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78, %expanded_25 : tensor<64x128x56x56xbf16>, tensor<128x1x1xf32>) outs(%74 : tensor<64x128x56x56xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x128x56x56xf32>
    %85 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84, %expanded_26 : tensor<64x128x56x56xf32>, tensor<128x1x1xf32>) outs(%74 : tensor<64x128x56x56xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x128x56x56xf32>
    %expanded_27 = tensor.expand_shape %arg17 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xbf16> into tensor<128x1x1xbf16>
    %86 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85, %expanded_27 : tensor<64x128x56x56xf32>, tensor<128x1x1xbf16>) outs(%74 : tensor<64x128x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x128x56x56xf32>
    %expanded_28 = tensor.expand_shape %arg18 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xbf16> into tensor<128x1x1xbf16>
    %87 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86, %expanded_28 : tensor<64x128x56x56xf32>, tensor<128x1x1xbf16>) outs(%74 : tensor<64x128x56x56xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x128x56x56xf32>
    %88 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%87 : tensor<64x128x56x56xf32>) outs(%77 : tensor<64x128x56x56xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x128x56x56xbf16>
    %89 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%88 : tensor<64x128x56x56xbf16>) outs(%77 : tensor<64x128x56x56xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x128x56x56xbf16>
    %padded_29 = tensor.pad %89 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg88: index, %arg89: index, %arg90: index, %arg91: index):
      tensor.yield %cst : bf16
    } : tensor<64x128x56x56xbf16> to tensor<64x128x58x58xbf16>
    %90 = tensor.empty() : tensor<64x128x28x28xf32>
    %91 = linalg.fill ins(%cst_0 : f32) outs(%90 : tensor<64x128x28x28xf32>) -> tensor<64x128x28x28xf32>
    %92 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_29, %arg19 : tensor<64x128x58x58xbf16>, tensor<128x128x3x3xbf16>) outs(%91 : tensor<64x128x28x28xf32>) -> tensor<64x128x28x28xf32>
    %93 = tensor.empty() : tensor<64x128x28x28xbf16>
    %94 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%92 : tensor<64x128x28x28xf32>) outs(%93 : tensor<64x128x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x128x28x28xbf16>
    %95 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg66 : tensor<128xbf16>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<128xf32>
    %96 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg67 : tensor<128xbf16>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<128xf32>
    %97 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%96 : tensor<128xf32>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<128xf32>
    %98 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%97 : tensor<128xf32>) outs(%79 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<128xf32>
    %expanded_30 = tensor.expand_shape %95 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %expanded_31 = tensor.expand_shape %98 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xf32> into tensor<128x1x1xf32>
    %99 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%94, %expanded_30 : tensor<64x128x28x28xbf16>, tensor<128x1x1xf32>) outs(%90 : tensor<64x128x28x28xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x128x28x28xf32>
    %100 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%99, %expanded_31 : tensor<64x128x28x28xf32>, tensor<128x1x1xf32>) outs(%90 : tensor<64x128x28x28xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x128x28x28xf32>
    %expanded_32 = tensor.expand_shape %arg20 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xbf16> into tensor<128x1x1xbf16>
    %101 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%100, %expanded_32 : tensor<64x128x28x28xf32>, tensor<128x1x1xbf16>) outs(%90 : tensor<64x128x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x128x28x28xf32>
    %expanded_33 = tensor.expand_shape %arg21 [[0, 1, 2]] output_shape [128, 1, 1] : tensor<128xbf16> into tensor<128x1x1xbf16>
    %102 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%101, %expanded_33 : tensor<64x128x28x28xf32>, tensor<128x1x1xbf16>) outs(%90 : tensor<64x128x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x128x28x28xf32>
    %103 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%102 : tensor<64x128x28x28xf32>) outs(%93 : tensor<64x128x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x128x28x28xbf16>
    %104 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%103 : tensor<64x128x28x28xbf16>) outs(%93 : tensor<64x128x28x28xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x128x28x28xbf16>
    %105 = tensor.empty() : tensor<64x512x28x28xf32>
    %106 = linalg.fill ins(%cst_0 : f32) outs(%105 : tensor<64x512x28x28xf32>) -> tensor<64x512x28x28xf32>
    %107 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%104, %arg22 : tensor<64x128x28x28xbf16>, tensor<512x128x1x1xbf16>) outs(%106 : tensor<64x512x28x28xf32>) -> tensor<64x512x28x28xf32>
    %108 = tensor.empty() : tensor<64x512x28x28xbf16>
    %109 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%107 : tensor<64x512x28x28xf32>) outs(%108 : tensor<64x512x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x28x28xbf16>
    %110 = tensor.empty() : tensor<512xf32>
    %111 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg68 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %112 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg69 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%112 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<512xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%113 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %expanded_34 = tensor.expand_shape %111 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %expanded_35 = tensor.expand_shape %114 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %115 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%109, %expanded_34 : tensor<64x512x28x28xbf16>, tensor<512x1x1xf32>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x28x28xf32>
    %116 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%115, %expanded_35 : tensor<64x512x28x28xf32>, tensor<512x1x1xf32>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x512x28x28xf32>
    %expanded_36 = tensor.expand_shape %arg23 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %117 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%116, %expanded_36 : tensor<64x512x28x28xf32>, tensor<512x1x1xbf16>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x28x28xf32>
    %expanded_37 = tensor.expand_shape %arg24 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %118 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%117, %expanded_37 : tensor<64x512x28x28xf32>, tensor<512x1x1xbf16>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x28x28xf32>
    %119 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%118 : tensor<64x512x28x28xf32>) outs(%108 : tensor<64x512x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x28x28xbf16>
    %120 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%73, %arg25 : tensor<64x256x56x56xbf16>, tensor<512x256x1x1xbf16>) outs(%106 : tensor<64x512x28x28xf32>) -> tensor<64x512x28x28xf32>
    %121 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%120 : tensor<64x512x28x28xf32>) outs(%108 : tensor<64x512x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x28x28xbf16>
    %122 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg70 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %123 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg71 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %124 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%123 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<512xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%124 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %expanded_38 = tensor.expand_shape %122 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %expanded_39 = tensor.expand_shape %125 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %126 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%121, %expanded_38 : tensor<64x512x28x28xbf16>, tensor<512x1x1xf32>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x28x28xf32>
    %127 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%126, %expanded_39 : tensor<64x512x28x28xf32>, tensor<512x1x1xf32>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x512x28x28xf32>
    %expanded_40 = tensor.expand_shape %arg26 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %128 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%127, %expanded_40 : tensor<64x512x28x28xf32>, tensor<512x1x1xbf16>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x28x28xf32>
    %expanded_41 = tensor.expand_shape %arg27 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %129 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%128, %expanded_41 : tensor<64x512x28x28xf32>, tensor<512x1x1xbf16>) outs(%105 : tensor<64x512x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x28x28xf32>
    %130 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%129 : tensor<64x512x28x28xf32>) outs(%108 : tensor<64x512x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x28x28xbf16>
    %131 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%119, %130 : tensor<64x512x28x28xbf16>, tensor<64x512x28x28xbf16>) outs(%108 : tensor<64x512x28x28xbf16>) {
    ^bb0(%in: bf16, %in_76: bf16, %out: bf16):
      %267 = arith.addf %in, %in_76 : bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x28x28xbf16>
    %132 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%131 : tensor<64x512x28x28xbf16>) outs(%108 : tensor<64x512x28x28xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x512x28x28xbf16>
    %133 = tensor.empty() : tensor<64x256x28x28xf32>
    %134 = linalg.fill ins(%cst_0 : f32) outs(%133 : tensor<64x256x28x28xf32>) -> tensor<64x256x28x28xf32>
    %135 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%132, %arg28 : tensor<64x512x28x28xbf16>, tensor<256x512x1x1xbf16>) outs(%134 : tensor<64x256x28x28xf32>) -> tensor<64x256x28x28xf32>
    %136 = tensor.empty() : tensor<64x256x28x28xbf16>
    %137 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%135 : tensor<64x256x28x28xf32>) outs(%136 : tensor<64x256x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x28x28xbf16>
    %138 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg72 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %139 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg73 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %140 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%139 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<256xf32>
    %141 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%140 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %expanded_42 = tensor.expand_shape %138 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %expanded_43 = tensor.expand_shape %141 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %142 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%137, %expanded_42 : tensor<64x256x28x28xbf16>, tensor<256x1x1xf32>) outs(%133 : tensor<64x256x28x28xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x28x28xf32>
    %143 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%142, %expanded_43 : tensor<64x256x28x28xf32>, tensor<256x1x1xf32>) outs(%133 : tensor<64x256x28x28xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x256x28x28xf32>
    %expanded_44 = tensor.expand_shape %arg29 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %144 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%143, %expanded_44 : tensor<64x256x28x28xf32>, tensor<256x1x1xbf16>) outs(%133 : tensor<64x256x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x28x28xf32>
    %expanded_45 = tensor.expand_shape %arg30 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %145 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%144, %expanded_45 : tensor<64x256x28x28xf32>, tensor<256x1x1xbf16>) outs(%133 : tensor<64x256x28x28xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x28x28xf32>
    %146 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%145 : tensor<64x256x28x28xf32>) outs(%136 : tensor<64x256x28x28xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x28x28xbf16>
    %147 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%146 : tensor<64x256x28x28xbf16>) outs(%136 : tensor<64x256x28x28xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x256x28x28xbf16>
    %padded_46 = tensor.pad %147 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg88: index, %arg89: index, %arg90: index, %arg91: index):
      tensor.yield %cst : bf16
    } : tensor<64x256x28x28xbf16> to tensor<64x256x30x30xbf16>
    %148 = tensor.empty() : tensor<64x256x14x14xf32>
    %149 = linalg.fill ins(%cst_0 : f32) outs(%148 : tensor<64x256x14x14xf32>) -> tensor<64x256x14x14xf32>
    %150 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_46, %arg31 : tensor<64x256x30x30xbf16>, tensor<256x256x3x3xbf16>) outs(%149 : tensor<64x256x14x14xf32>) -> tensor<64x256x14x14xf32>
    %151 = tensor.empty() : tensor<64x256x14x14xbf16>
    %152 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%150 : tensor<64x256x14x14xf32>) outs(%151 : tensor<64x256x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x14x14xbf16>
    %153 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg74 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %154 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg75 : tensor<256xbf16>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %155 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%154 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<256xf32>
    %156 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%155 : tensor<256xf32>) outs(%51 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<256xf32>
    %expanded_47 = tensor.expand_shape %153 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %expanded_48 = tensor.expand_shape %156 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %157 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%152, %expanded_47 : tensor<64x256x14x14xbf16>, tensor<256x1x1xf32>) outs(%148 : tensor<64x256x14x14xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x14x14xf32>
    %158 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%157, %expanded_48 : tensor<64x256x14x14xf32>, tensor<256x1x1xf32>) outs(%148 : tensor<64x256x14x14xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x256x14x14xf32>
    %expanded_49 = tensor.expand_shape %arg32 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %159 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%158, %expanded_49 : tensor<64x256x14x14xf32>, tensor<256x1x1xbf16>) outs(%148 : tensor<64x256x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x14x14xf32>
    %expanded_50 = tensor.expand_shape %arg33 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xbf16> into tensor<256x1x1xbf16>
    %160 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%159, %expanded_50 : tensor<64x256x14x14xf32>, tensor<256x1x1xbf16>) outs(%148 : tensor<64x256x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x256x14x14xf32>
    %161 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%160 : tensor<64x256x14x14xf32>) outs(%151 : tensor<64x256x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x256x14x14xbf16>
    %162 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%161 : tensor<64x256x14x14xbf16>) outs(%151 : tensor<64x256x14x14xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x256x14x14xbf16>
    %163 = tensor.empty() : tensor<64x1024x14x14xf32>
    %164 = linalg.fill ins(%cst_0 : f32) outs(%163 : tensor<64x1024x14x14xf32>) -> tensor<64x1024x14x14xf32>
    %165 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%162, %arg34 : tensor<64x256x14x14xbf16>, tensor<1024x256x1x1xbf16>) outs(%164 : tensor<64x1024x14x14xf32>) -> tensor<64x1024x14x14xf32>
    %166 = tensor.empty() : tensor<64x1024x14x14xbf16>
    %167 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%165 : tensor<64x1024x14x14xf32>) outs(%166 : tensor<64x1024x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x1024x14x14xbf16>
    %168 = tensor.empty() : tensor<1024xf32>
    %169 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg76 : tensor<1024xbf16>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<1024xf32>
    %170 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg77 : tensor<1024xbf16>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<1024xf32>
    %171 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%170 : tensor<1024xf32>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<1024xf32>
    %172 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%171 : tensor<1024xf32>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<1024xf32>
    %expanded_51 = tensor.expand_shape %169 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xf32> into tensor<1024x1x1xf32>
    %expanded_52 = tensor.expand_shape %172 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xf32> into tensor<1024x1x1xf32>
    %173 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%167, %expanded_51 : tensor<64x1024x14x14xbf16>, tensor<1024x1x1xf32>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x1024x14x14xf32>
    %174 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%173, %expanded_52 : tensor<64x1024x14x14xf32>, tensor<1024x1x1xf32>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x1024x14x14xf32>
    %expanded_53 = tensor.expand_shape %arg35 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xbf16> into tensor<1024x1x1xbf16>
    %175 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%174, %expanded_53 : tensor<64x1024x14x14xf32>, tensor<1024x1x1xbf16>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x1024x14x14xf32>
    %expanded_54 = tensor.expand_shape %arg36 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xbf16> into tensor<1024x1x1xbf16>
    %176 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%175, %expanded_54 : tensor<64x1024x14x14xf32>, tensor<1024x1x1xbf16>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x1024x14x14xf32>
    %177 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%176 : tensor<64x1024x14x14xf32>) outs(%166 : tensor<64x1024x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x1024x14x14xbf16>
    %178 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%132, %arg37 : tensor<64x512x28x28xbf16>, tensor<1024x512x1x1xbf16>) outs(%164 : tensor<64x1024x14x14xf32>) -> tensor<64x1024x14x14xf32>
    %179 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%178 : tensor<64x1024x14x14xf32>) outs(%166 : tensor<64x1024x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x1024x14x14xbf16>
    %180 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg78 : tensor<1024xbf16>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<1024xf32>
    %181 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg79 : tensor<1024xbf16>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<1024xf32>
    %182 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%181 : tensor<1024xf32>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<1024xf32>
    %183 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%182 : tensor<1024xf32>) outs(%168 : tensor<1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<1024xf32>
    %expanded_55 = tensor.expand_shape %180 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xf32> into tensor<1024x1x1xf32>
    %expanded_56 = tensor.expand_shape %183 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xf32> into tensor<1024x1x1xf32>
    %184 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%179, %expanded_55 : tensor<64x1024x14x14xbf16>, tensor<1024x1x1xf32>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x1024x14x14xf32>
    %185 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%184, %expanded_56 : tensor<64x1024x14x14xf32>, tensor<1024x1x1xf32>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x1024x14x14xf32>
    %expanded_57 = tensor.expand_shape %arg38 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xbf16> into tensor<1024x1x1xbf16>
    %186 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%185, %expanded_57 : tensor<64x1024x14x14xf32>, tensor<1024x1x1xbf16>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x1024x14x14xf32>
    %expanded_58 = tensor.expand_shape %arg39 [[0, 1, 2]] output_shape [1024, 1, 1] : tensor<1024xbf16> into tensor<1024x1x1xbf16>
    %187 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%186, %expanded_58 : tensor<64x1024x14x14xf32>, tensor<1024x1x1xbf16>) outs(%163 : tensor<64x1024x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x1024x14x14xf32>
    %188 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%187 : tensor<64x1024x14x14xf32>) outs(%166 : tensor<64x1024x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x1024x14x14xbf16>
    %189 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%177, %188 : tensor<64x1024x14x14xbf16>, tensor<64x1024x14x14xbf16>) outs(%166 : tensor<64x1024x14x14xbf16>) {
    ^bb0(%in: bf16, %in_76: bf16, %out: bf16):
      %267 = arith.addf %in, %in_76 : bf16
      linalg.yield %267 : bf16
    } -> tensor<64x1024x14x14xbf16>
    %190 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%189 : tensor<64x1024x14x14xbf16>) outs(%166 : tensor<64x1024x14x14xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x1024x14x14xbf16>
    %191 = tensor.empty() : tensor<64x512x14x14xf32>
    %192 = linalg.fill ins(%cst_0 : f32) outs(%191 : tensor<64x512x14x14xf32>) -> tensor<64x512x14x14xf32>
    %193 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%190, %arg40 : tensor<64x1024x14x14xbf16>, tensor<512x1024x1x1xbf16>) outs(%192 : tensor<64x512x14x14xf32>) -> tensor<64x512x14x14xf32>
    %194 = tensor.empty() : tensor<64x512x14x14xbf16>
    %195 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%193 : tensor<64x512x14x14xf32>) outs(%194 : tensor<64x512x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x14x14xbf16>
    %196 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg80 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %197 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg81 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %198 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%197 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<512xf32>
    %199 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%198 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %expanded_59 = tensor.expand_shape %196 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %expanded_60 = tensor.expand_shape %199 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %200 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%195, %expanded_59 : tensor<64x512x14x14xbf16>, tensor<512x1x1xf32>) outs(%191 : tensor<64x512x14x14xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x14x14xf32>
    %201 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%200, %expanded_60 : tensor<64x512x14x14xf32>, tensor<512x1x1xf32>) outs(%191 : tensor<64x512x14x14xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x512x14x14xf32>
    %expanded_61 = tensor.expand_shape %arg41 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %202 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%201, %expanded_61 : tensor<64x512x14x14xf32>, tensor<512x1x1xbf16>) outs(%191 : tensor<64x512x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x14x14xf32>
    %expanded_62 = tensor.expand_shape %arg42 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %203 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%202, %expanded_62 : tensor<64x512x14x14xf32>, tensor<512x1x1xbf16>) outs(%191 : tensor<64x512x14x14xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x14x14xf32>
    %204 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%203 : tensor<64x512x14x14xf32>) outs(%194 : tensor<64x512x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x14x14xbf16>
    %205 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%204 : tensor<64x512x14x14xbf16>) outs(%194 : tensor<64x512x14x14xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x512x14x14xbf16>
    %padded_63 = tensor.pad %205 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg88: index, %arg89: index, %arg90: index, %arg91: index):
      tensor.yield %cst : bf16
    } : tensor<64x512x14x14xbf16> to tensor<64x512x16x16xbf16>
    %206 = tensor.empty() : tensor<64x512x7x7xf32>
    %207 = linalg.fill ins(%cst_0 : f32) outs(%206 : tensor<64x512x7x7xf32>) -> tensor<64x512x7x7xf32>
    %208 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_63, %arg43 : tensor<64x512x16x16xbf16>, tensor<512x512x3x3xbf16>) outs(%207 : tensor<64x512x7x7xf32>) -> tensor<64x512x7x7xf32>
    %209 = tensor.empty() : tensor<64x512x7x7xbf16>
    %210 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%208 : tensor<64x512x7x7xf32>) outs(%209 : tensor<64x512x7x7xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x7x7xbf16>
    %211 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg82 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %212 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg83 : tensor<512xbf16>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %213 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%212 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<512xf32>
    %214 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%213 : tensor<512xf32>) outs(%110 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<512xf32>
    %expanded_64 = tensor.expand_shape %211 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %expanded_65 = tensor.expand_shape %214 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xf32> into tensor<512x1x1xf32>
    %215 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%210, %expanded_64 : tensor<64x512x7x7xbf16>, tensor<512x1x1xf32>) outs(%206 : tensor<64x512x7x7xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x7x7xf32>
    %216 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%215, %expanded_65 : tensor<64x512x7x7xf32>, tensor<512x1x1xf32>) outs(%206 : tensor<64x512x7x7xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x512x7x7xf32>
    %expanded_66 = tensor.expand_shape %arg44 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %217 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%216, %expanded_66 : tensor<64x512x7x7xf32>, tensor<512x1x1xbf16>) outs(%206 : tensor<64x512x7x7xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x7x7xf32>
    %expanded_67 = tensor.expand_shape %arg45 [[0, 1, 2]] output_shape [512, 1, 1] : tensor<512xbf16> into tensor<512x1x1xbf16>
    %218 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%217, %expanded_67 : tensor<64x512x7x7xf32>, tensor<512x1x1xbf16>) outs(%206 : tensor<64x512x7x7xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x512x7x7xf32>
    %219 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%218 : tensor<64x512x7x7xf32>) outs(%209 : tensor<64x512x7x7xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x512x7x7xbf16>
    %220 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%219 : tensor<64x512x7x7xbf16>) outs(%209 : tensor<64x512x7x7xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x512x7x7xbf16>
    %221 = tensor.empty() : tensor<64x2048x7x7xf32>
    %222 = linalg.fill ins(%cst_0 : f32) outs(%221 : tensor<64x2048x7x7xf32>) -> tensor<64x2048x7x7xf32>
    %223 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%220, %arg46 : tensor<64x512x7x7xbf16>, tensor<2048x512x1x1xbf16>) outs(%222 : tensor<64x2048x7x7xf32>) -> tensor<64x2048x7x7xf32>
    %224 = tensor.empty() : tensor<64x2048x7x7xbf16>
    %225 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%223 : tensor<64x2048x7x7xf32>) outs(%224 : tensor<64x2048x7x7xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x2048x7x7xbf16>
    %226 = tensor.empty() : tensor<2048xf32>
    %227 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg84 : tensor<2048xbf16>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<2048xf32>
    %228 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg85 : tensor<2048xbf16>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<2048xf32>
    %229 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%228 : tensor<2048xf32>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<2048xf32>
    %230 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%229 : tensor<2048xf32>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<2048xf32>
    %expanded_68 = tensor.expand_shape %227 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xf32> into tensor<2048x1x1xf32>
    %expanded_69 = tensor.expand_shape %230 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xf32> into tensor<2048x1x1xf32>
    %231 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%225, %expanded_68 : tensor<64x2048x7x7xbf16>, tensor<2048x1x1xf32>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x2048x7x7xf32>
    %232 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%231, %expanded_69 : tensor<64x2048x7x7xf32>, tensor<2048x1x1xf32>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x2048x7x7xf32>
    %expanded_70 = tensor.expand_shape %arg47 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xbf16> into tensor<2048x1x1xbf16>
    %233 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%232, %expanded_70 : tensor<64x2048x7x7xf32>, tensor<2048x1x1xbf16>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x2048x7x7xf32>
    %expanded_71 = tensor.expand_shape %arg48 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xbf16> into tensor<2048x1x1xbf16>
    %234 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%233, %expanded_71 : tensor<64x2048x7x7xf32>, tensor<2048x1x1xbf16>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x2048x7x7xf32>
    %235 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%234 : tensor<64x2048x7x7xf32>) outs(%224 : tensor<64x2048x7x7xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x2048x7x7xbf16>
    %236 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%190, %arg49 : tensor<64x1024x14x14xbf16>, tensor<2048x1024x1x1xbf16>) outs(%222 : tensor<64x2048x7x7xf32>) -> tensor<64x2048x7x7xf32>
    %237 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%236 : tensor<64x2048x7x7xf32>) outs(%224 : tensor<64x2048x7x7xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x2048x7x7xbf16>
    %238 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg86 : tensor<2048xbf16>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<2048xf32>
    %239 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg87 : tensor<2048xbf16>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<2048xf32>
    %240 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%239 : tensor<2048xf32>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = arith.truncf %cst_2 : f64 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<2048xf32>
    %241 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%240 : tensor<2048xf32>) outs(%226 : tensor<2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %267 = math.rsqrt %in : f32
      linalg.yield %267 : f32
    } -> tensor<2048xf32>
    %expanded_72 = tensor.expand_shape %238 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xf32> into tensor<2048x1x1xf32>
    %expanded_73 = tensor.expand_shape %241 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xf32> into tensor<2048x1x1xf32>
    %242 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%237, %expanded_72 : tensor<64x2048x7x7xbf16>, tensor<2048x1x1xf32>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: bf16, %in_76: f32, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      %268 = arith.subf %267, %in_76 : f32
      linalg.yield %268 : f32
    } -> tensor<64x2048x7x7xf32>
    %243 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%242, %expanded_73 : tensor<64x2048x7x7xf32>, tensor<2048x1x1xf32>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.mulf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x2048x7x7xf32>
    %expanded_74 = tensor.expand_shape %arg50 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xbf16> into tensor<2048x1x1xbf16>
    %244 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%243, %expanded_74 : tensor<64x2048x7x7xf32>, tensor<2048x1x1xbf16>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.mulf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x2048x7x7xf32>
    %expanded_75 = tensor.expand_shape %arg51 [[0, 1, 2]] output_shape [2048, 1, 1] : tensor<2048xbf16> into tensor<2048x1x1xbf16>
    %245 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%244, %expanded_75 : tensor<64x2048x7x7xf32>, tensor<2048x1x1xbf16>) outs(%221 : tensor<64x2048x7x7xf32>) {
    ^bb0(%in: f32, %in_76: bf16, %out: f32):
      %267 = arith.extf %in_76 : bf16 to f32
      %268 = arith.addf %in, %267 : f32
      linalg.yield %268 : f32
    } -> tensor<64x2048x7x7xf32>
    %246 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%245 : tensor<64x2048x7x7xf32>) outs(%224 : tensor<64x2048x7x7xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x2048x7x7xbf16>
    %247 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%235, %246 : tensor<64x2048x7x7xbf16>, tensor<64x2048x7x7xbf16>) outs(%224 : tensor<64x2048x7x7xbf16>) {
    ^bb0(%in: bf16, %in_76: bf16, %out: bf16):
      %267 = arith.addf %in, %in_76 : bf16
      linalg.yield %267 : bf16
    } -> tensor<64x2048x7x7xbf16>
    %248 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%247 : tensor<64x2048x7x7xbf16>) outs(%224 : tensor<64x2048x7x7xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.cmpf ugt, %in, %cst : bf16
      %268 = arith.select %267, %in, %cst : bf16
      linalg.yield %268 : bf16
    } -> tensor<64x2048x7x7xbf16>
    %249 = tensor.empty() : tensor<64x2048x1x1xbf16>
    %250 = linalg.fill ins(%cst : bf16) outs(%249 : tensor<64x2048x1x1xbf16>) -> tensor<64x2048x1x1xbf16>
    %251 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%248 : tensor<64x2048x7x7xbf16>) outs(%250 : tensor<64x2048x1x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.addf %in, %out : bf16
      linalg.yield %267 : bf16
    } -> tensor<64x2048x1x1xbf16>
    %252 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%251 : tensor<64x2048x1x1xbf16>) outs(%249 : tensor<64x2048x1x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %267 = arith.divf %in, %cst_3 : bf16
      linalg.yield %267 : bf16
    } -> tensor<64x2048x1x1xbf16>
    %collapsed = tensor.collapse_shape %252 [[0], [1, 2, 3]] : tensor<64x2048x1x1xbf16> into tensor<64x2048xbf16>
    %253 = tensor.empty() : tensor<2048x1000xbf16>
    %transposed = linalg.transpose ins(%arg52 : tensor<1000x2048xbf16>) outs(%253 : tensor<2048x1000xbf16>) permutation = [1, 0] 
    %254 = tensor.empty() : tensor<1000xf32>
    %255 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg53 : tensor<1000xbf16>) outs(%254 : tensor<1000xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<1000xf32>
    %256 = tensor.empty() : tensor<64x2048xf32>
    %257 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<64x2048xbf16>) outs(%256 : tensor<64x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<64x2048xf32>
    %258 = tensor.empty() : tensor<2048x1000xf32>
    %259 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%transposed : tensor<2048x1000xbf16>) outs(%258 : tensor<2048x1000xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %267 = arith.extf %in : bf16 to f32
      linalg.yield %267 : f32
    } -> tensor<2048x1000xf32>
    %260 = tensor.empty() : tensor<64x1000xf32>
    %261 = linalg.fill ins(%cst_0 : f32) outs(%260 : tensor<64x1000xf32>) -> tensor<64x1000xf32>
    %262 = linalg.matmul ins(%257, %259 : tensor<64x2048xf32>, tensor<2048x1000xf32>) outs(%261 : tensor<64x1000xf32>) -> tensor<64x1000xf32>
    %263 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%255 : tensor<1000xf32>) outs(%260 : tensor<64x1000xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x1000xf32>
    %264 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%262, %263 : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%260 : tensor<64x1000xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %267 = arith.addf %in, %in_76 : f32
      linalg.yield %267 : f32
    } -> tensor<64x1000xf32>
    %265 = tensor.empty() : tensor<64x1000xbf16>
    %266 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%264 : tensor<64x1000xf32>) outs(%265 : tensor<64x1000xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %267 = arith.truncf %in : f32 to bf16
      linalg.yield %267 : bf16
    } -> tensor<64x1000xbf16>
    return %266 : tensor<64x1000xbf16>
  }
}

