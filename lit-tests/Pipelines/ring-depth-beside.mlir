// A buffer that one loop has a ring for and another one loads without a ring lies beside the ring's slots; roles keep
// both for as long as the kernel runs.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_80})' --remarks-filter='carousel-circular-buffer' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// CHECK: loads ringed: 1, stages 2, by producers
// CHECK: fewer stages than wanted: 2 of 4

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!tile = memref<8192xf32, #ws>
!other = memref<12288xf32, #ws>
gpu.module @m {
  gpu.func @k(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %step = arith.constant 8192 : index
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !v
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !other
    %one = arith.constant 1.0 : f32
    memref.store %one, %b[%thread] : !other
    scf.for %i = %c0 to %n step %step {
      carousel.load %x[%i] to %a : !v, !tile
      %v = memref.load %a[%thread] : !tile
      memref.store %v, %y[%i] : !v
    }
    scf.for %i = %c0 to %n step %step {
      carousel.load %x[%i] to %a : !v, !tile
      %v = memref.load %a[%thread] : !tile
      %w = memref.load %b[%thread] : !other
      %u = arith.addf %v, %w : f32
      memref.store %u, %y[%i] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = auto, mode = specialized>}
    gpu.return
  }
}
