// The issuing thread's copies of row ends are ordered before later accesses of engines to the same bytes, and only then.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<256xf32, #ws>
!ring = !carousel.ring<2 x !tile>

gpu.module @kernels {
  // Boxes move forward, from the prologue to the main loop as well: behind the memref's end no engine fills.
  // CHECK-LABEL: gpu.func @forward
  // CHECK-NOT: carousel.fence.proxy
  // CHECK: gpu.return
  gpu.func @forward(%x: !vector) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %first = gpu.block_id x
    %step = gpu.grid_dim x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : !vector
    %ring = carousel.ring.create : !ring
    %ahead = arith.addi %first, %step : index
    %end = arith.minsi %ahead, %n : index
    %k = scf.for %i = %first to %end step %step iter_args(%use = %c0) -> (index) {
      carousel.ring.produce %ring[%use] : !ring {
        %tile = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<bulk> : !vector, !tile
      }
      %next = arith.addi %use, %c1 : index
      scf.yield %next : index
    }
    scf.for %i = %first to %n step %step iter_args(%use = %c1) -> (index) {
      %place = arith.addi %i, %step : index
      carousel.ring.produce %ring[%use] : !ring {
        %tile = carousel.ring.tile %ring[%use], 0 : !ring -> !tile
        carousel.ring.load %x[%place] to %tile engine<bulk> : !vector, !tile
      }
      %next = arith.addi %use, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }

  // The main loop begins before the prologue's end.
  // CHECK-LABEL: gpu.func @two_passes
  // CHECK-COUNT-2: carousel.fence.proxy async_shared_cta
  gpu.func @two_passes(%x: !vector) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %first = gpu.block_id x
    %step = gpu.grid_dim x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : !vector
    %ring = carousel.ring.create : !ring
    scf.for %i = %first to %n step %step {
      carousel.ring.produce %ring[%i] : !ring {
        %tile = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<bulk> : !vector, !tile
      }
    }
    scf.for %i = %first to %n step %step {
      carousel.ring.produce %ring[%i] : !ring {
        %tile = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<bulk> : !vector, !tile
      }
    }
    gpu.return
  }

  // The outer loop begins afresh; one fence for both loads.
  // CHECK-LABEL: gpu.func @nested
  // CHECK: carousel.fence.proxy async_shared_cta
  // CHECK-NEXT: carousel.barrier.warp
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: carousel.mbarrier.arrive
  // CHECK-NOT: carousel.fence.proxy
  // CHECK: gpu.return
  gpu.func @nested(%x: !vector, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %ring = carousel.ring.create : !carousel.ring<2 x !tile, !tile>
    scf.for %j = %c0 to %n step %c1 {
      scf.for %i = %c0 to %n step %c256 {
        carousel.ring.produce %ring[%i] : !carousel.ring<2 x !tile, !tile> {
          %a = carousel.ring.tile %ring[%i], 0 : !carousel.ring<2 x !tile, !tile> -> !tile
          %b = carousel.ring.tile %ring[%i], 1 : !carousel.ring<2 x !tile, !tile> -> !tile
          carousel.ring.load %x[%i] to %a engine<bulk> : !vector, !tile
          carousel.ring.load %x[%i] to %b engine<bulk> : !vector, !tile
        }
      }
    }
    gpu.return
  }

  // A box that begins before its memref has none of its row filled by an engine, and the next one may.
  // CHECK-LABEL: gpu.func @from_before
  // CHECK: carousel.fence.proxy async_shared_cta
  gpu.func @from_before(%x: !vector, %first: index, %n: index, %step: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !ring
    scf.for %i = %first to %n step %step {
      carousel.ring.produce %ring[%i] : !ring {
        %tile = carousel.ring.tile %ring[%i], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<bulk> : !vector, !tile
      }
    }
    gpu.return
  }

  // A store from the slot reads what the thread has filled.
  // CHECK-LABEL: gpu.func @in_place
  // CHECK: carousel.fence.proxy async_shared_cta
  gpu.func @in_place(%x: !vector, %y: !vector, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%c0] : !ring {
      %tile = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
      carousel.ring.load %x[%i] to %tile engine<bulk> : !vector, !tile
    }
    carousel.ring.wait %ring[%c0] : !ring
    %tile = carousel.ring.tile %ring[%c0], 0 : !ring -> !tile
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%i] in_bounds engine<bulk> : !tile, !vector
    }
    carousel.ring.wait_stores read 0
    gpu.return
  }

  // Engines end at the last granule of a row, whatever the box.
  // CHECK-LABEL: gpu.func @stored_twice
  // CHECK-NOT: carousel.fence.proxy
  // CHECK: gpu.return
  gpu.func @stored_twice(%x: !vector, %a: !tile, %i: index, %j: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] engine<bulk> : !tile, !vector
    }
    carousel.ring.submit {
      carousel.ring.store %a to %x[%j] engine<bulk> : !tile, !vector
    }
    carousel.ring.wait_stores read 0
    gpu.return
  }

  // But where rows end elsewhere: in another view of the memref.
  // CHECK-LABEL: gpu.func @stored_in_part
  // CHECK: carousel.fence.proxy async_global
  gpu.func @stored_in_part(%x: !vector, %a: !tile, %i: index, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %part = memref.subview %x[0] [%n] [1] : !vector to memref<?xf32, strided<[1]>, #gl>
    carousel.ring.submit {
      carousel.ring.store %a to %part[%i] engine<bulk> : !tile, memref<?xf32, strided<[1]>, #gl>
    }
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] engine<bulk> : !tile, !vector
    }
    carousel.ring.wait_stores read 0
    gpu.return
  }

  // And where a row of the tile ends within the memref.
  // CHECK-LABEL: gpu.func @stored_rows
  // CHECK: carousel.fence.proxy async_global
  gpu.func @stored_rows(%x: !vector, %a: memref<10xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] in_bounds engine<bulk> : memref<10xf32, #ws>, !vector
    }
    carousel.ring.wait_stores read 0
    gpu.return
  }
}
