// Happens-before 6; raw: a thread reads what its cp.async copies.
// Wrong: it reads before it waits for the group.
// RUN: carousel-sim %s --kernel @right --arg x=iota:4 --arg y=empty:4 --expect y=iota:4 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:4 --arg y=empty:4 --expect y=iota:4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:4 --arg y=empty:4 --expect-finding engine-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<4xi32, #gl>
!row = vector<4xi32>
!tile = memref<4xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.commit_group
    carousel.cp_async.wait_group 0
    %v = vector.load %tile[%c0] : !tile, !row
    vector.store %v, %y[%c0] : !vector, !row
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.commit_group
    %v = vector.load %tile[%c0] : !tile, !row
    carousel.cp_async.wait_group 0
    vector.store %v, %y[%c0] : !vector, !row
    gpu.return
  }
}
