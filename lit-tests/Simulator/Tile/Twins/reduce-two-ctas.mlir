// Reductions of transfers don't race with each other: 64 CTAs count.
// Wrong: one of the two operands is stored, not added.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --schedules 20
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=zeros:64 --expect-finding data-race --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [64], block = [64]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %later = arith.cmpi ugt, %thread, %block : index
    %v = arith.select %later, %one, %zero : i32
    %tile = memref.alloc() : !tile
    memref.store %v, %tile[%thread] : !tile
    carousel.store %tile to %y[%c0] reduce<add s32> : !tile, !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [64], block = [64]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %later = arith.cmpi ugt, %thread, %block : index
    %v = arith.select %later, %one, %zero : i32
    %tile = memref.alloc() : !tile
    memref.store %v, %tile[%thread] : !tile
    carousel.store %tile to %y[%c0] : !tile, !vector
    gpu.return
  }
}
