// What a program reads is read before its first write, so that threads wait once.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s

// CHECK-LABEL: gpu.func @two_results_0
// CHECK: vector.transfer_read %arg0
// CHECK: vector.transfer_read %arg1
// CHECK-NOT: vector.transfer_read
// CHECK: vector.transfer_write
// CHECK: vector.transfer_write
// CHECK-NOT: vector.transfer_read
// CHECK: gpu.return
func.func @two_results(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.add ins(%a, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
