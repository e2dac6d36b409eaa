// Synchronisation inserted for global memory, and for ops that order CTAs.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.twice
// RUN: diff %t.once %t.twice

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!r = !carousel.ring<1>

gpu.module @kernels {

// A box that was stored is loaded by the same engine's thread: it waits until the store is performed.
// CHECK-LABEL: gpu.func @raw_load_of_store
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @raw_load_of_store(%y: !g, %i: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create : !r
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%i] to %b engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// What a bulk copy can't do at a clipped end its issuer stores by itself, which is fenced. It issues the load as well.
// CHECK-LABEL: gpu.func @raw_load_of_clipped_store
// CHECK: carousel.ring.submit
// CHECK: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @raw_load_of_clipped_store(%y: !g, %i: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create : !r
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%i] to %b engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// The last tile that a loop stores is loaded behind it: which tile that is, is no more than the range of the loop's
// variable, which ends at the last iteration's value and not at the value that ended the loop.
// CHECK-LABEL: gpu.func @load_after_loop_of_stores
// CHECK: carousel.ring.submit
// CHECK: carousel.ring.wait_stores complete 0
// CHECK: carousel.ring.produce
// CHECK: gpu.return
gpu.func @load_after_loop_of_stores(%y: !g) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c1024 = arith.constant 1024 : index
  %block = gpu.block_id x
  %r = carousel.ring.create : !r
  scf.for %i = %block to %c4 step %c5 {
    %first = arith.muli %i, %c1024 : index
    carousel.ring.submit {
      carousel.ring.store %a to %y[%first] in_bounds engine<bulk> : !t, !g
    }
  }
  scf.for %i = %block to %c4 step %c5 {
    %first = arith.muli %i, %c1024 : index
    carousel.ring.produce %r[%c0] : !r {
      carousel.ring.load %y[%first] to %b engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%c0] : !r
  }
  gpu.return
}

// Another box of it, or another argument, isn't waited for.
// CHECK-LABEL: gpu.func @other_boxes
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.produce
// CHECK: carousel.ring.wait
// CHECK-NEXT: memref.load
gpu.func @other_boxes(%x: !g, %y: !g, %i: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %c1024 = arith.constant 1024 : index
  %r = carousel.ring.create : !r
  %j = arith.addi %i, %c1024 : index
  %t = gpu.thread_id x
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%j] to %b engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  %v = memref.load %x[%t] : !g
  memref.store %v, %b[%t] : !t
  gpu.return
}

// An ordinary access to what was stored.
// CHECK-LABEL: gpu.func @raw_generic
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
gpu.func @raw_generic(%y: !g, %i: index) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  %v = memref.load %y[%t] : !g
  memref.store %v, %a[%t] : !t
  gpu.return
}

// A load by an engine of what threads wrote.
// CHECK-LABEL: gpu.func @raw_load_of_generic
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
gpu.func @raw_load_of_generic(%x: !g, %i: index, %k: index, %v: f32) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !r
  %t = gpu.thread_id x
  memref.store %v, %x[%t] : !g
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// The same box in each iteration: one store after the other. Reductions have no order.
// CHECK-LABEL: gpu.func @waw_loop
// CHECK: scf.for
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.submit
// CHECK: scf.for
// CHECK-NEXT: carousel.ring.submit
gpu.func @waw_loop(%y: !g, %z: !g, %n: index) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%c0] in_bounds engine<bulk> : !t, !g
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    carousel.ring.submit {
      carousel.ring.store %a to %z[%c0] in_bounds reduce<add f32> engine<bulk> : !t, !g
    }
  }
  gpu.return
}

