// A hyperbolic tangent that allows approximations is tanh.approx by both ways, of numbers and of vectors.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s --check-prefix=PTX

gpu.module @math {
  // CHECK-LABEL: extern "C" __global__ void tangents(
  // CHECK-DAG: float {{.*}} = carousel::approximate_tanh(
  // CHECK-DAG: vec<float, 4> {{.*}} = carousel::approximate_tanh(
  // CHECK-DAG: tanhf(
  // PTX-LABEL: .visible .entry tangents
  // PTX-COUNT-5: tanh.approx.f32
  // PTX-NOT: tanh.approx
  gpu.func @tangents(%x: memref<16xf32, 1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %x[%c0] : memref<16xf32, 1>
    %p = math.tanh %a fastmath<afn> : f32
    memref.store %p, %x[%c0] : memref<16xf32, 1>
    %v = vector.load %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %q = math.tanh %v fastmath<afn> : vector<4xf32>
    vector.store %q, %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %r = math.tanh %a : f32
    memref.store %r, %x[%c1] : memref<16xf32, 1>
    gpu.return
  }
}
