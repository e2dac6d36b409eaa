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
      %102 = arith.extf %in : bf16 to f32
      linalg.yield %102 : f32
    } -> tensor<?x32x64xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %1 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.mulf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x64xf32>
    %3 = tensor.empty(%dim) : tensor<?x32xf32>
    %4 = linalg.fill ins(%cst_8 : f32) outs(%3 : tensor<?x32xf32>) -> tensor<?x32xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<?x32x64xf32>) outs(%4 : tensor<?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.addf %out, %in : f32
      linalg.yield %102 : f32
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
      %102 = arith.divf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x1xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %10 : tensor<?x32x1xf32>, tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.addf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = math.rsqrt %in : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x1xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<?x32x1xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x64xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %13 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.mulf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x64xf32>
    %15 = tensor.empty(%dim) : tensor<?x32x64xbf16>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<?x32x64xf32>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
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
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x64xbf16>
    %21 = tensor.empty(%dim) : tensor<?x32x192xbf16>
    %22 = linalg.fill ins(%cst_9 : bf16) outs(%21 : tensor<?x32x192xbf16>) -> tensor<?x32x192xbf16>
    %23 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20, %arg2 : tensor<?x32x64xbf16>, tensor<64x192xbf16>) outs(%22 : tensor<?x32x192xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      %103 = arith.addf %out, %102 : bf16
      linalg.yield %103 : bf16
    } -> tensor<?x32x192xbf16>
    %24 = arith.subi %dim, %dim : index
    %25 = arith.minsi %24, %c0 : index
    %extracted_slice = tensor.extract_slice %23[%25, 0, 0] [%dim, 32, 64] [1, 1, 1] : tensor<?x32x192xbf16> to tensor<?x32x64xbf16>
    %extracted_slice_11 = tensor.extract_slice %23[%25, 0, 64] [%dim, 32, 64] [1, 1, 1] : tensor<?x32x192xbf16> to tensor<?x32x64xbf16>
    %extracted_slice_12 = tensor.extract_slice %23[%25, 0, 128] [%dim, 32, 64] [1, 1, 1] : tensor<?x32x192xbf16> to tensor<?x32x64xbf16>
    %expanded = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [%dim, 32, 4, 16] : tensor<?x32x64xbf16> into tensor<?x32x4x16xbf16>
    %expanded_13 = tensor.expand_shape %extracted_slice_11 [[0], [1], [2, 3]] output_shape [%dim, 32, 4, 16] : tensor<?x32x64xbf16> into tensor<?x32x4x16xbf16>
    %expanded_14 = tensor.expand_shape %extracted_slice_12 [[0], [1], [2, 3]] output_shape [%dim, 32, 4, 16] : tensor<?x32x64xbf16> into tensor<?x32x4x16xbf16>
    %dim_15 = tensor.dim %expanded, %c0 : tensor<?x32x4x16xbf16>
    %26 = tensor.empty(%dim_15) : tensor<?x4x32x32xf32>
    %27 = linalg.fill ins(%cst_8 : f32) outs(%26 : tensor<?x4x32x32xf32>) -> tensor<?x4x32x32xf32>
    %28 = linalg.generic {indexing_maps = [#map9, #map10, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %expanded_13 : tensor<?x32x4x16xbf16>, tensor<?x32x4x16xbf16>) outs(%27 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: f32):
      %102 = arith.extf %in : bf16 to f32
      %103 = arith.extf %in_18 : bf16 to f32
      %104 = arith.mulf %102, %103 : f32
      %105 = arith.addf %out, %104 : f32
      linalg.yield %105 : f32
    } -> tensor<?x4x32x32xf32>
    %29 = tensor.empty(%dim) : tensor<?x4x32x32xi32>
    %30 = linalg.generic {indexing_maps = [#map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%29 : tensor<?x4x32x32xi32>) {
    ^bb0(%out: i32):
      %102 = linalg.index 2 : index
      %103 = arith.index_cast %102 : index to i32
      linalg.yield %103 : i32
    } -> tensor<?x4x32x32xi32>
    %31 = linalg.generic {indexing_maps = [#map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%29 : tensor<?x4x32x32xi32>) {
    ^bb0(%out: i32):
      %102 = linalg.index 3 : index
      %103 = arith.index_cast %102 : index to i32
      linalg.yield %103 : i32
    } -> tensor<?x4x32x32xi32>
    %32 = tensor.empty(%dim) : tensor<?x4x32x32xi1>
    %33 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %31 : tensor<?x4x32x32xi32>, tensor<?x4x32x32xi32>) outs(%32 : tensor<?x4x32x32xi1>) {
    ^bb0(%in: i32, %in_18: i32, %out: i1):
      %102 = arith.cmpi sge, %in, %in_18 : i32
      linalg.yield %102 : i1
    } -> tensor<?x4x32x32xi1>
    %34 = tensor.empty(%dim) : tensor<?x4x32x32xf32>
    %35 = linalg.generic {indexing_maps = [#map13, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%34 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %36 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %35 : tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%26 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.mulf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32x32xf32>
    %37 = linalg.generic {indexing_maps = [#map13, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%34 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %38 = linalg.generic {indexing_maps = [#map12, #map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %36, %37 : tensor<?x4x32x32xi1>, tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%26 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: i1, %in_18: f32, %in_19: f32, %out: f32):
      %102 = arith.select %in, %in_18, %in_19 : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32x32xf32>
    %39 = tensor.empty(%dim_15) : tensor<?x4x32xf32>
    %40 = linalg.fill ins(%cst_10 : f32) outs(%39 : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    %41 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%38 : tensor<?x4x32x32xf32>) outs(%40 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.maximumf %out, %in : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32xf32>
    %42 = tensor.empty(%dim) : tensor<?x4x32xf32>
    %43 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%42 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43, %41 : tensor<?x4x32xf32>, tensor<?x4x32xf32>) outs(%42 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.maximumf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32xf32>
    %45 = tensor.empty(%dim) : tensor<?x4x32x1xf32>
    %46 = linalg.generic {indexing_maps = [#map8, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<?x4x32xf32>) outs(%45 : tensor<?x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x1xf32>
    %47 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<?x4x32x1xf32>) outs(%34 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %48 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %47 : tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%26 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.subf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32x32xf32>
    %49 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<?x4x32x32xf32>) outs(%26 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = math.exp %in : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32x32xf32>
    %50 = linalg.fill ins(%cst_8 : f32) outs(%39 : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    %51 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<?x4x32x32xf32>) outs(%50 : tensor<?x4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.addf %out, %in : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32xf32>
    %52 = linalg.generic {indexing_maps = [#map8, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<?x4x32xf32>) outs(%45 : tensor<?x4x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x1xf32>
    %53 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52 : tensor<?x4x32x1xf32>) outs(%34 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x4x32x32xf32>
    %54 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %53 : tensor<?x4x32x32xf32>, tensor<?x4x32x32xf32>) outs(%26 : tensor<?x4x32x32xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.divf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x4x32x32xf32>
    %55 = tensor.empty(%dim_15) : tensor<?x4x32x32xbf16>
    %56 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<?x4x32x32xf32>) outs(%55 : tensor<?x4x32x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<?x4x32x32xbf16>
    %dim_16 = tensor.dim %expanded_14, %c0 : tensor<?x32x4x16xbf16>
    %57 = tensor.empty(%dim_16) : tensor<?x4x16x32xbf16>
    %58 = linalg.fill ins(%cst_9 : bf16) outs(%57 : tensor<?x4x16x32xbf16>) -> tensor<?x4x16x32xbf16>
    %59 = linalg.generic {indexing_maps = [#map15, #map16, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_14, %56 : tensor<?x32x4x16xbf16>, tensor<?x4x32x32xbf16>) outs(%58 : tensor<?x4x16x32xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      %103 = arith.addf %out, %102 : bf16
      linalg.yield %103 : bf16
    } -> tensor<?x4x16x32xbf16>
    %60 = tensor.empty(%dim_16) : tensor<?x32x4x16xbf16>
    %61 = linalg.generic {indexing_maps = [#map17, #map12], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59 : tensor<?x4x16x32xbf16>) outs(%60 : tensor<?x32x4x16xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x4x16xbf16>
    %collapsed = tensor.collapse_shape %61 [[0], [1], [2, 3]] : tensor<?x32x4x16xbf16> into tensor<?x32x64xbf16>
    %dim_17 = tensor.dim %collapsed, %c0 : tensor<?x32x64xbf16>
    %62 = tensor.empty(%dim_17) : tensor<?x32x64xbf16>
    %63 = linalg.fill ins(%cst_9 : bf16) outs(%62 : tensor<?x32x64xbf16>) -> tensor<?x32x64xbf16>
    %64 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %arg3 : tensor<?x32x64xbf16>, tensor<64x64xbf16>) outs(%63 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      %103 = arith.addf %out, %102 : bf16
      linalg.yield %103 : bf16
    } -> tensor<?x32x64xbf16>
    %65 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %64 : tensor<?x32x64xbf16>, tensor<?x32x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.addf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x64xbf16>
    %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<?x32x64xbf16>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %102 = arith.extf %in : bf16 to f32
      linalg.yield %102 : f32
    } -> tensor<?x32x64xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %66 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.mulf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x64xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%67 : tensor<?x32x64xf32>) outs(%4 : tensor<?x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.addf %out, %in : f32
      linalg.yield %102 : f32
    } -> tensor<?x32xf32>
    %69 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<?x32xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x1xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %8 : tensor<?x32x1xf32>, tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.divf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x1xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %10 : tensor<?x32x1xf32>, tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.addf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x1xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<?x32x1xf32>) outs(%6 : tensor<?x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = math.rsqrt %in : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x1xf32>
    %73 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<?x32x1xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x32x64xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %73 : tensor<?x32x64xf32>, tensor<?x32x64xf32>) outs(%0 : tensor<?x32x64xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %102 = arith.mulf %in, %in_18 : f32
      linalg.yield %102 : f32
    } -> tensor<?x32x64xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<?x32x64xf32>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x64xbf16>
    %76 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4 : tensor<64xbf16>) outs(%17 : tensor<1x1x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x1x64xbf16>
    %77 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<1x1x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x64xbf16>
    %78 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %77 : tensor<?x32x64xbf16>, tensor<?x32x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x64xbf16>
    %79 = tensor.empty(%dim) : tensor<?x32x256xbf16>
    %80 = linalg.fill ins(%cst_9 : bf16) outs(%79 : tensor<?x32x256xbf16>) -> tensor<?x32x256xbf16>
    %81 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%78, %arg5 : tensor<?x32x64xbf16>, tensor<64x256xbf16>) outs(%80 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      %103 = arith.addf %out, %102 : bf16
      linalg.yield %103 : bf16
    } -> tensor<?x32x256xbf16>
    %82 = tensor.empty() : tensor<1x1x256xbf16>
    %83 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg6 : tensor<256xbf16>) outs(%82 : tensor<1x1x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1x1x256xbf16>
    %84 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<1x1x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %85 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81, %84 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.addf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %86 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %85 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %87 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %85 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %88 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<bf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %89 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %87 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %90 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %89 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.addf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %91 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_5 : tensor<bf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %92 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91, %90 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %93 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %102 = math.tanh %in : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %94 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<bf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %95 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %93 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.addf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %96 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<bf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<?x32x256xbf16>
    %97 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %95 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %98 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %97 : tensor<?x32x256xbf16>, tensor<?x32x256xbf16>) outs(%79 : tensor<?x32x256xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x256xbf16>
    %99 = linalg.fill ins(%cst_9 : bf16) outs(%15 : tensor<?x32x64xbf16>) -> tensor<?x32x64xbf16>
    %100 = linalg.generic {indexing_maps = [#map6, #map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%98, %arg7 : tensor<?x32x256xbf16>, tensor<256x64xbf16>) outs(%99 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_18 : bf16
      %103 = arith.addf %out, %102 : bf16
      linalg.yield %103 : bf16
    } -> tensor<?x32x64xbf16>
    %101 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %100 : tensor<?x32x64xbf16>, tensor<?x32x64xbf16>) outs(%15 : tensor<?x32x64xbf16>) {
    ^bb0(%in: bf16, %in_18: bf16, %out: bf16):
      %102 = arith.addf %in, %in_18 : bf16
      linalg.yield %102 : bf16
    } -> tensor<?x32x64xbf16>
    return %101 : tensor<?x32x64xbf16>
  }
}

