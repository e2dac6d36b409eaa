// Prologues that aren't folded although all are requested: the prologue and the loop may do different things.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings{prologue-fold-threshold=0}))' --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings{prologue-fold-threshold=0}))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>
!ring = !carousel.ring<4 x memref<128xf32, #ws>>

// REMARK-NOT: prologues folded
// REMARK: Function=folded {{.*}}1 prologues folded
// REMARK-NOT: prologues folded

gpu.module @prologues [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {

  // What all others are but for one thing.
  // CHECK-LABEL: gpu.func @folded
  // CHECK: carousel.bulk.load
  // CHECK-NOT: carousel.bulk.load
  gpu.func @folded(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // The loop's first use is another one than the prologue's.
  // CHECK-LABEL: gpu.func @other_use
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @other_use(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c1) -> (index) {
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // They don't begin with the same iteration.
  // CHECK-LABEL: gpu.func @other_begin
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @other_begin(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %steady to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // They have different steps.
  // CHECK-LABEL: gpu.func @other_step
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @other_step(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %n iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // All threads fill.
  // CHECK-LABEL: gpu.func @by_threads
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @by_threads(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<cp_async, width = 16> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<cp_async, width = 16> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // The prologue does something else, too.
  // CHECK-LABEL: gpu.func @not_alone
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @not_alone(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %v = arith.constant 0.0 : f32
      memref.store %v, %y[%i] : !vector
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // Nothing says that the two do the same.
  // CHECK-LABEL: gpu.func @not_ahead
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @not_ahead(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
          carousel.ring.load %x[%ahead] to %t in_bounds engine<bulk> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      carousel.ring.release %ring[%k] : !ring
      scf.yield %next : index
    }
    gpu.return
  }

  // The two don't load in the same way.
  // CHECK-LABEL: gpu.func @other_load
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @other_load(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %t engine<bulk> : !vector, !tile
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    carousel.ring.sync
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %i, %c1 : index
        carousel.ring.produce %ring[%next] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%next], 0 : !ring -> !tile
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
