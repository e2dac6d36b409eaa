// Square roots and divisions are rounded correctly, as NVRTC's are; powers with exponents of any width call nothing.
// REQUIRES: ptxas
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s
#gl = #gpu.address_space<global>
gpu.module @kernels {
  // CHECK-LABEL: .entry roots
  // CHECK-NOT: approx
  // CHECK: sqrt.rn.f32
  // CHECK-NOT: approx
  // CHECK: div.rn.f32
  // CHECK-NOT: approx
  // CHECK: ret;
  gpu.func @roots(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32, #gl>
    %r = math.sqrt %v : f32
    %q = arith.divf %r, %v : f32
    memref.store %q, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }
  // CHECK-LABEL: .entry powers
  // CHECK-NOT: call
  // CHECK: rcp.rn.f32
  // CHECK: shr.u64
  // CHECK: ret;
  gpu.func @powers(%x: memref<?xf32, #gl>, %n: i64) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32, #gl>
    %r = math.fpowi %v, %n : f32, i64
    memref.store %r, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
