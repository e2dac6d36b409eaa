// CTAs of one grid aren't ordered.
// Wrong: both store to the same box.
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
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %start = arith.muli %block, %c32 : index
    %tile = memref.alloc() : memref<32xi32, #ws>
    carousel.load %x[%start] to %tile : !vector, memref<32xi32, #ws>
    carousel.store %tile to %y[%start] : memref<32xi32, #ws>, !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %start = arith.muli %block, %c32 : index
    %tile = memref.alloc() : memref<32xi32, #ws>
    carousel.load %x[%start] to %tile : !vector, memref<32xi32, #ws>
    carousel.store %tile to %y[%c0] : memref<32xi32, #ws>, !vector
    gpu.return
  }
}
