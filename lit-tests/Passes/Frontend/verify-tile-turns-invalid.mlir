// Turns that follow the ids of CTAs, in kernels that don't say that all CTAs are on the device at once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: the id itself, by arithmetic.
gpu.module @kernels {
  gpu.func @block(%s: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id x
    %segment = arith.divui %block, %n : index
    %turn = arith.remui %block, %n : index
    // expected-error @below {{expected turns that follow carousel.grid.ticket, or carousel.coresident or carousel.starts_in_order on the kernel, got a turn that depends on 'gpu.block_id'}}
    carousel.serialize %s[%segment] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: a ticket and the id.
gpu.module @kernels {
  gpu.func @both(%s: !counters, %c: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ticket = carousel.grid.ticket %c[%c0] of %n : !counters
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id y
    %turn = arith.addi %ticket, %block : index
    // expected-error @below {{got a turn that depends on 'gpu.block_id'}}
    carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: a CTA of a persistent grid, which takes each work of a stride.
gpu.module @kernels {
  gpu.func @persistent(%s: !counters, %n: index, %all: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %work = %block to %all step %blocks {
      %turn = arith.remui %work, %n : index
      // expected-error @below {{got a turn that depends on 'gpu.block_id'}}
      carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
      } : !counters
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: out of a branch, and from iteration to iteration.
gpu.module @kernels {
  gpu.func @carried(%s: !counters, %n: index, %swaps: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %blocks = gpu.grid_dim x
    %turns = scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
      // expected-error @below {{got a turn that depends on 'gpu.cluster_id'}}
      carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
      } : !counters
      %next = scf.if %swaps -> (index) {
        // expected-note @below {{CTAs start in any order}}
        %cluster = gpu.cluster_id x
        scf.yield %cluster : index
      } else {
        scf.yield %c1 : index
      }
      scf.yield %next : index
    }
    gpu.return
  }
}
