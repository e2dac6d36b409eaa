// Errors of carousel-verify-machine but those about alignment.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>

// C99: an allocation at run time.
gpu.module @kernels {
  gpu.func @allocation() kernel {
    // expected-error @below {{expected shared memory as a workgroup attribution, a memref.global or gpu.dynamic_shared_memory, got 'memref<64xf32, #gpu.address_space<workgroup>>'}}
    %tile = memref.alloc() : memref<64xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C99: an allocation on the stack.
gpu.module @kernels {
  gpu.func @stack() kernel {
    // expected-error @below {{expected shared memory as a workgroup attribution, a memref.global or gpu.dynamic_shared_memory}}
    %tile = memref.alloca() : memref<64xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C100: the state of a barrier is nobody's business.
gpu.module @kernels {
  gpu.func @opaque() workgroup(%bars: memref<1x!carousel.mbarrier, #ws>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected elements that can be loaded and stored, got the opaque '!carousel.mbarrier'}}
    %state = memref.load %bars[%c0] : memref<1x!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C101: a table in shared memory.
gpu.module @kernels {
  // expected-error @below {{expected shared memory without an initial value, got one for 'memref<2xf32, #gpu.address_space<workgroup>>'}}
  memref.global "private" @table : memref<2xf32, #ws> = dense<[1.0, 2.0]>
}

// -----

#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<8x16xf32>

// C75: a column in the middle of 16 bytes.
gpu.module @kernels {
  gpu.func @column(%map: !map, %row: i32) workgroup(%tile: memref<8x16xf32, #ws> {llvm.align = 128 : i64},
                                                    %bar: memref<!carousel.mbarrier, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %column = arith.constant 3 : i32
    // expected-error @below {{expected an innermost coordinate at a multiple of 16 bytes, got 12}}
    carousel.tensor.load %map[%row, %column] to %tile[%c0, %c0] signals %bar[]
        : !map, memref<8x16xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<8x16xf32>

// C76: a store that begins before the tensor.
gpu.module @kernels {
  gpu.func @before(%map: !map, %column: i32) workgroup(%tile: memref<8x16xf32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %row = arith.constant -4 : i32
    // expected-error @below {{expected coordinates of a write that are not negative, got -4}}
    carousel.tensor.store %tile[%c0, %c0] to %map[%row, %column] : memref<8x16xf32, #ws>, !map
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C77: values that the driver would refuse.
gpu.module @kernels {
  gpu.func @values(%maps: memref<1x!carousel.tensor_map<4x4xf32>, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c300 = arith.constant 300 : i32
    %c9 = arith.constant 9 : i32
    %c17 = arith.constant 17 : i64
    // expected-error @below {{expected box_dim of 1 to 256, got 300}}
    carousel.tensor_map.replace box_dim dim(0) of %maps[%c0] with %c300 : memref<1x!carousel.tensor_map<4x4xf32>, #ws>, i32
    // expected-error @below {{expected element_stride of 1 to 8, got 9}}
    carousel.tensor_map.replace element_stride dim(0) of %maps[%c0] with %c9 : memref<1x!carousel.tensor_map<4x4xf32>, #ws>, i32
    // expected-error @below {{expected rank of 0 to 4, got 9}}
    carousel.tensor_map.replace rank of %maps[%c0] with %c9 : memref<1x!carousel.tensor_map<4x4xf32>, #ws>, i32
    // expected-error @below {{expected global_stride that is a multiple of 16 below 2^40, got 17}}
    carousel.tensor_map.replace global_stride dim(0) of %maps[%c0] with %c17 : memref<1x!carousel.tensor_map<4x4xf32>, #ws>, i64
    // expected-error @below {{expected global_address at a multiple of 16, got 17}}
    carousel.tensor_map.replace global_address of %maps[%c0] with %c17 : memref<1x!carousel.tensor_map<4x4xf32>, #ws>, i64
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C103: a constant index outside, and a copy that runs over the end.
gpu.module @kernels {
  gpu.func @outside(%x: memref<?xf32, #gl>, %i: index)
      workgroup(%bars: memref<2x!carousel.mbarrier, #ws>, %tile: memref<1024xf32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c1020 = arith.constant 1020 : index
    // expected-error @below {{expected constant indices inside of 'memref<2x!carousel.mbarrier, #gpu.address_space<workgroup>>', got 9}}
    carousel.mbarrier.init %bars[%c9], 1 : memref<2x!carousel.mbarrier, #ws>
    // expected-error @below {{expected at most the 16 bytes that are left of 'memref<1024xf32, #gpu.address_space<workgroup>>', got 4096}}
    carousel.bulk.load %x[%i] to %tile[%c1020], 4096 signals %bars[%c0]
        : memref<?xf32, #gl>, memref<1024xf32, #ws>, memref<2x!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C188: 16 elements, spread over 28.
gpu.module @kernels {
  // expected-error @below {{expected a contiguous buffer of static extents where memory is declared, got 'memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<workgroup>>'}}
  gpu.func @spread() workgroup(%tile: memref<4x4xf32, strided<[8, 1]>, #ws>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected a contiguous buffer of static extents where memory is declared, got 'memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<private>>'}}
  gpu.func @spread() private(%own: memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<private>>) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

gpu.module @kernels {
  // expected-error @below {{expected a contiguous buffer of static extents where memory is declared, got 'memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<workgroup>>'}}
  memref.global "private" @spread : memref<4x4xf32, strided<[8, 1]>, #ws> = uninitialized
}

// -----

#ws = #gpu.address_space<workgroup>

// C100: a copy of barriers.
gpu.module @kernels {
  gpu.func @copy() workgroup(%a: memref<1x!carousel.mbarrier, #ws>, %b: memref<1x!carousel.mbarrier, #ws>) kernel {
    // expected-error @below {{expected elements that can be loaded and stored, got the opaque '!carousel.mbarrier'}}
    memref.copy %a, %b : memref<1x!carousel.mbarrier, #ws> to memref<1x!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C101: shared memory of another module.
gpu.module @kernels {
  // expected-error @below {{expected shared memory that this module declares, got an external 'memref<2xf32, #gpu.address_space<workgroup>>'}}
  memref.global @table : memref<2xf32, #ws>
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C141: transfers of the tile phase.
gpu.module @kernels {
  gpu.func @transfers(%x: memref<?xf32, #gl>, %i: index)
      workgroup(%tile: memref<64xf32, #ws>) kernel {
    // expected-error @below {{'carousel.load' op expected ops of the machine phase, got a transfer of the tile phase}}
    carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<64xf32, #ws>
    // expected-error @below {{'carousel.store' op expected ops of the machine phase, got a transfer of the tile phase}}
    carousel.store %tile to %x[%i] : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

// C141: a request that no pass has followed.
gpu.module @kernels {
  gpu.func @pipeline(%n: index) kernel {
    // expected-error @below {{expected no carousel.pipeline in the machine phase, got #carousel.pipeline<stages = 4>}}
    scf.for %i = %n to %n step %n {
      gpu.barrier
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}

// -----

!ring = !carousel.ring<2 x memref<64xf32, #gpu.address_space<workgroup>>>

// C141: what --carousel-lower-rings would have lowered.
gpu.module @kernels {
  gpu.func @rings(%i: index) kernel {
    // expected-error @below {{'carousel.ring.create' op expected ops of the machine phase, got one of the ring phase}}
    %ring = carousel.ring.create : !ring
    // expected-error @below {{'carousel.ring.wait' op expected ops of the machine phase, got one of the ring phase}}
    carousel.ring.wait %ring[%i] : !ring
    // expected-error @below {{'carousel.ring.wait_stores' op expected ops of the machine phase, got one of the ring phase}}
    carousel.ring.wait_stores read 0
    gpu.return
  }
}

// -----

// C252: a bulk store to an argument that is only read.
gpu.module @kernels {
  gpu.func @inputs(%x: memref<?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x", in>})
      workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'carousel.bulk.store' op expected writes of arguments that are out or inout, got one of 'x', which is in}}
    carousel.bulk.store %tile[%c0] to %x[%c0], 256 : memref<64xf32, #gpu.address_space<workgroup>>, memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}
