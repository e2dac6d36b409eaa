// The order of the passes from the block and tile phases to the machine phase, one idea each, and where each phase is closed. What looks at one
// function at a time is in `any`, so that functions go through it at once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ORDER
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a debug-assertions})' --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ASSERTIONS
// ASSERTIONS: carousel-verify-block
// ASSERTIONS-NEXT: carousel-inline-functions
// ASSERTIONS-NEXT: carousel-check-indices
// ASSERTIONS-NEXT: carousel-fold-masks
// ORDER: carousel-attach-target{chip=sm_90a
// ORDER-NEXT: carousel-verify-block
// ORDER-NEXT: carousel-erase-assertions
// ORDER-NEXT: carousel-inline-functions
// ORDER-NEXT: carousel-fold-masks
// ORDER-NEXT: carousel-widen-bits
// ORDER-NEXT: carousel-vary-tiles
// ORDER-NEXT: carousel-split-extents
// ORDER-NEXT: carousel-expand-rows
// ORDER-NEXT: carousel-specialize-blocks
// ORDER-NEXT: carousel-narrow-extrema
// ORDER-NEXT: carousel-hoist-reads
// ORDER-NEXT: carousel-stream-rows
// ORDER-NEXT: carousel-batch-programs
// ORDER-NEXT: carousel-distribute
// ORDER-NEXT: any(
// ORDER-NEXT: lower-affine
// ORDER-NEXT: )
// ORDER-NEXT: carousel-raise-to-transfers
// ORDER-NEXT: any(
// ORDER-NEXT: canonicalize
// ORDER-NEXT: cse
// ORDER-NEXT: )
// ORDER-NEXT: carousel-verify-tile
// ORDER-NEXT: carousel-expand-accumulate
// ORDER-NEXT: carousel-draw-tiles
// ORDER-NEXT: carousel-pad-tiles
// ORDER-NEXT: carousel-select-engine
// ORDER-NEXT: carousel-guard-boxes
// ORDER-NEXT: carousel-fill-in-readers
// ORDER-NEXT: carousel-store-from-registers
// ORDER-NEXT: carousel-circular-buffer
// ORDER-NEXT: carousel-swizzle-tiles
// ORDER-NEXT: any(
// ORDER-NEXT: canonicalize
// ORDER-NEXT: cse
// ORDER-NEXT: )
// ORDER-NEXT: carousel-multicast-loads
// ORDER-NEXT: carousel-insert-async-sync
// ORDER-NEXT: carousel-rotate-products
// ORDER-NEXT: carousel-verify-ring
// ORDER-NEXT: carousel-lower-products
// ORDER-NEXT: carousel-lower-rings
// ORDER-NEXT: carousel-lower-gathers
// ORDER-NEXT: any(
// ORDER-NEXT: carousel-simplify-index-arithmetic
// ORDER-NEXT: )
// ORDER-NEXT: carousel-allocate-shared
// ORDER-NEXT: any(
// ORDER-NEXT: canonicalize
// ORDER-NEXT: cse
// ORDER-NEXT: loop-invariant-code-motion
// ORDER-NEXT: )
// ORDER-NEXT: carousel-verify-chip
// ORDER-NEXT: carousel-verify-machine

// On the way to PTX the machine phase isn't verified again, unlike kernels that come in at it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-to-ptx{chip=sm_90a})' --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONCE
// ONCE: carousel-verify-machine
// ONCE: carousel-attach-target
// ONCE-NEXT: carousel-lower-gpu-ops
// ONCE-NEXT: carousel-mark-occupancy
// ONCE-NOT: carousel-verify-machine

// A kernel goes through all of it, and on to PTX.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-to-ptx{chip=sm_90a})' | FileCheck %s --check-prefix=PTX
// PTX: gpu.binary @kernels [#gpu.object<#nvvm.target<{{.*}}chip = "sm_90a"{{.*}}, assembly = "{{.*}}.entry copy
// PTX-SAME: mbarrier.init
// PTX-SAME: cp.async
// PTX-NOT: gpu.module

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
