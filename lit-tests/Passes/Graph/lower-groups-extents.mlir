// Ops that MLIR verifies, of which planners must not expect more.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The shape of a result that nobody reads is the only one that has the number of columns.
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

// No product: the loop that is called reduced is one of the result's.
// CHECK-LABEL: gpu.func @outer_0
// CHECK-NOT: vector.contract
// CHECK: gpu.return
func.func @outer(%x: tensor<?x4xf32>, %y: tensor<?x8xf32>) -> tensor<?x4x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%b) : tensor<?x4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, n)>,
      affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x4xf32>, tensor<?x8xf32>) outs(%z : tensor<?x4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}
