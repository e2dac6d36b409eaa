// A sum of terms that differ by the number of their matrix goes along these numbers, and reads the rows that have them.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{least-saved-operations=0}))' --mlir-print-local-scope | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{least-saved-operations=0}))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// Tables of tiles cost more than these products.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW

#row = affine_map<(t, n) -> (t)>
#id = affine_map<(t, n) -> (t, n)>

// The rows of each matrix, in tiles, as if the products had been written as a batch.
// REMARK: [Passed] StackedTerms {{.*}}Function=experts {{.*}}3 terms that differ by a number are a sum along it
// REMARK: [Passed] OneHot {{.*}}Function=experts
// REMARK: [Passed] PickedRows {{.*}}Function=experts {{.*}}multiplies the 64 rows that are read by their matrices, in place of 192
// REMARK: [Passed] Grouped {{.*}}Function=experts {{.*}}64 rows choose one of 3 matrices
// FEW: [Missed] StackedTerms {{.*}}Function=experts {{.*}}each of 3 terms is computed for all rows: choosing rows saves less than the tables cost
// CHECK-LABEL: func.func @experts
// CHECK-SAME: tensor<64xi32>, %[[W:.+]]: tensor<3x32x48xf32>)
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: tensor.extract %[[W]]
// CHECK: math.tanh
// CHECK-NOT: math.tanh
// CHECK: return
func.func @experts(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<3x32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %t0 = arith.select %is0, %f0, %zero : f32
    %f1 = math.tanh %a1 : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %t1 = arith.select %is1, %f1, %zero : f32
    %s1 = arith.addf %t0, %t1 : f32
    %f2 = math.tanh %a2 : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %t2 = arith.select %is2, %f2, %zero : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// What is before the terms is added to their sum, and numbers begin at any.
// REMARK: [Passed] StackedTerms {{.*}}Function=residual {{.*}}3 terms
// CHECK-LABEL: func.func @residual
// CHECK-SAME: tensor<64xi32>, %[[W:.+]]: tensor<3x32x48xf32>, %[[R:.+]]: tensor<64x48xf32>)
// CHECK: tensor.extract %[[W]]
// CHECK: linalg.generic {{.*}} ins({{.*}}%[[R]]
// CHECK: return
func.func @residual(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<3x32x48xf32>, %r: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 5 : i32
  %n1 = arith.constant 6 : i32
  %n2 = arith.constant 7 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2, %r : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %before: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %t0 = arith.select %is0, %f0, %zero : f32
    %s0 = arith.addf %before, %t0 : f32
    %f1 = math.tanh %a1 : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %t1 = arith.select %is1, %f1, %zero : f32
    %s1 = arith.addf %s0, %t1 : f32
    %f2 = math.tanh %a2 : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %t2 = arith.select %is2, %f2, %zero : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// Matrices of their own aren't copied to one tensor.
// REMARK: [Missed] StackedTerms {{.*}}Function=separate {{.*}}each of 3 terms is computed for all rows: what they read isn't slices of one tensor, in order
// CHECK-LABEL: func.func @separate
// CHECK-COUNT-3: tensor<64x32xf32>, tensor<32x48xf32>
// CHECK: return
func.func @separate(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w0: tensor<32x48xf32>, %w1: tensor<32x48xf32>, %w2: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %t0 = arith.select %is0, %f0, %zero : f32
    %f1 = math.tanh %a1 : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %t1 = arith.select %is1, %f1, %zero : f32
    %s1 = arith.addf %t0, %t1 : f32
    %f2 = math.tanh %a2 : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %t2 = arith.select %is2, %f2, %zero : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// REMARK: [Missed] StackedTerms {{.*}}Function=reversed {{.*}}isn't slices of one tensor, in order
// CHECK-LABEL: func.func @reversed
func.func @reversed(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<3x32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w2 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %t0 = arith.select %is0, %f0, %zero : f32
    %f1 = math.tanh %a1 : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %t1 = arith.select %is1, %f1, %zero : f32
    %s1 = arith.addf %t0, %t1 : f32
    %f2 = math.tanh %a2 : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %t2 = arith.select %is2, %f2, %zero : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// REMARK: [Missed] StackedTerms {{.*}}Function=functions {{.*}}they are computed by other ops
// CHECK-LABEL: func.func @functions
func.func @functions(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<3x32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %t0 = arith.select %is0, %f0, %zero : f32
    %f1 = math.tanh %a1 : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %t1 = arith.select %is1, %f1, %zero : f32
    %s1 = arith.addf %t0, %t1 : f32
    %f2 = math.exp %a2 : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %t2 = arith.select %is2, %f2, %zero : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// What numbers choose must be zero elsewhere.
// REMARK: [Missed] StackedTerms {{.*}}Function=chosen {{.*}}they aren't zero where numbers differ
// CHECK-LABEL: func.func @chosen
// CHECK-COUNT-3: tensor<64x32xf32>, tensor<32x48xf32>
// CHECK-NOT: tensor<3x64x48xf32>
// CHECK: return
func.func @chosen(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<3x32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %t0 = arith.select %is0, %f0, %a0 : f32
    %f1 = math.tanh %a1 : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %t1 = arith.select %is1, %f1, %a1 : f32
    %s1 = arith.addf %t0, %t1 : f32
    %f2 = math.tanh %a2 : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %t2 = arith.select %is2, %f2, %a2 : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// Sums that choose no rows stay, without a remark.
// REMARK-NOT: StackedTerms {{.*}}Function=unmasked
// CHECK-LABEL: func.func @unmasked
// CHECK-COUNT-3: tensor<64x32xf32>, tensor<32x48xf32>
// CHECK: return
func.func @unmasked(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<3x32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %t0 = arith.mulf %f0, %f0 : f32
    %f1 = math.tanh %a1 : f32
    %t1 = arith.mulf %f1, %f1 : f32
    %s1 = arith.addf %t0, %t1 : f32
    %f2 = math.tanh %a2 : f32
    %t2 = arith.mulf %f2, %f2 : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// REMARK: [Missed] StackedTerms {{.*}}Function=unknown {{.*}}each of 3 terms is computed for all rows: an extent isn't known
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<?x32xf32>, %g: tensor<?xi32>, %w: tensor<3x32x48xf32>) -> tensor<?x48xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x32xf32>
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty(%rows) : tensor<?x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x48xf32>) -> tensor<?x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<?x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<?x48xf32>) -> tensor<?x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<?x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<?x48xf32>) -> tensor<?x48xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<?x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<?xi32>, tensor<?x48xf32>, tensor<?x48xf32>, tensor<?x48xf32>) outs(%empty : tensor<?x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %f0 = math.tanh %a0 : f32
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %t0 = arith.select %is0, %f0, %zero : f32
    %f1 = math.tanh %a1 : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %t1 = arith.select %is1, %f1, %zero : f32
    %s1 = arith.addf %t0, %t1 : f32
    %f2 = math.tanh %a2 : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %t2 = arith.select %is2, %f2, %zero : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
