// Kernels read slices of a tensor with two unknown leading extents where they are, as a front end divides queries, keys and values.
// RUN: carousel-opt %s '--carousel-graph-to-block=libraries=true' | FileCheck %s --check-prefix=PLACE
// DEFINE: %{args} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function f --kernels
// RUN: %{graph} 3 --chip sm_90a -- --arg arg0=random:3x5x24 --arg result0=zeros:3x5x8 --arg result1=zeros:3x5x8 --arg result2=zeros:3x5x8 --rtol 1e-5 | FileCheck %s
// RUN: %{graph} 3 --chip sm_80 -- --arg arg0=random:1x67x24 --arg result0=zeros:1x67x8 --arg result1=zeros:1x67x8 --arg result2=zeros:1x67x8 --rtol 1e-5 | FileCheck %s
// RUN: %{graph} 3 -- --arg arg0=random:0x4x24 --arg result0=zeros:0x4x8 --arg result1=zeros:0x4x8 --arg result2=zeros:0x4x8 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

// PLACE: %[[FIRST:.+]] = memref.subview %{{.+}}[0, 0] [%{{.+}}, 8] [1, 1]
// PLACE-NOT: memref.copy
// PLACE: carousel.launch_kernel @kernels::@f_1 ins(%[[FIRST]] : memref<?x8xf32, strided<[24, 1]>
// PLACE: %[[SECOND:.+]] = memref.subview %{{.+}}[0, 8] [%{{.+}}, 8] [1, 1]
// PLACE-NOT: memref.copy
// PLACE: carousel.launch_kernel @kernels::@f_2 ins(%[[SECOND]] : memref<?x8xf32, strided<[24, 1], offset: 8>
func.func @f(%x: tensor<?x?x24xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x24xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x24xf32>
  %e = tensor.empty(%a, %b) : tensor<?x?x24xf32>
  %y = linalg.add ins(%x, %x : tensor<?x?x24xf32>, tensor<?x?x24xf32>) outs(%e : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  %0 = tensor.extract_slice %y[0, 0, 0] [%a, %b, 8] [1, 1, 1] : tensor<?x?x24xf32> to tensor<?x?x8xf32>
  %1 = tensor.extract_slice %y[0, 0, 8] [%a, %b, 8] [1, 1, 1] : tensor<?x?x24xf32> to tensor<?x?x8xf32>
  %2 = tensor.extract_slice %y[0, 0, 16] [%a, %b, 8] [1, 1, 1] : tensor<?x?x24xf32> to tensor<?x?x8xf32>
  %e1 = tensor.empty(%a, %b) : tensor<?x?x8xf32>
  %z0 = linalg.exp ins(%0 : tensor<?x?x8xf32>) outs(%e1 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %z1 = linalg.ceil ins(%1 : tensor<?x?x8xf32>) outs(%e1 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %z0, %z1, %2 : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
}
