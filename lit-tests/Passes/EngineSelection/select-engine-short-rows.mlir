// Loads whose rows the launch knows: if a multiple of 16 bytes isn't among them, loads with other rows keep their engine, and
// these have cp.async by 4 bytes. Rows of any number of elements are loaded by threads.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!rows = memref<?x128xbf16, #gl>
!any = memref<?x?xbf16, #gl>
!wide = memref<?x?xf32, #gl>
!a = memref<64x128xbf16, #ws>
!b = memref<64x64xbf16, #ws>
!c = memref<64x64xf32, #ws>

gpu.module @short_rows {
  // CHECK-LABEL: gpu.func @narrow_tma(
  // CHECK-SAME: divisible({{.*}}, 8)
  // CHECK-COUNT-2: engine<tensor>
  // CHECK-LABEL: gpu.func @narrow_tma_short(
  // CHECK-SAME: divisible({{.*}}, 2)
  // CHECK: engine<tensor>
  // CHECK: engine<cp_async, width = 4>
  // CHECK-LABEL: gpu.func @narrow_tma_odd(
  // CHECK-NOT: divisible
  // CHECK: engine<tensor>
  // CHECK: engine<vector, width = 2>
  // CHECK-LABEL: gpu.func @narrow(
  // CHECK-NOT: divisible
  // CHECK: engine<vector, width = 2>
  gpu.func @narrow(%x: !rows, %y: !any, %i: index) workgroup(%s: !a, %t: !b) kernel {
    %c0 = arith.constant 0 : index
    carousel.load %x[%i, %c0] to %s : !rows, !a
    carousel.load %y[%i, %c0] to %t : !any, !b
    gpu.return
  }

  // Rows of f32 always are, and so there is no other variant.
  // CHECK-LABEL: gpu.func @wide_tma(
  // CHECK-LABEL: gpu.func @wide_tma_short(
  // CHECK-NOT: divisible
  // CHECK: engine<tensor>
  // CHECK: engine<cp_async, width = 4>
  // CHECK-NOT: gpu.func @wide_tma_odd
  // CHECK: gpu.func @wide(
  gpu.func @wide(%x: !rows, %y: !wide, %i: index) workgroup(%s: !a, %t: !c) kernel {
    %c0 = arith.constant 0 : index
    carousel.load %x[%i, %c0] to %s : !rows, !a
    carousel.load %y[%i, %c0] to %t : !wide, !c
    gpu.return
  }

  // No load would keep its engine.
  // CHECK-NOT: gpu.func @both_tma_{{short|odd}}
  // CHECK: gpu.func @both(
  gpu.func @both(%x: !any, %y: !any, %i: index) workgroup(%s: !b, %t: !b) kernel {
    %c0 = arith.constant 0 : index
    carousel.load %x[%i, %c0] to %s : !any, !b
    carousel.load %y[%i, %c0] to %t : !any, !b
    gpu.return
  }
}
