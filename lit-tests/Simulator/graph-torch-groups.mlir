// Groups of rows as torch-mlir writes them: rows are i64 cut to i32, and numbers of groups are i32 or i64. Both have ranges.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --as-written --function
// RUN: mkdir -p %t
// RUN: %python %source_root/lit-tests/Tools/carousel-run/Inputs/npy.py write %t/ends.npy '<i4' 4 5 5 17 40
// RUN: %{graph} depth -- --arg arg0=random:96x64 --arg arg1=random:96x32:1 --arg arg2=%t/ends.npy --arg result0=zeros:4x64x32 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// RUN: %{graph} rows -- --arg arg0=random:300x64 --arg arg1=random:4x64x96:1 --arg arg2=%t/ends.npy --arg result0=zeros:300x96 --rtol 1e-2 --atol 4e-2 | FileCheck %s
// What isn't finite in rows of no group reaches none.
// DEFINE: %{sums} = carousel-sim %t/program.mlir --program @depth --arg arg0=random:96x64 --arg arg2=%t/ends.npy --arg result0=zeros:4x64x32 --quiet
// RUN: carousel-opt %s --carousel-graph-to-block -o %t/program.mlir
// RUN: %python %S/Inputs/write_rows.py %t/finite.npy 96,32 0 0
// RUN: %python %S/Inputs/write_rows.py %t/others.npy 96,32 40 96
// RUN: %{sums} --arg arg1=%t/finite.npy --out result0=%t/sums.npy
// RUN: %{sums} --arg arg1=%t/others.npy --expect result0=%t/sums.npy
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: block phase: right
// CHECK: sm_90a: right

// REMARK: [Passed] GroupedSum {{.*}}Function=depth {{.*}}a product goes over the rows of each of 4 groups alone
func.func @depth(%arg0: tensor<96x64xbf16>, %arg1: tensor<96x32xbf16>, %arg2: tensor<4xi32>) -> tensor<4x64x32xbf16> {
  %c0_i64 = arith.constant 0 : i64
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<bf16>
  %0 = tensor.empty() : tensor<64x96xbf16>
  %transposed = linalg.transpose ins(%arg0 : tensor<96x64xbf16>) outs(%0 : tensor<64x96xbf16>) permutation = [1, 0]
  %1 = tensor.empty() : tensor<96xi32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%1 : tensor<96xi32>) {
  ^bb0(%out: i32):
    %21 = linalg.index 0 : index
    %22 = arith.index_cast %21 : index to i64
    %23 = arith.trunci %22 : i64 to i32
    linalg.yield %23 : i32
  } -> tensor<96xi32>
  %expanded = tensor.expand_shape %arg2 [[0, 1]] output_shape [1, 4] : tensor<4xi32> into tensor<1x4xi32>
  %expanded_1 = tensor.expand_shape %2 [[0, 1]] output_shape [96, 1] : tensor<96xi32> into tensor<96x1xi32>
  %3 = tensor.empty() : tensor<96x4xi1>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_1 : tensor<1x4xi32>, tensor<96x1xi32>) outs(%3 : tensor<96x4xi1>) {
  ^bb0(%in: i32, %in_6: i32, %out: i1):
    %21 = arith.cmpi sle, %in, %in_6 : i32
    linalg.yield %21 : i1
  } -> tensor<96x4xi1>
  %5 = tensor.empty() : tensor<96xi64>
  %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<96xi64>) -> tensor<96xi64>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<96x4xi1>) outs(%6 : tensor<96xi64>) {
  ^bb0(%in: i1, %out: i64):
    %21 = arith.extui %in : i1 to i64
    %22 = arith.addi %21, %out : i64
    linalg.yield %22 : i64
  } -> tensor<96xi64>
  %expanded_2 = tensor.expand_shape %7 [[0, 1]] output_shape [1, 96] : tensor<96xi64> into tensor<1x96xi64>
  %8 = tensor.empty() : tensor<4xi64>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%8 : tensor<4xi64>) {
  ^bb0(%out: i64):
    %21 = linalg.index 0 : index
    %22 = arith.index_cast %21 : index to i64
    linalg.yield %22 : i64
  } -> tensor<4xi64>
  %expanded_3 = tensor.expand_shape %9 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
  %10 = tensor.empty() : tensor<4x96xi1>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%expanded_2, %expanded_3 : tensor<1x96xi64>, tensor<4x1xi64>) outs(%10 : tensor<4x96xi1>) {
  ^bb0(%in: i64, %in_6: i64, %out: i1):
    %21 = arith.cmpi eq, %in, %in_6 : i64
    linalg.yield %21 : i1
  } -> tensor<4x96xi1>
  %expanded_4 = tensor.expand_shape %11 [[0], [1, 2]] output_shape [4, 1, 96] : tensor<4x96xi1> into tensor<4x1x96xi1>
  %expanded_5 = tensor.expand_shape %transposed [[0, 1], [2]] output_shape [1, 64, 96] : tensor<64x96xbf16> into tensor<1x64x96xbf16>
  %12 = tensor.empty() : tensor<4x64x96xbf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_4, %expanded_5, %cst_0 : tensor<4x1x96xi1>, tensor<1x64x96xbf16>, tensor<bf16>) outs(%12 : tensor<4x64x96xbf16>) {
  ^bb0(%in: i1, %in_6: bf16, %in_7: bf16, %out: bf16):
    %21 = arith.select %in, %in_6, %in_7 : bf16
    linalg.yield %21 : bf16
  } -> tensor<4x64x96xbf16>
  %14 = tensor.empty() : tensor<4x96x32xbf16>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<96x32xbf16>) outs(%14 : tensor<4x96x32xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<4x96x32xbf16>
  %16 = tensor.empty() : tensor<4x64x32xf32>
  %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %18 = linalg.batch_matmul ins(%13, %15 : tensor<4x64x96xbf16>, tensor<4x96x32xbf16>) outs(%17 : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %19 = tensor.empty() : tensor<4x64x32xbf16>
  %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<4x64x32xf32>) outs(%19 : tensor<4x64x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %21 = arith.truncf %in : f32 to bf16
    linalg.yield %21 : bf16
  } -> tensor<4x64x32xbf16>
  return %20 : tensor<4x64x32xbf16>
}

