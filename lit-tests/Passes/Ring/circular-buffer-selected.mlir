// --carousel-select-engine sets the alignment of attributions up to the buffer that needs it. Later
// ones have no attributes, and stay.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine,carousel-circular-buffer))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @declared [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @kernel_tma
  // CHECK-SAME: workgroup(%[[KEPT:[^ ]*]] : memref<8xf32, {{[^>]*>}}>, %[[OTHER:[^ ]*]] : memref<16xf32, {{[^>]*>}}>) kernel
  // CHECK: memref.store %{{.*}}, %[[KEPT]]
  // CHECK: memref.store %{{.*}}, %[[OTHER]]
  gpu.func @kernel(%x: !global {carousel.argument = #carousel.argument<"x", in>}, %n: index)
      workgroup(%t : !tile, %kept : memref<8xf32, #ws>, %other : memref<16xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %kept[%c0] : memref<8xf32, #ws>
      memref.store %v, %other[%c0] : memref<16xf32, #ws>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
