// A group computes an extent that no tensor in memory has.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @group(%p0: index, %p1: tensor<?xf32>) -> tensor<?xf32> {
  %group = carousel.group "group"(%p0, %p1) {
  ^bb0(%m: index, %t: tensor<?xf32>):
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
    carousel.yield %y#1 : tensor<?xf32>
  } : (index, tensor<?xf32>) -> tensor<?xf32>
  return %group : tensor<?xf32>
}

// The caller computes it, of what it passes.
// CHECK-LABEL: func.func @group
// CHECK-SAME: (%[[M:.+]]: index, %[[T:.+]]: tensor<?xf32>)
// CHECK: %[[N:.+]] = arith.addi %[[M]], %{{.+}} : index
// CHECK: carousel.launch_kernel @kernels::@group
// CHECK-SAME: %[[N]]
// Extents that a group computes of an argument's are numbers of its caller: those that elements need, and no others.
// CHECK-LABEL: func.func @counted
// CHECK-SAME: (%[[X:.+]]: tensor<?x8xf32>)
// CHECK: %[[F:.+]] = tensor.collapse_shape %[[X]]
// CHECK: %[[N:.+]] = tensor.dim %[[X]]
// CHECK: carousel.launch_kernel @kernels::@counted ins(%[[F]], %[[N]] : tensor<?xf32>, index)
// CHECK-LABEL: gpu.func @counted
// CHECK-SAME: %[[N:[^ :]+]]: index
// CHECK-NOT: arith.addi
// CHECK: %[[ROWS:.+]] = arith.index_cast %[[N]] : index to i32
// CHECK: arith.sitofp %[[ROWS]] : i32 to f32
// CHECK-NOT: arith.addi
// CHECK: gpu.return
func.func @counted(%p0: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %group = carousel.group "counted"(%p0) {
  ^bb0(%x: tensor<?x8xf32>):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %same = arith.addi %n, %c0 : index
    %rows = arith.index_cast %n : index to i32
    %count = arith.sitofp %rows : i32 to f32
    %e = tensor.empty(%same) : tensor<?x8xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %q = arith.divf %a, %count : f32
      linalg.yield %q : f32
    } -> tensor<?x8xf32>
    carousel.yield %y : tensor<?x8xf32>
  } : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %group : tensor<?x8xf32>
}

// All elements of a factor are one number.
// CHECK-LABEL: gpu.func @weights
// CHECK: vector.broadcast %{{.+}} : bf16 to vector<{{.+}}xbf16>
// CHECK: vector.contract
func.func @weights(%p0: tensor<64x32xbf16>) -> tensor<64x16xf32> {
  %group = carousel.group "weights"(%p0) {
  ^bb0(%x: tensor<64x32xbf16>):
    %two = arith.constant 2.0 : bf16
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32x16xbf16>
    %w = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<32x16xbf16>) {
    ^bb0(%o: bf16):
      linalg.yield %two : bf16
    } -> tensor<32x16xbf16>
    %r = tensor.empty() : tensor<64x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%r : tensor<64x16xf32>) -> tensor<64x16xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%z : tensor<64x16xf32>) {
    ^bb0(%a: bf16, %b: bf16, %s: f32):
      %p = arith.extf %a : bf16 to f32
      %q = arith.extf %b : bf16 to f32
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<64x16xf32>
    carousel.yield %y : tensor<64x16xf32>
  } : (tensor<64x32xbf16>) -> tensor<64x16xf32>
  return %group : tensor<64x16xf32>
}

// An element of a tensor that nothing wrote is some number.
// CHECK-LABEL: gpu.func @unwritten
// CHECK-NOT: memref.load
// CHECK-NOT: vector.gather
// CHECK: gpu.return
func.func @unwritten(%p0: index) -> tensor<?xf32> {
  %group = carousel.group "unwritten"(%p0) {
  ^bb0(%n: index):
    %e = tensor.empty(%n) : tensor<?xf32>
    %r = tensor.empty(%n) : tensor<?xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%r : tensor<?xf32>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %v = tensor.extract %e[%i] : tensor<?xf32>
      linalg.yield %v : f32
    } -> tensor<?xf32>
    carousel.yield %y : tensor<?xf32>
  } : (index) -> tensor<?xf32>
  return %group : tensor<?xf32>
}

// A factor that no op has written is zeros, and so is an image.
// CHECK-LABEL: gpu.func @empty_factor
// CHECK-SAME: (%[[W:.*]]: memref<32x16xf32, {{.*}}, %{{.*}}: memref<64x16xf32,
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[X:.*]] = vector.broadcast %[[ZERO]] : f32 to vector<[[FACTOR:.*]]>
// CHECK: %[[Y:.*]] = vector.transfer_read %[[W]]
// CHECK: vector.contract {{.*}} %[[X]], %[[Y]],
func.func @empty_factor(%p0: tensor<32x16xf32>, %p1: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %group = carousel.group "empty_factor"(%p0, %p1) {
  ^bb0(%w: tensor<32x16xf32>, %o: tensor<64x16xf32>):
    %x = tensor.empty() : tensor<64x32xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<64x32xf32>, tensor<32x16xf32>) outs(%o : tensor<64x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<64x16xf32>
    carousel.yield %y : tensor<64x16xf32>
  } : (tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %group : tensor<64x16xf32>
}

// CHECK-LABEL: gpu.func @empty_image
// CHECK-SAME: (%[[W:.*]]: memref<3x3x4x4xf32, {{.*}}, %{{.*}}: memref<2x4x4x4xf32,
// CHECK: %[[X:.*]] = arith.constant dense<0.000000e+00> : vector<32x8xf32>
// CHECK: %[[Y:.*]] = vector.transfer_read %[[W]]
// CHECK: vector.contract {{.*}} %[[X]], %[[Y]],
func.func @empty_image(%p0: tensor<3x3x4x4xf32>, %p1: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
  %group = carousel.group "empty_image"(%p0, %p1) {
  ^bb0(%w: tensor<3x3x4x4xf32>, %o: tensor<2x4x4x4xf32>):
    %x = tensor.empty() : tensor<2x6x6x4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(n, i, j, f, k, l, c) -> (n, i + k, j + l, c)>, affine_map<(n, i, j, f, k, l, c) -> (k, l, c, f)>, affine_map<(n, i, j, f, k, l, c) -> (n, i, j, f)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x, %w : tensor<2x6x6x4xf32>, tensor<3x3x4x4xf32>) outs(%o : tensor<2x4x4x4xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<2x4x4x4xf32>
    carousel.yield %y : tensor<2x4x4x4xf32>
  } : (tensor<3x3x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %group : tensor<2x4x4x4xf32>
}
