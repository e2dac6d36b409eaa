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
// KEPT-LABEL: func.func @causal(
// KEPT-NOT: math.exp2
// KEPT: return
// Each is one kernel, with one between them.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: func.func @causal(
// KERNELS-COUNT-4: carousel.launch_kernel
// KERNELS-NOT: carousel.launch_kernel
// KERNELS: return

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#hid = affine_map<(h, i, j, d) -> (h, i, d)>
#hjd = affine_map<(h, i, j, d) -> (h, j, d)>
#hij = affine_map<(h, i, j, d) -> (h, i, j)>
#h = affine_map<(h, i, j) -> (h, i, j)>
#wij = affine_map<(h, i, d, j) -> (h, i, j)>
#wji = affine_map<(h, i, d, j) -> (h, j, i)>
#vjd = affine_map<(h, i, d, j) -> (h, j, d)>
#yid = affine_map<(h, i, d, j) -> (h, i, d)>

// SUM-REMARK: Function=causal | Remark="a sum of weights times a product is one of a factor times the weights' sums"
// SUM-REMARK: Function=sums | Remark=
// SUM-REMARK-NOT: Function=other_weights
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


// DOC-EXAMPLE: --carousel-reorder-sums
// SUMS-LABEL: func.func @sums(
// SUMS: %[[Y:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// SUMS: %[[SUM:.*]] = linalg.generic {{.*}} ins(%arg2, %[[Y]] : tensor<512x64xf32>, tensor<512x64xf32>)
// SUMS: return %[[Y]], %[[SUM]]
func.func @sums(%p: tensor<512x512xf32>, %v: tensor<512x64xf32>, %dy: tensor<512x64xf32>) -> (tensor<512x64xf32>, tensor<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %y = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<512x512xf32>, tensor<512x64xf32>) outs(%f : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512x64xf32>
  %es = tensor.empty() : tensor<512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<512x512xf32>) -> tensor<512x512xf32>
  %dp = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<512x64xf32>, tensor<512x64xf32>) outs(%fs : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512x512xf32>
  %er = tensor.empty() : tensor<512xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%p, %dp : tensor<512x512xf32>, tensor<512x512xf32>) outs(%fr : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512xf32>
  return %y, %r : tensor<512x64xf32>, tensor<512xf32>
}

// Another order has other weights here: nothing changes.
// SUMS-LABEL: func.func @other_weights(
// SUMS: linalg.generic {{.*}} ins(%arg3, %{{.*}} : tensor<512x512xf32>, tensor<512x512xf32>)
func.func @other_weights(%p: tensor<512x512xf32>, %v: tensor<512x64xf32>, %dy: tensor<512x64xf32>, %q: tensor<512x512xf32>) -> (tensor<512x64xf32>, tensor<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %y = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<512x512xf32>, tensor<512x64xf32>) outs(%f : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512x64xf32>
  %es = tensor.empty() : tensor<512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<512x512xf32>) -> tensor<512x512xf32>
  %dp = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<512x64xf32>, tensor<512x64xf32>) outs(%fs : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512x512xf32>
  %er = tensor.empty() : tensor<512xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%q, %dp : tensor<512x512xf32>, tensor<512x512xf32>) outs(%fr : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512xf32>
  return %y, %r : tensor<512x64xf32>, tensor<512xf32>
}

// The other product's weights have a factor more, which may be zero: its sums aren't divided by it.
// SUMS-LABEL: func.func @gains(
// SUMS: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<512x512xf32>, tensor<512x512xf32>)
func.func @gains(%p: tensor<512x512xf32>, %v: tensor<512x64xf32>, %dy: tensor<512x64xf32>, %gain: tensor<512xf32>) -> (tensor<512x64xf32>, tensor<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %es = tensor.empty() : tensor<512x512xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %gain : tensor<512x512xf32>, tensor<512xf32>) outs(%es : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 linalg.yield %m : f32 } -> tensor<512x512xf32>
  %y = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<512x512xf32>, tensor<512x64xf32>) outs(%f : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512x64xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<512x512xf32>) -> tensor<512x512xf32>
  %dp = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<512x64xf32>, tensor<512x64xf32>) outs(%fs : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512x512xf32>
  %er = tensor.empty() : tensor<512xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%p, %dp : tensor<512x512xf32>, tensor<512x512xf32>) outs(%fr : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %s = arith.addf %c, %m : f32 linalg.yield %s : f32 } -> tensor<512xf32>
  return %y, %r : tensor<512x64xf32>, tensor<512xf32>
}

