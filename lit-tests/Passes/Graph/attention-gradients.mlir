// Gradients of attention, as jax.grad writes them: the sum of weights times a product becomes one of a factor times the forward pass's
// result; the gradients of queries, and those of keys and values, get copies of the scores; and the sums of weights are parts of
// exponentials.
// RUN: carousel-opt %s --carousel-reorder-sums | FileCheck %s --check-prefix=SUMS
// RUN: carousel-opt %s --carousel-reorder-sums --remarks-filter=carousel-reorder-sums -o /dev/null 2>&1 | FileCheck %s --check-prefix=SUM-REMARK
// RUN: carousel-opt %s --carousel-reorder-sums --carousel-recompute-products | FileCheck %s --check-prefix=COPIES
// RUN: carousel-opt %s --carousel-reorder-sums --carousel-recompute-products --remarks-filter=carousel-recompute-products -o /dev/null 2>&1 | FileCheck %s --check-prefix=COPY-REMARK
// RUN: carousel-opt %s --carousel-reorder-sums --carousel-recompute-products --carousel-bound-masks --carousel-fold-softmax-sums | FileCheck %s --check-prefix=FOLDED
// Without the copies, or with a finite number that excludes scores, nothing is folded.
// RUN: carousel-opt %s --carousel-reorder-sums --carousel-bound-masks --carousel-fold-softmax-sums | FileCheck %s --check-prefix=KEPT
// RUN: carousel-opt %s --carousel-reorder-sums --carousel-recompute-products --carousel-fold-softmax-sums | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: math.exp2
// Each is one kernel, with one between them.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: func.func @causal(
// KERNELS-COUNT-4: carousel.launch_kernel
// KERNELS-NOT: carousel.launch_kernel
// KERNELS: return

