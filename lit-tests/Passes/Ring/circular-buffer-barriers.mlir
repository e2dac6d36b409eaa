// carousel-circular-buffer leaves room for barriers that a kernel allocates: they are of a later phase, and have a size.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer))' | FileCheck %s

#ws = #gpu.address_space<workgroup>

gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  // CHECK-LABEL: gpu.func @barriers
  // CHECK: memref.alloc() : memref<4x!carousel.mbarrier
  gpu.func @barriers() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %bars = memref.alloc() : memref<4x!carousel.mbarrier, #ws>
    gpu.return
  }
}
