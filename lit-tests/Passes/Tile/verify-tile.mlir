// Kernels that carousel-verify-tile accepts, unchanged: it refuses only what it can prove.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' | FileCheck %s
// RUN: carousel-opt %source_root/examples/tile/gelu.mlir --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' | FileCheck %s --check-prefix=GELU

// GELU-LABEL: gpu.func @gelu
// GELU: carousel.load
// GELU: carousel.store
// GELU: {carousel.pipeline = #carousel.pipeline<>}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Threads compute on the tile by their ids; transfers go by the block's.
  // CHECK-LABEL: gpu.func @cta
  // CHECK: carousel.load
  // CHECK: carousel.store
  gpu.func @cta(%x: memref<?xf32, #gl>, %flags: memref<4xi32, #gl>, %n: index)
      workgroup(%out: memref<256xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %first = arith.muli %block, %c256 : index
    %in = memref.alloc() : memref<256xf32, #ws>
    carousel.grid.dependency_wait
    scf.for %i = %first to %n step %c256 {
      carousel.load %x[%i] to %in : memref<?xf32, #gl>, memref<256xf32, #ws>
      %v = memref.load %in[%thread] : memref<256xf32, #ws>
      memref.store %v, %out[%thread] : memref<256xf32, #ws>
      gpu.barrier
      carousel.store %out to %x[%i] : memref<256xf32, #ws>, memref<?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    carousel.barrier.warp
    carousel.fence.thread acq_rel gpu
    carousel.grid.serial_wait %flags[%c0], %one : memref<4xi32, #gl>
    carousel.grid.serial_release %flags[%c0], %one : memref<4xi32, #gl>
    carousel.grid.launch_dependents
    gpu.return
  }

  // A warp's own offsets, in four spellings, and branches that part warps from each other.
  // CHECK-LABEL: gpu.func @warps
  // CHECK-COUNT-8: carousel.load
  gpu.func @warps(%x: memref<?xf32, #gl>, %tiles: memref<8x32xf32, #ws>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %mask = arith.constant -32 : index
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %tile = memref.subview %tiles[%warp, 0] [1, 32] [1, 1]
        : memref<8x32xf32, #ws> to memref<32xf32, strided<[1], offset: ?>, #ws>
    %a = arith.shrui %thread, %c5 : index
    %b = arith.andi %thread, %mask : index
    %t4 = arith.muli %thread, %c4 : index
    %c = arith.divui %t4, %c128 : index
    %d = gpu.subgroup_id : index
    %d32 = arith.muli %d, %c32 : index
    carousel.load %x[%a] to %tile scope(warp)
        : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.load %x[%b] to %tile scope(warp)
        : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.load %x[%c] to %tile scope(warp)
        : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.load %x[%d32] to %tile scope(warp)
        : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    %few = arith.cmpi ult, %thread, %c128 : index
    scf.if %few {
      carousel.load %x[%b] to %tile scope(warp)
          : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
      carousel.load %x[%c0] to %tile scope(warpgroup)
          : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    }
    %is_first = arith.cmpi eq, %warp, %c0 : index
    scf.if %is_first {
      carousel.load %x[%b] to %tile scope(warp)
          : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    }
    // A warp's place in its warpgroup.
    %in_group = arith.remui %thread, %c128 : index
    %place = arith.divui %in_group, %c32 : index
    carousel.load %x[%place] to %tile scope(warp)
        : memref<?xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    gpu.return
  }

  // The same in all threads of the block that is known; what comes from memory isn't followed.
  // CHECK-LABEL: gpu.func @not_shown
  // CHECK-COUNT-3: carousel.load
  gpu.func @not_shown(%x: memref<?xf32, #gl>, %next: memref<1xindex, #ws>)
      workgroup(%tile: memref<32xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %row = gpu.thread_id y
    %zero = arith.divui %thread, %c128 : index
    carousel.load %x[%zero] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    carousel.load %x[%row] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    %loaded = memref.load %next[%thread] : memref<1xindex, #ws>
    carousel.load %x[%loaded] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }

  // Loads may begin before the global memref; one request for a layout is enough.
  // CHECK-LABEL: gpu.func @offsets
  // CHECK-COUNT-3: carousel.load
  // CHECK: carousel.store
  gpu.func @offsets(%x: memref<?x64xf32, #gl>) workgroup(%tile: memref<2x32xf32, #ws>) kernel {
    %before = arith.constant -1 : index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    carousel.load %x[%before, %before] to %tile : memref<?x64xf32, #gl>, memref<2x32xf32, #ws>
    carousel.load %x[%c0, %c32] to %tile in_bounds swizzle(b128)
        : memref<?x64xf32, #gl>, memref<2x32xf32, #ws>
    carousel.load %x[%c0, %c0] to %tile swizzle(b128)
        : memref<?x64xf32, #gl>, memref<2x32xf32, #ws>
    carousel.store %tile to %x[%c0, %c0] : memref<2x32xf32, #ws>, memref<?x64xf32, #gl>
    gpu.return
  }

  // Views of dynamic shared memory are tiles of their own.
  // CHECK-LABEL: gpu.func @dynamic
  // CHECK-COUNT-2: carousel.load
  gpu.func @dynamic(%x: memref<?x?xf32, #gl>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %a = memref.view %memory[%c0][] : memref<?xi8, #ws> to memref<8x32xf32, #ws>
    %b = memref.view %memory[%c1024][] : memref<?xi8, #ws> to memref<8x32xf32, #ws>
    carousel.load %x[%i, %i] to %a swizzle(b128) : memref<?x?xf32, #gl>, memref<8x32xf32, #ws>
    carousel.load %x[%i, %i] to %b swizzle(b64) : memref<?x?xf32, #gl>, memref<8x32xf32, #ws>
    gpu.return
  }
}
