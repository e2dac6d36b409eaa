// Loads between views: the thread that starts a load ahead also computes its views.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!box = memref<1024xf32, strided<[1], offset: ?>, #gl>
!tile = memref<1024xf32, #ws>
!pair = memref<2x1024xf32, #ws>
!part = memref<1024xf32, strided<[1], offset: ?>, #ws>

gpu.module @views [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @box_of_iteration
  // CHECK-SAME: (%[[X:[^:]*]]:
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: carousel.ring.produce
  // CHECK: %[[BOX:.*]] = memref.subview %[[X]][%[[I]]]
  // CHECK: carousel.ring.load %[[BOX]]
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: %[[AHEAD:.*]] = arith.addi %[[I]],
  // CHECK: %[[BOX:.*]] = memref.subview %[[X]][%[[AHEAD]]]
  // CHECK: carousel.ring.load %[[BOX]]
  gpu.func @box_of_iteration(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed}}
    scf.for %i = %c0 to %n step %c1024 {
      %box = memref.subview %x[%i] [1024] [1] : !global to !box
      carousel.load %box[%c0] to %t engine<bulk> : !box, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // The view goes back as far as the offset goes on: all iterations have the same box.
  // CHECK-LABEL: gpu.func @box_that_stays
  // CHECK: carousel.ring.create release(cta_barrier) : <1>
  gpu.func @box_that_stays(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      %back = arith.subi %n, %i : index
      %rest = memref.subview %x[%back] [%i] [1] : !global to memref<?xf32, strided<[1], offset: ?>, #gl>
      // expected-remark @below {{not ringed: the loop stores to the same memref, and it isn't visible that each box is stored after it is loaded, and apart from those of other iterations}}
      carousel.load %rest[%i] to %t engine<bulk> : memref<?xf32, strided<[1], offset: ?>, #gl>, !tile
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %t to %rest[%i] engine<bulk> : !tile, memref<?xf32, strided<[1], offset: ?>, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // What memrefs the loop hands on are isn't followed: any of them may be written.
  // CHECK-LABEL: gpu.func @handed_on
  // CHECK: carousel.ring.create release(cta_barrier) : <1>
  gpu.func @handed_on(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    %r:2 = scf.for %i = %c0 to %n step %c1024 iter_args(%p = %x, %q = %y) -> (!global, !global) {
      // expected-remark @below {{not ringed: the loop writes the memref that is loaded from by 'memref.store'}}
      carousel.load %p[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %q[%i] : !global
      scf.yield %q, %p : !global, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Its number is computed in the loop, and the same in all iterations.
  // CHECK-LABEL: gpu.func @part_of_warp
  // CHECK: scf.for
  // CHECK: %[[WARP:.*]] = arith.divui
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile
  // CHECK: %[[PART:.*]] = memref.subview %[[SLOT]][%[[WARP]], 0]
  // CHECK: carousel.ring.load %{{.*}} to %[[PART]]
  // CHECK: scf.for
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile %{{.*}}[%[[USE:.*]]], 0
  // CHECK: %[[PART:.*]] = memref.subview %[[SLOT]]
  // CHECK: carousel.ring.load %{{.*}} to %[[PART]]
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile
  // CHECK: %[[PART:.*]] = memref.subview %[[SLOT]]
  // CHECK: carousel.ring.wait
  // CHECK: memref.load %[[PART]]
  gpu.func @part_of_warp(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !pair
    // expected-remark @below {{loads ringed}}
    scf.for %i = %c0 to %n step %c1024 {
      %warp = arith.divui %thread, %c32 : index
      %part = memref.subview %t[%warp, 0] [1, 1024] [1, 1] : !pair to !part
      carousel.load %x[%i] to %part scope(warp) engine<bulk> : !global, !part
      %v = memref.load %part[%c0] : !part
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, scope = warp>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @part_of_iteration
  // CHECK: carousel.ring.create release(cta_barrier) : <1>
  gpu.func @part_of_iteration(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : !pair
    scf.for %i = %c0 to %n step %c1024 {
      %number = arith.divui %i, %c1024 : index
      %turn = arith.remui %number, %c2 : index
      %part = memref.subview %t[%turn, 0] [1, 1024] [1, 1] : !pair to !part
      // expected-remark @below {{not ringed: it isn't visible that its tile is the same part of its buffer in all iterations}}
      carousel.load %x[%i] to %part engine<bulk> : !global, !part
      %v = memref.load %part[%c0] : !part
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // The last use's slot has nothing of what threads have written to the other part.
  // CHECK-LABEL: gpu.func @other_part
  // CHECK: carousel.ring.create release(cta_barrier) : <1>
  gpu.func @other_part(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !pair
    memref.store %zero, %t[%c1, %thread] : !pair
    %part = memref.subview %t[%c0, 0] [1, 1024] [1, 1] : !pair to !part
    scf.for %i = %c0 to %n step %c1024 {
      // expected-remark @below {{not ringed: other parts of its buffer are accessed outside of the loop by 'memref.load'}}
      carousel.load %x[%i] to %part engine<bulk> : !global, !part
      %v = memref.load %part[%c0] : !part
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %w = memref.load %t[%c1, %thread] : !pair
    memref.store %w, %y[%thread] : !global
    gpu.return
  }

  // The next iteration looks at this one's tile by another name.
  // CHECK-LABEL: gpu.func @tile_handed_on
  // CHECK: carousel.ring.create release(cta_barrier) : <1>
  gpu.func @tile_handed_on(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    %first = memref.alloc() : !tile
    memref.store %zero, %first[%thread] : !tile
    %r = scf.for %i = %c0 to %n step %c1024 iter_args(%before = %first) -> !tile {
      %v = memref.load %before[%thread] : !tile
      memref.store %v, %y[%i] : !global
      gpu.barrier
      // expected-remark @below {{not ringed: its tile is passed to where it can't be followed}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      scf.yield %t : !tile
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Producers make views of their own.
  // CHECK-LABEL: gpu.func @roles
  // CHECK-SAME: (%[[X:[^:]*]]: {{.*}}, %[[A:[^:]*]]: index, %
  // CHECK: carousel.ring.roles producer
  // CHECK: %[[WHICH:.*]] = arith.remui %[[A]],
  // CHECK: %[[REST:.*]] = memref.subview %[[X]][%[[A]]]
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: carousel.ring.produce
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile
  // CHECK: %[[PART:.*]] = memref.subview %[[SLOT]][%[[WHICH]], 0]
  // CHECK: carousel.ring.load %[[REST]][%[[I]]] to %[[PART]]
  // CHECK: consumer
  // CHECK: memref.load
  // CHECK-NOT: carousel.ring.load
  // CHECK: gpu.return
  gpu.func @roles(%x: !global, %y: !global, %a: index, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : !pair
    %which = arith.remui %a, %c2 : index
    %part = memref.subview %t[%which, 0] [1, 1024] [1, 1] : !pair to !part
    %rest = memref.subview %x[%a] [%n] [1] : !global to memref<?xf32, strided<[1], offset: ?>, #gl>
    // expected-remark @below {{loads ringed}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %rest[%i] to %part engine<bulk> : memref<?xf32, strided<[1], offset: ?>, #gl>, !part
      %v = memref.load %part[%c0] : !part
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @roles_and_box_of_iteration
  // CHECK-SAME: (%[[X:[^:]*]]:
  // CHECK: carousel.ring.roles producer
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: carousel.ring.produce
  // CHECK: %[[BOX:.*]] = memref.subview %[[X]][%[[I]]]
  // CHECK: carousel.ring.load %[[BOX]]
  gpu.func @roles_and_box_of_iteration(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed}}
    scf.for %i = %c0 to %n step %c1024 {
      %box = memref.subview %x[%i] [1024] [1] : !global to !box
      carousel.load %box[%c0] to %t engine<bulk> : !box, !tile
      %v = memref.load %t[%c0] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }

  // What the loop doesn't use isn't made in it: its offset is known behind it only.
  // CHECK-LABEL: gpu.func @view_behind
  // CHECK: %[[RING:.*]] = carousel.ring.create
  // CHECK: %[[LOOP:.*]]:2 = scf.for %{{.*}} iter_args
  // CHECK-NOT: memref.subview
  // CHECK: carousel.ring.release
  // CHECK: scf.yield
  // CHECK: %[[LAST:.*]] = carousel.ring.tile %[[RING]]
  // CHECK: %[[VIEW:.*]] = memref.subview %[[LAST]][%[[LOOP]]#0]
  // CHECK: memref.load %[[VIEW]]
  gpu.func @view_behind(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed}}
    %count = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> index {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 0>}
    %view = memref.subview %t[%count] [128] [1] : !tile to memref<128xf32, strided<[1], offset: ?>, #ws>
    %v = memref.load %view[%c0] : memref<128xf32, strided<[1], offset: ?>, #ws>
    memref.store %v, %y[%c0] : !global
    gpu.return
  }

  // CHECK-LABEL: gpu.func @view_in_other_loop
  // CHECK: %[[RING:.*]] = carousel.ring.create
  // CHECK: scf.for
  // CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: %[[LAST:.*]] = carousel.ring.tile %[[RING]]
  // CHECK: memref.subview %[[LAST]][%[[J]]]
  gpu.func @view_in_other_loop(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 0>}
    scf.for %j = %c0 to %c8 step %c1 {
      %view = memref.subview %t[%j] [128] [1] : !tile to memref<128xf32, strided<[1], offset: ?>, #ws>
      %v = memref.load %view[%c0] : memref<128xf32, strided<[1], offset: ?>, #ws>
      memref.store %v, %y[%j] : !global
    }
    gpu.return
  }

  // One tile of the first loop's ring is accessed outside, the other one is a tile of the second loop, which has its own slots.
  // CHECK-LABEL: gpu.func @tile_of_two_loops
  // CHECK-SAME: (%[[X:[^:]*]]:
  // CHECK: %[[SECOND:.*]] = carousel.ring.create : <3 x memref<2x1024xf32
  // CHECK: %[[FIRST:.*]] = carousel.ring.create : <3 x memref<2x1024xf32, {{.*}}>, memref<2x1024xf32
  // CHECK: memref.store
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[FIRST]]
  // CHECK: carousel.ring.wait %[[FIRST]]
  // CHECK: carousel.ring.release %[[FIRST]]
  // CHECK-NOT: %[[FIRST]][
  // CHECK: carousel.ring.produce %[[SECOND]]
  // CHECK: carousel.ring.wait %[[SECOND]]
  gpu.func @tile_of_two_loops(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %a = memref.alloc() : !pair
    %b = memref.alloc() : !pair
    %ta = memref.subview %a[0, 0] [1, 1024] [1, 1] : !pair to memref<1024xf32, strided<[1]>, #ws>
    %tb = memref.subview %b[0, 0] [1, 1024] [1, 1] : !pair to memref<1024xf32, strided<[1]>, #ws>
    memref.store %zero, %ta[%thread] : memref<1024xf32, strided<[1]>, #ws>
    // expected-remark @below {{loads ringed: 2}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %tb engine<bulk> : !global, memref<1024xf32, strided<[1]>, #ws>
      carousel.load %x[%i] to %ta engine<bulk> : !global, memref<1024xf32, strided<[1]>, #ws>
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 0>}
    // expected-remark @below {{loads ringed: 1}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %tb engine<bulk> : !global, memref<1024xf32, strided<[1]>, #ws>
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 0>}
    gpu.return
  }
}
