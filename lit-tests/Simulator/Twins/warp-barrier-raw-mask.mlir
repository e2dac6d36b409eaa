// Happens-before 2; raw: a warp barrier orders the lanes of its mask.
// Wrong: each lane's barrier includes only the lane itself.
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
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %last = arith.constant 31 : index
    %one = arith.constant 1 : i32
    %all = arith.constant -1 : i32
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %lane = arith.index_cast %thread : index to i32
    %self = arith.shli %one, %lane : i32
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    carousel.barrier.warp mask %all
    %w = memref.load %tile[%mirror] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %last = arith.constant 31 : index
    %one = arith.constant 1 : i32
    %all = arith.constant -1 : i32
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %lane = arith.index_cast %thread : index to i32
    %self = arith.shli %one, %lane : i32
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    carousel.barrier.warp mask %self
    %w = memref.load %tile[%mirror] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }
}
