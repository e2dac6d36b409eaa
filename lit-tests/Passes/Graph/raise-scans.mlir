// Recursions over pairs of elements, as jax.lax.associative_scan writes them, are scans, if all levels combine by one operation.
// RUN: carousel-opt %s --carousel-generalize-graph --carousel-raise-scans | FileCheck %s
// RUN: carousel-opt %s --carousel-generalize-graph -o %t.mlir
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %t.mlir --as-written --chip sm_90a --code llvm,nvrtc
// RUN: %{graph} --function sums --kernels 1 -- --arg arg0=random:3x5 --arg result0=empty:3x5 --rtol 1e-5 --atol 1e-5
// RUN: %{graph} --function recurrence --kernels 1 -- --arg arg0=random:3x6 --arg arg1=random:3x6:1 --arg result0=empty:3x6 --rtol 1e-5 --atol 1e-5
// RUN: %{graph} --function segments --kernels 1 -- --arg arg0=random:3x7 --arg arg1=random:3x7:1 --arg result0=empty:3x7 --rtol 1e-5 --atol 1e-5
// RUN: %{graph} --function kept --kernels 1 -- --arg arg0=random:3x4 --arg arg1=random:3x4:1 --arg arg2=random:3x4:2 --arg result0=empty:3x4 --rtol 1e-5 --atol 1e-5
// RUN: %{graph} --function otherPairs -- --arg arg0=random:3x8 --arg arg1=random:3x8:1 --arg result0=empty:3x8 --rtol 1e-5 --atol 1e-5
// RUN: %{graph} --function otherStep -- --arg arg0=random:3x5 --arg result0=empty:3x5 --rtol 1e-5 --atol 1e-5

