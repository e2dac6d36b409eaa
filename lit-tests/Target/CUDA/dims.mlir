// Extents of a dimension that only run time knows: a choice among all of them.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @dims {
  // CHECK-LABEL: extern "C" __global__ void some(
  // CHECK: uint64_t n = d == 2 ? x_extent_2 : d == 1 ? 8 : x_extent_0;
  gpu.func @some(%x: memref<?x8x?xf32, 1>, %y: memref<4xi64, 1>, %d: index) kernel {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %d : memref<?x8x?xf32, 1>
    %word = arith.index_cast %n : index to i64
    memref.store %word, %y[%c0] : memref<4xi64, 1>
    gpu.return
  }
}
