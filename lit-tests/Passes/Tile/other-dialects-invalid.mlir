// Ops of other dialects that carousel-verify-tile and carousel-verify-machine refuse, with the error at the op.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --split-input-file --verify-diagnostics
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C193: a dimension behind the last one, and one before the first.
gpu.module @kernels {
  gpu.func @dims(%x: memref<?x?xf32, #gl>) kernel {
    %c2 = arith.constant 2 : index
    %c-1 = arith.constant -1 : index
    // expected-error @below {{'memref.dim' op expected one of the 2 dimensions of 'memref<?x?xf32, #gpu.address_space<global>>', got 2}}
    %behind = memref.dim %x, %c2 : memref<?x?xf32, #gl>
    // expected-error @below {{expected one of the 2 dimensions of 'memref<?x?xf32, #gpu.address_space<global>>', got -1}}
    %before = memref.dim %x, %c-1 : memref<?x?xf32, #gl>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C194: elements that no target has a place in memory for.
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op expected elements of known size where memory is declared, got 'memref<4xtf32, #gpu.address_space<workgroup>>'}}
  gpu.func @rounded() workgroup(%b: memref<4xtf32, #ws>) kernel {
    gpu.return
  }
  // expected-error @below {{expected elements of known size where memory is declared, got 'memref<4xvector<2xtf32>, #gpu.address_space<workgroup>>'}}
  gpu.func @vectors() workgroup(%b: memref<4xvector<2xtf32>, #ws>) kernel {
    gpu.return
  }
  // expected-error @below {{expected elements of known size where memory is declared, got 'memref<4xf128>'}}
  gpu.func @private() private(%b: memref<4xf128>) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C194: buffers of buffers.
gpu.module @kernels {
  // expected-error @below {{expected elements of known size where memory is declared, got 'memref<2xmemref<4xf32>>'}}
  memref.global @buffers : memref<2xmemref<4xf32>> = uninitialized
  gpu.func @nested() kernel {
    // expected-error @below {{'memref.alloc' op expected elements of known size where memory is declared, got 'memref<2xmemref<4xf32>, #gpu.address_space<workgroup>>'}}
    %b = memref.alloc() : memref<2xmemref<4xf32>, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #ws>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!group = !nvgpu.mbarrier.group<memorySpace = #ws>

// C195: copies and barriers that nothing lowers.
gpu.module @kernels {
  gpu.func @tma(%map: !map) workgroup(%tile: memref<64x64xf16, #ws>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'nvgpu.mbarrier.create' op expected gpu.barrier, or ops of carousel.mbarrier at the machine phase, got an op that no target has}}
    %barrier = nvgpu.mbarrier.create -> !group
    // expected-error @below {{'nvgpu.tma.async.load' op expected carousel.load and carousel.store, which become tensor copies, or ops of carousel.tensor at the machine phase, got an op that no target has}}
    nvgpu.tma.async.load %map[%c0, %c0], %barrier[%c0] to %tile : !map, !group -> memref<64x64xf16, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!sums = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

// C195: copies by DMA, products of warpgroups, approximate reciprocals.
gpu.module @kernels {
  gpu.func @others(%x: memref<64xf32, #gl>, %v: vector<4xf32>)
      workgroup(%tile: memref<64xf32, #ws>, %tag: memref<1xi32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // expected-error @below {{'memref.dma_start' op expected carousel.load, carousel.store or memref.copy, got an op that no target has}}
    memref.dma_start %x[%c0], %tile[%c0], %c64, %tag[%c0] : memref<64xf32, #gl>, memref<64xf32, #ws>, memref<1xi32, #ws>
    // expected-error @below {{'memref.dma_wait' op expected carousel.load, carousel.store or memref.copy}}
    memref.dma_wait %tag[%c0], %c64 : memref<1xi32, #ws>
    // expected-error @below {{'nvgpu.warpgroup.mma.init.accumulator' op expected nvgpu.mma.sync, got an op that no target has}}
    %sums = nvgpu.warpgroup.mma.init.accumulator -> !sums
    // expected-error @below {{'nvgpu.rcp' op expected arith.divf, got an op that no target has}}
    %r = nvgpu.rcp %v {rounding = approx, ftz} : vector<4xf32>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C196: more elements than a thread has registers for, in one dimension and in several.
gpu.module @kernels {
  gpu.func @wide(%x: memref<?xf32, #gl>, %i: index) kernel {
    // expected-error @below {{'vector.load' op expected vectors of at most 1024 elements in a thread, got 'vector<4096xf32>'}}
    %v = vector.load %x[%i] : memref<?xf32, #gl>, vector<4096xf32>
    // expected-error @below {{'vector.broadcast' op expected vectors of at most 1024 elements in a thread, got 'vector<32x33xindex>'}}
    %b = vector.broadcast %i : index to vector<32x33xindex>
    gpu.return
  }
}

// -----

// C196: a value of a loop.
gpu.module @kernels {
  // expected-error @below {{expected vectors of at most 1024 elements in a thread, got 'vector<1025xi1>'}}
  func.func @carried(%v: vector<1025xi1>) {
    return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C197: asynchronous copies that cp.async can't make.
gpu.module @kernels {
  gpu.func @copies(%b: memref<?xi1, #gl>, %i: index)
      workgroup(%tile: memref<64xf32, #ws>, %other: memref<64xf32, #ws>, %bits: memref<64xi1, #ws>) kernel {
    // expected-error @below {{'nvgpu.device_async_copy' op expected a source in global memory, got 'memref<64xf32, #gpu.address_space<workgroup>>'}}
    %0 = nvgpu.device_async_copy %other[%i], %tile[%i], 4 : memref<64xf32, #ws> to memref<64xf32, #ws>
    // expected-error @below {{expected elements of whole bytes, got 'memref<64xi1, #gpu.address_space<workgroup>>'}}
    %1 = nvgpu.device_async_copy %b[%i], %bits[%i], 32 : memref<?xi1, #gl> to memref<64xi1, #ws>
    %group = nvgpu.device_async_create_group %0, %1
    // expected-error @below {{'nvgpu.device_async_wait' op expected a number of groups that is not negative, got -1}}
    nvgpu.device_async_wait %group {numGroups = -1 : i32}
    gpu.return
  }
}

// -----

// C203: an atomic with a region on elements that nothing compares and swaps.
gpu.module @kernels {
  gpu.func @flags(%x: memref<8xi1>, %i: index) kernel {
    // expected-error @below {{'memref.generic_atomic_rmw' op expected elements of 8, 16, 32 or 64 bits, got 'memref<8xi1>'}}
    %old = memref.generic_atomic_rmw %x[%i] : memref<8xi1> {
    ^bb0(%now: i1):
      memref.atomic_yield %now : i1
    }
    gpu.return
  }
}
