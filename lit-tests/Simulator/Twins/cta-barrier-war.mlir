// Happens-before 2; war: a thread overwrites what another thread of the CTA reads.
// Wrong: no barrier in between.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding data-race --schedules 100

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
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    gpu.barrier
    %w = memref.load %tile[%mirror] : !tile
    gpu.barrier
    memref.store %zero, %tile[%thread] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %last = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    gpu.barrier
    %w = memref.load %tile[%mirror] : !tile
    memref.store %zero, %tile[%thread] : !tile
    memref.store %w, %y[%mirror] : !vector
    gpu.return
  }
}
