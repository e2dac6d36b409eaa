// Where statements come from, and what a wait waits for: as comments, as #line, or not at all.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-line-directives %s | FileCheck %s --check-prefix=LINES
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s --check-prefix=NONE

#ws = #gpu.address_space<workgroup>

// CHECK: void waits(bool phase) {  // locations.mlir:[[#@LINE+10]]
// CHECK-NEXT: bar[2];
// CHECK-NEXT: // waits for x full, as consumer
// CHECK-NEXT: carousel::mbarrier_wait(&bar[1], uint32_t(phase));  // locations.mlir:[[#@LINE+9]]
// LINES: bar[2];
// LINES-NEXT: // waits for x full, as consumer
// LINES-NEXT: #line [[#@LINE+6]] "{{.*}}locations.mlir"
// LINES-NEXT: carousel::mbarrier_wait
// NONE-NOT: .mlir
gpu.module @locations {
  gpu.func @waits(%phase: i1) workgroup(%bar: memref<2x!carousel.mbarrier, #ws>) kernel {
    %c1 = arith.constant 1 : index
    carousel.mbarrier.wait %bar[%c1] parity %phase label<barrier = "x full", role = consumer>
        : memref<2x!carousel.mbarrier, #ws>
    gpu.return
  }
}
