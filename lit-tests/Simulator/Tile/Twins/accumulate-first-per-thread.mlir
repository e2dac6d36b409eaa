// All threads of the CTA agree on whether an accumulation is the first.
// Wrong: the first thread says so, the others don't.
// RUN: carousel-sim %s --kernel @right --arg y=iota:64 --expect y=iota:64 --schedules 50
// RUN: carousel-sim %s --kernel @right --arg y=iota:64 --expect y=iota:64 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg y=iota:64 --expect-finding non-uniform-transfer --schedules 20 | FileCheck %s
// CHECK: finding: [non-uniform-transfer] expected the threads of a transfer's scope to agree on whether

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %v = arith.index_cast %thread : index to i32
    %tile = memref.alloc() : !tile
    memref.store %v, %tile[%thread] : !tile
    %first = arith.cmpi eq, %block, %c0 : index
    carousel.accumulate %tile into %y[%c0] reduce<add s32> first(%first) : !tile, !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %v = arith.index_cast %thread : index to i32
    %tile = memref.alloc() : !tile
    memref.store %v, %tile[%thread] : !tile
    %first = arith.cmpi eq, %thread, %c0 : index
    carousel.accumulate %tile into %y[%c0] reduce<add s32> first(%first) : !tile, !vector
    gpu.return
  }
}
