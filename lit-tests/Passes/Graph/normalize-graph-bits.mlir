// Ors and xors of the ands of two matrices of bits are contractions in i32, and a comparison or the lowest bit.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --mlir-print-local-scope | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n, k) -> (m, n, k)>
#product = ["parallel", "parallel", "reduction"]

// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-multiply-bits
// CHECK-LABEL: func.func @any_of_both(
// CHECK: %[[PAIRS:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<33x70xi1>, tensor<70x40xi1>) outs(%{{.*}} : tensor<33x40xi32>)
// CHECK: ^bb0(%[[A:.*]]: i1, %[[B:.*]]: i1, %[[SUM:.*]]: i32):
// CHECK-DAG: %[[X:.*]] = arith.extui %[[A]] : i1 to i32
// CHECK-DAG: %[[Y:.*]] = arith.extui %[[B]] : i1 to i32
// CHECK: %[[BOTH:.*]] = arith.muli %[[X]], %[[Y]] : i32
// CHECK: arith.addi %[[SUM]], %[[BOTH]] : i32
// CHECK: linalg.generic {{.*}} ins(%[[PAIRS]] : tensor<33x40xi32>)
// CHECK: ^bb0(%[[NUMBER:.*]]: i32, %{{.*}}: i1):
// CHECK-NEXT: %[[ANY:.*]] = arith.cmpi ne, %[[NUMBER]], %{{.*}} : i32
// CHECK-NEXT: linalg.yield %[[ANY]] : i1
func.func @any_of_both(%a: tensor<33x70xi1>, %b: tensor<70x40xi1>) -> tensor<33x40xi1> {
  %no = arith.constant false
  %e = tensor.empty() : tensor<33x40xi1>
  %f = linalg.fill ins(%no : i1) outs(%e : tensor<33x40xi1>) -> tensor<33x40xi1>
  %y = linalg.matmul ins(%a, %b : tensor<33x70xi1>, tensor<70x40xi1>) outs(%f : tensor<33x40xi1>) -> tensor<33x40xi1>
  return %y : tensor<33x40xi1>
}

// `(a[:, None] & b[None]).any(-1)`, after what was there before.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[BEFORE:[^:]*]]: tensor<33x40xi1>)
// CHECK: %[[PAIRS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<33x40xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[PAIRS]], %[[BEFORE]] : tensor<33x40xi32>, tensor<33x40xi1>)
// CHECK: ^bb0(%[[NUMBER:.*]]: i32, %[[OWN:.*]]: i1, %{{.*}}: i1):
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[NUMBER]], %{{.*}} : i32
// CHECK: arith.ori %[[OWN]], %[[ANY]] : i1
func.func @broadcast(%a: tensor<33x70xi1>, %b: tensor<40x70xi1>, %before: tensor<33x40xi1>) -> tensor<33x40xi1> {
  %e3 = tensor.empty() : tensor<33x40x70xi1>
  %x = linalg.generic {indexing_maps = [#mk, #nk, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<33x70xi1>, tensor<40x70xi1>) outs(%e3 : tensor<33x40x70xi1>) {
  ^bb0(%p: i1, %q: i1, %o: i1):
    %r = arith.andi %p, %q : i1
    linalg.yield %r : i1
  } -> tensor<33x40x70xi1>
  %y = linalg.reduce ins(%x : tensor<33x40x70xi1>) outs(%before : tensor<33x40xi1>) dimensions = [2] (%p: i1, %o: i1) {
    %r = arith.ori %p, %o : i1
    linalg.yield %r : i1
  }
  return %y : tensor<33x40xi1>
}

// CHECK-LABEL: func.func @parity(
// CHECK: %[[PAIRS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<33x40xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[PAIRS]] : tensor<33x40xi32>)
// CHECK: arith.trunci %{{.*}} : i32 to i1
func.func @parity(%a: tensor<33x70xi1>, %b: tensor<70x40xi1>) -> tensor<33x40xi1> {
  %no = arith.constant false
  %e = tensor.empty() : tensor<33x40xi1>
  %f = linalg.fill ins(%no : i1) outs(%e : tensor<33x40xi1>) -> tensor<33x40xi1>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = #product}
      ins(%a, %b : tensor<33x70xi1>, tensor<70x40xi1>) outs(%f : tensor<33x40xi1>) {
  ^bb0(%p: i1, %q: i1, %o: i1):
    %r = arith.andi %p, %q : i1
    %s = arith.xori %o, %r : i1
    linalg.yield %s : i1
  } -> tensor<33x40xi1>
  return %y : tensor<33x40xi1>
}

// One matrix is no product of matrices, and 2^32 pairs would be none.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: xi32>
func.func @others(%a: tensor<33x70xi1>, %b: tensor<70xi1>, %c: tensor<2x4294967296xi1>) -> (tensor<33xi1>, tensor<2x2xi1>) {
  %no = arith.constant false
  %e = tensor.empty() : tensor<33xi1>
  %f = linalg.fill ins(%no : i1) outs(%e : tensor<33xi1>) -> tensor<33xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<33x70xi1>, tensor<70xi1>) outs(%f : tensor<33xi1>) {
  ^bb0(%p: i1, %q: i1, %o: i1):
    %r = arith.andi %p, %q : i1
    %s = arith.ori %o, %r : i1
    linalg.yield %s : i1
  } -> tensor<33xi1>
  %g = tensor.empty() : tensor<2x2xi1>
  %h = linalg.fill ins(%no : i1) outs(%g : tensor<2x2xi1>) -> tensor<2x2xi1>
  %z = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = #product}
      ins(%c, %c : tensor<2x4294967296xi1>, tensor<2x4294967296xi1>) outs(%h : tensor<2x2xi1>) {
  ^bb0(%p: i1, %q: i1, %o: i1):
    %r = arith.andi %p, %q : i1
    %s = arith.ori %o, %r : i1
    linalg.yield %s : i1
  } -> tensor<2x2xi1>
  return %y, %z : tensor<33xi1>, tensor<2x2xi1>
}
