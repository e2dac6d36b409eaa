// Errors of carousel-convert-to-nvvm, and invalid options that other passes share.
// RUN: split-file %s %t
// RUN: carousel-opt %t/target.mlir --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' --verify-diagnostics
// RUN: carousel-opt %t/index.mlir --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm{index-bitwidth=16}))' --verify-diagnostics
// RUN: carousel-opt %t/index.mlir --pass-pipeline='builtin.module(gpu.module(carousel-expand-kernel-abi{index-bitwidth=16}))' --verify-diagnostics

//--- target.mlir
// expected-error @below {{expected one #nvvm.target on the gpu.module, got 0}}
gpu.module @kernels {}

//--- index.mlir
// expected-error @below {{expected an index of 32 or 64 bits, got 16}}
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {}
