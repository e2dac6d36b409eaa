// What carousel-convert-gpu-to-nvvm takes for granted is an error where it doesn't hold: earlier passes lower the dialect's
// types and flatten signatures.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-gpu-to-nvvm))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>

// Barriers.
gpu.module @kernels {
  // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<1x!carousel.mbarrier, #gpu.address_space<workgroup>>'}}
  gpu.func @barriers() workgroup(%bar: memref<1x!carousel.mbarrier, #ws>) kernel {
    gpu.return
  }
}

// -----

// Numbers of a type that LLVM lacks: attributions, stack, variables.
gpu.module @kernels {
  // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<4xtf32>'}}
  gpu.func @rounded() private(%b: memref<4xtf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @stack() kernel {
    // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<4xtf32>'}}
    %b = memref.alloca() : memref<4xtf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<4xtf32>'}}
  memref.global @variable : memref<4xtf32> = uninitialized
}

// -----

// A launch, which is none of an llvm.func.
gpu.module @kernels {
  // expected-error @below {{expected the flat signature of --carousel-expand-kernel-abi, got carousel.launch}}
  gpu.func @launched() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}