// REMARK: [Passed] Grouped {{.*}}Function=rows {{.*}}300 rows in order choose one of 4 matrices: at most 6 tiles of 128 rows have one each
func.func @rows(%arg0: tensor<300x64xbf16>, %arg1: tensor<4x64x96xbf16>, %arg2: tensor<4xi32>) -> tensor<300x96xbf16> {
  %c4_i64 = arith.constant 4 : i64
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<bf16>
  %c3_i32 = arith.constant 3 : i32
  %0 = tensor.empty() : tensor<300xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%0 : tensor<300xi32>) {
  ^bb0(%out: i32):
    %18 = linalg.index 0 : index
    %19 = arith.index_cast %18 : index to i64
    %20 = arith.trunci %19 : i64 to i32
    linalg.yield %20 : i32
  } -> tensor<300xi32>
  %expanded = tensor.expand_shape %arg2 [[0, 1]] output_shape [1, 4] : tensor<4xi32> into tensor<1x4xi32>
  %expanded_1 = tensor.expand_shape %1 [[0, 1]] output_shape [300, 1] : tensor<300xi32> into tensor<300x1xi32>
  %2 = tensor.empty() : tensor<300x4xi1>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_1 : tensor<1x4xi32>, tensor<300x1xi32>) outs(%2 : tensor<300x4xi1>) {
  ^bb0(%in: i32, %in_4: i32, %out: i1):
    %18 = arith.cmpi sle, %in, %in_4 : i32
    linalg.yield %18 : i1
  } -> tensor<300x4xi1>
  %4 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<300xi32>) -> tensor<300xi32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<300x4xi1>) outs(%4 : tensor<300xi32>) {
  ^bb0(%in: i1, %out: i32):
    %18 = arith.extui %in : i1 to i32
    %19 = arith.addi %18, %out : i32
    linalg.yield %19 : i32
  } -> tensor<300xi32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%5 : tensor<300xi32>) outs(%0 : tensor<300xi32>) {
  ^bb0(%in: i32, %out: i32):
    %18 = arith.minsi %in, %c3_i32 : i32
    linalg.yield %18 : i32
  } -> tensor<300xi32>
  %7 = tensor.empty() : tensor<300x64x96xbf16>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<300xi32>) outs(%7 : tensor<300x64x96xbf16>) {
  ^bb0(%in: i32, %out: bf16):
    %18 = arith.index_cast %in : i32 to index
    %19 = linalg.index 1 : index
    %20 = linalg.index 2 : index
    %extracted = tensor.extract %arg1[%18, %19, %20] : tensor<4x64x96xbf16>
    linalg.yield %extracted : bf16
  } -> tensor<300x64x96xbf16>
  %expanded_2 = tensor.expand_shape %arg0 [[0], [1, 2]] output_shape [300, 1, 64] : tensor<300x64xbf16> into tensor<300x1x64xbf16>
  %9 = tensor.empty() : tensor<300x1x96xf32>
  %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<300x1x96xf32>) -> tensor<300x1x96xf32>
  %11 = linalg.batch_matmul ins(%expanded_2, %8 : tensor<300x1x64xbf16>, tensor<300x64x96xbf16>) outs(%10 : tensor<300x1x96xf32>) -> tensor<300x1x96xf32>
  %12 = tensor.empty() : tensor<300x1x96xbf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<300x1x96xf32>) outs(%12 : tensor<300x1x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %18 = arith.truncf %in : f32 to bf16
    linalg.yield %18 : bf16
  } -> tensor<300x1x96xbf16>
  %collapsed = tensor.collapse_shape %13 [[0, 1], [2]] : tensor<300x1x96xbf16> into tensor<300x96xbf16>
  %14 = tensor.empty() : tensor<300xi1>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%5 : tensor<300xi32>) outs(%14 : tensor<300xi1>) {
  ^bb0(%in: i32, %out: i1):
    %18 = arith.extsi %in : i32 to i64
    %19 = arith.cmpi slt, %18, %c4_i64 : i64
    linalg.yield %19 : i1
  } -> tensor<300xi1>
  %expanded_3 = tensor.expand_shape %15 [[0, 1]] output_shape [300, 1] : tensor<300xi1> into tensor<300x1xi1>
  %16 = tensor.empty() : tensor<300x96xbf16>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%expanded_3, %collapsed, %cst_0 : tensor<300x1xi1>, tensor<300x96xbf16>, tensor<bf16>) outs(%16 : tensor<300x96xbf16>) {
  ^bb0(%in: i1, %in_4: bf16, %in_5: bf16, %out: bf16):
    %18 = arith.select %in, %in_4, %in_5 : bf16
    linalg.yield %18 : bf16
  } -> tensor<300x96xbf16>
  return %17 : tensor<300x96xbf16>
}
