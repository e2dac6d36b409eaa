// Copies that carousel-raise-to-transfers leaves as they are, and the remark that says why: what happens out of
// bounds.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers))' --remarks-filter-missed=carousel-raise-to-transfers --verify-diagnostics --split-input-file | FileCheck %s --implicit-check-not=carousel.load --implicit-check-not=carousel.store

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