// Five elements, two pairs, one pair of pairs.
// CHECK-LABEL: func.func @sums
// CHECK: %[[SCAN:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3x5xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[BEFORE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[UPTO:.*]] = arith.addf %[[BEFORE]], %[[X]]
// CHECK-NEXT: linalg.yield %[[UPTO]], %[[UPTO]]
// CHECK: return %[[SCAN]]#1
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-raise-scans
func.func @sums(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.extract_slice %x[0, 0] [3, 2] [1, 2] : tensor<3x5xf32> to tensor<3x2xf32>
  %v2 = tensor.extract_slice %x[0, 1] [3, 2] [1, 2] : tensor<3x5xf32> to tensor<3x2xf32>
  %v3 = arith.addf %v1, %v2 : tensor<3x2xf32>
  %v4 = tensor.extract_slice %v3[0, 0] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v5 = tensor.extract_slice %v3[0, 1] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v6 = arith.addf %v4, %v5 : tensor<3x1xf32>
  %v7 = tensor.extract_slice %v3[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %v8 = tensor.empty() : tensor<3x2xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%v8 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %v10 = tensor.insert_slice %v7 into %v9[0, 0] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v11 = tensor.insert_slice %v6 into %v9[0, 1] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v12 = arith.addf %v10, %v11 : tensor<3x2xf32>
  %v13 = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x5xf32> to tensor<3x1xf32>
  %v14 = tensor.extract_slice %x[0, 2] [3, 2] [1, 2] : tensor<3x5xf32> to tensor<3x2xf32>
  %v15 = arith.addf %v12, %v14 : tensor<3x2xf32>
  %v16 = tensor.concat dim(1) %v13, %v15 : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  %v17 = tensor.empty() : tensor<3x5xf32>
  %v18 = linalg.fill ins(%zero : f32) outs(%v17 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %v19 = tensor.insert_slice %v16 into %v18[0, 0] [3, 3] [1, 2] : tensor<3x3xf32> into tensor<3x5xf32>
  %v20 = tensor.insert_slice %v12 into %v18[0, 1] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x5xf32>
  %v21 = arith.addf %v19, %v20 : tensor<3x5xf32>
  return %v21 : tensor<3x5xf32>
}

// h' = a h + x: pairs have the products of their factors. The first factor multiplies nothing.
// CHECK-LABEL: func.func @recurrence
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 : tensor<3x6xf32>, tensor<3x6xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[A:.*]]: f32, %[[BEFORE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[BEFORE]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[X]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK-NEXT: arith.select %[[FIRST]], %[[X]], %[[SUM]]
func.func @recurrence(%x: tensor<3x6xf32>, %a: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.extract_slice %x[0, 0] [3, 3] [1, 2] : tensor<3x6xf32> to tensor<3x3xf32>
  %v2 = tensor.extract_slice %a[0, 0] [3, 3] [1, 2] : tensor<3x6xf32> to tensor<3x3xf32>
  %v3 = tensor.extract_slice %x[0, 1] [3, 3] [1, 2] : tensor<3x6xf32> to tensor<3x3xf32>
  %v4 = tensor.extract_slice %a[0, 1] [3, 3] [1, 2] : tensor<3x6xf32> to tensor<3x3xf32>
  %v5 = arith.mulf %v4, %v1 : tensor<3x3xf32>
  %v6 = arith.addf %v5, %v3 : tensor<3x3xf32>
  %v7 = arith.mulf %v2, %v4 : tensor<3x3xf32>
  %v8 = tensor.extract_slice %v6[0, 0] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v9 = tensor.extract_slice %v7[0, 0] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v10 = tensor.extract_slice %v6[0, 1] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v11 = tensor.extract_slice %v7[0, 1] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v12 = arith.mulf %v11, %v8 : tensor<3x1xf32>
  %v13 = arith.addf %v12, %v10 : tensor<3x1xf32>
  %v14 = arith.mulf %v9, %v11 : tensor<3x1xf32>
  %v15 = tensor.extract_slice %v6[0, 0] [3, 1] [1, 1] : tensor<3x3xf32> to tensor<3x1xf32>
  %v16 = tensor.extract_slice %v6[0, 2] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v17 = tensor.extract_slice %v7[0, 2] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v18 = arith.mulf %v17, %v13 : tensor<3x1xf32>
  %v19 = arith.addf %v18, %v16 : tensor<3x1xf32>
  %v20 = tensor.concat dim(1) %v15, %v19 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %v21 = tensor.empty() : tensor<3x3xf32>
  %v22 = linalg.fill ins(%zero : f32) outs(%v21 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %v23 = tensor.insert_slice %v20 into %v22[0, 0] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x3xf32>
  %v24 = tensor.insert_slice %v13 into %v22[0, 1] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x3xf32>
  %v25 = arith.addf %v23, %v24 : tensor<3x3xf32>
  %v26 = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x6xf32> to tensor<3x1xf32>
  %v27 = tensor.extract_slice %v25[0, 0] [3, 2] [1, 1] : tensor<3x3xf32> to tensor<3x2xf32>
  %v28 = tensor.extract_slice %x[0, 2] [3, 2] [1, 2] : tensor<3x6xf32> to tensor<3x2xf32>
  %v29 = tensor.extract_slice %a[0, 2] [3, 2] [1, 2] : tensor<3x6xf32> to tensor<3x2xf32>
  %v30 = arith.mulf %v29, %v27 : tensor<3x2xf32>
  %v31 = arith.addf %v30, %v28 : tensor<3x2xf32>
  %v32 = tensor.concat dim(1) %v26, %v31 : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  %v33 = tensor.empty() : tensor<3x6xf32>
  %v34 = linalg.fill ins(%zero : f32) outs(%v33 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v35 = tensor.insert_slice %v32 into %v34[0, 0] [3, 3] [1, 2] : tensor<3x3xf32> into tensor<3x6xf32>
  %v36 = tensor.insert_slice %v25 into %v34[0, 1] [3, 3] [1, 2] : tensor<3x3xf32> into tensor<3x6xf32>
  %v37 = arith.addf %v35, %v36 : tensor<3x6xf32>
  return %v37 : tensor<3x6xf32>
}

// Sums that begin anew where a bit is set.
// CHECK-LABEL: func.func @segments
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[BEGINS:.*]]: i1, %[[BEFORE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[BEFORE]], %[[X]]
// CHECK-NEXT: arith.select %[[BEGINS]], %[[X]], %[[SUM]]
func.func @segments(%x: tensor<3x7xf32>, %s: tensor<3x7xi1>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.extract_slice %x[0, 0] [3, 3] [1, 2] : tensor<3x7xf32> to tensor<3x3xf32>
  %v2 = tensor.extract_slice %s[0, 0] [3, 3] [1, 2] : tensor<3x7xi1> to tensor<3x3xi1>
  %v3 = tensor.extract_slice %x[0, 1] [3, 3] [1, 2] : tensor<3x7xf32> to tensor<3x3xf32>
  %v4 = tensor.extract_slice %s[0, 1] [3, 3] [1, 2] : tensor<3x7xi1> to tensor<3x3xi1>
  %v5 = arith.addf %v1, %v3 : tensor<3x3xf32>
  %v6 = arith.select %v4, %v3, %v5 : tensor<3x3xi1>, tensor<3x3xf32>
  %v7 = arith.ori %v2, %v4 : tensor<3x3xi1>
  %v8 = tensor.extract_slice %v6[0, 0] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v9 = tensor.extract_slice %v7[0, 0] [3, 1] [1, 2] : tensor<3x3xi1> to tensor<3x1xi1>
  %v10 = tensor.extract_slice %v6[0, 1] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v11 = tensor.extract_slice %v7[0, 1] [3, 1] [1, 2] : tensor<3x3xi1> to tensor<3x1xi1>
  %v12 = arith.addf %v8, %v10 : tensor<3x1xf32>
  %v13 = arith.select %v11, %v10, %v12 : tensor<3x1xi1>, tensor<3x1xf32>
  %v14 = arith.ori %v9, %v11 : tensor<3x1xi1>
  %v15 = tensor.extract_slice %v6[0, 0] [3, 1] [1, 1] : tensor<3x3xf32> to tensor<3x1xf32>
  %v16 = tensor.extract_slice %v6[0, 2] [3, 1] [1, 2] : tensor<3x3xf32> to tensor<3x1xf32>
  %v17 = tensor.extract_slice %v7[0, 2] [3, 1] [1, 2] : tensor<3x3xi1> to tensor<3x1xi1>
  %v18 = arith.addf %v13, %v16 : tensor<3x1xf32>
  %v19 = arith.select %v17, %v16, %v18 : tensor<3x1xi1>, tensor<3x1xf32>
  %v20 = tensor.concat dim(1) %v15, %v19 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %v21 = tensor.empty() : tensor<3x3xf32>
  %v22 = linalg.fill ins(%zero : f32) outs(%v21 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %v23 = tensor.insert_slice %v20 into %v22[0, 0] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x3xf32>
  %v24 = tensor.insert_slice %v13 into %v22[0, 1] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x3xf32>
  %v25 = arith.addf %v23, %v24 : tensor<3x3xf32>
  %v26 = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x7xf32> to tensor<3x1xf32>
  %v27 = tensor.extract_slice %x[0, 2] [3, 3] [1, 2] : tensor<3x7xf32> to tensor<3x3xf32>
  %v28 = tensor.extract_slice %s[0, 2] [3, 3] [1, 2] : tensor<3x7xi1> to tensor<3x3xi1>
  %v29 = arith.addf %v25, %v27 : tensor<3x3xf32>
  %v30 = arith.select %v28, %v27, %v29 : tensor<3x3xi1>, tensor<3x3xf32>
  %v31 = tensor.concat dim(1) %v26, %v30 : (tensor<3x1xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
  %v32 = tensor.empty() : tensor<3x7xf32>
  %v33 = linalg.fill ins(%zero : f32) outs(%v32 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %v34 = tensor.insert_slice %v31 into %v33[0, 0] [3, 4] [1, 2] : tensor<3x4xf32> into tensor<3x7xf32>
  %v35 = tensor.insert_slice %v25 into %v33[0, 1] [3, 3] [1, 2] : tensor<3x3xf32> into tensor<3x7xf32>
  %v36 = arith.addf %v34, %v35 : tensor<3x7xf32>
  return %v36 : tensor<3x7xf32>
}

// A recurrence that goes on where a bit is set.
// CHECK-LABEL: func.func @kept
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32, %[[GOESON:.*]]: i1, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[ENDS:.*]] = arith.xori %[[GOESON]]
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[X]]
// CHECK: %[[BEGINS:.*]] = arith.ori %{{.*}}, %[[ENDS]]
// CHECK-NEXT: arith.select %[[BEGINS]], %[[X]], %[[SUM]]
func.func @kept(%x: tensor<3x4xf32>, %a: tensor<3x4xf32>, %s: tensor<3x4xi1>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.extract_slice %x[0, 0] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v2 = tensor.extract_slice %a[0, 0] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v3 = tensor.extract_slice %s[0, 0] [3, 2] [1, 2] : tensor<3x4xi1> to tensor<3x2xi1>
  %v4 = tensor.extract_slice %x[0, 1] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v5 = tensor.extract_slice %a[0, 1] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v6 = tensor.extract_slice %s[0, 1] [3, 2] [1, 2] : tensor<3x4xi1> to tensor<3x2xi1>
  %v7 = arith.mulf %v5, %v1 : tensor<3x2xf32>
  %v8 = arith.addf %v7, %v4 : tensor<3x2xf32>
  %v9 = arith.select %v6, %v8, %v4 : tensor<3x2xi1>, tensor<3x2xf32>
  %v10 = arith.mulf %v2, %v5 : tensor<3x2xf32>
  %v11 = arith.andi %v3, %v6 : tensor<3x2xi1>
  %v12 = tensor.extract_slice %v9[0, 0] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v13 = tensor.extract_slice %v10[0, 0] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v14 = tensor.extract_slice %v11[0, 0] [3, 1] [1, 2] : tensor<3x2xi1> to tensor<3x1xi1>
  %v15 = tensor.extract_slice %v9[0, 1] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v16 = tensor.extract_slice %v10[0, 1] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v17 = tensor.extract_slice %v11[0, 1] [3, 1] [1, 2] : tensor<3x2xi1> to tensor<3x1xi1>
  %v18 = arith.mulf %v16, %v12 : tensor<3x1xf32>
  %v19 = arith.addf %v18, %v15 : tensor<3x1xf32>
  %v20 = arith.select %v17, %v19, %v15 : tensor<3x1xi1>, tensor<3x1xf32>
  %v21 = arith.mulf %v13, %v16 : tensor<3x1xf32>
  %v22 = arith.andi %v14, %v17 : tensor<3x1xi1>
  %v23 = tensor.extract_slice %v9[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %v24 = tensor.empty() : tensor<3x2xf32>
  %v25 = linalg.fill ins(%zero : f32) outs(%v24 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %v26 = tensor.insert_slice %v23 into %v25[0, 0] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v27 = tensor.insert_slice %v20 into %v25[0, 1] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v28 = arith.addf %v26, %v27 : tensor<3x2xf32>
  %v29 = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x4xf32> to tensor<3x1xf32>
  %v30 = tensor.extract_slice %v28[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %v31 = tensor.extract_slice %x[0, 2] [3, 1] [1, 2] : tensor<3x4xf32> to tensor<3x1xf32>
  %v32 = tensor.extract_slice %a[0, 2] [3, 1] [1, 2] : tensor<3x4xf32> to tensor<3x1xf32>
  %v33 = tensor.extract_slice %s[0, 2] [3, 1] [1, 2] : tensor<3x4xi1> to tensor<3x1xi1>
  %v34 = arith.mulf %v32, %v30 : tensor<3x1xf32>
  %v35 = arith.addf %v34, %v31 : tensor<3x1xf32>
  %v36 = arith.select %v33, %v35, %v31 : tensor<3x1xi1>, tensor<3x1xf32>
  %v37 = tensor.concat dim(1) %v29, %v36 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %v38 = tensor.empty() : tensor<3x4xf32>
  %v39 = linalg.fill ins(%zero : f32) outs(%v38 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v40 = tensor.insert_slice %v37 into %v39[0, 0] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x4xf32>
  %v41 = tensor.insert_slice %v28 into %v39[0, 1] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x4xf32>
  %v42 = arith.addf %v40, %v41 : tensor<3x4xf32>
  return %v42 : tensor<3x4xf32>
}

// Pairs of pairs have sums of factors.
// CHECK-LABEL: func.func @otherPairs
// CHECK-NOT: "reduction"
func.func @otherPairs(%x: tensor<3x8xf32>, %a: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.extract_slice %x[0, 0] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
  %v2 = tensor.extract_slice %a[0, 0] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
  %v3 = tensor.extract_slice %x[0, 1] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
  %v4 = tensor.extract_slice %a[0, 1] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
  %v5 = arith.mulf %v4, %v1 : tensor<3x4xf32>
  %v6 = arith.addf %v5, %v3 : tensor<3x4xf32>
  %v7 = arith.mulf %v2, %v4 : tensor<3x4xf32>
  %v8 = tensor.extract_slice %v6[0, 0] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v9 = tensor.extract_slice %v7[0, 0] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v10 = tensor.extract_slice %v6[0, 1] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v11 = tensor.extract_slice %v7[0, 1] [3, 2] [1, 2] : tensor<3x4xf32> to tensor<3x2xf32>
  %v12 = arith.mulf %v11, %v8 : tensor<3x2xf32>
  %v13 = arith.addf %v12, %v10 : tensor<3x2xf32>
  %v14 = arith.addf %v9, %v11 : tensor<3x2xf32>
  %v15 = tensor.extract_slice %v13[0, 0] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v16 = tensor.extract_slice %v14[0, 0] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v17 = tensor.extract_slice %v13[0, 1] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v18 = tensor.extract_slice %v14[0, 1] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v19 = arith.mulf %v18, %v15 : tensor<3x1xf32>
  %v20 = arith.addf %v19, %v17 : tensor<3x1xf32>
  %v21 = arith.mulf %v16, %v18 : tensor<3x1xf32>
  %v22 = tensor.extract_slice %v13[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %v23 = tensor.empty() : tensor<3x2xf32>
  %v24 = linalg.fill ins(%zero : f32) outs(%v23 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %v25 = tensor.insert_slice %v22 into %v24[0, 0] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v26 = tensor.insert_slice %v20 into %v24[0, 1] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v27 = arith.addf %v25, %v26 : tensor<3x2xf32>
  %v28 = tensor.extract_slice %v6[0, 0] [3, 1] [1, 1] : tensor<3x4xf32> to tensor<3x1xf32>
  %v29 = tensor.extract_slice %v27[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %v30 = tensor.extract_slice %v6[0, 2] [3, 1] [1, 2] : tensor<3x4xf32> to tensor<3x1xf32>
  %v31 = tensor.extract_slice %v7[0, 2] [3, 1] [1, 2] : tensor<3x4xf32> to tensor<3x1xf32>
  %v32 = arith.mulf %v31, %v29 : tensor<3x1xf32>
  %v33 = arith.addf %v32, %v30 : tensor<3x1xf32>
  %v34 = tensor.concat dim(1) %v28, %v33 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %v35 = tensor.empty() : tensor<3x4xf32>
  %v36 = linalg.fill ins(%zero : f32) outs(%v35 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %v37 = tensor.insert_slice %v34 into %v36[0, 0] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x4xf32>
  %v38 = tensor.insert_slice %v27 into %v36[0, 1] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x4xf32>
  %v39 = arith.addf %v37, %v38 : tensor<3x4xf32>
  %v40 = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x8xf32> to tensor<3x1xf32>
  %v41 = tensor.extract_slice %v39[0, 0] [3, 3] [1, 1] : tensor<3x4xf32> to tensor<3x3xf32>
  %v42 = tensor.extract_slice %x[0, 2] [3, 3] [1, 2] : tensor<3x8xf32> to tensor<3x3xf32>
  %v43 = tensor.extract_slice %a[0, 2] [3, 3] [1, 2] : tensor<3x8xf32> to tensor<3x3xf32>
  %v44 = arith.mulf %v43, %v41 : tensor<3x3xf32>
  %v45 = arith.addf %v44, %v42 : tensor<3x3xf32>
  %v46 = tensor.concat dim(1) %v40, %v45 : (tensor<3x1xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
  %v47 = tensor.empty() : tensor<3x8xf32>
  %v48 = linalg.fill ins(%zero : f32) outs(%v47 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %v49 = tensor.insert_slice %v46 into %v48[0, 0] [3, 4] [1, 2] : tensor<3x4xf32> into tensor<3x8xf32>
  %v50 = tensor.insert_slice %v39 into %v48[0, 1] [3, 4] [1, 2] : tensor<3x4xf32> into tensor<3x8xf32>
  %v51 = arith.addf %v49, %v50 : tensor<3x8xf32>
  return %v51 : tensor<3x8xf32>
}

// The largest pair, of sums.
// CHECK-LABEL: func.func @otherStep
// CHECK-NOT: "reduction"
func.func @otherStep(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %v1 = tensor.extract_slice %x[0, 0] [3, 2] [1, 2] : tensor<3x5xf32> to tensor<3x2xf32>
  %v2 = tensor.extract_slice %x[0, 1] [3, 2] [1, 2] : tensor<3x5xf32> to tensor<3x2xf32>
  %v3 = arith.addf %v1, %v2 : tensor<3x2xf32>
  %v4 = tensor.extract_slice %v3[0, 0] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v5 = tensor.extract_slice %v3[0, 1] [3, 1] [1, 2] : tensor<3x2xf32> to tensor<3x1xf32>
  %v6 = arith.maximumf %v4, %v5 : tensor<3x1xf32>
  %v7 = tensor.extract_slice %v3[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %v8 = tensor.empty() : tensor<3x2xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%v8 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %v10 = tensor.insert_slice %v7 into %v9[0, 0] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v11 = tensor.insert_slice %v6 into %v9[0, 1] [3, 1] [1, 2] : tensor<3x1xf32> into tensor<3x2xf32>
  %v12 = arith.addf %v10, %v11 : tensor<3x2xf32>
  %v13 = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x5xf32> to tensor<3x1xf32>
  %v14 = tensor.extract_slice %x[0, 2] [3, 2] [1, 2] : tensor<3x5xf32> to tensor<3x2xf32>
  %v15 = arith.addf %v12, %v14 : tensor<3x2xf32>
  %v16 = tensor.concat dim(1) %v13, %v15 : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  %v17 = tensor.empty() : tensor<3x5xf32>
  %v18 = linalg.fill ins(%zero : f32) outs(%v17 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %v19 = tensor.insert_slice %v16 into %v18[0, 0] [3, 3] [1, 2] : tensor<3x3xf32> into tensor<3x5xf32>
  %v20 = tensor.insert_slice %v12 into %v18[0, 1] [3, 2] [1, 2] : tensor<3x2xf32> into tensor<3x5xf32>
  %v21 = arith.addf %v19, %v20 : tensor<3x5xf32>
  return %v21 : tensor<3x5xf32>
}

// Ops on memory have no results.
// CHECK-LABEL: func.func @memory
// CHECK: linalg.generic
func.func @memory(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%own: f32, %o: f32):
    linalg.yield %own : f32
  }
  return
}
