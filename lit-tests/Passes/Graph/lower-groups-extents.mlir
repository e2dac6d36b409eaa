// Extents that no tensor in memory has.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Only the shape of a result without a reader has the number of columns.
// CHECK-LABEL: gpu.func @numbers_0
// CHECK-SAME: : index
func.func @numbers(%x: tensor<?x?xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %y:2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      outs(%e, %z : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%o: f32, %s: f32):
    %j = linalg.index 1 : index
    %h = arith.divui %j, %m : index
    %v = tensor.extract %t[%h] : tensor<?xf32>
    %a = arith.addf %s, %v : f32
    linalg.yield %v, %a : f32, f32
  } -> (tensor<?x?xf32>, tensor<?xf32>)
  return %y#1 : tensor<?xf32>
}

// Dimensions that no tensor in memory has aren't one: the launch has the number of each.
// CHECK-LABEL: gpu.func @count_0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index {{.*}}%[[COLUMNS:[a-z0-9]+]]: index
// CHECK: scf.for {{.*}} to %[[ROWS]]
// CHECK: scf.for {{.*}} to %[[COLUMNS]]
func.func @count(%x: tensor<?x?xf32>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xi64>
  %ones = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi64>) {
  ^bb0(%o: i64):
    linalg.yield %one : i64
  } -> tensor<?x?xi64>
  %r = tensor.empty() : tensor<i64>
  %z = linalg.fill ins(%zero : i64) outs(%r : tensor<i64>) -> tensor<i64>
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%ones : tensor<?x?xi64>) outs(%z : tensor<i64>) {
  ^bb0(%v: i64, %s: i64):
    %a = arith.addi %v, %s : i64
    linalg.yield %a : i64
  } -> tensor<i64>
  return %sum : tensor<i64>
}
