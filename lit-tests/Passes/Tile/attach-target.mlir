// carousel-attach-target gives a gpu.module one #nvvm.target, which replaces earlier ones.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80 ptx-version=70 opt-level=0}))' | FileCheck %s --check-prefix=OLDEST
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_120a ptx-version=90}))' | FileCheck %s --check-prefix=NEWEST
// Twice is as good as once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-attach-target))' | FileCheck %s

// CHECK: gpu.module @bare [#nvvm.target<chip = "sm_90a", features = "+ptx88">]
// OLDEST: gpu.module @bare [#nvvm.target<O = 0, chip = "sm_80", features = "+ptx70">]
// NEWEST: gpu.module @bare [#nvvm.target<chip = "sm_120a", features = "+ptx90">]
// DOC-EXAMPLE: --carousel-attach-target=chip=sm_90a
gpu.module @bare {}

// CHECK: gpu.module @targeted [#nvvm.target<chip = "sm_90a", features = "+ptx88">]
// OLDEST: gpu.module @targeted [#nvvm.target<O = 0, chip = "sm_80", features = "+ptx70">]
gpu.module @targeted [#nvvm.target<chip = "sm_70">, #nvvm.target<chip = "sm_75">] {}
