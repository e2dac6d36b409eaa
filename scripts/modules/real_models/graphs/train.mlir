#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> ()>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d2)>
#map9 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
#map16 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map17 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map19 = affine_map<(d0, d1, d2, d3) -> ()>
#map20 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map21 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map22 = affine_map<(d0, d1) -> (d1, d0)>
#map23 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map24 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map25 = affine_map<() -> ()>
#map26 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map27 = affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>
#map28 = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
#map29 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map30 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map31 = affine_map<(d0, d1, d2) -> (d0)>
#map32 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>
#map33 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map34 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
#map35 = affine_map<(d0) -> ()>
#map36 = affine_map<(d0) -> (d0)>
module @jit_step {
  func.func public @main(%arg0: tensor<8192x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<512xf32>, %arg3: tensor<512x1536xf32>, %arg4: tensor<512x512xf32>, %arg5: tensor<512xf32>, %arg6: tensor<512x2048xf32>, %arg7: tensor<2048x512xf32>, %arg8: tensor<512xf32>, %arg9: tensor<8x512xi32>, %arg10: tensor<8x512xi32>) -> (tensor<f32>, tensor<8192x512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x1536xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x2048xf32>, tensor<2048x512xf32>, tensor<512xf32>) {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<8191> : tensor<1xi32>
    %cst_0 = arith.constant dense<0x7FC00000> : tensor<f32>
    %true = arith.constant true
    %cst_1 = arith.constant dense<false> : tensor<i1>
    %c1024 = arith.constant 1024 : index
    %c512 = arith.constant 512 : index
    %cst_2 = arith.constant -1.000000e+00 : f32
    %c511 = arith.constant 511 : index
    %c7 = arith.constant 7 : index
    %cst_3 = arith.constant 4.096000e+03 : f32
    %cst_4 = arith.constant 0xFF800000 : f32
    %cst_5 = arith.constant 0.000000e+00 : bf16
    %cst_6 = arith.constant 0.000000e+00 : f32
    %c8191 = arith.constant 8191 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %cst_7 = arith.constant dense<1.000000e-01> : tensor<f32>
    %cst_8 = arith.constant dense<511> : tensor<i32>
    %cst_9 = arith.constant dense<1> : tensor<i32>
    %cst_10 = arith.constant dense<8191> : tensor<i32>
    %cst_11 = arith.constant dense<5.000000e-01> : tensor<bf16>
    %cst_12 = arith.constant dense<1.000000e+00> : tensor<bf16>
    %cst_13 = arith.constant dense<7.968750e-01> : tensor<bf16>
    %cst_14 = arith.constant dense<4.467770e-02> : tensor<bf16>
    %cst_15 = arith.constant dense<3.000000e+00> : tensor<bf16>
    %cst_16 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_17 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_18 = arith.constant dense<-1.000000e+30> : tensor<f32>
    %cst_19 = arith.constant dense<true> : tensor<i1>
    %cst_20 = arith.constant dense<1.250000e-01> : tensor<f32>
    %cst_21 = arith.constant dense<-5.000000e-01> : tensor<f32>
    %cst_22 = arith.constant dense<9.99999997E-7> : tensor<f32>
    %cst_23 = arith.constant dense<5.120000e+02> : tensor<f32>
    %cst_24 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_25 = arith.constant dense<8192> : tensor<i32>
    %cst_26 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<8x512xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_26 : tensor<i32>) outs(%0 : tensor<8x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512xi32>
    %2 = tensor.empty() : tensor<8x512xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg9, %1 : tensor<8x512xi32>, tensor<8x512xi32>) outs(%2 : tensor<8x512xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi slt, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512xi1>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_25 : tensor<i32>) outs(%0 : tensor<8x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512xi32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg9, %4 : tensor<8x512xi32>, tensor<8x512xi32>) outs(%0 : tensor<8x512xi32>) {
    ^bb0(%in: i32, %in_46: i32, %out: i32):
      %437 = arith.addi %in, %in_46 : i32
      linalg.yield %437 : i32
    } -> tensor<8x512xi32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %5, %arg9 : tensor<8x512xi1>, tensor<8x512xi32>, tensor<8x512xi32>) outs(%0 : tensor<8x512xi32>) {
    ^bb0(%in: i1, %in_46: i32, %in_47: i32, %out: i32):
      %437 = arith.select %in, %in_46, %in_47 : i32
      linalg.yield %437 : i32
    } -> tensor<8x512xi32>
    %7 = tensor.empty() : tensor<8x512x1xi32>
    %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x512xi32>) outs(%7 : tensor<8x512x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x1xi32>
    %9 = tensor.empty() : tensor<8x512x512xf32>
    %10 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%out: f32):
      %437 = linalg.index 0 : index
      %438 = linalg.index 1 : index
      %439 = linalg.index 2 : index
      %extracted = tensor.extract %8[%437, %438, %c0] : tensor<8x512x1xi32>
      %440 = arith.index_cast %extracted : i32 to index
      %441 = arith.maxsi %440, %c0 : index
      %442 = arith.minsi %441, %c8191 : index
      %extracted_46 = tensor.extract %arg0[%442, %439] : tensor<8192x512xf32>
      linalg.yield %extracted_46 : f32
    } -> tensor<8x512x512xf32>
    %11 = tensor.empty() : tensor<1x512x512xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<512x512xf32>) outs(%11 : tensor<1x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x512x512xf32>
    %13 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<1x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %14 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %16 = tensor.empty() : tensor<8x512xf32>
    %17 = linalg.fill ins(%cst_6 : f32) outs(%16 : tensor<8x512xf32>) -> tensor<8x512xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<8x512x512xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %19 = tensor.empty() : tensor<8x512x1xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<8x512xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %21 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_23 : tensor<f32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %21 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %23 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_22 : tensor<f32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %23 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = math.rsqrt %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25, %24 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_21 : tensor<f32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %26 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %29 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<8x512x1xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %29 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %31 = tensor.empty() : tensor<1x1x512xf32>
    %32 = linalg.generic {indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<512xf32>) outs(%31 : tensor<1x1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x512xf32>
    %33 = linalg.generic {indexing_maps = [#map9, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<1x1x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %33 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %35 = tensor.empty() : tensor<8x512x512xbf16>
    %36 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34 : tensor<8x512x512xf32>) outs(%35 : tensor<8x512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x512xbf16>
    %37 = tensor.empty() : tensor<512x1536xbf16>
    %38 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<512x1536xf32>) outs(%37 : tensor<512x1536xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<512x1536xbf16>
    %39 = tensor.empty() : tensor<8x512x1536xbf16>
    %40 = linalg.fill ins(%cst_5 : bf16) outs(%39 : tensor<8x512x1536xbf16>) -> tensor<8x512x1536xbf16>
    %41 = linalg.generic {indexing_maps = [#map10, #map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%36, %38 : tensor<8x512x512xbf16>, tensor<512x1536xbf16>) outs(%40 : tensor<8x512x1536xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x1536xbf16>
    %extracted_slice = tensor.extract_slice %41[0, 0, 0] [8, 512, 512] [1, 1, 1] : tensor<8x512x1536xbf16> to tensor<8x512x512xbf16>
    %extracted_slice_27 = tensor.extract_slice %41[0, 0, 512] [8, 512, 512] [1, 1, 1] : tensor<8x512x1536xbf16> to tensor<8x512x512xbf16>
    %extracted_slice_28 = tensor.extract_slice %41[0, 0, 1024] [8, 512, 512] [1, 1, 1] : tensor<8x512x1536xbf16> to tensor<8x512x512xbf16>
    %expanded = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [8, 512, 8, 64] : tensor<8x512x512xbf16> into tensor<8x512x8x64xbf16>
    %42 = tensor.empty() : tensor<8x8x512x64xbf16>
    %43 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<8x512x8x64xbf16>) outs(%42 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x512x64xbf16>
    %expanded_29 = tensor.expand_shape %extracted_slice_27 [[0], [1], [2, 3]] output_shape [8, 512, 8, 64] : tensor<8x512x512xbf16> into tensor<8x512x8x64xbf16>
    %44 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_29 : tensor<8x512x8x64xbf16>) outs(%42 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x512x64xbf16>
    %expanded_30 = tensor.expand_shape %extracted_slice_28 [[0], [1], [2, 3]] output_shape [8, 512, 8, 64] : tensor<8x512x512xbf16> into tensor<8x512x8x64xbf16>
    %45 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_30 : tensor<8x512x8x64xbf16>) outs(%42 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x512x64xbf16>
    %46 = tensor.empty() : tensor<8x8x64x512xbf16>
    %47 = linalg.generic {indexing_maps = [#map15, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<8x8x512x64xbf16>) outs(%46 : tensor<8x8x64x512xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x64x512xbf16>
    %48 = tensor.empty() : tensor<8x8x512x512xbf16>
    %49 = linalg.fill ins(%cst_5 : bf16) outs(%48 : tensor<8x8x512x512xbf16>) -> tensor<8x8x512x512xbf16>
    %50 = linalg.generic {indexing_maps = [#map16, #map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%43, %47 : tensor<8x8x512x64xbf16>, tensor<8x8x64x512xbf16>) outs(%49 : tensor<8x8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x8x512x512xbf16>
    %51 = tensor.empty() : tensor<8x8x512x512xf32>
    %52 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<8x8x512x512xbf16>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %53 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_20 : tensor<f32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x512xf32>
    %54 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %53 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %55 = tensor.empty() : tensor<512x512xi1>
    %56 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_19 : tensor<i1>) outs(%55 : tensor<512x512xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<512x512xi1>
    %57 = tensor.empty() : tensor<512x512xi32>
    %58 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%57 : tensor<512x512xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 0 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<512x512xi32>
    %59 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_26 : tensor<i32>) outs(%57 : tensor<512x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<512x512xi32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%58, %59 : tensor<512x512xi32>, tensor<512x512xi32>) outs(%57 : tensor<512x512xi32>) {
    ^bb0(%in: i32, %in_46: i32, %out: i32):
      %437 = arith.addi %in, %in_46 : i32
      linalg.yield %437 : i32
    } -> tensor<512x512xi32>
    %61 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%57 : tensor<512x512xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 1 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<512x512xi32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%60, %61 : tensor<512x512xi32>, tensor<512x512xi32>) outs(%55 : tensor<512x512xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sge, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<512x512xi1>
    %63 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<i1>) outs(%55 : tensor<512x512xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<512x512xi1>
    %64 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%62, %56, %63 : tensor<512x512xi1>, tensor<512x512xi1>, tensor<512x512xi1>) outs(%55 : tensor<512x512xi1>) {
    ^bb0(%in: i1, %in_46: i1, %in_47: i1, %out: i1):
      %437 = arith.select %in, %in_46, %in_47 : i1
      linalg.yield %437 : i1
    } -> tensor<512x512xi1>
    %65 = tensor.empty() : tensor<8x8x512x512xi1>
    %66 = linalg.generic {indexing_maps = [#map20, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<512x512xi1>) outs(%65 : tensor<8x8x512x512xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<8x8x512x512xi1>
    %67 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_18 : tensor<f32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x512xf32>
    %68 = linalg.generic {indexing_maps = [#map14, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66, %54, %67 : tensor<8x8x512x512xi1>, tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %437 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %69 = tensor.empty() : tensor<8x8x512xf32>
    %70 = linalg.fill ins(%cst_4 : f32) outs(%69 : tensor<8x8x512xf32>) -> tensor<8x8x512xf32>
    %71 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%68 : tensor<8x8x512x512xf32>) outs(%70 : tensor<8x8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.maximumf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512xf32>
    %72 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_17 : tensor<f32>) outs(%69 : tensor<8x8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512xf32>
    %73 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %71 : tensor<8x8x512xf32>, tensor<8x8x512xf32>) outs(%69 : tensor<8x8x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.maximumf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512xf32>
    %74 = tensor.empty() : tensor<8x8x512x1xf32>
    %75 = linalg.generic {indexing_maps = [#map12, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73 : tensor<8x8x512xf32>) outs(%74 : tensor<8x8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x1xf32>
    %76 = linalg.generic {indexing_maps = [#map21, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75 : tensor<8x8x512x1xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x512xf32>
    %77 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %76 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %78 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%77 : tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = math.exp %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %79 = linalg.fill ins(%cst_6 : f32) outs(%69 : tensor<8x8x512xf32>) -> tensor<8x8x512xf32>
    %80 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%78 : tensor<8x8x512x512xf32>) outs(%79 : tensor<8x8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512xf32>
    %81 = linalg.generic {indexing_maps = [#map12, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80 : tensor<8x8x512xf32>) outs(%74 : tensor<8x8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x1xf32>
    %82 = linalg.generic {indexing_maps = [#map21, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81 : tensor<8x8x512x1xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x512xf32>
    %83 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78, %82 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %84 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%81, %81 : tensor<8x8x512x1xf32>, tensor<8x8x512x1xf32>) outs(%74 : tensor<8x8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x1xf32>
    %85 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_16 : tensor<f32>) outs(%74 : tensor<8x8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x1xf32>
    %86 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%85, %84 : tensor<8x8x512x1xf32>, tensor<8x8x512x1xf32>) outs(%74 : tensor<8x8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x1xf32>
    %87 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83 : tensor<8x8x512x512xf32>) outs(%48 : tensor<8x8x512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x8x512x512xbf16>
    %88 = linalg.fill ins(%cst_5 : bf16) outs(%42 : tensor<8x8x512x64xbf16>) -> tensor<8x8x512x64xbf16>
    %89 = linalg.generic {indexing_maps = [#map16, #map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%87, %45 : tensor<8x8x512x512xbf16>, tensor<8x8x512x64xbf16>) outs(%88 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x8x512x64xbf16>
    %90 = tensor.empty() : tensor<8x512x8x64xbf16>
    %91 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%89 : tensor<8x8x512x64xbf16>) outs(%90 : tensor<8x512x8x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x8x64xbf16>
    %collapsed = tensor.collapse_shape %91 [[0], [1], [2, 3]] : tensor<8x512x8x64xbf16> into tensor<8x512x512xbf16>
    %92 = tensor.empty() : tensor<512x512xbf16>
    %93 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<512x512xf32>) outs(%92 : tensor<512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<512x512xbf16>
    %94 = linalg.fill ins(%cst_5 : bf16) outs(%35 : tensor<8x512x512xbf16>) -> tensor<8x512x512xbf16>
    %95 = linalg.generic {indexing_maps = [#map10, #map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %93 : tensor<8x512x512xbf16>, tensor<512x512xbf16>) outs(%94 : tensor<8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x512xbf16>
    %96 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<8x512x512xbf16>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %97 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %96 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %98 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %97 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %99 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%98 : tensor<8x512x512xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %100 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<8x512xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %101 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100, %21 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %102 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %23 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %103 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = math.rsqrt %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %104 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103, %102 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %105 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %104 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %106 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<8x512x1xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %107 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %106 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %108 = linalg.generic {indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5 : tensor<512xf32>) outs(%31 : tensor<1x1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x512xf32>
    %109 = linalg.generic {indexing_maps = [#map9, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%108 : tensor<1x1x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %110 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %109 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %111 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110 : tensor<8x512x512xf32>) outs(%35 : tensor<8x512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x512xbf16>
    %112 = tensor.empty() : tensor<512x2048xbf16>
    %113 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<512x2048xf32>) outs(%112 : tensor<512x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<512x2048xbf16>
    %114 = tensor.empty() : tensor<8x512x2048xbf16>
    %115 = linalg.fill ins(%cst_5 : bf16) outs(%114 : tensor<8x512x2048xbf16>) -> tensor<8x512x2048xbf16>
    %116 = linalg.generic {indexing_maps = [#map10, #map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%111, %113 : tensor<8x512x512xbf16>, tensor<512x2048xbf16>) outs(%115 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x2048xbf16>
    %117 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116, %116 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %118 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117, %116 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %119 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_15 : tensor<bf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x2048xbf16>
    %120 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119, %117 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %121 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_14 : tensor<bf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x2048xbf16>
    %122 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%121, %118 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %123 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116, %122 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.addf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %124 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_13 : tensor<bf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x2048xbf16>
    %125 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%124, %123 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %126 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125 : tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %437 = math.tanh %in : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %127 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_12 : tensor<bf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x2048xbf16>
    %128 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %126 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.subf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %129 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %126 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.addf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %130 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_11 : tensor<bf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x2048xbf16>
    %131 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %129 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %132 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116, %131 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %133 = tensor.empty() : tensor<2048x512xbf16>
    %134 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<2048x512xf32>) outs(%133 : tensor<2048x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<2048x512xbf16>
    %135 = linalg.generic {indexing_maps = [#map10, #map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%132, %134 : tensor<8x512x2048xbf16>, tensor<2048x512xbf16>) outs(%94 : tensor<8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x512xbf16>
    %136 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%135 : tensor<8x512x512xbf16>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %137 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %136 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %138 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %137 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %139 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%138 : tensor<8x512x512xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %140 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139 : tensor<8x512xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %141 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %21 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %142 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%141, %23 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %143 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%142 : tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = math.rsqrt %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %144 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143, %142 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %145 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %144 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %146 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%143 : tensor<8x512x1xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %147 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %146 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %148 = linalg.generic {indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8 : tensor<512xf32>) outs(%31 : tensor<1x1x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x512xf32>
    %149 = linalg.generic {indexing_maps = [#map9, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%148 : tensor<1x1x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %150 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %149 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %151 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150 : tensor<8x512x512xf32>) outs(%35 : tensor<8x512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x512xbf16>
    %152 = tensor.empty() : tensor<512x8192xf32>
    %153 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<8192x512xf32>) outs(%152 : tensor<512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x8192xf32>
    %154 = tensor.empty() : tensor<512x8192xbf16>
    %155 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%153 : tensor<512x8192xf32>) outs(%154 : tensor<512x8192xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<512x8192xbf16>
    %156 = tensor.empty() : tensor<8x512x8192xbf16>
    %157 = linalg.fill ins(%cst_5 : bf16) outs(%156 : tensor<8x512x8192xbf16>) -> tensor<8x512x8192xbf16>
    %158 = linalg.generic {indexing_maps = [#map10, #map11, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%151, %155 : tensor<8x512x512xbf16>, tensor<512x8192xbf16>) outs(%157 : tensor<8x512x8192xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x8192xbf16>
    %159 = tensor.empty() : tensor<8x512x8192xf32>
    %160 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%158 : tensor<8x512x8192xbf16>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %161 = linalg.fill ins(%cst_4 : f32) outs(%16 : tensor<8x512xf32>) -> tensor<8x512xf32>
    %162 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%160 : tensor<8x512x8192xf32>) outs(%161 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.maximumf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %163 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_17 : tensor<f32>) outs(%16 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512xf32>
    %164 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%163, %162 : tensor<8x512xf32>, tensor<8x512xf32>) outs(%16 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.maximumf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %165 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164 : tensor<8x512xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %166 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%165 : tensor<8x512x1xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x8192xf32>
    %167 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160, %166 : tensor<8x512x8192xf32>, tensor<8x512x8192xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %168 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%167 : tensor<8x512x8192xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = math.exp %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %169 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%168 : tensor<8x512x8192xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %170 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%169 : tensor<8x512xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %171 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%170 : tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = math.log %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %172 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%171 : tensor<8x512x1xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x8192xf32>
    %173 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%167, %172 : tensor<8x512x8192xf32>, tensor<8x512x8192xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %174 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg10 : tensor<8x512xi32>) outs(%7 : tensor<8x512x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x1xi32>
    %175 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_26 : tensor<i32>) outs(%7 : tensor<8x512x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x1xi32>
    %176 = tensor.empty() : tensor<8x512x1xi1>
    %177 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%174, %175 : tensor<8x512x1xi32>, tensor<8x512x1xi32>) outs(%176 : tensor<8x512x1xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi slt, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512x1xi1>
    %178 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_25 : tensor<i32>) outs(%7 : tensor<8x512x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x1xi32>
    %179 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%174, %178 : tensor<8x512x1xi32>, tensor<8x512x1xi32>) outs(%7 : tensor<8x512x1xi32>) {
    ^bb0(%in: i32, %in_46: i32, %out: i32):
      %437 = arith.addi %in, %in_46 : i32
      linalg.yield %437 : i32
    } -> tensor<8x512x1xi32>
    %180 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%177, %179, %174 : tensor<8x512x1xi1>, tensor<8x512x1xi32>, tensor<8x512x1xi32>) outs(%7 : tensor<8x512x1xi32>) {
    ^bb0(%in: i1, %in_46: i32, %in_47: i32, %out: i32):
      %437 = arith.select %in, %in_46, %in_47 : i32
      linalg.yield %437 : i32
    } -> tensor<8x512x1xi32>
    %expanded_31 = tensor.expand_shape %180 [[0], [1], [2, 3]] output_shape [8, 512, 1, 1] : tensor<8x512x1xi32> into tensor<8x512x1x1xi32>
    %181 = tensor.empty() : tensor<8x512x1x1xi32>
    %182 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_26 : tensor<i32>) outs(%181 : tensor<8x512x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x1x1xi32>
    %183 = tensor.empty() : tensor<8x512x1x1xi1>
    %184 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_31, %182 : tensor<8x512x1x1xi32>, tensor<8x512x1x1xi32>) outs(%183 : tensor<8x512x1x1xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sge, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512x1x1xi1>
    %185 = tensor.empty() : tensor<1x1x1x1xi32>
    %186 = linalg.generic {indexing_maps = [#map23, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<1xi32>) outs(%185 : tensor<1x1x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x1x1x1xi32>
    %187 = linalg.generic {indexing_maps = [#map24, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%186 : tensor<1x1x1x1xi32>) outs(%181 : tensor<8x512x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x1x1xi32>
    %188 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_31, %187 : tensor<8x512x1x1xi32>, tensor<8x512x1x1xi32>) outs(%183 : tensor<8x512x1x1xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sle, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512x1x1xi1>
    %189 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%184, %188 : tensor<8x512x1x1xi1>, tensor<8x512x1x1xi1>) outs(%183 : tensor<8x512x1x1xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8x512x1x1xi1>
    %190 = linalg.fill ins(%true : i1) outs(%176 : tensor<8x512x1xi1>) -> tensor<8x512x1xi1>
    %191 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%189 : tensor<8x512x1x1xi1>) outs(%190 : tensor<8x512x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %437 = arith.andi %out, %in : i1
      linalg.yield %437 : i1
    } -> tensor<8x512x1xi1>
    %192 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%out: f32):
      %437 = linalg.index 0 : index
      %438 = linalg.index 1 : index
      %extracted = tensor.extract %expanded_31[%437, %438, %c0, %c0] : tensor<8x512x1x1xi32>
      %439 = arith.index_cast %extracted : i32 to index
      %440 = arith.maxsi %439, %c0 : index
      %441 = arith.minsi %440, %c8191 : index
      %extracted_46 = tensor.extract %173[%437, %438, %441] : tensor<8x512x8192xf32>
      linalg.yield %extracted_46 : f32
    } -> tensor<8x512x1xf32>
    %193 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %194 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%191, %192, %193 : tensor<8x512x1xi1>, tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %437 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %195 = tensor.empty() : tensor<f32>
    %196 = linalg.fill ins(%cst_6 : f32) outs(%195 : tensor<f32>) -> tensor<f32>
    %197 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["reduction", "reduction", "reduction"]} ins(%194 : tensor<8x512x1xf32>) outs(%196 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<f32>
    %198 = linalg.generic {indexing_maps = [#map25, #map25], iterator_types = []} ins(%197 : tensor<f32>) outs(%195 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.divf %in, %cst_3 : f32
      linalg.yield %437 : f32
    } -> tensor<f32>
    %199 = linalg.generic {indexing_maps = [#map25, #map25], iterator_types = []} ins(%198 : tensor<f32>) outs(%195 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.negf %in : f32
      linalg.yield %437 : f32
    } -> tensor<f32>
    %200 = linalg.generic {indexing_maps = [#map25], iterator_types = []} outs(%195 : tensor<f32>) {
    ^bb0(%out: f32):
      linalg.yield %cst_2 : f32
    } -> tensor<f32>
    %201 = linalg.generic {indexing_maps = [#map25, #map25], iterator_types = []} ins(%200 : tensor<f32>) outs(%195 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.divf %in, %cst_3 : f32
      linalg.yield %437 : f32
    } -> tensor<f32>
    %202 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%201 : tensor<f32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x1xf32>
    %203 = linalg.generic {indexing_maps = [#map6, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_24 : tensor<f32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x8192xf32>
    %204 = tensor.empty() : tensor<8x512x8192x1xi1>
    %205 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_19 : tensor<i1>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<8x512x8192x1xi1>
    %206 = tensor.empty() : tensor<8x512x8192x1xi32>
    %207 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 2 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<8x512x8192x1xi32>
    %208 = linalg.generic {indexing_maps = [#map10, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%180 : tensor<8x512x1xi32>) outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x8192x1xi32>
    %209 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_26 : tensor<i32>) outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x8192x1xi32>
    %210 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%208, %209 : tensor<8x512x8192x1xi32>, tensor<8x512x8192x1xi32>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sge, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %211 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_10 : tensor<i32>) outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x8192x1xi32>
    %212 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%208, %211 : tensor<8x512x8192x1xi32>, tensor<8x512x8192x1xi32>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sle, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %213 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%210, %212 : tensor<8x512x8192x1xi1>, tensor<8x512x8192x1xi1>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %214 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%207, %208 : tensor<8x512x8192x1xi32>, tensor<8x512x8192x1xi32>) outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%in: i32, %in_46: i32, %out: i32):
      %437 = arith.subi %in, %in_46 : i32
      linalg.yield %437 : i32
    } -> tensor<8x512x8192x1xi32>
    %215 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%214, %209 : tensor<8x512x8192x1xi32>, tensor<8x512x8192x1xi32>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sge, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %216 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%213, %215 : tensor<8x512x8192x1xi1>, tensor<8x512x8192x1xi1>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %217 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_9 : tensor<i32>) outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x8192x1xi32>
    %218 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%214, %217 : tensor<8x512x8192x1xi32>, tensor<8x512x8192x1xi32>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi slt, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %219 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%216, %218 : tensor<8x512x8192x1xi1>, tensor<8x512x8192x1xi1>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %220 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%205, %219 : tensor<8x512x8192x1xi1>, tensor<8x512x8192x1xi1>) outs(%204 : tensor<8x512x8192x1xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8x512x8192x1xi1>
    %221 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 0 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<8x512x8192x1xi32>
    %222 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 1 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<8x512x8192x1xi32>
    %223 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%206 : tensor<8x512x8192x1xi32>) {
    ^bb0(%out: i32):
      linalg.yield %c0_i32 : i32
    } -> tensor<8x512x8192x1xi32>
    %224 = tensor.empty() : tensor<8x512x8192x1x1xi32>
    %225 = linalg.generic {indexing_maps = [#map18, #map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%221 : tensor<8x512x8192x1xi32>) outs(%224 : tensor<8x512x8192x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x8192x1x1xi32>
    %226 = linalg.generic {indexing_maps = [#map18, #map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%222 : tensor<8x512x8192x1xi32>) outs(%224 : tensor<8x512x8192x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x8192x1x1xi32>
    %227 = linalg.generic {indexing_maps = [#map18, #map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%223 : tensor<8x512x8192x1xi32>) outs(%224 : tensor<8x512x8192x1x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x512x8192x1x1xi32>
    %228 = tensor.empty() : tensor<8x512x8192x1x3xi32>
    %229 = linalg.generic {indexing_maps = [#map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%228 : tensor<8x512x8192x1x3xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 0 : index
      %438 = linalg.index 1 : index
      %439 = linalg.index 2 : index
      %440 = linalg.index 4 : index
      %441 = arith.cmpi ult, %440, %c1 : index
      %442 = scf.if %441 -> (i32) {
        %extracted = tensor.extract %225[%437, %438, %439, %c0, %440] : tensor<8x512x8192x1x1xi32>
        scf.yield %extracted : i32
      } else {
        %443 = arith.cmpi ult, %440, %c2 : index
        %444 = scf.if %443 -> (i32) {
          %445 = arith.subi %440, %c1 : index
          %extracted = tensor.extract %226[%437, %438, %439, %c0, %445] : tensor<8x512x8192x1x1xi32>
          scf.yield %extracted : i32
        } else {
          %445 = arith.subi %440, %c2 : index
          %extracted = tensor.extract %227[%437, %438, %439, %c0, %445] : tensor<8x512x8192x1x1xi32>
          scf.yield %extracted : i32
        }
        scf.yield %444 : i32
      }
      linalg.yield %442 : i32
    } -> tensor<8x512x8192x1x3xi32>
    %230 = tensor.empty() : tensor<8x512x8192x1xf32>
    %231 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%230 : tensor<8x512x8192x1xf32>) {
    ^bb0(%out: f32):
      %437 = linalg.index 0 : index
      %438 = linalg.index 1 : index
      %439 = linalg.index 2 : index
      %extracted = tensor.extract %229[%437, %438, %439, %c0, %c0] : tensor<8x512x8192x1x3xi32>
      %440 = arith.index_cast %extracted : i32 to index
      %extracted_46 = tensor.extract %229[%437, %438, %439, %c0, %c1] : tensor<8x512x8192x1x3xi32>
      %441 = arith.index_cast %extracted_46 : i32 to index
      %extracted_47 = tensor.extract %229[%437, %438, %439, %c0, %c2] : tensor<8x512x8192x1x3xi32>
      %442 = arith.index_cast %extracted_47 : i32 to index
      %443 = arith.maxsi %440, %c0 : index
      %444 = arith.minsi %443, %c7 : index
      %445 = arith.maxsi %441, %c0 : index
      %446 = arith.minsi %445, %c511 : index
      %447 = arith.maxsi %442, %c0 : index
      %448 = arith.minsi %447, %c0 : index
      %extracted_48 = tensor.extract %202[%444, %446, %448] : tensor<8x512x1xf32>
      linalg.yield %extracted_48 : f32
    } -> tensor<8x512x8192x1xf32>
    %232 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_24 : tensor<f32>) outs(%230 : tensor<8x512x8192x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x8192x1xf32>
    %233 = linalg.generic {indexing_maps = [#map14, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%220, %231, %232 : tensor<8x512x8192x1xi1>, tensor<8x512x8192x1xf32>, tensor<8x512x8192x1xf32>) outs(%230 : tensor<8x512x8192x1xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %437 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192x1xf32>
    %234 = linalg.fill ins(%cst_6 : f32) outs(%159 : tensor<8x512x8192xf32>) -> tensor<8x512x8192xf32>
    %235 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%233 : tensor<8x512x8192x1xf32>) outs(%234 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %236 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%203, %235 : tensor<8x512x8192xf32>, tensor<8x512x8192xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %237 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%236 : tensor<8x512x8192xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.negf %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %238 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%237 : tensor<8x512x8192xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %expanded_32 = tensor.expand_shape %238 [[0], [1, 2]] output_shape [8, 512, 1] : tensor<8x512xf32> into tensor<8x512x1xf32>
    %239 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32, %170 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %240 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%239 : tensor<8x512x1xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %241 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%240 : tensor<8x512xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x8192xf32>
    %242 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%241, %168 : tensor<8x512x8192xf32>, tensor<8x512x8192xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %243 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%236, %242 : tensor<8x512x8192xf32>, tensor<8x512x8192xf32>) outs(%159 : tensor<8x512x8192xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x8192xf32>
    %244 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%243 : tensor<8x512x8192xf32>) outs(%156 : tensor<8x512x8192xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x8192xbf16>
    %245 = tensor.empty() : tensor<8192x512xbf16>
    %246 = linalg.fill ins(%cst_5 : bf16) outs(%245 : tensor<8192x512xbf16>) -> tensor<8192x512xbf16>
    %247 = linalg.generic {indexing_maps = [#map27, #map28, #map29], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%244, %151 : tensor<8x512x8192xbf16>, tensor<8x512x512xbf16>) outs(%246 : tensor<8192x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8192x512xbf16>
    %248 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel"]} ins(%247 : tensor<8192x512xbf16>) outs(%154 : tensor<512x8192xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<512x8192xbf16>
    %249 = linalg.generic {indexing_maps = [#map10, #map20, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%244, %155 : tensor<8x512x8192xbf16>, tensor<512x8192xbf16>) outs(%94 : tensor<8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x512xbf16>
    %250 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%248 : tensor<512x8192xbf16>) outs(%152 : tensor<512x8192xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<512x8192xf32>
    %251 = tensor.empty() : tensor<8192x512xf32>
    %252 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel"]} ins(%250 : tensor<512x8192xf32>) outs(%251 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x512xf32>
    %253 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%249 : tensor<8x512x512xbf16>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %254 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %253 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %255 = tensor.empty() : tensor<512xf32>
    %256 = linalg.fill ins(%cst_6 : f32) outs(%255 : tensor<512xf32>) -> tensor<512xf32>
    %257 = linalg.generic {indexing_maps = [#map30, #map31], iterator_types = ["parallel", "reduction", "reduction"]} ins(%254 : tensor<8x512x512xf32>) outs(%256 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %expanded_33 = tensor.expand_shape %257 [[0, 1, 2]] output_shape [1, 1, 512] : tensor<512xf32> into tensor<1x1x512xf32>
    %258 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%253, %149 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %259 = linalg.generic {indexing_maps = [#map30, #map31], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_33 : tensor<1x1x512xf32>) outs(%256 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %260 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %258 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %261 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%260 : tensor<8x512x512xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %expanded_34 = tensor.expand_shape %261 [[0], [1, 2]] output_shape [8, 512, 1] : tensor<8x512xf32> into tensor<8x512x1xf32>
    %262 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%258, %146 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %263 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_34, %145 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %264 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%263, %21 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %265 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%264 : tensor<8x512x1xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %266 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%265 : tensor<8x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %267 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %266 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %268 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%262, %267 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %269 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%266, %137 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %270 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%268, %269 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %271 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270 : tensor<8x512x512xf32>) outs(%35 : tensor<8x512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x512xbf16>
    %272 = linalg.fill ins(%cst_5 : bf16) outs(%112 : tensor<512x2048xbf16>) -> tensor<512x2048xbf16>
    %273 = linalg.generic {indexing_maps = [#map27, #map28, #map29], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%271, %132 : tensor<8x512x512xbf16>, tensor<8x512x2048xbf16>) outs(%272 : tensor<512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<512x2048xbf16>
    %274 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel"]} ins(%273 : tensor<512x2048xbf16>) outs(%133 : tensor<2048x512xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2048x512xbf16>
    %275 = linalg.generic {indexing_maps = [#map10, #map20, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%271, %134 : tensor<8x512x512xbf16>, tensor<2048x512xbf16>) outs(%115 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x2048xbf16>
    %276 = tensor.empty() : tensor<2048x512xf32>
    %277 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%274 : tensor<2048x512xbf16>) outs(%276 : tensor<2048x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<2048x512xf32>
    %278 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%116, %275 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %279 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%275, %131 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %280 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %278 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %281 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%280, %128 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %282 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%281, %126 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %283 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%281, %282 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.addf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %284 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%124, %283 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %285 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%279, %284 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.addf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %286 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%121, %284 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %287 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%286, %120 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %288 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%285, %287 : tensor<8x512x2048xbf16>, tensor<8x512x2048xbf16>) outs(%114 : tensor<8x512x2048xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.addf %in, %in_46 : bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x2048xbf16>
    %289 = linalg.fill ins(%cst_5 : bf16) outs(%133 : tensor<2048x512xbf16>) -> tensor<2048x512xbf16>
    %290 = linalg.generic {indexing_maps = [#map27, #map28, #map29], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%288, %111 : tensor<8x512x2048xbf16>, tensor<8x512x512xbf16>) outs(%289 : tensor<2048x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<2048x512xbf16>
    %291 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel"]} ins(%290 : tensor<2048x512xbf16>) outs(%112 : tensor<512x2048xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<512x2048xbf16>
    %292 = linalg.generic {indexing_maps = [#map10, #map20, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%288, %113 : tensor<8x512x2048xbf16>, tensor<512x2048xbf16>) outs(%94 : tensor<8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x512xbf16>
    %293 = tensor.empty() : tensor<512x2048xf32>
    %294 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%291 : tensor<512x2048xbf16>) outs(%293 : tensor<512x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<512x2048xf32>
    %295 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%292 : tensor<8x512x512xbf16>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %296 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %295 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %297 = linalg.generic {indexing_maps = [#map30, #map31], iterator_types = ["parallel", "reduction", "reduction"]} ins(%296 : tensor<8x512x512xf32>) outs(%256 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %expanded_35 = tensor.expand_shape %297 [[0, 1, 2]] output_shape [1, 1, 512] : tensor<512xf32> into tensor<1x1x512xf32>
    %298 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%295, %109 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %299 = linalg.generic {indexing_maps = [#map30, #map31], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_35 : tensor<1x1x512xf32>) outs(%256 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %300 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %298 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %301 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%300 : tensor<8x512x512xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %expanded_36 = tensor.expand_shape %301 [[0], [1, 2]] output_shape [8, 512, 1] : tensor<8x512xf32> into tensor<8x512x1xf32>
    %302 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%298, %106 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %303 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270, %302 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %304 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_36, %105 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %305 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%304, %21 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %306 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%305 : tensor<8x512x1xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %307 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%306 : tensor<8x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %308 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %307 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %309 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%303, %308 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %310 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%307, %97 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %311 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%309, %310 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %312 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%311 : tensor<8x512x512xf32>) outs(%35 : tensor<8x512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x512x512xbf16>
    %313 = linalg.fill ins(%cst_5 : bf16) outs(%92 : tensor<512x512xbf16>) -> tensor<512x512xbf16>
    %314 = linalg.generic {indexing_maps = [#map27, #map28, #map29], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%312, %collapsed : tensor<8x512x512xbf16>, tensor<8x512x512xbf16>) outs(%313 : tensor<512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<512x512xbf16>
    %315 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel"]} ins(%314 : tensor<512x512xbf16>) outs(%92 : tensor<512x512xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<512x512xbf16>
    %316 = linalg.generic {indexing_maps = [#map10, #map20, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%312, %93 : tensor<8x512x512xbf16>, tensor<512x512xbf16>) outs(%94 : tensor<8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x512xbf16>
    %317 = tensor.empty() : tensor<512x512xf32>
    %318 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%315 : tensor<512x512xbf16>) outs(%317 : tensor<512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<512x512xf32>
    %expanded_37 = tensor.expand_shape %316 [[0], [1], [2, 3]] output_shape [8, 512, 8, 64] : tensor<8x512x512xbf16> into tensor<8x512x8x64xbf16>
    %319 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_37 : tensor<8x512x8x64xbf16>) outs(%42 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x512x64xbf16>
    %320 = linalg.fill ins(%cst_5 : bf16) outs(%46 : tensor<8x8x64x512xbf16>) -> tensor<8x8x64x512xbf16>
    %321 = linalg.generic {indexing_maps = [#map32, #map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%319, %87 : tensor<8x8x512x64xbf16>, tensor<8x8x512x512xbf16>) outs(%320 : tensor<8x8x64x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x8x64x512xbf16>
    %322 = linalg.generic {indexing_maps = [#map15, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%321 : tensor<8x8x64x512xbf16>) outs(%42 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x512x64xbf16>
    %323 = linalg.generic {indexing_maps = [#map16, #map33, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%319, %45 : tensor<8x8x512x64xbf16>, tensor<8x8x512x64xbf16>) outs(%49 : tensor<8x8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x8x512x512xbf16>
    %324 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%323 : tensor<8x8x512x512xbf16>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %325 = linalg.generic {indexing_maps = [#map21, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86 : tensor<8x8x512x1xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x512xf32>
    %326 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%324, %325 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %327 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%326, %78 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %328 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%327 : tensor<8x8x512x512xf32>) outs(%79 : tensor<8x8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512xf32>
    %expanded_38 = tensor.expand_shape %328 [[0], [1], [2, 3]] output_shape [8, 8, 512, 1] : tensor<8x8x512xf32> into tensor<8x8x512x1xf32>
    %329 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<8x8x512x1xf32>) outs(%74 : tensor<8x8x512x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.negf %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x1xf32>
    %330 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%324, %82 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %331 = linalg.generic {indexing_maps = [#map14, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%329 : tensor<8x8x512x1xf32>) outs(%79 : tensor<8x8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512xf32>
    %332 = linalg.generic {indexing_maps = [#map12, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%331 : tensor<8x8x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x512xf32>
    %333 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%330, %332 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %334 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%333, %78 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %335 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_24 : tensor<f32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8x512x512xf32>
    %336 = linalg.generic {indexing_maps = [#map14, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66, %334, %335 : tensor<8x8x512x512xi1>, tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %437 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %337 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%336, %53 : tensor<8x8x512x512xf32>, tensor<8x8x512x512xf32>) outs(%51 : tensor<8x8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x8x512x512xf32>
    %338 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%337 : tensor<8x8x512x512xf32>) outs(%48 : tensor<8x8x512x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %437 = arith.truncf %in : f32 to bf16
      linalg.yield %437 : bf16
    } -> tensor<8x8x512x512xbf16>
    %339 = linalg.generic {indexing_maps = [#map32, #map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%338, %43 : tensor<8x8x512x512xbf16>, tensor<8x8x512x64xbf16>) outs(%88 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x8x512x64xbf16>
    %340 = linalg.generic {indexing_maps = [#map15, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%339 : tensor<8x8x512x64xbf16>) outs(%46 : tensor<8x8x64x512xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x64x512xbf16>
    %341 = linalg.generic {indexing_maps = [#map16, #map33, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%338, %47 : tensor<8x8x512x512xbf16>, tensor<8x8x64x512xbf16>) outs(%88 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x8x512x64xbf16>
    %342 = linalg.generic {indexing_maps = [#map15, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%340 : tensor<8x8x64x512xbf16>) outs(%42 : tensor<8x8x512x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x8x512x64xbf16>
    %343 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%322 : tensor<8x8x512x64xbf16>) outs(%90 : tensor<8x512x8x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x8x64xbf16>
    %collapsed_39 = tensor.collapse_shape %343 [[0], [1], [2, 3]] : tensor<8x512x8x64xbf16> into tensor<8x512x512xbf16>
    %344 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%342 : tensor<8x8x512x64xbf16>) outs(%90 : tensor<8x512x8x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x8x64xbf16>
    %collapsed_40 = tensor.collapse_shape %344 [[0], [1], [2, 3]] : tensor<8x512x8x64xbf16> into tensor<8x512x512xbf16>
    %345 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%341 : tensor<8x8x512x64xbf16>) outs(%90 : tensor<8x512x8x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x512x8x64xbf16>
    %collapsed_41 = tensor.collapse_shape %345 [[0], [1], [2, 3]] : tensor<8x512x8x64xbf16> into tensor<8x512x512xbf16>
    %346 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%39 : tensor<8x512x1536xbf16>) {
    ^bb0(%out: bf16):
      %437 = linalg.index 0 : index
      %438 = linalg.index 1 : index
      %439 = linalg.index 2 : index
      %440 = arith.cmpi ult, %439, %c512 : index
      %441 = scf.if %440 -> (bf16) {
        %extracted = tensor.extract %collapsed_41[%437, %438, %439] : tensor<8x512x512xbf16>
        scf.yield %extracted : bf16
      } else {
        %442 = arith.cmpi ult, %439, %c1024 : index
        %443 = scf.if %442 -> (bf16) {
          %444 = arith.subi %439, %c512 : index
          %extracted = tensor.extract %collapsed_40[%437, %438, %444] : tensor<8x512x512xbf16>
          scf.yield %extracted : bf16
        } else {
          %444 = arith.subi %439, %c1024 : index
          %extracted = tensor.extract %collapsed_39[%437, %438, %444] : tensor<8x512x512xbf16>
          scf.yield %extracted : bf16
        }
        scf.yield %443 : bf16
      }
      linalg.yield %441 : bf16
    } -> tensor<8x512x1536xbf16>
    %347 = tensor.empty() : tensor<1536x512xbf16>
    %348 = linalg.fill ins(%cst_5 : bf16) outs(%347 : tensor<1536x512xbf16>) -> tensor<1536x512xbf16>
    %349 = linalg.generic {indexing_maps = [#map27, #map28, #map29], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%346, %36 : tensor<8x512x1536xbf16>, tensor<8x512x512xbf16>) outs(%348 : tensor<1536x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<1536x512xbf16>
    %350 = linalg.generic {indexing_maps = [#map22, #map1], iterator_types = ["parallel", "parallel"]} ins(%349 : tensor<1536x512xbf16>) outs(%37 : tensor<512x1536xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<512x1536xbf16>
    %351 = linalg.generic {indexing_maps = [#map10, #map20, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%346, %38 : tensor<8x512x1536xbf16>, tensor<512x1536xbf16>) outs(%94 : tensor<8x512x512xbf16>) {
    ^bb0(%in: bf16, %in_46: bf16, %out: bf16):
      %437 = arith.mulf %in, %in_46 : bf16
      %438 = arith.addf %out, %437 : bf16
      linalg.yield %438 : bf16
    } -> tensor<8x512x512xbf16>
    %352 = tensor.empty() : tensor<512x1536xf32>
    %353 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%350 : tensor<512x1536xbf16>) outs(%352 : tensor<512x1536xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<512x1536xf32>
    %354 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%351 : tensor<8x512x512xbf16>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %437 = arith.extf %in : bf16 to f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %355 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %354 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %356 = linalg.generic {indexing_maps = [#map30, #map31], iterator_types = ["parallel", "reduction", "reduction"]} ins(%355 : tensor<8x512x512xf32>) outs(%256 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %expanded_42 = tensor.expand_shape %356 [[0, 1, 2]] output_shape [1, 1, 512] : tensor<512xf32> into tensor<1x1x512xf32>
    %357 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%354, %33 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %358 = linalg.generic {indexing_maps = [#map30, #map31], iterator_types = ["parallel", "reduction", "reduction"]} ins(%expanded_42 : tensor<1x1x512xf32>) outs(%256 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %359 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %357 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %360 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%359 : tensor<8x512x512xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %expanded_43 = tensor.expand_shape %360 [[0], [1, 2]] output_shape [8, 512, 1] : tensor<8x512xf32> into tensor<8x512x1xf32>
    %361 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%357, %29 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %362 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%311, %361 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %363 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_43, %28 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %364 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%363, %21 : tensor<8x512x1xf32>, tensor<8x512x1xf32>) outs(%19 : tensor<8x512x1xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.divf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x1xf32>
    %365 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%364 : tensor<8x512x1xf32>) outs(%17 : tensor<8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8x512xf32>
    %366 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%365 : tensor<8x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x512x512xf32>
    %367 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %366 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %368 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%362, %367 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %369 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%366, %14 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %370 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%368, %369 : tensor<8x512x512xf32>, tensor<8x512x512xf32>) outs(%9 : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8x512x512xf32>
    %371 = linalg.fill ins(%cst_6 : f32) outs(%317 : tensor<512x512xf32>) -> tensor<512x512xf32>
    %372 = linalg.generic {indexing_maps = [#map34, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%370 : tensor<8x512x512xf32>) outs(%371 : tensor<512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512x512xf32>
    %expanded_44 = tensor.expand_shape %372 [[0, 1], [2]] output_shape [1, 512, 512] : tensor<512x512xf32> into tensor<1x512x512xf32>
    %373 = linalg.generic {indexing_maps = [#map34, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%expanded_44 : tensor<1x512x512xf32>) outs(%371 : tensor<512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<512x512xf32>
    %374 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_24 : tensor<f32>) outs(%251 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x512xf32>
    %375 = tensor.empty() : tensor<8192x512x8x512xi1>
    %376 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_19 : tensor<i1>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<8192x512x8x512xi1>
    %377 = tensor.empty() : tensor<8192x512x8x512xi32>
    %378 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 0 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<8192x512x8x512xi32>
    %collapsed_45 = tensor.collapse_shape %8 [[0], [1, 2]] : tensor<8x512x1xi32> into tensor<8x512xi32>
    %379 = linalg.generic {indexing_maps = [#map20, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_45 : tensor<8x512xi32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512xi32>
    %380 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_26 : tensor<i32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512xi32>
    %381 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%379, %380 : tensor<8192x512x8x512xi32>, tensor<8192x512x8x512xi32>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sge, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %382 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_10 : tensor<i32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512xi32>
    %383 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%379, %382 : tensor<8192x512x8x512xi32>, tensor<8192x512x8x512xi32>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sle, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %384 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%381, %383 : tensor<8192x512x8x512xi1>, tensor<8192x512x8x512xi1>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %385 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%378, %379 : tensor<8192x512x8x512xi32>, tensor<8192x512x8x512xi32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %in_46: i32, %out: i32):
      %437 = arith.subi %in, %in_46 : i32
      linalg.yield %437 : i32
    } -> tensor<8192x512x8x512xi32>
    %386 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%385, %380 : tensor<8192x512x8x512xi32>, tensor<8192x512x8x512xi32>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi sge, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %387 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%384, %386 : tensor<8192x512x8x512xi1>, tensor<8192x512x8x512xi1>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %388 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_9 : tensor<i32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512xi32>
    %389 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%385, %388 : tensor<8192x512x8x512xi32>, tensor<8192x512x8x512xi32>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i32, %in_46: i32, %out: i1):
      %437 = arith.cmpi slt, %in, %in_46 : i32
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %390 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%387, %389 : tensor<8192x512x8x512xi1>, tensor<8192x512x8x512xi1>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %391 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%376, %390 : tensor<8192x512x8x512xi1>, tensor<8192x512x8x512xi1>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %392 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%391, %376 : tensor<8192x512x8x512xi1>, tensor<8192x512x8x512xi1>) outs(%375 : tensor<8192x512x8x512xi1>) {
    ^bb0(%in: i1, %in_46: i1, %out: i1):
      %437 = arith.andi %in, %in_46 : i1
      linalg.yield %437 : i1
    } -> tensor<8192x512x8x512xi1>
    %393 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 2 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<8192x512x8x512xi32>
    %394 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 3 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<8192x512x8x512xi32>
    %395 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 1 : index
      %438 = arith.index_cast %437 : index to i32
      linalg.yield %438 : i32
    } -> tensor<8192x512x8x512xi32>
    %396 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%380, %395 : tensor<8192x512x8x512xi32>, tensor<8192x512x8x512xi32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %in_46: i32, %out: i32):
      %437 = arith.maxsi %in, %in_46 : i32
      linalg.yield %437 : i32
    } -> tensor<8192x512x8x512xi32>
    %397 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_8 : tensor<i32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512xi32>
    %398 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%397, %396 : tensor<8192x512x8x512xi32>, tensor<8192x512x8x512xi32>) outs(%377 : tensor<8192x512x8x512xi32>) {
    ^bb0(%in: i32, %in_46: i32, %out: i32):
      %437 = arith.minsi %in, %in_46 : i32
      linalg.yield %437 : i32
    } -> tensor<8192x512x8x512xi32>
    %399 = tensor.empty() : tensor<8192x512x8x512x1xi32>
    %400 = linalg.generic {indexing_maps = [#map18, #map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%393 : tensor<8192x512x8x512xi32>) outs(%399 : tensor<8192x512x8x512x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512x1xi32>
    %401 = linalg.generic {indexing_maps = [#map18, #map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%394 : tensor<8192x512x8x512xi32>) outs(%399 : tensor<8192x512x8x512x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512x1xi32>
    %402 = linalg.generic {indexing_maps = [#map18, #map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%398 : tensor<8192x512x8x512xi32>) outs(%399 : tensor<8192x512x8x512x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8192x512x8x512x1xi32>
    %403 = tensor.empty() : tensor<8192x512x8x512x3xi32>
    %404 = linalg.generic {indexing_maps = [#map26], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%403 : tensor<8192x512x8x512x3xi32>) {
    ^bb0(%out: i32):
      %437 = linalg.index 0 : index
      %438 = linalg.index 1 : index
      %439 = linalg.index 2 : index
      %440 = linalg.index 3 : index
      %441 = linalg.index 4 : index
      %442 = arith.cmpi ult, %441, %c1 : index
      %443 = scf.if %442 -> (i32) {
        %extracted = tensor.extract %400[%437, %438, %439, %440, %441] : tensor<8192x512x8x512x1xi32>
        scf.yield %extracted : i32
      } else {
        %444 = arith.cmpi ult, %441, %c2 : index
        %445 = scf.if %444 -> (i32) {
          %446 = arith.subi %441, %c1 : index
          %extracted = tensor.extract %401[%437, %438, %439, %440, %446] : tensor<8192x512x8x512x1xi32>
          scf.yield %extracted : i32
        } else {
          %446 = arith.subi %441, %c2 : index
          %extracted = tensor.extract %402[%437, %438, %439, %440, %446] : tensor<8192x512x8x512x1xi32>
          scf.yield %extracted : i32
        }
        scf.yield %445 : i32
      }
      linalg.yield %443 : i32
    } -> tensor<8192x512x8x512x3xi32>
    %405 = tensor.empty() : tensor<8192x512x8x512xf32>
    %406 = linalg.generic {indexing_maps = [#map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%405 : tensor<8192x512x8x512xf32>) {
    ^bb0(%out: f32):
      %437 = linalg.index 0 : index
      %438 = linalg.index 1 : index
      %439 = linalg.index 2 : index
      %440 = linalg.index 3 : index
      %extracted = tensor.extract %404[%437, %438, %439, %440, %c0] : tensor<8192x512x8x512x3xi32>
      %441 = arith.index_cast %extracted : i32 to index
      %extracted_46 = tensor.extract %404[%437, %438, %439, %440, %c1] : tensor<8192x512x8x512x3xi32>
      %442 = arith.index_cast %extracted_46 : i32 to index
      %extracted_47 = tensor.extract %404[%437, %438, %439, %440, %c2] : tensor<8192x512x8x512x3xi32>
      %443 = arith.index_cast %extracted_47 : i32 to index
      %444 = arith.maxsi %441, %c0 : index
      %445 = arith.minsi %444, %c7 : index
      %446 = arith.maxsi %442, %c0 : index
      %447 = arith.minsi %446, %c511 : index
      %448 = arith.maxsi %443, %c0 : index
      %449 = arith.minsi %448, %c511 : index
      %extracted_48 = tensor.extract %370[%445, %447, %449] : tensor<8x512x512xf32>
      linalg.yield %extracted_48 : f32
    } -> tensor<8192x512x8x512xf32>
    %407 = linalg.generic {indexing_maps = [#map19, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_24 : tensor<f32>) outs(%405 : tensor<8192x512x8x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x512x8x512xf32>
    %408 = linalg.generic {indexing_maps = [#map14, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%392, %406, %407 : tensor<8192x512x8x512xi1>, tensor<8192x512x8x512xf32>, tensor<8192x512x8x512xf32>) outs(%405 : tensor<8192x512x8x512xf32>) {
    ^bb0(%in: i1, %in_46: f32, %in_47: f32, %out: f32):
      %437 = arith.select %in, %in_46, %in_47 : f32
      linalg.yield %437 : f32
    } -> tensor<8192x512x8x512xf32>
    %409 = linalg.fill ins(%cst_6 : f32) outs(%251 : tensor<8192x512xf32>) -> tensor<8192x512xf32>
    %410 = linalg.generic {indexing_maps = [#map14, #map29], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%408 : tensor<8192x512x8x512xf32>) outs(%409 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %437 = arith.addf %out, %in : f32
      linalg.yield %437 : f32
    } -> tensor<8192x512xf32>
    %411 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%374, %410 : tensor<8192x512xf32>, tensor<8192x512xf32>) outs(%251 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8192x512xf32>
    %412 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%252, %411 : tensor<8192x512xf32>, tensor<8192x512xf32>) outs(%251 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.addf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8192x512xf32>
    %413 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%251 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8192x512xf32>
    %414 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%413, %412 : tensor<8192x512xf32>, tensor<8192x512xf32>) outs(%251 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8192x512xf32>
    %415 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %414 : tensor<8192x512xf32>, tensor<8192x512xf32>) outs(%251 : tensor<8192x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<8192x512xf32>
    %416 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%317 : tensor<512x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x512xf32>
    %417 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%416, %373 : tensor<512x512xf32>, tensor<512x512xf32>) outs(%317 : tensor<512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x512xf32>
    %418 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1, %417 : tensor<512x512xf32>, tensor<512x512xf32>) outs(%317 : tensor<512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x512xf32>
    %419 = linalg.generic {indexing_maps = [#map35, #map36], iterator_types = ["parallel"]} ins(%cst_7 : tensor<f32>) outs(%255 : tensor<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512xf32>
    %420 = linalg.generic {indexing_maps = [#map36, #map36, #map36], iterator_types = ["parallel"]} ins(%419, %358 : tensor<512xf32>, tensor<512xf32>) outs(%255 : tensor<512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %421 = linalg.generic {indexing_maps = [#map36, #map36, #map36], iterator_types = ["parallel"]} ins(%arg2, %420 : tensor<512xf32>, tensor<512xf32>) outs(%255 : tensor<512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %422 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%352 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x1536xf32>
    %423 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%422, %353 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%352 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x1536xf32>
    %424 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3, %423 : tensor<512x1536xf32>, tensor<512x1536xf32>) outs(%352 : tensor<512x1536xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x1536xf32>
    %425 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%416, %318 : tensor<512x512xf32>, tensor<512x512xf32>) outs(%317 : tensor<512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x512xf32>
    %426 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4, %425 : tensor<512x512xf32>, tensor<512x512xf32>) outs(%317 : tensor<512x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x512xf32>
    %427 = linalg.generic {indexing_maps = [#map36, #map36, #map36], iterator_types = ["parallel"]} ins(%419, %299 : tensor<512xf32>, tensor<512xf32>) outs(%255 : tensor<512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %428 = linalg.generic {indexing_maps = [#map36, #map36, #map36], iterator_types = ["parallel"]} ins(%arg5, %427 : tensor<512xf32>, tensor<512xf32>) outs(%255 : tensor<512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %429 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%293 : tensor<512x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<512x2048xf32>
    %430 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%429, %294 : tensor<512x2048xf32>, tensor<512x2048xf32>) outs(%293 : tensor<512x2048xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x2048xf32>
    %431 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg6, %430 : tensor<512x2048xf32>, tensor<512x2048xf32>) outs(%293 : tensor<512x2048xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512x2048xf32>
    %432 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_7 : tensor<f32>) outs(%276 : tensor<2048x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2048x512xf32>
    %433 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%432, %277 : tensor<2048x512xf32>, tensor<2048x512xf32>) outs(%276 : tensor<2048x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<2048x512xf32>
    %434 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7, %433 : tensor<2048x512xf32>, tensor<2048x512xf32>) outs(%276 : tensor<2048x512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<2048x512xf32>
    %435 = linalg.generic {indexing_maps = [#map36, #map36, #map36], iterator_types = ["parallel"]} ins(%419, %259 : tensor<512xf32>, tensor<512xf32>) outs(%255 : tensor<512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.mulf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    %436 = linalg.generic {indexing_maps = [#map36, #map36, #map36], iterator_types = ["parallel"]} ins(%arg8, %435 : tensor<512xf32>, tensor<512xf32>) outs(%255 : tensor<512xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %437 = arith.subf %in, %in_46 : f32
      linalg.yield %437 : f32
    } -> tensor<512xf32>
    return %199, %415, %418, %421, %424, %426, %428, %431, %434, %436 : tensor<f32>, tensor<8192x512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x1536xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x2048xf32>, tensor<2048x512xf32>, tensor<512xf32>
  }
}

