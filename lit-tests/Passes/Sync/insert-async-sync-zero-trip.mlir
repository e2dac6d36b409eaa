// Barriers of the kernel that stay: only an op in a loop or a branch, which may not run, would make them redundant.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

gpu.module @kernels {

// The store in the loop needs a barrier behind the writes. Without iterations there is none but the last.
// CHECK-LABEL: gpu.func @store_in_loop
// CHECK: memref.store
// CHECK: scf.for
// CHECK: carousel.ring.submit
// CHECK: }
// CHECK: carousel.ring.sync
// CHECK-NEXT: memref.load
gpu.func @store_in_loop(%y: !g, %n: index, %v: f32) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  scf.for %i = %c0 to %n step %c1 {
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%c0] engine<vector, width = 16> : !t, !g
    }
  }
  carousel.ring.sync
  %w = memref.load %tile[%c0] : !t
  memref.store %w, %y[%t] : !g
  gpu.return
}

// CHECK-LABEL: gpu.func @store_in_while
// CHECK: scf.while
// CHECK: carousel.ring.submit
// CHECK: scf.yield
// CHECK: }
// CHECK: carousel.ring.sync
// CHECK-NEXT: memref.load
gpu.func @store_in_while(%y: !g, %n: index, %v: f32) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%c0] engine<vector, width = 16> : !t, !g
    }
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  carousel.ring.sync
  %w = memref.load %tile[%c0] : !t
  memref.store %w, %y[%t] : !g
  gpu.return
}

// One of the ways has a barrier of its own, the other one none.
// CHECK-LABEL: gpu.func @barrier_on_one_way
// CHECK: scf.index_switch
// CHECK: carousel.ring.sync
// CHECK: }
// CHECK: carousel.ring.sync
// CHECK-NEXT: memref.load
gpu.func @barrier_on_one_way(%y: !g, %n: index, %v: f32) workgroup(%tile: !t, %other: !t) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  memref.store %v, %other[%t] : !t
  scf.index_switch %n
  case 0 {
    carousel.ring.sync
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%c0] engine<vector, width = 16> : !t, !g
    }
    scf.yield
  }
  default {
  }
  carousel.ring.sync
  %w = memref.load %other[%c0] : !t
  memref.store %w, %y[%t] : !g
  gpu.return
}

// Each of the ways meets: the last barrier orders nothing.
// CHECK-LABEL: gpu.func @barriers_on_all_ways
// CHECK: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK: scf.execute_region
// CHECK-NEXT: carousel.ring.sync
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @barriers_on_all_ways(%y: !g, %n: index, %v: f32) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  scf.index_switch %n
  case 0 {
    carousel.ring.sync
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%c0] engine<vector, width = 16> : !t, !g
    }
    scf.yield
  }
  default {
    scf.execute_region {
      carousel.ring.sync
      %u = memref.load %tile[%c0] : !t
      memref.store %u, %y[%t] : !g
      scf.yield
    }
  }
  carousel.ring.sync
  %w = memref.load %tile[%c0] : !t
  gpu.return
}

// Where the loop runs, its barrier is the only one between the two accesses. That they are unordered where it
// doesn't is the kernel's affair.
// CHECK-LABEL: gpu.func @barrier_in_loop
// CHECK: scf.for
// CHECK-NEXT: carousel.ring.sync
// CHECK: memref.load
gpu.func @barrier_in_loop(%y: !g, %n: index, %v: f32) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  scf.for %i = %c0 to %n step %c1 {
    carousel.ring.sync
  }
  %w = memref.load %tile[%c0] : !t
  memref.store %w, %y[%t] : !g
  gpu.return
}

// A store wait in the second loop comes too late for the barrier before it, which stands outside of that loop.
// CHECK-LABEL: gpu.func @store_wait_in_loop
// CHECK: scf.for
// CHECK: }
// CHECK: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: scf.for
// CHECK: memref.store
gpu.func @store_wait_in_loop(%x: !g, %y: !g, %n: index, %v: f32) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  scf.for %i = %c0 to %n step %c1 {
    carousel.ring.submit {
      carousel.ring.store %tile to %y[%c0] in_bounds engine<bulk> : !t, !g
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    carousel.ring.submit {
      carousel.ring.store %tile to %x[%c0] in_bounds engine<bulk> : !t, !g
    }
    memref.store %v, %y[%t] : !g
  }
  gpu.return
}

}
