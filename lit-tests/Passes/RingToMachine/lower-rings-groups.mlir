// With cp-async-groups a ring that is loaded ahead by the threads that use it is without mbarriers: a group a use, and a
// wait that leaves as many pending as uses are ahead. Groups are committed whether or not there is something to load.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings{cp-async-groups}))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>
!ring = !carousel.ring<4 x memref<128xf32, #ws>>

gpu.module @groups [#nvvm.target<chip = "sm_80", features = "+ptx70">] {
  // CHECK-LABEL: gpu.func @ahead
  // CHECK-NOT: mbarrier
  // Before the loop: its first wait counts on three groups behind that of the first use.
  // CHECK: carousel.cp_async.copy
  // CHECK: carousel.cp_async.commit_group
  // CHECK: carousel.cp_async.commit_group
  // CHECK-NEXT: carousel.cp_async.commit_group
  // CHECK-NEXT: scf.for
  // CHECK: scf.if
  // CHECK: carousel.cp_async.copy
  // CHECK: }
  // CHECK-NEXT: carousel.cp_async.commit_group
  // CHECK-NEXT: carousel.cp_async.wait_group 3
  // CHECK-NEXT: gpu.barrier
  // CHECK: memref.load
  // CHECK: gpu.barrier
  // A loop that only uses what is under way waits for all of it.
  // CHECK: scf.for
  // CHECK: carousel.cp_async.wait_group 0
  // CHECK-NEXT: gpu.barrier
  // CHECK-NOT: mbarrier
  // CHECK: gpu.return
  gpu.func @ahead(%x: !vector, %y: !vector, %i: index, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %thread = gpu.thread_id x
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%c0] : !ring {
      %t = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %t in_bounds engine<cp_async, width = 4> : !vector, !tile
    }
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %ahead = arith.addi %k, %c3 : index
      %more = arith.cmpi ult, %ahead, %n : index
      scf.if %more {
        carousel.ring.produce %ring[%ahead] : !ring {
          %t = carousel.ring.tile %ring[%ahead], 0 : !ring -> !tile
          carousel.ring.load %x[%j] to %t in_bounds engine<cp_async, width = 4> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      %v = memref.load %t[%thread] : !tile
      carousel.ring.release %ring[%k] : !ring
      memref.store %v, %y[%thread] : !vector
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %j = %c0 to %c3 step %c1 iter_args(%k = %last) -> (index) {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }

  // A ring that isn't loaded ahead keeps its mbarriers.
  // CHECK-LABEL: gpu.func @not_ahead
  // CHECK: carousel.cp_async.mbarrier_arrive
  // CHECK: carousel.mbarrier.wait
  // DOC-EXAMPLE: --carousel-lower-rings
  gpu.func @not_ahead(%x: !vector, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%c0] : !ring {
      %t = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %t in_bounds engine<cp_async, width = 4> : !vector, !tile
    }
    carousel.ring.wait %ring[%c0] : !ring
    gpu.return
  }

  // In a role: a wait that is a barrier would have the whole block come to it.
  // CHECK-LABEL: gpu.func @in_a_role
  // CHECK-NOT: wait_group
  // CHECK: carousel.mbarrier.wait
  // CHECK-NOT: wait_group
  // CHECK: gpu.return
  gpu.func @in_a_role(%x: !vector, %i: index, %n: index) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      carousel.ring.produce %ring[%c0] : !ring {
        %t = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<cp_async, width = 4> : !vector, !tile
      }
      scf.for %j = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        %ahead = arith.addi %k, %c1 : index
        carousel.ring.produce %ring[%ahead] : !ring {
          %t = carousel.ring.tile %ring[%ahead], 0 : !ring -> !tile
          carousel.ring.load %x[%j] to %t in_bounds engine<cp_async, width = 4> : !vector, !tile
        }
        carousel.ring.wait %ring[%k] : !ring
        carousel.ring.release %ring[%k] : !ring
        scf.yield %ahead : index
      }
    }
    gpu.return
  }

  // Threads fill a slot that an engine has read: the store wait comes before the barrier that releases the slot.
  // CHECK-LABEL: gpu.func @stored_in_place
  // CHECK: carousel.cp_async.wait_group 1
  // CHECK: carousel.bulk.wait_group read 0
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @stored_in_place(%x: !vector, %y: !vector, %i: index, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%c0] : !ring {
      %t = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %t in_bounds engine<cp_async, width = 4> : !vector, !tile
    }
    scf.for %j = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %ahead = arith.addi %k, %c1 : index
      carousel.ring.produce %ring[%ahead] : !ring {
        %t = carousel.ring.tile %ring[%ahead], 0 : !ring -> !tile
        carousel.ring.load %x[%j] to %t in_bounds engine<cp_async, width = 4> : !vector, !tile
      }
      carousel.ring.wait %ring[%k] : !ring
      %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.sync
      carousel.ring.submit {
        carousel.ring.store %t to %y[%j] in_bounds engine<bulk> : !tile, !vector
      }
      carousel.ring.wait_stores read 0
      carousel.ring.release %ring[%k] : !ring
      scf.yield %ahead : index
    }
    gpu.return
  }
}
