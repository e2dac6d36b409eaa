// carousel-mark-convergent marks every function.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-mark-convergent))' | FileCheck %s

// CHECK: llvm.func @kernel() attributes {convergent, nvvm.kernel}
// CHECK: llvm.func @device() attributes {convergent}
// DOC-EXAMPLE: --carousel-mark-convergent
gpu.module @kernels {
  llvm.func @kernel() attributes {nvvm.kernel} {
    llvm.call @device() : () -> ()
    llvm.return
  }
  llvm.func @device() {
    nvvm.barrier0
    llvm.return
  }
}
