#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> ()>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map13 = affine_map<(d0, d1, d2, d3) -> ()>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map15 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>
#map16 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
module @jit_transformer {
  func.func public @main(%arg0: tensor<?x32x64xbf16>, %arg1: tensor<64xbf16>, %arg2: tensor<64x192xbf16>, %arg3: tensor<64x64xbf16>, %arg4: tensor<64xbf16>, %arg5: tensor<64x256xbf16>, %arg6: tensor<256xbf16>, %arg7: tensor<256x64xbf16>) -> tensor<?x32x64xbf16> {
    %cst = arith.constant dense<6.400000e+01> : tensor<f32>
    %cst_0 = arith.constant dense<9.99999997E-7> : tensor<f32>
    %cst_1 = arith.constant dense<2.500000e-01> : tensor<f32>
    %cst_2 = arith.constant dense<-1.000000e+30> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<4.467770e-02> : tensor<bf16>
    %cst_5 = arith.constant dense<7.968750e-01> : tensor<bf16>
    %cst_6 = arith.constant dense<1.000000e+00> : tensor<bf16>
    %cst_7 = arith.constant dense<5.000000e-01> : tensor<bf16>
    %cst_8 = arith.constant 0.000000e+00 : f32
    %cst_9 = arith.constant 0.000000e+00 : bf16
    %cst_10 = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x32x64xbf16>
    %0 = tensor.empty(%dim) : tensor<?x32x64xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x32x64xbf16>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %100 = arith.extf %in : bf16 to f32
      linalg.yield %100 : f32
    } -> tensor<?x32x64xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %1 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.mulf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x64xf32>
    %3 = tensor.empty(%dim) : tensor<?x32xf32>
    %4 = linalg.fill ins(%cst_8 : f32) outs(%3 : tensor<?x32xf32>) -> tensor<?x32xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<?x32x64xf32>) outs(%4 : tensor<?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.addf %out, %in : f32
      linalg.yield %100 : f32
    } -> tensor<?x32xf32>
    %6 = tensor.empty(%dim) : tensor<?x32x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<?x32xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x1xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %8 : tensor<?x32x1xf32>, tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.divf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x1xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %10 : tensor<?x32x1xf32>, tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.addf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.rsqrt %in : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x1xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<?x32x1xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x64xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %13 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.mulf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x64xf32>
    %15 = tensor.empty(%dim) : tensor<?x32x64xbf16>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<?x32x64xf32>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %100 = arith.truncf %in : f32 to bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x64xbf16>
    %17 = tensor.empty() : tensor<1x1x64xbf16>
    %18 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<64xbf16>) outs(%17 : tensor<1x1x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x1x64xbf16>
    %19 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<1x1x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x64xbf16>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %19 : tensor<?x32x64xbf16>, tensor<?x32x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x64xbf16>
    %21 = tensor.empty(%dim) : tensor<?x32x192xbf16>
    %22 = linalg.fill ins(%cst_9 : bf16) outs(%21 : tensor<?x32x192xbf16>) -> tensor<?x32x192xbf16>
    %23 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20, %arg2 : tensor<?x32x64xbf16>, tensor<64x192xbf16>) outs(%22 : tensor<?x32x192xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      %101 = arith.addf %out, %100 : bf16
      linalg.yield %101 : bf16
    } -> tensor<?x32x192xbf16>
    %extracted_slice = tensor.extract_slice %23[0, 0, 0] [%dim, 32, 64] [1, 1, 1] : tensor<?x32x192xbf16> to tensor<?x32x64xbf16>
    %extracted_slice_11 = tensor.extract_slice %23[0, 0, 64] [%dim, 32, 64] [1, 1, 1] : tensor<?x32x192xbf16> to tensor<?x32x64xbf16>
    %extracted_slice_12 = tensor.extract_slice %23[0, 0, 128] [%dim, 32, 64] [1, 1, 1] : tensor<?x32x192xbf16> to tensor<?x32x64xbf16>
    %expanded = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [%dim, 32, 4, 16] : tensor<?x32x64xbf16> into tensor<?x32x4x16xbf16>
    %expanded_13 = tensor.expand_shape %extracted_slice_11 [[0], [1], [2, 3]] output_shape [%dim, 32, 4, 16] : tensor<?x32x64xbf16> into tensor<?x32x4x16xbf16>
    %expanded_14 = tensor.expand_shape %extracted_slice_12 [[0], [1], [2, 3]] output_shape [%dim, 32, 4, 16] : tensor<?x32x64xbf16> into tensor<?x32x4x16xbf16>
    %dim_15 = tensor.dim %expanded, %c0 : tensor<?x32x4x16xbf16>
    %24 = tensor.empty(%dim_15) : tensor<?x4x32x32xf32>
    %25 = linalg.fill ins(%cst_8 : f32) outs(%24 : tensor<?x4x32x32xf32>) -> tensor<?x4x32x32xf32>
    %26 = linalg.generic {indexing_maps = [#map9, #map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %expanded_13 : tensor<?x32x4x16xbf16>, tensor<?x32x4x16xbf16>) outs(%25 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: f32):
      %100 = arith.extf %in : bf16 to f32
      %101 = arith.extf %in_18 : bf16 to f32
      %102 = arith.mulf %100, %101 : f32
      %103 = arith.addf %out, %102 : f32
      linalg.yield %103 : f32
    } -> tensor<?x4x32x32xf32>
    %27 = tensor.empty(%dim) : tensor<?x4x32x32xi32>
    %28 = linalg.generic {indexing_maps = [#map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%27 : tensor<?x4x32x32xi32>) {
    ^bb0(%out: i32):
      %100 = linalg.index 2 : index
      %101 = arith.index_cast %100 : index to i32
      linalg.yield %101 : i32
    } -> tensor<?x4x32x32xi32>
    %29 = linalg.generic {indexing_maps = [#map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%27 : tensor<?x4x32x32xi32>) {
    ^bb0(%out: i32):
      %100 = linalg.index 3 : index
      %101 = arith.index_cast %100 : index to i32
      linalg.yield %101 : i32
    } -> tensor<?x4x32x32xi32>
    %30 = tensor.empty(%dim) : tensor<?x4x32x32xi1>
    %31 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %29 : tensor<?x4x32x32xi32>, tensor<?x4x32x32xi32>) outs(%30 : tensor<?x4x32x32xi1>) {
    ^bb0(%in: i32, %in_18: i32, %out: i1):
      %100 = arith.cmpi sge, %in, %in_18 : i32
      linalg.yield %100 : i1
    } -> tensor<?x4x32x32xi1>
    %32 = tensor.empty(%dim) : tensor<?x4x32x32xf32>
    %33 = linalg.generic {indexing_maps = [#map13, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%32 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %34 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %33 : tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%24 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.mulf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32x32xf32>
    %35 = linalg.generic {indexing_maps = [#map13, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%32 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %36 = linalg.generic {indexing_maps = [#map12, #map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %34, %35 : tensor<?x4x32x32xi1>, tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%24 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: i1, %in_18: f32, %in_19: f32, %out: f32):
      %100 = arith.select %in, %in_18, %in_19 : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32x32xf32>
    %37 = tensor.empty(%dim_15) : tensor<?x4x32xf32>
    %38 = linalg.fill ins(%cst_10 : f32) outs(%37 : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    %39 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%36 : tensor<?x4x32x32xf32>) outs(%38 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.maximumf %out, %in : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32xf32>
    %40 = tensor.empty(%dim) : tensor<?x4x32xf32>
    %41 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%40 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %39 : tensor<?x4x32xf32>, tensor<?x4x32xf32>) outs(%40 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.maximumf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32xf32>
    %43 = tensor.empty(%dim) : tensor<?x4x32x1xf32>
    %44 = linalg.generic {indexing_maps = [#map8, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42 : tensor<?x4x32xf32>) outs(%43 : tensor<?x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x1xf32>
    %45 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<?x4x32x1xf32>) outs(%32 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %46 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %45 : tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%24 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.subf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32x32xf32>
    %47 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<?x4x32x32xf32>) outs(%24 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.exp %in : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32x32xf32>
    %48 = linalg.fill ins(%cst_8 : f32) outs(%37 : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    %49 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<?x4x32x32xf32>) outs(%48 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.addf %out, %in : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32xf32>
    %50 = linalg.generic {indexing_maps = [#map8, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<?x4x32xf32>) outs(%43 : tensor<?x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x1xf32>
    %51 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<?x4x32x1xf32>) outs(%32 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %52 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %51 : tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%24 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.divf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x4x32x32xf32>
    %53 = tensor.empty(%dim_15) : tensor<?x4x32x32xbf16>
    %54 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<?x4x32x32xf32>) outs(%53 : tensor<?x4x32x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %100 = arith.truncf %in : f32 to bf16
      linalg.yield %100 : bf16
    } -> tensor<?x4x32x32xbf16>
    %dim_16 = tensor.dim %expanded_14, %c0 : tensor<?x32x4x16xbf16>
    %55 = tensor.empty(%dim_16) : tensor<?x4x16x32xbf16>
    %56 = linalg.fill ins(%cst_9 : bf16) outs(%55 : tensor<?x4x16x32xbf16>) -> tensor<?x4x16x32xbf16>
    %57 = linalg.generic {indexing_maps = [#map15, #map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_14, %54 : tensor<?x32x4x16xbf16>, tensor<?x4x32x32xbf16>) outs(%56 : tensor<?x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      %101 = arith.addf %out, %100 : bf16
      linalg.yield %101 : bf16
    } -> tensor<?x4x16x32xbf16>
    %58 = tensor.empty(%dim_16) : tensor<?x32x4x16xbf16>
    %59 = linalg.generic {indexing_maps = [#map17, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57 : tensor<?x4x16x32xbf16>) outs(%58 : tensor<?x32x4x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x4x16xbf16>
    %collapsed = tensor.collapse_shape %59 [[0], [1], [2, 3]] : tensor<?x32x4x16xbf16> into tensor<?x32x64xbf16>
    %dim_17 = tensor.dim %collapsed, %c0 : tensor<?x32x64xbf16>
    %60 = tensor.empty(%dim_17) : tensor<?x32x64xbf16>
    %61 = linalg.fill ins(%cst_9 : bf16) outs(%60 : tensor<?x32x64xbf16>) -> tensor<?x32x64xbf16>
    %62 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %arg3 : tensor<?x32x64xbf16>, tensor<64x64xbf16>) outs(%61 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      %101 = arith.addf %out, %100 : bf16
      linalg.yield %101 : bf16
    } -> tensor<?x32x64xbf16>
    %63 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %62 : tensor<?x32x64xbf16>, tensor<?x32x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.addf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x64xbf16>
    %64 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<?x32x64xbf16>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %100 = arith.extf %in : bf16 to f32
      linalg.yield %100 : f32
    } -> tensor<?x32x64xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64, %64 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.mulf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x64xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%65 : tensor<?x32x64xf32>) outs(%4 : tensor<?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.addf %out, %in : f32
      linalg.yield %100 : f32
    } -> tensor<?x32xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<?x32xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x1xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %8 : tensor<?x32x1xf32>, tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.divf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x1xf32>
    %69 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %10 : tensor<?x32x1xf32>, tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.addf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x1xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.rsqrt %in : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x1xf32>
    %71 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<?x32x1xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x64xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64, %71 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %100 = arith.mulf %in, %in_18 : f32
      linalg.yield %100 : f32
    } -> tensor<?x32x64xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<?x32x64xf32>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %100 = arith.truncf %in : f32 to bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x64xbf16>
    %74 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<64xbf16>) outs(%17 : tensor<1x1x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x1x64xbf16>
    %75 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<1x1x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x64xbf16>
    %76 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %75 : tensor<?x32x64xbf16>, tensor<?x32x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x64xbf16>
    %77 = tensor.empty(%dim) : tensor<?x32x256xbf16>
    %78 = linalg.fill ins(%cst_9 : bf16) outs(%77 : tensor<?x32x256xbf16>) -> tensor<?x32x256xbf16>
    %79 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%76, %arg5 : tensor<?x32x64xbf16>, tensor<64x256xbf16>) outs(%78 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      %101 = arith.addf %out, %100 : bf16
      linalg.yield %101 : bf16
    } -> tensor<?x32x256xbf16>
    %80 = tensor.empty() : tensor<1x1x256xbf16>
    %81 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg6 : tensor<256xbf16>) outs(%80 : tensor<1x1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x1x256xbf16>
    %82 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<1x1x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %83 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79, %82 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.addf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %84 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %83 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %85 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %83 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %86 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<bf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %87 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %85 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %88 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %87 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.addf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %89 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_5 : tensor<bf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %90 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %88 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %91 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %100 = math.tanh %in : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %92 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<bf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %93 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92, %91 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.addf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %94 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<bf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %95 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %93 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %96 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83, %95 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%77 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x256xbf16>
    %97 = linalg.fill ins(%cst_9 : bf16) outs(%15 : tensor<?x32x64xbf16>) -> tensor<?x32x64xbf16>
    %98 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%96, %arg7 : tensor<?x32x256xbf16>, tensor<256x64xbf16>) outs(%97 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.mulf %in, %in_18 : bf16
      %101 = arith.addf %out, %100 : bf16
      linalg.yield %101 : bf16
    } -> tensor<?x32x64xbf16>
    %99 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63, %98 : tensor<?x32x64xbf16>, tensor<?x32x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %100 = arith.addf %in, %in_18 : bf16
      linalg.yield %100 : bf16
    } -> tensor<?x32x64xbf16>
    return %99 : tensor<?x32x64xbf16>
  }
}

