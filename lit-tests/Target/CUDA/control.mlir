// Loops, conditions and what they carry; no branch is a goto.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @control {
  // CHECK-LABEL: extern "C" __global__ void loops(float *x, uint64_t x_extent_0, uint64_t n) {
  // CHECK-NEXT:   float acc = 0.0f;
  // CHECK-NEXT:   for (uint64_t i = 0; int64_t(i) < int64_t(n); ++i) {
  // CHECK-NEXT:     float v = x[i];
  // CHECK-NEXT:     float next = acc + v;
  // CHECK-NEXT:     acc = next;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   x[0] = acc;
  // CHECK-NEXT:   float a = 0.0f;
  // CHECK-NEXT:   float b = 1.0f;
  // CHECK-NEXT:   for (uint64_t i_1 = 0; i_1 < 8; ++i_1) {
  // CHECK-NEXT:     float pair = a;
  // CHECK-NEXT:     a = b;
  // CHECK-NEXT:     b = pair;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   x[1] = a;
  // CHECK-NEXT: }
  gpu.func @loops(%x: memref<?xf32, 1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    // Bounds that aren't known are compared as signed.
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i] : memref<?xf32, 1>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %x[%c0] : memref<?xf32, 1>
    // Values that change places.
    %pair:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero, %b = %one) -> (f32, f32) {
      scf.yield %b, %a : f32, f32
    }
    memref.store %pair#0, %x[%c1] : memref<?xf32, 1>
    gpu.return
  }

  // A memref that a loop carries is a pointer, extents and strides.
  // CHECK-LABEL: extern "C" __global__ void carried_memref(float *x, uint64_t x_extent_0, float *y,
  // CHECK-NEXT:     uint64_t y_extent_0, uint64_t n) {
  // CHECK-NEXT:   float *m = x;
  // CHECK-NEXT:   uint64_t m_1 = x_extent_0;
  // CHECK-NEXT:   for (uint64_t i = 0; int64_t(i) < int64_t(n); ++i) {
  // CHECK-NEXT:     m[i] = 1.0f;
  // CHECK-NEXT:     m = y;
  // CHECK-NEXT:     m_1 = y_extent_0;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   m[m_1] = 1.0f;
  // CHECK-NEXT: }
  gpu.func @carried_memref(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%m = %x) -> (memref<?xf32, 1>) {
      memref.store %one, %m[%i] : memref<?xf32, 1>
      scf.yield %y : memref<?xf32, 1>
    }
    %d = memref.dim %m, %c0 : memref<?xf32, 1>
    memref.store %one, %m[%d] : memref<?xf32, 1>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void conditions(float *x, uint64_t x_extent_0, uint32_t n) {
  // CHECK-NEXT:   bool small_v = int32_t(n) < 4;
  // CHECK-NEXT:   float v;
  // CHECK-NEXT:   if (small_v) {
  // CHECK-NEXT:     x[0] = 1.0f;
  // CHECK-NEXT:     v = 1.0f;
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     bool middle = n < 9;
  // CHECK-NEXT:     float w = middle ? 2.0f : 1.0f;
  // CHECK-NEXT:     if (middle) {
  // CHECK-NEXT:       __syncthreads();
  // CHECK-NEXT:     }
  // CHECK-NEXT:     v = w;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   x[0] = v;
  // CHECK-NEXT:   uint64_t k = int32_t(n);
  // CHECK-NEXT:   switch (k) {
  // CHECK-NEXT:   case 3: {
  // CHECK-NEXT:     x[0] = 1.0f;
  // CHECK-NEXT:     break;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   default: {
  // CHECK-NEXT:     x[0] = 2.0f;
  // CHECK-NEXT:     break;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  gpu.func @conditions(%x: memref<?xf32, 1>, %n: i32) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : i32
    %c9 = arith.constant 9 : i32
    %a = arith.constant 1.0 : f32
    %b = arith.constant 2.0 : f32
    %small = arith.cmpi slt, %n, %c4 : i32
    %v = scf.if %small -> (f32) {
      memref.store %a, %x[%c0] : memref<?xf32, 1>
      scf.yield %a : f32
    } else {
      %middle = arith.cmpi ult, %n, %c9 : i32
      %w = scf.if %middle -> (f32) {
        gpu.barrier
        scf.yield %b : f32
      } else {
        scf.yield %a : f32
      }
      scf.yield %w : f32
    }
    memref.store %v, %x[%c0] : memref<?xf32, 1>
    %k = arith.index_cast %n : i32 to index
    scf.index_switch %k
    case 3 {
      memref.store %a, %x[%c0] : memref<?xf32, 1>
      scf.yield
    }
    default {
      memref.store %b, %x[%c0] : memref<?xf32, 1>
    }
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void halves(uint32_t *x, uint64_t x_extent_0, uint32_t n) {
  // CHECK-NEXT:   uint32_t k_1;
  // CHECK-NEXT:   bool more;
  // CHECK-NEXT:   uint32_t k = n;
  // CHECK-NEXT: #pragma unroll 1
  // CHECK-NEXT:   do {
  // CHECK-NEXT:     bool more_1 = k > 2;
  // CHECK-NEXT:     k_1 = k;
  // CHECK-NEXT:     more = more_1;
  // CHECK-NEXT:     if (more) {
  // CHECK-NEXT:       carousel::bulk_commit_group();
  // CHECK-NEXT:       uint32_t half_v = k_1 / 2;
  // CHECK-NEXT:       k = half_v;
  // CHECK-NEXT:     }
  // CHECK-NEXT:   } while (more);
  // CHECK-NEXT:   x[0] = k_1;
  // CHECK-NEXT: }
  gpu.func @halves(%x: memref<?xi32, 1>, %n: i32) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : i32
    %r = scf.while (%k = %n) : (i32) -> i32 {
      %more = arith.cmpi ugt, %k, %c2 : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      carousel.bulk.commit_group
      %half = arith.divui %k, %c2 : i32
      scf.yield %half : i32
    }
    memref.store %r, %x[%c0] : memref<?xi32, 1>
    gpu.return
  }

  // Loops of a known number of copies are left to NVRTC, as LLVM unrolls them; those of an unknown one, and those that say
  // so, stay loops. Which threads there are is said where it is asked.
  // CHECK-LABEL: extern "C" __global__ void __launch_bounds__(128, 3) unrolled(float *x,
  // CHECK: __builtin_assume(threadIdx.x < 64);
  // CHECK-NEXT: __builtin_assume(threadIdx.z < 2);
  // CHECK-NOT: assume
  // CHECK-NOT: unroll
  // CHECK: for (uint64_t i = 0; i < 8; ++i) {
  // CHECK: cp_async_copy
  // CHECK: #pragma unroll 1
  // CHECK-NEXT: for (uint64_t i_1 = 0; int64_t(i_1) < int64_t(n); ++i_1) {
  // CHECK: cp_async_copy
  // CHECK: #pragma unroll 1
  // CHECK-NEXT: for (uint64_t i_2 = 0; i_2 < 8; ++i_2) {
  // CHECK: cp_async_wait_all
  // CHECK: #pragma unroll 1
  // CHECK-NEXT: for (uint64_t i_3 = 0; i_3 < 8; ++i_3) {
  // CHECK-NEXT: tile[i_3] = 1.0f;
  gpu.func @unrolled(%x: memref<?xf32, 1>, %n: index) workgroup(%tile: memref<64xf32, 3> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 64, 1, 2>, nvvm.minctasm = 3 : i32} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant 1.0 : f32
    %tx = gpu.thread_id x
    %tz = gpu.thread_id z
    %t = arith.addi %tx, %tz : index
    scf.for %i = %c0 to %c8 step %c1 {
      carousel.cp_async.copy ca %x[%t] to %tile[%i], 4 : memref<?xf32, 1>, memref<64xf32, 3>
    }
    scf.for %i = %c0 to %n step %c1 {
      carousel.cp_async.copy ca %x[%t] to %tile[%i], 4 : memref<?xf32, 1>, memref<64xf32, 3>
    }
    scf.for %i = %c0 to %c8 step %c1 {
      carousel.cp_async.copy ca %x[%t] to %tile[%i], 4 : memref<?xf32, 1>, memref<64xf32, 3>
      carousel.cp_async.wait_all
    }
    scf.for %i = %c0 to %c8 step %c1 {
      memref.store %one, %tile[%i] : memref<64xf32, 3>
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    gpu.return
  }
}
