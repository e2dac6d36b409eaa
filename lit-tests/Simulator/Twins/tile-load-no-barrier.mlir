// Tile phase: a transfer is no barrier for other memory.
// Wrong: the CTA's barrier is left out, as if it were.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding data-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %other: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %last = arith.constant 31 : index
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %other[%thread] : !tile
    carousel.load %x[%c0] to %tile : !vector, !tile
    gpu.barrier
    %w = memref.load %other[%mirror] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %other: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %last = arith.constant 31 : index
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %other[%thread] : !tile
    carousel.load %x[%c0] to %tile : !vector, !tile
    %w = memref.load %other[%mirror] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }
}
