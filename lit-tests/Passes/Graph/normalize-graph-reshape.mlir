// Reshapes whose extents aren't known to fit are checked by the program.
// RUN: carousel-opt %s --carousel-normalize-graph | FileCheck %s

// CHECK-LABEL: func.func @unknown
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq
// CHECK: cf.assert %[[EQUAL]], "expected the result of a reshape to have as many elements as its operand"
// CHECK: linalg.generic
// CHECK: tensor.extract
func.func @unknown(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c4 = arith.constant 4 : index
  %shape = tensor.from_elements %c4, %n : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @known
// CHECK-NOT: cf.assert
// CHECK: tensor.collapse_shape
func.func @known(%x: tensor<?x4x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %m = tensor.dim %x, %c0 : tensor<?x4x8xf32>
  %rows = arith.muli %m, %c4 : index
  %shape = tensor.from_elements %rows, %c8 : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x4x8xf32>, tensor<2xindex>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: cf.assert
// CHECK-NOT: tensor.reshape
// CHECK: return
func.func @scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %shape = tensor.from_elements : tensor<0xi64>
  %y = tensor.reshape %x(%shape) : (tensor<1x1xf32>, tensor<0xi64>) -> tensor<f32>
  return %y : tensor<f32>
}
