// Synchronisation inserted for signals between GPUs: what a signal releases, and what a wait acquires. Nothing else
// is inserted.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s --implicit-check-not=carousel.ring.sync --implicit-check-not=carousel.ring.wait_stores --implicit-check-not=carousel.fence
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.twice
// RUN: diff %t.once %t.twice

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!c = memref<?xi64, #gl>
!r = !carousel.ring<1>

gpu.module @kernels {

// The issuing thread waits until its copies are complete, not only read. It needs no barrier to signal.
// CHECK-LABEL: gpu.func @put(
// CHECK: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.signal
// CHECK-NEXT: gpu.return
gpu.func @put(%y: !g {carousel.peer}, %c: !c {carousel.peer}, %i: index, %v: i64) workgroup(%a: !t) kernel {
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.signal %c[%i] set %v : !c
  gpu.return
}

// Threads' own stores need a barrier.
// CHECK-LABEL: gpu.func @stores_of_threads(
// CHECK: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.signal
// CHECK-NEXT: gpu.return
gpu.func @stores_of_threads(%y: !g {carousel.peer}, %c: !c {carousel.peer}, %i: index, %v: i64, %f: f32) kernel {
  %t = gpu.thread_id x
  memref.store %f, %y[%t] : !g
  carousel.signal %c[%i] set %v : !c
  gpu.return
}

// So do their loads: a peer may overwrite what they have read.
// CHECK-LABEL: gpu.func @loads_of_threads(
// CHECK: memref.load
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.signal
// CHECK: carousel.ring.sync
// CHECK-NEXT: memref.store
gpu.func @loads_of_threads(%x: !g {carousel.symmetric}, %z: !g, %c: !c {carousel.peer}, %i: index, %v: i64) kernel {
  %t = gpu.thread_id x
  %f = memref.load %x[%t] : !g
  carousel.signal %c[%i] add %v : !c
  carousel.wait_signal %c[%i] at_least %v : !c
  memref.store %f, %z[%t] : !g
  gpu.return
}

// Copies of a warp: its thread waits for them, and then all threads synchronise.
// CHECK-LABEL: gpu.func @put_by_warps(
// CHECK: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0 scope(warp)
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.signal
// CHECK-NEXT: gpu.return
gpu.func @put_by_warps(%y: !g {carousel.peer}, %c: !c {carousel.peer}, %i: index, %v: i64) workgroup(%a: !t) kernel {
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  carousel.signal %c[%i] set %v : !c
  gpu.return
}

// After a wait an engine needs a proxy fence, and threads a barrier.
// CHECK-LABEL: gpu.func @get(
// CHECK: carousel.wait_signal
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.produce
// CHECK: carousel.ring.wait
// CHECK-NEXT: memref.load
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
gpu.func @get(%x: !g {carousel.symmetric}, %c: !c {carousel.symmetric}, %i: index, %v: i64) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !r
  carousel.wait_signal %c[%i] at_least %v : !c
  carousel.ring.produce %r[%c0] : !r {
    carousel.ring.load %x[%i] to %a in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%c0] : !r
  %w = memref.load %a[%t] : !t
  %u = memref.load %x[%t] : !g
  gpu.return
}

// One thread passes on what it has seen: the other threads have no part in it.
// CHECK-LABEL: gpu.func @pass_on(
// CHECK: carousel.wait_signal
// CHECK-NEXT: carousel.signal
gpu.func @pass_on(%c: !c {carousel.symmetric}, %d: !c {carousel.peer}, %i: index, %v: i64) kernel {
  carousel.wait_signal %c[%i] at_least %v : !c
  carousel.signal %d[%i] set %v : !c
  gpu.return
}

// Nothing is ordered before a wait: a peer may access what this CTA has stored or read only because of a signal.
// CHECK-LABEL: gpu.func @store_before_wait(
// CHECK: memref.load
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.wait_signal
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @store_before_wait(%x: !g {carousel.symmetric}, %y: !g, %c: !c {carousel.symmetric}, %i: index, %v: i64) workgroup(%a: !t) kernel {
  %w = memref.load %x[%i] : !g
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.wait_signal %c[%i] at_least %v : !c
  gpu.return
}

// The signal after it orders both.
// CHECK-LABEL: gpu.func @store_before_wait_and_signal(
// CHECK: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.wait_signal
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.signal
// CHECK-NEXT: gpu.return
gpu.func @store_before_wait_and_signal(%x: !g {carousel.symmetric}, %y: !g, %c: !c {carousel.symmetric}, %d: !c {carousel.peer}, %i: index, %v: i64) workgroup(%a: !t) kernel {
  %w = memref.load %x[%i] : !g
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.wait_signal %c[%i] at_least %v : !c
  carousel.signal %d[%i] set %v : !c
  gpu.return
}

// Stores to a multicast address are those of threads.
// CHECK-LABEL: gpu.func @put_all(
// CHECK: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.signal
// CHECK-NEXT: gpu.return
gpu.func @put_all(%all: !g {carousel.multicast}, %c: !c {carousel.peer}, %i: index, %v: i64) workgroup(%a: !t) kernel {
  carousel.ring.submit {
    carousel.ring.store %a to %all[%i] in_bounds engine<vector, width = 16> : !t, !g
  }
  carousel.signal %c[%i] set %v : !c
  gpu.return
}

}
