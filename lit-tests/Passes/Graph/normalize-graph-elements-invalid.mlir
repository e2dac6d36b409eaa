// Elements that no planner can count.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --verify-diagnostics

// C276
// expected-error @below {{expected tensors of integers, floats or indices, got 'tensor<4xvector<2xf32>>'}}
func.func @vectors(%x: tensor<4xvector<2xf32>>) -> tensor<4xvector<2xf32>> {
  return %x : tensor<4xvector<2xf32>>
}

// -----

func.func @complex() {
  // C276
  // expected-error @below {{expected tensors of integers, floats or indices, got 'tensor<4xcomplex<f32>>'}}
  %x = tensor.empty() : tensor<4xcomplex<f32>>
  return
}
