// Errors of carousel-verify-machine about the alignment of barriers, tiles and tensor maps.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>

// C94: barriers in an attribution of 4 bytes' alignment.
gpu.module @kernels {
  gpu.func @barrier_allocation()
      workgroup(%full: memref<!carousel.mbarrier, #ws> {llvm.align = 4 : i64}) kernel {
    // expected-error @below {{expected a barrier aligned to 8 bytes, got an allocation aligned to 4}}
    carousel.mbarrier.init %full[], 1 : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C94: barriers 4 bytes into the dynamic shared memory.
gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-verify-machine
  gpu.func @barrier_offset(%i: index, %parity: i1) kernel {
    %c4 = arith.constant 4 : index
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %full = memref.view %memory[%c4][] : memref<?xi8, #ws> to memref<4x!carousel.mbarrier, #ws>
    // expected-error @below {{expected a barrier aligned to 8 bytes, got an offset of 4 bytes}}
    carousel.mbarrier.wait %full[%i] parity %parity : memref<4x!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C94: the barrier that a copy signals.
gpu.module @kernels {
  gpu.func @copy_barrier(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index)
      workgroup(%full: memref<!carousel.mbarrier, #ws> {llvm.align = 4 : i64}) kernel {
    // expected-error @below {{expected a barrier aligned to 8 bytes, got an allocation aligned to 4}}
    carousel.bulk.load %x[%i] to %tile[%i], 16 signals %full[]
        : memref<?xf32, #gl>, memref<4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// C94: the barrier that a single value signals, in another CTA as in this one.
gpu.module @kernels {
  gpu.func @value_barrier(%v: f32, %peer: memref<4xf32, #cluster>, %i: index, %rank: i32)
      workgroup(%full: memref<!carousel.mbarrier, #ws> {llvm.align = 4 : i64}) kernel {
    %peer_full = carousel.cluster.map_shared %full, %rank
        : memref<!carousel.mbarrier, #ws> to memref<!carousel.mbarrier, #cluster>
    // expected-error @below {{expected a barrier aligned to 8 bytes, got an allocation aligned to 4}}
    carousel.st_async %v to %peer[%i] signals %peer_full[]
        : f32, memref<4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C95: a tile that asks for no more than its elements' alignment.
gpu.module @kernels {
  gpu.func @bulk_source(%y: memref<?xf32, #gl>, %i: index)
      workgroup(%tile: memref<64xf32, #ws>) kernel {
    // expected-error @below {{expected the source of a bulk copy aligned to 16 bytes, got an allocation aligned to 4}}
    carousel.bulk.store %tile[%i] to %y[%i], 16 : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C95: a copy to the second element.
gpu.module @kernels {
  gpu.func @bulk_destination(%x: memref<?xf32, #gl>, %full: memref<!carousel.mbarrier, #ws>,
                             %i: index)
      workgroup(%tile: memref<64xf32, #ws> {llvm.align = 16 : i64}) kernel {
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected the destination of a bulk copy aligned to 16 bytes, got an offset of 4 bytes}}
    carousel.bulk.load %x[%i] to %tile[%c1], 16 signals %full[]
        : memref<?xf32, #gl>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C95: rows of 8 bytes, whichever row it is.
gpu.module @kernels {
  gpu.func @bulk_row(%y: memref<?xf32, #gl>, %i: index)
      workgroup(%tile: memref<64x2xf32, #ws> {llvm.align = 16 : i64}) kernel {
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected the source of a bulk copy aligned to 16 bytes, got an offset of 4 bytes}}
    carousel.bulk.store %tile[%i, %c1] to %y[%i], 16 : memref<64x2xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C95: a prefetch from the second element.
gpu.module @kernels {
  memref.global "private" @table : memref<64xf32, #gl> {alignment = 16}
  gpu.func @prefetch() kernel {
    %c1 = arith.constant 1 : index
    %table = memref.get_global @table : memref<64xf32, #gl>
    // expected-error @below {{expected the source of a bulk copy aligned to 16 bytes, got an offset of 4 bytes}}
    carousel.bulk.prefetch %table[%c1], 16 : memref<64xf32, #gl>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C95: cp.async wants as much as it copies.
gpu.module @kernels {
  gpu.func @cp_async(%x: memref<?xf32, #gl>, %i: index)
      workgroup(%tile: memref<64xf32, #ws>) kernel {
    // expected-error @below {{expected the destination of cp.async aligned to 8 bytes, got an allocation aligned to 4}}
    carousel.cp_async.copy ca %x[%i] to %tile[%i], 8 : memref<?xf32, #gl>, memref<64xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C96: a tile without a swizzle.
gpu.module @kernels {
  gpu.func @tensor_load(%map: !carousel.tensor_map<4x4xf32>, %full: memref<!carousel.mbarrier, #ws>,
                        %c: i32, %i: index)
      workgroup(%tile: memref<4x4xf32, #ws> {llvm.align = 64 : i64}) kernel {
    // expected-error @below {{expected a tensor copy's tile aligned to 128 bytes, got an allocation aligned to 64}}
    carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
        : !carousel.tensor_map<4x4xf32>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C96: a swizzle of 32 bytes.
gpu.module @kernels {
  gpu.func @swizzle_32(%map: !carousel.tensor_map<4x4xf32, swizzle = b32>, %c: i32, %i: index)
      workgroup(%tile: memref<4x4xf32, #ws> {llvm.align = 128 : i64}) kernel {
    // expected-error @below {{expected a tensor copy's tile aligned to 256 bytes, got an allocation aligned to 128}}
    carousel.tensor.store %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xf32, #ws>, !carousel.tensor_map<4x4xf32, swizzle = b32>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C96: a swizzle of 64 bytes.
gpu.module @kernels {
  gpu.func @swizzle_64(%map: !carousel.tensor_map<4x4xf32, swizzle = b64>, %c: i32, %i: index)
      workgroup(%tile: memref<4x4xf32, #ws> {llvm.align = 256 : i64}) kernel {
    // expected-error @below {{expected a tensor copy's tile aligned to 512 bytes, got an allocation aligned to 256}}
    carousel.tensor.reduce add %tile[%i, %i] to %map[%c, %c]
        : memref<4x4xf32, #ws>, !carousel.tensor_map<4x4xf32, swizzle = b64>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C96: a swizzle of 128 bytes, and the second of several slots that are too small for it.
gpu.module @kernels {
  gpu.func @swizzle_128(%map: !carousel.tensor_map<4x32xf32, swizzle = b128>,
                        %full: memref<!carousel.mbarrier, #ws>, %c: i32)
      workgroup(%tile: memref<4x4x32xf32, #ws> {llvm.align = 1024 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected a tensor copy's tile aligned to 1024 bytes, got an offset of 512 bytes}}
    carousel.tensor.load %map[%c, %c] to %tile[%c1, %c0, %c0] signals %full[]
        : !carousel.tensor_map<4x32xf32, swizzle = b128>, memref<4x4x32xf32, #ws>,
          memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C97: descriptors of 64 bytes' alignment, as CUDA 12 took them.
gpu.module @kernels {
  memref.global "private" @maps : memref<4x!carousel.tensor_map<4x4xf32>, #gl> {alignment = 64}
  gpu.func @descriptor(%i: index) kernel {
    %maps = memref.get_global @maps : memref<4x!carousel.tensor_map<4x4xf32>, #gl>
    // expected-error @below {{expected a tensor map aligned to 128 bytes, got an allocation aligned to 64}}
    %map = carousel.tensor_map.get %maps[%i]
        : memref<4x!carousel.tensor_map<4x4xf32>, #gl> -> !carousel.tensor_map<4x4xf32>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C97: the copy in shared memory.
gpu.module @kernels {
  gpu.func @descriptor_copy(%maps: memref<!carousel.tensor_map<4x4xf32>, #gl>)
      workgroup(%local: memref<!carousel.tensor_map<4x4xf32>, #ws> {llvm.align = 64 : i64}) kernel {
    // expected-error @below {{expected a tensor map aligned to 128 bytes, got an allocation aligned to 64}}
    carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu)
        : memref<!carousel.tensor_map<4x4xf32>, #ws>, memref<!carousel.tensor_map<4x4xf32>, #gl>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C104: in private memory, too.
gpu.module @kernels {
  // expected-error @below {{expected an alignment of private memory that is a power of two up to 65536, got 3 : i64}}
  gpu.func @align() private(%own: memref<8xf32, #gpu.address_space<private>> {llvm.align = 3 : i64}) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C104: an alignment that is none.
gpu.module @kernels {
  // expected-error @below {{expected an alignment of shared memory that is a power of two up to 65536, got 0 : i64}}
  gpu.func @align() workgroup(%tile: memref<8xf32, #ws> {llvm.align = 0 : i64}) kernel {
    gpu.return
  }
}
