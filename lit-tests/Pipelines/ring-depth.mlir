// The planner of rings counts bytes as the allocation does. Both loops get the stages that they ask for, since the
// second loop's slots reuse the bytes of the first's. Buffers that are used after the loops take no bytes away.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_80})' --remarks-filter='carousel-(circular-buffer|allocate-shared)' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: fewer stages than wanted
// CHECK-COUNT-2: loads ringed: 1, stages 8
// CHECK-NOT: fewer stages than wanted
// CHECK: Remark="{{.*}} in [[BYTES:[0-9]+]] bytes of dynamic shared memory, {{.*}} saved by reuse, [[BYTES]] of 166912 bytes of sm_80 taken"

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!tile = memref<4096xf32, #ws>
!behind = memref<33000xf32, #ws>
gpu.module @m {
  gpu.func @k(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %step = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !v
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %c = memref.alloc() : !behind
    scf.for %i = %c0 to %n step %step {
      carousel.load %x[%i] to %a : !v, !tile
      %v = memref.load %a[%thread] : !tile
      memref.store %v, %y[%i] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = 8>}
    scf.for %i = %c0 to %n step %step {
      carousel.load %x[%i] to %b : !v, !tile
      %v = memref.load %b[%thread] : !tile
      memref.store %v, %y[%i] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = 8>}
    %w = memref.load %x[%thread] : !v
    memref.store %w, %c[%thread] : !behind
    %u = memref.load %c[%thread] : !behind
    memref.store %u, %y[%thread] : !v
    gpu.return
  }
}
