// Calls that --carousel-inline-functions refuses: declarations and recursion.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-inline-functions))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  func.func private @other(%v: vector<8xf32>) -> vector<8xf32>
  gpu.func @external() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<8xf32>
    // expected-error @below {{expected a function with a body for a call of a block program, got @other}}
    %r = func.call @other(%v) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  func.func private @first(%v: vector<8xf32>) -> vector<8xf32> {
    %r = func.call @second(%v) : (vector<8xf32>) -> vector<8xf32>
    return %r : vector<8xf32>
  }
  func.func private @second(%v: vector<8xf32>) -> vector<8xf32> {
    // expected-error @below {{expected no recursion in a block program, got a call of @first by itself}}
    %r = func.call @first(%v) : (vector<8xf32>) -> vector<8xf32>
    return %r : vector<8xf32>
  }
  gpu.func @recursive() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<8xf32>
    %r = func.call @first(%v) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }
}
