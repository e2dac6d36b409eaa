// Prologues that aren't folded although all are requested: an op between the prologue and the loop, or in the loop, forbids it.
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

  // A wait for the first use stands between the two.
  // CHECK-LABEL: gpu.func @waited_for
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @waited_for(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
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
    carousel.ring.wait %ring[%c0] : !ring
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

  // Or writes what may be what the fills read.
  // CHECK-LABEL: gpu.func @written
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @written(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
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
    %v = arith.constant 0.0 : f32
    memref.store %v, %x[%n] : !vector
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

  // In the loop a read stands in the way.
  // CHECK-LABEL: gpu.func @from_memory
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @from_memory(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
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
      %o = memref.load %y[%i] : !vector
      %oi = arith.fptosi %o : f32 to i64
      %from = arith.index_cast %oi : i64 to index
      %more = arith.cmpi slt, %i, %steady : index
      scf.if %more {
        %ahead = arith.addi %from, %c1 : index
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

  // The branch makes all threads meet.
  // CHECK-LABEL: gpu.func @barrier
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @barrier(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
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
        carousel.ring.sync
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

  // What all threads of a warp do together isn't for one of them.
  // CHECK-LABEL: gpu.func @shuffled
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  // CHECK: carousel.{{bulk.load|cp_async.copy}}
  gpu.func @shuffled(%x: !vector, %y: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    %end = arith.minsi %n, %c1 : index
    scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
      %c1_i32 = arith.constant 1 : i32
      %c32_i32 = arith.constant 32 : i32
      %n32 = arith.index_cast %i : index to i32
      %other, %valid = gpu.shuffle xor %n32, %c1_i32, %c32_i32 : i32
      %from = arith.index_cast %other : i32 to index
      carousel.ring.produce %ring[%k] ahead(1) : !ring {
        %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%from] to %t in_bounds engine<bulk> : !vector, !tile
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

  // In a role of its own the producer could wait for who waits for the fills that come later: a's for b's here.
  // CHECK-LABEL: gpu.func @roles
  // CHECK: carousel.bulk.load
  // CHECK: carousel.bulk.load
  gpu.func @roles(%x: !vector, %n: index, %steady: index) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create : !ring
    carousel.ring.roles producer threads(32) {
      %end = arith.minsi %n, %c1 : index
      scf.for %i = %c0 to %end step %c1 iter_args(%k = %c0) -> (index) {
        carousel.ring.produce %ring[%k] ahead(1) : !ring {
          %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
          carousel.ring.load %x[%i] to %t in_bounds engine<bulk> : !vector, !tile
        }
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
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
        scf.yield %next : index
      }
    } consumer threads(128) {
      scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        carousel.ring.wait %ring[%k] : !ring
        carousel.ring.release %ring[%k] : !ring
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }
    }
    gpu.return
  }
}
