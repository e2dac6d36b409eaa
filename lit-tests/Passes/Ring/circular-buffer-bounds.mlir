// Bounds of loads that run ahead don't overflow, whatever the step is, for all types of induction variables.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>

gpu.module @bounds [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // A step that isn't known is capped where three of it would not fit, bounds before they leave the type.
  // CHECK-LABEL: gpu.func @any_step
  // CHECK-SAME: %[[LB:[^ ]*]]: index, %[[UB:[^ ]*]]: index, %[[S:[^ ]*]]: index) kernel
  // CHECK-DAG: %[[MOST:.*]] = arith.constant 9223372036854775807 : index
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant -9223372036854775808 : index
  // CHECK-DAG: %[[THIRD:.*]] = arith.constant 3074457345618258602 : index
  // CHECK: %[[CAPPED:.*]] = arith.minsi %[[S]], %[[THIRD]]
  // CHECK: %[[D:.*]] = arith.muli %[[CAPPED]], %c3
  // CHECK: %[[LAST:.*]] = arith.subi %[[MOST]], %[[D]]
  // CHECK: %[[BEGIN:.*]] = arith.minsi %[[LB]], %[[LAST]]
  // CHECK: %[[THIRD_ON:.*]] = arith.addi %[[BEGIN]], %[[D]]
  // CHECK: %[[END:.*]] = arith.minsi %[[THIRD_ON]], %[[UB]]
  // CHECK: scf.for %{{.*}} = %[[LB]] to %[[END]] step %[[S]]
  // CHECK: %[[FIRST:.*]] = arith.addi %[[D]], %[[LEAST]]
  // CHECK: %[[CLAMPED:.*]] = arith.maxsi %[[UB]], %[[FIRST]]
  // CHECK: %[[STEADY:.*]] = arith.subi %[[CLAMPED]], %[[D]]
  // CHECK: scf.for %[[I:.*]] = %[[LB]] to %[[UB]] step %[[S]]
  // CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[I]], %[[STEADY]]
  // CHECK-NEXT: scf.if %[[THERE]] {
  gpu.func @any_step(%x: !global, %y: !global, %lb: index, %ub: index, %s: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %lb to %ub step %s {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    gpu.return
  }

  // Three steps of 2^62 don't fit: there is no iteration three later.
  // CHECK-LABEL: gpu.func @long_step
  // CHECK-SAME: %[[UB:[^ ]*]]: index) kernel
  // CHECK: scf.for %{{.*}} = %c0 to %[[UB]] step %c4611686018427387904
  // CHECK: %[[CLAMPED:.*]] = arith.maxsi %[[UB]], %c-1 : index
  // CHECK: %[[STEADY:.*]] = arith.subi %[[CLAMPED]], %c9223372036854775807
  // CHECK: arith.cmpi slt, %{{.*}}, %[[STEADY]]
  gpu.func @long_step(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = arith.constant 4611686018427387904 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %s {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    gpu.return
  }

  // Known bounds leave nothing to be computed.
  // CHECK-LABEL: gpu.func @known
  // CHECK: scf.for %{{.*}} = %c0 to %c256 step %c128
  // CHECK: scf.for %[[I:.*]] = %c0 to %c1024 step %c128
  // CHECK: arith.cmpi slt, %[[I]], %c768
  gpu.func @known(%x: !global, %y: !global) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %c1024 step %c128 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 2>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @narrow
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32
  // CHECK: %[[STEADY:.*]] = arith.subi %{{.*}}, %c256_i32 : i32
  // CHECK: %[[STOP:.*]]:2 = scf.for %[[I:[^ ]*]] = %c0_i32 to %[[STEADY]] step %c128_i32 {{.*}} -> (index, i32) : i32
  // CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %c256_i32 : i32
  // CHECK: arith.index_cast %[[AHEAD]] : i32 to index
  // CHECK: scf.for %{{.*}} = %[[STOP]]#{{[01]}} to %{{.*}} step %c128_i32
  gpu.func @narrow(%x: !global, %y: !global, %n: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %k = %c0 to %n step %c128 : i32 {
      %i = arith.index_cast %k : i32 to index
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 2, epilogue = peeled>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unsigned
  // CHECK: arith.minui
  // CHECK: scf.for unsigned
  // CHECK: arith.maxui
  // CHECK: scf.for unsigned %[[I:[^ ]*]] =
  // CHECK: arith.cmpi ult, %[[I]]
  gpu.func @unsigned(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for unsigned %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 2>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unsigned_roles
  // CHECK: producer threads
  // CHECK: scf.for unsigned
  // CHECK: consumer threads
  // CHECK: scf.for unsigned
  gpu.func @unsigned_roles(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for unsigned %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }

  // Numbers of blocks and extents are far from the ends of their type, and nothing is capped.
  // CHECK-LABEL: gpu.func @far_from_ends
  // CHECK: %[[LB:.*]] = arith.muli %{{.*}}, %c256 : index
  // CHECK: %[[THIRD_ON:.*]] = arith.addi %[[LB]], %c384 : index
  // CHECK-NEXT: %[[END:.*]] = arith.minsi %[[THIRD_ON]], %[[UB:.*]] : index
  // CHECK-NEXT: scf.for %{{.*}} = %[[LB]] to %[[END]] step %c128
  // CHECK-NOT: arith.maxsi
  // CHECK: %[[STEADY:.*]] = arith.subi %[[UB]], %c384 : index
  gpu.func @far_from_ends(%x: !global, %y: !global) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %n = memref.dim %x, %c0 : !global
    %lb = arith.muli %block, %c256 : index
    %t = memref.alloc() : !tile
    scf.for %i = %lb to %n step %c128 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    gpu.return
  }

  // Nor is a step that is a number of blocks; an end that may be anything is.
  // CHECK-LABEL: gpu.func @by_blocks
  // CHECK-SAME: %[[ANY:[^ ]*]]: index) kernel
  // CHECK: %[[BLOCK:.*]] = gpu.block_id
  // CHECK: %[[BLOCKS:.*]] = gpu.grid_dim
  // CHECK: %[[UB:.*]] = memref.dim
  // CHECK-NOT: arith.minsi
  // CHECK: %[[D:.*]] = arith.muli %[[BLOCKS]], %c3 : index
  // CHECK-NEXT: %[[THIRD_ON:.*]] = arith.addi %[[BLOCK]], %[[D]] : index
  // CHECK-NEXT: %[[END:.*]] = arith.minsi %[[THIRD_ON]], %[[UB]] : index
  // CHECK-NEXT: scf.for %{{.*}} = %[[BLOCK]] to %[[END]] step %[[BLOCKS]]
  // CHECK-NOT: arith.maxsi
  // CHECK: %[[STEADY:.*]] = arith.subi %[[UB]], %[[D]] : index
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: %[[CLAMPED:.*]] = arith.maxsi %[[ANY]],
  // CHECK: arith.subi %[[CLAMPED]], %[[D]] : index
  // CHECK: scf.for
  gpu.func @by_blocks(%x: !global, %y: !global, %any: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !global
    %t = memref.alloc() : !tile
    scf.for %i = %block to %n step %blocks {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    scf.for %i = %block to %any step %blocks {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    gpu.return
  }
}
