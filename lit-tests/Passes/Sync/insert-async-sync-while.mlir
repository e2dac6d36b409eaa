// Stores of a while loop: boxes at numbers that increase are apart, so no store waits until the one before it is complete.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse,carousel-insert-async-sync))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x1024xf32, #gl>
!counter = memref<1xi32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @while [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @tickets
  // CHECK: scf.while
  // CHECK-NOT: carousel.ring.wait_stores complete
  // CHECK: carousel.ring.submit
  // CHECK-NOT: carousel.ring.wait_stores complete
  // CHECK: gpu.return
  gpu.func @tickets(%x: !matrix, %y: !matrix, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    %end = scf.while : () -> index {
      %i = carousel.grid.ticket %counter[%c0] of %n : !counter
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i, %c0] to %t engine<bulk> : !matrix, !tile
      carousel.store %t to %y[%i, %c0] engine<bulk> : !tile, !matrix
      scf.yield
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @stride
  // CHECK: scf.while
  // CHECK-NOT: carousel.ring.wait_stores complete
  // CHECK: carousel.ring.submit
  // CHECK-NOT: carousel.ring.wait_stores complete
  // CHECK: gpu.return
  gpu.func @stride(%x: !matrix, %y: !matrix, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %t = memref.alloc() : !tile
    %end = scf.while (%i = %block) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i, %c0] to %t engine<bulk> : !matrix, !tile
      carousel.store %t to %y[%i, %c0] engine<bulk> : !tile, !matrix
      %next = arith.addi %i, %blocks : index
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The first number is no ticket, so the second one may be the same.
  // CHECK-LABEL: gpu.func @other_start
  // CHECK: scf.while
  // CHECK: carousel.ring.wait_stores complete
  // CHECK: carousel.ring.submit
  // CHECK: gpu.return
  gpu.func @other_start(%x: !matrix, %y: !matrix, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    %block = gpu.block_id x
    %end = scf.while (%i = %block) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i, %c0] to %t engine<bulk> : !matrix, !tile
      carousel.store %t to %y[%i, %c0] engine<bulk> : !tile, !matrix
      %next = carousel.grid.ticket %counter[%c0] of %n : !counter
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
