// carousel-verify-target accepts a module of LLVM and NVVM ops.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-target))' | FileCheck %s

// CHECK: llvm.func @kernel
gpu.module @kernels {
  llvm.func @kernel() attributes {nvvm.kernel} {
    nvvm.barrier0
    llvm.return
  }
}
