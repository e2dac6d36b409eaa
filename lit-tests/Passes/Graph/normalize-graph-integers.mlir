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
