// A group computes an extent that no tensor in memory has.
// RUN: carousel-opt %s --carousel-lower-groups | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func private @group(%m: index, %t: tensor<?xf32>) -> tensor<?xf32> attributes {carousel.group} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.addi %m, %c1 : index
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

// The caller computes it, of what it passes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[M:.+]]: index, %[[T:.+]]: tensor<?xf32>)
// CHECK: %[[N:.+]] = arith.addi %[[M]], %{{.+}} : index
// CHECK: carousel.launch_kernel @kernels::@group
// CHECK-SAME: %[[N]]
func.func @main(%m: index, %t: tensor<?xf32>) -> tensor<?xf32> {
  %y = call @group(%m, %t) : (index, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
