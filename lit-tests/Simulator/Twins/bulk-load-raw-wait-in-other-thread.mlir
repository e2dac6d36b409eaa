// Happens-before 4; raw: a phase that one thread has observed is ordered for that thread.
// Wrong: only the thread that issued the load waits.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding engine-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], 128 : !barrier
      carousel.bulk.load %x[%c0] to %tile[%c0], 128 signals %full[] : !vector, !tile, !barrier
    }
    gpu.barrier
    scf.if %is_first {
      carousel.mbarrier.wait %full[] parity %false : !barrier
    }
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %v = memref.load %tile[%thread] : !tile
    memref.store %v, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], 128 : !barrier
      carousel.bulk.load %x[%c0] to %tile[%c0], 128 signals %full[] : !vector, !tile, !barrier
    }
    gpu.barrier
    scf.if %is_first {
      carousel.mbarrier.wait %full[] parity %false : !barrier
    }
    %v = memref.load %tile[%thread] : !tile
    memref.store %v, %y[%thread] : !vector
    gpu.return
  }
}
