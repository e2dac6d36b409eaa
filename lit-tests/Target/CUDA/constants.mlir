// Variables of a module with initial values: row after row, with unsigned integers.
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
  // What C++ has no literals of stands as bits.
  // CHECK: static __device__ uint16_t halves[2] = {
  // CHECK-NEXT:   15360, 49152
  memref.global "private" constant @halves : memref<2xf16, 1> = dense<[1.0, -2.0]>
  // CHECK: static __device__ uint16_t brains[2] = {
  // CHECK-NEXT:   16320, 16320
  memref.global "private" constant @brains : memref<2xbf16, 1> = dense<1.5>
  // CHECK: static __device__ uint32_t limits[2] = {
  // CHECK-NEXT:   2139095040, 1056964608
  memref.global "private" constant @limits : memref<2xf32, 1> = dense<[0x7F800000, 0.5]>

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

  // CHECK-LABEL: void limits_of(carousel::f16 *x, carousel::bf16 *y, float *z, uint64_t i) {
  // CHECK-NEXT:   carousel::f16 *[[HALVES:.+]] = (carousel::f16 *)halves;
  // CHECK-NEXT:   carousel::bf16 *[[BRAINS:.+]] = (carousel::bf16 *)brains;
  // CHECK-NEXT:   float *[[LIMITS:.+]] = (float *)limits;
  // CHECK-NEXT:   carousel::f16 h = [[HALVES]][i];
  gpu.func @limits_of(%x: memref<2xf16, 1>, %y: memref<2xbf16, 1>, %z: memref<2xf32, 1>, %i: index) kernel {
    %halves = memref.get_global @halves : memref<2xf16, 1>
    %brains = memref.get_global @brains : memref<2xbf16, 1>
    %limits = memref.get_global @limits : memref<2xf32, 1>
    %h = memref.load %halves[%i] : memref<2xf16, 1>
    %b = memref.load %brains[%i] : memref<2xbf16, 1>
    %l = memref.load %limits[%i] : memref<2xf32, 1>
    memref.store %h, %x[%i] : memref<2xf16, 1>
    memref.store %b, %y[%i] : memref<2xbf16, 1>
    memref.store %l, %z[%i] : memref<2xf32, 1>
    gpu.return
  }
}
