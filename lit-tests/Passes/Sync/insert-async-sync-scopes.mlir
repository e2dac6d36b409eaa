// Transfers of warps and warpgroups, and threads outside of their scope. Before a barrier of more threads than the
// scope, the scope's engine accesses are waited for. Data that has landed for a warp is visible to that warp only.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.twice
// RUN: diff %t.once %t.twice

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<256xf32, #ws>
!r = !carousel.ring<1>

gpu.module @kernels {
// What a warp has stored another one may load behind the barrier of all, though not behind one of the warp alone.
// CHECK-LABEL: gpu.func @raw_other_warp
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0 scope(warp)
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @raw_other_warp(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  gpu.barrier
  carousel.barrier.warp
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%j] to %b scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// What a warpgroup has stored another one may load behind the barrier of all, though not behind one of the warp alone.
// CHECK-LABEL: gpu.func @raw_other_warpgroup
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0 scope(warpgroup)
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @raw_other_warpgroup(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warpgroup) : !r
  carousel.ring.submit scope(warpgroup) {
    carousel.ring.store %a to %y[%i] scope(warpgroup) in_bounds engine<bulk> : !t, !g
  }
  gpu.barrier
  carousel.barrier.warp
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%j] to %b scope(warpgroup) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// Another warp may load to the tile that is stored.
// CHECK-LABEL: gpu.func @war_other_warp
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.wait_stores
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @war_other_warp(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  gpu.barrier
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%j] to %a scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// So may threads of it write there.
// CHECK-LABEL: gpu.func @war_other_threads
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: memref.store
// CHECK-NOT: carousel.ring
// CHECK: gpu.return
gpu.func @war_other_threads(%y: !g, %i: index, %j: index, %v: f32) workgroup(%a: !t) kernel {
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  gpu.barrier
  carousel.barrier.warp
  memref.store %v, %a[%j] : !t
  gpu.return
}

// Of two stores the other one goes on.
// CHECK-LABEL: gpu.func @war_second_of_two
// CHECK-COUNT-2: carousel.ring.submit
// CHECK: carousel.ring.wait_stores read 1 scope(warp)
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: gpu.return
gpu.func @war_second_of_two(%y: !g, %z: !g, %i: index, %j: index, %v: f32) workgroup(%a: !t, %b: !t) kernel {
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  carousel.ring.submit scope(warp) {
    carousel.ring.store %b to %z[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  gpu.barrier
  memref.store %v, %a[%j] : !t
  gpu.return
}

// A wait behind the barrier is the own warp's.
// CHECK-LABEL: gpu.func @war_waited_too_late
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: memref.store
// CHECK-NEXT: gpu.return
gpu.func @war_waited_too_late(%y: !g, %i: index, %j: index, %v: f32) workgroup(%a: !t) kernel {
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  gpu.barrier
  carousel.ring.wait_stores read 0 scope(warp)
  carousel.barrier.warp
  memref.store %v, %a[%j] : !t
  gpu.return
}

// Where only some ways have the barrier, it is waited for there, and on the others by the warp.
// CHECK-LABEL: gpu.func @war_conditional_barrier
// CHECK: scf.if
// CHECK-NEXT: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: gpu.barrier
// CHECK: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: carousel.ring.sync scope(warp)
// CHECK-NEXT: memref.store
gpu.func @war_conditional_barrier(%y: !g, %i: index, %j: index, %v: f32, %some: i1) workgroup(%a: !t) kernel {
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  scf.if %some {
    gpu.barrier
  }
  memref.store %v, %a[%j] : !t
  gpu.return
}

// Without a barrier of all there is nothing that another warp could rely upon.
// CHECK-LABEL: gpu.func @no_other_warp
// CHECK: carousel.ring.submit
// CHECK: carousel.barrier.warp
// CHECK-NEXT: carousel.ring.wait_stores read 0 scope(warp)
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.wait_stores
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @no_other_warp(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  carousel.barrier.warp
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%j] to %a scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// Two warps have a box each, and go on by both: no box is stored by two.
// CHECK-LABEL: gpu.func @waw_apart
// CHECK-NOT: complete
// CHECK: gpu.return
gpu.func @waw_apart(%y: !g, %n: index) workgroup(%a: !t) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %thread = gpu.thread_id x
  %warp = arith.divui %thread, %c32 : index
  %first = arith.muli %warp, %c256 : index
  scf.for %i = %c0 to %n step %c512 {
    %place = arith.addi %i, %first : index
    carousel.ring.submit scope(warp) {
      carousel.ring.store %a to %y[%place] scope(warp) in_bounds engine<bulk> : !t, !g
    }
    gpu.barrier
  }
  gpu.return
}

// If they go on by one, each stores where the other one was before, though never where it was itself.
// CHECK-LABEL: gpu.func @waw_not_apart
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0 scope(warp)
// CHECK-NEXT: gpu.barrier
gpu.func @waw_not_apart(%y: !g, %n: index) workgroup(%a: !t) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %thread = gpu.thread_id x
  %warp = arith.divui %thread, %c32 : index
  %first = arith.muli %warp, %c256 : index
  scf.for %i = %c0 to %n step %c256 {
    %place = arith.addi %i, %first : index
    carousel.ring.submit scope(warp) {
      carousel.ring.store %a to %y[%place] scope(warp) in_bounds engine<bulk> : !t, !g
    }
    gpu.barrier
  }
  gpu.return
}

