// Passes log their decisions, each in one line with its location and its numbers.
// REQUIRES: asserts
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' -o /dev/null \
// RUN:   --debug-only=carousel-select-engine,carousel-circular-buffer --debug-only=carousel-allocate-shared 2>&1 | FileCheck %s
// CHECK: [carousel-select-engine SelectEngine.cpp:{{.*}}debug-only.mlir":[[@LINE+17]]:{{.*}} of 4096 bytes by {{.*}}bulk{{.*}}cost
// CHECK-NOT: [carousel-insert-async-sync
// CHECK: [carousel-circular-buffer CircularBuffer.cpp:{{.*}}ring of 4 stages for 1 load(s)
// CHECK-NOT: [carousel-insert-async-sync
// CHECK: [carousel-allocate-shared AllocateShared.cpp:{{.*}} 16384 bytes at 0, aligned to
// CHECK-NOT: [carousel-insert-async-sync

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %tile = memref.alloc() : memref<1024xf32, #ws>
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<1024xf32, #ws>
      carousel.store %tile to %y[%i] : memref<1024xf32, #ws>, memref<?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
