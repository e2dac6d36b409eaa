// Variables of a module with initial values: rows one behind the other, integers without a sign.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @constants {
  // CHECK: static __device__ float weights[4] = {
  // CHECK-NEXT:   0.5f, -1.0f, 0.0f, 0.00100000005f
  // CHECK-NEXT: };
  memref.global "private" constant @weights : memref<2x2xf32, 1> = dense<[[0.5, -1.0], [0.0, 0.001]]>
  // CHECK: alignas(16) static __device__ uint32_t table[10] = {
  // CHECK-NEXT:   0xffffffffu, 1, 2, 3, 4, 5, 6, 7,
  // CHECK-NEXT:   8, 9
  // CHECK-NEXT: };
  memref.global "private" @table : memref<10xi32, 1> = dense<[-1, 1, 2, 3, 4, 5, 6, 7, 8, 9]> {alignment = 16 : i64}
  // CHECK: static __device__ double ones[2] = {
  // CHECK-NEXT:   1.0, 1.0
  memref.global "private" @ones : memref<2xf64, 1> = dense<1.0>

  // CHECK-LABEL: void look_up(float *x, uint64_t i, uint64_t j) {
  // CHECK-NEXT:   float w = weights[i * 2 + j];
  // CHECK-NEXT:   double o = ones[i];
  // CHECK: uint32_t n = table[j];
  gpu.func @look_up(%x: memref<16xf32, 1>, %i: index, %j: index) kernel {
    %weights = memref.get_global @weights : memref<2x2xf32, 1>
    %table = memref.get_global @table : memref<10xi32, 1>
    %ones = memref.get_global @ones : memref<2xf64, 1>
    %w = memref.load %weights[%i, %j] : memref<2x2xf32, 1>
    %o = memref.load %ones[%i] : memref<2xf64, 1>
    %narrow = arith.truncf %o : f64 to f32
    %sum = arith.addf %w, %narrow : f32
    %n = memref.load %table[%j] : memref<10xi32, 1>
    %k = arith.index_cast %n : i32 to index
    memref.store %sum, %x[%k] : memref<16xf32, 1>
    gpu.return
  }
}
