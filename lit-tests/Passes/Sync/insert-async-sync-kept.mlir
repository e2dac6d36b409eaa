// Barriers of the kernel that stay, because they order threads' accesses, although boxes, fences or scopes may hide that.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

gpu.module @kernels {

// A view that differs between threads: its elements 0 and 1 are two threads' own, and also one thread's and the
// next one's.
// CHECK-LABEL: gpu.func @view_of_the_thread
// CHECK: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
gpu.func @view_of_the_thread(%y: !g, %v: f32) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  %view = memref.subview %y[%t] [2] [1] : !g to memref<2xf32, strided<[1], offset: ?>, #gl>
  carousel.ring.submit {
  }
  memref.store %v, %view[%c0] : memref<2xf32, strided<[1], offset: ?>, #gl>
  carousel.ring.sync
  %w = memref.load %view[%c1] : memref<2xf32, strided<[1], offset: ?>, #gl>
  memref.store %w, %tile[%t] : !t
  gpu.return
}

// A release by one thread permits other CTAs to write what all threads have read.
// CHECK-LABEL: gpu.func @read_before_release
// CHECK: memref.load
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.fence.thread release gpu
gpu.func @read_before_release(%y: !g, %flag: memref<1xi32, #gl>, %first: i1) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %t = gpu.thread_id x
  carousel.ring.submit {
  }
  %w = memref.load %y[%t] : !g
  carousel.ring.sync
  scf.if %first {
    carousel.fence.thread release gpu
    %old = memref.atomic_rmw addi %one, %flag[%c0] : (i32, memref<1xi32, #gl>) -> i32
  }
  memref.store %w, %tile[%t] : !t
  gpu.return
}

// What one thread has taken over from CTAs another one hands on.
// CHECK-LABEL: gpu.func @handed_on
// CHECK: carousel.fence.thread acquire gpu
// CHECK: carousel.ring.sync
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.fence.thread release gpu
gpu.func @handed_on(%flag: memref<2xi32, #gl>, %first: i1, %second: i1) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  carousel.ring.submit {
  }
  scf.if %first {
    carousel.fence.thread acquire gpu
  }
  carousel.ring.sync
  scf.if %second {
    carousel.fence.thread release gpu
    %old = memref.atomic_rmw addi %one, %flag[%c1] : (i32, memref<2xi32, #gl>) -> i32
  }
  gpu.return
}

// Nobody else has anything to do with what the fence is behind.
// CHECK-LABEL: gpu.func @nothing_before_release
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @nothing_before_release(%flag: memref<1xi32, #gl>, %first: i1) kernel {
  carousel.ring.submit {
  }
  carousel.ring.sync
  scf.if %first {
    carousel.fence.thread release gpu
  }
  gpu.return
}

}
