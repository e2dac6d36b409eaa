#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, 0)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map13 = affine_map<(d0, d1, d2, d3) -> ()>
#map14 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map15 = affine_map<(d0, d1, d2) -> (d2)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<8x1024xi64>, %arg1: tensor<50257x768xbf16> {carousel.parameter}, %arg2: tensor<1024x768xbf16> {carousel.parameter}, %arg3: tensor<768xbf16> {carousel.parameter}, %arg4: tensor<768xbf16> {carousel.parameter}, %arg5: tensor<768x2304xbf16> {carousel.parameter}, %arg6: tensor<2304xbf16> {carousel.parameter}, %arg7: tensor<768x768xbf16> {carousel.parameter}, %arg8: tensor<768xbf16> {carousel.parameter}, %arg9: tensor<768xbf16> {carousel.parameter}, %arg10: tensor<768xbf16> {carousel.parameter}, %arg11: tensor<768x3072xbf16> {carousel.parameter}, %arg12: tensor<3072xbf16> {carousel.parameter}, %arg13: tensor<3072x768xbf16> {carousel.parameter}, %arg14: tensor<768xbf16> {carousel.parameter}, %arg15: tensor<768xbf16> {carousel.parameter}, %arg16: tensor<768xbf16> {carousel.parameter}, %arg17: tensor<768x2304xbf16> {carousel.parameter}, %arg18: tensor<2304xbf16> {carousel.parameter}, %arg19: tensor<768x768xbf16> {carousel.parameter}, %arg20: tensor<768xbf16> {carousel.parameter}, %arg21: tensor<768xbf16> {carousel.parameter}, %arg22: tensor<768xbf16> {carousel.parameter}, %arg23: tensor<768x3072xbf16> {carousel.parameter}, %arg24: tensor<3072xbf16> {carousel.parameter}, %arg25: tensor<3072x768xbf16> {carousel.parameter}, %arg26: tensor<768xbf16> {carousel.parameter}, %arg27: tensor<768xbf16> {carousel.parameter}, %arg28: tensor<768xbf16> {carousel.parameter}) -> tensor<8x1024x50257xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %c3_i64 = arith.constant 3 : i64
    %c8_i64 = arith.constant 8 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1024_i64 = arith.constant 1024 : i64
    %c1024 = arith.constant 1024 : index
    %c50257 = arith.constant 50257 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<8x12x1024x1024xf32>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant dense<true> : tensor<i1>
    %cst_4 = arith.constant 0.79788456080286541 : f64
    %cst_5 = arith.constant 4.471500e-02 : f64
    %cst_6 = arith.constant 0xFFF0000000000000 : f64
    %cst_7 = arith.constant 1.000000e-05 : f64
    %cst_8 = arith.constant 7.680000e+02 : f32
    %cst_9 = arith.constant 1.250000e-01 : f32
    %false = arith.constant false
    %cst_10 = arith.constant 5.000000e-01 : bf16
    %cst_11 = arith.constant 1.000000e+00 : bf16
    %0 = tensor.empty() : tensor<8x1024x768xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<8x1024xi64>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: i64, %out: bf16):
      %250 = arith.index_cast %in : i64 to index
      %251 = linalg.index 2 : index
      %252 = arith.cmpi slt, %250, %c50257 : index
      cf.assert %252, "index must be smaller than dim size"
      %253 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %253, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%250, %251] : tensor<50257x768xbf16>
      linalg.yield %extracted : bf16
    } -> tensor<8x1024x768xbf16>
    %2 = tensor.empty() : tensor<1024xi64>
    %3 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%2 : tensor<1024xi64>) {
    ^bb0(%out: i64):
      %250 = linalg.index 0 : index
      %251 = arith.index_cast %250 : index to i64
      linalg.yield %251 : i64
    } -> tensor<1024xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [1, 1024] : tensor<1024xi64> into tensor<1x1024xi64>
    %4 = tensor.empty() : tensor<1x1024x768xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x1024xi64>) outs(%4 : tensor<1x1024x768xbf16>) {
    ^bb0(%in: i64, %out: bf16):
      %250 = arith.index_cast %in : i64 to index
      %251 = linalg.index 2 : index
      %252 = arith.cmpi slt, %250, %c1024 : index
      cf.assert %252, "index must be smaller than dim size"
      %253 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %253, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg2[%250, %251] : tensor<1024x768xbf16>
      linalg.yield %extracted : bf16
    } -> tensor<1x1024x768xbf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<8x1024x768xbf16>, tensor<1x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.addf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %7 = tensor.empty() : tensor<8x1024xi64>
    %8 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<1024xi64>) outs(%7 : tensor<8x1024xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<8x1024xi64>
    %extracted_slice = tensor.extract_slice %8[0, 0] [8, 1] [1, 1] : tensor<8x1024xi64> to tensor<8x1xi64>
    %9 = tensor.empty() : tensor<8x1xi64>
    %10 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<8x1xi64>) outs(%9 : tensor<8x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %250 = arith.subi %in, %c1_i64 : i64
      linalg.yield %250 : i64
    } -> tensor<8x1xi64>
    %concat = tensor.concat dim(1) %10, %8 : (tensor<8x1xi64>, tensor<8x1024xi64>) -> tensor<8x1025xi64>
    %extracted_slice_12 = tensor.extract_slice %concat[0, 0] [8, 1024] [1, 1] : tensor<8x1025xi64> to tensor<8x1024xi64>
    %extracted_slice_13 = tensor.extract_slice %concat[0, 1] [8, 1024] [1, 1] : tensor<8x1025xi64> to tensor<8x1024xi64>
    %11 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_13, %extracted_slice_12 : tensor<8x1024xi64>, tensor<8x1024xi64>) outs(%7 : tensor<8x1024xi64>) {
    ^bb0(%in: i64, %in_70: i64, %out: i64):
      %250 = arith.subi %in, %in_70 : i64
      linalg.yield %250 : i64
    } -> tensor<8x1024xi64>
    %12 = tensor.empty() : tensor<8x1024xi1>
    %13 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<8x1024xi64>) outs(%12 : tensor<8x1024xi1>) {
    ^bb0(%in: i64, %out: i1):
      %250 = arith.cmpi ne, %in, %c1_i64 : i64
      linalg.yield %250 : i1
    } -> tensor<8x1024xi1>
    %14 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<8x1024xi1>) outs(%7 : tensor<8x1024xi64>) {
    ^bb0(%in: i1, %out: i64):
      %250 = arith.extui %in : i1 to i64
      linalg.yield %250 : i64
    } -> tensor<8x1024xi64>
    %15 = tensor.empty() : tensor<8xi64>
    %16 = linalg.fill ins(%c0_i64 : i64) outs(%7 : tensor<8x1024xi64>) -> tensor<8x1024xi64>
    %17 = linalg.generic {indexing_maps = [#map6, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<8x1024xi64>) outs(%16 : tensor<8x1024xi64>) {
    ^bb0(%in: i64, %out: i64):
      %250 = linalg.index 1 : index
      %251 = linalg.index 2 : index
      %252 = arith.cmpi ule, %251, %250 : index
      %253 = arith.select %252, %in, %c0_i64 : i64
      %254 = arith.addi %out, %253 : i64
      linalg.yield %254 : i64
    } -> tensor<8x1024xi64>
    %18 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%15 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %250 = linalg.index 0 : index
      %251 = arith.index_cast %250 : index to i64
      linalg.yield %251 : i64
    } -> tensor<8xi64>
    %expanded_14 = tensor.expand_shape %18 [[0, 1, 2, 3]] output_shape [8, 1, 1, 1] : tensor<8xi64> into tensor<8x1x1x1xi64>
    %expanded_15 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1024, 1] : tensor<1024xi64> into tensor<1x1x1024x1xi64>
    %expanded_16 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1024] : tensor<1024xi64> into tensor<1x1x1x1024xi64>
    %19 = tensor.empty() : tensor<8x1x1024x1xi64>
    %20 = linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14, %expanded_15 : tensor<8x1x1x1xi64>, tensor<1x1x1024x1xi64>) outs(%19 : tensor<8x1x1024x1xi64>) {
    ^bb0(%in: i64, %in_70: i64, %out: i64):
      %250 = arith.cmpi slt, %in, %c0_i64 : i64
      %251 = arith.addi %in, %c8_i64 : i64
      %252 = arith.select %250, %251, %in : i64
      %253 = arith.index_cast %252 : i64 to index
      %254 = arith.cmpi slt, %in_70, %c0_i64 : i64
      %255 = arith.addi %in_70, %c1024_i64 : i64
      %256 = arith.select %254, %255, %in_70 : i64
      %257 = arith.index_cast %256 : i64 to index
      %extracted = tensor.extract %8[%253, %257] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1024x1xi64>
    %21 = tensor.empty() : tensor<8x1x1x1024xi64>
    %22 = linalg.generic {indexing_maps = [#map7, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14, %expanded_16 : tensor<8x1x1x1xi64>, tensor<1x1x1x1024xi64>) outs(%21 : tensor<8x1x1x1024xi64>) {
    ^bb0(%in: i64, %in_70: i64, %out: i64):
      %250 = arith.cmpi slt, %in, %c0_i64 : i64
      %251 = arith.addi %in, %c8_i64 : i64
      %252 = arith.select %250, %251, %in : i64
      %253 = arith.index_cast %252 : i64 to index
      %254 = arith.cmpi slt, %in_70, %c0_i64 : i64
      %255 = arith.addi %in_70, %c1024_i64 : i64
      %256 = arith.select %254, %255, %in_70 : i64
      %257 = arith.index_cast %256 : i64 to index
      %extracted = tensor.extract %8[%253, %257] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1x1024xi64>
    %23 = tensor.empty() : tensor<8x1x1024x1024xi1>
    %24 = linalg.generic {indexing_maps = [#map11, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %20 : tensor<8x1x1x1024xi64>, tensor<8x1x1024x1xi64>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i64, %in_70: i64, %out: i1):
      %250 = arith.cmpi sle, %in, %in_70 : i64
      linalg.yield %250 : i1
    } -> tensor<8x1x1024x1024xi1>
    %25 = linalg.generic {indexing_maps = [#map13, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3, %24 : tensor<i1>, tensor<8x1x1024x1024xi1>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i1, %in_70: i1, %out: i1):
      %250 = arith.andi %in, %in_70 : i1
      linalg.yield %250 : i1
    } -> tensor<8x1x1024x1024xi1>
    %26 = linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14, %expanded_15 : tensor<8x1x1x1xi64>, tensor<1x1x1024x1xi64>) outs(%19 : tensor<8x1x1024x1xi64>) {
    ^bb0(%in: i64, %in_70: i64, %out: i64):
      %250 = arith.cmpi slt, %in, %c0_i64 : i64
      %251 = arith.addi %in, %c8_i64 : i64
      %252 = arith.select %250, %251, %in : i64
      %253 = arith.index_cast %252 : i64 to index
      %254 = arith.cmpi slt, %in_70, %c0_i64 : i64
      %255 = arith.addi %in_70, %c1024_i64 : i64
      %256 = arith.select %254, %255, %in_70 : i64
      %257 = arith.index_cast %256 : i64 to index
      %extracted = tensor.extract %17[%253, %257] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1024x1xi64>
    %27 = linalg.generic {indexing_maps = [#map7, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14, %expanded_16 : tensor<8x1x1x1xi64>, tensor<1x1x1x1024xi64>) outs(%21 : tensor<8x1x1x1024xi64>) {
    ^bb0(%in: i64, %in_70: i64, %out: i64):
      %250 = arith.cmpi slt, %in, %c0_i64 : i64
      %251 = arith.addi %in, %c8_i64 : i64
      %252 = arith.select %250, %251, %in : i64
      %253 = arith.index_cast %252 : i64 to index
      %254 = arith.cmpi slt, %in_70, %c0_i64 : i64
      %255 = arith.addi %in_70, %c1024_i64 : i64
      %256 = arith.select %254, %255, %in_70 : i64
      %257 = arith.index_cast %256 : i64 to index
      %extracted = tensor.extract %17[%253, %257] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1x1024xi64>
    %28 = linalg.generic {indexing_maps = [#map12, #map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %27 : tensor<8x1x1024x1xi64>, tensor<8x1x1x1024xi64>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i64, %in_70: i64, %out: i1):
      %250 = arith.cmpi eq, %in, %in_70 : i64
      linalg.yield %250 : i1
    } -> tensor<8x1x1024x1024xi1>
    %29 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<8x1x1024x1024xi1>, tensor<8x1x1024x1024xi1>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i1, %in_70: i1, %out: i1):
      %250 = arith.andi %in, %in_70 : i1
      linalg.yield %250 : i1
    } -> tensor<8x1x1024x1024xi1>
    %30 = tensor.empty() : tensor<8x1024x768xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %32 = tensor.empty() : tensor<8x1024x1xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<8x1024x1xf32>) -> tensor<8x1024x1xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%31 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %35 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.subf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %36 : tensor<8x1024x768xf32>, tensor<8x1024x768xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%37 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.truncf %cst_7 : f64 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x1xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = math.rsqrt %in : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %41 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42, %arg3 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.mulf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43, %arg4 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed = tensor.collapse_shape %45 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %46 = tensor.empty() : tensor<2304xf32>
    %47 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg6 : tensor<2304xbf16>) outs(%46 : tensor<2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<2304xf32>
    %48 = tensor.empty() : tensor<8192x768xf32>
    %49 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<8192x768xbf16>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %50 = tensor.empty() : tensor<768x2304xf32>
    %51 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<768x2304xbf16>) outs(%50 : tensor<768x2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768x2304xf32>
    %52 = tensor.empty() : tensor<8192x2304xf32>
    %53 = linalg.fill ins(%cst : f32) outs(%52 : tensor<8192x2304xf32>) -> tensor<8192x2304xf32>
    %54 = linalg.matmul ins(%49, %51 : tensor<8192x768xf32>, tensor<768x2304xf32>) outs(%53 : tensor<8192x2304xf32>) -> tensor<8192x2304xf32>
    %55 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<2304xf32>) outs(%52 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x2304xf32>
    %56 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%54, %55 : tensor<8192x2304xf32>, tensor<8192x2304xf32>) outs(%52 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x2304xf32>
    %57 = tensor.empty() : tensor<8192x2304xbf16>
    %58 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%56 : tensor<8192x2304xf32>) outs(%57 : tensor<8192x2304xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x2304xbf16>
    %expanded_17 = tensor.expand_shape %58 [[0, 1], [2]] output_shape [8, 1024, 2304] : tensor<8192x2304xbf16> into tensor<8x1024x2304xbf16>
    %extracted_slice_18 = tensor.extract_slice %expanded_17[0, 0, 0] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_19 = tensor.extract_slice %expanded_17[0, 0, 768] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_20 = tensor.extract_slice %expanded_17[0, 0, 1536] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %expanded_21 = tensor.expand_shape %extracted_slice_19 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %59 = tensor.empty() : tensor<8x12x1024x64xbf16>
    %transposed = linalg.transpose ins(%expanded_21 : tensor<8x1024x12x64xbf16>) outs(%59 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_22 = tensor.expand_shape %extracted_slice_20 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_23 = linalg.transpose ins(%expanded_22 : tensor<8x1024x12x64xbf16>) outs(%59 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_24 = tensor.expand_shape %extracted_slice_18 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<8x1024x12x64xbf16>) outs(%59 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %60 = tensor.empty() : tensor<8x12x1024x64xf32>
    %61 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_25 : tensor<8x12x1024x64xbf16>) outs(%60 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x64xf32>
    %62 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<8x12x1024x64xbf16>) outs(%60 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x64xf32>
    %63 = tensor.empty() : tensor<8x12x64x1024xf32>
    %transposed_26 = linalg.transpose ins(%62 : tensor<8x12x1024x64xf32>) outs(%63 : tensor<8x12x64x1024xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_27 = tensor.collapse_shape %61 [[0, 1], [2], [3]] : tensor<8x12x1024x64xf32> into tensor<96x1024x64xf32>
    %collapsed_28 = tensor.collapse_shape %transposed_26 [[0, 1], [2], [3]] : tensor<8x12x64x1024xf32> into tensor<96x64x1024xf32>
    %64 = tensor.empty() : tensor<96x1024x1024xf32>
    %65 = linalg.fill ins(%cst : f32) outs(%64 : tensor<96x1024x1024xf32>) -> tensor<96x1024x1024xf32>
    %66 = linalg.batch_matmul ins(%collapsed_27, %collapsed_28 : tensor<96x1024x64xf32>, tensor<96x64x1024xf32>) outs(%65 : tensor<96x1024x1024xf32>) -> tensor<96x1024x1024xf32>
    %expanded_29 = tensor.expand_shape %66 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 1024] : tensor<96x1024x1024xf32> into tensor<8x12x1024x1024xf32>
    %67 = tensor.empty() : tensor<8x12x1024x1024xf32>
    %68 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_29 : tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.mulf %in, %cst_9 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %69 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<8x1x1024x1024xi1>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i1, %out: i1):
      %250 = arith.cmpi eq, %in, %false : i1
      linalg.yield %250 : i1
    } -> tensor<8x1x1024x1024xi1>
    %70 = linalg.generic {indexing_maps = [#map16, #map13, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %cst_2, %68 : tensor<8x1x1024x1024xi1>, tensor<f32>, tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_70: f32, %in_71: f32, %out: f32):
      %250 = arith.select %in, %in_70, %in_71 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %71 = tensor.empty() : tensor<8x12x1024xi64>
    %72 = linalg.fill ins(%c0_i64 : i64) outs(%71 : tensor<8x12x1024xi64>) -> tensor<8x12x1024xi64>
    %73 = tensor.empty() : tensor<8x12x1024xf32>
    %74 = linalg.fill ins(%cst_0 : f32) outs(%73 : tensor<8x12x1024xf32>) -> tensor<8x12x1024xf32>
    %75:2 = linalg.generic {indexing_maps = [#map9, #map17, #map17], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%70 : tensor<8x12x1024x1024xf32>) outs(%74, %72 : tensor<8x12x1024xf32>, tensor<8x12x1024xi64>) {
    ^bb0(%in: f32, %out: f32, %out_70: i64):
      %250 = linalg.index 3 : index
      %251 = arith.index_cast %250 : index to i64
      %252 = arith.maximumf %in, %out : f32
      %253 = arith.cmpf ogt, %in, %out : f32
      %254 = arith.select %253, %251, %out_70 : i64
      linalg.yield %252, %254 : f32, i64
    } -> (tensor<8x12x1024xf32>, tensor<8x12x1024xi64>)
    %expanded_30 = tensor.expand_shape %75#0 [[0], [1], [2, 3]] output_shape [8, 12, 1024, 1] : tensor<8x12x1024xf32> into tensor<8x12x1024x1xf32>
    %76 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70, %expanded_30 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.subf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %77 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%76 : tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = math.exp %in : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %78 = tensor.empty() : tensor<8x12x1024x1xf32>
    %79 = linalg.fill ins(%cst : f32) outs(%78 : tensor<8x12x1024x1xf32>) -> tensor<8x12x1024x1xf32>
    %80 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%77 : tensor<8x12x1024x1024xf32>) outs(%79 : tensor<8x12x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1xf32>
    %81 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%77, %80 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.divf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %82 = tensor.empty() : tensor<8x12x1024x1024xi1>
    %83 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70 : tensor<8x12x1024x1024xf32>) outs(%82 : tensor<8x12x1024x1024xi1>) {
    ^bb0(%in: f32, %out: i1):
      %250 = arith.extf %in : f32 to f64
      %251 = arith.cmpf oeq, %250, %cst_6 : f64
      linalg.yield %251 : i1
    } -> tensor<8x12x1024x1024xi1>
    %84 = tensor.empty() : tensor<8x12x1024x1xi1>
    %85 = linalg.fill ins(%true : i1) outs(%84 : tensor<8x12x1024x1xi1>) -> tensor<8x12x1024x1xi1>
    %86 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%83 : tensor<8x12x1024x1024xi1>) outs(%85 : tensor<8x12x1024x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %250 = arith.andi %in, %out : i1
      linalg.yield %250 : i1
    } -> tensor<8x12x1024x1xi1>
    %87 = linalg.generic {indexing_maps = [#map12, #map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86, %cst_1, %81 : tensor<8x12x1024x1xi1>, tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_70: f32, %in_71: f32, %out: f32):
      %250 = arith.select %in, %in_70, %in_71 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %88 = tensor.empty() : tensor<8x12x1024x1024xbf16>
    %89 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%87 : tensor<8x12x1024x1024xf32>) outs(%88 : tensor<8x12x1024x1024xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8x12x1024x1024xbf16>
    %collapsed_31 = tensor.collapse_shape %89 [[0, 1], [2], [3]] : tensor<8x12x1024x1024xbf16> into tensor<96x1024x1024xbf16>
    %collapsed_32 = tensor.collapse_shape %transposed_23 [[0, 1], [2], [3]] : tensor<8x12x1024x64xbf16> into tensor<96x1024x64xbf16>
    %90 = tensor.empty() : tensor<96x1024x64xf32>
    %91 = linalg.fill ins(%cst : f32) outs(%90 : tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32>
    %92 = linalg.batch_matmul ins(%collapsed_31, %collapsed_32 : tensor<96x1024x1024xbf16>, tensor<96x1024x64xbf16>) outs(%91 : tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32>
    %93 = tensor.empty() : tensor<96x1024x64xbf16>
    %94 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<96x1024x64xf32>) outs(%93 : tensor<96x1024x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<96x1024x64xbf16>
    %expanded_33 = tensor.expand_shape %94 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 64] : tensor<96x1024x64xbf16> into tensor<8x12x1024x64xbf16>
    %95 = tensor.empty() : tensor<8x1024x12x64xbf16>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<8x12x1024x64xbf16>) outs(%95 : tensor<8x1024x12x64xbf16>) permutation = [0, 2, 1, 3] 
    %collapsed_35 = tensor.collapse_shape %transposed_34 [[0, 1], [2, 3]] : tensor<8x1024x12x64xbf16> into tensor<8192x768xbf16>
    %96 = tensor.empty() : tensor<768xf32>
    %97 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg8 : tensor<768xbf16>) outs(%96 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768xf32>
    %98 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_35 : tensor<8192x768xbf16>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %99 = tensor.empty() : tensor<768x768xf32>
    %100 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<768x768xbf16>) outs(%99 : tensor<768x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768x768xf32>
    %101 = linalg.fill ins(%cst : f32) outs(%48 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %102 = linalg.matmul ins(%98, %100 : tensor<8192x768xf32>, tensor<768x768xf32>) outs(%101 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %103 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%97 : tensor<768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %104 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%102, %103 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %105 = tensor.empty() : tensor<8192x768xbf16>
    %106 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%104 : tensor<8192x768xf32>) outs(%105 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_36 = tensor.expand_shape %106 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %107 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_36, %6 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.addf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %108 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %109 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%108 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %110 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %111 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%108, %110 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.subf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %112 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111, %111 : tensor<8x1024x768xf32>, tensor<8x1024x768xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%112 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.truncf %cst_7 : f64 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x1xf32>
    %116 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = math.rsqrt %in : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111, %116 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %118 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117, %arg9 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.mulf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %119 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118, %arg10 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %120 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed_37 = tensor.collapse_shape %120 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %121 = tensor.empty() : tensor<3072xf32>
    %122 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg12 : tensor<3072xbf16>) outs(%121 : tensor<3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<3072xf32>
    %123 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_37 : tensor<8192x768xbf16>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %124 = tensor.empty() : tensor<768x3072xf32>
    %125 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<768x3072xbf16>) outs(%124 : tensor<768x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768x3072xf32>
    %126 = tensor.empty() : tensor<8192x3072xf32>
    %127 = linalg.fill ins(%cst : f32) outs(%126 : tensor<8192x3072xf32>) -> tensor<8192x3072xf32>
    %128 = linalg.matmul ins(%123, %125 : tensor<8192x768xf32>, tensor<768x3072xf32>) outs(%127 : tensor<8192x3072xf32>) -> tensor<8192x3072xf32>
    %129 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%122 : tensor<3072xf32>) outs(%126 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x3072xf32>
    %130 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%128, %129 : tensor<8192x3072xf32>, tensor<8192x3072xf32>) outs(%126 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x3072xf32>
    %131 = tensor.empty() : tensor<8192x3072xbf16>
    %132 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%130 : tensor<8192x3072xf32>) outs(%131 : tensor<8192x3072xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x3072xbf16>
    %expanded_38 = tensor.expand_shape %132 [[0, 1], [2]] output_shape [8, 1024, 3072] : tensor<8192x3072xbf16> into tensor<8x1024x3072xbf16>
    %133 = tensor.empty() : tensor<8x1024x3072xbf16>
    %134 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.mulf %in, %cst_10 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %135 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = math.fpowi %in, %c3_i64 : bf16, i64
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %136 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%135 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.truncf %cst_5 : f64 to bf16
      %251 = arith.mulf %in, %250 : bf16
      linalg.yield %251 : bf16
    } -> tensor<8x1024x3072xbf16>
    %137 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38, %136 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.addf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %138 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.truncf %cst_4 : f64 to bf16
      %251 = arith.mulf %in, %250 : bf16
      linalg.yield %251 : bf16
    } -> tensor<8x1024x3072xbf16>
    %139 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = math.tanh %in : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %140 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.addf %in, %cst_11 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %141 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %140 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.mulf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %collapsed_39 = tensor.collapse_shape %141 [[0, 1], [2]] : tensor<8x1024x3072xbf16> into tensor<8192x3072xbf16>
    %142 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg14 : tensor<768xbf16>) outs(%96 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768xf32>
    %143 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_39 : tensor<8192x3072xbf16>) outs(%126 : tensor<8192x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x3072xf32>
    %144 = tensor.empty() : tensor<3072x768xf32>
    %145 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg13 : tensor<3072x768xbf16>) outs(%144 : tensor<3072x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<3072x768xf32>
    %146 = linalg.matmul ins(%143, %145 : tensor<8192x3072xf32>, tensor<3072x768xf32>) outs(%101 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %147 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%142 : tensor<768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %148 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%146, %147 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %149 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%148 : tensor<8192x768xf32>) outs(%105 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_40 = tensor.expand_shape %149 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %150 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %expanded_40 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.addf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %151 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %152 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%151 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %153 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%152 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %154 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%151, %153 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.subf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %155 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%154, %154 : tensor<8x1024x768xf32>, tensor<8x1024x768xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %156 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%155 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %157 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%156 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %158 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%157 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.truncf %cst_7 : f64 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x1xf32>
    %159 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = math.rsqrt %in : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %160 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%154, %159 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %161 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160, %arg15 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.mulf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %162 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%161, %arg16 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %163 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed_41 = tensor.collapse_shape %163 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %164 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg18 : tensor<2304xbf16>) outs(%46 : tensor<2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<2304xf32>
    %165 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_41 : tensor<8192x768xbf16>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %166 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg17 : tensor<768x2304xbf16>) outs(%50 : tensor<768x2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768x2304xf32>
    %167 = linalg.matmul ins(%165, %166 : tensor<8192x768xf32>, tensor<768x2304xf32>) outs(%53 : tensor<8192x2304xf32>) -> tensor<8192x2304xf32>
    %168 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%164 : tensor<2304xf32>) outs(%52 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x2304xf32>
    %169 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%167, %168 : tensor<8192x2304xf32>, tensor<8192x2304xf32>) outs(%52 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x2304xf32>
    %170 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%169 : tensor<8192x2304xf32>) outs(%57 : tensor<8192x2304xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x2304xbf16>
    %expanded_42 = tensor.expand_shape %170 [[0, 1], [2]] output_shape [8, 1024, 2304] : tensor<8192x2304xbf16> into tensor<8x1024x2304xbf16>
    %extracted_slice_43 = tensor.extract_slice %expanded_42[0, 0, 0] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_44 = tensor.extract_slice %expanded_42[0, 0, 768] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_45 = tensor.extract_slice %expanded_42[0, 0, 1536] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %expanded_46 = tensor.expand_shape %extracted_slice_44 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_47 = linalg.transpose ins(%expanded_46 : tensor<8x1024x12x64xbf16>) outs(%59 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_48 = tensor.expand_shape %extracted_slice_45 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_49 = linalg.transpose ins(%expanded_48 : tensor<8x1024x12x64xbf16>) outs(%59 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_50 = tensor.expand_shape %extracted_slice_43 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_51 = linalg.transpose ins(%expanded_50 : tensor<8x1024x12x64xbf16>) outs(%59 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %171 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_51 : tensor<8x12x1024x64xbf16>) outs(%60 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x64xf32>
    %172 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_47 : tensor<8x12x1024x64xbf16>) outs(%60 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x64xf32>
    %transposed_52 = linalg.transpose ins(%172 : tensor<8x12x1024x64xf32>) outs(%63 : tensor<8x12x64x1024xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_53 = tensor.collapse_shape %171 [[0, 1], [2], [3]] : tensor<8x12x1024x64xf32> into tensor<96x1024x64xf32>
    %collapsed_54 = tensor.collapse_shape %transposed_52 [[0, 1], [2], [3]] : tensor<8x12x64x1024xf32> into tensor<96x64x1024xf32>
    %173 = linalg.batch_matmul ins(%collapsed_53, %collapsed_54 : tensor<96x1024x64xf32>, tensor<96x64x1024xf32>) outs(%65 : tensor<96x1024x1024xf32>) -> tensor<96x1024x1024xf32>
    %expanded_55 = tensor.expand_shape %173 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 1024] : tensor<96x1024x1024xf32> into tensor<8x12x1024x1024xf32>
    %174 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_55 : tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.mulf %in, %cst_9 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %175 = linalg.generic {indexing_maps = [#map16, #map13, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %cst_2, %174 : tensor<8x1x1024x1024xi1>, tensor<f32>, tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_70: f32, %in_71: f32, %out: f32):
      %250 = arith.select %in, %in_70, %in_71 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %176:2 = linalg.generic {indexing_maps = [#map9, #map17, #map17], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%175 : tensor<8x12x1024x1024xf32>) outs(%74, %72 : tensor<8x12x1024xf32>, tensor<8x12x1024xi64>) {
    ^bb0(%in: f32, %out: f32, %out_70: i64):
      %250 = linalg.index 3 : index
      %251 = arith.index_cast %250 : index to i64
      %252 = arith.maximumf %in, %out : f32
      %253 = arith.cmpf ogt, %in, %out : f32
      %254 = arith.select %253, %251, %out_70 : i64
      linalg.yield %252, %254 : f32, i64
    } -> (tensor<8x12x1024xf32>, tensor<8x12x1024xi64>)
    %expanded_56 = tensor.expand_shape %176#0 [[0], [1], [2, 3]] output_shape [8, 12, 1024, 1] : tensor<8x12x1024xf32> into tensor<8x12x1024x1xf32>
    %177 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%175, %expanded_56 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.subf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %178 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%177 : tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = math.exp %in : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %179 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%178 : tensor<8x12x1024x1024xf32>) outs(%79 : tensor<8x12x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1xf32>
    %180 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%178, %179 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.divf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %181 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%175 : tensor<8x12x1024x1024xf32>) outs(%82 : tensor<8x12x1024x1024xi1>) {
    ^bb0(%in: f32, %out: i1):
      %250 = arith.extf %in : f32 to f64
      %251 = arith.cmpf oeq, %250, %cst_6 : f64
      linalg.yield %251 : i1
    } -> tensor<8x12x1024x1024xi1>
    %182 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%181 : tensor<8x12x1024x1024xi1>) outs(%85 : tensor<8x12x1024x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %250 = arith.andi %in, %out : i1
      linalg.yield %250 : i1
    } -> tensor<8x12x1024x1xi1>
    %183 = linalg.generic {indexing_maps = [#map12, #map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%182, %cst_1, %180 : tensor<8x12x1024x1xi1>, tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1024xf32>) outs(%67 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_70: f32, %in_71: f32, %out: f32):
      %250 = arith.select %in, %in_70, %in_71 : f32
      linalg.yield %250 : f32
    } -> tensor<8x12x1024x1024xf32>
    %184 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%183 : tensor<8x12x1024x1024xf32>) outs(%88 : tensor<8x12x1024x1024xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8x12x1024x1024xbf16>
    %collapsed_57 = tensor.collapse_shape %184 [[0, 1], [2], [3]] : tensor<8x12x1024x1024xbf16> into tensor<96x1024x1024xbf16>
    %collapsed_58 = tensor.collapse_shape %transposed_49 [[0, 1], [2], [3]] : tensor<8x12x1024x64xbf16> into tensor<96x1024x64xbf16>
    %185 = linalg.batch_matmul ins(%collapsed_57, %collapsed_58 : tensor<96x1024x1024xbf16>, tensor<96x1024x64xbf16>) outs(%91 : tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32>
    %186 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%185 : tensor<96x1024x64xf32>) outs(%93 : tensor<96x1024x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<96x1024x64xbf16>
    %expanded_59 = tensor.expand_shape %186 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 64] : tensor<96x1024x64xbf16> into tensor<8x12x1024x64xbf16>
    %transposed_60 = linalg.transpose ins(%expanded_59 : tensor<8x12x1024x64xbf16>) outs(%95 : tensor<8x1024x12x64xbf16>) permutation = [0, 2, 1, 3] 
    %collapsed_61 = tensor.collapse_shape %transposed_60 [[0, 1], [2, 3]] : tensor<8x1024x12x64xbf16> into tensor<8192x768xbf16>
    %187 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg20 : tensor<768xbf16>) outs(%96 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768xf32>
    %188 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_61 : tensor<8192x768xbf16>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %189 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg19 : tensor<768x768xbf16>) outs(%99 : tensor<768x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768x768xf32>
    %190 = linalg.matmul ins(%188, %189 : tensor<8192x768xf32>, tensor<768x768xf32>) outs(%101 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %191 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%187 : tensor<768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %192 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%190, %191 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %193 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%192 : tensor<8192x768xf32>) outs(%105 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_62 = tensor.expand_shape %193 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %194 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_62, %150 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.addf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %195 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %196 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%195 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %197 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%196 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %198 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%195, %197 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.subf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %199 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%198, %198 : tensor<8x1024x768xf32>, tensor<8x1024x768xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %200 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%199 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %201 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%200 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %202 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%201 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.truncf %cst_7 : f64 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x1xf32>
    %203 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%202 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = math.rsqrt %in : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %204 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%198, %203 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %205 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%204, %arg21 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.mulf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %206 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%205, %arg22 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %207 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%206 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed_63 = tensor.collapse_shape %207 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %208 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg24 : tensor<3072xbf16>) outs(%121 : tensor<3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<3072xf32>
    %209 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_63 : tensor<8192x768xbf16>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %210 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg23 : tensor<768x3072xbf16>) outs(%124 : tensor<768x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768x3072xf32>
    %211 = linalg.matmul ins(%209, %210 : tensor<8192x768xf32>, tensor<768x3072xf32>) outs(%127 : tensor<8192x3072xf32>) -> tensor<8192x3072xf32>
    %212 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%208 : tensor<3072xf32>) outs(%126 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x3072xf32>
    %213 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%211, %212 : tensor<8192x3072xf32>, tensor<8192x3072xf32>) outs(%126 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x3072xf32>
    %214 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%213 : tensor<8192x3072xf32>) outs(%131 : tensor<8192x3072xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x3072xbf16>
    %expanded_64 = tensor.expand_shape %214 [[0, 1], [2]] output_shape [8, 1024, 3072] : tensor<8192x3072xbf16> into tensor<8x1024x3072xbf16>
    %215 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_64 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.mulf %in, %cst_10 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %216 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_64 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = math.fpowi %in, %c3_i64 : bf16, i64
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %217 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%216 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.truncf %cst_5 : f64 to bf16
      %251 = arith.mulf %in, %250 : bf16
      linalg.yield %251 : bf16
    } -> tensor<8x1024x3072xbf16>
    %218 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_64, %217 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.addf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %219 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%218 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.truncf %cst_4 : f64 to bf16
      %251 = arith.mulf %in, %250 : bf16
      linalg.yield %251 : bf16
    } -> tensor<8x1024x3072xbf16>
    %220 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%219 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = math.tanh %in : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %221 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%220 : tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %250 = arith.addf %in, %cst_11 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %222 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%215, %221 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%133 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.mulf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x3072xbf16>
    %collapsed_65 = tensor.collapse_shape %222 [[0, 1], [2]] : tensor<8x1024x3072xbf16> into tensor<8192x3072xbf16>
    %223 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg26 : tensor<768xbf16>) outs(%96 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<768xf32>
    %224 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_65 : tensor<8192x3072xbf16>) outs(%126 : tensor<8192x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8192x3072xf32>
    %225 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg25 : tensor<3072x768xbf16>) outs(%144 : tensor<3072x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<3072x768xf32>
    %226 = linalg.matmul ins(%224, %225 : tensor<8192x3072xf32>, tensor<3072x768xf32>) outs(%101 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %227 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%223 : tensor<768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %228 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%226, %227 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%48 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.addf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8192x768xf32>
    %229 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%228 : tensor<8192x768xf32>) outs(%105 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_66 = tensor.expand_shape %229 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %230 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194, %expanded_66 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_70: bf16, %out: bf16):
      %250 = arith.addf %in, %in_70 : bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %231 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%230 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %250 = arith.extf %in : bf16 to f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %232 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%231 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %233 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%232 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %234 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%231, %233 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.subf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %235 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%234, %234 : tensor<8x1024x768xf32>, tensor<8x1024x768xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %236 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%235 : tensor<8x1024x768xf32>) outs(%33 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.addf %in, %out : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %237 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%236 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.divf %in, %cst_8 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %238 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%237 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = arith.truncf %cst_7 : f64 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x1xf32>
    %239 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%238 : tensor<8x1024x1xf32>) outs(%32 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %250 = math.rsqrt %in : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x1xf32>
    %240 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%234, %239 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: f32, %out: f32):
      %250 = arith.mulf %in, %in_70 : f32
      linalg.yield %250 : f32
    } -> tensor<8x1024x768xf32>
    %241 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%240, %arg27 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.mulf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %242 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%241, %arg28 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_70: bf16, %out: f32):
      %250 = arith.extf %in_70 : bf16 to f32
      %251 = arith.addf %in, %250 : f32
      linalg.yield %251 : f32
    } -> tensor<8x1024x768xf32>
    %243 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%242 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8x1024x768xbf16>
    %244 = tensor.empty() : tensor<768x50257xbf16>
    %transposed_67 = linalg.transpose ins(%arg1 : tensor<50257x768xbf16>) outs(%244 : tensor<768x50257xbf16>) permutation = [1, 0] 
    %collapsed_68 = tensor.collapse_shape %243 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %245 = tensor.empty() : tensor<8192x50257xf32>
    %246 = linalg.fill ins(%cst : f32) outs(%245 : tensor<8192x50257xf32>) -> tensor<8192x50257xf32>
    %247 = linalg.matmul ins(%collapsed_68, %transposed_67 : tensor<8192x768xbf16>, tensor<768x50257xbf16>) outs(%246 : tensor<8192x50257xf32>) -> tensor<8192x50257xf32>
    %248 = tensor.empty() : tensor<8192x50257xbf16>
    %249 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%247 : tensor<8192x50257xf32>) outs(%248 : tensor<8192x50257xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %250 = arith.truncf %in : f32 to bf16
      linalg.yield %250 : bf16
    } -> tensor<8192x50257xbf16>
    %expanded_69 = tensor.expand_shape %249 [[0, 1], [2]] output_shape [8, 1024, 50257] : tensor<8192x50257xbf16> into tensor<8x1024x50257xbf16>
    return %expanded_69 : tensor<8x1024x50257xbf16>
  }
}