// SUM-REMARK: Function=causal | Remark="a sum of weights times a product is one of a factor times the weights' sums"
// SUM-REMARK-NOT: Remark
// SUMS-LABEL: func.func @causal(
// SUMS-SAME: %[[DY:arg3]]: tensor
// SUMS: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8x64x1024xf32>)
// SUMS: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x1024x8x64xbf16>)
// SUMS: arith.truncf
// SUMS: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[DY]], %[[Y]] : {{.*}}) outs(%{{.*}} : tensor<4x8x1024xf32>)
// SUMS: linalg.generic {{.*}} ins(%[[SUM]], %{{.*}} : tensor<4x8x1024xf32>, tensor<4x8x1024xf32>)
// SUMS: arith.divf
// COPY-REMARK: Function=causal | Remark="an online reduction computes again what 4 ops compute for others"
// COPY-REMARK: Function=causal | Remark="an online reduction computes again what 6 ops compute for others"
// COPIES-LABEL: func.func @causal(
// COPIES-COUNT-3: ins(%arg0, %arg1 : tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>)
// COPIES-COUNT-2: ins(%arg3, %arg2 : tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>)
// FOLDED-LABEL: func.func @causal(
// FOLDED-COUNT-2: math.exp2
// The mask of the gradient follows from that of the scores, and the scale is one of rows.
// FOLDED: %[[WEIGHT:.*]] = arith.truncf %in : f32 to bf16
// FOLDED-NOT: arith.select
// FOLDED: return
func.func @causal(%arg0: tensor<4x1024x8x64xbf16>, %arg1: tensor<4x1024x8x64xbf16>, %arg2: tensor<4x1024x8x64xbf16>, %arg3: tensor<4x1024x8x64xbf16>) -> (tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>) {
  %cst = arith.constant 1.000000e+00 : f32
  %cst_0 = arith.constant -1.000000e+30 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %cst_3 = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<4x8x1024x1024xbf16>
  %1 = tensor.empty() : tensor<4x8x1024x1024xf32>
  %2 = linalg.fill ins(%cst_2 : f32) outs(%1 : tensor<4x8x1024x1024xf32>) -> tensor<4x8x1024x1024xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>) outs(%2 : tensor<4x8x1024x1024xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<4x8x1024x1024xf32>
  %4 = tensor.empty() : tensor<4x8x1024x1024xf32>
  %5 = tensor.empty() : tensor<4x8x1024x1024xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<4x8x1024x1024xf32>) outs(%5 : tensor<4x8x1024x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = linalg.index 2 : index
    %39 = linalg.index 3 : index
    %40 = arith.index_cast %39 : index to i32
    %41 = arith.index_cast %38 : index to i32
    %42 = arith.cmpi sge, %41, %40 : i32
    %43 = arith.truncf %in : f32 to bf16
    %44 = arith.extf %43 : bf16 to f32
    %45 = arith.mulf %44, %cst_1 : f32
    %46 = arith.select %42, %45, %cst_0 : f32
    linalg.yield %46 : f32
  } -> tensor<4x8x1024x1024xf32>
  %7 = tensor.empty() : tensor<4x8x1024xf32>
  %8 = linalg.fill ins(%cst_3 : f32) outs(%7 : tensor<4x8x1024xf32>) -> tensor<4x8x1024xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<4x8x1024x1024xf32>) outs(%8 : tensor<4x8x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = arith.maximumf %out, %in : f32
    linalg.yield %38 : f32
  } -> tensor<4x8x1024xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>) outs(%4 : tensor<4x8x1024x1024xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %38 = arith.subf %in, %in_4 : f32
    %39 = math.exp %38 : f32
    linalg.yield %39 : f32
  } -> tensor<4x8x1024x1024xf32>
  %11 = linalg.fill ins(%cst_2 : f32) outs(%7 : tensor<4x8x1024xf32>) -> tensor<4x8x1024xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<4x8x1024x1024xf32>) outs(%11 : tensor<4x8x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = arith.addf %out, %in : f32
    linalg.yield %38 : f32
  } -> tensor<4x8x1024xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %12 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>) outs(%0 : tensor<4x8x1024x1024xbf16>) {
  ^bb0(%in: f32, %in_4: f32, %out: bf16):
    %38 = arith.divf %in, %in_4 : f32
    %39 = arith.truncf %38 : f32 to bf16
    linalg.yield %39 : bf16
  } -> tensor<4x8x1024x1024xbf16>
  %14 = tensor.empty() : tensor<4x8x64x1024xf32>
  %15 = linalg.fill ins(%cst_2 : f32) outs(%14 : tensor<4x8x64x1024xf32>) -> tensor<4x8x64x1024xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %13 : tensor<4x1024x8x64xbf16>, tensor<4x8x1024x1024xbf16>) outs(%15 : tensor<4x8x64x1024xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<4x8x64x1024xf32>
  %17 = tensor.empty() : tensor<4x1024x8x64xbf16>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<4x8x64x1024xf32>) outs(%17 : tensor<4x1024x8x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<4x1024x8x64xbf16>
  %19 = tensor.empty() : tensor<4x8x1024x1024xf32>
  %20 = linalg.fill ins(%cst_2 : f32) outs(%19 : tensor<4x8x1024x1024xf32>) -> tensor<4x8x1024x1024xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg3, %arg2 : tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>) outs(%20 : tensor<4x8x1024x1024xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<4x8x1024x1024xf32>
  %22 = tensor.empty() : tensor<4x8x64x1024xf32>
  %23 = linalg.fill ins(%cst_2 : f32) outs(%22 : tensor<4x8x64x1024xf32>) -> tensor<4x8x64x1024xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg3, %13 : tensor<4x1024x8x64xbf16>, tensor<4x8x1024x1024xbf16>) outs(%23 : tensor<4x8x64x1024xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<4x8x64x1024xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<4x8x64x1024xf32>) outs(%17 : tensor<4x1024x8x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<4x1024x8x64xbf16>
  %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<4x8x1024x1024xf32>) outs(%4 : tensor<4x8x1024x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = arith.truncf %in : f32 to bf16
    %39 = arith.extf %38 : bf16 to f32
    linalg.yield %39 : f32
  } -> tensor<4x8x1024x1024xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %12 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>) outs(%4 : tensor<4x8x1024x1024xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %38 = arith.mulf %in_4, %in_4 : f32
    %39 = arith.divf %cst, %38 : f32
    %40 = arith.mulf %in, %39 : f32
    linalg.yield %40 : f32
  } -> tensor<4x8x1024x1024xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%27, %10 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024x1024xf32>) outs(%11 : tensor<4x8x1024xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %38 = arith.mulf %in, %in_4 : f32
    %39 = arith.addf %out, %38 : f32
    linalg.yield %39 : f32
  } -> tensor<4x8x1024xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %12, %28, %10 : tensor<4x8x1024x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024xf32>, tensor<4x8x1024x1024xf32>) outs(%0 : tensor<4x8x1024x1024xbf16>) {
  ^bb0(%in: f32, %in_4: f32, %in_5: f32, %in_6: f32, %out: bf16):
    %38 = linalg.index 2 : index
    %39 = linalg.index 3 : index
    %40 = arith.index_cast %39 : index to i32
    %41 = arith.index_cast %38 : index to i32
    %42 = arith.cmpi sge, %41, %40 : i32
    %43 = arith.negf %in_5 : f32
    %44 = arith.addf %43, %cst_2 : f32
    %45 = arith.divf %in, %in_4 : f32
    %46 = arith.addf %45, %44 : f32
    %47 = arith.mulf %46, %in_6 : f32
    %48 = arith.select %42, %47, %cst_2 : f32
    %49 = arith.mulf %48, %cst_1 : f32
    %50 = arith.truncf %49 : f32 to bf16
    linalg.yield %50 : bf16
  } -> tensor<4x8x1024x1024xbf16>
  %30 = tensor.empty() : tensor<4x8x1024x64xf32>
  %31 = linalg.fill ins(%cst_2 : f32) outs(%30 : tensor<4x8x1024x64xf32>) -> tensor<4x8x1024x64xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%29, %arg0 : tensor<4x8x1024x1024xbf16>, tensor<4x1024x8x64xbf16>) outs(%31 : tensor<4x8x1024x64xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<4x8x1024x64xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<4x8x1024x64xf32>) outs(%17 : tensor<4x1024x8x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<4x1024x8x64xbf16>
  %34 = tensor.empty() : tensor<4x8x1024x64xf32>
  %35 = linalg.fill ins(%cst_2 : f32) outs(%34 : tensor<4x8x1024x64xf32>) -> tensor<4x8x1024x64xf32>
  %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%29, %arg1 : tensor<4x8x1024x1024xbf16>, tensor<4x1024x8x64xbf16>) outs(%35 : tensor<4x8x1024x64xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<4x8x1024x64xf32>
  %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<4x8x1024x64xf32>) outs(%17 : tensor<4x1024x8x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<4x1024x8x64xbf16>
  return %18, %37, %33, %25 : tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>, tensor<4x1024x8x64xbf16>
}

