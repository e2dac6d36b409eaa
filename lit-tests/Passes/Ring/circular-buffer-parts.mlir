// Parts and views of tiles that are loaded: which loads keep their rings, and what their slots hold.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,canonicalize,cse))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<256xf32, #ws>
!lower = memref<128xf32, strided<[1]>, #ws>
!upper = memref<128xf32, strided<[1], offset: 128>, #ws>
!middle = memref<128xf32, strided<[1], offset: 64>, #ws>
!quarter = memref<64xf32, strided<[1]>, #ws>

gpu.module @parts [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // One ring whose slots have the whole buffer.
  // CHECK-LABEL: gpu.func @halves
  // CHECK: %[[RING:.*]] = carousel.ring.create {{.*}}<4 x memref<256xf32
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[RING]]
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile %[[RING]]
  // CHECK: %[[LOWER:.*]] = memref.subview %[[SLOT]][0] [128]
  // CHECK: carousel.ring.load %{{.*}} to %[[LOWER]]
  // CHECK: %[[UPPER:.*]] = memref.subview %[[SLOT]][128] [128]
  // CHECK: carousel.ring.load %{{.*}} to %[[UPPER]]
  // CHECK: %[[TILE:.*]] = carousel.ring.tile %[[RING]]
  // CHECK: carousel.ring.wait %[[RING]]
  // CHECK: memref.load %[[TILE]]
  gpu.func @halves(%x: !global, %y: !global, %n: index, %p: index) kernel
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
    // expected-remark @below {{loads ringed: 2, stages 4, prefetch 2}}
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %next = arith.addi %i, %c128 : index
      carousel.load %x[%next] to %in1 engine<bulk> : !global, !upper
      %a = memref.load %in[%thread] : !tile
      %b = memref.load %in1[%thread] : !upper
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The loads of one buffer share a ring. The first one determines the stages.
  gpu.func @halves_of_list(%x: !global, %y: !global, %n: index, %p: index) kernel
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
    // expected-remark @below {{loads ringed: 2, stages 3}}
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %next = arith.addi %i, %c128 : index
      // expected-remark @below {{stages 3 instead of 5: another load of its tile has the ring}}
      carousel.load %x[%next] to %in1 engine<bulk> : !global, !upper
      %a = memref.load %in[%thread] : !tile
      memref.store %a, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = [3, 5]>}
    gpu.return
  }

  // Each half is in use before the other one is loaded.
  gpu.func @half_by_half(%x: !global, %y: !global, %n: index, %p: index) kernel
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
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %a = memref.load %in0[%thread] : !lower
      %next = arith.addi %i, %c128 : index
      carousel.load %x[%next] to %in1 engine<bulk> : !global, !upper
      %b = memref.load %in[%thread] : !tile
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The upper half is that of the previous iteration.
  gpu.func @half_too_early(%x: !global, %y: !global, %n: index, %p: index) kernel
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
      // expected-remark @below {{not ringed: another load of its tile isn't}}
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %a = memref.load %in[%other] : !tile
      %next = arith.addi %i, %c128 : index
      // expected-remark @below {{not ringed: its tile is accessed by 'memref.load' before it is loaded}}
      carousel.load %x[%next] to %in1 engine<bulk> : !global, !upper
      memref.store %a, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Nothing loads the upper half.
  gpu.func @half_missing(%x: !global, %y: !global, %n: index, %p: index) kernel
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
      // expected-remark @below {{not ringed: other parts of its buffer are accessed in the loop by 'memref.load'}}
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %a = memref.load %in[%other] : !tile
      memref.store %a, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // A part of the loaded part needs no more.
  gpu.func @part_of_half(%x: !global, %y: !global, %n: index, %p: index) kernel
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
    %part = memref.subview %in[0] [64] [1] : !tile to !quarter
    // expected-remark @below {{loads ringed: 1}}
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %a = memref.load %part[%c0] : !quarter
      memref.store %a, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @overlapping(%x: !global, %y: !global, %n: index, %p: index) kernel
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
    %middle = memref.subview %in[64] [128] [1] : !tile to !middle
    scf.for %i = %c0 to %n step %c256 {
      // expected-remark @below {{not ringed: its tile has another load in the loop, for other threads or through another view}}
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      // expected-remark @below {{not ringed: its tile has another load in the loop, for other threads or through another view}}
      carousel.load %x[%i] to %middle engine<bulk> : !global, !middle
      %a = memref.load %in0[%thread] : !lower
      memref.store %a, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @one_under_condition(%x: !global, %y: !global, %n: index, %p: index) kernel
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
      // expected-remark @below {{not ringed: another load of its tile isn't}}
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %is = arith.cmpi slt, %i, %p : index
      scf.if %is {
        // expected-remark @below {{not ringed: its tile is accessed by 'memref.load' where it may not be loaded}}
        carousel.load %x[%i] to %in1 engine<bulk> : !global, !upper
      }
      %a = memref.load %in[%thread] : !tile
      memref.store %a, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Accesses outside of the loop find both halves in the last slot.
  gpu.func @used_outside(%x: !global, %y: !global, %n: index, %p: index) kernel
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
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %next = arith.addi %i, %c128 : index
      carousel.load %x[%next] to %in1 engine<bulk> : !global, !upper
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %a = memref.load %in[%other] : !tile
    memref.store %a, %y[%c0] : !global
    gpu.return
  }

  // The second loop reads what the first one has left in the upper half.
  gpu.func @left_to_another_loop(%x: !global, %y: !global, %n: index, %p: index) kernel
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
      // expected-remark @below {{not ringed: its tile is loaded outside of the loop, too}}
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %next = arith.addi %i, %c128 : index
      // expected-remark @below {{not ringed: its tile is loaded outside of the loop, too}}
      carousel.load %x[%next] to %in1 engine<bulk> : !global, !upper
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in0 engine<bulk> : !global, !lower
      %a = memref.load %in[%other] : !tile
      memref.store %a, %y[%i] : !global
    }
    gpu.return
  }
}
