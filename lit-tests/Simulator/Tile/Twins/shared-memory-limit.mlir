// Allocations of shared memory count as the CTA's static shared memory: 256 bytes and 231936 more fit.
// Wrong: the alignment leaves a gap between them, and they don't.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --schedules 100
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=zeros:64 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=zeros:64 --expect-finding shared-memory-limit --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : !tile
    %rest = memref.alloc() {alignment = 512 : i64} : memref<231936xi8, #ws>
    %thread = gpu.thread_id x
    %v = arith.constant 1 : i8
    memref.store %v, %rest[%thread] : memref<231936xi8, #ws>
    carousel.load %x[%c0] to %tile : !vector, !tile
    carousel.store %tile to %y[%c0] : !tile, !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : !tile
    %rest = memref.alloc() {alignment = 1024 : i64} : memref<231936xi8, #ws>
    %thread = gpu.thread_id x
    %v = arith.constant 1 : i8
    memref.store %v, %rest[%thread] : memref<231936xi8, #ws>
    carousel.load %x[%c0] to %tile : !vector, !tile
    carousel.store %tile to %y[%c0] : !tile, !vector
    gpu.return
  }
}
