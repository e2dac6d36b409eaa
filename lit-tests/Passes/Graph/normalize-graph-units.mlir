// A sum of one term reads its init, like other ops without reductions: the init becomes an input before the op is fused
// with one of more loops.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#rows = affine_map<(i, k) -> (i)>
#all = affine_map<(i, k) -> (i, k)>

// CHECK-LABEL: func.func @sum_of_one(
// CHECK: linalg.generic
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %[[OUT:.*]]: f32):
// CHECK-NOT: %[[OUT]]
// CHECK: linalg.yield
func.func @sum_of_one(%x: tensor<?x1xf32>, %b: tensor<?xf32>, %z: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x1xf32>) outs(%b : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %sum = arith.addf %v, %acc : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]} ins(%z, %s : tensor<?x8xf32>, tensor<?xf32>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %product = arith.mulf %v, %w : f32
    linalg.yield %product : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
