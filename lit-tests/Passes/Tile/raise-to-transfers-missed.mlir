// What carousel-raise-to-transfers leaves as it is, and the remark that says why.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers))' --remarks-filter-missed=carousel-raise-to-transfers --verify-diagnostics --split-input-file | FileCheck %s --implicit-check-not=carousel.load --implicit-check-not=carousel.store

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// The block is unknown.
// CHECK-LABEL: gpu.func @unknown_block
gpu.module @kernels {
  gpu.func @unknown_block(%x: !x1) workgroup(%tile: !t1) kernel {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !x1
    // expected-remark @below {{'memref.store' to a tile: 1 move not raised: the extents of the block aren't known}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>

// Every other element.
// CHECK-LABEL: gpu.func @half
gpu.module @kernels {
  gpu.func @half(%x: !x1) workgroup(%tile: memref<256xf32, #ws>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c2 = arith.constant 2 : index
    %thread = gpu.thread_id x
    %even = arith.muli %thread, %c2 : index
    %v = memref.load %x[%even] : !x1
    // expected-remark @below {{not raised: the threads carry 128 of the 255 elements of the tile}}
    memref.store %v, %tile[%even] : memref<256xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>

// A loop that ends one element early for the last thread.
// CHECK-LABEL: gpu.func @short_loop
gpu.module @kernels {
  gpu.func @short_loop(%x: !x1) workgroup(%tile: memref<512xf32, #ws>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c500 = arith.constant 500 : index
    %c512 = arith.constant 512 : index
    %thread = gpu.thread_id x
    scf.for %j = %thread to %c512 step %c128 {
      %is_in = arith.cmpi ne, %j, %c500 : index
      scf.if %is_in {
        %v = memref.load %x[%j] : !x1
        // expected-remark @below {{not raised: the threads carry 511 of the 512 elements of the tile}}
        memref.store %v, %tile[%j] : memref<512xf32, #ws>
      }
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// Rows become columns.
// CHECK-LABEL: gpu.func @transposed
gpu.module @kernels {
  gpu.func @transposed(%x: memref<?x?xf32, #gl>) workgroup(%tile: memref<8x16xf32, #ws>) kernel attributes {known_block_size = array<i32: 16, 8, 1>} {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %v = memref.load %x[%tx, %ty] : memref<?x?xf32, #gl>
    // expected-remark @below {{not raised: the elements don't lie in the tile as they lie in the global memref}}
    memref.store %v, %tile[%ty, %tx] : memref<8x16xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// A vector's dimensions are exchanged.
// CHECK-LABEL: gpu.func @transposed_vector
gpu.module @kernels {
  gpu.func @transposed_vector(%x: memref<?x?xf32, #gl>) workgroup(%tile: memref<4x4xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %zero {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]}
        : memref<?x?xf32, #gl>, vector<4x4xf32>
    // expected-remark @below {{not raised: the elements don't lie in the tile as they lie in the global memref}}
    vector.transfer_write %v, %tile[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// The tile is a permutation of the source.
// CHECK-LABEL: gpu.func @reversed
gpu.module @kernels {
  gpu.func @reversed(%x: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c127 = arith.constant 127 : index
    %thread = gpu.thread_id x
    %other = arith.subi %c127, %thread : index
    %v = memref.load %x[%other] : !x1
    // expected-remark @below {{not raised: the elements don't lie in the tile as they lie in the global memref}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Each warp has a base of its own.
// CHECK-LABEL: gpu.func @warp_base
gpu.module @kernels {
  gpu.func @warp_base(%x: !x1, %stride: index) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %base = arith.muli %warp, %stride : index
    %k = arith.addi %base, %thread : index
    %v = memref.load %x[%k] : !x1
    // expected-remark @below {{not raised: the parts of the copy don't lie at constant distances}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// The index of each thread comes from memory.
// CHECK-LABEL: gpu.func @gather
gpu.module @kernels {
  gpu.func @gather(%x: !x1, %rows: memref<?xindex, #gl>) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %row = memref.load %rows[%thread] : memref<?xindex, #gl>
    %v = memref.load %x[%row] : !x1
    // expected-remark @below {{not raised: 'memref.load' can't be evaluated for each thread}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Each thread copies what it finds in its own memory.
// CHECK-LABEL: gpu.func @own_index
gpu.module @kernels {
  gpu.func @own_index(%x: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %own = memref.alloca() : memref<1xindex>
    %row = memref.load %own[%c0] : memref<1xindex>
    %in = memref.subview %x[%row] [128] [1] : !x1 to memref<128xf32, strided<[1], offset: ?>, #gl>
    // expected-remark @below {{'memref.copy' to a tile: 1 move not raised: 'memref.load' can't be evaluated for each thread}}
    memref.copy %in, %tile : memref<128xf32, strided<[1], offset: ?>, #gl> to !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// One warp copies, as far as a run-time value says.
// CHECK-LABEL: gpu.func @branch
gpu.module @kernels {
  gpu.func @branch(%x: !x1, %n: index) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %some = arith.cmpi ult, %thread, %n : index
    scf.if %some {
      %v = memref.load %x[%thread] : !x1
      // expected-remark @below {{not raised: 'arith.cmpi' of %arg1 is known at run time only}}
      memref.store %v, %tile[%thread] : !t1
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// What one thread copies and uses by itself.
// CHECK-LABEL: gpu.func @elected
gpu.module @kernels {
  gpu.func @elected(%x: !x1, %y: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %in = memref.subview %x[0] [128] [1] : !x1 to memref<128xf32, strided<[1]>, #gl>
      // expected-remark @below {{not raised: 'memref.load' stands between the parts of the copy}}
      memref.copy %in, %tile : memref<128xf32, strided<[1]>, #gl> to !t1
      %v = memref.load %tile[%c1] : !t1
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%c0] : !x1
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A loop that threads leave on their own.
// CHECK-LABEL: gpu.func @divergent_loop
gpu.module @kernels {
  gpu.func @divergent_loop(%x: !x1, %counts: memref<?xindex, #gl>) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %count = memref.load %counts[%thread] : memref<?xindex, #gl>
    %end = scf.while (%i = %c0) : (index) -> index {
      %v = memref.load %x[%thread] : !x1
      // expected-remark @below {{not raised: not all threads visibly come to it together under 'scf.while'}}
      memref.store %v, %tile[%thread] : !t1
      %more = arith.cmpi ult, %i, %count : index
      scf.condition(%more) %i : index
    } do {
  ^bb0(%i: index):
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Branches of the cf dialect.
// CHECK-LABEL: gpu.func @blocks
gpu.module @kernels {
  gpu.func @blocks(%x: !x1, %c: i1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    cf.cond_br %c, ^then, ^end
  ^then:
    %v = memref.load %x[%thread] : !x1
    // expected-remark @below {{not raised: the copy doesn't stand in structured control flow}}
    memref.store %v, %tile[%thread] : !t1
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>

// A barrier publishes one half before the other is copied.
// CHECK-LABEL: gpu.func @barrier
gpu.module @kernels {
  gpu.func @barrier(%x: !x1) workgroup(%tile: memref<256xf32, #ws>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    scf.for %j = %thread to %c256 step %c128 {
      %v = memref.load %x[%j] : !x1
      // expected-remark @below {{not raised: 'gpu.barrier' stands between the parts of the copy}}
      memref.store %v, %tile[%j] : memref<256xf32, #ws>
      gpu.barrier
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>

// The tile is read between the parts.
// CHECK-LABEL: gpu.func @tile_read
gpu.module @kernels {
  gpu.func @tile_read(%x: !x1, %y: !x1) workgroup(%tile: memref<256xf32, #ws>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    scf.for %j = %thread to %c256 step %c128 {
      %v = memref.load %x[%j] : !x1
      // expected-remark @below {{not raised: 'memref.load' stands between the parts of the copy}}
      memref.store %v, %tile[%j] : memref<256xf32, #ws>
      %w = memref.load %tile[%thread] : memref<256xf32, #ws>
      %d = arith.addf %w, %w : f32
      memref.store %d, %y[%j] : !x1
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Global memory that may be the source is written between read and write.
// CHECK-LABEL: gpu.func @source_written
gpu.module @kernels {
  gpu.func @source_written(%x: !x1, %y: !x1, %f: f32) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !x1
    memref.store %f, %y[%thread] : !x1
    // expected-remark @below {{not raised: 'memref.store' stands between the parts of the copy}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A call may do anything.
// CHECK-LABEL: gpu.func @call
gpu.module @kernels {
  func.func private @anything()
  gpu.func @call(%x: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !x1
    func.call @anything() : () -> ()
    // expected-remark @below {{not raised: 'func.call' stands between the parts of the copy}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// The value is needed in registers, too.
// CHECK-LABEL: gpu.func @used_twice
gpu.module @kernels {
  gpu.func @used_twice(%x: !x1, %y: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !x1
    // expected-remark @below {{not raised: the value that is read is used elsewhere, too}}
    memref.store %v, %tile[%thread] : !t1
    memref.store %v, %y[%thread] : !x1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A load of clamped extent leaves the rest of the tile, which a transfer fills.
// CHECK-LABEL: gpu.func @clamped_load
gpu.module @kernels {
  gpu.func @clamped_load(%x: !x1, %i: index) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !x1
    %size = affine.min affine_map<(d0)[s0] -> (128, s0 - d0)>(%i)[%n]
    %in = memref.subview %x[%i] [%size] [1] : !x1 to memref<?xf32, strided<[1], offset: ?>, #gl>
    %out = memref.subview %tile[0] [%size] [1] : !t1 to memref<?xf32, strided<[1]>, #ws>
    // expected-remark @below {{not raised: a load would fill what a copy of dynamic extents leaves alone of the tile}}
    memref.copy %in, %out : memref<?xf32, strided<[1], offset: ?>, #gl> to memref<?xf32, strided<[1]>, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Padding other than zero; -0.0 has other bits.
// CHECK-LABEL: gpu.func @padding
gpu.module @kernels {
  gpu.func @padding(%x: !x1, %i: index) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %pad = arith.constant -0.0 : f32
    %thread = gpu.thread_id x
    %k = arith.addi %thread, %i : index
    %v = vector.transfer_read %x[%k], %pad : !x1, vector<1xf32>
    // expected-remark @below {{not raised: what is out of bounds isn't padded with zero}}
    vector.transfer_write %v, %tile[%thread] {in_bounds = [true]} : vector<1xf32>, !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A mask.
// CHECK-LABEL: gpu.func @mask
gpu.module @kernels {
  gpu.func @mask(%x: !x1, %i: index, %m: vector<1xi1>) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %pad = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %k = arith.addi %thread, %i : index
    %v = vector.transfer_read %x[%k], %pad, %m {in_bounds = [true]} : !x1, vector<1xf32>
    // expected-remark @below {{not raised: the transfer has a mask}}
    vector.transfer_write %v, %tile[%thread] {in_bounds = [true]} : vector<1xf32>, !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// What is out of bounds of a thread's view isn't so of the memref.
// CHECK-LABEL: gpu.func @thread_view
gpu.module @kernels {
  gpu.func @thread_view(%x: !x1, %s: index) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %pad = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %view = memref.subview %x[%thread] [%s] [1] : !x1 to memref<?xf32, strided<[1], offset: ?>, #gl>
    %v = vector.transfer_read %view[%c0], %pad : memref<?xf32, strided<[1], offset: ?>, #gl>, vector<1xf32>
    // expected-remark @below {{not raised: a subview that the copy may leave doesn't visibly end with its memref}}
    vector.transfer_write %v, %tile[%thread] {in_bounds = [true]} : vector<1xf32>, !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Writes that may be out of the tile's bounds.
// CHECK-LABEL: gpu.func @tile_left
gpu.module @kernels {
  gpu.func @tile_left(%x: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %pad = arith.constant 0.0 : f32
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %next = arith.addi %thread, %c1 : index
    %v = vector.transfer_read %x[%thread], %pad : !x1, vector<1xf32>
    // expected-remark @below {{not raised: the copy may leave the tile}}
    vector.transfer_write %v, %tile[%next] : vector<1xf32>, !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A store before the memref's begin.
// CHECK-LABEL: gpu.func @before_begin
gpu.module @kernels {
  gpu.func @before_begin(%x: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %k = arith.subi %thread, %c1 : index
    %v = memref.load %tile[%thread] : !t1
    // expected-remark @below {{'memref.store' from a tile: 1 move not raised: the copy leaves the global memref}}
    memref.store %v, %x[%k] : !x1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// Elements that transfers don't have: what they say themselves.
// CHECK-LABEL: gpu.func @elements
gpu.module @kernels {
  gpu.func @elements(%x: memref<?xindex, #gl>) workgroup(%tile: memref<128xindex, #ws>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : memref<?xindex, #gl>
    // expected-remark @below {{got elements of 'index'}}
    memref.store %v, %tile[%thread] : memref<128xindex, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!t1 = memref<128xf32, #ws>

// An argument that isn't said to be in global memory.
// CHECK-LABEL: gpu.func @no_space
gpu.module @kernels {
  gpu.func @no_space(%x: memref<?xf32>) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : memref<?xf32>
    // expected-remark @below {{not raised: the type of the kernel's argument doesn't say that it is in global memory}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!t1 = memref<128xf32, #ws>

// An element that is converted on the way is no copy.
// CHECK-LABEL: gpu.func @converted
gpu.module @kernels {
  gpu.func @converted(%x: memref<?xf16, #gl>) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %h = memref.load %x[%thread] : memref<?xf16, #gl>
    %v = arith.extf %h : f16 to f32
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>

// More places than are looked at.
// CHECK-LABEL: gpu.func @many_steps
gpu.module @kernels {
  gpu.func @many_steps(%x: !x1) workgroup(%tile: memref<8192xf32, #ws>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c8192 = arith.constant 8192 : index
    %thread = gpu.thread_id x
    scf.for %j = %thread to %c8192 step %c1 {
      %v = memref.load %x[%j] : !x1
      // expected-remark @below {{not raised: the copy takes more than 1048576 steps of all threads}}
      memref.store %v, %tile[%j] : memref<8192xf32, #ws>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Asynchronous copies of one group stay together.
// CHECK-LABEL: gpu.func @split_group
gpu.module @kernels {
  gpu.func @split_group(%x: !x1, %n: index) workgroup(%a: !t1, %b: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    // expected-remark @below {{not raised: another copy of its group isn't raised}}
    %0 = nvgpu.device_async_copy %x[%thread], %a[%thread], 1 : !x1 to !t1
    // expected-remark @below {{not raised: the copy may read less than it writes}}
    %1 = nvgpu.device_async_copy %x[%thread], %b[%thread], 1, %n : !x1 to !t1
    %group = nvgpu.device_async_create_group %0, %1
    nvgpu.device_async_wait %group
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A token that a loop carries.
// CHECK-LABEL: gpu.func @carried_token
gpu.module @kernels {
  gpu.func @carried_token(%x: !x1, %n: index) workgroup(%a: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    // expected-remark @below {{not raised: the token of the copy's group doesn't go straight to a wait}}
    %0 = nvgpu.device_async_copy %x[%thread], %a[%thread], 1 : !x1 to !t1
    %first = nvgpu.device_async_create_group %0
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%token = %first) -> !nvgpu.device.async.token {
      nvgpu.device_async_wait %token
      %none = nvgpu.device_async_create_group
      scf.yield %none : !nvgpu.device.async.token
    }
    gpu.return
  }
}
