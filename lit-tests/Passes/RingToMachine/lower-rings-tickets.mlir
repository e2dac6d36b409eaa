// A ticket under a branch: the other threads hear of it where they first use it, unless the branch goes on after the draw.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' | FileCheck %s

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

gpu.module @tickets [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @later
  // CHECK-SAME: (%{{.*}}, %[[CONDITION:.*]]: i1
  // CHECK: %[[TOTAL:.*]] = arith.addi
  // CHECK: %[[DRAWN:.*]] = scf.if %[[CONDITION]] -> (i32) {
  // CHECK: scf.if %{{.*}} -> (i32) {
  // CHECK-NEXT: arith.constant 1
  // CHECK-NEXT: %[[NUMBER:.*]] = memref.atomic_rmw addi
  // CHECK-NEXT: scf.yield %[[NUMBER]]
  // CHECK: math.sqrt
  // CHECK: %[[KNOWN:.*]] = scf.if %[[CONDITION]] -> (index) {
  // CHECK: arith.cmpi eq, %[[DRAWN]]
  // CHECK: memref.atomic_rmw assign
  // CHECK: memref.store %[[DRAWN]]
  // CHECK: gpu.barrier
  // CHECK: memref.load
  // CHECK: arith.muli
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[KNOWN]]]
  gpu.func @later(%counters: !counters, %condition: i1, %n: index, %y: memref<?xf32, #gl>, %v: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = scf.if %condition -> index {
      %total = arith.addi %n, %c1 : index
      %drawn = carousel.grid.ticket %counters[%c0] of %total : !counters
      %twice = arith.muli %drawn, %total : index
      scf.yield %twice : index
    } else {
      scf.yield %n : index
    }
    %root = math.sqrt %v : f32
    memref.store %root, %y[%t] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @at_once
  // CHECK: memref.atomic_rmw addi
  // CHECK: gpu.barrier
  // CHECK: memref.store
  // CHECK: scf.yield
  // CHECK: math.sqrt
  gpu.func @at_once(%counters: !counters, %condition: i1, %n: index, %y: memref<?xf32, #gl>, %v: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = scf.if %condition -> index {
      %drawn = carousel.grid.ticket %counters[%c0] of %n : !counters
      memref.store %v, %y[%c0] : memref<?xf32, #gl>
      scf.yield %drawn : index
    } else {
      scf.yield %n : index
    }
    %root = math.sqrt %v : f32
    memref.store %root, %y[%t] : memref<?xf32, #gl>
    gpu.return
  }
}
