// A pipelined loop of one iteration stays a loop; one of no iterations goes, as do others of one.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(any(carousel-canonicalize))' | FileCheck %s
// The pattern that would inline it is upstream's.
// RUN: carousel-opt %s --canonicalize | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM-NOT: scf.for

// CHECK-LABEL: func.func @once
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: } {carousel.pipeline = #carousel.pipeline<stages = 2>}
// CHECK-NEXT: %[[X:.*]] = arith.mulf
// CHECK-NOT: arith.subf
// CHECK: return %[[X]]
// DOC-EXAMPLE: --pass-pipeline='builtin.module(any(carousel-canonicalize))'
func.func @once(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = scf.for %i = %c0 to %c64 step %c64 iter_args(%v = %x) -> f32 {
    %w = arith.addf %v, %v : f32
    scf.yield %w : f32
  } {carousel.pipeline = #carousel.pipeline<stages = 2>}
  %b = scf.for %i = %c0 to %c64 step %c64 iter_args(%v = %a) -> f32 {
    %w = arith.mulf %v, %v : f32
    scf.yield %w : f32
  }
  %c = scf.for %i = %c0 to %c0 step %c64 iter_args(%v = %b) -> f32 {
    %w = arith.subf %v, %v : f32
    scf.yield %w : f32
  } {carousel.pipeline = #carousel.pipeline<stages = 2>}
  return %c : f32
}
