// What --carousel-lower-gathers refuses.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gathers))' --split-input-file --verify-diagnostics

// C214: each thread executes a gather exactly once.
gpu.module @kernels {
  gpu.func @nested(%n: index, %sum: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        // expected-error @below {{expected a gather outside of branches and nested loops, got one in 'scf.for'}}
        %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
      }
    }
    gpu.return
  }
}

// -----

// C214: a branch that some CTAs don't take.
gpu.module @kernels {
  gpu.func @branch(%takes: i1, %sum: f32) kernel {
    scf.if %takes {
      // expected-error @below {{expected a gather outside of branches and nested loops, got one in 'scf.if'}}
      %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    }
    gpu.return
  }
}

// -----

// C214: a value that no thread sends.
gpu.module @kernels {
  gpu.func @few(%sum: f32) kernel attributes {
      carousel.launch = #carousel.launch<grid = [8], block = [64], cluster = [2]>} {
    // expected-error @below {{expected a value for each CTA of the cluster, got 4 values and 2 CTAs}}
    %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    gpu.return
  }
}

// -----

// C214: one thread sends to each CTA.
gpu.module @kernels {
  gpu.func @narrow(%sum: f32) kernel attributes {
      carousel.launch = #carousel.launch<grid = [8], block = [2], cluster = [4]>} {
    // expected-error @below {{expected a thread for each value of a gather, got 4 values in a block of 2 threads}}
    %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    gpu.return
  }
}
