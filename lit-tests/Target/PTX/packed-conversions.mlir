// Two numbers of f32 are rounded to 16 bits by one instruction where each of them is extended again, too.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s

gpu.module @conversions {
  // CHECK-LABEL: .visible .entry round
  // CHECK-NOT: cvt.rn.bf16.f32
  // CHECK-NOT: cvt.rn.f16.f32
  // CHECK-COUNT-2: cvt.rn.bf16x2.f32
  // CHECK-COUNT-2: cvt.rn.f16x2.f32
  // CHECK-NOT: cvt.rn.bf16.f32
  // CHECK-NOT: cvt.rn.f16.f32
  gpu.func @round(%x: memref<4xf32, 1>, %y: memref<4xbf16, 1>, %z: memref<4xf16, 1>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<4xf32, 1>, vector<4xf32>
    %b = arith.truncf %v : vector<4xf32> to vector<4xbf16>
    %wide = arith.extf %b : vector<4xbf16> to vector<4xf32>
    %sum = arith.addf %wide, %v : vector<4xf32>
    %h = arith.truncf %sum : vector<4xf32> to vector<4xf16>
    %wider = arith.extf %h : vector<4xf16> to vector<4xf32>
    vector.store %b, %y[%c0] : memref<4xbf16, 1>, vector<4xbf16>
    vector.store %h, %z[%c0] : memref<4xf16, 1>, vector<4xf16>
    vector.store %wider, %x[%c0] : memref<4xf32, 1>, vector<4xf32>
    gpu.return
  }
}
