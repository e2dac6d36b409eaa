// The option goes through the pipelines: waits of rings are numbered first, and bounded in the PTX.
// RUN: carousel-opt --carousel-to-ptx="chip=sm_90a debug-waits=250" --dump-pass-pipeline %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=ORDER
// RUN: carousel-opt --carousel-to-ptx=chip=sm_90a --dump-pass-pipeline %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: carousel-opt --carousel-to-ptx="chip=sm_90a debug-waits=250" %s | FileCheck %s
// RUN: carousel-opt --carousel-to-ptx=chip=sm_90a %s | FileCheck %s --check-prefix=OFF
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --debug-waits=250 %s | FileCheck %s
// RUN: carousel-opt --carousel-to-emitc="chip=sm_90a debug-waits=250" --dump-pass-pipeline %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=CUDA-ORDER
// RUN: carousel-opt --carousel-to-emitc=chip=sm_90a --dump-pass-pipeline %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --debug-waits=250 %s | FileCheck %s --check-prefix=CUDA

// ORDER: carousel-verify-machine
// ORDER: carousel-attach-target
// ORDER-NEXT: carousel-assign-wait-ids
// ORDER-NEXT: carousel-lower-gpu-ops
// ORDER: carousel-convert-to-nvvm{debug-waits=250
// CUDA-ORDER: carousel-verify-machine
// CUDA-ORDER: carousel-attach-target
// CUDA-ORDER-NEXT: carousel-assign-wait-ids
// CUDA-ORDER: canonicalize
// CUDA-ORDER: carousel-convert-to-emitc{debug-waits=250
// OFF-NOT: carousel-assign-wait-ids
// OFF-NOT: debug-waits={{[1-9]}}
// OFF-NOT: carousel_wait_record

// CUDA: #include <carousel/device/bounded_wait.h>
// CUDA: carousel::wait_bound{250000000, 0,
// CHECK: carousel_wait_record
// CHECK: .entry sum
// CHECK: mbarrier.try_wait
// CHECK: globaltimer
// CHECK: 250000001
// CHECK: carousel_report_expired_wait

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @kernels {
  gpu.func @sum(%x: !vector, %y: !vector, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %in = memref.alloc() : !tile
    %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%before = %zero) -> f32 {
      carousel.load %x[%i] to %in : !vector, !tile
      %v = memref.load %in[%thread] : !tile
      %after = arith.addf %before, %v : f32
      scf.yield %after : f32
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    memref.store %sum, %y[%thread] : !vector
    gpu.return
  }
}
