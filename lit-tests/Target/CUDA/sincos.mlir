// A sine and a cosine of one number are two functions, for all types and ways to code.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s --check-prefix=PTX

gpu.module @math {
  // CHECK-LABEL: extern "C" __global__ void both(
  // CHECK-DAG: sinf(
  // CHECK-DAG: cosf(
  // CHECK-DAG: carousel::sin(
  // CHECK-DAG: carousel::cos(
  // PTX-LABEL: .visible .entry both
  // PTX-COUNT-5: st.global
  gpu.func @both(%x: memref<16xf32, 1>, %h: memref<4xf16, 1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %x[%c0] : memref<16xf32, 1>
    %s, %c = math.sincos %a : f32
    memref.store %s, %x[%c0] : memref<16xf32, 1>
    memref.store %c, %x[%c1] : memref<16xf32, 1>
    %v = vector.load %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %vs, %vc = math.sincos %v fastmath<nnan> : vector<4xf32>
    %sum = arith.addf %vs, %vc : vector<4xf32>
    vector.store %sum, %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %b = memref.load %h[%c0] : memref<4xf16, 1>
    %hs, %hc = math.sincos %b : f16
    memref.store %hs, %h[%c0] : memref<4xf16, 1>
    memref.store %hc, %h[%c1] : memref<4xf16, 1>
    gpu.return
  }
}