// Those who wrote the tile may be of another warp than the one that stores: they fence.
// CHECK-LABEL: gpu.func @fence_of_writers
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: carousel.ring.submit
gpu.func @fence_of_writers(%y: !g, %i: index, %j: index, %v: f32) workgroup(%a: !t) kernel {
  memref.store %v, %a[%j] : !t
  gpu.barrier
  carousel.barrier.warp
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  gpu.return
}

// A barrier of all that the kernel has of its own may be what orders two warps: it stays, also where threads copy.
// CHECK-LABEL: gpu.func @kept_for_other_warp
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.sync{{$}}
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: carousel.ring.produce
gpu.func @kept_for_other_warp(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<vector, width = 16> : !t, !g
  }
  carousel.ring.sync
  carousel.barrier.warp
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%j] to %b scope(warp) in_bounds engine<cp_async, width = 16> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// CHECK-LABEL: gpu.func @kept_behind_engine
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0 scope(warp)
// CHECK-NEXT: carousel.ring.sync{{$}}
// CHECK-NEXT: carousel.barrier.warp
// CHECK-NEXT: carousel.ring.produce
gpu.func @kept_behind_engine(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %y[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  carousel.ring.sync
  carousel.barrier.warp
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%j] to %b scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// What has landed for a warp is stored for the CTA: all threads meet.
// CHECK-LABEL: gpu.func @raw_warp_load
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
gpu.func @raw_warp_load(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%i] to %a scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  carousel.ring.submit {
    carousel.ring.store %a to %y[%j] in_bounds engine<bulk> : !t, !g
  }
  gpu.return
}

// What has landed for a warpgroup is stored for the CTA: all threads meet.
// CHECK-LABEL: gpu.func @raw_warpgroup_load
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
gpu.func @raw_warpgroup_load(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warpgroup) : !r
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%i] to %a scope(warpgroup) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  carousel.ring.submit {
    carousel.ring.store %a to %y[%j] in_bounds engine<bulk> : !t, !g
  }
  gpu.return
}

// And so they do before the CTA loads to the same tile,
// CHECK-LABEL: gpu.func @waw_warp_load
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
gpu.func @waw_warp_load(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  %s = carousel.ring.create : !r
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%i] to %a scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  carousel.ring.produce %s[%k] : !r {
    carousel.ring.load %y[%j] to %a in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %s[%k] : !r
  gpu.return
}

// or stores where the warp has loaded from, by whichever engine.
// CHECK-LABEL: gpu.func @war_warp_load_source
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
gpu.func @war_warp_load_source(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%i] to %a scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  carousel.ring.submit {
    carousel.ring.store %b to %y[%j] in_bounds engine<bulk> : !t, !g
  }
  gpu.return
}

// CHECK-LABEL: gpu.func @war_warp_copy_source
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
gpu.func @war_warp_copy_source(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%i] to %a scope(warp) in_bounds engine<cp_async, width = 16> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  carousel.ring.submit {
    carousel.ring.store %b to %y[%j] in_bounds engine<bulk> : !t, !g
  }
  gpu.return
}

// For the warp itself nothing is missing, nor for all behind a barrier.
// CHECK-LABEL: gpu.func @warp_load_seen
// CHECK-NOT: carousel.ring.sync
// CHECK-NOT: carousel.fence
// CHECK: gpu.return
gpu.func @warp_load_seen(%x: !g, %y: !g, %i: index, %j: index, %k: index) workgroup(%a: !t) kernel {
  %r = carousel.ring.create scope(warp) : !r
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%i] to %a scope(warp) in_bounds engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  %v = memref.load %a[%j] : !t
  carousel.ring.submit scope(warp) {
    carousel.ring.store %a to %x[%i] scope(warp) in_bounds engine<bulk> : !t, !g
  }
  gpu.barrier
  carousel.ring.submit {
    carousel.ring.store %a to %y[%j] in_bounds engine<bulk> : !t, !g
  }
  gpu.return
}

}
