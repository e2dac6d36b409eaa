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

// -----

!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>
!factor = !carousel.wgmma_registers<vector<4x2xbf16>>
!matrix = !carousel.matrix_descriptor<bf16, k>

// C335: a factor whose registers are free behind the product, and one that is waited for.
gpu.module @kernels {
  gpu.func @factors(%v: vector<1x2x2xf32>, %a: vector<4x2xbf16>, %b: !matrix) kernel {
    %s, %free, %kept = carousel.wgmma.fence(%v, %a, %a) : vector<1x2x2xf32>, vector<4x2xbf16>, vector<4x2xbf16>
    // expected-error @below {{expected a wait that takes the registers of the first factor, got none}}
    %0 = carousel.wgmma.mma %free, %b, %s : !factor, !matrix, !sums
    %1 = carousel.wgmma.mma %kept, %b, %0 : !factor, !matrix, !sums
    carousel.wgmma.commit
    carousel.wgmma.wait 0, %1, %kept : !sums, !factor
    gpu.return
  }
}

// -----

!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>
!factor = !carousel.wgmma_registers<vector<4x2xbf16>>
!matrix = !carousel.matrix_descriptor<bf16, k>

// C335: a loop carries the registers, and no wait behind it takes them.
gpu.module @kernels {
  gpu.func @carried(%v: vector<1x2x2xf32>, %a: vector<4x2xbf16>, %b: !matrix, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s, %first, %second = carousel.wgmma.fence(%v, %a, %a) : vector<1x2x2xf32>, vector<4x2xbf16>, vector<4x2xbf16>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s, %p = %first, %q = %second) -> (!sums, !factor, !factor) {
      carousel.wgmma.wait 1, %p, %q : !factor, !factor
      %0, %1 = carousel.wgmma.fence(%a, %a) : vector<4x2xbf16>, vector<4x2xbf16>
      %2 = carousel.wgmma.mma %0, %b, %t : !factor, !matrix, !sums
      // expected-error @below {{expected a wait that takes the registers of the first factor, got none}}
      %3 = carousel.wgmma.mma %1, %b, %2 : !factor, !matrix, !sums
      carousel.wgmma.commit
      scf.yield %3, %0, %1 : !sums, !factor, !factor
    }
    carousel.wgmma.wait 0, %r#0, %r#1 : !sums, !factor
    gpu.return
  }
}
