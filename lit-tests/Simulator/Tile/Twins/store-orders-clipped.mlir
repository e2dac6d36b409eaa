// A store orders its whole tile, clipped elements included: the last threads' elements are read after it.
// Wrong: another tile is stored, and orders nothing of this one.
// RUN: carousel-sim %s --kernel @right --arg y=zeros:60 --arg z=empty:64 --expect y=iota:60 --expect z=iota:64 --schedules 50
// RUN: carousel-sim %s --kernel @right --arg y=zeros:60 --arg z=empty:64 --expect y=iota:60 --expect z=iota:64 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg y=zeros:60 --arg z=empty:64 --expect-finding data-race --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!ragged = memref<?xi32, #gl>
!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%y: !ragged {carousel.argument = #carousel.argument<"y", inout>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %thread = gpu.thread_id x
    %v = arith.index_cast %thread : index to i32
    %tile = memref.alloc() : !tile
    %other = memref.alloc() : !tile
    memref.store %v, %tile[%thread] : !tile
    memref.store %v, %other[%thread] : !tile
    carousel.store %tile to %y[%c0] : !tile, !ragged
    %mirrored = arith.subi %c63, %thread : index
    %w = memref.load %tile[%mirrored] : !tile
    memref.store %w, %z[%mirrored] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !ragged {carousel.argument = #carousel.argument<"y", inout>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %thread = gpu.thread_id x
    %v = arith.index_cast %thread : index to i32
    %tile = memref.alloc() : !tile
    %other = memref.alloc() : !tile
    memref.store %v, %tile[%thread] : !tile
    memref.store %v, %other[%thread] : !tile
    carousel.store %other to %y[%c0] : !tile, !ragged
    %mirrored = arith.subi %c63, %thread : index
    %w = memref.load %tile[%mirrored] : !tile
    memref.store %w, %z[%mirrored] : !vector
    gpu.return
  }
}
