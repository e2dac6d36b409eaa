// Constants of several programs have the same names and places each time, in the order of the programs.
// RUN: carousel-opt %s --carousel-lower-program | FileCheck %s
// CHECK: memref.global "private" constant @__constant_2xf32 : {{.*}}dense<[0.000000e+00
// CHECK: memref.global "private" constant @__constant_2xf32_0 : {{.*}}dense<[1.000000e+00
// CHECK: memref.global "private" constant @__constant_2xf32_1 : {{.*}}dense<[2.000000e+00
// CHECK: memref.global "private" constant @__constant_2xf32_2 : {{.*}}dense<[3.000000e+00
// CHECK: memref.global "private" constant @__constant_2xf32_3 : {{.*}}dense<[4.000000e+00

// CHECK-LABEL: func.func @program0
// CHECK: memref.get_global @__constant_2xf32 :
func.func @program0(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[0.0, 0.5]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.copy ins(%c : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @program1
// CHECK: memref.get_global @__constant_2xf32_0 :
func.func @program1(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.copy ins(%c : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @program2
// CHECK: memref.get_global @__constant_2xf32_1 :
func.func @program2(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.copy ins(%c : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @program3
// CHECK: memref.get_global @__constant_2xf32_2 :
func.func @program3(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[3.0, 0.5]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.copy ins(%c : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @program4
// CHECK: memref.get_global @__constant_2xf32_3 :
func.func @program4(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[4.0, 0.5]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.copy ins(%c : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
