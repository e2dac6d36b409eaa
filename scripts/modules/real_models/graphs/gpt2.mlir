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
  func.func @main(%arg0: tensor<8x1024xi64>, %arg1: tensor<50257x768xbf16>, %arg2: tensor<1024x768xbf16>, %arg3: tensor<768xbf16>, %arg4: tensor<768xbf16>, %arg5: tensor<768x2304xbf16>, %arg6: tensor<2304xbf16>, %arg7: tensor<768x768xbf16>, %arg8: tensor<768xbf16>, %arg9: tensor<768xbf16>, %arg10: tensor<768xbf16>, %arg11: tensor<768x3072xbf16>, %arg12: tensor<3072xbf16>, %arg13: tensor<3072x768xbf16>, %arg14: tensor<768xbf16>, %arg15: tensor<768xbf16>, %arg16: tensor<768xbf16>, %arg17: tensor<768x2304xbf16>, %arg18: tensor<2304xbf16>, %arg19: tensor<768x768xbf16>, %arg20: tensor<768xbf16>, %arg21: tensor<768xbf16>, %arg22: tensor<768xbf16>, %arg23: tensor<768x3072xbf16>, %arg24: tensor<3072xbf16>, %arg25: tensor<3072x768xbf16>, %arg26: tensor<768xbf16>, %arg27: tensor<768xbf16>, %arg28: tensor<768xbf16>) -> tensor<8x1024x50257xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %c3_i64 = arith.constant 3 : i64
    %c8_i64 = arith.constant 8 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1024_i64 = arith.constant 1024 : i64
    %c1024 = arith.constant 1024 : index
    %c50257 = arith.constant 50257 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<8x12x1024x1024xf32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<true> : tensor<i1>
    %cst_5 = arith.constant 0.79788456080286541 : f64
    %cst_6 = arith.constant 4.471500e-02 : f64
    %cst_7 = arith.constant 0xFFF0000000000000 : f64
    %cst_8 = arith.constant 1.000000e-05 : f64
    %cst_9 = arith.constant 7.680000e+02 : f64
    %cst_10 = arith.constant 7.680000e+02 : f32
    %cst_11 = arith.constant 1.250000e-01 : f32
    %false = arith.constant false
    %cst_12 = arith.constant 5.000000e-01 : bf16
    %cst_13 = arith.constant 1.000000e+00 : bf16
    %0 = tensor.empty() : tensor<8x1024x768xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<8x1024xi64>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: i64, %out: bf16):
      %278 = arith.index_cast %in : i64 to index
      %279 = linalg.index 2 : index
      %280 = arith.cmpi slt, %278, %c50257 : index
      cf.assert %280, "index must be smaller than dim size"
      %281 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %281, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%278, %279] : tensor<50257x768xbf16>
      linalg.yield %extracted : bf16
    } -> tensor<8x1024x768xbf16>
    %2 = tensor.empty() : tensor<1024xi64>
    %3 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%2 : tensor<1024xi64>) {
    ^bb0(%out: i64):
      %278 = linalg.index 0 : index
      %279 = arith.index_cast %278 : index to i64
      linalg.yield %279 : i64
    } -> tensor<1024xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [1, 1024] : tensor<1024xi64> into tensor<1x1024xi64>
    %4 = tensor.empty() : tensor<1x1024x768xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x1024xi64>) outs(%4 : tensor<1x1024x768xbf16>) {
    ^bb0(%in: i64, %out: bf16):
      %278 = arith.index_cast %in : i64 to index
      %279 = linalg.index 2 : index
      %280 = arith.cmpi slt, %278, %c1024 : index
      cf.assert %280, "index must be smaller than dim size"
      %281 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %281, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg2[%278, %279] : tensor<1024x768xbf16>
      linalg.yield %extracted : bf16
    } -> tensor<1x1024x768xbf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<8x1024x768xbf16>, tensor<1x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.addf %in, %in_72 : bf16
      linalg.yield %278 : bf16
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
      %278 = arith.subi %in, %c1_i64 : i64
      linalg.yield %278 : i64
    } -> tensor<8x1xi64>
    %concat = tensor.concat dim(1) %10, %8 : (tensor<8x1xi64>, tensor<8x1024xi64>) -> tensor<8x1025xi64>
    %extracted_slice_14 = tensor.extract_slice %concat[0, 0] [8, 1024] [1, 1] : tensor<8x1025xi64> to tensor<8x1024xi64>
    %extracted_slice_15 = tensor.extract_slice %concat[0, 1] [8, 1024] [1, 1] : tensor<8x1025xi64> to tensor<8x1024xi64>
    %11 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_15, %extracted_slice_14 : tensor<8x1024xi64>, tensor<8x1024xi64>) outs(%7 : tensor<8x1024xi64>) {
    ^bb0(%in: i64, %in_72: i64, %out: i64):
      %278 = arith.subi %in, %in_72 : i64
      linalg.yield %278 : i64
    } -> tensor<8x1024xi64>
    %12 = tensor.empty() : tensor<8x1024xi1>
    %13 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<8x1024xi64>) outs(%12 : tensor<8x1024xi1>) {
    ^bb0(%in: i64, %out: i1):
      %278 = arith.cmpi ne, %in, %c1_i64 : i64
      linalg.yield %278 : i1
    } -> tensor<8x1024xi1>
    %14 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<8x1024xi1>) outs(%7 : tensor<8x1024xi64>) {
    ^bb0(%in: i1, %out: i64):
      %278 = arith.extui %in : i1 to i64
      linalg.yield %278 : i64
    } -> tensor<8x1024xi64>
    %15 = tensor.empty() : tensor<8xi64>
    %16 = linalg.fill ins(%c0_i64 : i64) outs(%7 : tensor<8x1024xi64>) -> tensor<8x1024xi64>
    %17 = linalg.generic {indexing_maps = [#map6, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<8x1024xi64>) outs(%16 : tensor<8x1024xi64>) {
    ^bb0(%in: i64, %out: i64):
      %278 = linalg.index 1 : index
      %279 = linalg.index 2 : index
      %280 = arith.cmpi ule, %279, %278 : index
      %281 = arith.select %280, %in, %c0_i64 : i64
      %282 = arith.addi %out, %281 : i64
      linalg.yield %282 : i64
    } -> tensor<8x1024xi64>
    %18 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%15 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %278 = linalg.index 0 : index
      %279 = arith.index_cast %278 : index to i64
      linalg.yield %279 : i64
    } -> tensor<8xi64>
    %expanded_16 = tensor.expand_shape %18 [[0, 1, 2, 3]] output_shape [8, 1, 1, 1] : tensor<8xi64> into tensor<8x1x1x1xi64>
    %expanded_17 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1024, 1] : tensor<1024xi64> into tensor<1x1x1024x1xi64>
    %expanded_18 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1024] : tensor<1024xi64> into tensor<1x1x1x1024xi64>
    %19 = tensor.empty() : tensor<8x1x1024x1xi64>
    %20 = linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_16, %expanded_17 : tensor<8x1x1x1xi64>, tensor<1x1x1024x1xi64>) outs(%19 : tensor<8x1x1024x1xi64>) {
    ^bb0(%in: i64, %in_72: i64, %out: i64):
      %278 = arith.cmpi slt, %in, %c0_i64 : i64
      %279 = arith.addi %in, %c8_i64 : i64
      %280 = arith.select %278, %279, %in : i64
      %281 = arith.index_cast %280 : i64 to index
      %282 = arith.cmpi slt, %in_72, %c0_i64 : i64
      %283 = arith.addi %in_72, %c1024_i64 : i64
      %284 = arith.select %282, %283, %in_72 : i64
      %285 = arith.index_cast %284 : i64 to index
      %extracted = tensor.extract %8[%281, %285] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1024x1xi64>
    %21 = tensor.empty() : tensor<8x1x1x1024xi64>
    %22 = linalg.generic {indexing_maps = [#map7, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_16, %expanded_18 : tensor<8x1x1x1xi64>, tensor<1x1x1x1024xi64>) outs(%21 : tensor<8x1x1x1024xi64>) {
    ^bb0(%in: i64, %in_72: i64, %out: i64):
      %278 = arith.cmpi slt, %in, %c0_i64 : i64
      %279 = arith.addi %in, %c8_i64 : i64
      %280 = arith.select %278, %279, %in : i64
      %281 = arith.index_cast %280 : i64 to index
      %282 = arith.cmpi slt, %in_72, %c0_i64 : i64
      %283 = arith.addi %in_72, %c1024_i64 : i64
      %284 = arith.select %282, %283, %in_72 : i64
      %285 = arith.index_cast %284 : i64 to index
      %extracted = tensor.extract %8[%281, %285] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1x1024xi64>
    %23 = tensor.empty() : tensor<8x1x1024x1024xi1>
    %24 = linalg.generic {indexing_maps = [#map11, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %20 : tensor<8x1x1x1024xi64>, tensor<8x1x1024x1xi64>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i64, %in_72: i64, %out: i1):
      %278 = arith.cmpi sle, %in, %in_72 : i64
      linalg.yield %278 : i1
    } -> tensor<8x1x1024x1024xi1>
    %25 = linalg.generic {indexing_maps = [#map13, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4, %24 : tensor<i1>, tensor<8x1x1024x1024xi1>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i1, %in_72: i1, %out: i1):
      %278 = arith.andi %in, %in_72 : i1
      linalg.yield %278 : i1
    } -> tensor<8x1x1024x1024xi1>
    %26 = linalg.generic {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_16, %expanded_17 : tensor<8x1x1x1xi64>, tensor<1x1x1024x1xi64>) outs(%19 : tensor<8x1x1024x1xi64>) {
    ^bb0(%in: i64, %in_72: i64, %out: i64):
      %278 = arith.cmpi slt, %in, %c0_i64 : i64
      %279 = arith.addi %in, %c8_i64 : i64
      %280 = arith.select %278, %279, %in : i64
      %281 = arith.index_cast %280 : i64 to index
      %282 = arith.cmpi slt, %in_72, %c0_i64 : i64
      %283 = arith.addi %in_72, %c1024_i64 : i64
      %284 = arith.select %282, %283, %in_72 : i64
      %285 = arith.index_cast %284 : i64 to index
      %extracted = tensor.extract %17[%281, %285] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1024x1xi64>
    %27 = linalg.generic {indexing_maps = [#map7, #map10, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_16, %expanded_18 : tensor<8x1x1x1xi64>, tensor<1x1x1x1024xi64>) outs(%21 : tensor<8x1x1x1024xi64>) {
    ^bb0(%in: i64, %in_72: i64, %out: i64):
      %278 = arith.cmpi slt, %in, %c0_i64 : i64
      %279 = arith.addi %in, %c8_i64 : i64
      %280 = arith.select %278, %279, %in : i64
      %281 = arith.index_cast %280 : i64 to index
      %282 = arith.cmpi slt, %in_72, %c0_i64 : i64
      %283 = arith.addi %in_72, %c1024_i64 : i64
      %284 = arith.select %282, %283, %in_72 : i64
      %285 = arith.index_cast %284 : i64 to index
      %extracted = tensor.extract %17[%281, %285] : tensor<8x1024xi64>
      linalg.yield %extracted : i64
    } -> tensor<8x1x1x1024xi64>
    %28 = linalg.generic {indexing_maps = [#map12, #map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %27 : tensor<8x1x1024x1xi64>, tensor<8x1x1x1024xi64>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i64, %in_72: i64, %out: i1):
      %278 = arith.cmpi eq, %in, %in_72 : i64
      linalg.yield %278 : i1
    } -> tensor<8x1x1024x1024xi1>
    %29 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<8x1x1024x1024xi1>, tensor<8x1x1024x1024xi1>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i1, %in_72: i1, %out: i1):
      %278 = arith.andi %in, %in_72 : i1
      linalg.yield %278 : i1
    } -> tensor<8x1x1024x1024xi1>
    %30 = tensor.empty() : tensor<8x1024x768xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %32 = tensor.empty() : tensor<8x1024x768xf64>
    %33 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<8x1024x768xf32>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %278 = arith.extf %in : f32 to f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %34 = tensor.empty() : tensor<8x1024x1xf64>
    %35 = linalg.fill ins(%cst : f64) outs(%34 : tensor<8x1024x1xf64>) -> tensor<8x1024x1xf64>
    %36 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%33 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %38 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %37 : tensor<8x1024x768xf64>, tensor<8x1024x1xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.subf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38, %38 : tensor<8x1024x768xf64>, tensor<8x1024x768xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.mulf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %40 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%39 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %42 = tensor.empty() : tensor<8x1024x1xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<8x1024x1xf64>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %278 = arith.truncf %in : f64 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %44 = linalg.fill ins(%cst_0 : f32) outs(%42 : tensor<8x1024x1xf32>) -> tensor<8x1024x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%31 : tensor<8x1024x768xf32>) outs(%44 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.addf %in, %out : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.divf %in, %cst_10 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.truncf %cst_8 : f64 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x1xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = math.rsqrt %in : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %46 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.subf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %48 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.mulf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %51 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %arg3 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.mulf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %arg4 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed = tensor.collapse_shape %53 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %54 = tensor.empty() : tensor<2304xf32>
    %55 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg6 : tensor<2304xbf16>) outs(%54 : tensor<2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<2304xf32>
    %56 = tensor.empty() : tensor<8192x768xf32>
    %57 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<8192x768xbf16>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %58 = tensor.empty() : tensor<768x2304xf32>
    %59 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<768x2304xbf16>) outs(%58 : tensor<768x2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768x2304xf32>
    %60 = tensor.empty() : tensor<8192x2304xf32>
    %61 = linalg.fill ins(%cst_0 : f32) outs(%60 : tensor<8192x2304xf32>) -> tensor<8192x2304xf32>
    %62 = linalg.matmul ins(%57, %59 : tensor<8192x768xf32>, tensor<768x2304xf32>) outs(%61 : tensor<8192x2304xf32>) -> tensor<8192x2304xf32>
    %63 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%55 : tensor<2304xf32>) outs(%60 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x2304xf32>
    %64 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%62, %63 : tensor<8192x2304xf32>, tensor<8192x2304xf32>) outs(%60 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x2304xf32>
    %65 = tensor.empty() : tensor<8192x2304xbf16>
    %66 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%64 : tensor<8192x2304xf32>) outs(%65 : tensor<8192x2304xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x2304xbf16>
    %expanded_19 = tensor.expand_shape %66 [[0, 1], [2]] output_shape [8, 1024, 2304] : tensor<8192x2304xbf16> into tensor<8x1024x2304xbf16>
    %extracted_slice_20 = tensor.extract_slice %expanded_19[0, 0, 0] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_21 = tensor.extract_slice %expanded_19[0, 0, 768] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_22 = tensor.extract_slice %expanded_19[0, 0, 1536] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %expanded_23 = tensor.expand_shape %extracted_slice_21 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %67 = tensor.empty() : tensor<8x12x1024x64xbf16>
    %transposed = linalg.transpose ins(%expanded_23 : tensor<8x1024x12x64xbf16>) outs(%67 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_24 = tensor.expand_shape %extracted_slice_22 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<8x1024x12x64xbf16>) outs(%67 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_26 = tensor.expand_shape %extracted_slice_20 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_27 = linalg.transpose ins(%expanded_26 : tensor<8x1024x12x64xbf16>) outs(%67 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %68 = tensor.empty() : tensor<8x12x1024x64xf32>
    %69 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_27 : tensor<8x12x1024x64xbf16>) outs(%68 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x64xf32>
    %70 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<8x12x1024x64xbf16>) outs(%68 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x64xf32>
    %71 = tensor.empty() : tensor<8x12x64x1024xf32>
    %transposed_28 = linalg.transpose ins(%70 : tensor<8x12x1024x64xf32>) outs(%71 : tensor<8x12x64x1024xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_29 = tensor.collapse_shape %69 [[0, 1], [2], [3]] : tensor<8x12x1024x64xf32> into tensor<96x1024x64xf32>
    %collapsed_30 = tensor.collapse_shape %transposed_28 [[0, 1], [2], [3]] : tensor<8x12x64x1024xf32> into tensor<96x64x1024xf32>
    %72 = tensor.empty() : tensor<96x1024x1024xf32>
    %73 = linalg.fill ins(%cst_0 : f32) outs(%72 : tensor<96x1024x1024xf32>) -> tensor<96x1024x1024xf32>
    %74 = linalg.batch_matmul ins(%collapsed_29, %collapsed_30 : tensor<96x1024x64xf32>, tensor<96x64x1024xf32>) outs(%73 : tensor<96x1024x1024xf32>) -> tensor<96x1024x1024xf32>
    %expanded_31 = tensor.expand_shape %74 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 1024] : tensor<96x1024x1024xf32> into tensor<8x12x1024x1024xf32>
    %75 = tensor.empty() : tensor<8x12x1024x1024xf32>
    %76 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.mulf %in, %cst_11 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %77 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<8x1x1024x1024xi1>) outs(%23 : tensor<8x1x1024x1024xi1>) {
    ^bb0(%in: i1, %out: i1):
      %278 = arith.cmpi eq, %in, %false : i1
      linalg.yield %278 : i1
    } -> tensor<8x1x1024x1024xi1>
    %78 = linalg.generic {indexing_maps = [#map16, #map13, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%77, %cst_3, %76 : tensor<8x1x1024x1024xi1>, tensor<f32>, tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_72: f32, %in_73: f32, %out: f32):
      %278 = arith.select %in, %in_72, %in_73 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %79 = tensor.empty() : tensor<8x12x1024xi64>
    %80 = linalg.fill ins(%c0_i64 : i64) outs(%79 : tensor<8x12x1024xi64>) -> tensor<8x12x1024xi64>
    %81 = tensor.empty() : tensor<8x12x1024xf32>
    %82 = linalg.fill ins(%cst_1 : f32) outs(%81 : tensor<8x12x1024xf32>) -> tensor<8x12x1024xf32>
    %83:2 = linalg.generic {indexing_maps = [#map9, #map17, #map17], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%78 : tensor<8x12x1024x1024xf32>) outs(%82, %80 : tensor<8x12x1024xf32>, tensor<8x12x1024xi64>) {
    ^bb0(%in: f32, %out: f32, %out_72: i64):
      %278 = linalg.index 3 : index
      %279 = arith.index_cast %278 : index to i64
      %280 = arith.maximumf %in, %out : f32
      %281 = arith.cmpf ogt, %in, %out : f32
      %282 = arith.select %281, %279, %out_72 : i64
      linalg.yield %280, %282 : f32, i64
    } -> (tensor<8x12x1024xf32>, tensor<8x12x1024xi64>)
    %expanded_32 = tensor.expand_shape %83#0 [[0], [1], [2, 3]] output_shape [8, 12, 1024, 1] : tensor<8x12x1024xf32> into tensor<8x12x1024x1xf32>
    %84 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78, %expanded_32 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.subf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %85 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84 : tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = math.exp %in : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %86 = tensor.empty() : tensor<8x12x1024x1xf32>
    %87 = linalg.fill ins(%cst_0 : f32) outs(%86 : tensor<8x12x1024x1xf32>) -> tensor<8x12x1024x1xf32>
    %88 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%85 : tensor<8x12x1024x1024xf32>) outs(%87 : tensor<8x12x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.addf %in, %out : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1xf32>
    %89 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85, %88 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.divf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %90 = tensor.empty() : tensor<8x12x1024x1024xi1>
    %91 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78 : tensor<8x12x1024x1024xf32>) outs(%90 : tensor<8x12x1024x1024xi1>) {
    ^bb0(%in: f32, %out: i1):
      %278 = arith.extf %in : f32 to f64
      %279 = arith.cmpf oeq, %278, %cst_7 : f64
      linalg.yield %279 : i1
    } -> tensor<8x12x1024x1024xi1>
    %92 = tensor.empty() : tensor<8x12x1024x1xi1>
    %93 = linalg.fill ins(%true : i1) outs(%92 : tensor<8x12x1024x1xi1>) -> tensor<8x12x1024x1xi1>
    %94 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%91 : tensor<8x12x1024x1024xi1>) outs(%93 : tensor<8x12x1024x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %278 = arith.andi %in, %out : i1
      linalg.yield %278 : i1
    } -> tensor<8x12x1024x1xi1>
    %95 = linalg.generic {indexing_maps = [#map12, #map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%94, %cst_2, %89 : tensor<8x12x1024x1xi1>, tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_72: f32, %in_73: f32, %out: f32):
      %278 = arith.select %in, %in_72, %in_73 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %96 = tensor.empty() : tensor<8x12x1024x1024xbf16>
    %97 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%95 : tensor<8x12x1024x1024xf32>) outs(%96 : tensor<8x12x1024x1024xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8x12x1024x1024xbf16>
    %collapsed_33 = tensor.collapse_shape %97 [[0, 1], [2], [3]] : tensor<8x12x1024x1024xbf16> into tensor<96x1024x1024xbf16>
    %collapsed_34 = tensor.collapse_shape %transposed_25 [[0, 1], [2], [3]] : tensor<8x12x1024x64xbf16> into tensor<96x1024x64xbf16>
    %98 = tensor.empty() : tensor<96x1024x64xf32>
    %99 = linalg.fill ins(%cst_0 : f32) outs(%98 : tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32>
    %100 = linalg.batch_matmul ins(%collapsed_33, %collapsed_34 : tensor<96x1024x1024xbf16>, tensor<96x1024x64xbf16>) outs(%99 : tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32>
    %101 = tensor.empty() : tensor<96x1024x64xbf16>
    %102 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<96x1024x64xf32>) outs(%101 : tensor<96x1024x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<96x1024x64xbf16>
    %expanded_35 = tensor.expand_shape %102 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 64] : tensor<96x1024x64xbf16> into tensor<8x12x1024x64xbf16>
    %103 = tensor.empty() : tensor<8x1024x12x64xbf16>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<8x12x1024x64xbf16>) outs(%103 : tensor<8x1024x12x64xbf16>) permutation = [0, 2, 1, 3] 
    %collapsed_37 = tensor.collapse_shape %transposed_36 [[0, 1], [2, 3]] : tensor<8x1024x12x64xbf16> into tensor<8192x768xbf16>
    %104 = tensor.empty() : tensor<768xf32>
    %105 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg8 : tensor<768xbf16>) outs(%104 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768xf32>
    %106 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_37 : tensor<8192x768xbf16>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %107 = tensor.empty() : tensor<768x768xf32>
    %108 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<768x768xbf16>) outs(%107 : tensor<768x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768x768xf32>
    %109 = linalg.fill ins(%cst_0 : f32) outs(%56 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %110 = linalg.matmul ins(%106, %108 : tensor<8192x768xf32>, tensor<768x768xf32>) outs(%109 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %111 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%105 : tensor<768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %112 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%110, %111 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %113 = tensor.empty() : tensor<8192x768xbf16>
    %114 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%112 : tensor<8192x768xf32>) outs(%113 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_38 = tensor.expand_shape %114 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %115 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38, %6 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.addf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %116 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<8x1024x768xf32>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %278 = arith.extf %in : f32 to f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %118 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%117 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %119 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%118 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %120 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117, %119 : tensor<8x1024x768xf64>, tensor<8x1024x1xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.subf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %121 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %120 : tensor<8x1024x768xf64>, tensor<8x1024x768xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.mulf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %122 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%121 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %123 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%122 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %124 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%123 : tensor<8x1024x1xf64>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %278 = arith.truncf %in : f64 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%116 : tensor<8x1024x768xf32>) outs(%44 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.addf %in, %out : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %126 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.divf %in, %cst_10 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %127 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%124 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.truncf %cst_8 : f64 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x1xf32>
    %128 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = math.rsqrt %in : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %129 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116, %126 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.subf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %130 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%129, %128 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.mulf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %131 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %arg9 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.mulf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %132 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%131, %arg10 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %133 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed_39 = tensor.collapse_shape %133 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %134 = tensor.empty() : tensor<3072xf32>
    %135 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg12 : tensor<3072xbf16>) outs(%134 : tensor<3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<3072xf32>
    %136 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_39 : tensor<8192x768xbf16>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %137 = tensor.empty() : tensor<768x3072xf32>
    %138 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg11 : tensor<768x3072xbf16>) outs(%137 : tensor<768x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768x3072xf32>
    %139 = tensor.empty() : tensor<8192x3072xf32>
    %140 = linalg.fill ins(%cst_0 : f32) outs(%139 : tensor<8192x3072xf32>) -> tensor<8192x3072xf32>
    %141 = linalg.matmul ins(%136, %138 : tensor<8192x768xf32>, tensor<768x3072xf32>) outs(%140 : tensor<8192x3072xf32>) -> tensor<8192x3072xf32>
    %142 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%135 : tensor<3072xf32>) outs(%139 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x3072xf32>
    %143 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%141, %142 : tensor<8192x3072xf32>, tensor<8192x3072xf32>) outs(%139 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x3072xf32>
    %144 = tensor.empty() : tensor<8192x3072xbf16>
    %145 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%143 : tensor<8192x3072xf32>) outs(%144 : tensor<8192x3072xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x3072xbf16>
    %expanded_40 = tensor.expand_shape %145 [[0, 1], [2]] output_shape [8, 1024, 3072] : tensor<8192x3072xbf16> into tensor<8x1024x3072xbf16>
    %146 = tensor.empty() : tensor<8x1024x3072xbf16>
    %147 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.mulf %in, %cst_12 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %148 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = math.fpowi %in, %c3_i64 : bf16, i64
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %149 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%148 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.truncf %cst_6 : f64 to bf16
      %279 = arith.mulf %in, %278 : bf16
      linalg.yield %279 : bf16
    } -> tensor<8x1024x3072xbf16>
    %150 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_40, %149 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.addf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %151 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.truncf %cst_5 : f64 to bf16
      %279 = arith.mulf %in, %278 : bf16
      linalg.yield %279 : bf16
    } -> tensor<8x1024x3072xbf16>
    %152 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%151 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = math.tanh %in : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %153 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%152 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.addf %in, %cst_13 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %154 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %153 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.mulf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %collapsed_41 = tensor.collapse_shape %154 [[0, 1], [2]] : tensor<8x1024x3072xbf16> into tensor<8192x3072xbf16>
    %155 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg14 : tensor<768xbf16>) outs(%104 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768xf32>
    %156 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_41 : tensor<8192x3072xbf16>) outs(%139 : tensor<8192x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x3072xf32>
    %157 = tensor.empty() : tensor<3072x768xf32>
    %158 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg13 : tensor<3072x768xbf16>) outs(%157 : tensor<3072x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<3072x768xf32>
    %159 = linalg.matmul ins(%156, %158 : tensor<8192x3072xf32>, tensor<3072x768xf32>) outs(%109 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %160 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%155 : tensor<768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %161 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%159, %160 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %162 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%161 : tensor<8192x768xf32>) outs(%113 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_42 = tensor.expand_shape %162 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %163 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115, %expanded_42 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.addf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %164 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%163 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %165 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164 : tensor<8x1024x768xf32>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %278 = arith.extf %in : f32 to f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %166 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%165 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %167 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%166 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %168 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%165, %167 : tensor<8x1024x768xf64>, tensor<8x1024x1xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.subf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %169 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%168, %168 : tensor<8x1024x768xf64>, tensor<8x1024x768xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.mulf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %170 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%169 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %171 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%170 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %172 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%171 : tensor<8x1024x1xf64>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %278 = arith.truncf %in : f64 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %173 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%164 : tensor<8x1024x768xf32>) outs(%44 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.addf %in, %out : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %174 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%173 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.divf %in, %cst_10 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %175 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%172 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.truncf %cst_8 : f64 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x1xf32>
    %176 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%175 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = math.rsqrt %in : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %177 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164, %174 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.subf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %178 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%177, %176 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.mulf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %179 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%178, %arg15 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.mulf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %180 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%179, %arg16 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %181 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%180 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed_43 = tensor.collapse_shape %181 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %182 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg18 : tensor<2304xbf16>) outs(%54 : tensor<2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<2304xf32>
    %183 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_43 : tensor<8192x768xbf16>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %184 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg17 : tensor<768x2304xbf16>) outs(%58 : tensor<768x2304xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768x2304xf32>
    %185 = linalg.matmul ins(%183, %184 : tensor<8192x768xf32>, tensor<768x2304xf32>) outs(%61 : tensor<8192x2304xf32>) -> tensor<8192x2304xf32>
    %186 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%182 : tensor<2304xf32>) outs(%60 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x2304xf32>
    %187 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%185, %186 : tensor<8192x2304xf32>, tensor<8192x2304xf32>) outs(%60 : tensor<8192x2304xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x2304xf32>
    %188 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%187 : tensor<8192x2304xf32>) outs(%65 : tensor<8192x2304xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x2304xbf16>
    %expanded_44 = tensor.expand_shape %188 [[0, 1], [2]] output_shape [8, 1024, 2304] : tensor<8192x2304xbf16> into tensor<8x1024x2304xbf16>
    %extracted_slice_45 = tensor.extract_slice %expanded_44[0, 0, 0] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_46 = tensor.extract_slice %expanded_44[0, 0, 768] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %extracted_slice_47 = tensor.extract_slice %expanded_44[0, 0, 1536] [8, 1024, 768] [1, 1, 1] : tensor<8x1024x2304xbf16> to tensor<8x1024x768xbf16>
    %expanded_48 = tensor.expand_shape %extracted_slice_46 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_49 = linalg.transpose ins(%expanded_48 : tensor<8x1024x12x64xbf16>) outs(%67 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_50 = tensor.expand_shape %extracted_slice_47 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_51 = linalg.transpose ins(%expanded_50 : tensor<8x1024x12x64xbf16>) outs(%67 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_52 = tensor.expand_shape %extracted_slice_45 [[0], [1], [2, 3]] output_shape [8, 1024, 12, 64] : tensor<8x1024x768xbf16> into tensor<8x1024x12x64xbf16>
    %transposed_53 = linalg.transpose ins(%expanded_52 : tensor<8x1024x12x64xbf16>) outs(%67 : tensor<8x12x1024x64xbf16>) permutation = [0, 2, 1, 3] 
    %189 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_53 : tensor<8x12x1024x64xbf16>) outs(%68 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x64xf32>
    %190 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_49 : tensor<8x12x1024x64xbf16>) outs(%68 : tensor<8x12x1024x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x64xf32>
    %transposed_54 = linalg.transpose ins(%190 : tensor<8x12x1024x64xf32>) outs(%71 : tensor<8x12x64x1024xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_55 = tensor.collapse_shape %189 [[0, 1], [2], [3]] : tensor<8x12x1024x64xf32> into tensor<96x1024x64xf32>
    %collapsed_56 = tensor.collapse_shape %transposed_54 [[0, 1], [2], [3]] : tensor<8x12x64x1024xf32> into tensor<96x64x1024xf32>
    %191 = linalg.batch_matmul ins(%collapsed_55, %collapsed_56 : tensor<96x1024x64xf32>, tensor<96x64x1024xf32>) outs(%73 : tensor<96x1024x1024xf32>) -> tensor<96x1024x1024xf32>
    %expanded_57 = tensor.expand_shape %191 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 1024] : tensor<96x1024x1024xf32> into tensor<8x12x1024x1024xf32>
    %192 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_57 : tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.mulf %in, %cst_11 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %193 = linalg.generic {indexing_maps = [#map16, #map13, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%77, %cst_3, %192 : tensor<8x1x1024x1024xi1>, tensor<f32>, tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_72: f32, %in_73: f32, %out: f32):
      %278 = arith.select %in, %in_72, %in_73 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %194:2 = linalg.generic {indexing_maps = [#map9, #map17, #map17], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%193 : tensor<8x12x1024x1024xf32>) outs(%82, %80 : tensor<8x12x1024xf32>, tensor<8x12x1024xi64>) {
    ^bb0(%in: f32, %out: f32, %out_72: i64):
      %278 = linalg.index 3 : index
      %279 = arith.index_cast %278 : index to i64
      %280 = arith.maximumf %in, %out : f32
      %281 = arith.cmpf ogt, %in, %out : f32
      %282 = arith.select %281, %279, %out_72 : i64
      linalg.yield %280, %282 : f32, i64
    } -> (tensor<8x12x1024xf32>, tensor<8x12x1024xi64>)
    %expanded_58 = tensor.expand_shape %194#0 [[0], [1], [2, 3]] output_shape [8, 12, 1024, 1] : tensor<8x12x1024xf32> into tensor<8x12x1024x1xf32>
    %195 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%193, %expanded_58 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.subf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %196 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%195 : tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = math.exp %in : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %197 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%196 : tensor<8x12x1024x1024xf32>) outs(%87 : tensor<8x12x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.addf %in, %out : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1xf32>
    %198 = linalg.generic {indexing_maps = [#map9, #map12, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%196, %197 : tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.divf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %199 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%193 : tensor<8x12x1024x1024xf32>) outs(%90 : tensor<8x12x1024x1024xi1>) {
    ^bb0(%in: f32, %out: i1):
      %278 = arith.extf %in : f32 to f64
      %279 = arith.cmpf oeq, %278, %cst_7 : f64
      linalg.yield %279 : i1
    } -> tensor<8x12x1024x1024xi1>
    %200 = linalg.generic {indexing_maps = [#map9, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%199 : tensor<8x12x1024x1024xi1>) outs(%93 : tensor<8x12x1024x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %278 = arith.andi %in, %out : i1
      linalg.yield %278 : i1
    } -> tensor<8x12x1024x1xi1>
    %201 = linalg.generic {indexing_maps = [#map12, #map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%200, %cst_2, %198 : tensor<8x12x1024x1xi1>, tensor<8x12x1024x1024xf32>, tensor<8x12x1024x1024xf32>) outs(%75 : tensor<8x12x1024x1024xf32>) {
    ^bb0(%in: i1, %in_72: f32, %in_73: f32, %out: f32):
      %278 = arith.select %in, %in_72, %in_73 : f32
      linalg.yield %278 : f32
    } -> tensor<8x12x1024x1024xf32>
    %202 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%201 : tensor<8x12x1024x1024xf32>) outs(%96 : tensor<8x12x1024x1024xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8x12x1024x1024xbf16>
    %collapsed_59 = tensor.collapse_shape %202 [[0, 1], [2], [3]] : tensor<8x12x1024x1024xbf16> into tensor<96x1024x1024xbf16>
    %collapsed_60 = tensor.collapse_shape %transposed_51 [[0, 1], [2], [3]] : tensor<8x12x1024x64xbf16> into tensor<96x1024x64xbf16>
    %203 = linalg.batch_matmul ins(%collapsed_59, %collapsed_60 : tensor<96x1024x1024xbf16>, tensor<96x1024x64xbf16>) outs(%99 : tensor<96x1024x64xf32>) -> tensor<96x1024x64xf32>
    %204 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%203 : tensor<96x1024x64xf32>) outs(%101 : tensor<96x1024x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<96x1024x64xbf16>
    %expanded_61 = tensor.expand_shape %204 [[0, 1], [2], [3]] output_shape [8, 12, 1024, 64] : tensor<96x1024x64xbf16> into tensor<8x12x1024x64xbf16>
    %transposed_62 = linalg.transpose ins(%expanded_61 : tensor<8x12x1024x64xbf16>) outs(%103 : tensor<8x1024x12x64xbf16>) permutation = [0, 2, 1, 3] 
    %collapsed_63 = tensor.collapse_shape %transposed_62 [[0, 1], [2, 3]] : tensor<8x1024x12x64xbf16> into tensor<8192x768xbf16>
    %205 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg20 : tensor<768xbf16>) outs(%104 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768xf32>
    %206 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_63 : tensor<8192x768xbf16>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %207 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg19 : tensor<768x768xbf16>) outs(%107 : tensor<768x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768x768xf32>
    %208 = linalg.matmul ins(%206, %207 : tensor<8192x768xf32>, tensor<768x768xf32>) outs(%109 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %209 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%205 : tensor<768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %210 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%208, %209 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %211 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%210 : tensor<8192x768xf32>) outs(%113 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_64 = tensor.expand_shape %211 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %212 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_64, %163 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.addf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %213 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%212 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %214 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%213 : tensor<8x1024x768xf32>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %278 = arith.extf %in : f32 to f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %215 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%214 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %216 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%215 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %217 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%214, %216 : tensor<8x1024x768xf64>, tensor<8x1024x1xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.subf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %218 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%217, %217 : tensor<8x1024x768xf64>, tensor<8x1024x768xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.mulf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %219 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%218 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %220 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%219 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %221 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%220 : tensor<8x1024x1xf64>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %278 = arith.truncf %in : f64 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %222 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%213 : tensor<8x1024x768xf32>) outs(%44 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.addf %in, %out : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %223 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%222 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.divf %in, %cst_10 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %224 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%221 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.truncf %cst_8 : f64 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x1xf32>
    %225 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%224 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = math.rsqrt %in : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %226 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%213, %223 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.subf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %227 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%226, %225 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.mulf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %228 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%227, %arg21 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.mulf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %229 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%228, %arg22 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %230 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%229 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %collapsed_65 = tensor.collapse_shape %230 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %231 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg24 : tensor<3072xbf16>) outs(%134 : tensor<3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<3072xf32>
    %232 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_65 : tensor<8192x768xbf16>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %233 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg23 : tensor<768x3072xbf16>) outs(%137 : tensor<768x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768x3072xf32>
    %234 = linalg.matmul ins(%232, %233 : tensor<8192x768xf32>, tensor<768x3072xf32>) outs(%140 : tensor<8192x3072xf32>) -> tensor<8192x3072xf32>
    %235 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%231 : tensor<3072xf32>) outs(%139 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x3072xf32>
    %236 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%234, %235 : tensor<8192x3072xf32>, tensor<8192x3072xf32>) outs(%139 : tensor<8192x3072xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x3072xf32>
    %237 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%236 : tensor<8192x3072xf32>) outs(%144 : tensor<8192x3072xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x3072xbf16>
    %expanded_66 = tensor.expand_shape %237 [[0, 1], [2]] output_shape [8, 1024, 3072] : tensor<8192x3072xbf16> into tensor<8x1024x3072xbf16>
    %238 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_66 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.mulf %in, %cst_12 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %239 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_66 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = math.fpowi %in, %c3_i64 : bf16, i64
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %240 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%239 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.truncf %cst_6 : f64 to bf16
      %279 = arith.mulf %in, %278 : bf16
      linalg.yield %279 : bf16
    } -> tensor<8x1024x3072xbf16>
    %241 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_66, %240 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.addf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %242 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%241 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.truncf %cst_5 : f64 to bf16
      %279 = arith.mulf %in, %278 : bf16
      linalg.yield %279 : bf16
    } -> tensor<8x1024x3072xbf16>
    %243 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%242 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = math.tanh %in : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %244 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%243 : tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %278 = arith.addf %in, %cst_13 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %245 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%238, %244 : tensor<8x1024x3072xbf16>, tensor<8x1024x3072xbf16>) outs(%146 : tensor<8x1024x3072xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.mulf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x3072xbf16>
    %collapsed_67 = tensor.collapse_shape %245 [[0, 1], [2]] : tensor<8x1024x3072xbf16> into tensor<8192x3072xbf16>
    %246 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg26 : tensor<768xbf16>) outs(%104 : tensor<768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<768xf32>
    %247 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%collapsed_67 : tensor<8192x3072xbf16>) outs(%139 : tensor<8192x3072xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8192x3072xf32>
    %248 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg25 : tensor<3072x768xbf16>) outs(%157 : tensor<3072x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<3072x768xf32>
    %249 = linalg.matmul ins(%247, %248 : tensor<8192x3072xf32>, tensor<3072x768xf32>) outs(%109 : tensor<8192x768xf32>) -> tensor<8192x768xf32>
    %250 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%246 : tensor<768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x768xf32>
    %251 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%249, %250 : tensor<8192x768xf32>, tensor<8192x768xf32>) outs(%56 : tensor<8192x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.addf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8192x768xf32>
    %252 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%251 : tensor<8192x768xf32>) outs(%113 : tensor<8192x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x768xbf16>
    %expanded_68 = tensor.expand_shape %252 [[0, 1], [2]] output_shape [8, 1024, 768] : tensor<8192x768xbf16> into tensor<8x1024x768xbf16>
    %253 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%212, %expanded_68 : tensor<8x1024x768xbf16>, tensor<8x1024x768xbf16>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: bf16, %in_72: bf16, %out: bf16):
      %278 = arith.addf %in, %in_72 : bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %254 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%253 : tensor<8x1024x768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %278 = arith.extf %in : bf16 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %255 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254 : tensor<8x1024x768xf32>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f32, %out: f64):
      %278 = arith.extf %in : f32 to f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %256 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%255 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %257 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%256 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %258 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%255, %257 : tensor<8x1024x768xf64>, tensor<8x1024x1xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.subf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %259 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%258, %258 : tensor<8x1024x768xf64>, tensor<8x1024x768xf64>) outs(%32 : tensor<8x1024x768xf64>) {
    ^bb0(%in: f64, %in_72: f64, %out: f64):
      %278 = arith.mulf %in, %in_72 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x768xf64>
    %260 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%259 : tensor<8x1024x768xf64>) outs(%35 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.addf %in, %out : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %261 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%260 : tensor<8x1024x1xf64>) outs(%34 : tensor<8x1024x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %278 = arith.divf %in, %cst_9 : f64
      linalg.yield %278 : f64
    } -> tensor<8x1024x1xf64>
    %262 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%261 : tensor<8x1024x1xf64>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %278 = arith.truncf %in : f64 to f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %263 = linalg.generic {indexing_maps = [#map1, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%254 : tensor<8x1024x768xf32>) outs(%44 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.addf %in, %out : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %264 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%263 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.divf %in, %cst_10 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %265 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%262 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = arith.truncf %cst_8 : f64 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x1xf32>
    %266 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%265 : tensor<8x1024x1xf32>) outs(%42 : tensor<8x1024x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %278 = math.rsqrt %in : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x1xf32>
    %267 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254, %264 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.subf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %268 = linalg.generic {indexing_maps = [#map1, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%267, %266 : tensor<8x1024x768xf32>, tensor<8x1024x1xf32>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: f32, %out: f32):
      %278 = arith.mulf %in, %in_72 : f32
      linalg.yield %278 : f32
    } -> tensor<8x1024x768xf32>
    %269 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%268, %arg27 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.mulf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %270 = linalg.generic {indexing_maps = [#map1, #map15, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%269, %arg28 : tensor<8x1024x768xf32>, tensor<768xbf16>) outs(%30 : tensor<8x1024x768xf32>) {
    ^bb0(%in: f32, %in_72: bf16, %out: f32):
      %278 = arith.extf %in_72 : bf16 to f32
      %279 = arith.addf %in, %278 : f32
      linalg.yield %279 : f32
    } -> tensor<8x1024x768xf32>
    %271 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270 : tensor<8x1024x768xf32>) outs(%0 : tensor<8x1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8x1024x768xbf16>
    %272 = tensor.empty() : tensor<768x50257xbf16>
    %transposed_69 = linalg.transpose ins(%arg1 : tensor<50257x768xbf16>) outs(%272 : tensor<768x50257xbf16>) permutation = [1, 0] 
    %collapsed_70 = tensor.collapse_shape %271 [[0, 1], [2]] : tensor<8x1024x768xbf16> into tensor<8192x768xbf16>
    %273 = tensor.empty() : tensor<8192x50257xf32>
    %274 = linalg.fill ins(%cst_0 : f32) outs(%273 : tensor<8192x50257xf32>) -> tensor<8192x50257xf32>
    %275 = linalg.matmul ins(%collapsed_70, %transposed_69 : tensor<8192x768xbf16>, tensor<768x50257xbf16>) outs(%274 : tensor<8192x50257xf32>) -> tensor<8192x50257xf32>
    %276 = tensor.empty() : tensor<8192x50257xbf16>
    %277 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%275 : tensor<8192x50257xf32>) outs(%276 : tensor<8192x50257xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %278 = arith.truncf %in : f32 to bf16
      linalg.yield %278 : bf16
    } -> tensor<8192x50257xbf16>
    %expanded_71 = tensor.expand_shape %277 [[0, 1], [2]] output_shape [8, 1024, 50257] : tensor<8192x50257xbf16> into tensor<8x1024x50257xbf16>
    return %expanded_71 : tensor<8x1024x50257xbf16>
  }
}

