// Happens-before 4; raw: a thread reads what a tensor load writes.
// Wrong: it reads before it waits for the phase.
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x4 --arg y=empty:4x4 --expect y=iota:4x4 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x4 --arg y=empty:4x4 --expect y=iota:4x4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:4x4 --arg y=empty:4x4 --expect-finding engine-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xs32>
!grid = memref<4x4xi32, #gl>
!row = vector<4x4xi32>
!box = memref<4x4xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%tile: !box {llvm.align = 128 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
    carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %full[]
        : !map, !box, !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = vector.load %tile[%c0, %c0] : !box, !row
    vector.store %v, %y[%c0, %c0] : !grid, !row
    gpu.return
  }

  gpu.func @wrong(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%tile: !box {llvm.align = 128 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
    carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %full[]
        : !map, !box, !barrier
    %v = vector.load %tile[%c0, %c0] : !box, !row
    carousel.mbarrier.wait %full[] parity %false : !barrier
    vector.store %v, %y[%c0, %c0] : !grid, !row
    gpu.return
  }
}
