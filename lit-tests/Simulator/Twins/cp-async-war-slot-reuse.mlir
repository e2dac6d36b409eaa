// Happens-before 6; war: a cp.async refills what another thread reads.
// Wrong: no barrier between the read and the copy.
// RUN: carousel-sim %s --kernel @right --arg x=iota:8 --arg y=empty:8 --expect y=iota:8 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:8 --arg y=empty:8 --expect y=iota:8 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:8 --arg y=empty:8 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<8xi32, #gl>
!row = vector<4xi32>
!tile = memref<8xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %mine = arith.muli %thread, %c4 : index
    %other = arith.subi %c4, %mine : index
    carousel.cp_async.copy cg %x[%mine] to %tile[%mine], 16 : !vector, !tile
    carousel.cp_async.wait_all
    gpu.barrier
    %v = vector.load %tile[%other] : !tile, !row
    vector.store %v, %y[%other] : !vector, !row
    gpu.barrier
    carousel.cp_async.copy cg %x[%mine] to %tile[%mine], 16 : !vector, !tile
    carousel.cp_async.wait_all
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %mine = arith.muli %thread, %c4 : index
    %other = arith.subi %c4, %mine : index
    carousel.cp_async.copy cg %x[%mine] to %tile[%mine], 16 : !vector, !tile
    carousel.cp_async.wait_all
    gpu.barrier
    %v = vector.load %tile[%other] : !tile, !row
    vector.store %v, %y[%other] : !vector, !row
    carousel.cp_async.copy cg %x[%mine] to %tile[%mine], 16 : !vector, !tile
    carousel.cp_async.wait_all
    gpu.return
  }
}
