// A pipelined loop gets a prologue, loads ahead, a wait before the first use, and a release after the last one.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @rings [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @reader
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[RING:.*]] = carousel.ring.create : <4 x memref<1024xf32, {{.*}}>>
  // At most two uses ahead of the loop, whatever the trip count.
  // CHECK: %[[END:.*]] = arith.minsi
  // CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[END]] step %{{.*}} iter_args(%[[K:.*]] = %[[C0]])
  // CHECK: carousel.ring.produce %[[RING]][%[[K]]]
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile %[[RING]][%[[K]]], 0
  // CHECK: carousel.ring.load %{{.*}}[%[[I]]] to %[[SLOT]] engine<bulk>
  // CHECK: %[[STEADY:.*]] = arith.subi %{{.*}}, %c2048
  // CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[N:.*]] step %[[STEP:.*]] iter_args(%[[K:.*]] = %[[C0]])
  // CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[I]], %[[STEADY]]
  // CHECK: scf.if %[[THERE]]
  // CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %{{.*}} : index
  // CHECK: %[[USE:.*]] = arith.addi %[[K]], %c2
  // CHECK: carousel.ring.produce %[[RING]][%[[USE]]]
  // CHECK: carousel.ring.load %{{.*}}[%[[AHEAD]]]
  // CHECK: %[[TILE:.*]] = carousel.ring.tile %[[RING]][%[[K]]], 0
  // CHECK: arith.muli
  // CHECK-NEXT: carousel.ring.wait %[[RING]][%[[K]]]
  // CHECK-NEXT: memref.load %[[TILE]]
  // CHECK-NEXT: carousel.ring.release %[[RING]][%[[K]]]
  // CHECK: memref.store
  // CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c1
  // CHECK: scf.yield %[[NEXT]]
  // DOC-EXAMPLE: --carousel-circular-buffer
  gpu.func @reader(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %double = arith.muli %i, %n : index
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%double] : !global
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 4, prefetch = 2>}
    gpu.return
  }

  // A store gets slots of its own where each iteration writes the whole tile; its barrier releases the load's slot.
  // CHECK-LABEL: gpu.func @writer
  // CHECK-DAG: %[[OUT:.*]] = carousel.ring.create : <2 x
  // CHECK-DAG: %[[IN:.*]] = carousel.ring.create release(cta_barrier) : <3 x
  // CHECK: scf.for
  // CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}}) -> (index, index)
  // CHECK: carousel.ring.wait %[[IN]][%[[K]]]
  // CHECK: carousel.ring.release %[[IN]][%[[K]]]
  // CHECK-NEXT: carousel.ring.wait_stores read 0
  // CHECK-NEXT: carousel.ring.sync
  // CHECK-NEXT: carousel.ring.submit {
  // CHECK-NEXT: carousel.ring.store
  gpu.func @writer(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      scf.for %j = %thread to %c1024 step %c128 {
        %v = memref.load %in[%j] : !tile
        memref.store %v, %out[%j] : !tile
      }
      carousel.store %out to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 3>}
    gpu.return
  }

  // Where some elements stay from earlier iterations, the tile remains one buffer.
  // CHECK-LABEL: gpu.func @partial
  // CHECK-NOT: carousel.ring.create : <2 x
  // CHECK: %[[OUT:.*]] = memref.alloc()
  // CHECK: carousel.ring.submit {
  // CHECK-NEXT: carousel.ring.store %[[OUT]]
  gpu.func @partial(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
      memref.store %v, %out[%thread] : !tile
      carousel.store %out to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 3>}
    gpu.return
  }

  // In place: the slot is filled again when the store has read it, by the thread that issued that.
  // CHECK-LABEL: gpu.func @in_place
  // CHECK: %[[RING:.*]] = carousel.ring.create release(cta_barrier) : <4 x
  // CHECK: carousel.ring.wait_stores read 2
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: carousel.ring.wait_stores read 1
  // CHECK: carousel.ring.produce
  // CHECK: carousel.ring.wait %[[RING]][%[[K:.*]]] :
  // CHECK-NEXT: carousel.ring.sync
  // CHECK-NEXT: carousel.ring.release %[[RING]][%[[K]]]
  // CHECK-NEXT: carousel.ring.submit
  gpu.func @in_place(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      carousel.store %t to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 4>}
    gpu.return
  }

  // The running index goes on in the next execution of the loop.
  // CHECK-LABEL: gpu.func @nested
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %[[C0]]) -> (index)
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OUTER]])
  // CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[OUTER]])
  // CHECK: scf.yield %[[LAST]] : index
  gpu.func @nested(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %o = %c0 to %n step %c1 {
      scf.for %i = %c0 to %n step %c1024 {
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
        %v = memref.load %t[%thread] : !tile
        memref.store %v, %y[%i] : !global
      } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 2>}
    }
    gpu.return
  }

  // ... and through branches.
  // CHECK-LABEL: gpu.func @branch
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %[[C0]]) -> (index)
  // CHECK: %[[AFTER:.*]] = scf.if %{{.*}} -> (index)
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[OUTER]] : index
  // CHECK: scf.yield %[[AFTER]] : index
  gpu.func @branch(%x: !global, %y: !global, %n: index, %more: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %o = %c0 to %n step %c1 {
      scf.if %more {
        scf.for %i = %c0 to %n step %c1024 {
          carousel.load %x[%i] to %t engine<bulk> : !global, !tile
          %v = memref.load %t[%thread] : !tile
          memref.store %v, %y[%i] : !global
        } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 2>}
      }
    }
    gpu.return
  }

  // A load under a condition: the use is made in any case, the load where the condition will hold.
  // CHECK-LABEL: gpu.func @conditional
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: carousel.ring.produce
  // CHECK: %[[ODD:.*]] = arith.cmpi
  // CHECK: scf.if %[[ODD]]
  // CHECK: carousel.ring.load
  // CHECK: carousel.ring.wait
  // CHECK-NEXT: scf.if
  // CHECK: carousel.ring.release
  gpu.func @conditional(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      %odd = arith.cmpi sgt, %i, %c1024 : index
      scf.if %odd {
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
        %v = memref.load %t[%thread] : !tile
        memref.store %v, %y[%i] : !global
      }
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 2>}
    gpu.return
  }

  // After the loop its last tile is in the slot before the next use's.
  // CHECK-LABEL: gpu.func @after
  // CHECK: %[[RING:.*]] = carousel.ring.create
  // CHECK: carousel.ring.sync
  // CHECK: scf.for
  // CHECK: %[[END:.*]] = scf.for
  // CHECK: %[[LAST:.*]] = arith.addi %[[END]], %c2
  // CHECK: %[[TILE:.*]] = carousel.ring.tile %[[RING]][%[[LAST]]], 0
  // CHECK: memref.load %[[TILE]]
  gpu.func @after(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 3>}
    %v = memref.load %t[%thread] : !tile
    memref.store %v, %y[%c0] : !global
    gpu.return
  }

  // Warps with rings of their own: each part of a slot belongs to a warp.
  // CHECK-LABEL: gpu.func @warps
  // CHECK: carousel.ring.create scope(warp) release(warp_barrier) : <2 x memref<4x256xf32
  // CHECK: carousel.ring.produce
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile
  // CHECK: %[[PART:.*]] = memref.subview %[[SLOT]][%[[WARP:.*]], 0]
  // CHECK: carousel.ring.load %{{.*}} to %{{.*}} scope(warp)
  gpu.func @warps(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %all = memref.alloc() : memref<4x256xf32, #ws>
    %t = memref.subview %all[%warp, 0] [1, 256] [1, 1]
        : memref<4x256xf32, #ws> to memref<256xf32, strided<[1], offset: ?>, #ws>
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %t scope(warp) engine<cp_async, width = 4>
          : !global, memref<256xf32, strided<[1], offset: ?>, #ws>
      %v = memref.load %t[%lane] : memref<256xf32, strided<[1], offset: ?>, #ws>
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 2, scope = warp>}
    gpu.return
  }

  // Two roles: the producers' control flow, and everything else; barriers of the CTA are barriers of the role.
  // CHECK-LABEL: gpu.func @roles
  // CHECK-SAME: known_block_size = array<i32: 160, 1, 1>
  // CHECK: %[[RING:.*]] = carousel.ring.create : <4 x
  // CHECK: carousel.ring.roles producer threads(32) {
  // CHECK: scf.for {{.*}} iter_args(%[[K:.*]] =
  // CHECK-NEXT: carousel.ring.produce %[[RING]][%[[K]]]
  // CHECK-NOT: memref.load
  // CHECK: } consumer threads(128) {
  // CHECK-NOT: carousel.ring.produce
  // CHECK: carousel.ring.wait %[[RING]]
  // CHECK: carousel.ring.sync
  // CHECK-NOT: gpu.barrier
  // CHECK: carousel.ring.release %[[RING]]
  gpu.func @roles(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      gpu.barrier
      %w = memref.load %t[%c0] : !tile
      %sum = arith.addf %v, %w : f32
      memref.store %sum, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<epilogue = predicated, stages = 4, mode = specialized>}
    gpu.return
  }

  // Outside of pipelines: a ring of one use at a time, without tiles.
  // CHECK-LABEL: gpu.func @loose
  // CHECK: %[[RING:.*]] = carousel.ring.create release(cta_barrier) : <1>
  // CHECK: %[[TILE:.*]] = memref.alloc()
  // CHECK: carousel.ring.produce %[[RING]][%c0]
  // CHECK-NEXT: carousel.ring.load %{{.*}} to %[[TILE]]
  // CHECK: carousel.ring.wait %[[RING]][%c0]
  // CHECK: carousel.ring.produce %[[RING]][%c1]
  // CHECK: carousel.ring.wait %[[RING]][%c1]
  // CHECK: carousel.ring.submit
  gpu.func @loose(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    carousel.load %x[%c0] to %t engine<bulk> : !global, !tile
    carousel.load %x[%c1024] to %t engine<bulk> : !global, !tile
    carousel.store %t to %y[%c0] engine<bulk> : !tile, !global
    gpu.return
  }
}
