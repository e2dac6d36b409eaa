// Products of bf16 that was widened to f32 are products of bf16, and as exact: as nn.Linear with a bias, and scaled queries and
// keys. Attention as PyTorch writes it for lengths of launches, of which its importer says that they are equal, is one kernel.
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --as-written --kernels 1 --function
// RUN: %{simulate} linear -- --arg arg0=random:70x96 --arg arg1=random:40x96:1 --arg arg2=random:40:2 --arg result0=empty:70x40 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// RUN: %{simulate} scores -- --arg arg0=random:70x64 --arg arg1=random:40x64:1 --arg result0=empty:70x40 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// RUN: %{simulate} attention -- --arg arg0=random:2x4x37x64 --arg arg1=random:2x4x37x64:1 --arg arg2=random:2x4x37x64:2 --arg result0=empty:2x4x37x64 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>

func.func @linear(%x: tensor<70x96xbf16>, %w: tensor<40x96xbf16>, %b: tensor<40xbf16>) -> tensor<70x40xbf16> {
  %zero = arith.constant 0.0 : f32
  %xwe = tensor.empty() : tensor<70x96xf32>
  %xw = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<70x96xbf16>) outs(%xwe : tensor<70x96xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %r = arith.extf %v : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<70x96xf32>
  %te = tensor.empty() : tensor<96x40xbf16>
  %t = linalg.transpose ins(%w : tensor<40x96xbf16>) outs(%te : tensor<96x40xbf16>) permutation = [1, 0]
  %twe = tensor.empty() : tensor<96x40xf32>
  %tw = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<96x40xbf16>) outs(%twe : tensor<96x40xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %r = arith.extf %v : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<96x40xf32>
  %e = tensor.empty() : tensor<70x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<70x40xf32>) -> tensor<70x40xf32>
  %p = linalg.matmul ins(%xw, %tw : tensor<70x96xf32>, tensor<96x40xf32>) outs(%f : tensor<70x40xf32>) -> tensor<70x40xf32>
  %ye = tensor.empty() : tensor<70x40xbf16>
  %y = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<70x40xf32>, tensor<40xbf16>) outs(%ye : tensor<70x40xbf16>) {
  ^bb0(%v: f32, %c: bf16, %o: bf16):
    %cw = arith.extf %c : bf16 to f32
    %s = arith.addf %v, %cw : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<70x40xbf16>
  return %y : tensor<70x40xbf16>
}

func.func @scores(%q: tensor<70x64xbf16>, %k: tensor<40x64xbf16>) -> tensor<70x40xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.35355339059327379 : f64
  %qe = tensor.empty() : tensor<70x64xf32>
  %qs = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<70x64xbf16>) outs(%qe : tensor<70x64xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %w = arith.extf %v : bf16 to f32
    %s = arith.truncf %scale : f64 to f32
    %r = arith.mulf %w, %s : f32
    linalg.yield %r : f32
  } -> tensor<70x64xf32>
  %ke = tensor.empty() : tensor<40x64xf32>
  %ks = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<40x64xbf16>) outs(%ke : tensor<40x64xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %w = arith.extf %v : bf16 to f32
    %s = arith.truncf %scale : f64 to f32
    %r = arith.mulf %w, %s : f32
    linalg.yield %r : f32
  } -> tensor<40x64xf32>
  %e = tensor.empty() : tensor<70x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<70x40xf32>) -> tensor<70x40xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%qs, %ks : tensor<70x64xf32>, tensor<40x64xf32>) outs(%f : tensor<70x40xf32>) -> tensor<70x40xf32>
  return %p : tensor<70x40xf32>
}

