// carousel-lower-functions: device functions keep their names; private ones become internal, external ones
// are called by their own name.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-functions))' | FileCheck %s

// CHECK-NOT: _mlir_ciface
// DOC-EXAMPLE: --carousel-lower-functions
gpu.module @kernels {
  // CHECK: llvm.func internal @helper(%{{.+}}: f32) -> f32
  func.func private @helper(%x: f32) -> f32 {
    return %x : f32
  }
  // CHECK: llvm.func @activation(f32) -> f32
  func.func private @activation(%x: f32) -> f32
  // CHECK: llvm.func @public
  func.func @public(%x: f32) -> f32 {
    // CHECK: llvm.call @helper
    %y = func.call @helper(%x) : (f32) -> f32
    // CHECK: llvm.call @activation
    %z = func.call @activation(%y) : (f32) -> f32
    return %z : f32
  }
}
