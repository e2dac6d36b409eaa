// Happens-before 8; raw: a dependent launch's bulk load reads what the launch before wrote. Wrong: it
// doesn't wait for the launch before. The end of a grid is a proxy fence too.
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
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : !vector, !row
    vector.store %v, %y[%c0] : !vector, !row
    carousel.grid.launch_dependents
    gpu.return
  }

  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", in>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
    carousel.grid.dependency_wait
    carousel.bulk.load %y[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %w = vector.load %tile[%c0] : !tile, !row
    vector.store %w, %z[%c0] : !vector, !row
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", in>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
    carousel.bulk.load %y[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %w = vector.load %tile[%c0] : !tile, !row
    vector.store %w, %z[%c0] : !vector, !row
    gpu.return
  }
}
