// mbarriers; the bytes of a load are expected once.
// Wrong: each thread that arrives expects all of them.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding deadlock --allow-finding missing-bytes --schedules 100

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
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %bytes = arith.constant 64 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    %mine = arith.select %is_first, %bytes, %zero : i32
    carousel.mbarrier.arrive_expect_tx %full[], %mine : !barrier
    scf.if %is_first {
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %bytes = arith.constant 64 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    %mine = arith.select %is_first, %bytes, %bytes : i32
    carousel.mbarrier.arrive_expect_tx %full[], %mine : !barrier
    scf.if %is_first {
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }
}
