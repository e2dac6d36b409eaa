// Synchronisation that carousel-insert-async-sync inserts, by hazard.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s
// Run again, it changes nothing.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.twice
// RUN: diff %t.once %t.twice

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!slots = !carousel.ring<2 x memref<1024xf32, #ws>>
!loads = !carousel.ring<4 x memref<1024xf32, #ws>>

gpu.module @kernels {

// A store by an engine after ordinary writes to its tile: the writers fence, then all meet. Before the
// end the tile has been read.
// CHECK-LABEL: gpu.func @raw_store
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
// DOC-EXAMPLE: --carousel-insert-async-sync
gpu.func @raw_store(%y: !g, %i: index, %v: f32) workgroup(%tile: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  carousel.ring.submit {
    carousel.ring.store %tile to %y[%i] engine<bulk> : !t, !g
  }
  gpu.return
}

// Vectors and cp.async are ordinary accesses: no fence and no store wait.
// CHECK-LABEL: gpu.func @raw_store_vector
// CHECK: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: gpu.return
gpu.func @raw_store_vector(%y: !g, %i: index, %v: f32) workgroup(%tile: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  carousel.ring.submit {
    carousel.ring.store %tile to %y[%i] engine<vector, width = 16> : !t, !g
  }
  gpu.return
}

// The pass uses the user's barrier: the fence goes before it.
// CHECK-LABEL: gpu.func @raw_store_after_barrier
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.ring.submit
gpu.func @raw_store_after_barrier(%y: !g, %i: index, %v: f32) workgroup(%tile: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  gpu.barrier
  carousel.ring.submit {
    carousel.ring.store %tile to %y[%i] engine<bulk> : !t, !g
  }
  gpu.return
}

// One fence and one barrier serve several buffers.
// CHECK-LABEL: gpu.func @raw_two_tiles
// CHECK-COUNT-2: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NOT: carousel.ring.sync
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @raw_two_tiles(%y: !g, %z: !g, %i: index, %v: f32)
    workgroup(%a: !t, %b: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  memref.store %v, %b[%t] : !t
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  carousel.ring.submit {
    carousel.ring.store %b to %z[%i] engine<bulk> : !t, !g
  }
  gpu.return
}

// A write to a tile that a store reads: the issuing thread waits for the store, then all threads meet at a
// barrier. One later group may stay in flight.
// CHECK-LABEL: gpu.func @war_store
// CHECK: carousel.ring.store %[[A:.+]] to
// CHECK: carousel.ring.submit
// CHECK: carousel.ring.wait_stores read 1
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.store %{{.+}}, %[[A]]
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @war_store(%y: !g, %z: !g, %i: index, %v: f32)
    workgroup(%a: !t, %b: !t) kernel {
  %t = gpu.thread_id x
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  carousel.ring.submit {
    carousel.ring.store %b to %z[%i] engine<bulk> : !t, !g
  }
  memref.store %v, %a[%t] : !t
  gpu.return
}

// Reading it needs nothing.
// CHECK-LABEL: gpu.func @read_after_store
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: memref.load
gpu.func @read_after_store(%y: !g, %i: index) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  %v = memref.load %a[%t] : !t
  memref.store %v, %y[%t] : !g
  gpu.return
}

// A load into a tile that a store reads: one thread issues both, and waits for the store in between.
// CHECK-LABEL: gpu.func @war_load_over_store
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @war_load_over_store(%x: !g, %y: !g, %i: index, %k: index) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !carousel.ring<1>
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  gpu.return
}

// Copies that threads make are made by others than the issuer.
// CHECK-LABEL: gpu.func @war_cp_async_over_store
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
gpu.func @war_cp_async_over_store(%x: !g, %y: !g, %i: index, %k: index) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !carousel.ring<1>
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i] to %a engine<cp_async, width = 16> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  gpu.return
}

// A load into a tile that threads have read: they meet; reads need no fence.
// CHECK-LABEL: gpu.func @war_load
// CHECK: memref.load
// CHECK-NOT: carousel.fence
// CHECK: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
gpu.func @war_load(%x: !g, %y: !g, %i: index, %k: index) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !carousel.ring<1>
  %t = gpu.thread_id x
  %v = memref.load %a[%t] : !t
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  memref.store %v, %y[%t] : !g
  gpu.return
}

// Producers may read what an offset is computed from.
// CHECK-LABEL: gpu.func @war_offsets
// CHECK: carousel.ring.produce
// CHECK: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
gpu.func @war_offsets(%x: !g, %table: memref<?xi64, #gl>, %i: index, %k: index)
    workgroup(%a: !t, %offsets: memref<64xi64, #ws>) kernel {
  %c0 = arith.constant 0 : index
  %r = carousel.ring.create : !carousel.ring<1>
  %q = carousel.ring.create : !carousel.ring<1>
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    %o = memref.load %offsets[%c0] : memref<64xi64, #ws>
    %from = arith.index_cast %o : i64 to index
    carousel.ring.load %x[%from] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  carousel.ring.produce %q[%k] : !carousel.ring<1> {
    carousel.ring.load %table[%i] to %offsets engine<bulk> : memref<?xi64, #gl>, memref<64xi64, #ws>
  }
  carousel.ring.wait %q[%k] : !carousel.ring<1>
  gpu.return
}

// A load into a tile that threads have written: they fence, too.
// CHECK-LABEL: gpu.func @waw_load
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
gpu.func @waw_load(%x: !g, %i: index, %k: index, %v: f32) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !carousel.ring<1>
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  gpu.return
}

// What threads copied with cp.async has landed for all, but not for an engine: the thread that issues fences.
// CHECK-LABEL: gpu.func @raw_store_of_cp_async
// CHECK: carousel.ring.wait
// CHECK-NEXT: memref.load
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.submit
gpu.func @raw_store_of_cp_async(%x: !g, %y: !g, %i: index, %k: index) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !carousel.ring<1>
  %t = gpu.thread_id x
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i] to %a engine<cp_async, width = 16> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  %v = memref.load %a[%t] : !t
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  gpu.return
}

// What an engine loaded, an engine stores.
// CHECK-LABEL: gpu.func @store_of_load
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.submit
gpu.func @store_of_load(%x: !g, %y: !g, %i: index, %k: index) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !carousel.ring<1>
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  gpu.return
}

// A write after a store by vectors: other threads may still be reading.
// CHECK-LABEL: gpu.func @war_vector_store
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.store
gpu.func @war_vector_store(%y: !g, %i: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<vector, width = 16> : !t, !g
  }
  memref.store %v, %a[%t] : !t
  gpu.return
}

// Of a warp's tile only the warp has to know.
// CHECK-LABEL: gpu.func @warp
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync scope(warp)
// CHECK-NEXT: carousel.ring.submit
// CHECK: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: gpu.return
gpu.func @warp(%y: !g, %i: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) engine<bulk> : !t, !g
  }
  gpu.return
}

// A barrier of the warp is a barrier for it, and none for the CTA.
// CHECK-LABEL: gpu.func @warp_barrier
// CHECK: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: carousel.ring.submit scope(warp)
// CHECK: memref.store
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
gpu.func @warp_barrier(%y: !g, %z: !g, %i: index, %v: f32) workgroup(%a: !t, %b: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.barrier.warp
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) engine<bulk> : !t, !g
  }
  memref.store %v, %b[%t] : !t
  carousel.barrier.warp
  carousel.ring.submit {
    carousel.ring.store %b to %z[%i] engine<bulk> : !t, !g
  }
  gpu.return
}

}
