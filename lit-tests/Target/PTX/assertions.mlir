// A failed assertion prints its place, its kernel, its message and the values that it compares, and calls the system's
// function.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// CHECK-DAG: .extern .func{{.*}}vprintf
// CHECK-DAG: .extern .func __assertfail
// CHECK: .entry k(
// CHECK: setp.
// CHECK: call.uni{{.*}}vprintf
// CHECK: call.uni __assertfail

gpu.module @m {
  gpu.func @k(%x: memref<?xi32, #gpu.address_space<global>>, %n: i32) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xi32, #gpu.address_space<global>>
    %ok = arith.cmpi slt, %v, %n : i32
    cf.assert %ok, "expected 100 % of the numbers below n"
    memref.store %v, %x[%c0] : memref<?xi32, #gpu.address_space<global>>
    gpu.return
  }
}
