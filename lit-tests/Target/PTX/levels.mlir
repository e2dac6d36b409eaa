// What LLVM does at each level of optimisation: nothing at 0, so that a helper stays a function; at all others it
// is inlined, and what the two loads of one element have in common is found. Level 2 is the default.
// RUN: carousel-translate --mlir-to-ptx --opt-level=0 %s | FileCheck %s --check-prefix=NONE
// RUN: carousel-translate --mlir-to-ptx --opt-level=1 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --opt-level=2 %s > %t.2
// RUN: carousel-translate --mlir-to-ptx --opt-level=3 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx %s > %t.default
// RUN: FileCheck %s < %t.2
// RUN: cmp %t.2 %t.default

#gl = #gpu.address_space<global>

gpu.module @levels {
  // NONE: scaled(
  // CHECK-NOT: .func
  func.func private @scaled(%x: memref<?xf32, #gl>, %i: index) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32, #gl>
    %two = arith.constant 2.0 : f32
    %w = arith.mulf %v, %two : f32
    return %w : f32
  }

  // NONE-LABEL: .entry k(
  // NONE-COUNT-2: call.uni
  // CHECK-LABEL: .entry k(
  // CHECK-COUNT-1: ld.global
  // CHECK-NOT: ld.global
  // CHECK-NOT: call
  gpu.func @k(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>) kernel {
    %i = gpu.thread_id x
    %a = func.call @scaled(%x, %i) : (memref<?xf32, #gl>, index) -> f32
    %b = func.call @scaled(%x, %i) : (memref<?xf32, #gl>, index) -> f32
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%i] : memref<?xf32, #gl>
    gpu.return
  }
}
