// Loads whose offsets come from tiles: the tile's ring runs further ahead, and each reason against it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!indices = memref<?xi64, #gl>
!tile = memref<1024xf32, #ws>
!ids = memref<4xi64, #ws>

gpu.module @operands [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @gather
  // CHECK-DAG: %[[IDS:.*]] = carousel.ring.create : <7 x memref<4xi64
  // CHECK-DAG: %[[ROWS:.*]] = carousel.ring.create : <4 x memref<1024xf32
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[IDS]]{{.*}} ahead(5)
  // CHECK: scf.for %{{.*}} iter_args(%[[ROW_USE:.*]] = %{{.*}}, %[[ID_USE:.*]] = %{{.*}})
  // CHECK: carousel.ring.wait %[[IDS]][%[[ID_USE]]]
  // CHECK: %[[TILE:.*]] = carousel.ring.tile %[[IDS]][%[[ID_USE]]], 0
  // CHECK: carousel.ring.produce %[[ROWS]][%[[ROW_USE]]] ahead(2)
  // CHECK: %[[ID:.*]] = memref.load %[[TILE]]
  // CHECK: %[[AT:.*]] = arith.index_cast %[[ID]]
  // CHECK: carousel.ring.load %{{.*}}[%[[AT]]]
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: carousel.ring.produce %[[IDS]]{{.*}} ahead(5)
  // CHECK: scf.if
  // CHECK: carousel.ring.wait %[[IDS]][%[[AHEAD:.*]]]
  // CHECK: carousel.ring.tile %[[IDS]][%[[AHEAD]]]
  // CHECK: carousel.ring.produce %[[ROWS]]{{.*}} ahead(2)
  // CHECK-NOT: carousel.ring.wait %[[IDS]]
  // CHECK: carousel.ring.wait %[[ROWS]]
  // CHECK: carousel.ring.release %[[IDS]]
  gpu.func @gather(%x: !global, %index: !indices, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %ids = memref.alloc() : !ids
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 7, prefetch 5}}
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    scf.for %i = %c0 to %n step %c4 {
      carousel.load %index[%i] to %ids engine<bulk> : !indices, !ids
      %id = memref.load %ids[%c0] : !ids
      %r = arith.index_cast %id : i64 to index
      carousel.load %x[%r] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The list gives the tile of indices too few stages for the prefetch of the other ring.
  // CHECK-LABEL: gpu.func @listed
  gpu.func @listed(%x: !global, %index: !indices, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %ids = memref.alloc() : !ids
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 2, prefetch 1}}
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 0}}
    // expected-remark @below {{prefetch 0 instead of 2: the tile of the operands has too few stages}}
    scf.for %i = %c0 to %n step %c4 {
      carousel.load %index[%i] to %ids engine<bulk> : !indices, !ids
      %id = memref.load %ids[%c0] : !ids
      %r = arith.index_cast %id : i64 to index
      carousel.load %x[%r] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = [2, 4]>}
    gpu.return
  }

  // Threads write the tile of indices, too.
  // CHECK-LABEL: gpu.func @changed_by_threads
  gpu.func @changed_by_threads(%x: !global, %index: !indices, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %ids = memref.alloc() : !ids
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4}}
    scf.for %i = %c0 to %n step %c4 {
      carousel.load %index[%i] to %ids engine<bulk> : !indices, !ids
      %i64 = arith.index_cast %i : index to i64
      memref.store %i64, %ids[%c0] : !ids
      gpu.barrier
      %id = memref.load %ids[%c0] : !ids
      %r = arith.index_cast %id : i64 to index
      // expected-remark @below {{not ringed: its operands depend on 'memref.load', which can't be executed ahead}}
      carousel.load %x[%r] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The tile of indices is read before it is loaded.
  // CHECK-LABEL: gpu.func @of_the_iteration_before
  gpu.func @of_the_iteration_before(%x: !global, %index: !indices, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %ids = memref.alloc() : !ids
    %t = memref.alloc() : !tile
    carousel.load %index[%n] to %ids engine<bulk> : !indices, !ids
    scf.for %i = %c0 to %n step %c4 {
      %id = memref.load %ids[%c0] : !ids
      %r = arith.index_cast %id : i64 to index
      // expected-remark @below {{not ringed: its operands are read from a tile that uses no ring}}
      carousel.load %x[%r] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
      // expected-remark @below {{not ringed: its tile is accessed by 'memref.load' before it is loaded}}
      carousel.load %index[%i] to %ids engine<bulk> : !indices, !ids
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The outer loop loads the tile of indices: the inner loop doesn't change it.
  // CHECK-LABEL: gpu.func @nested
  // CHECK: carousel.ring.wait %[[IDS:.*]][
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[ROWS:.*]][%{{.*}}] ahead(2)
  // CHECK: memref.load
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[ROWS]]
  // CHECK: carousel.ring.wait %[[ROWS]]
  // CHECK: carousel.ring.release %[[IDS]]
  gpu.func @nested(%x: !global, %index: !indices, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %ids = memref.alloc() : !ids
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 3}}
    scf.for %i = %c0 to %n step %c4 {
      carousel.load %index[%i] to %ids engine<bulk> : !indices, !ids
      // expected-remark @below {{loads ringed: 1, stages 4}}
      scf.for %k = %c0 to %c4 step %c1 {
        %id = memref.load %ids[%k] : !ids
        %r = arith.index_cast %id : i64 to index
        carousel.load %x[%r] to %t engine<bulk> : !global, !tile
        %v = memref.load %t[%thread] : !tile
        memref.store %v, %y[%i] : !global
      } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // The tile of indices is loaded before the loop: the first loads wait for it.
  // CHECK-LABEL: gpu.func @loaded_before
  // CHECK-NOT: ahead(2)
  // CHECK: carousel.ring.wait
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %{{.*}} ahead(2)
  // CHECK-NEXT: memref.load
  gpu.func @loaded_before(%x: !global, %index: !indices, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %ids = memref.alloc() : !ids
    %t = memref.alloc() : !tile
    carousel.load %index[%n] to %ids engine<bulk> : !indices, !ids
    // expected-remark @below {{loads ringed: 1, stages 4}}
    scf.for %k = %c0 to %c4 step %c1 {
      %id = memref.load %ids[%k] : !ids
      %r = arith.index_cast %id : i64 to index
      carousel.load %x[%r] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%k] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Threads write the indices before the loop, and their barrier is in it.
  // CHECK-LABEL: gpu.func @written_by_threads
  gpu.func @written_by_threads(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %first = arith.cmpi eq, %thread, %c0 : index
    %ids = memref.alloc() : !ids
    %t = memref.alloc() : !tile
    scf.if %first {
      %n64 = arith.index_cast %n : index to i64
      memref.store %n64, %ids[%c0] : !ids
    }
    scf.for %k = %c0 to %c4 step %c1 {
      gpu.barrier
      %id = memref.load %ids[%c0] : !ids
      %r = arith.index_cast %id : i64 to index
      // expected-remark @below {{not ringed: its operands depend on 'memref.load', which can't be executed ahead}}
      carousel.load %x[%r] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%k] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
