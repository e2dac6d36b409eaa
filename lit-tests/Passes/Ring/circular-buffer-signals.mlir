// Loads run ahead of signals, and of waits for signals if no peer and no part of the kernel writes what they load.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-circular-buffer))' --remarks-filter-missed=carousel-circular-buffer --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<256xf32, #ws>
!c = memref<?xi64, #gl>

gpu.module @kernels {
  // A load of the next iteration starts before the signal of this one.
  // CHECK-LABEL: gpu.func @signals_in_loop
  // CHECK: scf.for
  // CHECK: carousel.ring.produce
  // CHECK: carousel.ring.wait
  // CHECK: carousel.signal
  gpu.func @signals_in_loop(%x: !v, %y: !v {carousel.peer}, %c: !c {carousel.peer}, %n: index, %one: i64) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %tile : !v, !t
      carousel.store %tile to %y[%i] : !t, !v
      carousel.signal %c[%c0] add %one : !c
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // What no peer and no part of the kernel writes may be loaded before a wait.
  // CHECK-LABEL: gpu.func @waits_in_loop
  // CHECK: scf.for
  // CHECK: carousel.ring.produce
  // CHECK: carousel.wait_signal
  gpu.func @waits_in_loop(%x: !v, %y: !v {carousel.peer}, %c: !c {carousel.symmetric}, %n: index, %one: i64) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %tile : !v, !t
      carousel.wait_signal %c[%c0] at_least %one : !c
      carousel.store %tile to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @load_of_peers_data
  // CHECK: scf.for
  // CHECK: carousel.wait_signal
  // CHECK: carousel.ring.produce
  gpu.func @load_of_peers_data(%x: !v {carousel.symmetric}, %y: !v, %c: !c {carousel.symmetric}, %n: index, %one: i64) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c256 {
      carousel.wait_signal %c[%c0] at_least %one : !c
      // expected-remark @below {{the loop has 'carousel.wait_signal', after which it may read what other CTAs have written}}
      carousel.load %x[%i] to %tile : !v, !t
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %tile to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @load_of_own_writes
  // CHECK: scf.for
  // CHECK: carousel.wait_signal
  // CHECK: carousel.ring.produce
  gpu.func @load_of_own_writes(%x: !v, %y: !v, %c: !c {carousel.symmetric}, %n: index, %one: i64, %f: f32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    memref.store %f, %x[%c0] : !v
    scf.for %i = %c0 to %n step %c256 {
      carousel.wait_signal %c[%c0] at_least %one : !c
      // expected-remark @below {{the loop has 'carousel.wait_signal', after which it may read what other CTAs have written}}
      carousel.load %x[%i] to %tile : !v, !t
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %tile to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // This GPU's part is one of those that a store to the multicast address writes.
  // CHECK-LABEL: gpu.func @load_of_own_part
  // CHECK: scf.for
  // CHECK: carousel.ring.produce
  gpu.func @load_of_own_part(%x: !v {carousel.symmetric}, %all: !v {carousel.multicast}, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c256 {
      // expected-remark @below {{the loop stores to the same memref, and it isn't visible that each box is stored after it is loaded}}
      carousel.load %x[%i] to %tile : !v, !t
      // expected-remark @below {{not ringed: its tile has another transfer}}
      carousel.store %tile to %all[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Memory that no peer accesses isn't.
  // CHECK-LABEL: gpu.func @load_of_other_memory
  // CHECK: carousel.ring.produce
  // CHECK: scf.for
  gpu.func @load_of_other_memory(%x: !v, %all: !v {carousel.multicast}, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %tile : !v, !t
      carousel.store %tile to %all[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Producers wait as well for a peer that writes what they load, and don't for memory that none writes.
  // CHECK-LABEL: gpu.func @roles(
  // CHECK: carousel.ring.roles
  // CHECK: scf.if
  // CHECK-NEXT: carousel.wait_signal
  // CHECK: carousel.ring.produce
  // CHECK: consumer
  // CHECK: carousel.wait_signal
  // CHECK: carousel.ring.wait
  gpu.func @roles(%x: !v {carousel.symmetric}, %y: !v, %c: !c {carousel.symmetric}, %n: index, %one: i64, %is_first: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    %t = gpu.thread_id x
    scf.if %is_first {
      carousel.wait_signal %c[%c0] at_least %one : !c
    }
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %tile : !v, !t
      %e = memref.load %tile[%t] : !t
      memref.store %e, %y[%t] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @roles_of_own_memory(
  // CHECK: carousel.ring.roles
  // CHECK-NOT: carousel.wait_signal
  // CHECK: consumer
  // CHECK: carousel.wait_signal
  gpu.func @roles_of_own_memory(%x: !v, %y: !v, %c: !c {carousel.symmetric}, %n: index, %one: i64) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    %t = gpu.thread_id x
    carousel.wait_signal %c[%c0] at_least %one : !c
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %tile : !v, !t
      %e = memref.load %tile[%t] : !t
      memref.store %e, %y[%t] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }

  // Each role would have an answer of its own.
  // CHECK-LABEL: gpu.func @roles_with_timeout(
  // CHECK-NOT: carousel.ring.roles
  gpu.func @roles_with_timeout(%x: !v {carousel.symmetric}, %y: !v, %c: !c {carousel.symmetric}, %n: index, %one: i64) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %tile = memref.alloc() : !t
    %t = gpu.thread_id x
    %is_there = carousel.wait_signal %c[%c0] at_least %one timeout %one : !c -> i1
    // expected-remark @below {{unified instead of specialized: roles may see different results of 'carousel.wait_signal'}}
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %tile : !v, !t
      %e = memref.load %tile[%t] : !t
      memref.store %e, %y[%t] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }
}
