// Waits are numbered in program order; a wait that has a number keeps it.
// RUN: carousel-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(gpu.module(carousel-assign-wait-ids))' | FileCheck %s
// A second run finds nothing to do.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-assign-wait-ids))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-assign-wait-ids))' -o %t.twice
// RUN: diff %t.once %t.twice

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!barriers = memref<4x!carousel.mbarrier, #ws>

gpu.module @first {
  // CHECK-LABEL: gpu.func @kernel
  // DOC-EXAMPLE: --carousel-assign-wait-ids
  gpu.func @kernel(%full: !barriers loc("full"), %empty: !barriers, %turns: memref<?xi32, #gl>,
                   %i: index, %p: i1, %turn: i32) kernel {
    // The name of the location, where there is one.
    // CHECK: carousel.mbarrier.wait %{{.*}} parity %{{.*}} label<barrier = "full", number = 0>
    carousel.mbarrier.wait %full[%i] parity %p : !barriers
    // CHECK-NEXT: carousel.mbarrier.wait %{{.*}} label<barrier = "x empty", role = producer, number = 1>
    carousel.mbarrier.wait %empty[%i] parity %p label<barrier = "x empty", role = producer> : !barriers
    // CHECK-NEXT: carousel.mbarrier.wait %{{.*}} label<barrier = "barrier", number = 2>
    carousel.mbarrier.wait %empty[%i] parity %p : !barriers
    gpu.return
  }
  // CHECK-LABEL: func.func @helper
  func.func @helper(%turns: memref<?xi32, #gl>, %i: index, %turn: i32) {
    // CHECK: carousel.grid.serial_wait %{{.*}} label<barrier = "semaphore", number = 3>
    carousel.grid.serial_wait %turns[%i], %turn : memref<?xi32, #gl>
    return
  }
}

// Each module counts for itself, behind the largest number that it has.
gpu.module @second {
  // CHECK-LABEL: gpu.func @numbered
  gpu.func @numbered(%full: !barriers, %i: index, %p: i1) kernel {
    // CHECK: carousel.mbarrier.wait %{{.*}} label<barrier = "a", number = 6>
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "a"> : !barriers
    // CHECK-NEXT: carousel.mbarrier.wait %{{.*}} label<barrier = "b", number = 5>
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "b", number = 5> : !barriers
    gpu.return
  }
}
