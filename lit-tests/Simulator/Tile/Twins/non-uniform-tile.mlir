// All threads of the scope name the same tile.
// Wrong: the second warp loads to a tile of its own, in a transfer of the whole CTA.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --schedules 100
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=zeros:64 --expect-finding non-uniform-transfer --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    %spare = memref.alloc() : !tile
    %low = arith.cmpi ult, %thread, %c64 : index
    %mine = arith.select %low, %tile, %spare : !tile
    carousel.load %x[%c0] to %mine : !vector, !tile
    carousel.store %mine to %y[%c0] : !tile, !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    %spare = memref.alloc() : !tile
    %low = arith.cmpi ult, %thread, %c32 : index
    %mine = arith.select %low, %tile, %spare : !tile
    carousel.load %x[%c0] to %mine : !vector, !tile
    carousel.store %mine to %y[%c0] : !tile, !vector
    gpu.return
  }
}
