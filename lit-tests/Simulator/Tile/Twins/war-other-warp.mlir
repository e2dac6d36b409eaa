// A transfer of a warp starts when that warp has arrived.
// Wrong: another one still reads the tile that is loaded again.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --schedules 100
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=zeros:64 --expect-finding data-race --schedules 20

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
    %thread = gpu.thread_id x
    %first = arith.cmpi ult, %thread, %c32 : index
    %tile = memref.alloc() : !tile
    carousel.load %x[%c0] to %tile : !vector, !tile
    %v = memref.load %tile[%thread] : !tile
    memref.store %v, %y[%thread] : !vector
    gpu.barrier
    scf.if %first {
      carousel.load %x[%c32] to %tile scope(warp) : !vector, !tile
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %first = arith.cmpi ult, %thread, %c32 : index
    %tile = memref.alloc() : !tile
    carousel.load %x[%c0] to %tile : !vector, !tile
    %v = memref.load %tile[%thread] : !tile
    memref.store %v, %y[%thread] : !vector
    scf.if %first {
      carousel.load %x[%c32] to %tile scope(warp) : !vector, !tile
    }
    gpu.return
  }
}
