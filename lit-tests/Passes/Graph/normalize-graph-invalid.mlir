// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{accumulate=f16}))' --verify-diagnostics

// expected-error @below {{expected f32 or as-written for accumulate, got 'f16'}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
