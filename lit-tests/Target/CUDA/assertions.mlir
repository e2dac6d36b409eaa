// An assertion is a branch that prints the values that it compares, and calls what CUDA's assert calls. Text of the IR can't
// leave its string.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-emitc))' 2>&1 | FileCheck %s --check-prefix=EARLIER
// EARLIER: expected an op that has a form in CUDA C++, got 'cf.assert'

gpu.module @m {
  // CHECK-LABEL: void k(
  // CHECK: if (int32_t(v) >= int32_t(n)) {
  // CHECK: printf("{{.*}}assertions.mlir:[[#@LINE+13]]: kernel 'k': expected \"100 %%\" below n, got %lld >= %lld\012",
  // CHECK: uint64_t(int32_t(v)), uint64_t(int32_t(n)));
  // CHECK: __assertfail("kernel 'k': expected \"100 %\" below n",
  // CHECK: assertions.mlir"
  // CHECK: }
  // CHECK: if (!p) {
  // CHECK: __assertfail("kernel 'k': \012", "{{.*}}assertions.mlir",
  // CHECK: 1);
  // CHECK: }
  gpu.func @k(%x: memref<?xi32, #gpu.address_space<global>>, %n: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xi32, #gpu.address_space<global>>
    %ok = arith.cmpi slt, %v, %n : i32
    cf.assert %ok, "expected \22100 %\22 below n"
    cf.assert %p, "\0A"
    gpu.return
  }
}
