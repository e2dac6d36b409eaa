// Errors of carousel-attach-target.
// RUN: split-file %s %t
// RUN: carousel-opt %t/chip.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_99}))' --verify-diagnostics
// RUN: carousel-opt %t/ptx-new.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80 ptx-version=91}))' --verify-diagnostics
// RUN: carousel-opt %t/ptx-old.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_120a ptx-version=86}))' --verify-diagnostics
// RUN: carousel-opt %t/ptx-zero.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{ptx-version=0}))' --verify-diagnostics
// RUN: carousel-opt %t/opt-level.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{opt-level=4}))' --verify-diagnostics

//--- chip.mlir
// expected-error @below {{unknown chip 'sm_99', expected one of sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100a, sm_120a}}
gpu.module @kernels {}

//--- ptx-new.mlir
// expected-error @below {{expected a PTX version of 7.0 to 9.0 for sm_80, got 9.1}}
gpu.module @kernels {}

//--- ptx-old.mlir
// expected-error @below {{expected a PTX version of 8.7 to 9.0 for sm_120a, got 8.6}}
gpu.module @kernels {}

//--- ptx-zero.mlir
// expected-error @below {{expected a PTX version of 8.0 to 9.0 for sm_90a, got 0.0}}
gpu.module @kernels {}

//--- opt-level.mlir
// expected-error @below {{expected an optimisation level of 0 to 3, got 4}}
gpu.module @kernels {}
