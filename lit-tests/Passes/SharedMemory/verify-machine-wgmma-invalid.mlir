// Registers of products outside of products, loops and branches.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))' --split-input-file --verify-diagnostics

!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>

// C332: a choice, as passes make of branches.
gpu.module @kernels {
  gpu.func @chosen(%v: vector<1x2x2xf32>, %first: i1) kernel {
    %p = carousel.wgmma.fence(%v) : vector<1x2x2xf32>
    %q = carousel.wgmma.fence(%v) : vector<1x2x2xf32>
    // expected-error @below {{expected registers of products in wgmma ops, loops and branches, got them in 'arith.select'}}
    %s = arith.select %first, %p, %q : !sums
    %r = carousel.wgmma.wait 0, %s : !sums
    gpu.return
  }
}

// -----

!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>

// Loops and branches pass them on.
gpu.module @kernels {
  gpu.func @passed(%v: vector<1x2x2xf32>, %n: index, %c: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = carousel.wgmma.fence(%v) : vector<1x2x2xf32>
    %q = scf.for %i = %c0 to %n step %c1 iter_args(%s = %p) -> (!sums) {
      scf.yield %s : !sums
    }
    %r = carousel.wgmma.wait 0, %q : !sums
    gpu.return
  }
}
