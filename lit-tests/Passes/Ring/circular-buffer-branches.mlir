// Loads under conditions: one ring for the tile that branches load, and each reason against it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>
!pair = memref<2x1024xf32, #ws>
!part = memref<1024xf32, strided<[1], offset: ?>, #ws>

gpu.module @branches [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @two_sources
  // CHECK-SAME: (%[[X:[^:]*]]: {{.*}}>>, %[[Y:[^:]*]]: {{.*}}>>, %{{[^:]*}}: {{.*}}>>, %
  // CHECK: %[[RING:.*]] = carousel.ring.create : <3 x memref<1024xf32
  // CHECK-NOT: carousel.ring.create
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[RING]]
  // CHECK: scf.for %[[I:[^ ]*]] =
  // CHECK: carousel.ring.produce %[[RING]]
  // CHECK: scf.if
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile %[[RING]][%[[USE:.*]]], 0
  // CHECK: carousel.ring.load %[[X]][%{{.*}}] to %[[SLOT]]
  // CHECK: } else {
  // CHECK: %[[SLOT:.*]] = carousel.ring.tile %[[RING]][%[[USE]]], 0
  // CHECK: carousel.ring.load %[[Y]][%{{.*}}] to %[[SLOT]]
  // CHECK: carousel.ring.wait %[[RING]]
  // CHECK: memref.load
  // CHECK: carousel.ring.release %[[RING]]
  gpu.func @two_sources(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 2, stages 3}}
    scf.for %i = %c0 to %n step %c1024 {
      %c = arith.cmpi ult, %i, %c4096 : index
      scf.if %c {
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      } else {
        carousel.load %y[%i] to %t engine<bulk> : !global, !tile
      }
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %z[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // An access under the load's condition comes after the load. The other tile has a ring with as many slots as it asks for.
  // CHECK-LABEL: gpu.func @same_condition
  // CHECK-COUNT-2: carousel.ring.create : <{{[34]}} x
  // CHECK-NOT: carousel.ring.create
  gpu.func @same_condition(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    %u = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 2, stages 3}}
    // expected-remark @below {{loads ringed: 1, stages 4}}
    scf.for %i = %c0 to %n step %c1024 {
      %c = arith.cmpi ult, %i, %c4096 : index
      scf.if %c {
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      } else {
        // expected-remark @below {{stages 3 instead of 5: another load of its tile has the ring}}
        carousel.load %y[%i] to %t engine<bulk> : !global, !tile
      }
      scf.if %c {
        carousel.load %y[%i] to %u engine<bulk> : !global, !tile
      }
      scf.if %c {
        %v = memref.load %t[%thread] : !tile
        %w = memref.load %u[%thread] : !tile
        %s = arith.addf %v, %w : f32
        memref.store %s, %z[%i] : !global
      }
    } {carousel.pipeline = #carousel.pipeline<stages = [3, 5, 4]>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @not_in_all_branches
  // CHECK-NOT: x memref<1024xf32
  gpu.func @not_in_all_branches(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      %c = arith.cmpi ult, %i, %c4096 : index
      %d = arith.cmpi eq, %i, %c0 : index
      scf.if %c {
        // expected-remark @below {{not ringed: its tile is accessed by 'memref.load' where it may not be loaded}}
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      } else {
        scf.if %d {
          // expected-remark @below {{not ringed: its tile is accessed by 'memref.load' where it may not be loaded}}
          carousel.load %y[%i] to %t engine<bulk> : !global, !tile
        }
      }
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %z[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // The condition of the access may hold where that of the load doesn't.
  // CHECK-LABEL: gpu.func @another_condition
  // CHECK-NOT: x memref<1024xf32
  gpu.func @another_condition(%x: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      %c = arith.cmpi ult, %i, %c4096 : index
      scf.if %c {
        // expected-remark @below {{not ringed: its tile is accessed by 'memref.load' where it may not be loaded}}
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      }
      scf.if %c {
        scf.yield
      } else {
        %v = memref.load %t[%thread] : !tile
        memref.store %v, %z[%i] : !global
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Two loads that one iteration may execute both.
  // CHECK-LABEL: gpu.func @one_after_the_other
  // CHECK-NOT: x memref<1024xf32
  gpu.func @one_after_the_other(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      // expected-remark @below {{not ringed: its tile is loaded twice in the loop}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %c = arith.cmpi ult, %i, %c4096 : index
      scf.if %c {
        // expected-remark @below {{not ringed: its tile is loaded twice in the loop}}
        carousel.load %y[%i] to %t engine<bulk> : !global, !tile
      }
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %z[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // One of two loads can't run ahead, so neither does: a slot can't take the place of the buffer in one branch only.
  // CHECK-LABEL: gpu.func @both_or_none
  // CHECK-NOT: x memref<1024xf32
  gpu.func @both_or_none(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      %c = arith.cmpi ult, %i, %c4096 : index
      scf.if %c {
        // expected-remark @below {{not ringed: another load of its tile isn't}}
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      } else {
        // expected-remark @below {{not ringed: the loop writes the memref that is loaded from by 'memref.store'}}
        carousel.load %y[%i] to %t engine<bulk> : !global, !tile
      }
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Each branch loads another part of the buffer.
  // CHECK-LABEL: gpu.func @other_parts
  // CHECK-NOT: x memref<2x1024xf32
  gpu.func @other_parts(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !pair
    %first = memref.subview %t[%c0, 0] [1, 1024] [1, 1] : !pair to !part
    %second = memref.subview %t[%n, 0] [1, 1024] [1, 1] : !pair to !part
    scf.for %i = %c0 to %n step %c1024 {
      %c = arith.cmpi ult, %i, %c4096 : index
      scf.if %c {
        // expected-remark @below {{not ringed: its tile has another load in the loop, for other threads or through another view}}
        carousel.load %x[%i] to %first engine<bulk> : !global, !part
      } else {
        // expected-remark @below {{not ringed: its tile has another load in the loop, for other threads or through another view}}
        carousel.load %y[%i] to %second engine<bulk> : !global, !part
      }
      %v = memref.load %first[%thread] : !part
      memref.store %v, %z[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // After the loop the slot of the last iteration has the tile: each iteration loads it.
  // CHECK-LABEL: gpu.func @used_after
  // CHECK: carousel.ring.create : <3 x memref<1024xf32
  gpu.func @used_after(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 2, stages 3}}
    scf.for %i = %c0 to %n step %c1024 {
      %c = arith.cmpi ult, %i, %c4096 : index
      scf.if %c {
        carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      } else {
        carousel.load %y[%i] to %t engine<bulk> : !global, !tile
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %v = memref.load %t[%thread] : !tile
    memref.store %v, %z[%thread] : !global
    gpu.return
  }
}
