// A power of 2 that allows approximations is ex2.approx.ftz by both ways, of numbers and of vectors; others keep subnormals.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s --check-prefix=PTX

gpu.module @math {
  // CHECK-LABEL: extern "C" __global__ void powers(
  // CHECK-DAG: float {{.*}} = carousel::approximate_exp2(
  // CHECK-DAG: vec<float, 4> {{.*}} = carousel::approximate_exp2(
  // CHECK-DAG: exp2f(
  // PTX-LABEL: .visible .entry powers
  // PTX-COUNT-4: ex2.approx.ftz.f32
  // PTX: ex2.approx.f32
  // PTX-NOT: ex2
  gpu.func @powers(%x: memref<16xf32, 1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %x[%c0] : memref<16xf32, 1>
    %p = math.exp2 %a fastmath<afn> : f32
    memref.store %p, %x[%c0] : memref<16xf32, 1>
    %v = vector.load %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %q = math.exp2 %v fastmath<afn> : vector<4xf32>
    vector.store %q, %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %r = math.exp2 %a : f32
    memref.store %r, %x[%c1] : memref<16xf32, 1>
    gpu.return
  }
}
