// A prologue that is the first to use its ring fills slots by number, and waits for none of them. Where others may have used them
// before, or it may come round to the first again, it waits.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>
!ring = !carousel.ring<4 x memref<128xf32, #ws>>

gpu.module @prologues [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @first
  // CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[K:.*]] = %c0
  // CHECK-NOT: arith.remui
  // CHECK-NOT: carousel.mbarrier.wait
  // CHECK: carousel.mbarrier.arrive_expect_tx %{{.*}}[%[[K]]], 512
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: gpu.return
  gpu.func @first(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    %end = arith.minsi %n, %c2 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(2) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    %used = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c2 : index
        %use = arith.addi %k, %c2 : index
        carousel.ring.produce %ring[%use] ahead(2) : !ring {
          %t = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // Uses are carried from one of the outer iterations to the next.
  // CHECK-LABEL: gpu.func @again
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @again(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    scf.for %o = %c0 to %n step %c1 iter_args(%from = %c0) -> (index) {
      %end = arith.minsi %n, %c2 : index
      scf.for %i = %c0 to %end step %c1 iter_args(%k = %from) -> (index) {
        carousel.ring.produce %ring[%k] ahead(2) : !ring {
          %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
          carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
      %used = scf.for %i = %c0 to %n step %c1 iter_args(%k = %from) -> (index) {
        %next = arith.addi %k, %c1 : index
        %more = arith.cmpi slt, %i, %steady : index
        scf.if %more {
          %ahead = arith.addi %i, %c2 : index
          %use = arith.addi %k, %c2 : index
          carousel.ring.produce %ring[%use] ahead(2) : !ring {
            %t = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
            carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
          }
        }
        carousel.ring.wait %ring[%k] : !ring
        carousel.ring.release %ring[%k] : !ring
        scf.yield %next : index
      }
      scf.yield %used : index
    }
    gpu.return
  }

  // Some slots have been used before.
  // CHECK-LABEL: gpu.func @later
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @later(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    %end = arith.minsi %n, %c2 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c2) -> (index) {
      carousel.ring.produce %ring[%k] ahead(2) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    %used = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c2) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c2 : index
        %use = arith.addi %k, %c2 : index
        carousel.ring.produce %ring[%use] ahead(2) : !ring {
          %t = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // More uses than slots, and nobody knows how many.
  // CHECK-LABEL: gpu.func @more_than_slots
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @more_than_slots(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    %end = arith.minsi %n, %c2 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(5) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    %used = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c2 : index
        %use = arith.addi %k, %c2 : index
        carousel.ring.produce %ring[%use] ahead(5) : !ring {
          %t = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unknown
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @unknown(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    %end = arith.minsi %n, %c2 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    %used = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c2 : index
        %use = arith.addi %k, %c2 : index
        carousel.ring.produce %ring[%use] : !ring {
          %t = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // The prologue hands slots back itself.
  // CHECK-LABEL: gpu.func @used_up
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @used_up(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    %end = arith.minsi %n, %c2 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(2) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    %used = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c2) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c2 : index
        %use = arith.addi %k, %c2 : index
        carousel.ring.produce %ring[%use] ahead(2) : !ring {
          %t = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }
}
