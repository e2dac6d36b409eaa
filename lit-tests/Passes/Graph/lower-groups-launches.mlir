// Groups become launches of their kernels.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --remarks-filter="carousel-lower-groups" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>
#bc = affine_map<(a, b, c) -> (a, b, c)>

// Of extents that the kernel takes as one, and that may differ, a check is made.
// CHECK-LABEL: func.func @calls
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[S:.*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[M:.*]] = tensor.dim %[[S]], %c0
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq, %[[N]], %[[M]] : index
// CHECK: cf.assert %[[EQUAL]], "expected dimension 0 of arg1 to be as long as dimension 1 of arg0 in @columns"
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[Y:.*]] = carousel.launch_kernel @kernels::@columns ins(%[[X]], %[[S]] : tensor<?x?xf32>, tensor<?xf32>) outs(%[[E]] : tensor<?xf32>) {carousel.family = "column"} -> tensor<?xf32>
// CHECK: return %[[Y]]
func.func @calls(%p0: tensor<?x?xf32>, %p1: tensor<?xf32>) -> tensor<?xf32> {
  %y = carousel.group "columns"(%p0, %p1) {
  ^bb0(%x: tensor<?x?xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Dimensions that are one in the kernel are one in its operands.
// CHECK-LABEL: func.func @reshapes
// CHECK: %[[F:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : tensor<4x5x64xf32> into tensor<1280xf32>
// CHECK: %[[R:.*]] = carousel.launch_kernel @kernels::@flat ins(%[[F]] : tensor<1280xf32>)
// CHECK: tensor.expand_shape %[[R]] {{\[\[}}0, 1, 2]]
func.func @reshapes(%p0: tensor<4x5x64xf32>) -> tensor<4x5x64xf32> {
  %y = carousel.group "flat"(%p0) {
  ^bb0(%x: tensor<4x5x64xf32>):
    %e = tensor.empty() : tensor<4x5x64xf32>
    %y = linalg.generic {indexing_maps = [#bc, #bc], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x5x64xf32>) outs(%e : tensor<4x5x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<4x5x64xf32>
    carousel.yield %y : tensor<4x5x64xf32>
  } : (tensor<4x5x64xf32>) -> tensor<4x5x64xf32>
  return %y : tensor<4x5x64xf32>
}

// Groups that compute the same of other tensors launch one kernel; the place of each launch stays its own. Memory with
// strides, read or written, needs another kernel.
// CHECK-LABEL: func.func @layers
// CHECK: %[[A:.*]] = carousel.launch_kernel @kernels::@layer_0 ins(%arg0
// CHECK: %[[B:.*]] = carousel.launch_kernel @kernels::@layer_0 ins(%[[A]]
// CHECK: %[[C:.*]] = carousel.launch_kernel @kernels::@layer_3 ins(%[[B]]
// CHECK: carousel.launch_kernel @kernels::@layer_2 ins(%{{.*}} : tensor<64x64xf32>)
// CHECK-NOT: carousel.launch_kernel
// CHECK: return
func.func @layers(%p0: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = carousel.group "layer_0"(%p0) {
  ^bb0(%x: tensor<64x64xf32>):
    %e = tensor.empty() : tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%v: f32, %out: f32):
      %n = math.exp %v : f32
      linalg.yield %n : f32
    } -> tensor<64x64xf32>
    carousel.yield %y : tensor<64x64xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = carousel.group "layer_1"(%a) {
  ^bb0(%x: tensor<64x64xf32>):
    %e = tensor.empty() : tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%v: f32, %out: f32):
      %n = math.exp %v : f32
      linalg.yield %n : f32
    } -> tensor<64x64xf32>
    carousel.yield %y : tensor<64x64xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %between = carousel.group "layer_3"(%b) {
  ^bb0(%x: tensor<64x64xf32>):
    %e = tensor.empty() : tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%v: f32, %out: f32):
      %n = math.exp %v : f32
      linalg.yield %n : f32
    } -> tensor<64x64xf32>
    carousel.yield %y : tensor<64x64xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %wide = tensor.empty() : tensor<64x128xf32>
  %put = tensor.insert_slice %between into %wide[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x128xf32>
  %slice = tensor.extract_slice %put[0, 32] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
  %c = carousel.group "layer_2"(%slice) {
  ^bb0(%x: tensor<64x64xf32>):
    %e = tensor.empty() : tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%v: f32, %out: f32):
      %n = math.exp %v : f32
      linalg.yield %n : f32
    } -> tensor<64x64xf32>
    carousel.yield %y : tensor<64x64xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// The kernels of @layers, in the order of their groups.
// CHECK: gpu.func @layer_0
// CHECK-NOT: gpu.func @layer_1
// CHECK: gpu.func @layer_3({{.*}} %{{.*}}: memref<64x64xf32, strided{{.*}}"result0", out>
// CHECK: gpu.func @layer_2(%{{.*}}: memref<64x64xf32, strided
// REMARK: Function=layer_1 | Kernel=layer_0, Remark="launches the kernel of layer_0, which computes the same"
