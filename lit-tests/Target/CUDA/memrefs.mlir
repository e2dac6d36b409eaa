// Views are pointers with extents and strides; an element is named by one number.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 --index-bitwidth=32 %s | FileCheck %s --check-prefix=NARROW

// NARROW: views(float *x, uint32_t x_extent_0, uint32_t x_extent_1,
// NARROW-NEXT: uint32_t x_stride_0, uint32_t i)
gpu.module @memrefs {
  // CHECK: alignas(16) __shared__ float box[8];
  memref.global "private" @box : memref<8xf32, 3> = uninitialized {alignment = 16 : i64}

  // CHECK-LABEL: extern "C" __global__ void views(float *x, uint64_t x_extent_0, uint64_t x_extent_1,
  // CHECK-NEXT:     uint64_t x_stride_0, uint64_t i) {
  // CHECK-NEXT:   float *row = &x[i * x_stride_0 + 4];
  // CHECK-NEXT:   float v = row[i * 2];
  // CHECK-NEXT:   x[i] = v;
  // CHECK-NEXT: }
  gpu.func @views(%x: memref<?x?xf32, strided<[?, 1], offset: ?>, 1>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %d = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>, 1>
    %row = memref.subview %x[%i, 4] [1, %d] [1, 2]
        : memref<?x?xf32, strided<[?, 1], offset: ?>, 1> to memref<?xf32, strided<[2], offset: ?>, 1>
    %v = memref.load %row[%i] : memref<?xf32, strided<[2], offset: ?>, 1>
    memref.store %v, %x[%c0, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>, 1>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void contiguous(float *x, uint64_t x_extent_1, uint64_t i, uint64_t j) {
  // CHECK-NEXT:   uint64_t part = x_extent_1 * 8;
  // CHECK-NEXT:   float *part_1 = &x[part];
  // CHECK-NEXT:   float v = x[i * (x_extent_1 * 8) + j * 8 + 3];
  // CHECK-NEXT:   part_1[i * part + j] = v;
  // CHECK-NEXT:   float old = carousel::atomic_addf(&x[i * (x_extent_1 * 8) + j * 8], v);
  // CHECK-NEXT:   x[0] = old;
  // CHECK-NEXT: }
  gpu.func @contiguous(%x: memref<4x?x8xf32, 1>, %i: index, %j: index) kernel {
    %c3 = arith.constant 3 : index
    %part = memref.subview %x[1, 0, 0] [2, 1, 8] [1, 1, 1]
        : memref<4x?x8xf32, 1> to memref<2x1x8xf32, strided<[?, 8, 1], offset: ?>, 1>
    %v = memref.load %x[%i, %j, %c3] : memref<4x?x8xf32, 1>
    %c0 = arith.constant 0 : index
    memref.store %v, %part[%i, %c0, %j] : memref<2x1x8xf32, strided<[?, 8, 1], offset: ?>, 1>
    %old = memref.atomic_rmw addf %v, %x[%i, %j, %c0] : (f32, memref<4x?x8xf32, 1>) -> f32
    memref.store %old, %x[%c0, %c0, %c0] : memref<4x?x8xf32, 1>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void scratch(float *x, uint64_t i, uint64_t j) {
  // CHECK-NEXT:   alignas(16) float buffer[8];
  // CHECK-NEXT:   float v = x[i];
  // CHECK-NEXT:   buffer[i * 4 + j] = v;
  // CHECK-NEXT:   float w = buffer[j * 4 + i];
  // CHECK-NEXT:   x[j] = w;
  // CHECK-NEXT: }
  gpu.func @scratch(%x: memref<8xf32, 1>, %i: index, %j: index) kernel {
    %buffer = memref.alloca() {alignment = 16 : i64} : memref<2x4xf32>
    %v = memref.load %x[%i] : memref<8xf32, 1>
    memref.store %v, %buffer[%i, %j] : memref<2x4xf32>
    %w = memref.load %buffer[%j, %i] : memref<2x4xf32>
    memref.store %w, %x[%j] : memref<8xf32, 1>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void globals(float *x, uint64_t i) {
  // CHECK-NEXT:   float v = x[i];
  // CHECK-NEXT:   box[i] = v;
  gpu.func @globals(%x: memref<8xf32, 1>, %i: index) kernel {
    %b = memref.get_global @box : memref<8xf32, 3>
    %v = memref.load %x[%i] : memref<8xf32, 1>
    memref.store %v, %b[%i] : memref<8xf32, 3>
    gpu.return
  }
}
