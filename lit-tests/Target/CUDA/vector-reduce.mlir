// Reductions of vectors in CUDA C++: calls of carousel/device/vector_reduce.h. texts-compile.test compiles them.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

// CHECK: #include <carousel/device/vector_reduce.h>
// CHECK-LABEL: void forms(
// CHECK: carousel::vector_reduce<carousel::reduce::add, carousel::reduce_type::f32>(
// CHECK: carousel::vector_reduce<carousel::reduce::add, carousel::reduce_type::f32>(
// CHECK: carousel::vector_reduce<carousel::reduce::add, carousel::reduce_type::f16>(
// CHECK: carousel::vector_reduce<carousel::reduce::add, carousel::reduce_type::f16>(
// CHECK: carousel::vector_reduce<carousel::reduce::add, carousel::reduce_type::bf16>(
// CHECK: carousel::vector_reduce<carousel::reduce::add, carousel::reduce_type::bf16>(

#gl = #gpu.address_space<global>

gpu.module @reductions {
  gpu.func @forms(%x: memref<?xf32, #gl>, %h: memref<?xf16, #gl>, %b: memref<?xbf16, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v2 = vector.load %x[%c0] : memref<?xf32, #gl>, vector<2xf32>
    %v4 = vector.load %x[%c0] : memref<?xf32, #gl>, vector<4xf32>
    %h4 = vector.load %h[%c0] : memref<?xf16, #gl>, vector<4xf16>
    %h8 = vector.load %h[%c0] : memref<?xf16, #gl>, vector<8xf16>
    %b4 = vector.load %b[%c0] : memref<?xbf16, #gl>, vector<4xbf16>
    %b8 = vector.load %b[%c0] : memref<?xbf16, #gl>, vector<8xbf16>
    carousel.vector.reduce add f32 %v2 to %x[%c8] : vector<2xf32>, memref<?xf32, #gl>
    carousel.vector.reduce add f32 %v4 to %x[%c8] : vector<4xf32>, memref<?xf32, #gl>
    carousel.vector.reduce add f16 %h4 to %h[%c8] : vector<4xf16>, memref<?xf16, #gl>
    carousel.vector.reduce add f16 %h8 to %h[%c8] : vector<8xf16>, memref<?xf16, #gl>
    carousel.vector.reduce add bf16 %b4 to %b[%c8] : vector<4xbf16>, memref<?xbf16, #gl>
    carousel.vector.reduce add bf16 %b8 to %b[%c8] : vector<8xbf16>, memref<?xbf16, #gl>
    gpu.return
  }
}
