// Errors of carousel-verify-block: ops, vectors, regions and layouts.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-block))' --split-input-file --verify-diagnostics

// C209: a thread id.
// DOC-EXAMPLE: --carousel-verify-block
gpu.module @kernels {
  gpu.func @thread(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected ops of the block phase in a block program, got 'gpu.thread_id'; a program has no threads: use vector.step for coordinates}}
    %t = gpu.thread_id x
    gpu.return
  }
}

// -----

// C209: a barrier.
gpu.module @kernels {
  gpu.func @barrier(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected ops of the block phase in a block program, got 'gpu.barrier'}}
    gpu.barrier
    gpu.return
  }
}

// -----

// C209: a mask around a gather.
gpu.module @kernels {
  gpu.func @gather(%x: memref<?xf32, #gpu.address_space<global>>, %y: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %rows = arith.constant dense<1> : vector<8xi32>
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %all = arith.constant dense<true> : vector<8xi1>
    %mask = vector.create_mask %c3 : vector<8xi1>
    // expected-error @below {{expected a reduction, a contraction or a transfer under a mask, got 'vector.gather' in a block program}}
    %v = vector.mask %mask { vector.gather %x[%c0] [%rows], %all, %zeros : memref<?xf32, #gpu.address_space<global>>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32> } : vector<8xi1> -> vector<8xf32>
    vector.transfer_write %v, %y[%c0] : vector<8xf32>, memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C209: a masked contraction of maxima, and one whose mask isn't a box.
gpu.module @kernels {
  gpu.func @kinds(%y: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %ones = arith.constant dense<1.0> : vector<8xf32>
    %mask = vector.create_mask %c3 : vector<8xi1>
    // expected-error @below {{expected a sum of products under a mask, got the kind 'maxnumf' in a block program}}
    %v = vector.mask %mask { vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<maxnumf>} %ones, %ones, %zero : vector<8xf32>, vector<8xf32> into f32 } : vector<8xi1> -> f32
    memref.store %v, %y[%c0] : memref<?xf32, #gpu.address_space<global>>
    %odd = arith.cmpf olt, %ones, %ones : vector<8xf32>
    // expected-error @below {{expected a mask of vector.create_mask or constant_mask for a contraction in a block program}}
    %w = vector.mask %odd { vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<add>} %ones, %ones, %zero : vector<8xf32>, vector<8xf32> into f32 } : vector<8xi1> -> f32
    memref.store %w, %y[%c0] : memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C209: other values for what a masked read leaves, where mask and vector differ in the order of dimensions.
gpu.module @kernels {
  gpu.func @passthru(%x: memref<?x?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %ones = arith.constant dense<1.0> : vector<8x8xf32>
    %mask = vector.create_mask %c3, %c3 : vector<8x8xi1>
    // expected-error @below {{expected no passthru of a read that permutes or broadcasts dimensions in a block program}}
    %v = vector.mask %mask, %ones { vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : memref<?x?xf32, #gpu.address_space<global>>, vector<8x8xf32> } : vector<8x8xi1> -> vector<8x8xf32>
    vector.transfer_write %v, %x[%c0, %c0] : vector<8x8xf32>, memref<?x?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C209: the extent of a block, which passes choose.
gpu.module @kernels {
  gpu.func @block(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected ops of the block phase in a block program, got 'gpu.block_dim'}}
    %t = gpu.block_dim x
    gpu.return
  }
}

// -----

// C209: a shuffle.
gpu.module @kernels {
  gpu.func @shuffle(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant 1.0 : f32
    %i = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    // expected-error @below {{expected ops of the block phase in a block program, got 'gpu.shuffle'; a program has no threads: passes exchange what vectors need}}
    %s, %p = gpu.shuffle xor %v, %i, %w : f32
    gpu.return
  }
}

// -----

// C209: an op on vectors that has no form for values of a CTA.
gpu.module @kernels {
  gpu.func @reverse(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @below {{expected ops of the block phase in a block program, got 'vector.reduction'; use vector.multi_reduction of all dimensions}}
    %r = vector.reduction <add>, %v : vector<4xf32> into f32
    gpu.return
  }
}

// -----

// C209: an elementwise op of another dialect, which says nothing of threads.
gpu.module @kernels {
  gpu.func @foreign(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @below {{expected ops of the block phase in a block program, got 'llvm.fadd'; implement carousel::DistributionOpInterface for it, or lower it first}}
    %r = llvm.fadd %v, %v : vector<4xf32>
    gpu.return
  }
}

// -----

// C209: an op in a region.
gpu.module @kernels {
  gpu.func @inner(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c = arith.constant true
    scf.if %c {
    // expected-error @below {{expected ops of the block phase in a block program, got 'gpu.barrier'}}
    gpu.barrier
    }
    gpu.return
  }
}

// -----

// C209: a workgroup attribution.
gpu.module @kernels {
  // expected-error @below {{expected a block program without attributions, got 1 of the workgroup and 0 of a thread}}
  gpu.func @attribution(%x: memref<?xf32, #gpu.address_space<global>>) workgroup(%t: memref<4xf32, #gpu.address_space<workgroup>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    gpu.return
  }
}

// -----

// C209: an element of shared memory.
gpu.module @kernels {
  gpu.func @element(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
    // expected-error @below {{expected shared memory as the tile of transfers in a block program, got a use by 'memref.load'}}
    %e = memref.load %t[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// C210: no dimension.
gpu.module @kernels {
  gpu.func @none(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected vectors of one to four dimensions of fixed extents and at most 1048576 elements in a block program, got 'vector<f32>'}}
    %v = arith.constant dense<1.0> : vector<f32>
    gpu.return
  }
}

// -----

// C210: five dimensions.
gpu.module @kernels {
  gpu.func @five(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected vectors of one to four dimensions of fixed extents and at most 1048576 elements in a block program, got 'vector<2x2x2x2x2xf32>'}}
    %v = arith.constant dense<1.0> : vector<2x2x2x2x2xf32>
    gpu.return
  }
}

// -----

// C210: too many elements.
gpu.module @kernels {
  gpu.func @most(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<1048576xf32>
    // expected-error @below {{expected vectors of one to four dimensions of fixed extents and at most 1048576 elements in a block program, got 'vector<1048577xf32>'}}
    %w = arith.constant dense<1.0> : vector<1048577xf32>
    gpu.return
  }
}

// -----

// C210: a scalable vector.
gpu.module @kernels {
  gpu.func @scalable(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected vectors of one to four dimensions of fixed extents and at most 1048576 elements in a block program, got 'vector<[4]xf32>'}}
    %v = arith.constant dense<1.0> : vector<[4]xf32>
    gpu.return
  }
}

// -----

// C211: a branch.
gpu.module @kernels {
  // expected-error @below {{expected regions of one block in a block program, got 2 blocks}}
  gpu.func @branch(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected ops of the block phase in a block program, got 'cf.br'; use scf.if, scf.for or scf.while}}
    cf.br ^next
  ^next:
    gpu.return
  }
}

