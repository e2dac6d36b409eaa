// Which waits a package has, when they have bounds. One table for all chips: a wait has the same number
// in each.
// RUN: rm -rf %t.pkg %t.off
// RUN: carousel-compile %s -o %t.pkg --chip sm_80,sm_90a --no-cubin --quiet --debug-waits=1500
// RUN: FileCheck %s --input-file=%t.pkg/manifest.json
// RUN: FileCheck %s --input-file=%t.pkg/waits.sm_80.ptx --check-prefix=OLD
// RUN: FileCheck %s --input-file=%t.pkg/waits.sm_90a.ptx --check-prefix=NEW
// RUN: carousel-compile %s -o %t.off --chip sm_80,sm_90a --no-cubin --quiet
// RUN: not grep -q 'waits":' %t.off/manifest.json

// CHECK: "name": "waits",
// CHECK-NEXT: "images": [
// CHECK: ],
// CHECK-NEXT: "waits": [
// CHECK-NEXT: {"number":4,"function":"newer","barrier":"x full","role":"consumer","phase":"parity","location":"debug-waits.mlir:[[@LINE+18]]"},
// CHECK-NEXT: {"number":5,"function":"older","barrier":"barrier","role":"all","phase":"state","location":"debug-waits.mlir:[[@LINE+27]]"},
// CHECK-NEXT: {"number":6,"function":"helper","barrier":"semaphore","role":"all","phase":"turn","location":"debug-waits.mlir:[[@LINE+31]]"}
// CHECK-NEXT: ]

// OLD-NOT: .entry newer(
// OLD: .entry older(
// NEW: .entry newer(

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @waits {
  gpu.func @newer() workgroup(%full: memref<4x!carousel.mbarrier, #ws>) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "k", guards = [capability(90)]>,
                  carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    carousel.mbarrier.wait %full[%c0] parity %true label<barrier = "x full", role = consumer, number = 4>
        : memref<4x!carousel.mbarrier, #ws>
    gpu.return
  }
  gpu.func @older() workgroup(%full: memref<4x!carousel.mbarrier, #ws>) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "k">,
                  carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %state = carousel.mbarrier.arrive %full[%c0]
        : memref<4x!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    carousel.mbarrier.wait %full[%c0] state %state : memref<4x!carousel.mbarrier, #ws>
    gpu.return
  }
  func.func @helper(%turns: memref<?xi32, #gl>, %turn: i32) {
    %c0 = arith.constant 0 : index
    carousel.grid.serial_wait %turns[%c0], %turn : memref<?xi32, #gl>
    return
  }
}
