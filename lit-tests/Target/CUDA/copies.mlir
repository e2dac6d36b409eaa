// Copies of memrefs are loops over elements, of all ranks and extents.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

#ws = #gpu.address_space<workgroup>

gpu.module @copies {
  // CHECK-LABEL: extern "C" __global__ void rows(float *x, uint64_t x_extent_0, uint64_t x_extent_1,
  // CHECK-NEXT: uint64_t x_stride_0) {
  // CHECK: for (uint64_t [[I:.+]] = 0; [[I]] < 8; ++[[I]]) {
  // CHECK-NEXT: for (uint64_t [[J:.+]] = 0; {{.*}}[[J]]{{.*}} < {{.*}}x_extent_1{{.*}}; ++[[J]]) {
  // CHECK-NEXT: tile[[[I]] * 4 + [[J]]] = x[[[I]] * x_stride_0 + [[J]] * 2];
  gpu.func @rows(%x: memref<?x?xf32, strided<[?, 2], offset: ?>, 1>) workgroup(%tile: memref<8x4xf32, #ws>) kernel {
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 2], offset: ?>, 1>
    %part = memref.subview %tile[0, 0] [8, %n] [1, 1] : memref<8x4xf32, #ws> to memref<8x?xf32, strided<[4, 1]>, #ws>
    memref.copy %x, %part : memref<?x?xf32, strided<[?, 2], offset: ?>, 1> to memref<8x?xf32, strided<[4, 1]>, #ws>
    gpu.return
  }
}