// -----

// C211: a function without a body.
gpu.module @kernels {
  func.func private @other(%v: vector<8xf32>) -> vector<8xf32>
  gpu.func @external() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<8xf32>
    // expected-error @below {{expected a function with a body for a call of a block program, got @other}}
    %r = func.call @other(%v) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }
}

// -----

// C211: a function that calls itself.
gpu.module @kernels {
  func.func private @again(%v: vector<8xf32>) -> vector<8xf32> {
    // expected-error @below {{expected no recursion in a block program, got a call of @again by itself}}
    %r = func.call @again(%v) : (vector<8xf32>) -> vector<8xf32>
    return %r : vector<8xf32>
  }
  gpu.func @recursive() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<8xf32>
    %r = func.call @again(%v) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }
}

// -----

// C211: a function with a branch.
gpu.module @kernels {
  func.func private @branch(%v: vector<8xf32>) -> vector<8xf32> {
    cf.br ^next
  ^next:
    return %v : vector<8xf32>
  }
  gpu.func @branches() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<8xf32>
    // expected-error @below {{expected a function of one block for a call of a block program, got 2 blocks of @branch}}
    %r = func.call @branch(%v) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }
}

// -----

// C209, C210: what kernels can't hold isn't in functions that they call, either. Others aren't looked at.
gpu.module @kernels {
  func.func private @thread() -> index {
    // expected-error @below {{expected ops of the block phase in a block program, got 'gpu.thread_id'}}
    %t = gpu.thread_id x
    return %t : index
  }
  // expected-error @below {{expected vectors of one to four dimensions of fixed extents and at most 1048576 elements in a block program, got 'vector<f32>'}}
  func.func private @scalar(%v: vector<f32>) {
    return
  }
  func.func private @unused() -> index {
    %t = gpu.thread_id x
    return %t : index
  }
  gpu.func @calls(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %t = func.call @thread() : () -> index
    // expected-error @below {{expected vectors of one to four dimensions of fixed extents and at most 1048576 elements in a block program, got 'vector<f32>'}}
    %v = arith.constant dense<1.0> : vector<f32>
    func.call @scalar(%v) : (vector<f32>) -> ()
    gpu.return
  }
}

// -----

// C207: a coordinate beyond the extent.
gpu.module @kernels {
  gpu.func @beyond(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected coordinates below 8 in dimension 0, got 8 in carousel.layout}}
    %v = arith.constant {carousel.layout = #carousel.layout<register = [[1], [8]]>} dense<1.0> : vector<6xf32>
    gpu.return
  }
}

// -----

// C207: elements without a place.
gpu.module @kernels {
  gpu.func @missing(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected a place for every element, got none for [0, 2] in carousel.layout}}
    %v = arith.constant {carousel.layout = #carousel.layout<register = [[0, 1], [1, 0]], lane = [[1, 1]]>} dense<1.0> : vector<2x4xf32>
    gpu.return
  }
}

// -----

