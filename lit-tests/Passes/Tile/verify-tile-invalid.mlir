// Errors of carousel-verify-tile: ops of later phases, places of transfers, blocks, pipelines, shared memory, bounds.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C133: an op of the machine phase.
gpu.module @kernels {
  gpu.func @machine_op(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-error @below {{'carousel.bulk.commit_group' op expected ops of the tile phase, got one of the machine phase}}
    carousel.bulk.commit_group
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C133: a barrier by name, whose number a later phase could take.
gpu.module @kernels {
  gpu.func @named_barrier(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-error @below {{expected ops of the tile phase, got one of the machine phase}}
    carousel.barrier.sync 1
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C133: a tensor map that no kernel has as its argument.
gpu.module @kernels {
  // expected-error @below {{expected values of the tile phase, got '!carousel.tensor_map<16xf32>'}}
  gpu.func @map(%map: !carousel.tensor_map<16xf32>) {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C133: barriers as shared memory.
gpu.module @kernels {
  // expected-error @below {{expected values of the tile phase, got 'memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>'}}
  gpu.func @barriers() workgroup(%full: memref<4x!carousel.mbarrier, #ws>) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C133: barriers that an op makes.
gpu.module @kernels {
  gpu.func @made_barriers() kernel {
    // expected-error @below {{expected values of the tile phase, got 'memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>'}}
    %full = memref.alloc() : memref<4x!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C134: a transfer in a device function.
gpu.module @kernels {
  func.func @device(%x: memref<?xf32, #gl>, %tile: memref<32xf32, #ws>, %i: index) {
    // expected-error @below {{expected a kernel around a transfer, got a device function}}
    carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C134: a transfer among branches of the cf dialect.
gpu.module @kernels {
  gpu.func @blocks(%x: memref<?xf32, #gl>, %i: index, %c: i1)
      workgroup(%tile: memref<32xf32, #ws>) kernel {
    cf.cond_br %c, ^then, ^end
  ^then:
    // expected-error @below {{expected structured control flow around a transfer, got a region of 3 blocks}}
    carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C136: a block of one warpgroup and a half.
gpu.module @kernels {
  gpu.func @block(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [192]>} {
    // expected-error @below {{expected a block in multiples of the 128 threads of a warpgroup, got 192}}
    carousel.load %x[%n] to %tile scope(warpgroup) : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C136: a block of a warp and a half.
gpu.module @kernels {
  gpu.func @half_block(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 48, 1, 1>} {
    // expected-error @below {{expected a block in multiples of the 32 threads of a warp, got 48}}
    carousel.load %x[%n] to %tile scope(warp) : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C137: two requests for one tile.
gpu.module @kernels {
  gpu.func @swizzles(%x: memref<?x?xf32, #gl>, %n: index) workgroup(%tile: memref<8x32xf32, #ws>) kernel {
    // expected-note @below {{the other transfer}}
    carousel.load %x[%n, %n] to %tile swizzle(b128) : memref<?x?xf32, #gl>, memref<8x32xf32, #ws>
    %cast = memref.cast %tile : memref<8x32xf32, #ws> to memref<8x32xf32, strided<[32, 1]>, #ws>
    // expected-error @below {{expected swizzle b128 as in the tile's other transfer, got b64}}
    carousel.store %cast to %x[%n, %n] swizzle(b64)
        : memref<8x32xf32, strided<[32, 1]>, #ws>, memref<?x?xf32, #gl>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C138: nothing to pipeline.
gpu.module @kernels {
  gpu.func @empty_pipeline(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-error @below {{expected a transfer of scope cta in a loop with carousel.pipeline, got none}}
    scf.for %i = %n to %n step %n {
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C138: nothing of the pipeline's scope.
gpu.module @kernels {
  gpu.func @other_scope(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-error @below {{expected a transfer of scope warp in a loop with carousel.pipeline, got none}}
    scf.for %i = %n to %n step %n {
      carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    } {carousel.pipeline = #carousel.pipeline<scope = warp>}
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C183: stages for one of two loads.
gpu.module @kernels {
  gpu.func @listed_stages(%x: memref<?xf32, #gl>, %n: index)
      workgroup(%a: memref<32xf32, #ws>, %b: memref<32xf32, #ws>) kernel {
    // expected-error @below {{expected a number of stages for each of the 2 loads of scope cta, got 1}}
    scf.for %i = %n to %n step %n {
      carousel.load %x[%i] to %a : memref<?xf32, #gl>, memref<32xf32, #ws>
      carousel.load %x[%i] to %b : memref<?xf32, #gl>, memref<32xf32, #ws>
    } {carousel.pipeline = #carousel.pipeline<stages = [2]>}
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C139: shared memory of each thread.
gpu.module @kernels {
  gpu.func @alloca(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-error @below {{expected shared memory as a workgroup attribution or a memref.alloc of static extents at the top of the kernel, got 'memref<32xf32}}
    %b = memref.alloca() : memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C139: shared memory of unknown size.
gpu.module @kernels {
  gpu.func @dynamic_alloc(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-error @below {{expected shared memory as a workgroup attribution or a memref.alloc of static extents at the top of the kernel, got 'memref<?xf32}}
    %b = memref.alloc(%n) : memref<?xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C139: shared memory in a loop.
gpu.module @kernels {
  gpu.func @inner_alloc(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    scf.for %i = %n to %n step %n {
      // expected-error @below {{expected shared memory as a workgroup attribution or a memref.alloc of static extents at the top of the kernel, got 'memref<32xf32}}
      %b = memref.alloc() : memref<32xf32, #ws>
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C140: a store that begins before the global memref.
gpu.module @kernels {
  gpu.func @negative_store(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %before = arith.constant -4 : index
    // expected-error @below {{expected offsets of a store that are not negative, got -4}}
    carousel.store %tile to %x[%before] : memref<32xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C140: a promise that isn't kept at the begin.
gpu.module @kernels {
  gpu.func @negative_load(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %before = arith.constant -4 : index
    // expected-error @below {{expected offsets of a load in bounds that are not negative, got -4}}
    carousel.load %x[%before] to %tile in_bounds : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C140: a promise that isn't kept at the end.
gpu.module @kernels {
  gpu.func @past_end(%x: memref<64xf32, #gl>) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c33 = arith.constant 33 : index
    // expected-error @below {{expected a box in bounds to end at 64 or before in dimension 0, got offset 33 and extent 32}}
    carousel.load %x[%c33] to %tile in_bounds : memref<64xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

// C133: a kernel of the block phase, whose vectors are the CTA's. One error says so.
gpu.module @kernels {
  // expected-error @below {{expected a kernel of the tile phase, got one of the block phase, with carousel.block_program}}
  gpu.func @block() kernel attributes {carousel.block_program = #carousel.block_program<>} {
    %v = arith.constant dense<1.0> : vector<4096xf32>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C252: a store, an atomic and a signal to arguments that are only read. One may alias another, which is written.
gpu.module @kernels {
  gpu.func @inputs(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", inout, may_alias = 0>},
                   %c: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"c", in>, carousel.symmetric})
      workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %number = arith.constant 1 : i32
    carousel.load %x[%c0] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    carousel.store %tile to %y[%c0] : memref<32xf32, #ws>, memref<?xf32, #gl>
    // expected-error @below {{'carousel.store' op expected writes of arguments that are out or inout, got one of 'x', which is in}}
    carousel.store %tile to %x[%c0] : memref<32xf32, #ws>, memref<?xf32, #gl>
    // expected-error @below {{'memref.atomic_rmw' op expected writes of arguments that are out or inout, got one of 'x', which is in}}
    %old = memref.atomic_rmw addf %one, %x[%c0] : (f32, memref<?xf32, #gl>) -> f32
    // expected-error @below {{'carousel.signal' op expected writes of arguments that are out or inout, got one of 'c', which is in}}
    carousel.signal %c[%c0] set %number : memref<?xi32, #gl>
    gpu.return
  }
}
