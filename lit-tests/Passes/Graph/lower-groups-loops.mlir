// Loops in bodies go on as long as an element of the vector needs an iteration; others read nothing and keep what they have.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: gpu.func @sums
// CHECK-SAME: (%[[N:.*]]: memref<100xindex
// CHECK: %[[COUNTS:.*]] = vector.transfer_read %[[N]]
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: %[[REAL:.*]] = arith.select %[[MASK]], %[[COUNTS]]
// CHECK: %[[MOST:.*]] = vector.multi_reduction <maxsi>, %[[REAL]]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[MOST]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNTS]]
// CHECK: vector.gather
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]]
// CHECK: %[[KEPT:.*]] = arith.select %[[INSIDE]], %[[NEXT]], %[[SUM]]
// CHECK: scf.yield %[[KEPT]]
func.func @sums(%p0: tensor<100xindex>, %p1: tensor<50xf32>) -> tensor<100xf32> {
  %group = carousel.group "sums"(%p0, %p1) {
  ^bb0(%counts: tensor<100xindex>, %x: tensor<50xf32>):
    %e = tensor.empty() : tensor<100xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%counts : tensor<100xindex>) outs(%e : tensor<100xf32>) {
    ^bb0(%in: index, %out: f32):
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c50 = arith.constant 50 : index
      %own = linalg.index 0 : index
      %r = scf.for %k = %c0 to %in step %c1 iter_args(%s = %zero) -> f32 {
        %at = arith.addi %own, %k : index
        %place = arith.remui %at, %c50 : index
        %v = tensor.extract %x[%place] : tensor<50xf32>
        %t = arith.addf %s, %v : f32
        scf.yield %t : f32
      }
      linalg.yield %r : f32
    } -> tensor<100xf32>
    carousel.yield %y : tensor<100xf32>
  } : (tensor<100xindex>, tensor<50xf32>) -> tensor<100xf32>
  return %group : tensor<100xf32>
}
