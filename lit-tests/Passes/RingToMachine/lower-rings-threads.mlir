// Rings that threads fill: barriers and fences that they don't need.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<256xf32, #ws>
!ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  // The threads of the CTA meet behind the initialisation, which no engine has to see. Each stores the pieces that it
  // has loaded, so that a slot's release needs no barrier.
  // CHECK-LABEL: gpu.func @own_pieces
  // CHECK: carousel.mbarrier.init
  // CHECK-NOT: carousel.fence
  // CHECK: gpu.barrier
  // CHECK: carousel.mbarrier.wait
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @own_pieces(%x: !vector, %y: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile engine<cp_async, width = 16> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%i] engine<vector, width = 16> : !tile, !vector
    }
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // Pieces of other sizes are other threads'.
  // CHECK-LABEL: gpu.func @other_pieces
  // CHECK: carousel.mbarrier.wait
  // CHECK: gpu.barrier
  gpu.func @other_pieces(%x: !vector, %y: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile engine<cp_async, width = 16> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%i] engine<vector, width = 4> : !tile, !vector
    }
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // So is what the kernel reads itself.
  // CHECK-LABEL: gpu.func @read_by_others
  // CHECK: carousel.mbarrier.wait
  // CHECK: gpu.barrier
  gpu.func @read_by_others(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile engine<cp_async, width = 16> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    %v = memref.load %tile[%i] : !tile
    memref.store %v, %x[%i] : !vector
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // A warp that stores to its own slots has them filled when it meets.
  // CHECK-LABEL: gpu.func @warps
  // CHECK-NOT: mbarrier
  // CHECK: vector.store
  // CHECK: carousel.barrier.warp
  // CHECK-NOT: mbarrier
  // CHECK: gpu.return
  gpu.func @warps(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %ring = carousel.ring.create scope(warp) release(warp_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile scope(warp) engine<vector, width = 16> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    %v = memref.load %tile[%i] : !tile
    memref.store %v, %x[%i] : !vector
    carousel.ring.release %ring[%k] : !ring
    gpu.return
  }

  // Whoever waits for what is stored here has met the others before, at the release.
  // CHECK-LABEL: gpu.func @met_before_wait
  // CHECK: scf.for
  // CHECK-NOT: carousel.barrier.warp
  // CHECK: carousel.mbarrier.arrive
  // CHECK: carousel.mbarrier.wait
  // CHECK: gpu.barrier
  gpu.func @met_before_wait(%x: !vector, %n: index, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    scf.for %k = %c0 to %n step %c1 {
      %ahead = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %ahead, %n : index
      scf.if %more {
        carousel.ring.produce %ring[%ahead] : !ring {
          %tile = carousel.ring.tile %ring[%ahead], 0 : !ring -> !tile
          carousel.ring.load %x[%i] to %tile engine<vector, width = 4> : !vector, !tile
        }
      }
      carousel.ring.wait %ring[%k] : !ring
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      %v = memref.load %tile[%i] : !tile
      memref.store %v, %x[%i] : !vector
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // This use is the next to be waited for.
  // CHECK-LABEL: gpu.func @waited_at_once
  // CHECK: scf.for
  // CHECK: carousel.barrier.warp
  // CHECK: carousel.mbarrier.arrive
  // CHECK: carousel.mbarrier.wait
  gpu.func @waited_at_once(%x: !vector, %n: index, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create release(cta_barrier) : !ring
    scf.for %k = %c0 to %n step %c1 {
      carousel.ring.produce %ring[%k] : !ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<vector, width = 4> : !vector, !tile
      }
      carousel.ring.wait %ring[%k] : !ring
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      %v = memref.load %tile[%i] : !tile
      memref.store %v, %x[%i] : !vector
      carousel.ring.release %ring[%k] : !ring
    }
    gpu.return
  }

  // Where the threads meet behind a slot's last access anyway, no barrier hands it back.
  // CHECK-LABEL: gpu.func @handed_back_by_barrier
  // CHECK-COUNT-2: carousel.mbarrier.init
  // CHECK-NOT: carousel.mbarrier.init
  // CHECK: carousel.mbarrier.wait
  // CHECK: memref.load
  // CHECK: carousel.fence.thread
  // CHECK: gpu.barrier
  // CHECK-NOT: carousel.mbarrier.arrive
  // CHECK: gpu.return
  gpu.func @handed_back_by_barrier(%x: !vector, %i: index, %k: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create release(empty_barrier) : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile in_bounds engine<bulk> : !vector, !tile
    }
    carousel.ring.wait %ring[%k] : !ring
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    %v = memref.load %tile[%i] : !tile
    carousel.ring.release %ring[%k] : !ring
    carousel.ring.sync
    memref.store %v, %x[%i] : !vector
    gpu.return
  }
}
