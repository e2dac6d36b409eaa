// Tile phase: the threads of a transfer's scope have the same operands.
// Wrong: the offset is the thread's number.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding non-uniform-transfer --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %i = arith.muli %thread, %c0 : index
    carousel.load %x[%i] to %tile : !vector, !tile
    %v = memref.load %tile[%thread] : !tile
    memref.store %v, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %i = arith.addi %thread, %c0 : index
    carousel.load %x[%i] to %tile : !vector, !tile
    %v = memref.load %tile[%thread] : !tile
    memref.store %v, %y[%thread] : !vector
    gpu.return
  }
}
