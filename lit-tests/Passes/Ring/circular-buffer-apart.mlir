// Stores to the memref that a ring loads from: which boxes are provably apart.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!rows = memref<?x?xf32, #gl>
!tile = memref<128xf32, #ws>

gpu.module @apart [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // Even tiles are loaded, odd ones are stored. No load waits for a store.
  // CHECK-LABEL: gpu.func @even_and_odd
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: wait_stores complete
  // CHECK: carousel.ring.load independent
  // CHECK: scf.yield
  gpu.func @even_and_odd(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %blocks = gpu.grid_dim x
    %step = arith.muli %blocks, %c256 : index
    %in = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %step {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %next = arith.addi %i, %c128 : index
      carousel.store %in to %x[%next] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Each store reaches into the tile that the next iteration loads.
  gpu.func @overlapping(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c192 = arith.constant 192 : index
    %c256 = arith.constant 256 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c256 {
      // expected-remark @below {{not ringed: the loop stores to the same memref}}
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %next = arith.addi %i, %c192 : index
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %in to %x[%next] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Another row, stored first.
  gpu.func @other_row(%x: !rows, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      memref.store %one, %out[%thread] : !tile
      carousel.store %out to %x[%c1, %i] engine<bulk> : !tile, !rows
      carousel.load %x[%c0, %i] to %in engine<bulk> : !rows, !tile
      %v = memref.load %in[%thread] : !tile
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The same box is stored first, then loaded.
  gpu.func @stored_before(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      memref.store %one, %out[%thread] : !tile
      carousel.store %out to %x[%i] engine<bulk> : !tile, !global
      // expected-remark @below {{not ringed: the loop stores to the same memref}}
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The regions are known: loads of [0, 1024), stores of [1024, 2048).
  gpu.func @by_range(%x: !global) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c897 = arith.constant 897 : index
    %c1024 = arith.constant 1024 : index
    %in = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %c897 step %c128 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %to = arith.addi %i, %c1024 : index
      carousel.store %in to %x[%to] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Producers take no notice of stores, so the boxes of all iterations of the nest must be apart.
  // CHECK-LABEL: gpu.func @nested_in_place
  // CHECK: carousel.ring.roles
  gpu.func @nested_in_place(%x: !rows, %n: index, %m: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %row = %c0 to %m step %c1 {
      // expected-remark @below {{by producers}}
      // expected-remark @below {{stores ringed: 1}}
      scf.for %i = %c0 to %n step %c128 {
        carousel.load %x[%row, %i] to %in engine<bulk> : !rows, !tile
        carousel.store %in to %x[%row, %i] engine<bulk> : !tile, !rows
      } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    }
    gpu.return
  }

  // Each iteration of the outer loop loads what the one before has stored.
  gpu.func @repeated_in_place(%x: !global, %n: index, %m: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %turn = %c0 to %m step %c1 {
      // expected-remark @below {{loads ringed: 1, stages 4, prefetch}}
      // expected-remark @below {{stores ringed: 1}}
      // expected-remark @below {{unified instead of specialized: the kernel has 'carousel.store', which may write the memref that is loaded from}}
      scf.for %i = %c0 to %n step %c128 {
        carousel.load %x[%i] to %in engine<bulk> : !global, !tile
        carousel.store %in to %x[%i] engine<bulk> : !tile, !global
      } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    }
    gpu.return
  }

  // A write after the loop comes after all of its loads. One before it may come after them.
  gpu.func @written_after(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    // expected-remark @below {{by producers}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    memref.store %one, %x[%thread] : !global
    gpu.return
  }
  gpu.func @written_before(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    memref.store %one, %x[%thread] : !global
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch}}
    // expected-remark @below {{unified instead of specialized: the kernel has 'memref.store', which may write the memref that is loaded from}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    gpu.return
  }
}
