// What --carousel-lower-gathers refuses.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gathers))' --split-input-file --verify-diagnostics

// C214: each thread executes a gather exactly once.
gpu.module @kernels {
  gpu.func @loop(%n: index, %sum: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{expected a gather outside of loops and branches, got one in 'scf.for'}}
      %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    }
    gpu.return
  }
}
