// A prologue that is the first to use its ring, and that has at most as many iterations as slots,
// fills slots by number, and waits
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
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
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
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
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

  // Five uses of four slots, whatever the fills say.
  // CHECK-LABEL: gpu.func @more_than_slots
  // CHECK: scf.for
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @more_than_slots(%x: !vector, %n: index, %steady: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create : !ring
    %c5 = arith.constant 5 : index
    %end = arith.minsi %n, %c5 : index
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

  // Four steps from a begin that isn't known, both capped, as loops' bounds are made.
  // CHECK-LABEL: gpu.func @steps
  // CHECK-NOT: carousel.mbarrier.wait
  // CHECK: carousel.bulk.load
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: gpu.return
  gpu.func @steps(%x: !vector, %n: index, %lb: index, %s: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %c4 = arith.constant 4 : index
    %cap = arith.constant 2305843009213693951 : index
    %most = arith.constant 9223372036854775807 : index
    %capped = arith.minsi %s, %cap : index
    %distance = arith.muli %capped, %c4 : index
    %last = arith.subi %most, %distance : index
    %from = arith.minsi %lb, %last : index
    %sum = arith.addi %from, %distance : index
    %end = arith.minsi %sum, %n : index
    %filled = scf.for %i = %lb to %end step %s iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %k = %c0 to %filled step %c1 {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // One more.
  // CHECK-LABEL: gpu.func @five_steps
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @five_steps(%x: !vector, %n: index, %lb: index, %s: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %c5 = arith.constant 5 : index
    %distance = arith.muli %s, %c5 : index
    %sum = arith.addi %lb, %distance : index
    %end = arith.minsi %sum, %n : index
    %filled = scf.for %i = %lb to %end step %s iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %k = %c0 to %filled step %c1 {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // The end is near another number than the begin.
  // CHECK-LABEL: gpu.func @from_elsewhere
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @from_elsewhere(%x: !vector, %n: index, %lb: index, %other: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %c4 = arith.constant 4 : index
    %sum = arith.addi %other, %c4 : index
    %end = arith.minsi %sum, %n : index
    %filled = scf.for %i = %lb to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %k = %c0 to %filled step %c1 {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // What wraps round below the least number is far behind the begin.
  // CHECK-LABEL: gpu.func @negative
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @negative(%x: !vector, %n: index, %lb: index, %s: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %c4 = arith.constant 4 : index
    %below = arith.constant -8 : index
    %negative = arith.minsi %s, %below : index
    %distance = arith.muli %negative, %c4 : index
    %end = arith.addi %lb, %distance : index
    %filled = scf.for %i = %lb to %end step %s iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %k = %c0 to %filled step %c1 {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // Seven by two from one.
  // CHECK-LABEL: gpu.func @numbers
  // CHECK-NOT: carousel.mbarrier.wait
  // CHECK: carousel.bulk.load
  // CHECK: scf.for
  // CHECK: carousel.mbarrier.wait
  // CHECK: gpu.return
  gpu.func @numbers(%x: !vector, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %end = arith.minsi %n, %c8 : index
    %filled = scf.for %i = %c1 to %end step %c2 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %k = %c0 to %filled step %c1 {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // Signed, the least may be a negative number, and unsigned far.
  // CHECK-LABEL: gpu.func @unsigned_least
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
  // CHECK: carousel.bulk.load
  // CHECK: gpu.return
  gpu.func @unsigned_least(%x: !vector, %n: index, %lb: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    %c4 = arith.constant 4 : index
    %end = arith.minsi %n, %c4 : index
    %filled = scf.for unsigned %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %k = %c0 to %filled step %c1 {
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // The prologue hands slots back itself.
  // CHECK-LABEL: gpu.func @used_up
  // CHECK: scf.for
  // CHECK-NOT: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "arg0 empty">
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
