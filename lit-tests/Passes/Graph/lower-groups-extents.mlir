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
