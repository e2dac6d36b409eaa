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
  func.func @main(%arg0: tensor<64x3x224x224xbf16>, %arg1: tensor<1x1x768xbf16>, %arg2: tensor<768x3x16x16xbf16>, %arg3: tensor<768xbf16>, %arg4: tensor<1x197x768xbf16>, %arg5: tensor<768xbf16>, %arg6: tensor<768xbf16>, %arg7: tensor<2304x768xbf16>, %arg8: tensor<2304xbf16>, %arg9: tensor<768x768xbf16>, %arg10: tensor<768xbf16>, %arg11: tensor<768xbf16>, %arg12: tensor<768xbf16>, %arg13: tensor<3072x768xbf16>, %arg14: tensor<3072xbf16>, %arg15: tensor<768x3072xbf16>, %arg16: tensor<768xbf16>, %arg17: tensor<768xbf16>, %arg18: tensor<768xbf16>, %arg19: tensor<1000x768xbf16>, %arg20: tensor<1000xbf16>) -> tensor<64x1000xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.000000e+00 : bf16
    %cst_3 = arith.constant 2.000000e+00 : bf16
    %cst_4 = arith.constant 5.000000e-01 : bf16
    %cst_5 = arith.constant 9.9999999999999995E-7 : f64
    %cst_6 = arith.constant 7.680000e+02 : f64
    %cst_7 = arith.constant 7.680000e+02 : f32
    %cst_8 = arith.constant 1.250000e-01 : f32
    %0 = tensor.empty() : tensor<64x768x14x14xf32>
    %1 = tensor.empty() : tensor<768xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg3 : tensor<768xbf16>) outs(%1 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<768xf32>
    %broadcasted = linalg.broadcast ins(%2 : tensor<768xf32>) outs(%0 : tensor<64x768x14x14xf32>) dimensions = [0, 2, 3] 
    %3 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<16> : vector<2xi64>} ins(%arg0, %arg2 : tensor<64x3x224x224xbf16>, tensor<768x3x16x16xbf16>) outs(%broadcasted : tensor<64x768x14x14xf32>) -> tensor<64x768x14x14xf32>
    %4 = tensor.empty() : tensor<64x768x14x14xbf16>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<64x768x14x14xf32>) outs(%4 : tensor<64x768x14x14xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<64x768x14x14xbf16>
    %collapsed = tensor.collapse_shape %5 [[0], [1], [2, 3]] : tensor<64x768x14x14xbf16> into tensor<64x768x196xbf16>
    %6 = tensor.empty() : tensor<64x196x768xbf16>
    %transposed = linalg.transpose ins(%collapsed : tensor<64x768x196xbf16>) outs(%6 : tensor<64x196x768xbf16>) permutation = [0, 2, 1] 
    %7 = tensor.empty() : tensor<64x1x768xbf16>
    %collapsed_9 = tensor.collapse_shape %arg1 [[0, 1], [2]] : tensor<1x1x768xbf16> into tensor<1x768xbf16>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_9 : tensor<1x768xbf16>) outs(%7 : tensor<64x1x768xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<64x1x768xbf16>
    %concat = tensor.concat dim(1) %8, %transposed : (tensor<64x1x768xbf16>, tensor<64x196x768xbf16>) -> tensor<64x197x768xbf16>
    %9 = tensor.empty() : tensor<64x197x768xbf16>
    %10 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat, %arg4 : tensor<64x197x768xbf16>, tensor<1x197x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: bf16, %in_48: bf16, %out: bf16):
      %162 = arith.addf %in, %in_48 : bf16
      linalg.yield %162 : bf16
    } -> tensor<64x197x768xbf16>
    %11 = tensor.empty() : tensor<64x197x768xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<64x197x768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %13 = tensor.empty() : tensor<64x197x768xf64>
    %14 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<64x197x768xf32>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %162 = arith.extf %in : f32 to f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %15 = tensor.empty() : tensor<64x197x1xf64>
    %16 = linalg.fill ins(%cst : f64) outs(%15 : tensor<64x197x1xf64>) -> tensor<64x197x1xf64>
    %17 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<64x197x768xf64>) outs(%16 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.addf %in, %out : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<64x197x1xf64>) outs(%15 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.divf %in, %cst_6 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %19 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<64x197x768xf64>, tensor<64x197x1xf64>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f64, %in_48: f64, %out: f64):
      %162 = arith.subf %in, %in_48 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %20 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %19 : tensor<64x197x768xf64>, tensor<64x197x768xf64>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f64, %in_48: f64, %out: f64):
      %162 = arith.mulf %in, %in_48 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %21 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%20 : tensor<64x197x768xf64>) outs(%16 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.addf %in, %out : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<64x197x1xf64>) outs(%15 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.divf %in, %cst_6 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %23 = tensor.empty() : tensor<64x197x1xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<64x197x1xf64>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %162 = arith.truncf %in : f64 to f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %25 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<64x197x1xf32>) -> tensor<64x197x1xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%12 : tensor<64x197x768xf32>) outs(%25 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.addf %in, %out : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.divf %in, %cst_7 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.truncf %cst_5 : f64 to f32
      %163 = arith.addf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x1xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = math.rsqrt %in : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %27 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.subf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %29 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.mulf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %arg5 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: bf16, %out: f32):
      %162 = arith.extf %in_48 : bf16 to f32
      %163 = arith.mulf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x768xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32, %arg6 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: bf16, %out: f32):
      %162 = arith.extf %in_48 : bf16 to f32
      %163 = arith.addf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x768xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<64x197x768xf32>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<64x197x768xbf16>
    %35 = tensor.empty() : tensor<197x64x768xbf16>
    %transposed_10 = linalg.transpose ins(%34 : tensor<64x197x768xbf16>) outs(%35 : tensor<197x64x768xbf16>) permutation = [1, 0, 2] 
    %36 = tensor.empty() : tensor<768x2304xbf16>
    %transposed_11 = linalg.transpose ins(%arg7 : tensor<2304x768xbf16>) outs(%36 : tensor<768x2304xbf16>) permutation = [1, 0] 
    %37 = tensor.empty() : tensor<197x768x2304xbf16>
    %38 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_11 : tensor<768x2304xbf16>) outs(%37 : tensor<197x768x2304xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<197x768x2304xbf16>
    %39 = tensor.empty() : tensor<197x64x2304xf32>
    %40 = linalg.fill ins(%cst_0 : f32) outs(%39 : tensor<197x64x2304xf32>) -> tensor<197x64x2304xf32>
    %41 = linalg.batch_matmul ins(%transposed_10, %38 : tensor<197x64x768xbf16>, tensor<197x768x2304xbf16>) outs(%40 : tensor<197x64x2304xf32>) -> tensor<197x64x2304xf32>
    %42 = tensor.empty() : tensor<197x64x2304xbf16>
    %43 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<197x64x2304xf32>) outs(%42 : tensor<197x64x2304xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<197x64x2304xbf16>
    %44 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43, %arg8 : tensor<197x64x2304xbf16>, tensor<2304xbf16>) outs(%42 : tensor<197x64x2304xbf16>) {
    ^bb0(%in: bf16, %in_48: bf16, %out: bf16):
      %162 = arith.addf %in, %in_48 : bf16
      linalg.yield %162 : bf16
    } -> tensor<197x64x2304xbf16>
    %expanded = tensor.expand_shape %44 [[0, 1], [2], [3, 4]] output_shape [1, 197, 64, 3, 768] : tensor<197x64x2304xbf16> into tensor<1x197x64x3x768xbf16>
    %45 = tensor.empty() : tensor<3x197x64x1x768xbf16>
    %transposed_12 = linalg.transpose ins(%expanded : tensor<1x197x64x3x768xbf16>) outs(%45 : tensor<3x197x64x1x768xbf16>) permutation = [3, 1, 2, 0, 4] 
    %collapsed_13 = tensor.collapse_shape %transposed_12 [[0], [1], [2, 3], [4]] : tensor<3x197x64x1x768xbf16> into tensor<3x197x64x768xbf16>
    %extracted_slice = tensor.extract_slice %collapsed_13[0, 0, 0, 0] [1, 197, 64, 768] [1, 1, 1, 1] : tensor<3x197x64x768xbf16> to tensor<1x197x64x768xbf16>
    %extracted_slice_14 = tensor.extract_slice %collapsed_13[1, 0, 0, 0] [1, 197, 64, 768] [1, 1, 1, 1] : tensor<3x197x64x768xbf16> to tensor<1x197x64x768xbf16>
    %extracted_slice_15 = tensor.extract_slice %collapsed_13[2, 0, 0, 0] [1, 197, 64, 768] [1, 1, 1, 1] : tensor<3x197x64x768xbf16> to tensor<1x197x64x768xbf16>
    %collapsed_16 = tensor.collapse_shape %extracted_slice [[0, 1], [2, 3]] : tensor<1x197x64x768xbf16> into tensor<197x49152xbf16>
    %expanded_17 = tensor.expand_shape %collapsed_16 [[0], [1, 2]] output_shape [197, 768, 64] : tensor<197x49152xbf16> into tensor<197x768x64xbf16>
    %46 = tensor.empty() : tensor<768x197x64xbf16>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<197x768x64xbf16>) outs(%46 : tensor<768x197x64xbf16>) permutation = [1, 0, 2] 
    %collapsed_19 = tensor.collapse_shape %extracted_slice_14 [[0, 1], [2, 3]] : tensor<1x197x64x768xbf16> into tensor<197x49152xbf16>
    %expanded_20 = tensor.expand_shape %collapsed_19 [[0], [1, 2]] output_shape [197, 768, 64] : tensor<197x49152xbf16> into tensor<197x768x64xbf16>
    %transposed_21 = linalg.transpose ins(%expanded_20 : tensor<197x768x64xbf16>) outs(%46 : tensor<768x197x64xbf16>) permutation = [1, 0, 2] 
    %collapsed_22 = tensor.collapse_shape %extracted_slice_15 [[0, 1], [2, 3]] : tensor<1x197x64x768xbf16> into tensor<197x49152xbf16>
    %expanded_23 = tensor.expand_shape %collapsed_22 [[0], [1, 2]] output_shape [197, 768, 64] : tensor<197x49152xbf16> into tensor<197x768x64xbf16>
    %transposed_24 = linalg.transpose ins(%expanded_23 : tensor<197x768x64xbf16>) outs(%46 : tensor<768x197x64xbf16>) permutation = [1, 0, 2] 
    %expanded_25 = tensor.expand_shape %transposed_18 [[0, 1], [2], [3]] output_shape [64, 12, 197, 64] : tensor<768x197x64xbf16> into tensor<64x12x197x64xbf16>
    %expanded_26 = tensor.expand_shape %transposed_21 [[0, 1], [2], [3]] output_shape [64, 12, 197, 64] : tensor<768x197x64xbf16> into tensor<64x12x197x64xbf16>
    %47 = tensor.empty() : tensor<64x12x197x64xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_25 : tensor<64x12x197x64xbf16>) outs(%47 : tensor<64x12x197x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<64x12x197x64xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_26 : tensor<64x12x197x64xbf16>) outs(%47 : tensor<64x12x197x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<64x12x197x64xf32>
    %50 = tensor.empty() : tensor<64x12x64x197xf32>
    %transposed_27 = linalg.transpose ins(%49 : tensor<64x12x197x64xf32>) outs(%50 : tensor<64x12x64x197xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_28 = tensor.collapse_shape %48 [[0, 1], [2], [3]] : tensor<64x12x197x64xf32> into tensor<768x197x64xf32>
    %collapsed_29 = tensor.collapse_shape %transposed_27 [[0, 1], [2], [3]] : tensor<64x12x64x197xf32> into tensor<768x64x197xf32>
    %51 = tensor.empty() : tensor<768x197x197xf32>
    %52 = linalg.fill ins(%cst_0 : f32) outs(%51 : tensor<768x197x197xf32>) -> tensor<768x197x197xf32>
    %53 = linalg.batch_matmul ins(%collapsed_28, %collapsed_29 : tensor<768x197x64xf32>, tensor<768x64x197xf32>) outs(%52 : tensor<768x197x197xf32>) -> tensor<768x197x197xf32>
    %expanded_30 = tensor.expand_shape %53 [[0, 1], [2], [3]] output_shape [64, 12, 197, 197] : tensor<768x197x197xf32> into tensor<64x12x197x197xf32>
    %54 = tensor.empty() : tensor<64x12x197x197xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_30 : tensor<64x12x197x197xf32>) outs(%54 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.mulf %in, %cst_8 : f32
      linalg.yield %162 : f32
    } -> tensor<64x12x197x197xf32>
    %56 = tensor.empty() : tensor<64x12x197xi64>
    %57 = linalg.fill ins(%c0_i64 : i64) outs(%56 : tensor<64x12x197xi64>) -> tensor<64x12x197xi64>
    %58 = tensor.empty() : tensor<64x12x197xf32>
    %59 = linalg.fill ins(%cst_1 : f32) outs(%58 : tensor<64x12x197xf32>) -> tensor<64x12x197xf32>
    %60:2 = linalg.generic {indexing_maps = [#map1, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%55 : tensor<64x12x197x197xf32>) outs(%59, %57 : tensor<64x12x197xf32>, tensor<64x12x197xi64>) {
    ^bb0(%in: f32, %out: f32, %out_48: i64):
      %162 = linalg.index 3 : index
      %163 = arith.index_cast %162 : index to i64
      %164 = arith.maximumf %in, %out : f32
      %165 = arith.cmpf ogt, %in, %out : f32
      %166 = arith.select %165, %163, %out_48 : i64
      linalg.yield %164, %166 : f32, i64
    } -> (tensor<64x12x197xf32>, tensor<64x12x197xi64>)
    %expanded_31 = tensor.expand_shape %60#0 [[0], [1], [2, 3]] output_shape [64, 12, 197, 1] : tensor<64x12x197xf32> into tensor<64x12x197x1xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%55, %expanded_31 : tensor<64x12x197x197xf32>, tensor<64x12x197x1xf32>) outs(%54 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.subf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x12x197x197xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61 : tensor<64x12x197x197xf32>) outs(%54 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = math.exp %in : f32
      linalg.yield %162 : f32
    } -> tensor<64x12x197x197xf32>
    %63 = tensor.empty() : tensor<64x12x197x1xf32>
    %64 = linalg.fill ins(%cst_0 : f32) outs(%63 : tensor<64x12x197x1xf32>) -> tensor<64x12x197x1xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%62 : tensor<64x12x197x197xf32>) outs(%64 : tensor<64x12x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.addf %in, %out : f32
      linalg.yield %162 : f32
    } -> tensor<64x12x197x1xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %65 : tensor<64x12x197x197xf32>, tensor<64x12x197x1xf32>) outs(%54 : tensor<64x12x197x197xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.divf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x12x197x197xf32>
    %67 = tensor.empty() : tensor<64x12x197x197xbf16>
    %68 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66 : tensor<64x12x197x197xf32>) outs(%67 : tensor<64x12x197x197xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<64x12x197x197xbf16>
    %collapsed_32 = tensor.collapse_shape %68 [[0, 1], [2], [3]] : tensor<64x12x197x197xbf16> into tensor<768x197x197xbf16>
    %69 = tensor.empty() : tensor<768x197x64xf32>
    %70 = linalg.fill ins(%cst_0 : f32) outs(%69 : tensor<768x197x64xf32>) -> tensor<768x197x64xf32>
    %71 = linalg.batch_matmul ins(%collapsed_32, %transposed_24 : tensor<768x197x197xbf16>, tensor<768x197x64xbf16>) outs(%70 : tensor<768x197x64xf32>) -> tensor<768x197x64xf32>
    %72 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<768x197x64xf32>) outs(%46 : tensor<768x197x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<768x197x64xbf16>
    %expanded_33 = tensor.expand_shape %72 [[0, 1], [2], [3]] output_shape [64, 12, 197, 64] : tensor<768x197x64xbf16> into tensor<64x12x197x64xbf16>
    %73 = tensor.empty() : tensor<197x64x12x64xbf16>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<64x12x197x64xbf16>) outs(%73 : tensor<197x64x12x64xbf16>) permutation = [2, 0, 1, 3] 
    %collapsed_35 = tensor.collapse_shape %transposed_34 [[0, 1], [2, 3]] : tensor<197x64x12x64xbf16> into tensor<12608x768xbf16>
    %74 = tensor.empty() : tensor<768x768xbf16>
    %transposed_36 = linalg.transpose ins(%arg9 : tensor<768x768xbf16>) outs(%74 : tensor<768x768xbf16>) permutation = [1, 0] 
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg10 : tensor<768xbf16>) outs(%1 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<768xf32>
    %76 = tensor.empty() : tensor<12608x768xf32>
    %77 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_35 : tensor<12608x768xbf16>) outs(%76 : tensor<12608x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<12608x768xf32>
    %78 = tensor.empty() : tensor<768x768xf32>
    %79 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_36 : tensor<768x768xbf16>) outs(%78 : tensor<768x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<768x768xf32>
    %80 = linalg.fill ins(%cst_0 : f32) outs(%76 : tensor<12608x768xf32>) -> tensor<12608x768xf32>
    %81 = linalg.matmul ins(%77, %79 : tensor<12608x768xf32>, tensor<768x768xf32>) outs(%80 : tensor<12608x768xf32>) -> tensor<12608x768xf32>
    %82 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%75 : tensor<768xf32>) outs(%76 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12608x768xf32>
    %83 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%81, %82 : tensor<12608x768xf32>, tensor<12608x768xf32>) outs(%76 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.addf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<12608x768xf32>
    %84 = tensor.empty() : tensor<12608x768xbf16>
    %85 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%83 : tensor<12608x768xf32>) outs(%84 : tensor<12608x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<12608x768xbf16>
    %expanded_37 = tensor.expand_shape %85 [[0, 1], [2]] output_shape [197, 64, 768] : tensor<12608x768xbf16> into tensor<197x64x768xbf16>
    %transposed_38 = linalg.transpose ins(%expanded_37 : tensor<197x64x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) permutation = [1, 0, 2] 
    %86 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_38, %10 : tensor<64x197x768xbf16>, tensor<64x197x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: bf16, %in_48: bf16, %out: bf16):
      %162 = arith.addf %in, %in_48 : bf16
      linalg.yield %162 : bf16
    } -> tensor<64x197x768xbf16>
    %87 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<64x197x768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %88 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<64x197x768xf32>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %162 = arith.extf %in : f32 to f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %89 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%88 : tensor<64x197x768xf64>) outs(%16 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.addf %in, %out : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %90 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<64x197x1xf64>) outs(%15 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.divf %in, %cst_6 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %91 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %90 : tensor<64x197x768xf64>, tensor<64x197x1xf64>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f64, %in_48: f64, %out: f64):
      %162 = arith.subf %in, %in_48 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %92 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91, %91 : tensor<64x197x768xf64>, tensor<64x197x768xf64>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f64, %in_48: f64, %out: f64):
      %162 = arith.mulf %in, %in_48 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %93 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%92 : tensor<64x197x768xf64>) outs(%16 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.addf %in, %out : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %94 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<64x197x1xf64>) outs(%15 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.divf %in, %cst_6 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %95 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<64x197x1xf64>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %162 = arith.truncf %in : f64 to f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %96 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%87 : tensor<64x197x768xf32>) outs(%25 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.addf %in, %out : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %97 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.divf %in, %cst_7 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %98 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.truncf %cst_5 : f64 to f32
      %163 = arith.addf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x1xf32>
    %99 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = math.rsqrt %in : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %100 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %97 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.subf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %101 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100, %99 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.mulf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %102 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %arg11 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: bf16, %out: f32):
      %162 = arith.extf %in_48 : bf16 to f32
      %163 = arith.mulf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x768xf32>
    %103 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102, %arg12 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: bf16, %out: f32):
      %162 = arith.extf %in_48 : bf16 to f32
      %163 = arith.addf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x768xf32>
    %104 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<64x197x768xf32>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<64x197x768xbf16>
    %collapsed_39 = tensor.collapse_shape %104 [[0, 1], [2]] : tensor<64x197x768xbf16> into tensor<12608x768xbf16>
    %105 = tensor.empty() : tensor<768x3072xbf16>
    %transposed_40 = linalg.transpose ins(%arg13 : tensor<3072x768xbf16>) outs(%105 : tensor<768x3072xbf16>) permutation = [1, 0] 
    %106 = tensor.empty() : tensor<3072xf32>
    %107 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg14 : tensor<3072xbf16>) outs(%106 : tensor<3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<3072xf32>
    %108 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_39 : tensor<12608x768xbf16>) outs(%76 : tensor<12608x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<12608x768xf32>
    %109 = tensor.empty() : tensor<768x3072xf32>
    %110 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_40 : tensor<768x3072xbf16>) outs(%109 : tensor<768x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<768x3072xf32>
    %111 = tensor.empty() : tensor<12608x3072xf32>
    %112 = linalg.fill ins(%cst_0 : f32) outs(%111 : tensor<12608x3072xf32>) -> tensor<12608x3072xf32>
    %113 = linalg.matmul ins(%108, %110 : tensor<12608x768xf32>, tensor<768x3072xf32>) outs(%112 : tensor<12608x3072xf32>) -> tensor<12608x3072xf32>
    %114 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%107 : tensor<3072xf32>) outs(%111 : tensor<12608x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12608x3072xf32>
    %115 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%113, %114 : tensor<12608x3072xf32>, tensor<12608x3072xf32>) outs(%111 : tensor<12608x3072xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.addf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<12608x3072xf32>
    %116 = tensor.empty() : tensor<12608x3072xbf16>
    %117 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%115 : tensor<12608x3072xf32>) outs(%116 : tensor<12608x3072xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<12608x3072xbf16>
    %expanded_41 = tensor.expand_shape %117 [[0, 1], [2]] output_shape [64, 197, 3072] : tensor<12608x3072xbf16> into tensor<64x197x3072xbf16>
    %118 = tensor.empty() : tensor<64x197x3072xbf16>
    %119 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_41 : tensor<64x197x3072xbf16>) outs(%118 : tensor<64x197x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %162 = math.sqrt %cst_3 : bf16
      %163 = arith.divf %in, %162 : bf16
      %164 = math.erf %163 : bf16
      %165 = arith.addf %164, %cst_2 : bf16
      %166 = arith.mulf %165, %cst_4 : bf16
      %167 = arith.mulf %in, %166 : bf16
      linalg.yield %167 : bf16
    } -> tensor<64x197x3072xbf16>
    %collapsed_42 = tensor.collapse_shape %119 [[0, 1], [2]] : tensor<64x197x3072xbf16> into tensor<12608x3072xbf16>
    %120 = tensor.empty() : tensor<3072x768xbf16>
    %transposed_43 = linalg.transpose ins(%arg15 : tensor<768x3072xbf16>) outs(%120 : tensor<3072x768xbf16>) permutation = [1, 0] 
    %121 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg16 : tensor<768xbf16>) outs(%1 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<768xf32>
    %122 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_42 : tensor<12608x3072xbf16>) outs(%111 : tensor<12608x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<12608x3072xf32>
    %123 = tensor.empty() : tensor<3072x768xf32>
    %124 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_43 : tensor<3072x768xbf16>) outs(%123 : tensor<3072x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<3072x768xf32>
    %125 = linalg.matmul ins(%122, %124 : tensor<12608x3072xf32>, tensor<3072x768xf32>) outs(%80 : tensor<12608x768xf32>) -> tensor<12608x768xf32>
    %126 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%121 : tensor<768xf32>) outs(%76 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<12608x768xf32>
    %127 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%125, %126 : tensor<12608x768xf32>, tensor<12608x768xf32>) outs(%76 : tensor<12608x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.addf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<12608x768xf32>
    %128 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%127 : tensor<12608x768xf32>) outs(%84 : tensor<12608x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<12608x768xbf16>
    %expanded_44 = tensor.expand_shape %128 [[0, 1], [2]] output_shape [64, 197, 768] : tensor<12608x768xbf16> into tensor<64x197x768xbf16>
    %129 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %expanded_44 : tensor<64x197x768xbf16>, tensor<64x197x768xbf16>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: bf16, %in_48: bf16, %out: bf16):
      %162 = arith.addf %in, %in_48 : bf16
      linalg.yield %162 : bf16
    } -> tensor<64x197x768xbf16>
    %130 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%129 : tensor<64x197x768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %131 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130 : tensor<64x197x768xf32>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %162 = arith.extf %in : f32 to f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %132 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%131 : tensor<64x197x768xf64>) outs(%16 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.addf %in, %out : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %133 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132 : tensor<64x197x1xf64>) outs(%15 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.divf %in, %cst_6 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %134 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%131, %133 : tensor<64x197x768xf64>, tensor<64x197x1xf64>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f64, %in_48: f64, %out: f64):
      %162 = arith.subf %in, %in_48 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %135 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %134 : tensor<64x197x768xf64>, tensor<64x197x768xf64>) outs(%13 : tensor<64x197x768xf64>) {
    ^bb0(%in: f64, %in_48: f64, %out: f64):
      %162 = arith.mulf %in, %in_48 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x768xf64>
    %136 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%135 : tensor<64x197x768xf64>) outs(%16 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.addf %in, %out : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %137 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136 : tensor<64x197x1xf64>) outs(%15 : tensor<64x197x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %162 = arith.divf %in, %cst_6 : f64
      linalg.yield %162 : f64
    } -> tensor<64x197x1xf64>
    %138 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137 : tensor<64x197x1xf64>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %162 = arith.truncf %in : f64 to f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %139 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%130 : tensor<64x197x768xf32>) outs(%25 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.addf %in, %out : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %140 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.divf %in, %cst_7 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %141 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = arith.truncf %cst_5 : f64 to f32
      %163 = arith.addf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x1xf32>
    %142 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141 : tensor<64x197x1xf32>) outs(%23 : tensor<64x197x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %162 = math.rsqrt %in : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x1xf32>
    %143 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %140 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.subf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %144 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143, %142 : tensor<64x197x768xf32>, tensor<64x197x1xf32>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.mulf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x197x768xf32>
    %145 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144, %arg17 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: bf16, %out: f32):
      %162 = arith.extf %in_48 : bf16 to f32
      %163 = arith.mulf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x768xf32>
    %146 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%145, %arg18 : tensor<64x197x768xf32>, tensor<768xbf16>) outs(%11 : tensor<64x197x768xf32>) {
    ^bb0(%in: f32, %in_48: bf16, %out: f32):
      %162 = arith.extf %in_48 : bf16 to f32
      %163 = arith.addf %in, %162 : f32
      linalg.yield %163 : f32
    } -> tensor<64x197x768xf32>
    %147 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%146 : tensor<64x197x768xf32>) outs(%9 : tensor<64x197x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<64x197x768xbf16>
    %extracted_slice_45 = tensor.extract_slice %147[0, 0, 0] [64, 1, 768] [1, 1, 1] : tensor<64x197x768xbf16> to tensor<64x1x768xbf16>
    %collapsed_46 = tensor.collapse_shape %extracted_slice_45 [[0, 1], [2]] : tensor<64x1x768xbf16> into tensor<64x768xbf16>
    %148 = tensor.empty() : tensor<768x1000xbf16>
    %transposed_47 = linalg.transpose ins(%arg19 : tensor<1000x768xbf16>) outs(%148 : tensor<768x1000xbf16>) permutation = [1, 0] 
    %149 = tensor.empty() : tensor<1000xf32>
    %150 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg20 : tensor<1000xbf16>) outs(%149 : tensor<1000xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<1000xf32>
    %151 = tensor.empty() : tensor<64x768xf32>
    %152 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%collapsed_46 : tensor<64x768xbf16>) outs(%151 : tensor<64x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<64x768xf32>
    %153 = tensor.empty() : tensor<768x1000xf32>
    %154 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%transposed_47 : tensor<768x1000xbf16>) outs(%153 : tensor<768x1000xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %162 = arith.extf %in : bf16 to f32
      linalg.yield %162 : f32
    } -> tensor<768x1000xf32>
    %155 = tensor.empty() : tensor<64x1000xf32>
    %156 = linalg.fill ins(%cst_0 : f32) outs(%155 : tensor<64x1000xf32>) -> tensor<64x1000xf32>
    %157 = linalg.matmul ins(%152, %154 : tensor<64x768xf32>, tensor<768x1000xf32>) outs(%156 : tensor<64x1000xf32>) -> tensor<64x1000xf32>
    %158 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["parallel", "parallel"]} ins(%150 : tensor<1000xf32>) outs(%155 : tensor<64x1000xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x1000xf32>
    %159 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%157, %158 : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%155 : tensor<64x1000xf32>) {
    ^bb0(%in: f32, %in_48: f32, %out: f32):
      %162 = arith.addf %in, %in_48 : f32
      linalg.yield %162 : f32
    } -> tensor<64x1000xf32>
    %160 = tensor.empty() : tensor<64x1000xbf16>
    %161 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%159 : tensor<64x1000xf32>) outs(%160 : tensor<64x1000xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %162 = arith.truncf %in : f32 to bf16
      linalg.yield %162 : bf16
    } -> tensor<64x1000xbf16>
    return %161 : tensor<64x1000xbf16>
  }
}

