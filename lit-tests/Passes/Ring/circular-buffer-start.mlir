// The first loads of a loop start before the wait of a load that precedes the loop, unless something in between forbids it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @start [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @early
  // CHECK: carousel.ring.produce %[[LOOSE:.*]][%{{.*}}] :
  // CHECK: carousel.ring.produce %[[RING:.*]][%{{.*}}] ahead(2)
  // CHECK: carousel.ring.wait %[[LOOSE]]
  // CHECK: memref.load
  // CHECK: scf.for
  gpu.func @early(%x: !global, %b: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %once = memref.alloc() : !tile
    %in = memref.alloc() : !tile
    carousel.load %b[%c0] to %once engine<bulk> : !global, !tile
    %w = memref.load %once[%thread] : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
      %s = arith.addf %v, %w : f32
      memref.store %s, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // What is loaded is written in between.
  // CHECK-LABEL: gpu.func @written
  // CHECK: carousel.ring.produce %[[LOOSE:.*]][%{{.*}}] :
  // CHECK-NOT: ahead(2)
  // CHECK: carousel.ring.wait %[[LOOSE]]
  // CHECK-NOT: ahead(2)
  // CHECK: memref.store
  // CHECK: carousel.ring.produce %{{.*}} ahead(2)
  gpu.func @written(%x: !global, %b: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %once = memref.alloc() : !tile
    %in = memref.alloc() : !tile
    carousel.load %b[%c0] to %once engine<bulk> : !global, !tile
    %w = memref.load %once[%thread] : !tile
    memref.store %w, %x[%thread] : !global
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The loop's bounds are loaded.
  // CHECK-LABEL: gpu.func @bounds
  // CHECK: carousel.ring.produce %[[LOOSE:.*]][%{{.*}}] :
  // CHECK-NOT: ahead(2)
  // CHECK: carousel.ring.wait %[[LOOSE]]
  // CHECK-NOT: ahead(2)
  // CHECK: memref.load
  // CHECK: carousel.ring.produce %{{.*}} ahead(2)
  gpu.func @bounds(%x: !global, %b: memref<?xi32, #gl>, %y: !global) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %once = memref.alloc() : memref<1024xi32, #ws>
    %in = memref.alloc() : !tile
    carousel.load %b[%c0] to %once engine<bulk> : memref<?xi32, #gl>, memref<1024xi32, #ws>
    %w = memref.load %once[%c0] : memref<1024xi32, #ws>
    %n = arith.index_cast %w : i32 to index
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // After the fence the loads see what other CTAs have written.
  // CHECK-LABEL: gpu.func @acquires
  // CHECK-NOT: ahead(2)
  // CHECK: carousel.fence.thread acquire gpu
  // CHECK: carousel.ring.produce %{{.*}} ahead(2)
  gpu.func @acquires(%x: !global, %b: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %once = memref.alloc() : !tile
    %in = memref.alloc() : !tile
    carousel.load %b[%c0] to %once engine<bulk> : !global, !tile
    %w = memref.load %once[%thread] : !tile
    carousel.fence.thread acquire gpu
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
      %s = arith.addf %v, %w : f32
      memref.store %s, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // So do those of a loop in another one, and in the other one's epilogue.
  // CHECK-LABEL: gpu.func @peeled
  // CHECK: carousel.ring.wait %[[LOOSE:.*]][%{{.*}}] : <1>
  // CHECK-COUNT-2: scf.for
  // CHECK: carousel.ring.wait %[[LOOSE]]
  // CHECK: scf.for
  // CHECK: scf.for %{{.*}} = %{{.*}}#{{.*}} to
  // CHECK-NEXT: carousel.ring.tile
  // CHECK-NEXT: carousel.ring.produce %[[LOOSE]]
  // CHECK: scf.for
  // CHECK: ahead(2)
  // CHECK: carousel.ring.wait %[[LOOSE]]
  gpu.func @peeled(%x: !global, %b: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %once = memref.alloc() : !tile
    %outer = memref.alloc() : !tile
    %inner = memref.alloc() : !tile
    carousel.load %b[%c0] to %once engine<bulk> : !global, !tile
    %first = memref.load %once[%thread] : !tile
    memref.store %first, %y[%c0] : !global
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %b[%i] to %once engine<bulk> : !global, !tile
      carousel.load %x[%i] to %outer engine<bulk> : !global, !tile
      %w = memref.load %once[%thread] : !tile
      memref.store %w, %y[%i] : !global
      scf.for %j = %c0 to %n step %c1024 {
        carousel.load %x[%j] to %inner engine<bulk> : !global, !tile
        %v = memref.load %inner[%thread] : !tile
        memref.store %v, %y[%j] : !global
      } {carousel.pipeline = #carousel.pipeline<stages = 4>}
      %o = memref.load %outer[%thread] : !tile
      memref.store %o, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 2, epilogue = peeled>}
    gpu.return
  }
}
