// A chain each op of which reads the two before it becomes one op, that computes each value once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

// CHECK-LABEL: func @chain
//         CHECK: linalg.generic
// CHECK-COUNT-40: arith.addf
//     CHECK-NOT: arith.addf
//     CHECK-NOT: linalg.generic
//         CHECK: return
func.func @chain(%v0: tensor<64xf32>, %v1: tensor<64xf32>) -> tensor<64xf32> {
  %v2 = arith.addf %v1, %v0 : tensor<64xf32>
  %v3 = arith.addf %v2, %v1 : tensor<64xf32>
  %v4 = arith.addf %v3, %v2 : tensor<64xf32>
  %v5 = arith.addf %v4, %v3 : tensor<64xf32>
  %v6 = arith.addf %v5, %v4 : tensor<64xf32>
  %v7 = arith.addf %v6, %v5 : tensor<64xf32>
  %v8 = arith.addf %v7, %v6 : tensor<64xf32>
  %v9 = arith.addf %v8, %v7 : tensor<64xf32>
  %v10 = arith.addf %v9, %v8 : tensor<64xf32>
  %v11 = arith.addf %v10, %v9 : tensor<64xf32>
  %v12 = arith.addf %v11, %v10 : tensor<64xf32>
  %v13 = arith.addf %v12, %v11 : tensor<64xf32>
  %v14 = arith.addf %v13, %v12 : tensor<64xf32>
  %v15 = arith.addf %v14, %v13 : tensor<64xf32>
  %v16 = arith.addf %v15, %v14 : tensor<64xf32>
  %v17 = arith.addf %v16, %v15 : tensor<64xf32>
  %v18 = arith.addf %v17, %v16 : tensor<64xf32>
  %v19 = arith.addf %v18, %v17 : tensor<64xf32>
  %v20 = arith.addf %v19, %v18 : tensor<64xf32>
  %v21 = arith.addf %v20, %v19 : tensor<64xf32>
  %v22 = arith.addf %v21, %v20 : tensor<64xf32>
  %v23 = arith.addf %v22, %v21 : tensor<64xf32>
  %v24 = arith.addf %v23, %v22 : tensor<64xf32>
  %v25 = arith.addf %v24, %v23 : tensor<64xf32>
  %v26 = arith.addf %v25, %v24 : tensor<64xf32>
  %v27 = arith.addf %v26, %v25 : tensor<64xf32>
  %v28 = arith.addf %v27, %v26 : tensor<64xf32>
  %v29 = arith.addf %v28, %v27 : tensor<64xf32>
  %v30 = arith.addf %v29, %v28 : tensor<64xf32>
  %v31 = arith.addf %v30, %v29 : tensor<64xf32>
  %v32 = arith.addf %v31, %v30 : tensor<64xf32>
  %v33 = arith.addf %v32, %v31 : tensor<64xf32>
  %v34 = arith.addf %v33, %v32 : tensor<64xf32>
  %v35 = arith.addf %v34, %v33 : tensor<64xf32>
  %v36 = arith.addf %v35, %v34 : tensor<64xf32>
  %v37 = arith.addf %v36, %v35 : tensor<64xf32>
  %v38 = arith.addf %v37, %v36 : tensor<64xf32>
  %v39 = arith.addf %v38, %v37 : tensor<64xf32>
  %v40 = arith.addf %v39, %v38 : tensor<64xf32>
  %v41 = arith.addf %v40, %v39 : tensor<64xf32>
  return %v41 : tensor<64xf32>
}
