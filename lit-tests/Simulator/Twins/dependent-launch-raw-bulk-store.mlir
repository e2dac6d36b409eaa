// Happens-before 8; raw: a dependent launch reads what a bulk store of the launch before wrote, for which
// that one didn't wait: it is complete at the end of the grid. Wrong: no wait for that end.
// RUN: carousel-sim %s --kernel @first --then @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --dependent --expect z=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @first --then @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --dependent --expect z=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @first --then @wrong --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --dependent --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @first(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    carousel.grid.launch_dependents
    %v = vector.load %x[%c0] : !vector, !row
    vector.store %v, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", in>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    carousel.grid.dependency_wait
    %w = vector.load %y[%c0] : !vector, !row
    vector.store %w, %z[%c0] : !vector, !row
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", in>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %w = vector.load %y[%c0] : !vector, !row
    vector.store %w, %z[%c0] : !vector, !row
    gpu.return
  }
}