// C207: padding has places, too.
gpu.module @kernels {
  gpu.func @padding(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    // expected-error @below {{expected a place for every element, got none for [4] in carousel.layout}}
    %v = arith.constant {carousel.layout = #carousel.layout<register = [[1], [2]]>} dense<1.0> : vector<5xf32>
    gpu.return
  }
}

// -----

// C207: too few lanes.
gpu.module @kernels {
  gpu.func @lanes(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    // expected-error @below {{expected a layout for the 32 lanes of the launch, got one for 16}}
    %v = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2], [4], [8]], register = [[16]]>} dense<1.0> : vector<32xf32>
    gpu.return
  }
}

// -----

// C207: too many lanes for a block of 8 threads.
gpu.module @kernels {
  gpu.func @threads(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    // expected-error @below {{expected a layout for the 8 lanes of the launch, got one for 32}}
    %v = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2], [4], [8], [16]]>} dense<1.0> : vector<32xf32>
    gpu.return
  }
}

// -----

// C207: too few warps.
gpu.module @kernels {
  gpu.func @warps(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    // expected-error @below {{expected a layout for the 4 warps of the launch, got one for 2}}
    %v = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2], [4], [8], [16]], warp = [[0]]>} dense<1.0> : vector<32xf32>
    gpu.return
  }
}

// -----

// C207: a block whose warps aren't a power of two.
gpu.module @kernels {
  gpu.func @power(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [96]>} {
    // expected-error @below {{expected a layout for the 3 warps of the launch, got one for 4}}
    %v = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>} dense<1.0> : vector<32xf32>
    gpu.return
  }
}

// -----

// C207: CTAs without a cluster.
gpu.module @kernels {
  gpu.func @ctas(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    // expected-error @below {{expected a layout for the 1 CTAs of the launch, got one for 2}}
    %v = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2], [4], [8], [16]], cta = [[0]]>} dense<1.0> : vector<32xf32>
    gpu.return
  }
}

// -----

// C252: writes to an argument that is only read: a vector, a number in a view, a scatter, and by a function.
gpu.module @kernels {
  func.func private @fill(%to: memref<?xf32, #gpu.address_space<global>>, %v: vector<32xf32>) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'vector.transfer_write' op expected writes of arguments that are out or inout, got one of 'x', which is in}}
    vector.transfer_write %v, %to[%c0] : vector<32xf32>, memref<?xf32, #gpu.address_space<global>>
    return
  }
  gpu.func @inputs(%x: memref<?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %v = arith.constant dense<1.0> : vector<32xf32>
    %places = arith.constant dense<0> : vector<32xindex>
    %all = arith.constant dense<true> : vector<32xi1>
    vector.transfer_write %v, %y[%c0] : vector<32xf32>, memref<?xf32, #gpu.address_space<global>>
    // expected-error @below {{got one of 'x', which is in}}
    vector.transfer_write %v, %x[%c0] : vector<32xf32>, memref<?xf32, #gpu.address_space<global>>
    %part = memref.subview %x[4] [8] [1] : memref<?xf32, #gpu.address_space<global>> to memref<8xf32, strided<[1], offset: 4>, #gpu.address_space<global>>
    // expected-error @below {{'memref.store' op expected writes of arguments that are out or inout, got one of 'x', which is in}}
    memref.store %one, %part[%c0] : memref<8xf32, strided<[1], offset: 4>, #gpu.address_space<global>>
    // expected-error @below {{got one of 'x', which is in}}
    vector.scatter %x[%c0] [%places], %all, %v : memref<?xf32, #gpu.address_space<global>>, vector<32xindex>, vector<32xi1>, vector<32xf32>
    func.call @fill(%y, %v) : (memref<?xf32, #gpu.address_space<global>>, vector<32xf32>) -> ()
    func.call @fill(%x, %v) : (memref<?xf32, #gpu.address_space<global>>, vector<32xf32>) -> ()
    func.call @fill(%x, %v) : (memref<?xf32, #gpu.address_space<global>>, vector<32xf32>) -> ()
    gpu.return
  }
}

// -----

// C248: an extent that depends on the device.
gpu.module @kernels {
  // expected-error @below {{expected a covered extent that is computed from extents, numbers and constants, got #carousel.expr<extent(0, 0) * sms>}}
  gpu.func @covers(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 0) * sms>,
      carousel.launch = #carousel.launch<grid = [1]>} {
    gpu.return
  }
}

// -----

// C302: a table that the kernel may write.
gpu.module @kernels {
  gpu.func @table(%x: memref<?x?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x", in>},
      %n: memref<?xi32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"n", inout>},
      %y: memref<?x?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    // expected-error @below {{expected a table in an argument that is in, got another memref}}
    %rows = carousel.rows %x[%n] : memref<?x?xf32, #gpu.address_space<global>>, memref<?xi32, #gpu.address_space<global>>
    %v = vector.transfer_read %rows[%c0, %c0], %pad : memref<?x?xf32, #gpu.address_space<global>>, vector<4x8xf32>
    vector.transfer_write %v, %y[%c0, %c0] : vector<4x8xf32>, memref<?x?xf32, #gpu.address_space<global>>
    gpu.return
  }
}
