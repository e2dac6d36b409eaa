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

  // The box is stored before its tile is read: the load must have landed by then.
  // CHECK-LABEL: gpu.func @stored_before_use
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: carousel.ring.wait %[[RING:.*]][
  // CHECK: carousel.ring.store
  // CHECK: memref.load
  // CHECK: carousel.ring.release %[[RING]][
  gpu.func @stored_before_use(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      memref.store %one, %out[%thread] : !tile
      carousel.store %out to %x[%i] engine<bulk> : !tile, !global
      %v = memref.load %in[%thread] : !tile
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

  // Later iterations load what no earlier one has stored: boxes to the right of it.
  // CHECK-LABEL: gpu.func @shifted_left
  // CHECK: carousel.ring.load independent
  gpu.func @shifted_left(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %extent = memref.dim %x, %c0 : !global
    %middle = arith.divui %extent, %c2 : index
    %in = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      %from = arith.addi %i, %middle : index
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      carousel.store %in to %x[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // To the left of it, each one loads what the one before has stored.
  gpu.func @shifted_right(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c128 to %n step %c128 {
      %from = arith.subi %i, %c128 : index
      // expected-remark @below {{not ringed: the loop stores to the same memref}}
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %in to %x[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Backwards, the two change places.
  gpu.func @backwards(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      %to = arith.subi %n, %i : index
      %from = arith.subi %to, %c128 : index
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      carousel.store %in to %x[%to] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
  gpu.func @backwards_left(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      %from = arith.subi %n, %i : index
      %to = arith.subi %from, %c128 : index
      // expected-remark @below {{not ringed: the loop stores to the same memref}}
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %in to %x[%to] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Arguments that may be the same memref are compared box by box, and so are equal views of them.
  // CHECK-LABEL: gpu.func @aliased
  // CHECK: carousel.ring.load independent %{{.*}} : memref<?xf32
  gpu.func @aliased(%x: !global, %y: !global {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      carousel.store %in to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
  gpu.func @aliased_views(%x: !rows, %y: !rows {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}, %n: index, %row: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    %from = memref.subview %x[%row, 0] [1, %n] [1, 1] : !rows to memref<?xf32, strided<[1], offset: ?>, #gl>
    %to = memref.subview %y[%row, 0] [1, %n] [1, 1] : !rows to memref<?xf32, strided<[1], offset: ?>, #gl>
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %from[%i] to %in engine<bulk> : memref<?xf32, strided<[1], offset: ?>, #gl>, !tile
      carousel.store %in to %to[%i] engine<bulk> : !tile, memref<?xf32, strided<[1], offset: ?>, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
  gpu.func @aliased_other_views(%x: !rows, %y: !rows {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}, %n: index, %row: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    %next = arith.addi %row, %c1 : index
    %from = memref.subview %x[%row, 0] [1, %n] [1, 1] : !rows to memref<?xf32, strided<[1], offset: ?>, #gl>
    %to = memref.subview %y[%next, 0] [1, %n] [1, 1] : !rows to memref<?xf32, strided<[1], offset: ?>, #gl>
    scf.for %i = %c0 to %n step %c128 {
      // expected-remark @below {{not ringed: the loop stores to the same memref}}
      carousel.load %from[%i] to %in engine<bulk> : memref<?xf32, strided<[1], offset: ?>, #gl>, !tile
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %in to %to[%i] engine<bulk> : !tile, memref<?xf32, strided<[1], offset: ?>, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Each iteration would load what another argument, if it is the same, has got from the one before.
  gpu.func @aliased_overlapping(%x: !global, %y: !global {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c64 {
      // expected-remark @below {{not ringed: the loop stores to the same memref}}
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %in to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // A guard is a fact. Without it the same kernel has no ring (guard-boxes.mlir).
  // CHECK-LABEL: gpu.func @guarded
  // CHECK: carousel.ring.load independent
  gpu.func @guarded(%x: !global, %n: index, %s: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  carousel.variant = #carousel.variant<kernel = "shift", guards = [
                    range(max(scalar(2), ceildiv(scalar(1), 128) * -128 - scalar(2)), 0, 9223372036854775807)]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1}}
    // expected-remark @below {{stores ringed: 1}}
    scf.for %i = %c0 to %n step %c128 {
      %from = arith.addi %i, %s : index
      carousel.load %x[%from] to %in engine<bulk> : !global, !tile
      carousel.store %in to %x[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
