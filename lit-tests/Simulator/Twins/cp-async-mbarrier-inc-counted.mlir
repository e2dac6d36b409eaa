// Happens-before 6; deadlock: without `noinc` the arrive first raises what the phase waits for.
// Wrong: the init counts it, but it is neutral.
// RUN: carousel-sim %s --kernel @right --arg x=iota:4 --arg y=empty:4 --expect y=iota:4 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:4 --arg y=empty:4 --expect y=iota:4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:4 --arg y=empty:4 --expect-finding deadlock --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<4xi32, #gl>
!row = vector<4xi32>
!tile = memref<4xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.mbarrier_arrive %full[] noinc : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = vector.load %tile[%c0] : !tile, !row
    vector.store %v, %y[%c0] : !vector, !row
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.mbarrier_arrive %full[] : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = vector.load %tile[%c0] : !tile, !row
    vector.store %v, %y[%c0] : !vector, !row
    gpu.return
  }
}
