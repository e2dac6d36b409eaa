// Reductions of vectors in PTX: every form.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_100a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_120a %s | FileCheck %s
// RUN: not carousel-translate --mlir-to-ptx --chip=sm_80 %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: 'carousel.vector.reduce' op needs sm_90 and PTX 8.1, the target is sm_80

// CHECK-LABEL: .entry forms(
// CHECK: red.relaxed.gpu.global.add.v2.f32
// CHECK: red.relaxed.gpu.global.add.v4.f32
// CHECK: red.relaxed.gpu.global.add.noftz.v2.f16x2
// CHECK: red.relaxed.gpu.global.add.noftz.v4.f16x2
// CHECK: red.relaxed.gpu.global.add.noftz.v2.bf16x2
// CHECK: red.relaxed.gpu.global.add.noftz.v4.bf16x2

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
