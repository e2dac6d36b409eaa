// Releases by a barrier that need a barrier of their own, and others.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<3 x !tile>

gpu.module @kernels {
  // Nobody meets before the next produce.
  // CHECK-LABEL: gpu.func @alone
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: gpu.barrier
  gpu.func @alone(%x: !vector, %k: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
    }
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // They meet later, before anything is produced.
  // CHECK-LABEL: gpu.func @meet_later
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.for
  gpu.func @meet_later(%x: !vector, %b: memref<1xf32, #ws>, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.release %ring[%k] : !ring
    %v = memref.load %b[%c0] : memref<1xf32, #ws>
    carousel.ring.sync
    memref.store %v, %b[%c0] : memref<1xf32, #ws>
    scf.for %i = %c0 to %k step %c1 {
      carousel.ring.produce %ring[%i] : !ring {
      }
    }
    gpu.return
  }

  // They meet later, but a produce may come before that.
  // CHECK-LABEL: gpu.func @produce_between
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: gpu.barrier
  // CHECK: scf.for
  // CHECK: gpu.barrier
  gpu.func @produce_between(%x: !vector, %k: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.release %ring[%k] : !ring
    scf.for %i = %c0 to %k step %c1 {
      carousel.ring.produce %ring[%i] : !ring {
      }
    }
    carousel.ring.sync
    gpu.return
  }

  // A barrier of fewer threads isn't enough, one of more is.
  // CHECK-LABEL: gpu.func @other_scopes
  // CHECK: carousel.mbarrier.wait %[[CTA:.*]][%{{.*}}] parity
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: carousel.barrier.warp
  // CHECK: carousel.mbarrier.wait %[[WARP:.*]][%{{.*}}, %{{.*}}] parity
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @other_scopes(%x: !vector, %k: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = carousel.ring.create release(cta_barrier) : !ring
    %b = carousel.ring.create scope(warp) release(warp_barrier) : !ring
    carousel.ring.produce %a[%k] : !ring {
    }
    carousel.ring.produce %b[%k] : !ring {
    }
    carousel.ring.wait %a[%k] : !ring
    carousel.ring.release %a[%k] : !ring
    carousel.ring.sync scope(warp)
    carousel.ring.produce %a[%k] : !ring {
    }
    carousel.ring.wait %b[%k] : !ring
    carousel.ring.release %b[%k] : !ring
    carousel.ring.sync
    gpu.return
  }

  // Two releases, one barrier: the later one's.
  // CHECK-LABEL: gpu.func @two_rings
  // CHECK: carousel.mbarrier.wait
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @two_rings(%x: !vector, %k: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = carousel.ring.create release(cta_barrier) : !ring
    %b = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %a[%k] : !ring {
    }
    carousel.ring.produce %b[%k] : !ring {
    }
    carousel.ring.wait %a[%k] : !ring
    carousel.ring.wait %b[%k] : !ring
    carousel.ring.release %a[%k] : !ring
    carousel.ring.release %b[%k] : !ring
    gpu.return
  }

  // They have met, and since then the thread that fills the slot was the only one to do anything.
  // CHECK-LABEL: gpu.func @met_before
  // CHECK: scf.if
  // CHECK: carousel.bulk.load
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: scf.if
  // CHECK: carousel.bulk.wait_group read 0
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @met_before(%x: !vector, %y: !vector, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%k] to %tile in_bounds engine<bulk> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.sync
    carousel.ring.submit {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.store %tile to %y[%k] in_bounds engine<bulk> : !tile, !vector
    }
    carousel.ring.wait_stores read 0
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // The others don't know that the store has read the tile, and they fill it, too.
  // CHECK-LABEL: gpu.func @others_fill
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: gpu.barrier
  // CHECK: carousel.bulk.wait_group read 0
  // CHECK: gpu.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @others_fill(%x: !vector, %y: !vector, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%k] to %tile in_bounds engine<cp_async, width = 16> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.sync
    carousel.ring.submit {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.store %tile to %y[%k] in_bounds engine<bulk> : !tile, !vector
    }
    carousel.ring.wait_stores read 0
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // The store reads the tile by all threads after they have met.
  // CHECK-LABEL: gpu.func @others_read
  // CHECK: carousel.mbarrier.wait
  // CHECK-NEXT: gpu.barrier
  // CHECK: vector.store
  // CHECK: gpu.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @others_read(%x: !vector, %y: !vector, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%k] to %tile in_bounds engine<bulk> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    carousel.ring.sync
    carousel.ring.submit {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.store %tile to %y[%k] in_bounds engine<vector, width = 16> : !tile, !vector
    }
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // Each thread stores what it has loaded, and no barrier hands the slot back. That all threads meet between the load
  // and its wait doesn't keep one lane from arriving for the next use while others still wait for this one.
  // CHECK-LABEL: gpu.func @own_pieces
  // CHECK: scf.for
  // CHECK: carousel.barrier.warp
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: carousel.mbarrier.arrive
  // CHECK: gpu.barrier
  // CHECK-NEXT: carousel.mbarrier.wait
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @own_pieces(%x: !vector, %y: !vector, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    scf.for %i = %c0 to %n step %c1 {
      carousel.ring.produce %ring[%i] : !ring {
        %tile = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile in_bounds engine<vector, width = 16> : !vector, !tile
      }
      gpu.barrier
      carousel.ring.wait %ring[%i] : !ring
      carousel.ring.submit {
        %tile = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        carousel.ring.store %tile to %y[%i] in_bounds engine<vector, width = 16> : !tile, !vector
      }
      carousel.ring.release %ring[%i] : !ring
    }
    gpu.return
  }

  // An ordinary access after the barrier.
  // CHECK-LABEL: gpu.func @read_after_barrier
  // CHECK: gpu.barrier
  // CHECK: memref.load
  // CHECK: carousel.fence.thread
  // CHECK: gpu.barrier
  gpu.func @read_after_barrier(%x: !vector, %y: !vector, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
    }
    carousel.ring.wait %ring[%k] : !ring
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    carousel.ring.sync
    %v = memref.load %tile[%k] : !tile
    carousel.ring.release %ring[%k] : !ring
    memref.store %v, %y[%c0] : !vector
    gpu.return
  }
}
