// Buffers that a kernel declares are removed if rings replace them; the others keep their attributes.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @declared [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @some
  // CHECK-SAME: workgroup(%[[KEPT:[^ ]*]] : memref<8xf32, {{[^>]*>}}> {llvm.align = 64 : i64})
  // CHECK-SAME: private(%[[OWN:[^ ]*]] : memref<4xf32
  // CHECK-NOT: memref<1024xf32{{.*}}> {llvm.align
  // CHECK: memref.store %{{.*}}, %[[KEPT]]
  // CHECK: memref.store %{{.*}}, %[[OWN]]
  gpu.func @some(%x: !global, %y: !global, %n: index)
      workgroup(%t : !tile {llvm.align = 128 : i64}, %kept : memref<8xf32, #ws> {llvm.align = 64 : i64})
      private(%own : memref<4xf32, #gpu.address_space<private>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %kept[%c0] : memref<8xf32, #ws>
      memref.store %v, %own[%c0] : memref<4xf32, #gpu.address_space<private>>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %w = memref.load %kept[%c0] : memref<8xf32, #ws>
    %u = memref.load %own[%c0] : memref<4xf32, #gpu.address_space<private>>
    %sum = arith.addf %w, %u : f32
    memref.store %sum, %y[%c0] : !global
    gpu.return
  }

  // CHECK-LABEL: gpu.func @all
  // CHECK-NOT: workgroup(
  // CHECK: carousel.ring.create
  gpu.func @all(%x: !global, %y: !global, %n: index) workgroup(%t : !tile) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
