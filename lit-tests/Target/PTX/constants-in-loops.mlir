// Constants that a loop adds to a number of the thread, and subtracts from one of the iteration, stay in its instructions:
// sums that are the same in all iterations would each need a register.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s

gpu.module @constants {
  // CHECK-LABEL: .visible .entry subtract
  // CHECK-NOT: add.s32 {{.*}}, 37
  // CHECK: sub.s32 %[[FIRST:r[0-9]+]], %[[I:r[0-9]+]], %[[THREAD:r[0-9]+]];
  // CHECK-DAG: add.s32 %{{r[0-9]+}}, %[[FIRST]], -37;
  // CHECK-DAG: add.s32 %{{r[0-9]+}}, %[[FIRST]], -41;
  // CHECK-DAG: sub.s32 %[[OTHER:r[0-9]+]], %[[THREAD]], %[[I]];
  // CHECK-DAG: add.s32 %{{r[0-9]+}}, %[[OTHER]], 37;
  // CHECK-NOT: add.s32 {{.*}}, 41
  gpu.func @subtract(%x: memref<?xi32, 1>, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c37 = arith.constant 37 : i32
    %c41 = arith.constant 41 : i32
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %id = gpu.thread_id x
    %thread = memref.load %x[%id] : memref<?xi32, 1>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = arith.addi %thread, %c37 : i32
      %b = arith.addi %thread, %c41 : i32
      %0 = arith.subi %i, %a : i32
      %1 = arith.subi %i, %b : i32
      %2 = arith.subi %a, %i : i32
      memref.store %0, %x[%i0] : memref<?xi32, 1>
      memref.store %1, %x[%i1] : memref<?xi32, 1>
      memref.store %2, %x[%i2] : memref<?xi32, 1>
    }
    gpu.return
  }
}
