// With roles, thread ids and extents stay those of the block for which the kernel is written.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @roles [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // The grid's threads are numbered without the producers, of whom all compute what the first thread would.
  // CHECK-LABEL: gpu.func @global_id
  // CHECK-SAME: known_block_size = array<i32: 160, 1, 1>
  // CHECK: carousel.ring.roles producer threads(32) {
  // CHECK-NOT: gpu.global_id
  // CHECK: %[[CTA:.*]] = gpu.block_id x
  // CHECK: %[[FIRST:.*]] = arith.muli %[[CTA]], %c128
  // CHECK-NOT: gpu.thread_id
  // CHECK: arith.divui %[[FIRST]], %c128
  // CHECK: } consumer threads(128) {
  // CHECK-NOT: gpu.global_id
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: %[[CTA:.*]] = gpu.block_id x
  // CHECK: %[[FIRST:.*]] = arith.muli %[[CTA]], %c128
  // CHECK: %[[ID:.*]] = arith.addi %[[FIRST]], %[[THREAD]]
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[ID]]]
  gpu.func @global_id(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %id = gpu.global_id x
    %cta = arith.divui %id, %c128 : index
    %t = memref.alloc() : !tile
    scf.for %i = %cta to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%id] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    gpu.return
  }

  // Blocks end at 64 in z: all threads stay what they are.
  // CHECK-LABEL: gpu.func @deep
  // CHECK-SAME: known_block_size = array<i32: 1, 1, 64>
  // CHECK-NOT: carousel.ring.roles
  // CHECK: carousel.ring.produce
  gpu.func @deep(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 1, 1, 64>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id z
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @shallow
  // CHECK-SAME: known_block_size = array<i32: 2, 1, 64>
  // CHECK: carousel.ring.roles producer threads(64)
  gpu.func @shallow(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 2, 1, 32>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id z
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized, producers = 2>}
    gpu.return
  }
}
