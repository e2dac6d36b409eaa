// Copies that carousel-raise-to-transfers leaves as they are, and the remark that says why: the elements that
// threads copy are no box, are unknown, or have a type that transfers refuse.
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
