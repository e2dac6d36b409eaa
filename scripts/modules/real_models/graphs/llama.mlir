#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>
#map7 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, 0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map12 = affine_map<(d0, d1, d2, d3) -> ()>
#map13 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map14 = affine_map<(d0, d1, d2) -> (d2)>
#map15 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<2x2048xi64>, %arg1: tensor<32000x2048xbf16> {carousel.parameter}, %arg2: tensor<2048x2048xbf16> {carousel.parameter}, %arg3: tensor<2048x2048xbf16> {carousel.parameter}, %arg4: tensor<2048x2048xbf16> {carousel.parameter}, %arg5: tensor<2048x2048xbf16> {carousel.parameter}, %arg6: tensor<5632x2048xbf16> {carousel.parameter}, %arg7: tensor<5632x2048xbf16> {carousel.parameter}, %arg8: tensor<2048x5632xbf16> {carousel.parameter}, %arg9: tensor<2048xbf16> {carousel.parameter}, %arg10: tensor<2048xbf16> {carousel.parameter}, %arg11: tensor<2048x2048xbf16> {carousel.parameter}, %arg12: tensor<2048x2048xbf16> {carousel.parameter}, %arg13: tensor<2048x2048xbf16> {carousel.parameter}, %arg14: tensor<2048x2048xbf16> {carousel.parameter}, %arg15: tensor<5632x2048xbf16> {carousel.parameter}, %arg16: tensor<5632x2048xbf16> {carousel.parameter}, %arg17: tensor<2048x5632xbf16> {carousel.parameter}, %arg18: tensor<2048xbf16> {carousel.parameter}, %arg19: tensor<2048xbf16> {carousel.parameter}, %arg20: tensor<2048xbf16> {carousel.parameter}, %arg21: tensor<32000x2048xbf16> {carousel.parameter}) -> tensor<2x2048x32000xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c2048_i64 = arith.constant 2048 : i64
    %c32000 = arith.constant 32000 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<2x16x2048x2048xf32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<true> : tensor<i1>
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %cst_6 = arith.constant 0.088388347648318447 : f64
    %cst_7 = arith.constant 9.9999999999999995E-7 : f64
    %cst_8 = arith.constant dense_resource<torch_tensor_64_torch.bfloat16> : tensor<64xbf16>
    %cst_9 = arith.constant 2.048000e+03 : f32
    %false = arith.constant false
    %0 = tensor.empty() : tensor<2x2048x2048xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2048xi64>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: i64, %out: bf16):
      %216 = arith.index_cast %in : i64 to index
      %217 = linalg.index 2 : index
      %218 = arith.cmpi slt, %216, %c32000 : index
      cf.assert %218, "index must be smaller than dim size"
      %219 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %219, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%216, %217] : tensor<32000x2048xbf16>
      linalg.yield %extracted : bf16
    } -> tensor<2x2048x2048xbf16>
    %2 = tensor.empty() : tensor<2048xi64>
    %3 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%2 : tensor<2048xi64>) {
    ^bb0(%out: i64):
      %216 = linalg.index 0 : index
      %217 = arith.index_cast %216 : index to i64
      linalg.yield %217 : i64
    } -> tensor<2048xi64>
    %4 = tensor.empty() : tensor<2x2048xi64>
    %5 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<2048xi64>) outs(%4 : tensor<2x2048xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x2048xi64>
    %extracted_slice = tensor.extract_slice %5[0, 0] [2, 1] [1, 1] : tensor<2x2048xi64> to tensor<2x1xi64>
    %6 = tensor.empty() : tensor<2x1xi64>
    %7 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<2x1xi64>) outs(%6 : tensor<2x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %216 = arith.subi %in, %c1_i64 : i64
      linalg.yield %216 : i64
    } -> tensor<2x1xi64>
    %concat = tensor.concat dim(1) %7, %5 : (tensor<2x1xi64>, tensor<2x2048xi64>) -> tensor<2x2049xi64>
    %extracted_slice_10 = tensor.extract_slice %concat[0, 0] [2, 2048] [1, 1] : tensor<2x2049xi64> to tensor<2x2048xi64>
    %extracted_slice_11 = tensor.extract_slice %concat[0, 1] [2, 2048] [1, 1] : tensor<2x2049xi64> to tensor<2x2048xi64>
    %8 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_11, %extracted_slice_10 : tensor<2x2048xi64>, tensor<2x2048xi64>) outs(%4 : tensor<2x2048xi64>) {
    ^bb0(%in: i64, %in_91: i64, %out: i64):
      %216 = arith.subi %in, %in_91 : i64
      linalg.yield %216 : i64
    } -> tensor<2x2048xi64>
    %9 = tensor.empty() : tensor<2x2048xi1>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<2x2048xi64>) outs(%9 : tensor<2x2048xi1>) {
    ^bb0(%in: i64, %out: i1):
      %216 = arith.cmpi ne, %in, %c1_i64 : i64
      linalg.yield %216 : i1
    } -> tensor<2x2048xi1>
    %11 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<2x2048xi1>) outs(%4 : tensor<2x2048xi64>) {
    ^bb0(%in: i1, %out: i64):
      %216 = arith.extui %in : i1 to i64
      linalg.yield %216 : i64
    } -> tensor<2x2048xi64>
    %12 = tensor.empty() : tensor<2xi64>
    %13 = linalg.fill ins(%c0_i64 : i64) outs(%4 : tensor<2x2048xi64>) -> tensor<2x2048xi64>
    %14 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<2x2048xi64>) outs(%13 : tensor<2x2048xi64>) {
    ^bb0(%in: i64, %out: i64):
      %216 = linalg.index 1 : index
      %217 = linalg.index 2 : index
      %218 = arith.cmpi ule, %217, %216 : index
      %219 = arith.select %218, %in, %c0_i64 : i64
      %220 = arith.addi %out, %219 : i64
      linalg.yield %220 : i64
    } -> tensor<2x2048xi64>
    %15 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%12 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %216 = linalg.index 0 : index
      %217 = arith.index_cast %216 : index to i64
      linalg.yield %217 : i64
    } -> tensor<2xi64>
    %expanded = tensor.expand_shape %15 [[0, 1, 2, 3]] output_shape [2, 1, 1, 1] : tensor<2xi64> into tensor<2x1x1x1xi64>
    %expanded_12 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 2048, 1] : tensor<2048xi64> into tensor<1x1x2048x1xi64>
    %expanded_13 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 2048] : tensor<2048xi64> into tensor<1x1x1x2048xi64>
    %16 = tensor.empty() : tensor<2x1x2048x1xi64>
    %17 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_12 : tensor<2x1x1x1xi64>, tensor<1x1x2048x1xi64>) outs(%16 : tensor<2x1x2048x1xi64>) {
    ^bb0(%in: i64, %in_91: i64, %out: i64):
      %216 = arith.cmpi slt, %in, %c0_i64 : i64
      %217 = arith.addi %in, %c2_i64 : i64
      %218 = arith.select %216, %217, %in : i64
      %219 = arith.index_cast %218 : i64 to index
      %220 = arith.cmpi slt, %in_91, %c0_i64 : i64
      %221 = arith.addi %in_91, %c2048_i64 : i64
      %222 = arith.select %220, %221, %in_91 : i64
      %223 = arith.index_cast %222 : i64 to index
      %extracted = tensor.extract %5[%219, %223] : tensor<2x2048xi64>
      linalg.yield %extracted : i64
    } -> tensor<2x1x2048x1xi64>
    %18 = tensor.empty() : tensor<2x1x1x2048xi64>
    %19 = linalg.generic {indexing_maps = [#map6, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_13 : tensor<2x1x1x1xi64>, tensor<1x1x1x2048xi64>) outs(%18 : tensor<2x1x1x2048xi64>) {
    ^bb0(%in: i64, %in_91: i64, %out: i64):
      %216 = arith.cmpi slt, %in, %c0_i64 : i64
      %217 = arith.addi %in, %c2_i64 : i64
      %218 = arith.select %216, %217, %in : i64
      %219 = arith.index_cast %218 : i64 to index
      %220 = arith.cmpi slt, %in_91, %c0_i64 : i64
      %221 = arith.addi %in_91, %c2048_i64 : i64
      %222 = arith.select %220, %221, %in_91 : i64
      %223 = arith.index_cast %222 : i64 to index
      %extracted = tensor.extract %5[%219, %223] : tensor<2x2048xi64>
      linalg.yield %extracted : i64
    } -> tensor<2x1x1x2048xi64>
    %20 = tensor.empty() : tensor<2x1x2048x2048xi1>
    %21 = linalg.generic {indexing_maps = [#map10, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %17 : tensor<2x1x1x2048xi64>, tensor<2x1x2048x1xi64>) outs(%20 : tensor<2x1x2048x2048xi1>) {
    ^bb0(%in: i64, %in_91: i64, %out: i1):
      %216 = arith.cmpi sle, %in, %in_91 : i64
      linalg.yield %216 : i1
    } -> tensor<2x1x2048x2048xi1>
    %22 = linalg.generic {indexing_maps = [#map12, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4, %21 : tensor<i1>, tensor<2x1x2048x2048xi1>) outs(%20 : tensor<2x1x2048x2048xi1>) {
    ^bb0(%in: i1, %in_91: i1, %out: i1):
      %216 = arith.andi %in, %in_91 : i1
      linalg.yield %216 : i1
    } -> tensor<2x1x2048x2048xi1>
    %23 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_12 : tensor<2x1x1x1xi64>, tensor<1x1x2048x1xi64>) outs(%16 : tensor<2x1x2048x1xi64>) {
    ^bb0(%in: i64, %in_91: i64, %out: i64):
      %216 = arith.cmpi slt, %in, %c0_i64 : i64
      %217 = arith.addi %in, %c2_i64 : i64
      %218 = arith.select %216, %217, %in : i64
      %219 = arith.index_cast %218 : i64 to index
      %220 = arith.cmpi slt, %in_91, %c0_i64 : i64
      %221 = arith.addi %in_91, %c2048_i64 : i64
      %222 = arith.select %220, %221, %in_91 : i64
      %223 = arith.index_cast %222 : i64 to index
      %extracted = tensor.extract %14[%219, %223] : tensor<2x2048xi64>
      linalg.yield %extracted : i64
    } -> tensor<2x1x2048x1xi64>
    %24 = linalg.generic {indexing_maps = [#map6, #map9, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_13 : tensor<2x1x1x1xi64>, tensor<1x1x1x2048xi64>) outs(%18 : tensor<2x1x1x2048xi64>) {
    ^bb0(%in: i64, %in_91: i64, %out: i64):
      %216 = arith.cmpi slt, %in, %c0_i64 : i64
      %217 = arith.addi %in, %c2_i64 : i64
      %218 = arith.select %216, %217, %in : i64
      %219 = arith.index_cast %218 : i64 to index
      %220 = arith.cmpi slt, %in_91, %c0_i64 : i64
      %221 = arith.addi %in_91, %c2048_i64 : i64
      %222 = arith.select %220, %221, %in_91 : i64
      %223 = arith.index_cast %222 : i64 to index
      %extracted = tensor.extract %14[%219, %223] : tensor<2x2048xi64>
      linalg.yield %extracted : i64
    } -> tensor<2x1x1x2048xi64>
    %25 = linalg.generic {indexing_maps = [#map11, #map10, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %24 : tensor<2x1x2048x1xi64>, tensor<2x1x1x2048xi64>) outs(%20 : tensor<2x1x2048x2048xi1>) {
    ^bb0(%in: i64, %in_91: i64, %out: i1):
      %216 = arith.cmpi eq, %in, %in_91 : i64
      linalg.yield %216 : i1
    } -> tensor<2x1x2048x2048xi1>
    %26 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %25 : tensor<2x1x2048x2048xi1>, tensor<2x1x2048x2048xi1>) outs(%20 : tensor<2x1x2048x2048xi1>) {
    ^bb0(%in: i1, %in_91: i1, %out: i1):
      %216 = arith.andi %in, %in_91 : i1
      linalg.yield %216 : i1
    } -> tensor<2x1x2048x2048xi1>
    %expanded_14 = tensor.expand_shape %3 [[0, 1, 2]] output_shape [1, 2048, 1] : tensor<2048xi64> into tensor<1x2048x1xi64>
    %27 = tensor.empty() : tensor<1x2048x1xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<1x2048x1xi64>) outs(%27 : tensor<1x2048x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %216 = arith.sitofp %in : i64 to f32
      linalg.yield %216 : f32
    } -> tensor<1x2048x1xf32>
    %29 = tensor.empty() : tensor<64xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%cst_8 : tensor<64xbf16>) outs(%29 : tensor<64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<64xf32>
    %31 = tensor.empty() : tensor<1x2048x64xf32>
    %32 = linalg.generic {indexing_maps = [#map13, #map14, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %30 : tensor<1x2048x1xf32>, tensor<64xf32>) outs(%31 : tensor<1x2048x64xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<1x2048x64xf32>
    %concat_15 = tensor.concat dim(2) %32, %32 : (tensor<1x2048x64xf32>, tensor<1x2048x64xf32>) -> tensor<1x2048x128xf32>
    %33 = tensor.empty() : tensor<1x2048x128xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat_15 : tensor<1x2048x128xf32>) outs(%33 : tensor<1x2048x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.cos %in : f32
      linalg.yield %216 : f32
    } -> tensor<1x2048x128xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat_15 : tensor<1x2048x128xf32>) outs(%33 : tensor<1x2048x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.sin %in : f32
      linalg.yield %216 : f32
    } -> tensor<1x2048x128xf32>
    %36 = tensor.empty() : tensor<1x2048x128xbf16>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34 : tensor<1x2048x128xf32>) outs(%36 : tensor<1x2048x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<1x2048x128xbf16>
    %38 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35 : tensor<1x2048x128xf32>) outs(%36 : tensor<1x2048x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<1x2048x128xbf16>
    %39 = tensor.empty() : tensor<2x2048x2048xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x2048x2048xbf16>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<2x2048x2048xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %42 = tensor.empty() : tensor<2x2048x1xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<2x2048x1xf32>) -> tensor<2x2048x1xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%41 : tensor<2x2048x2048xf32>) outs(%43 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.addf %in, %out : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.divf %in, %cst_9 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.truncf %cst_7 : f64 to f32
      %217 = arith.addf %in, %216 : f32
      linalg.yield %217 : f32
    } -> tensor<2x2048x1xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.rsqrt %in : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map13, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %47 : tensor<2x2048x2048xf32>, tensor<2x2048x1xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48 : tensor<2x2048x2048xf32>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %50 = linalg.generic {indexing_maps = [#map14, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %49 : tensor<2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %51 = tensor.empty() : tensor<2048x2048xbf16>
    %transposed = linalg.transpose ins(%arg2 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %50 [[0, 1], [2]] : tensor<2x2048x2048xbf16> into tensor<4096x2048xbf16>
    %52 = tensor.empty() : tensor<4096x2048xf32>
    %53 = linalg.fill ins(%cst : f32) outs(%52 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %54 = linalg.matmul ins(%collapsed, %transposed : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %55 = tensor.empty() : tensor<4096x2048xbf16>
    %56 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%54 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_16 = tensor.expand_shape %56 [[0, 1], [2, 3]] output_shape [2, 2048, 16, 128] : tensor<4096x2048xbf16> into tensor<2x2048x16x128xbf16>
    %57 = tensor.empty() : tensor<2x16x2048x128xbf16>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<2x2048x16x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_18 = linalg.transpose ins(%arg3 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %58 = linalg.matmul ins(%collapsed, %transposed_18 : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %59 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_19 = tensor.expand_shape %59 [[0, 1], [2, 3]] output_shape [2, 2048, 16, 128] : tensor<4096x2048xbf16> into tensor<2x2048x16x128xbf16>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<2x2048x16x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_21 = linalg.transpose ins(%arg4 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %60 = linalg.matmul ins(%collapsed, %transposed_21 : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %61 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%60 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_22 = tensor.expand_shape %61 [[0, 1], [2, 3]] output_shape [2, 2048, 16, 128] : tensor<4096x2048xbf16> into tensor<2x2048x16x128xbf16>
    %transposed_23 = linalg.transpose ins(%expanded_22 : tensor<2x2048x16x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_24 = tensor.expand_shape %37 [[0], [1, 2], [3]] output_shape [1, 1, 2048, 128] : tensor<1x2048x128xbf16> into tensor<1x1x2048x128xbf16>
    %expanded_25 = tensor.expand_shape %38 [[0], [1, 2], [3]] output_shape [1, 1, 2048, 128] : tensor<1x2048x128xbf16> into tensor<1x1x2048x128xbf16>
    %62 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_17, %expanded_24 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %extracted_slice_26 = tensor.extract_slice %transposed_17[0, 0, 0, 0] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %extracted_slice_27 = tensor.extract_slice %transposed_17[0, 0, 0, 64] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %63 = tensor.empty() : tensor<2x16x2048x64xbf16>
    %64 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_27 : tensor<2x16x2048x64xbf16>) outs(%63 : tensor<2x16x2048x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %216 = arith.negf %in : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x64xbf16>
    %concat_28 = tensor.concat dim(3) %64, %extracted_slice_26 : (tensor<2x16x2048x64xbf16>, tensor<2x16x2048x64xbf16>) -> tensor<2x16x2048x128xbf16>
    %65 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_28, %expanded_25 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %66 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %65 : tensor<2x16x2048x128xbf16>, tensor<2x16x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %67 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_20, %expanded_24 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %extracted_slice_29 = tensor.extract_slice %transposed_20[0, 0, 0, 0] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %extracted_slice_30 = tensor.extract_slice %transposed_20[0, 0, 0, 64] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %68 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_30 : tensor<2x16x2048x64xbf16>) outs(%63 : tensor<2x16x2048x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %216 = arith.negf %in : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x64xbf16>
    %concat_31 = tensor.concat dim(3) %68, %extracted_slice_29 : (tensor<2x16x2048x64xbf16>, tensor<2x16x2048x64xbf16>) -> tensor<2x16x2048x128xbf16>
    %69 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_31, %expanded_25 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %70 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67, %69 : tensor<2x16x2048x128xbf16>, tensor<2x16x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %71 = tensor.empty() : tensor<2x16x2048x128xf32>
    %72 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66 : tensor<2x16x2048x128xbf16>) outs(%71 : tensor<2x16x2048x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x128xf32>
    %73 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70 : tensor<2x16x2048x128xbf16>) outs(%71 : tensor<2x16x2048x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x128xf32>
    %74 = tensor.empty() : tensor<2x16x128x2048xf32>
    %transposed_32 = linalg.transpose ins(%73 : tensor<2x16x2048x128xf32>) outs(%74 : tensor<2x16x128x2048xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_33 = tensor.collapse_shape %72 [[0, 1], [2], [3]] : tensor<2x16x2048x128xf32> into tensor<32x2048x128xf32>
    %collapsed_34 = tensor.collapse_shape %transposed_32 [[0, 1], [2], [3]] : tensor<2x16x128x2048xf32> into tensor<32x128x2048xf32>
    %75 = tensor.empty() : tensor<32x2048x2048xf32>
    %76 = linalg.fill ins(%cst : f32) outs(%75 : tensor<32x2048x2048xf32>) -> tensor<32x2048x2048xf32>
    %77 = linalg.batch_matmul ins(%collapsed_33, %collapsed_34 : tensor<32x2048x128xf32>, tensor<32x128x2048xf32>) outs(%76 : tensor<32x2048x2048xf32>) -> tensor<32x2048x2048xf32>
    %expanded_35 = tensor.expand_shape %77 [[0, 1], [2], [3]] output_shape [2, 16, 2048, 2048] : tensor<32x2048x2048xf32> into tensor<2x16x2048x2048xf32>
    %78 = tensor.empty() : tensor<2x16x2048x2048xf32>
    %79 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_35 : tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.truncf %cst_6 : f64 to f32
      %217 = arith.mulf %in, %216 : f32
      linalg.yield %217 : f32
    } -> tensor<2x16x2048x2048xf32>
    %80 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x1x2048x2048xi1>) outs(%20 : tensor<2x1x2048x2048xi1>) {
    ^bb0(%in: i1, %out: i1):
      %216 = arith.cmpi eq, %in, %false : i1
      linalg.yield %216 : i1
    } -> tensor<2x1x2048x2048xi1>
    %81 = linalg.generic {indexing_maps = [#map16, #map12, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %cst_3, %79 : tensor<2x1x2048x2048xi1>, tensor<f32>, tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: i1, %in_91: f32, %in_92: f32, %out: f32):
      %216 = arith.select %in, %in_91, %in_92 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %82 = tensor.empty() : tensor<2x16x2048xi64>
    %83 = linalg.fill ins(%c0_i64 : i64) outs(%82 : tensor<2x16x2048xi64>) -> tensor<2x16x2048xi64>
    %84 = tensor.empty() : tensor<2x16x2048xf32>
    %85 = linalg.fill ins(%cst_0 : f32) outs(%84 : tensor<2x16x2048xf32>) -> tensor<2x16x2048xf32>
    %86:2 = linalg.generic {indexing_maps = [#map8, #map17, #map17], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%81 : tensor<2x16x2048x2048xf32>) outs(%85, %83 : tensor<2x16x2048xf32>, tensor<2x16x2048xi64>) {
    ^bb0(%in: f32, %out: f32, %out_91: i64):
      %216 = linalg.index 3 : index
      %217 = arith.index_cast %216 : index to i64
      %218 = arith.maximumf %in, %out : f32
      %219 = arith.cmpf ogt, %in, %out : f32
      %220 = arith.select %219, %217, %out_91 : i64
      linalg.yield %218, %220 : f32, i64
    } -> (tensor<2x16x2048xf32>, tensor<2x16x2048xi64>)
    %expanded_36 = tensor.expand_shape %86#0 [[0], [1], [2, 3]] output_shape [2, 16, 2048, 1] : tensor<2x16x2048xf32> into tensor<2x16x2048x1xf32>
    %87 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81, %expanded_36 : tensor<2x16x2048x2048xf32>, tensor<2x16x2048x1xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.subf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %88 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%87 : tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.exp %in : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %89 = tensor.empty() : tensor<2x16x2048x1xf32>
    %90 = linalg.fill ins(%cst : f32) outs(%89 : tensor<2x16x2048x1xf32>) -> tensor<2x16x2048x1xf32>
    %91 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%88 : tensor<2x16x2048x2048xf32>) outs(%90 : tensor<2x16x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.addf %in, %out : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x1xf32>
    %92 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%88, %91 : tensor<2x16x2048x2048xf32>, tensor<2x16x2048x1xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.divf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %93 = tensor.empty() : tensor<2x16x2048x2048xi1>
    %94 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81 : tensor<2x16x2048x2048xf32>) outs(%93 : tensor<2x16x2048x2048xi1>) {
    ^bb0(%in: f32, %out: i1):
      %216 = arith.extf %in : f32 to f64
      %217 = arith.cmpf oeq, %216, %cst_5 : f64
      linalg.yield %217 : i1
    } -> tensor<2x16x2048x2048xi1>
    %95 = tensor.empty() : tensor<2x16x2048x1xi1>
    %96 = linalg.fill ins(%true : i1) outs(%95 : tensor<2x16x2048x1xi1>) -> tensor<2x16x2048x1xi1>
    %97 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%94 : tensor<2x16x2048x2048xi1>) outs(%96 : tensor<2x16x2048x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %216 = arith.andi %in, %out : i1
      linalg.yield %216 : i1
    } -> tensor<2x16x2048x1xi1>
    %98 = linalg.generic {indexing_maps = [#map11, #map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%97, %cst_2, %92 : tensor<2x16x2048x1xi1>, tensor<2x16x2048x2048xf32>, tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: i1, %in_91: f32, %in_92: f32, %out: f32):
      %216 = arith.select %in, %in_91, %in_92 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %99 = tensor.empty() : tensor<2x16x2048x2048xbf16>
    %100 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%98 : tensor<2x16x2048x2048xf32>) outs(%99 : tensor<2x16x2048x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x2048xbf16>
    %collapsed_37 = tensor.collapse_shape %100 [[0, 1], [2], [3]] : tensor<2x16x2048x2048xbf16> into tensor<32x2048x2048xbf16>
    %collapsed_38 = tensor.collapse_shape %transposed_23 [[0, 1], [2], [3]] : tensor<2x16x2048x128xbf16> into tensor<32x2048x128xbf16>
    %101 = tensor.empty() : tensor<32x2048x128xf32>
    %102 = linalg.fill ins(%cst : f32) outs(%101 : tensor<32x2048x128xf32>) -> tensor<32x2048x128xf32>
    %103 = linalg.batch_matmul ins(%collapsed_37, %collapsed_38 : tensor<32x2048x2048xbf16>, tensor<32x2048x128xbf16>) outs(%102 : tensor<32x2048x128xf32>) -> tensor<32x2048x128xf32>
    %104 = tensor.empty() : tensor<32x2048x128xbf16>
    %105 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<32x2048x128xf32>) outs(%104 : tensor<32x2048x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<32x2048x128xbf16>
    %expanded_39 = tensor.expand_shape %105 [[0, 1], [2], [3]] output_shape [2, 16, 2048, 128] : tensor<32x2048x128xbf16> into tensor<2x16x2048x128xbf16>
    %106 = tensor.empty() : tensor<2x2048x16x128xbf16>
    %transposed_40 = linalg.transpose ins(%expanded_39 : tensor<2x16x2048x128xbf16>) outs(%106 : tensor<2x2048x16x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_41 = linalg.transpose ins(%arg5 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %collapsed_42 = tensor.collapse_shape %transposed_40 [[0, 1], [2, 3]] : tensor<2x2048x16x128xbf16> into tensor<4096x2048xbf16>
    %107 = linalg.matmul ins(%collapsed_42, %transposed_41 : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %108 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%107 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_43 = tensor.expand_shape %108 [[0, 1], [2]] output_shape [2, 2048, 2048] : tensor<4096x2048xbf16> into tensor<2x2048x2048xbf16>
    %109 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %expanded_43 : tensor<2x2048x2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %110 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109 : tensor<2x2048x2048xbf16>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %111 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110 : tensor<2x2048x2048xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %112 = linalg.generic {indexing_maps = [#map1, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%111 : tensor<2x2048x2048xf32>) outs(%43 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.addf %in, %out : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%112 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.divf %in, %cst_9 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.truncf %cst_7 : f64 to f32
      %217 = arith.addf %in, %216 : f32
      linalg.yield %217 : f32
    } -> tensor<2x2048x1xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%114 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.rsqrt %in : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %116 = linalg.generic {indexing_maps = [#map1, #map13, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %115 : tensor<2x2048x2048xf32>, tensor<2x2048x1xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116 : tensor<2x2048x2048xf32>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %118 = linalg.generic {indexing_maps = [#map14, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg10, %117 : tensor<2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %119 = tensor.empty() : tensor<2048x5632xbf16>
    %transposed_44 = linalg.transpose ins(%arg6 : tensor<5632x2048xbf16>) outs(%119 : tensor<2048x5632xbf16>) permutation = [1, 0] 
    %collapsed_45 = tensor.collapse_shape %118 [[0, 1], [2]] : tensor<2x2048x2048xbf16> into tensor<4096x2048xbf16>
    %120 = tensor.empty() : tensor<4096x5632xf32>
    %121 = linalg.fill ins(%cst : f32) outs(%120 : tensor<4096x5632xf32>) -> tensor<4096x5632xf32>
    %122 = linalg.matmul ins(%collapsed_45, %transposed_44 : tensor<4096x2048xbf16>, tensor<2048x5632xbf16>) outs(%121 : tensor<4096x5632xf32>) -> tensor<4096x5632xf32>
    %123 = tensor.empty() : tensor<4096x5632xbf16>
    %124 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%122 : tensor<4096x5632xf32>) outs(%123 : tensor<4096x5632xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x5632xbf16>
    %expanded_46 = tensor.expand_shape %124 [[0, 1], [2]] output_shape [2, 2048, 5632] : tensor<4096x5632xbf16> into tensor<2x2048x5632xbf16>
    %125 = tensor.empty() : tensor<2x2048x5632xf32>
    %126 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_46 : tensor<2x2048x5632xbf16>) outs(%125 : tensor<2x2048x5632xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x5632xf32>
    %127 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%126 : tensor<2x2048x5632xf32>) outs(%125 : tensor<2x2048x5632xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.negf %in : f32
      %217 = math.exp %216 : f32
      %218 = arith.addf %217, %cst_1 : f32
      %219 = arith.divf %cst_1, %218 : f32
      linalg.yield %219 : f32
    } -> tensor<2x2048x5632xf32>
    %128 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%126, %127 : tensor<2x2048x5632xf32>, tensor<2x2048x5632xf32>) outs(%125 : tensor<2x2048x5632xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x5632xf32>
    %129 = tensor.empty() : tensor<2x2048x5632xbf16>
    %130 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%128 : tensor<2x2048x5632xf32>) outs(%129 : tensor<2x2048x5632xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x5632xbf16>
    %transposed_47 = linalg.transpose ins(%arg7 : tensor<5632x2048xbf16>) outs(%119 : tensor<2048x5632xbf16>) permutation = [1, 0] 
    %131 = linalg.matmul ins(%collapsed_45, %transposed_47 : tensor<4096x2048xbf16>, tensor<2048x5632xbf16>) outs(%121 : tensor<4096x5632xf32>) -> tensor<4096x5632xf32>
    %132 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%131 : tensor<4096x5632xf32>) outs(%123 : tensor<4096x5632xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x5632xbf16>
    %expanded_48 = tensor.expand_shape %132 [[0, 1], [2]] output_shape [2, 2048, 5632] : tensor<4096x5632xbf16> into tensor<2x2048x5632xbf16>
    %133 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %expanded_48 : tensor<2x2048x5632xbf16>, tensor<2x2048x5632xbf16>) outs(%129 : tensor<2x2048x5632xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x5632xbf16>
    %134 = tensor.empty() : tensor<5632x2048xbf16>
    %transposed_49 = linalg.transpose ins(%arg8 : tensor<2048x5632xbf16>) outs(%134 : tensor<5632x2048xbf16>) permutation = [1, 0] 
    %collapsed_50 = tensor.collapse_shape %133 [[0, 1], [2]] : tensor<2x2048x5632xbf16> into tensor<4096x5632xbf16>
    %135 = linalg.matmul ins(%collapsed_50, %transposed_49 : tensor<4096x5632xbf16>, tensor<5632x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %136 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%135 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_51 = tensor.expand_shape %136 [[0, 1], [2]] output_shape [2, 2048, 2048] : tensor<4096x2048xbf16> into tensor<2x2048x2048xbf16>
    %137 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %expanded_51 : tensor<2x2048x2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %138 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137 : tensor<2x2048x2048xbf16>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %139 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138 : tensor<2x2048x2048xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %140 = linalg.generic {indexing_maps = [#map1, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%139 : tensor<2x2048x2048xf32>) outs(%43 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.addf %in, %out : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %141 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.divf %in, %cst_9 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %142 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.truncf %cst_7 : f64 to f32
      %217 = arith.addf %in, %216 : f32
      linalg.yield %217 : f32
    } -> tensor<2x2048x1xf32>
    %143 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%142 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.rsqrt %in : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %144 = linalg.generic {indexing_maps = [#map1, #map13, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%138, %143 : tensor<2x2048x2048xf32>, tensor<2x2048x1xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %145 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144 : tensor<2x2048x2048xf32>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %146 = linalg.generic {indexing_maps = [#map14, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg18, %145 : tensor<2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %transposed_52 = linalg.transpose ins(%arg11 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %collapsed_53 = tensor.collapse_shape %146 [[0, 1], [2]] : tensor<2x2048x2048xbf16> into tensor<4096x2048xbf16>
    %147 = linalg.matmul ins(%collapsed_53, %transposed_52 : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %148 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%147 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_54 = tensor.expand_shape %148 [[0, 1], [2, 3]] output_shape [2, 2048, 16, 128] : tensor<4096x2048xbf16> into tensor<2x2048x16x128xbf16>
    %transposed_55 = linalg.transpose ins(%expanded_54 : tensor<2x2048x16x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_56 = linalg.transpose ins(%arg12 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %149 = linalg.matmul ins(%collapsed_53, %transposed_56 : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %150 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%149 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_57 = tensor.expand_shape %150 [[0, 1], [2, 3]] output_shape [2, 2048, 16, 128] : tensor<4096x2048xbf16> into tensor<2x2048x16x128xbf16>
    %transposed_58 = linalg.transpose ins(%expanded_57 : tensor<2x2048x16x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_59 = linalg.transpose ins(%arg13 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %151 = linalg.matmul ins(%collapsed_53, %transposed_59 : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %152 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%151 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_60 = tensor.expand_shape %152 [[0, 1], [2, 3]] output_shape [2, 2048, 16, 128] : tensor<4096x2048xbf16> into tensor<2x2048x16x128xbf16>
    %transposed_61 = linalg.transpose ins(%expanded_60 : tensor<2x2048x16x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) permutation = [0, 2, 1, 3] 
    %153 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_55, %expanded_24 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %extracted_slice_62 = tensor.extract_slice %transposed_55[0, 0, 0, 0] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %extracted_slice_63 = tensor.extract_slice %transposed_55[0, 0, 0, 64] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %154 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_63 : tensor<2x16x2048x64xbf16>) outs(%63 : tensor<2x16x2048x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %216 = arith.negf %in : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x64xbf16>
    %concat_64 = tensor.concat dim(3) %154, %extracted_slice_62 : (tensor<2x16x2048x64xbf16>, tensor<2x16x2048x64xbf16>) -> tensor<2x16x2048x128xbf16>
    %155 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_64, %expanded_25 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %156 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%153, %155 : tensor<2x16x2048x128xbf16>, tensor<2x16x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %157 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_58, %expanded_24 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %extracted_slice_65 = tensor.extract_slice %transposed_58[0, 0, 0, 0] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %extracted_slice_66 = tensor.extract_slice %transposed_58[0, 0, 0, 64] [2, 16, 2048, 64] [1, 1, 1, 1] : tensor<2x16x2048x128xbf16> to tensor<2x16x2048x64xbf16>
    %158 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_66 : tensor<2x16x2048x64xbf16>) outs(%63 : tensor<2x16x2048x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %216 = arith.negf %in : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x64xbf16>
    %concat_67 = tensor.concat dim(3) %158, %extracted_slice_65 : (tensor<2x16x2048x64xbf16>, tensor<2x16x2048x64xbf16>) -> tensor<2x16x2048x128xbf16>
    %159 = linalg.generic {indexing_maps = [#map8, #map15, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_67, %expanded_25 : tensor<2x16x2048x128xbf16>, tensor<1x1x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %160 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%157, %159 : tensor<2x16x2048x128xbf16>, tensor<2x16x2048x128xbf16>) outs(%57 : tensor<2x16x2048x128xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x128xbf16>
    %161 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%156 : tensor<2x16x2048x128xbf16>) outs(%71 : tensor<2x16x2048x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x128xf32>
    %162 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%160 : tensor<2x16x2048x128xbf16>) outs(%71 : tensor<2x16x2048x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x128xf32>
    %transposed_68 = linalg.transpose ins(%162 : tensor<2x16x2048x128xf32>) outs(%74 : tensor<2x16x128x2048xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_69 = tensor.collapse_shape %161 [[0, 1], [2], [3]] : tensor<2x16x2048x128xf32> into tensor<32x2048x128xf32>
    %collapsed_70 = tensor.collapse_shape %transposed_68 [[0, 1], [2], [3]] : tensor<2x16x128x2048xf32> into tensor<32x128x2048xf32>
    %163 = linalg.batch_matmul ins(%collapsed_69, %collapsed_70 : tensor<32x2048x128xf32>, tensor<32x128x2048xf32>) outs(%76 : tensor<32x2048x2048xf32>) -> tensor<32x2048x2048xf32>
    %expanded_71 = tensor.expand_shape %163 [[0, 1], [2], [3]] output_shape [2, 16, 2048, 2048] : tensor<32x2048x2048xf32> into tensor<2x16x2048x2048xf32>
    %164 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_71 : tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.truncf %cst_6 : f64 to f32
      %217 = arith.mulf %in, %216 : f32
      linalg.yield %217 : f32
    } -> tensor<2x16x2048x2048xf32>
    %165 = linalg.generic {indexing_maps = [#map16, #map12, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %cst_3, %164 : tensor<2x1x2048x2048xi1>, tensor<f32>, tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: i1, %in_91: f32, %in_92: f32, %out: f32):
      %216 = arith.select %in, %in_91, %in_92 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %166:2 = linalg.generic {indexing_maps = [#map8, #map17, #map17], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%165 : tensor<2x16x2048x2048xf32>) outs(%85, %83 : tensor<2x16x2048xf32>, tensor<2x16x2048xi64>) {
    ^bb0(%in: f32, %out: f32, %out_91: i64):
      %216 = linalg.index 3 : index
      %217 = arith.index_cast %216 : index to i64
      %218 = arith.maximumf %in, %out : f32
      %219 = arith.cmpf ogt, %in, %out : f32
      %220 = arith.select %219, %217, %out_91 : i64
      linalg.yield %218, %220 : f32, i64
    } -> (tensor<2x16x2048xf32>, tensor<2x16x2048xi64>)
    %expanded_72 = tensor.expand_shape %166#0 [[0], [1], [2, 3]] output_shape [2, 16, 2048, 1] : tensor<2x16x2048xf32> into tensor<2x16x2048x1xf32>
    %167 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%165, %expanded_72 : tensor<2x16x2048x2048xf32>, tensor<2x16x2048x1xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.subf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %168 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%167 : tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.exp %in : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %169 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%168 : tensor<2x16x2048x2048xf32>) outs(%90 : tensor<2x16x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.addf %in, %out : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x1xf32>
    %170 = linalg.generic {indexing_maps = [#map8, #map11, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%168, %169 : tensor<2x16x2048x2048xf32>, tensor<2x16x2048x1xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.divf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %171 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%165 : tensor<2x16x2048x2048xf32>) outs(%93 : tensor<2x16x2048x2048xi1>) {
    ^bb0(%in: f32, %out: i1):
      %216 = arith.extf %in : f32 to f64
      %217 = arith.cmpf oeq, %216, %cst_5 : f64
      linalg.yield %217 : i1
    } -> tensor<2x16x2048x2048xi1>
    %172 = linalg.generic {indexing_maps = [#map8, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%171 : tensor<2x16x2048x2048xi1>) outs(%96 : tensor<2x16x2048x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %216 = arith.andi %in, %out : i1
      linalg.yield %216 : i1
    } -> tensor<2x16x2048x1xi1>
    %173 = linalg.generic {indexing_maps = [#map11, #map8, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%172, %cst_2, %170 : tensor<2x16x2048x1xi1>, tensor<2x16x2048x2048xf32>, tensor<2x16x2048x2048xf32>) outs(%78 : tensor<2x16x2048x2048xf32>) {
    ^bb0(%in: i1, %in_91: f32, %in_92: f32, %out: f32):
      %216 = arith.select %in, %in_91, %in_92 : f32
      linalg.yield %216 : f32
    } -> tensor<2x16x2048x2048xf32>
    %174 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%173 : tensor<2x16x2048x2048xf32>) outs(%99 : tensor<2x16x2048x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x16x2048x2048xbf16>
    %collapsed_73 = tensor.collapse_shape %174 [[0, 1], [2], [3]] : tensor<2x16x2048x2048xbf16> into tensor<32x2048x2048xbf16>
    %collapsed_74 = tensor.collapse_shape %transposed_61 [[0, 1], [2], [3]] : tensor<2x16x2048x128xbf16> into tensor<32x2048x128xbf16>
    %175 = linalg.batch_matmul ins(%collapsed_73, %collapsed_74 : tensor<32x2048x2048xbf16>, tensor<32x2048x128xbf16>) outs(%102 : tensor<32x2048x128xf32>) -> tensor<32x2048x128xf32>
    %176 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%175 : tensor<32x2048x128xf32>) outs(%104 : tensor<32x2048x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<32x2048x128xbf16>
    %expanded_75 = tensor.expand_shape %176 [[0, 1], [2], [3]] output_shape [2, 16, 2048, 128] : tensor<32x2048x128xbf16> into tensor<2x16x2048x128xbf16>
    %transposed_76 = linalg.transpose ins(%expanded_75 : tensor<2x16x2048x128xbf16>) outs(%106 : tensor<2x2048x16x128xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_77 = linalg.transpose ins(%arg14 : tensor<2048x2048xbf16>) outs(%51 : tensor<2048x2048xbf16>) permutation = [1, 0] 
    %collapsed_78 = tensor.collapse_shape %transposed_76 [[0, 1], [2, 3]] : tensor<2x2048x16x128xbf16> into tensor<4096x2048xbf16>
    %177 = linalg.matmul ins(%collapsed_78, %transposed_77 : tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %178 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%177 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_79 = tensor.expand_shape %178 [[0, 1], [2]] output_shape [2, 2048, 2048] : tensor<4096x2048xbf16> into tensor<2x2048x2048xbf16>
    %179 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %expanded_79 : tensor<2x2048x2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %180 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%179 : tensor<2x2048x2048xbf16>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %181 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%180 : tensor<2x2048x2048xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %182 = linalg.generic {indexing_maps = [#map1, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%181 : tensor<2x2048x2048xf32>) outs(%43 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.addf %in, %out : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %183 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.divf %in, %cst_9 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %184 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%183 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.truncf %cst_7 : f64 to f32
      %217 = arith.addf %in, %216 : f32
      linalg.yield %217 : f32
    } -> tensor<2x2048x1xf32>
    %185 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%184 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.rsqrt %in : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %186 = linalg.generic {indexing_maps = [#map1, #map13, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%180, %185 : tensor<2x2048x2048xf32>, tensor<2x2048x1xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %187 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%186 : tensor<2x2048x2048xf32>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %188 = linalg.generic {indexing_maps = [#map14, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg19, %187 : tensor<2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %transposed_80 = linalg.transpose ins(%arg15 : tensor<5632x2048xbf16>) outs(%119 : tensor<2048x5632xbf16>) permutation = [1, 0] 
    %collapsed_81 = tensor.collapse_shape %188 [[0, 1], [2]] : tensor<2x2048x2048xbf16> into tensor<4096x2048xbf16>
    %189 = linalg.matmul ins(%collapsed_81, %transposed_80 : tensor<4096x2048xbf16>, tensor<2048x5632xbf16>) outs(%121 : tensor<4096x5632xf32>) -> tensor<4096x5632xf32>
    %190 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%189 : tensor<4096x5632xf32>) outs(%123 : tensor<4096x5632xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x5632xbf16>
    %expanded_82 = tensor.expand_shape %190 [[0, 1], [2]] output_shape [2, 2048, 5632] : tensor<4096x5632xbf16> into tensor<2x2048x5632xbf16>
    %191 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_82 : tensor<2x2048x5632xbf16>) outs(%125 : tensor<2x2048x5632xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x5632xf32>
    %192 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%191 : tensor<2x2048x5632xf32>) outs(%125 : tensor<2x2048x5632xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.negf %in : f32
      %217 = math.exp %216 : f32
      %218 = arith.addf %217, %cst_1 : f32
      %219 = arith.divf %cst_1, %218 : f32
      linalg.yield %219 : f32
    } -> tensor<2x2048x5632xf32>
    %193 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%191, %192 : tensor<2x2048x5632xf32>, tensor<2x2048x5632xf32>) outs(%125 : tensor<2x2048x5632xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x5632xf32>
    %194 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%193 : tensor<2x2048x5632xf32>) outs(%129 : tensor<2x2048x5632xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x5632xbf16>
    %transposed_83 = linalg.transpose ins(%arg16 : tensor<5632x2048xbf16>) outs(%119 : tensor<2048x5632xbf16>) permutation = [1, 0] 
    %195 = linalg.matmul ins(%collapsed_81, %transposed_83 : tensor<4096x2048xbf16>, tensor<2048x5632xbf16>) outs(%121 : tensor<4096x5632xf32>) -> tensor<4096x5632xf32>
    %196 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%195 : tensor<4096x5632xf32>) outs(%123 : tensor<4096x5632xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x5632xbf16>
    %expanded_84 = tensor.expand_shape %196 [[0, 1], [2]] output_shape [2, 2048, 5632] : tensor<4096x5632xbf16> into tensor<2x2048x5632xbf16>
    %197 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%194, %expanded_84 : tensor<2x2048x5632xbf16>, tensor<2x2048x5632xbf16>) outs(%129 : tensor<2x2048x5632xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x5632xbf16>
    %transposed_85 = linalg.transpose ins(%arg17 : tensor<2048x5632xbf16>) outs(%134 : tensor<5632x2048xbf16>) permutation = [1, 0] 
    %collapsed_86 = tensor.collapse_shape %197 [[0, 1], [2]] : tensor<2x2048x5632xbf16> into tensor<4096x5632xbf16>
    %198 = linalg.matmul ins(%collapsed_86, %transposed_85 : tensor<4096x5632xbf16>, tensor<5632x2048xbf16>) outs(%53 : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
    %199 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%198 : tensor<4096x2048xf32>) outs(%55 : tensor<4096x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x2048xbf16>
    %expanded_87 = tensor.expand_shape %199 [[0, 1], [2]] output_shape [2, 2048, 2048] : tensor<4096x2048xbf16> into tensor<2x2048x2048xbf16>
    %200 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%179, %expanded_87 : tensor<2x2048x2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.addf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %201 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%200 : tensor<2x2048x2048xbf16>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %216 = arith.extf %in : bf16 to f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %202 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%201 : tensor<2x2048x2048xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %203 = linalg.generic {indexing_maps = [#map1, #map13], iterator_types = ["parallel", "parallel", "reduction"]} ins(%202 : tensor<2x2048x2048xf32>) outs(%43 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.addf %in, %out : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %204 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%203 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.divf %in, %cst_9 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %205 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%204 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = arith.truncf %cst_7 : f64 to f32
      %217 = arith.addf %in, %216 : f32
      linalg.yield %217 : f32
    } -> tensor<2x2048x1xf32>
    %206 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%205 : tensor<2x2048x1xf32>) outs(%42 : tensor<2x2048x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %216 = math.rsqrt %in : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x1xf32>
    %207 = linalg.generic {indexing_maps = [#map1, #map13, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%201, %206 : tensor<2x2048x2048xf32>, tensor<2x2048x1xf32>) outs(%39 : tensor<2x2048x2048xf32>) {
    ^bb0(%in: f32, %in_91: f32, %out: f32):
      %216 = arith.mulf %in, %in_91 : f32
      linalg.yield %216 : f32
    } -> tensor<2x2048x2048xf32>
    %208 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%207 : tensor<2x2048x2048xf32>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %209 = linalg.generic {indexing_maps = [#map14, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg20, %208 : tensor<2048xbf16>, tensor<2x2048x2048xbf16>) outs(%0 : tensor<2x2048x2048xbf16>) {
    ^bb0(%in: bf16, %in_91: bf16, %out: bf16):
      %216 = arith.mulf %in, %in_91 : bf16
      linalg.yield %216 : bf16
    } -> tensor<2x2048x2048xbf16>
    %210 = tensor.empty() : tensor<2048x32000xbf16>
    %transposed_88 = linalg.transpose ins(%arg21 : tensor<32000x2048xbf16>) outs(%210 : tensor<2048x32000xbf16>) permutation = [1, 0] 
    %collapsed_89 = tensor.collapse_shape %209 [[0, 1], [2]] : tensor<2x2048x2048xbf16> into tensor<4096x2048xbf16>
    %211 = tensor.empty() : tensor<4096x32000xf32>
    %212 = linalg.fill ins(%cst : f32) outs(%211 : tensor<4096x32000xf32>) -> tensor<4096x32000xf32>
    %213 = linalg.matmul ins(%collapsed_89, %transposed_88 : tensor<4096x2048xbf16>, tensor<2048x32000xbf16>) outs(%212 : tensor<4096x32000xf32>) -> tensor<4096x32000xf32>
    %214 = tensor.empty() : tensor<4096x32000xbf16>
    %215 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%213 : tensor<4096x32000xf32>) outs(%214 : tensor<4096x32000xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %216 = arith.truncf %in : f32 to bf16
      linalg.yield %216 : bf16
    } -> tensor<4096x32000xbf16>
    %expanded_90 = tensor.expand_shape %215 [[0, 1], [2]] output_shape [2, 2048, 32000] : tensor<4096x32000xbf16> into tensor<2x2048x32000xbf16>
    return %expanded_90 : tensor<2x2048x32000xbf16>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_64_torch.bfloat16: "0x02000000803F5E3F403F263F103FF93ED83EBB3EA23E8C3E733E523E363E1E3E093EEC3DCD3DB13D9A3D853D663D473D2D3D163D023DE03CC23CA83C923C7C3C5A3C3D3C243C0E3CF63BD53BB83BA03B8A3B6F3B4F3B333B1B3B073BE93ACA3AAF3A973A833A633A453A2A3A133AFF39DD39BF39A6399039793957393A3921390C39F238"
    }
  }
#-}

