// A semaphore orders the transfers of CTAs: each adds its index, once, in its turn.
// Wrong: no CTA waits for the turn.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --arg s=zeros:1 --expect y=iota:64 --schedules 20
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --arg s=zeros:1 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=zeros:64 --arg s=zeros:1 --expect-finding data-race --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>},
                  %s: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"s", inout>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [64], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %turn = arith.index_cast %block : index to i32
    %after = arith.addi %block, %c1 : index
    %next = arith.index_cast %after : index to i32
    %first = arith.cmpi eq, %thread, %c0 : index
    %tile = memref.alloc() : !tile
    scf.if %first {
      carousel.grid.serial_wait %s[%c0], %turn : memref<1xi32, #gl>
    }
    gpu.barrier
    carousel.load %y[%c0] to %tile : !vector, !tile
    %v = memref.load %tile[%thread] : !tile
    %later = arith.cmpi ugt, %thread, %block : index
    %more = arith.extui %later : i1 to i32
    %sum = arith.addi %v, %more : i32
    memref.store %sum, %tile[%thread] : !tile
    carousel.store %tile to %y[%c0] : !tile, !vector
    scf.if %first {
      carousel.grid.serial_release %s[%c0], %next : memref<1xi32, #gl>
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>},
                  %s: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"s", inout>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [64], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %turn = arith.index_cast %block : index to i32
    %after = arith.addi %block, %c1 : index
    %next = arith.index_cast %after : index to i32
    %first = arith.cmpi eq, %thread, %c0 : index
    %tile = memref.alloc() : !tile
    scf.if %first {
    }
    gpu.barrier
    carousel.load %y[%c0] to %tile : !vector, !tile
    %v = memref.load %tile[%thread] : !tile
    %later = arith.cmpi ugt, %thread, %block : index
    %more = arith.extui %later : i1 to i32
    %sum = arith.addi %v, %more : i32
    memref.store %sum, %tile[%thread] : !tile
    carousel.store %tile to %y[%c0] : !tile, !vector
    scf.if %first {
      carousel.grid.serial_release %s[%c0], %next : memref<1xi32, #gl>
    }
    gpu.return
  }
}
