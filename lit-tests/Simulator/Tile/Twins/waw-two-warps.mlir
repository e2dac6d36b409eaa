// Each warp makes transfers of its own.
// Wrong: two load one tile at once.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --schedules 100
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=zeros:64 --expect-finding data-race --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>
!row = memref<32xi32, strided<[1], offset: ?>, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %tiles = memref.alloc() : memref<2x32xi32, #ws>
    %slot = arith.addi %warp, %c0 : index
    %tile = memref.subview %tiles[%slot, 0] [1, 32] [1, 1] : memref<2x32xi32, #ws> to !row
    carousel.load %x[%first] to %tile scope(warp) : !vector, !row
    carousel.store %tile to %y[%first] scope(warp) : !row, !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %tiles = memref.alloc() : memref<2x32xi32, #ws>
    %slot = arith.muli %warp, %c0 : index
    %tile = memref.subview %tiles[%slot, 0] [1, 32] [1, 1] : memref<2x32xi32, #ws> to !row
    carousel.load %x[%first] to %tile scope(warp) : !vector, !row
    carousel.store %tile to %y[%first] scope(warp) : !row, !vector
    gpu.return
  }
}
