// Different waits that have one number.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-assign-wait-ids))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
!barriers = memref<4x!carousel.mbarrier, #ws>

// C180
gpu.module @labels {
  gpu.func @kernel(%full: !barriers, %empty: !barriers, %i: index, %p: i1) kernel {
    // expected-note @below {{the other wait}}
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "a", number = 3> : !barriers
    // expected-error @below {{expected waits with different numbers, got 3 twice}}
    carousel.mbarrier.wait %empty[%i] parity %p label<barrier = "b", number = 3> : !barriers
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!barriers = memref<4x!carousel.mbarrier, #ws>

// C180: of one name, at different places.
gpu.module @places {
  gpu.func @kernel(%full: !barriers, %i: index, %p: i1) kernel {
    // expected-note @below {{the other wait}}
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "a", number = 0> : !barriers
    // expected-error @below {{expected waits with different numbers, got 0 twice}}
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "a", number = 0> : !barriers
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!barriers = memref<4x!carousel.mbarrier, #ws>

// Copies of one wait keep its number, and modules count for themselves.
gpu.module @copies {
  gpu.func @kernel(%full: !barriers, %i: index, %p: i1) kernel {
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "a", number = 1> : !barriers loc("a.mlir":1:1)
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "a", number = 1> : !barriers loc("a.mlir":1:1)
    gpu.return
  }
}
gpu.module @other {
  gpu.func @kernel(%full: !barriers, %i: index, %p: i1) kernel {
    carousel.mbarrier.wait %full[%i] parity %p label<barrier = "b", number = 1> : !barriers
    gpu.return
  }
}
