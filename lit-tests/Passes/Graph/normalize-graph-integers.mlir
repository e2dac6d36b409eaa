// The host computes integers of 32 bits as indices. Sums keep the low bits of indices; least ones, quotients and comparisons
// need an index that fits, which constants show or a launch checks.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#v = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @least
//  CHECK-SAME: , %[[N:.*]]: index
//   CHECK-DAG: %[[MOST:.*]] = arith.constant 2147483647 : index
//   CHECK-DAG: %[[LEAST:.*]] = arith.constant -2147483648 : index
//       CHECK: %[[BELOW:.*]] = arith.cmpi sle, %[[N]], %[[MOST]] : index
//       CHECK: cf.assert %[[BELOW]], "expected an index that fits 32 bits"
//       CHECK: %[[ABOVE:.*]] = arith.cmpi sge, %[[N]], %[[LEAST]] : index
//       CHECK: cf.assert %[[ABOVE]]
//       CHECK: arith.minsi %[[N]]
func.func @least(%x: tensor<?xi32>, %n: index) -> tensor<?xi32> {
  %c7 = arith.constant 7 : i32
  %small = arith.index_cast %n : index to i32
  %least = arith.minsi %small, %c7 : i32
  %y = func.call @add(%x, %least) : (tensor<?xi32>, i32) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// CHECK-LABEL: func @quotient
//       CHECK: %[[ROWS:.*]] = tensor.dim
//       CHECK: arith.cmpi sle, %[[ROWS]]
//       CHECK: cf.assert
//   CHECK-NOT: cf.assert
//       CHECK: arith.divsi %[[ROWS]]
func.func @quotient(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i32
  %m = tensor.dim %x, %c0 : tensor<?xi32>
  %rows = arith.index_cast %m : index to i32
  %third = arith.divsi %rows, %c3 : i32
  %y = func.call @add(%x, %third) : (tensor<?xi32>, i32) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// CHECK-LABEL: func @comparison
//       CHECK: cf.assert
//       CHECK: cf.assert
//       CHECK: arith.cmpi slt
func.func @comparison(%x: tensor<?xi32>, %n: index) -> tensor<?xi32> {
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %small = arith.index_cast %n : index to i32
  %few = arith.cmpi slt, %small, %c3 : i32
  %number = arith.select %few, %c3, %c5 : i32
  %y = func.call @add(%x, %number) : (tensor<?xi32>, i32) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// Sums and products need no check, nor do 64 bits, nor what constants limit.
// CHECK-LABEL: func @low_bits
//   CHECK-NOT: cf.assert
//       CHECK: arith.muli {{.*}} : index
//   CHECK-NOT: cf.assert
//       CHECK: return
func.func @low_bits(%x: tensor<?xi32>, %n: index) -> tensor<?xi32> {
  %c3 = arith.constant 3 : i32
  %small = arith.index_cast %n : index to i32
  %product = arith.muli %small, %c3 : i32
  %sum = arith.addi %product, %c3 : i32
  %y = func.call @add(%x, %sum) : (tensor<?xi32>, i32) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// CHECK-LABEL: func @all_bits
//   CHECK-NOT: cf.assert
//       CHECK: arith.divsi {{.*}} : index
//   CHECK-NOT: cf.assert
//       CHECK: return
func.func @all_bits(%x: tensor<?xi32>, %n: index) -> tensor<?xi32> {
  %c3 = arith.constant 3 : i64
  %wide = arith.index_cast %n : index to i64
  %third = arith.divsi %wide, %c3 : i64
  %number = arith.trunci %third : i64 to i32
  %y = func.call @add(%x, %number) : (tensor<?xi32>, i32) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// CHECK-LABEL: func @limited
//   CHECK-NOT: cf.assert
//       CHECK: arith.divsi {{.*}} : index
//   CHECK-NOT: cf.assert
//       CHECK: return
func.func @limited(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c3 = arith.constant 3 : i32
  %m = tensor.dim %x, %c0 : tensor<?xi32>
  %most = arith.minsi %m, %c512 : index
  %rows = arith.index_cast %most : index to i32
  %third = arith.divsi %rows, %c3 : i32
  %y = func.call @add(%x, %third) : (tensor<?xi32>, i32) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// A launch doesn't know the element, and so can't check it.
// CHECK-LABEL: func @of_data
//   CHECK-NOT: cf.assert
//       CHECK: arith.minsi {{.*}} : i32
func.func @of_data(%x: tensor<?xi32>, %t: tensor<i64>) -> tensor<?xi32> {
  %c7 = arith.constant 7 : i32
  %element = tensor.extract %t[] : tensor<i64>
  %index = arith.index_cast %element : i64 to index
  %small = arith.index_cast %index : index to i32
  %least = arith.minsi %small, %c7 : i32
  %y = func.call @add(%x, %least) : (tensor<?xi32>, i32) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func private @add(%x: tensor<?xi32>, %number: i32) -> tensor<?xi32>

// A gather's index that is a loop's number needs no limit where the loop is as long as the table. It stays where
// the table may be shorter.
// CHECK-LABEL: func.func @limits(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[T:.*]]: tensor<7xf32>)
// CHECK-NOT: tensor.extract %[[X]]
// CHECK: arith.minsi
// CHECK: tensor.extract %[[T]]
func.func @limits(%x: tensor<?xf32>, %t: tensor<7xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %low = arith.maxsi %i, %c0 : index
    %at = arith.minsi %low, %last : index
    %a = tensor.extract %x[%at] : tensor<?xf32>
    %few = arith.minsi %low, %c6 : index
    %b = tensor.extract %t[%few] : tensor<7xf32>
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// What compares numbers of loops, as sorts do for ties, is part of all that read it.
// CHECK-LABEL: func.func @ties
// CHECK-NOT: tensor<100x100xi1>
// CHECK-COUNT-2: arith.cmpi slt
// CHECK: return
func.func @ties(%x: tensor<100xi32>, %y: tensor<100xi32>) -> (tensor<100xi32>, tensor<100xi32>) {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<100x100xi1>
  %before = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<100x100xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.index_cast %i : index to i32
    %1 = arith.index_cast %j : index to i32
    %2 = arith.cmpi slt, %1, %0 : i32
    linalg.yield %2 : i1
  } -> tensor<100x100xi1>
  %s = tensor.empty() : tensor<100xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%s : tensor<100xi32>) -> tensor<100xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %before : tensor<100xi32>, tensor<100x100xi1>) outs(%f : tensor<100xi32>) {
  ^bb0(%v: i32, %b: i1, %o: i32):
    %0 = arith.select %b, %v, %c0 : i32
    %1 = arith.addi %o, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<100xi32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%y, %before : tensor<100xi32>, tensor<100x100xi1>) outs(%f : tensor<100xi32>) {
  ^bb0(%v: i32, %b: i1, %o: i32):
    %0 = arith.select %b, %v, %c0 : i32
    %1 = arith.addi %o, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<100xi32>
  return %a, %d : tensor<100xi32>, tensor<100xi32>
}

// A divisor that is an extent, or 1 where that is 0, is a number that a launch computes.
// CHECK-LABEL: func.func @divisor
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: %[[DIVISOR:.*]] = arith.maxsi %[[N]], %{{.*}} : index
// CHECK: arith.index_cast %[[DIVISOR]] : index to i32
// CHECK-NOT: arith.select
// CHECK: return
func.func @divisor(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %i = arith.index_cast %n : index to i32
  %is = arith.cmpi eq, %i, %zero : i32
  %d = arith.select %is, %one, %i : i32
  %e = tensor.empty(%n) : tensor<?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %r = arith.remsi %a, %d : i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
