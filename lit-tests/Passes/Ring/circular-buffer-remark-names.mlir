// Remarks about rings name their kernel, also if several kernels are alike, and have one text each.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer))' --remark-format=emitRemark --remarks-filter=carousel-circular-buffer -o /dev/null 2>&1 | FileCheck %s

// CHECK-NOT: Remark=1
// CHECK: [Passed] Ring{{.*}}Function=first | {{.*}}loads ringed: 1, stages
// CHECK: [Passed] Ring{{.*}}Function=first | {{.*}}stores ringed: 1{{"?$}}
// CHECK: [Missed] Ring{{.*}}Function=second | {{.*}}prefetch {{[0-9]+}} instead of 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>

gpu.module @remarks [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @first(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %thread = gpu.thread_id x
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
      memref.store %v, %out[%thread] : !tile
      carousel.store %out to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @second(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %in = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %in engine<bulk> : !global, !tile
      %v = memref.load %in[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<prefetch = 100>}
    gpu.return
  }
}
