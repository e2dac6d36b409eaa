// Errors in modules with bounded waits.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm{debug-waits=3}))'

#ws = #gpu.address_space<workgroup>

// C177
gpu.module @unnumbered [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @kernel(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    // expected-error @below {{expected a number in the label of a wait that is bounded, got none}}
    carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    // expected-error @below {{expected a number in the label of a wait that is bounded, got none}}
    carousel.mbarrier.wait %full[] parity %parity label<barrier = "full">
        : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C178
gpu.module @taken [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @kernel(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    carousel.mbarrier.wait %full[] parity %parity label<barrier = "full", number = 0>
        : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
  // expected-error @below {{expected no symbol 'carousel_wait_record' in a module whose waits are bounded, got one}}
  func.func private @carousel_wait_record()
}
