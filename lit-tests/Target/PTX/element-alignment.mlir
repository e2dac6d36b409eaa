// An element of 8 bytes is one access: memory has the alignment that the target's data layout gives its type.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_80 %s | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: .visible .entry copy
  // CHECK: ld.global.b64
  // CHECK: st.global.b64
  gpu.func @copy(%x: memref<?xi64, 1>, %y: memref<?xi64, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<?xi64, 1>
    memref.store %v, %y[%i] : memref<?xi64, 1>
    gpu.return
  }
}