// DOC-EXAMPLE: --carousel-recompute-products
// COPIES-LABEL: func.func @products(
// COPIES: linalg.generic {{.*}} ins(%arg0, %arg1 : {{.*}} attrs = {carousel.recomputed = 0 : i64}
// COPIES: linalg.generic {{.*}} ins(%arg0, %arg1 :
func.func @products(%q: tensor<64x2048x64xbf16>, %k: tensor<64x2048x64xbf16>, %u: tensor<64x2048x64xbf16>) -> (tensor<64x2048x64xf32>, tensor<64x2048x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<64x2048x2048xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %s = linalg.generic {indexing_maps = [#hid, #hjd, #hij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<64x2048x64xbf16>, tensor<64x2048x64xbf16>) outs(%fs : tensor<64x2048x2048xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %y = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %y : f32 %t = arith.addf %c, %m : f32 linalg.yield %t : f32 } -> tensor<64x2048x2048xf32>
  %ew = tensor.empty() : tensor<64x2048x2048xbf16>
  %w = linalg.generic {indexing_maps = [#h, #h], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<64x2048x2048xf32>) outs(%ew : tensor<64x2048x2048xbf16>) {
  ^bb0(%a: f32, %c: bf16): %x = math.exp %a : f32 %y = arith.truncf %x : f32 to bf16 linalg.yield %y : bf16 } -> tensor<64x2048x2048xbf16>
  %e = tensor.empty() : tensor<64x2048x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x2048x64xf32>) -> tensor<64x2048x64xf32>
  %y = linalg.generic {indexing_maps = [#wij, #vjd, #yid], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %u : tensor<64x2048x2048xbf16>, tensor<64x2048x64xbf16>) outs(%f : tensor<64x2048x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %t = arith.addf %c, %m : f32 linalg.yield %t : f32 } -> tensor<64x2048x64xf32>
  %d = linalg.generic {indexing_maps = [#wji, #vjd, #yid], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %q : tensor<64x2048x2048xbf16>, tensor<64x2048x64xbf16>) outs(%f : tensor<64x2048x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %t = arith.addf %c, %m : f32 linalg.yield %t : f32 } -> tensor<64x2048x64xf32>
  return %y, %d : tensor<64x2048x64xf32>, tensor<64x2048x64xf32>
}

// DOC-EXAMPLE: --carousel-fold-softmax-sums
// FOLDED-LABEL: func.func @weights(
// FOLDED: %[[LSE:.*]] = linalg.generic {{.*}} ins(%arg2, %{{.*}} : tensor<512xf32>, tensor<512xf32>)
// FOLDED: math.log2
// FOLDED: linalg.generic {{.*}} ins(%{{.*}}, %[[LSE]] : tensor<512x512xf32>, tensor<512xf32>)
// FOLDED: math.exp2
// FOLDED-NOT: arith.divf
// FOLDED: return
func.func @weights(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %max: tensor<512xf32>, %other: tensor<512x512xf32>, %dy: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %er = tensor.empty() : tensor<512xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%other : tensor<512x512xf32>) outs(%fr : tensor<512xf32>) {
  ^bb0(%a: f32, %c: f32): %x = math.exp %a : f32 %s = arith.addf %c, %x : f32 linalg.yield %s : f32 } -> tensor<512xf32>
  %es = tensor.empty() : tensor<512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<512x512xf32>) -> tensor<512x512xf32>
  %s = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<512x64xf32>, tensor<512x64xf32>) outs(%fs : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %t = arith.addf %c, %m : f32 linalg.yield %t : f32 } -> tensor<512x512xf32>
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<512x512xf32>) outs(%es : tensor<512x512xf32>) {
  ^bb0(%a: f32, %c: f32): %m = arith.mulf %a, %half : f32 linalg.yield %m : f32 } -> tensor<512x512xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%z, %max : tensor<512x512xf32>, tensor<512xf32>) outs(%es : tensor<512x512xf32>) attrs = {carousel.recomputed = 0} {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.subf %a, %b : f32 %x = math.exp %m : f32 linalg.yield %x : f32 } -> tensor<512x512xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %l : tensor<512x512xf32>, tensor<512xf32>) outs(%es : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.divf %a, %b : f32 linalg.yield %m : f32 } -> tensor<512x512xf32>
  %e = tensor.empty() : tensor<512x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %y = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %dy : tensor<512x512xf32>, tensor<512x64xf32>) outs(%f : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32): %m = arith.mulf %a, %b : f32 %t = arith.addf %c, %m : f32 linalg.yield %t : f32 } -> tensor<512x64xf32>
  return %y : tensor<512x64xf32>
}
