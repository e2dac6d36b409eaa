// Loops around structured ops are unrolled, outer ones first; of conditions, both branches are computed.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-unroll-graph-loops))' | FileCheck %s

// DOC-EXAMPLE: --carousel-unroll-graph-loops
// CHECK-LABEL: func.func @trip_count_2(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[ONCE:.*]] = linalg.exp ins(%[[X]] :
// CHECK: %[[TWICE:.*]] = linalg.exp ins(%[[ONCE]] :
// CHECK: return %[[TWICE]]
func.func @trip_count_2(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %x) -> (tensor<?xf32>) {
    %e = linalg.exp ins(%v : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @trip_count_0(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK-NOT: linalg
// CHECK: return %[[X]]
func.func @trip_count_0(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c1 to %c0 step %c1 iter_args(%v = %x) -> (tensor<?xf32>) {
    %e = linalg.exp ins(%v : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// The inner loop's trip counts are 0, 1 and 2.
// CHECK-LABEL: func.func @nested(
// CHECK-COUNT-3: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: return
func.func @nested(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %w = scf.for %j = %c0 to %i step %c1 iter_args(%u = %v) -> (tensor<4xf32>) {
      %e = linalg.exp ins(%u : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    scf.yield %w : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @while_counts(
// CHECK-COUNT-2: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: return
func.func @while_counts(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y:2 = scf.while (%i = %c0, %v = %x) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
    %more = arith.cmpi slt, %i, %c2 : index
    scf.condition(%more) %i, %v : index, tensor<4xf32>
  } do {
  ^bb0(%i: index, %v: tensor<4xf32>):
    %next = arith.addi %i, %c1 : index
    %e = linalg.exp ins(%v : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next, %e : index, tensor<4xf32>
  }
  return %y#1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<?xf32>, %[[A:[^:]*]]: f32
// CHECK: %[[E:.*]] = linalg.exp ins(%[[X]] :
// CHECK: arith.select %[[C]], %[[E]], %[[X]] : tensor<?xf32>
// CHECK: arith.select %[[C]], %[[A]],
func.func @branches(%c: i1, %x: tensor<?xf32>, %a: f32, %o: tensor<?xf32>) -> (tensor<?xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %y:2 = scf.if %c -> (tensor<?xf32>, f32) {
    %e = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e, %a : tensor<?xf32>, f32
  } else {
    scf.yield %x, %zero : tensor<?xf32>, f32
  }
  return %y#0, %y#1 : tensor<?xf32>, f32
}

// Conditions of elements stay.
// CHECK-LABEL: func.func @body(
// CHECK: scf.if
func.func @body(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %r = scf.if %c -> (f32) {
      %e = math.exp %a : f32
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
