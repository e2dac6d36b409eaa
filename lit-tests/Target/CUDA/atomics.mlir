// Atomics of memref are CUDA's functions, which are relaxed at gpu scope; fences stand beside them. Those with a region are
// loops around a compare-and-swap.
// REQUIRES: nvrtc
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %python %source_root/scripts/cuda/nvrtc-compile --nvrtc %nvrtc --chip sm_80 %t.cu | FileCheck %s --check-prefixes=PTX,PTX80
// RUN: %python %source_root/scripts/cuda/nvrtc-compile --nvrtc %nvrtc --chip sm_90a %t.cu | FileCheck %s --check-prefixes=PTX,PTX90

gpu.module @atomics {
  // CHECK-LABEL: extern "C" __global__ void publish(
  // CHECK: x[0] = v;
  // CHECK-NEXT: carousel::fence_thread<carousel::semantics::release, carousel::scope::gpu>();
  // CHECK-NEXT: uint32_t old = carousel::atomic_addi(count, 1);
  // CHECK-NEXT: carousel::fence_thread<carousel::semantics::acquire, carousel::scope::gpu>();
  // CHECK-NEXT: uint32_t w = x[1];
  gpu.func @publish(%x: memref<8xi32, 1>, %count: memref<1xi32, 1>, %v: i32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1 : i32
    memref.store %v, %x[%c0] : memref<8xi32, 1>
    carousel.fence.thread release gpu
    %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32, 1>) -> i32
    carousel.fence.thread acquire gpu
    %w = memref.load %x[%c1] : memref<8xi32, 1>
    %u = arith.addi %w, %old : i32
    memref.store %u, %x[%c2] : memref<8xi32, 1>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void loop(
  // CHECK: carousel::f16 {{.*}} = carousel::atomic_look(&x[i]);
  // CHECK: do {
  // CHECK: uint16_t [[SEEN:.+]] = carousel::bit_cast<uint16_t>(
  // CHECK: carousel::atomic_compare_and_swap(&x[i], [[SEEN]], next);
  // CHECK: } while (more);
  gpu.func @loop(%x: memref<8xf16, 1>, %i: index, %v: f16) kernel {
    %old = memref.generic_atomic_rmw %x[%i] : memref<8xf16, 1> {
    ^bb0(%now: f16):
      %next = arith.mulf %now, %v : f16
      memref.atomic_yield %next : f16
    }
    memref.store %old, %x[%i] : memref<8xf16, 1>
    gpu.return
  }

  // PTX-LABEL: .entry add(
  // PTX: atom.add.noftz.f16 
  // PTX80: atom{{.*}}.cas.b32
  // PTX90: atom.add.noftz.bf16 
  // PTX: ret;
  gpu.func @add(%x: memref<8xf16, 1>, %y: memref<8xbf16, 1>, %i: index, %v: f16, %w: bf16) kernel {
    // CHECK-LABEL: extern "C" __global__ void add(
    // CHECK: carousel::atomic_addf(&x[i], v);
    %a = memref.atomic_rmw addf %v, %x[%i] : (f16, memref<8xf16, 1>) -> f16
    // CHECK: carousel::atomic_addf(&y[i], w);
    %b = memref.atomic_rmw addf %w, %y[%i] : (bf16, memref<8xbf16, 1>) -> bf16
    gpu.return
  }

  // PTX-LABEL: .entry larger(
  // PTX: cas.b32
  gpu.func @larger(%x: memref<8xf16, 1>, %i: index, %v: f16) kernel {
    // CHECK-LABEL: extern "C" __global__ void larger(
    // CHECK: carousel::atomic_maximumf(&x[i], v);
    %a = memref.atomic_rmw maximumf %v, %x[%i] : (f16, memref<8xf16, 1>) -> f16
    gpu.return
  }
}
