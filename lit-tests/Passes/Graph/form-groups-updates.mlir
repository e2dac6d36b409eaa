// Ops that change some rows of a donated argument compute in place: it is their init, those that change the same rows are one, and
// a kernel goes along these rows. Without a donation, and where rows depend on what a vector has several of, all elements are computed.
// RUN: carousel-opt %s --carousel-form-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups | FileCheck %s --check-prefix=KERNEL

#all = affine_map<(h, j, d) -> (h, j, d)>
#head = affine_map<(h, j, d) -> (h)>
#key = affine_map<(h, j, d) -> (j)>
#column = affine_map<(h, j, d) -> (d)>

// A row of each head, at a number of its own.
// CHECK-LABEL: func.func @rows(
// CHECK: carousel.group "rows_0"
// CHECK: linalg.generic {{.*}} ins(%[[P:.+]] : tensor<8xi32>) outs(%{{.+}}, %{{.+}} : tensor<8x100x64xbf16>, tensor<8x100x64xbf16>)
// CHECK-NOT: carousel.group
// CHECK: return
// KERNEL-LABEL: func.func @rows(
// KERNEL: linalg.copy
// KERNEL: linalg.copy
// KERNEL: carousel.launch_kernel @kernels::@rows_0
// KERNEL-NOT: carousel.launch_kernel
// KERNEL: return
func.func @rows(%k: tensor<8x100x64xbf16> {tf.aliasing_output = 0 : i32}, %v: tensor<8x100x64xbf16> {tf.aliasing_output = 1 : i32},
                %x: tensor<8x64xbf16>, %y: tensor<8x64xbf16>, %p: tensor<8xi32>) -> (tensor<8x100x64xbf16>, tensor<8x100x64xbf16>) {
  %e = tensor.empty() : tensor<8x100x64xbf16>
  %0 = linalg.generic {indexing_maps = [#head, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %k : tensor<8xi32>, tensor<8x100x64xbf16>) outs(%e : tensor<8x100x64xbf16>) {
  ^bb0(%own: i32, %a: bf16, %o: bf16):
    %h = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = linalg.index 2 : index
    %at = arith.index_cast %own : i32 to index
    %is = arith.cmpi eq, %j, %at : index
    %r = scf.if %is -> (bf16) {
      %new = tensor.extract %x[%h, %d] : tensor<8x64xbf16>
      scf.yield %new : bf16
    } else {
      scf.yield %a : bf16
    }
    linalg.yield %r : bf16
  } -> tensor<8x100x64xbf16>
  %1 = linalg.generic {indexing_maps = [#head, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %v : tensor<8xi32>, tensor<8x100x64xbf16>) outs(%e : tensor<8x100x64xbf16>) {
  ^bb0(%own: i32, %a: bf16, %o: bf16):
    %h = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = linalg.index 2 : index
    %at = arith.index_cast %own : i32 to index
    %is = arith.cmpi eq, %j, %at : index
    %r = scf.if %is -> (bf16) {
      %new = tensor.extract %y[%h, %d] : tensor<8x64xbf16>
      scf.yield %new : bf16
    } else {
      scf.yield %a : bf16
    }
    linalg.yield %r : bf16
  } -> tensor<8x100x64xbf16>
  return %0, %1 : tensor<8x100x64xbf16>, tensor<8x100x64xbf16>
}

// Four rows from a number on, whose difference doesn't wrap where it is one of four.
// KERNEL-LABEL: func.func @several(
// KERNEL: linalg.copy
// KERNEL: carousel.launch_kernel @kernels::@several_0
func.func @several(%k: tensor<8x100x64xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4x64xf32>, %p: tensor<i32>) -> tensor<8x100x64xf32> {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8x100x64xf32>
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<8x100x64xf32>) outs(%e : tensor<8x100x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = linalg.index 2 : index
    %own = tensor.extract %p[] : tensor<i32>
    %at = arith.index_cast %own : i32 to index
    %i = arith.subi %j, %at : index
    %is = arith.cmpi ult, %i, %c4 : index
    %r = scf.if %is -> (f32) {
      %new = tensor.extract %x[%h, %i, %d] : tensor<8x4x64xf32>
      scf.yield %new : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %r : f32
  } -> tensor<8x100x64xf32>
  return %0 : tensor<8x100x64xf32>
}

// KERNEL-LABEL: func.func @kept(
// KERNEL-NOT: linalg.copy
// KERNEL: carousel.launch_kernel @kernels::@kept_0
func.func @kept(%k: tensor<8x100x64xf32>, %x: tensor<8x64xf32>, %p: tensor<8xi32>) -> tensor<8x100x64xf32> {
  %e = tensor.empty() : tensor<8x100x64xf32>
  %0 = linalg.generic {indexing_maps = [#head, #all, affine_map<(h, j, d) -> (h, d)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %k, %x : tensor<8xi32>, tensor<8x100x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x100x64xf32>) {
  ^bb0(%own: i32, %a: f32, %new: f32, %o: f32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %own : i32 to index
    %is = arith.cmpi eq, %j, %at : index
    %r = arith.select %is, %new, %a : f32
    linalg.yield %r : f32
  } -> tensor<8x100x64xf32>
  return %0 : tensor<8x100x64xf32>
}

// A number of each row, or of each column.
// KERNEL-LABEL: func.func @others(
// KERNEL-NOT: linalg.copy
// KERNEL: return
func.func @others(%k: tensor<8x100x64xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<8x100x64xf32> {tf.aliasing_output = 1 : i32},
                  %p: tensor<100xi32>, %q: tensor<64xi32>) -> (tensor<8x100x64xf32>, tensor<8x100x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x100x64xf32>
  %0 = linalg.generic {indexing_maps = [#key, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %k : tensor<100xi32>, tensor<8x100x64xf32>) outs(%e : tensor<8x100x64xf32>) {
  ^bb0(%own: i32, %a: f32, %o: f32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %own : i32 to index
    %is = arith.cmpi eq, %j, %at : index
    %r = arith.select %is, %zero, %a : f32
    linalg.yield %r : f32
  } -> tensor<8x100x64xf32>
  %1 = linalg.generic {indexing_maps = [#column, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %v : tensor<64xi32>, tensor<8x100x64xf32>) outs(%e : tensor<8x100x64xf32>) {
  ^bb0(%own: i32, %a: f32, %o: f32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %own : i32 to index
    %is = arith.cmpi eq, %j, %at : index
    %r = arith.select %is, %zero, %a : f32
    linalg.yield %r : f32
  } -> tensor<8x100x64xf32>
  return %0, %1 : tensor<8x100x64xf32>, tensor<8x100x64xf32>
}

// KERNEL-LABEL: gpu.func @rows_0(
// KERNEL-SAME: %[[P:arg[0-9]+]]: memref<8xi32,
// KERNEL-SAME: %[[K:arg[0-9]+]]: memref<8x100x64xbf16, {{[^%]*}}<"result0">}, %{{arg[0-9]+}}: memref<8x100x64xbf16, {{[^%]*}}<"result1">})
// KERNEL: %[[HEAD:.+]] = gpu.block_id x
// KERNEL: memref.load %[[P]][%[[HEAD]]]
// KERNEL: scf.for %[[J:.+]] =
// KERNEL: vector.transfer_read %[[K]][%[[HEAD]], %[[J]], %{{.+}}]
// KERNEL: vector.transfer_write %{{.+}}, %[[K]][%[[HEAD]], %[[J]], %{{.+}}]
