// A stock mlir-opt loads the plugin: dialect, passes, pipelines and the types' conversions work with
// the host's one copy of MLIR.
// RUN: mlir-opt --load-dialect-plugin=%carousel_plugin %s | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%carousel_plugin --load-pass-plugin=%carousel_plugin \
// RUN:   --pass-pipeline='builtin.module(carousel-lower-to-nvvm{chip=sm_90a})' %s \
// RUN:   | FileCheck %s --check-prefix=LOWER
// RUN: mlir-opt --load-dialect-plugin=%carousel_plugin --load-pass-plugin=%carousel_plugin \
// RUN:   --pass-pipeline='builtin.module(carousel-lower-to-nvvm{chip=sm_90a},gpu-module-to-binary{format=isa})' \
// RUN:   %s | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: gpu.func @wait
// CHECK: carousel.mbarrier.wait %{{.*}}[%{{.*}}] parity %{{.*}} : memref<1x!carousel.mbarrier

// LOWER-LABEL: llvm.func @wait
// LOWER-NOT: carousel.
// LOWER-SAME: nvvm.maxntid = array<i32: 64, 1, 1>
// LOWER: nvvm.mbarrier.try_wait

// PTX: gpu.binary @plugin
// PTX-SAME: .maxntid 64
// PTX-SAME: mbarrier.try_wait.parity

#ws = #gpu.address_space<workgroup>

gpu.module @plugin {
  gpu.func @wait(%parity: i1 {carousel.argument = #carousel.argument<"parity">})
      workgroup(%bars: memref<1x!carousel.mbarrier, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [64]>} {
    %c0 = arith.constant 0 : index
    carousel.mbarrier.wait %bars[%c0] parity %parity : memref<1x!carousel.mbarrier, #ws>
    gpu.return
  }
}
