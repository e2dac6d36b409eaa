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

// What reads the same elements goes along them together, also where it has others at computed indices in common.
// CHECK-LABEL: gpu.func @gathers_0
// CHECK-COUNT-1: vector.transfer_read %arg0
// CHECK-NOT: vector.transfer_read %arg0
// CHECK-COUNT-3: vector.transfer_write
// CHECK: gpu.return
func.func @gathers(%x: tensor<64xf32>, %t: tensor<8xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.tanh ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = tensor.extract %t[%c0] : tensor<8xf32>
    %r = arith.addf %in, %p : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = tensor.extract %t[%c0] : tensor<8xf32>
    %q = tensor.extract %t[%c1] : tensor<8xf32>
    %s = arith.addf %p, %q : f32
    %r = arith.subf %in, %s : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %a, %b, %c : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
