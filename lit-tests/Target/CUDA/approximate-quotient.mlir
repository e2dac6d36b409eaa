// A quotient that allows approximations, and any of bf16, is div.full by both ways, of numbers and of vectors; others are
// rounded correctly.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s --check-prefix=PTX

gpu.module @math {
  // CHECK-LABEL: extern "C" __global__ void quotients(
  // CHECK-DAG: float {{.*}} = carousel::approximate_quotient(
  // CHECK-DAG: vec<float, 4> {{.*}} = carousel::approximate_quotient(
  // CHECK-DAG: bf16 {{.*}} = carousel::approximate_quotient(
  // CHECK-DAG: float {{.*}} / {{.*}}
  // PTX-LABEL: .visible .entry quotients
  // PTX-COUNT-5: div.full.f32
  // PTX: div.rn.f32
  // PTX: div.full.f32
  // PTX-NOT: div.
  gpu.func @quotients(%x: memref<16xf32, 1>, %y: memref<2xbf16, 1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %a = memref.load %x[%c0] : memref<16xf32, 1>
    %b = memref.load %x[%c1] : memref<16xf32, 1>
    %p = arith.divf %a, %b fastmath<arcp> : f32
    memref.store %p, %x[%c0] : memref<16xf32, 1>
    %v = vector.load %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %one = arith.constant dense<1.0> : vector<4xf32>
    %q = arith.divf %one, %v fastmath<afn> : vector<4xf32>
    vector.store %q, %x[%c0] : memref<16xf32, 1>, vector<4xf32>
    %r = arith.divf %a, %b : f32
    memref.store %r, %x[%c8] : memref<16xf32, 1>
    %c = memref.load %y[%c0] : memref<2xbf16, 1>
    %d = memref.load %y[%c1] : memref<2xbf16, 1>
    %s = arith.divf %c, %d : bf16
    memref.store %s, %y[%c0] : memref<2xbf16, 1>
    gpu.return
  }
}
