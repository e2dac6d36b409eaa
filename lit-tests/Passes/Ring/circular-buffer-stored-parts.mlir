// Parts and views of tiles that are stored: which stores keep their rings, and what their slots hold.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,canonicalize,cse))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<256xf32, #ws>
!lower = memref<128xf32, strided<[1]>, #ws>
!upper = memref<128xf32, strided<[1], offset: 128>, #ws>
!rows = memref<2x128xf32, #ws>
!element = memref<1xf32, strided<[1], offset: ?>, #ws>

gpu.module @parts [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // Two stores share the slots. The second one needs no wait.
  // CHECK-LABEL: gpu.func @stored_halves
  // CHECK: scf.for
  // CHECK: carousel.ring.wait_stores read 0
  // CHECK: carousel.ring.sync
  // CHECK: carousel.ring.submit
  // CHECK-NOT: wait_stores
  // CHECK-NOT: ring.sync
  // CHECK: carousel.ring.submit
  // CHECK: scf.yield
  gpu.func @stored_halves(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    // expected-remark @below {{stores ringed: 2}}
    scf.for %i = %c0 to %n step %c256 {
      %v = arith.constant 1.0 : f32
      memref.store %v, %out[%thread] : !tile
      memref.store %v, %out1[%thread] : !upper
      carousel.store %out0 to %y[%i] engine<bulk> : !lower, !global
      %next = arith.addi %i, %c128 : index
      carousel.store %out1 to %y[%next] engine<bulk> : !upper, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @stored_then_written(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    scf.for %i = %c0 to %n step %c256 {
      %v = arith.constant 1.0 : f32
      memref.store %v, %out[%thread] : !tile
      memref.store %v, %out1[%thread] : !upper
      // expected-remark @below {{not ringed: its tile is written by 'memref.store' after it is stored}}
      carousel.store %out0 to %y[%i] engine<bulk> : !lower, !global
      memref.store %v, %out[%thread] : !tile
      %next = arith.addi %i, %c128 : index
      carousel.store %out1 to %y[%next] engine<bulk> : !upper, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @stored_twice(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    scf.for %i = %c0 to %n step %c256 {
      %v = arith.constant 1.0 : f32
      memref.store %v, %out[%thread] : !tile
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %out0 to %y[%i] engine<bulk> : !lower, !global
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %out0 to %x[%i] engine<bulk> : !lower, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @stored_under_conditions(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    scf.for %i = %c0 to %n step %c256 {
      %v = arith.constant 1.0 : f32
      memref.store %v, %out[%thread] : !tile
      // expected-remark @below {{not ringed: another part of its tile is stored under another condition}}
      carousel.store %out0 to %y[%i] engine<bulk> : !lower, !global
      memref.store %v, %out1[%thread] : !upper
      %is = arith.cmpi slt, %i, %p : index
      scf.if %is {
        // expected-remark @below {{not ringed: another part of its tile is stored under another condition}}
        carousel.store %out1 to %y[%i] engine<bulk> : !upper, !global
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The stored tile and its reader are views with other dimensions.
  gpu.func @reshaped(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    %rows = memref.expand_shape %out [[0, 1]] output_shape [2, 128] : !tile into !rows
    %z = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 128], strides: [128, 1] : !global to memref<?x128xf32, #gl>
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c256 {
      %v = arith.constant 1.0 : f32
      memref.store %v, %out0[%thread] : !lower
      %view = memref.subview %out[%other] [1] [1] : !tile to !element
      memref.store %v, %view[%c0] : !element
      %a = memref.load %out[%c0] : !tile
      carousel.store %rows to %z[%i, %c0] engine<bulk> : !rows, memref<?x128xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The upper half of the buffer is read, but not written.
  gpu.func @read_elsewhere(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    scf.for %i = %c0 to %n step %c256 {
      %v = arith.constant 1.0 : f32
      memref.store %v, %out[%thread] : !tile
      %a = memref.load %out[%other] : !tile
      memref.store %a, %x[%i] : !global
      // expected-remark @below {{not ringed: it isn't visible that each iteration writes the whole tile, and all that is read of its buffer}}
      carousel.store %out0 to %y[%i] engine<bulk> : !lower, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The halves are loaded, and stored as a whole.
  gpu.func @in_place(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    // expected-remark @below {{loads ringed: 2}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %next = arith.addi %i, %c128 : index
      carousel.load %x[%next] to %in1 engine<bulk> : !global, !upper
      carousel.store %in to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @in_place_too_much(%x: !global, %y: !global, %n: index, %p: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %other = arith.addi %thread, %c128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %in0 = memref.subview %in[0] [128] [1] : !tile to !lower
    %in1 = memref.subview %in[128] [128] [1] : !tile to !upper
    %out0 = memref.subview %out[0] [128] [1] : !tile to !lower
    %out1 = memref.subview %out[128] [128] [1] : !tile to !upper
    scf.for %i = %c0 to %n step %c256 {
      // expected-remark @below {{not ringed: other parts of its buffer are accessed in the loop by 'carousel.store'}}
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %in to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
