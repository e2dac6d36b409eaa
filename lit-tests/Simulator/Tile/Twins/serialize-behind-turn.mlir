// Accumulations in turns are ordered.
// Wrong: the accumulation is after the turn, where no writes are ordered.
// RUN: carousel-sim %s --kernel @right --arg y=zeros:32 --arg s=zeros:2 --expect y=iota:32 --schedules 20
// RUN: carousel-sim %s --kernel @right --arg y=zeros:32 --arg s=zeros:2 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=zeros:32 --arg s=zeros:2 --expect-finding data-race --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!counters = memref<2xi32, #gl>
!tile = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", inout>},
                  %s: !counters {carousel.argument = #carousel.argument<"s", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [32], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %tile = memref.alloc() : !tile
    %turn = carousel.grid.ticket %s[%c1] of %blocks : !counters
    %is_later = arith.cmpi ugt, %thread, %turn : index
    %one = arith.extui %is_later : i1 to i32
    memref.store %one, %tile[%thread] : !tile
    %is_first = arith.cmpi eq, %turn, %c0 : index
    carousel.serialize %s[%c0] turn %turn of %blocks (%first, %last) {
      carousel.accumulate %tile into %y[%c0] reduce<add s32> first(%is_first) : !tile, !vector
    } : !counters
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", inout>},
                  %s: !counters {carousel.argument = #carousel.argument<"s", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [32], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %tile = memref.alloc() : !tile
    %turn = carousel.grid.ticket %s[%c1] of %blocks : !counters
    %is_later = arith.cmpi ugt, %thread, %turn : index
    %one = arith.extui %is_later : i1 to i32
    memref.store %one, %tile[%thread] : !tile
    %is_first = arith.cmpi eq, %turn, %c0 : index
    carousel.serialize %s[%c0] turn %turn of %blocks (%first, %last) {
    } : !counters
    carousel.accumulate %tile into %y[%c0] reduce<add s32> first(%is_first) : !tile, !vector
    gpu.return
  }
}
