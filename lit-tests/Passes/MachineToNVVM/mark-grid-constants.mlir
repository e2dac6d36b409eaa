// carousel-mark-grid-constants passes the parameters that were noted as tensor maps by value.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-mark-grid-constants))' | FileCheck %s
// Twice is as good as once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-mark-grid-constants,carousel-mark-grid-constants))' | FileCheck %s

// DOC-EXAMPLE: --carousel-mark-grid-constants
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @kernel
  // CHECK-SAME: (%{{.+}}: !llvm.ptr<1>, %{{.+}}: !llvm.ptr {llvm.align = 128 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
  // CHECK-NOT: tensor_map_parameters
  llvm.func @kernel(%x: !llvm.ptr<1>, %map: !llvm.ptr)
      attributes {nvvm.kernel, carousel.tensor_map_parameters = array<i32: 1>} {
    llvm.return
  }

  // CHECK-LABEL: llvm.func @other
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr)
  llvm.func @other(%x: !llvm.ptr) attributes {nvvm.kernel} {
    llvm.return
  }
}
