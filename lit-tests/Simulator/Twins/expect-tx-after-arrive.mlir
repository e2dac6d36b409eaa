// mbarriers; bytes may land before they are expected, while an arrival keeps the phase open.
// Wrong: they are expected after the last arrival.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding excess-bytes --allow-finding engine-race --allow-finding unwritten-read --allow-finding in-flight --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
    carousel.mbarrier.expect_tx %full[], 64 : !barrier
    carousel.mbarrier.arrive %full[] : !barrier
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
    carousel.fence.mbarrier_init
    carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.expect_tx %full[], 64 : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = vector.load %tile[%c0] : !tile, !row
    vector.store %v, %y[%c0] : !vector, !row
    gpu.return
  }
}
