// Loads of shared memory that no store instruction of the kernel writes (another CTA does, or an
// engine) are kept: LLVM would otherwise take them for undefined and drop what depends on them.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @shared_loads {
  // CHECK-LABEL: .entry attribution(
  // CHECK: barrier.cluster.wait
  // CHECK: ld.shared
  // CHECK: st.global
  gpu.func @attribution(%y: memref<f32, #gl>) workgroup(%tile: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    carousel.cluster.arrive
    carousel.cluster.wait
    %v = memref.load %tile[%c0] : memref<64xf32, #ws>
    memref.store %v, %y[] : memref<f32, #gl>
    gpu.return
  }

  memref.global "private" @box : memref<64xf32, #ws> = uninitialized

  // CHECK-LABEL: .entry global(
  // CHECK: barrier.cluster.wait
  // CHECK: ld.shared
  // CHECK: st.global
  gpu.func @global(%y: memref<f32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %box = memref.get_global @box : memref<64xf32, #ws>
    carousel.cluster.arrive
    carousel.cluster.wait
    %v = memref.load %box[%c0] : memref<64xf32, #ws>
    memref.store %v, %y[] : memref<f32, #gl>
    gpu.return
  }
}