func.func @attention(%arg0: tensor<2x4x?x64xbf16>, %arg1: tensor<2x4x?x64xbf16>, %arg2: tensor<2x4x?x64xbf16>) -> tensor<2x4x?x64xbf16> {
  %cst = arith.constant 1.250000e-01 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 0.000000e+00 : f32
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %c2 = arith.constant 2 : index
  %dim = tensor.dim %arg0, %c2 : tensor<2x4x?x64xbf16>
  %dim_2 = tensor.dim %arg1, %c2 : tensor<2x4x?x64xbf16>
  %0 = arith.cmpi eq, %dim, %dim_2 : index
  cf.assert %0, "expected dimension 2 of arg1 to be dimension 2 of arg0"
  %dim_3 = tensor.dim %arg2, %c2 : tensor<2x4x?x64xbf16>
  %1 = arith.cmpi eq, %dim, %dim_3 : index
  cf.assert %1, "expected dimension 2 of arg2 to be dimension 2 of arg0"
  %2 = arith.index_cast %dim : index to i64
  %3 = tensor.empty(%dim_2) : tensor<2x4x64x?xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<2x4x?x64xbf16>) outs(%3 : tensor<2x4x64x?xbf16>) permutation = [0, 1, 3, 2] 
  %4 = arith.cmpi sge, %2, %c0_i64 : i64
  cf.assert %4, "unimplemented: dynamic negative broadcast sizes"
  %5 = tensor.empty(%dim) : tensor<2x4x?x64xbf16>
  %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%5 : tensor<2x4x?x64xbf16>) {
  ^bb0(%out: bf16):
    %41 = linalg.index 0 : index
    %42 = linalg.index 1 : index
    %43 = linalg.index 2 : index
    %44 = linalg.index 3 : index
    %45 = arith.cmpi eq, %dim, %c1 : index
    %46 = arith.select %45, %c0, %43 : index
    %extracted = tensor.extract %arg0[%41, %42, %46, %44] : tensor<2x4x?x64xbf16>
    linalg.yield %extracted : bf16
  } -> tensor<2x4x?x64xbf16>
  %collapsed = tensor.collapse_shape %6 [[0, 1], [2], [3]] : tensor<2x4x?x64xbf16> into tensor<8x?x64xbf16>
  cf.assert %4, "unimplemented: dynamic negative broadcast sizes"
  %7 = tensor.empty(%dim) : tensor<2x4x64x?xbf16>
  %8 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%7 : tensor<2x4x64x?xbf16>) {
  ^bb0(%out: bf16):
    %41 = linalg.index 0 : index
    %42 = linalg.index 1 : index
    %43 = linalg.index 2 : index
    %44 = linalg.index 3 : index
    %45 = arith.cmpi eq, %dim_2, %c1 : index
    %46 = arith.select %45, %c0, %44 : index
    %extracted = tensor.extract %transposed[%41, %42, %43, %46] : tensor<2x4x64x?xbf16>
    linalg.yield %extracted : bf16
  } -> tensor<2x4x64x?xbf16>
  %collapsed_4 = tensor.collapse_shape %8 [[0, 1], [2], [3]] : tensor<2x4x64x?xbf16> into tensor<8x64x?xbf16>
  %dim_5 = tensor.dim %collapsed, %c1 : tensor<8x?x64xbf16>
  %dim_6 = tensor.dim %collapsed_4, %c2 : tensor<8x64x?xbf16>
  %9 = tensor.empty(%dim_5, %dim_6) : tensor<8x?x?xf32>
  %10 = linalg.fill ins(%cst_1 : f32) outs(%9 : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  %11 = linalg.batch_matmul ins(%collapsed, %collapsed_4 : tensor<8x?x64xbf16>, tensor<8x64x?xbf16>) outs(%10 : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  %12 = tensor.empty(%dim_5, %dim_6) : tensor<8x?x?xbf16>
  %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<8x?x?xf32>) outs(%12 : tensor<8x?x?xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %41 = arith.truncf %in : f32 to bf16
    linalg.yield %41 : bf16
  } -> tensor<8x?x?xbf16>
  %expanded = tensor.expand_shape %13 [[0, 1], [2], [3]] output_shape [2, 4, %dim, %dim] : tensor<8x?x?xbf16> into tensor<2x4x?x?xbf16>
  %dim_7 = tensor.dim %expanded, %c2 : tensor<2x4x?x?xbf16>
  %dim_8 = tensor.dim %expanded, %c3 : tensor<2x4x?x?xbf16>
  %14 = tensor.empty(%dim_7, %dim_8) : tensor<2x4x?x?xf32>
  %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x4x?x?xbf16>) outs(%14 : tensor<2x4x?x?xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %41 = arith.extf %in : bf16 to f32
    linalg.yield %41 : f32
  } -> tensor<2x4x?x?xf32>
  %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<2x4x?x?xf32>) outs(%14 : tensor<2x4x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = arith.mulf %in, %cst : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x?x?xf32>
  %17 = tensor.empty(%dim_7) : tensor<2x4x?xi64>
  %18 = linalg.fill ins(%c0_i64 : i64) outs(%17 : tensor<2x4x?xi64>) -> tensor<2x4x?xi64>
  %19 = tensor.empty(%dim_7) : tensor<2x4x?xf32>
  %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  %21:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x4x?x?xf32>) outs(%20, %18 : tensor<2x4x?xf32>, tensor<2x4x?xi64>) {
  ^bb0(%in: f32, %out: f32, %out_16: i64):
    %41 = linalg.index 3 : index
    %42 = arith.index_cast %41 : index to i64
    %43 = arith.maximumf %in, %out : f32
    %44 = arith.cmpf ogt, %in, %out : f32
    %45 = arith.select %44, %42, %out_16 : i64
    linalg.yield %43, %45 : f32, i64
  } -> (tensor<2x4x?xf32>, tensor<2x4x?xi64>)
  %expanded_9 = tensor.expand_shape %21#0 [[0], [1], [2, 3]] output_shape [2, 4, %dim_7, 1] : tensor<2x4x?xf32> into tensor<2x4x?x1xf32>
  %22 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_9 : tensor<2x4x?x?xf32>, tensor<2x4x?x1xf32>) outs(%14 : tensor<2x4x?x?xf32>) {
  ^bb0(%in: f32, %in_16: f32, %out: f32):
    %41 = arith.subf %in, %in_16 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x?x?xf32>
  %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x4x?x?xf32>) outs(%14 : tensor<2x4x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = math.exp %in : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x?x?xf32>
  %24 = tensor.empty(%dim_7) : tensor<2x4x?x1xf32>
  %25 = linalg.fill ins(%cst_1 : f32) outs(%24 : tensor<2x4x?x1xf32>) -> tensor<2x4x?x1xf32>
  %26 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23 : tensor<2x4x?x?xf32>) outs(%25 : tensor<2x4x?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %41 = arith.addf %in, %out : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x?x1xf32>
  %27 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %26 : tensor<2x4x?x?xf32>, tensor<2x4x?x1xf32>) outs(%14 : tensor<2x4x?x?xf32>) {
  ^bb0(%in: f32, %in_16: f32, %out: f32):
    %41 = arith.divf %in, %in_16 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x?x?xf32>
  %28 = tensor.empty(%dim_7, %dim_8) : tensor<2x4x?x?xbf16>
  %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x4x?x?xf32>) outs(%28 : tensor<2x4x?x?xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %41 = arith.truncf %in : f32 to bf16
    linalg.yield %41 : bf16
  } -> tensor<2x4x?x?xbf16>
  cf.assert %4, "unimplemented: dynamic negative broadcast sizes"
  cf.assert %4, "unimplemented: dynamic negative broadcast sizes"
  %30 = tensor.empty(%dim, %dim) : tensor<2x4x?x?xbf16>
  %31 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%30 : tensor<2x4x?x?xbf16>) {
  ^bb0(%out: bf16):
    %41 = linalg.index 0 : index
    %42 = linalg.index 1 : index
    %43 = linalg.index 2 : index
    %44 = linalg.index 3 : index
    %45 = arith.cmpi eq, %dim_7, %c1 : index
    %46 = arith.select %45, %c0, %43 : index
    %47 = arith.cmpi eq, %dim_8, %c1 : index
    %48 = arith.select %47, %c0, %44 : index
    %extracted = tensor.extract %29[%41, %42, %46, %48] : tensor<2x4x?x?xbf16>
    linalg.yield %extracted : bf16
  } -> tensor<2x4x?x?xbf16>
  %collapsed_10 = tensor.collapse_shape %31 [[0, 1], [2], [3]] : tensor<2x4x?x?xbf16> into tensor<8x?x?xbf16>
  cf.assert %4, "unimplemented: dynamic negative broadcast sizes"
  %32 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%5 : tensor<2x4x?x64xbf16>) {
  ^bb0(%out: bf16):
    %41 = linalg.index 0 : index
    %42 = linalg.index 1 : index
    %43 = linalg.index 2 : index
    %44 = linalg.index 3 : index
    %45 = arith.cmpi eq, %dim_3, %c1 : index
    %46 = arith.select %45, %c0, %43 : index
    %extracted = tensor.extract %arg2[%41, %42, %46, %44] : tensor<2x4x?x64xbf16>
    linalg.yield %extracted : bf16
  } -> tensor<2x4x?x64xbf16>
  %collapsed_11 = tensor.collapse_shape %32 [[0, 1], [2], [3]] : tensor<2x4x?x64xbf16> into tensor<8x?x64xbf16>
  %dim_12 = tensor.dim %collapsed_10, %c1 : tensor<8x?x?xbf16>
  %dim_13 = tensor.dim %collapsed_10, %c2 : tensor<8x?x?xbf16>
  %dim_14 = tensor.dim %collapsed_11, %c1 : tensor<8x?x64xbf16>
  %33 = arith.index_cast %dim_13 : index to i64
  %34 = arith.index_cast %dim_14 : index to i64
  %35 = arith.cmpi eq, %33, %34 : i64
  cf.assert %35, "mismatching contracting dimension"
  %36 = tensor.empty(%dim_12) : tensor<8x?x64xf32>
  %37 = linalg.fill ins(%cst_1 : f32) outs(%36 : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
  %38 = linalg.batch_matmul ins(%collapsed_10, %collapsed_11 : tensor<8x?x?xbf16>, tensor<8x?x64xbf16>) outs(%37 : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
  %39 = tensor.empty(%dim_12) : tensor<8x?x64xbf16>
  %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<8x?x64xf32>) outs(%39 : tensor<8x?x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %41 = arith.truncf %in : f32 to bf16
    linalg.yield %41 : bf16
  } -> tensor<8x?x64xbf16>
  %expanded_15 = tensor.expand_shape %40 [[0, 1], [2], [3]] output_shape [2, 4, %dim, 64] : tensor<8x?x64xbf16> into tensor<2x4x?x64xbf16>
  return %expanded_15 : tensor<2x4x?x64xbf16>
}
