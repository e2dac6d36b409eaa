#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map9 = affine_map<(d0, d1) -> (d0, d1)>
#map10 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<64x3x224x224xbf16>, %arg1: tensor<1x1x768xbf16> {carousel.parameter}, %arg2: tensor<768x3x16x16xbf16> {carousel.parameter}, %arg3: tensor<768xbf16> {carousel.parameter}, %arg4: tensor<1x197x768xbf16> {carousel.parameter}, %arg5: tensor<768xbf16> {carousel.parameter}, %arg6: tensor<768xbf16> {carousel.parameter}, %arg7: tensor<2304x768xbf16> {carousel.parameter}, %arg8: tensor<2304xbf16> {carousel.parameter}, %arg9: tensor<768x768xbf16> {carousel.parameter}, %arg10: tensor<768xbf16> {carousel.parameter}, %arg11: tensor<768xbf16> {carousel.parameter}, %arg12: tensor<768xbf16> {carousel.parameter}, %arg13: tensor<3072x768xbf16> {carousel.parameter}, %arg14: tensor<3072xbf16> {carousel.parameter}, %arg15: tensor<768x3072xbf16> {carousel.parameter}, %arg16: tensor<768xbf16> {carousel.parameter}, %arg17: tensor<768xbf16> {carousel.parameter}, %arg18: tensor<768xbf16> {carousel.parameter}, %arg19: tensor<1000x768xbf16> {carousel.parameter}, %arg20: tensor<1000xbf16> {carousel.parameter}) -> tensor<64x1000xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : bf16
    %cst_2 = arith.constant 2.000000e+00 : bf16
    %cst_3 = arith.constant 5.000000e-01 : bf16
    %cst_4 = arith.constant 9.9999999999999995E-7 : f64
    %cst_5 = arith.constant 7.680000e+02 : f32
    %cst_6 = arith.constant 1.250000e-01 : f32
    %0 = tensor.empty() : tensor<64x768x14x14xf32>
    %1 = tensor.empty() : tensor<768xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg3 : tensor<768xbf16>) outs(%1 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<768xf32>
    %broadcasted = linalg.broadcast ins(%2 : tensor<768xf32>) outs(%0 : tensor<64x768x14x14xf32>) dimensions = [0, 2, 3] 
    %3 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<16> : vector<2xi64>} ins(%arg0, %arg2 : tensor<64x3x224x224xbf16>, tensor<768x3x16x16xbf16>) outs(%broadcasted : tensor<64x768x14x14xf32>) -> tensor<64x768x14x14xf32>
    %4 = tensor.empty() : tensor<64x768x14x14xbf16>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<64x768x14x14xf32>) outs(%4 : tensor<64x768x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<64x768x14x14xbf16>
    %collapsed = tensor.collapse_shape %5 [[0], [1], [2, 3]] : tensor<64x768x14x14xbf16> into tensor<64x768x196xbf16>
    %6 = tensor.empty() : tensor<64x196x768xbf16>
    %transposed = linalg.transpose ins(%collapsed : tensor<64x768x196xbf16>) outs(%6 : tensor<64x196x768xbf16>) permutation = [0, 2, 1] 
    %7 = tensor.empty() : tensor<64x1x768xbf16>
    %collapsed_7 = tensor.collapse_shape %arg1 [[0, 1], [2]] : tensor<1x1x768xbf16> into tensor<1x768xbf16>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_7 : tensor<1x768xbf16>) outs(%7 : tensor<64x1x768xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<64x1x768xbf16>
    %concat = tensor.concat dim(1) %8, %transposed : (tensor<64x1x768xbf16>, tensor<64x196x768xbf16>) -> tensor<64x197x768xbf16>
    %9 = tensor.empty() : tensor<64x197x768xbf16>
    %10 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat, %arg4 : tensor<64x197x768xbf16>, tensor<1x197x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %144 = arith.addf %in, %in_46 : bf16
      linalg.yield %144 : bf16
    } -> tensor<64x197x768xbf16>
    %11 = tensor.empty() : tensor<64x197x768xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<64x197x768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %13 = tensor.empty() : tensor<64x197x1xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<64x197x1xf32>) -> tensor<64x197x1xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%12 : tensor<64x197x768xf32>) outs(%14 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.addf %in, %out : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.divf %in, %cst_5 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %16 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.subf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %17 : tensor<64x197x768xf32>, tensor<64x197x768xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.mulf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%18 : tensor<64x197x768xf32>) outs(%14 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.addf %in, %out : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.divf %in, %cst_5 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.truncf %cst_4 : f64 to f32
      %145 = arith.addf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x1xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = math.rsqrt %in : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %22 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.mulf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %arg5 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: bf16, %out: f32):
      %144 = arith.extf %in_46 : bf16 to f32
      %145 = arith.mulf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x768xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %arg6 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: bf16, %out: f32):
      %144 = arith.extf %in_46 : bf16 to f32
      %145 = arith.addf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x768xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<64x197x768xf32>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<64x197x768xbf16>
    %27 = tensor.empty() : tensor<197x64x768xbf16>
    %transposed_8 = linalg.transpose ins(%26 : tensor<64x197x768xbf16>) outs(%27 : tensor<197x64x768xbf16>) permutation = [1, 0, 2] 
    %28 = tensor.empty() : tensor<768x2304xbf16>
    %transposed_9 = linalg.transpose ins(%arg7 : tensor<2304x768xbf16>) outs(%28 : tensor<768x2304xbf16>) permutation = [1, 0] 
    %29 = tensor.empty() : tensor<197x768x2304xbf16>
    %30 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_9 : tensor<768x2304xbf16>) outs(%29 : tensor<197x768x2304xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<197x768x2304xbf16>
    %31 = tensor.empty() : tensor<197x64x2304xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<197x64x2304xf32>) -> tensor<197x64x2304xf32>
    %33 = linalg.batch_matmul ins(%transposed_8, %30 : tensor<197x64x768xbf16>, tensor<197x768x2304xbf16>) outs(%32 : tensor<197x64x2304xf32>) -> tensor<197x64x2304xf32>
    %34 = tensor.empty() : tensor<197x64x2304xbf16>
    %35 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<197x64x2304xf32>) outs(%34 : tensor<197x64x2304xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<197x64x2304xbf16>
    %36 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35, %arg8 : tensor<197x64x2304xbf16>, tensor<2304xbf16>) outs(%34 : tensor<197x64x2304xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %144 = arith.addf %in, %in_46 : bf16
      linalg.yield %144 : bf16
    } -> tensor<197x64x2304xbf16>
    %expanded = tensor.expand_shape %36 [[0, 1], [2], [3, 4]] output_shape [1, 197, 64, 3, 768] : tensor<197x64x2304xbf16> into tensor<1x197x64x3x768xbf16>
    %37 = tensor.empty() : tensor<3x197x64x1x768xbf16>
    %transposed_10 = linalg.transpose ins(%expanded : tensor<1x197x64x3x768xbf16>) outs(%37 : tensor<3x197x64x1x768xbf16>) permutation = [3, 1, 2, 0, 4] 
    %collapsed_11 = tensor.collapse_shape %transposed_10 [[0], [1], [2, 3], [4]] : tensor<3x197x64x1x768xbf16> into tensor<3x197x64x768xbf16>
    %extracted_slice = tensor.extract_slice %collapsed_11[0, 0, 0, 0] [1, 197, 64, 768] [1, 1, 1, 1] : tensor<3x197x64x768xbf16> to tensor<1x197x64x768xbf16>
    %extracted_slice_12 = tensor.extract_slice %collapsed_11[1, 0, 0, 0] [1, 197, 64, 768] [1, 1, 1, 1] : tensor<3x197x64x768xbf16> to tensor<1x197x64x768xbf16>
    %extracted_slice_13 = tensor.extract_slice %collapsed_11[2, 0, 0, 0] [1, 197, 64, 768] [1, 1, 1, 1] : tensor<3x197x64x768xbf16> to tensor<1x197x64x768xbf16>
    %collapsed_14 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x197x64x768xbf16> into tensor<197x49152xbf16>
    %expanded_15 = tensor.expand_shape %collapsed_14 [[0], [1, 2]] output_shape [197, 768, 64] : tensor<197x49152xbf16> into tensor<197x768x64xbf16>
    %38 = tensor.empty() : tensor<768x197x64xbf16>
    %transposed_16 = linalg.transpose ins(%expanded_15 : tensor<197x768x64xbf16>) outs(%38 : tensor<768x197x64xbf16>) permutation = [1, 0, 2] 
    %collapsed_17 = tensor.collapse_shape %extracted_slice_12 [[0, 1], [2, 3]] : tensor<1x197x64x768xbf16> into tensor<197x49152xbf16>
    %expanded_18 = tensor.expand_shape %collapsed_17 [[0], [1, 2]] output_shape [197, 768, 64] : tensor<197x49152xbf16> into tensor<197x768x64xbf16>
    %transposed_19 = linalg.transpose ins(%expanded_18 : tensor<197x768x64xbf16>) outs(%38 : tensor<768x197x64xbf16>) permutation = [1, 0, 2] 
    %collapsed_20 = tensor.collapse_shape %extracted_slice_13 [[0, 1], [2, 3]] : tensor<1x197x64x768xbf16> into tensor<197x49152xbf16>
    %expanded_21 = tensor.expand_shape %collapsed_20 [[0], [1, 2]] output_shape [197, 768, 64] : tensor<197x49152xbf16> into tensor<197x768x64xbf16>
    %transposed_22 = linalg.transpose ins(%expanded_21 : tensor<197x768x64xbf16>) outs(%38 : tensor<768x197x64xbf16>) permutation = [1, 0, 2] 
    %expanded_23 = tensor.expand_shape %transposed_16 [[0, 1], [2], [3]] output_shape [64, 12, 197, 64] : tensor<768x197x64xbf16> into tensor<64x12x197x64xbf16>
    %expanded_24 = tensor.expand_shape %transposed_19 [[0, 1], [2], [3]] output_shape [64, 12, 197, 64] : tensor<768x197x64xbf16> into tensor<64x12x197x64xbf16>
    %39 = tensor.empty() : tensor<64x12x197x64xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_23 : tensor<64x12x197x64xbf16>) outs(%39 : tensor<64x12x197x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<64x12x197x64xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_24 : tensor<64x12x197x64xbf16>) outs(%39 : tensor<64x12x197x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<64x12x197x64xf32>
    %42 = tensor.empty() : tensor<64x12x64x197xf32>
    %transposed_25 = linalg.transpose ins(%41 : tensor<64x12x197x64xf32>) outs(%42 : tensor<64x12x64x197xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_26 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<64x12x197x64xf32> into tensor<768x197x64xf32>
    %collapsed_27 = tensor.collapse_shape %transposed_25 [[0, 1], [2], [3]] : tensor<64x12x64x197xf32> into tensor<768x64x197xf32>
    %43 = tensor.empty() : tensor<768x197x197xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<768x197x197xf32>) -> tensor<768x197x197xf32>
    %45 = linalg.batch_matmul ins(%collapsed_26, %collapsed_27 : tensor<768x197x64xf32>, tensor<768x64x197xf32>) outs(%44 : tensor<768x197x197xf32>) -> tensor<768x197x197xf32>
    %expanded_28 = tensor.expand_shape %45 [[0, 1], [2], [3]] output_shape [64, 12, 197, 197] : tensor<768x197x197xf32> into tensor<64x12x197x197xf32>
    %46 = tensor.empty() : tensor<64x12x197x197xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_28 : tensor<64x12x197x197xf32>) outs(%46 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.mulf %in, %cst_6 : f32
      linalg.yield %144 : f32
    } -> tensor<64x12x197x197xf32>
    %48 = tensor.empty() : tensor<64x12x197xi64>
    %49 = linalg.fill ins(%c0_i64 : i64) outs(%48 : tensor<64x12x197xi64>) -> tensor<64x12x197xi64>
    %50 = tensor.empty() : tensor<64x12x197xf32>
    %51 = linalg.fill ins(%cst_0 : f32) outs(%50 : tensor<64x12x197xf32>) -> tensor<64x12x197xf32>
    %52:2 = linalg.generic {indexing_maps = [#map1, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<64x12x197x197xf32>) outs(%51, %49 : tensor<64x12x197xf32>, tensor<64x12x197xi64>) {
    ^bb0(%in: f32, %out: f32, %out_46: i64):
      %144 = linalg.index 3 : index
      %145 = arith.index_cast %144 : index to i64
      %146 = arith.maximumf %in, %out : f32
      %147 = arith.cmpf ogt, %in, %out : f32
      %148 = arith.select %147, %145, %out_46 : i64
      linalg.yield %146, %148 : f32, i64
    } -> (tensor<64x12x197xf32>, tensor<64x12x197xi64>)
    %expanded_29 = tensor.expand_shape %52#0 [[0], [1], [2, 3]] output_shape [64, 12, 197, 1] : tensor<64x12x197xf32> into tensor<64x12x197x1xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %expanded_29 : tensor<64x12x197x197xf32>, tensor<64x12x197x1xf32>) outs(%46 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.subf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x12x197x197xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<64x12x197x197xf32>) outs(%46 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = math.exp %in : f32
      linalg.yield %144 : f32
    } -> tensor<64x12x197x197xf32>
    %55 = tensor.empty() : tensor<64x12x197x1xf32>
    %56 = linalg.fill ins(%cst : f32) outs(%55 : tensor<64x12x197x1xf32>) -> tensor<64x12x197x1xf32>
    %57 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%54 : tensor<64x12x197x197xf32>) outs(%56 : tensor<64x12x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.addf %in, %out : f32
      linalg.yield %144 : f32
    } -> tensor<64x12x197x1xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %57 : tensor<64x12x197x197xf32>, tensor<64x12x197x1xf32>) outs(%46 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.divf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x12x197x197xf32>
    %59 = tensor.empty() : tensor<64x12x197x197xbf16>
    %60 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<64x12x197x197xf32>) outs(%59 : tensor<64x12x197x197xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<64x12x197x197xbf16>
    %collapsed_30 = tensor.collapse_shape %60 [[0, 1], [2], [3]] : tensor<64x12x197x197xbf16> into tensor<768x197x197xbf16>
    %61 = tensor.empty() : tensor<768x197x64xf32>
    %62 = linalg.fill ins(%cst : f32) outs(%61 : tensor<768x197x64xf32>) -> tensor<768x197x64xf32>
    %63 = linalg.batch_matmul ins(%collapsed_30, %transposed_22 : tensor<768x197x197xbf16>, tensor<768x197x64xbf16>) outs(%62 : tensor<768x197x64xf32>) -> tensor<768x197x64xf32>
    %64 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<768x197x64xf32>) outs(%38 : tensor<768x197x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<768x197x64xbf16>
    %expanded_31 = tensor.expand_shape %64 [[0, 1], [2], [3]] output_shape [64, 12, 197, 64] : tensor<768x197x64xbf16> into tensor<64x12x197x64xbf16>
    %65 = tensor.empty() : tensor<197x64x12x64xbf16>
    %transposed_32 = linalg.transpose ins(%expanded_31 : tensor<64x12x197x64xbf16>) outs(%65 : tensor<197x64x12x64xbf16>) permutation = [2, 0, 1, 3] 
    %collapsed_33 = tensor.collapse_shape %transposed_32 [[0, 1], [2, 3]] : tensor<197x64x12x64xbf16> into tensor<12608x768xbf16>
    %66 = tensor.empty() : tensor<768x768xbf16>
    %transposed_34 = linalg.transpose ins(%arg9 : tensor<768x768xbf16>) outs(%66 : tensor<768x768xbf16>) permutation = [1, 0] 
    %67 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg10 : tensor<768xbf16>) outs(%1 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<768xf32>
    %68 = tensor.empty() : tensor<12608x768xf32>
    %69 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_33 : tensor<12608x768xbf16>) outs(%68 : tensor<12608x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<12608x768xf32>
    %70 = tensor.empty() : tensor<768x768xf32>
    %71 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_34 : tensor<768x768xbf16>) outs(%70 : tensor<768x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<768x768xf32>
    %72 = linalg.fill ins(%cst : f32) outs(%68 : tensor<12608x768xf32>) -> tensor<12608x768xf32>
    %73 = linalg.matmul ins(%69, %71 : tensor<12608x768xf32>, tensor<768x768xf32>) outs(%72 : tensor<12608x768xf32>) -> tensor<12608x768xf32>
    %74 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<768xf32>) outs(%68 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12608x768xf32>
    %75 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%73, %74 : tensor<12608x768xf32>, tensor<12608x768xf32>) outs(%68 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.addf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<12608x768xf32>
    %76 = tensor.empty() : tensor<12608x768xbf16>
    %77 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%75 : tensor<12608x768xf32>) outs(%76 : tensor<12608x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<12608x768xbf16>
    %expanded_35 = tensor.expand_shape %77 [[0, 1], [2]] output_shape [197, 64, 768] : tensor<12608x768xbf16> into tensor<197x64x768xbf16>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<197x64x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) permutation = [1, 0, 2] 
    %78 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_36, %10 : tensor<64x197x768xbf16>, tensor<64x197x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %144 = arith.addf %in, %in_46 : bf16
      linalg.yield %144 : bf16
    } -> tensor<64x197x768xbf16>
    %79 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78 : tensor<64x197x768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %80 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%79 : tensor<64x197x768xf32>) outs(%14 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.addf %in, %out : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %81 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.divf %in, %cst_5 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %82 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79, %81 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.subf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %83 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %82 : tensor<64x197x768xf32>, tensor<64x197x768xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.mulf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %84 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%83 : tensor<64x197x768xf32>) outs(%14 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.addf %in, %out : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %85 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.divf %in, %cst_5 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %86 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.truncf %cst_4 : f64 to f32
      %145 = arith.addf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x1xf32>
    %87 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = math.rsqrt %in : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %88 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %87 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.mulf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %89 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %arg11 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: bf16, %out: f32):
      %144 = arith.extf %in_46 : bf16 to f32
      %145 = arith.mulf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x768xf32>
    %90 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %arg12 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: bf16, %out: f32):
      %144 = arith.extf %in_46 : bf16 to f32
      %145 = arith.addf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x768xf32>
    %91 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<64x197x768xf32>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<64x197x768xbf16>
    %collapsed_37 = tensor.collapse_shape %91 [[0, 1], [2]] : tensor<64x197x768xbf16> into tensor<12608x768xbf16>
    %92 = tensor.empty() : tensor<768x3072xbf16>
    %transposed_38 = linalg.transpose ins(%arg13 : tensor<3072x768xbf16>) outs(%92 : tensor<768x3072xbf16>) permutation = [1, 0] 
    %93 = tensor.empty() : tensor<3072xf32>
    %94 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg14 : tensor<3072xbf16>) outs(%93 : tensor<3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<3072xf32>
    %95 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_37 : tensor<12608x768xbf16>) outs(%68 : tensor<12608x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<12608x768xf32>
    %96 = tensor.empty() : tensor<768x3072xf32>
    %97 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_38 : tensor<768x3072xbf16>) outs(%96 : tensor<768x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<768x3072xf32>
    %98 = tensor.empty() : tensor<12608x3072xf32>
    %99 = linalg.fill ins(%cst : f32) outs(%98 : tensor<12608x3072xf32>) -> tensor<12608x3072xf32>
    %100 = linalg.matmul ins(%95, %97 : tensor<12608x768xf32>, tensor<768x3072xf32>) outs(%99 : tensor<12608x3072xf32>) -> tensor<12608x3072xf32>
    %101 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%94 : tensor<3072xf32>) outs(%98 : tensor<12608x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12608x3072xf32>
    %102 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%100, %101 : tensor<12608x3072xf32>, tensor<12608x3072xf32>) outs(%98 : tensor<12608x3072xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.addf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<12608x3072xf32>
    %103 = tensor.empty() : tensor<12608x3072xbf16>
    %104 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%102 : tensor<12608x3072xf32>) outs(%103 : tensor<12608x3072xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<12608x3072xbf16>
    %expanded_39 = tensor.expand_shape %104 [[0, 1], [2]] output_shape [64, 197, 3072] : tensor<12608x3072xbf16> into tensor<64x197x3072xbf16>
    %105 = tensor.empty() : tensor<64x197x3072xbf16>
    %106 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_39 : tensor<64x197x3072xbf16>) outs(%105 : tensor<64x197x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %144 = math.sqrt %cst_2 : bf16
      %145 = arith.divf %in, %144 : bf16
      %146 = math.erf %145 : bf16
      %147 = arith.addf %146, %cst_1 : bf16
      %148 = arith.mulf %147, %cst_3 : bf16
      %149 = arith.mulf %in, %148 : bf16
      linalg.yield %149 : bf16
    } -> tensor<64x197x3072xbf16>
    %collapsed_40 = tensor.collapse_shape %106 [[0, 1], [2]] : tensor<64x197x3072xbf16> into tensor<12608x3072xbf16>
    %107 = tensor.empty() : tensor<3072x768xbf16>
    %transposed_41 = linalg.transpose ins(%arg15 : tensor<768x3072xbf16>) outs(%107 : tensor<3072x768xbf16>) permutation = [1, 0] 
    %108 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg16 : tensor<768xbf16>) outs(%1 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<768xf32>
    %109 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_40 : tensor<12608x3072xbf16>) outs(%98 : tensor<12608x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<12608x3072xf32>
    %110 = tensor.empty() : tensor<3072x768xf32>
    %111 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_41 : tensor<3072x768xbf16>) outs(%110 : tensor<3072x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<3072x768xf32>
    %112 = linalg.matmul ins(%109, %111 : tensor<12608x3072xf32>, tensor<3072x768xf32>) outs(%72 : tensor<12608x768xf32>) -> tensor<12608x768xf32>
    %113 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%108 : tensor<768xf32>) outs(%68 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12608x768xf32>
    %114 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%112, %113 : tensor<12608x768xf32>, tensor<12608x768xf32>) outs(%68 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.addf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<12608x768xf32>
    %115 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%114 : tensor<12608x768xf32>) outs(%76 : tensor<12608x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<12608x768xbf16>
    %expanded_42 = tensor.expand_shape %115 [[0, 1], [2]] output_shape [64, 197, 768] : tensor<12608x768xbf16> into tensor<64x197x768xbf16>
    %116 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %expanded_42 : tensor<64x197x768xbf16>, tensor<64x197x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %144 = arith.addf %in, %in_46 : bf16
      linalg.yield %144 : bf16
    } -> tensor<64x197x768xbf16>
    %117 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<64x197x768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %118 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%117 : tensor<64x197x768xf32>) outs(%14 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.addf %in, %out : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %119 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.divf %in, %cst_5 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %120 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117, %119 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.subf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %121 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %120 : tensor<64x197x768xf32>, tensor<64x197x768xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.mulf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %122 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%121 : tensor<64x197x768xf32>) outs(%14 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.addf %in, %out : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %123 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%122 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.divf %in, %cst_5 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %124 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = arith.truncf %cst_4 : f64 to f32
      %145 = arith.addf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x1xf32>
    %125 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%124 : tensor<64x197x1xf32>) outs(%13 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %144 = math.rsqrt %in : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x1xf32>
    %126 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %125 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.mulf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x197x768xf32>
    %127 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%126, %arg17 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: bf16, %out: f32):
      %144 = arith.extf %in_46 : bf16 to f32
      %145 = arith.mulf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x768xf32>
    %128 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %arg18 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_46: bf16, %out: f32):
      %144 = arith.extf %in_46 : bf16 to f32
      %145 = arith.addf %in, %144 : f32
      linalg.yield %145 : f32
    } -> tensor<64x197x768xf32>
    %129 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%128 : tensor<64x197x768xf32>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<64x197x768xbf16>
    %extracted_slice_43 = tensor.extract_slice %129[0, 0, 0] [64, 1, 768] [1, 1, 1] : tensor<64x197x768xbf16> to tensor<64x1x768xbf16>
    %collapsed_44 = tensor.collapse_shape %extracted_slice_43 [[0, 1], [2]] : tensor<64x1x768xbf16> into tensor<64x768xbf16>
    %130 = tensor.empty() : tensor<768x1000xbf16>
    %transposed_45 = linalg.transpose ins(%arg19 : tensor<1000x768xbf16>) outs(%130 : tensor<768x1000xbf16>) permutation = [1, 0] 
    %131 = tensor.empty() : tensor<1000xf32>
    %132 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg20 : tensor<1000xbf16>) outs(%131 : tensor<1000xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<1000xf32>
    %133 = tensor.empty() : tensor<64x768xf32>
    %134 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_44 : tensor<64x768xbf16>) outs(%133 : tensor<64x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<64x768xf32>
    %135 = tensor.empty() : tensor<768x1000xf32>
    %136 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_45 : tensor<768x1000xbf16>) outs(%135 : tensor<768x1000xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %144 = arith.extf %in : bf16 to f32
      linalg.yield %144 : f32
    } -> tensor<768x1000xf32>
    %137 = tensor.empty() : tensor<64x1000xf32>
    %138 = linalg.fill ins(%cst : f32) outs(%137 : tensor<64x1000xf32>) -> tensor<64x1000xf32>
    %139 = linalg.matmul ins(%134, %136 : tensor<64x768xf32>, tensor<768x1000xf32>) outs(%138 : tensor<64x1000xf32>) -> tensor<64x1000xf32>
    %140 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%132 : tensor<1000xf32>) outs(%137 : tensor<64x1000xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x1000xf32>
    %141 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%139, %140 : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%137 : tensor<64x1000xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %144 = arith.addf %in, %in_46 : f32
      linalg.yield %144 : f32
    } -> tensor<64x1000xf32>
    %142 = tensor.empty() : tensor<64x1000xbf16>
    %143 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%141 : tensor<64x1000xf32>) outs(%142 : tensor<64x1000xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %144 = arith.truncf %in : f32 to bf16
      linalg.yield %144 : bf16
    } -> tensor<64x1000xbf16>
    return %143 : tensor<64x1000xbf16>
  }
}

