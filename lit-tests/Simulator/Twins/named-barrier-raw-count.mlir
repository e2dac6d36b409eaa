// Happens-before 2; raw: two warps execute a named barrier.
// Wrong: it is full with the 32 threads of either warp, so that neither waits for the other.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=empty:64 --expect-finding data-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %last = arith.constant 63 : index
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    carousel.barrier.sync 1 threads(64)
    %w = memref.load %tile[%mirror] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %last = arith.constant 63 : index
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    carousel.barrier.sync 1 threads(32)
    %w = memref.load %tile[%mirror] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }
}