// Boxes of different iterations lie apart, though the step is known at run time only; the loads that run
// ahead in the same argument don't wait for stores.
// CHECK-LABEL: gpu.func @grid_stride_in_place
// CHECK: scf.for
// CHECK-NOT: complete
// CHECK: gpu.return
gpu.func @grid_stride_in_place(%x: !g, %n: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1024 = arith.constant 1024 : index
  %r = carousel.ring.create : !r
  %id = gpu.block_id x
  %ids = gpu.grid_dim x
  %first = arith.muli %id, %c1024 : index
  %step = arith.muli %ids, %c1024 : index
  %three = arith.muli %step, %c3 : index
  %end = scf.for %i = %first to %n step %step iter_args(%k = %c0) -> (index) {
    %ahead = arith.addi %i, %three : index
    carousel.ring.produce %r[%k] : !r {
      carousel.ring.load %x[%ahead] to %b engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !r
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] in_bounds engine<bulk> : !t, !g
    }
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// Tiles by number, cut into rows and columns: another number, another box. Not so where tiles are wider than what
// lies between their columns.
// CHECK-LABEL: gpu.func @tiles_by_number
// CHECK-NOT: complete
// CHECK: affine.delinearize_index
// CHECK-NOT: complete
// CHECK: scf.for
// CHECK: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.submit
gpu.func @tiles_by_number(%y: memref<?x?xf32, #gl>, %z: memref<?x?xf32, #gl>, %w: memref<?x?xf32, #gl>,
    %n: index, %columns: index) workgroup(%a: memref<32x64xf32, #ws>) kernel {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %first = gpu.block_id x
  %step = gpu.grid_dim x
  scf.for %t = %first to %n step %step {
    %i = arith.divui %t, %columns : index
    %j = arith.remui %t, %columns : index
    %row = arith.muli %i, %c32 : index
    %column = arith.muli %j, %c64 : index
    carousel.ring.submit {
      carousel.ring.store %a to %y[%row, %column] in_bounds engine<bulk>
        : memref<32x64xf32, #ws>, memref<?x?xf32, #gl>
    }
  }
  scf.for %t = %first to %n step %step {
    %i, %j = affine.delinearize_index %t into (%columns) : index, index
    %row = arith.muli %i, %c32 : index
    %column = arith.muli %j, %c64 : index
    carousel.ring.submit {
      carousel.ring.store %a to %z[%row, %column] in_bounds engine<bulk>
        : memref<32x64xf32, #ws>, memref<?x?xf32, #gl>
    }
  }
  scf.for %t = %first to %n step %step {
    %i = arith.divui %t, %columns : index
    %j = arith.remui %t, %columns : index
    %row = arith.muli %i, %c32 : index
    %column = arith.muli %j, %c32 : index
    carousel.ring.submit {
      carousel.ring.store %a to %w[%row, %column] in_bounds engine<bulk>
        : memref<32x64xf32, #ws>, memref<?x?xf32, #gl>
    }
  }
  gpu.return
}

// Before other CTAs are let on all stores are performed, and the CTA knows; the branch parts the threads.
// CHECK-LABEL: gpu.func @serial_release
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.grid.serial_release
gpu.func @serial_release(%y: !g, %i: index, %s: memref<1xi32, #gl>, %turn: i32)
    workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  scf.if %first {
    carousel.grid.serial_release %s[%c0], %turn : memref<1xi32, #gl>
  }
  gpu.return
}

// The user's barrier does for the barrier.
// CHECK-LABEL: gpu.func @serial_release_after_barrier
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if
gpu.func @serial_release_after_barrier(%y: !g, %i: index, %s: memref<1xi32, #gl>, %turn: i32)
    workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  gpu.barrier
  scf.if %first {
    carousel.grid.serial_release %s[%c0], %turn : memref<1xi32, #gl>
  }
  gpu.return
}

// A flag of the kernel's own, released by a fence.
// CHECK-LABEL: gpu.func @fence_release
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.fence.thread release gpu
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.fence.thread acq_rel cta
gpu.func @fence_release(%y: !g, %i: index) workgroup(%a: !t) kernel {
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.fence.thread release gpu
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.fence.thread acq_rel cta
  gpu.return
}

// What other CTAs wrote is fenced before an engine reads it.
// CHECK-LABEL: gpu.func @serial_wait
// CHECK: carousel.grid.serial_wait
// CHECK-NEXT: }
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.ring.produce
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.produce
gpu.func @serial_wait(%x: !g, %i: index, %k: index, %l: index, %s: memref<1xi32, #gl>, %turn: i32)
    workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create : !r
  %q = carousel.ring.create : !r
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    carousel.grid.serial_wait %s[%c0], %turn : memref<1xi32, #gl>
  }
  gpu.barrier
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  carousel.ring.produce %q[%l] : !r {
    carousel.ring.load %x[%i] to %b engine<bulk> : !g, !t
  }
  carousel.ring.wait %q[%l] : !r
  gpu.return
}

// Neither end of a dependent launch promises anything.
// CHECK-LABEL: gpu.func @dependent
// CHECK: carousel.grid.dependency_wait
// CHECK-NEXT: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.grid.launch_dependents
gpu.func @dependent(%y: !g, %i: index) workgroup(%a: !t) kernel {
  carousel.grid.dependency_wait
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  carousel.grid.launch_dependents
  gpu.return
}

}
