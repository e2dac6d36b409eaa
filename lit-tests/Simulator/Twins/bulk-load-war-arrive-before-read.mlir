// Happens-before 4 and 3; war: a consumer releases a slot when it has read it.
// Wrong: it arrives first.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barriers, %empty: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[%c0], 1 : !barriers
      carousel.mbarrier.init %full[%c1], 1 : !barriers
      carousel.mbarrier.init %empty[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.if %is_first {
      carousel.mbarrier.arrive_expect_tx %full[%c0], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c0] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c0] parity %false : !barriers
      carousel.mbarrier.wait %empty[] parity %false : !barrier
      carousel.mbarrier.arrive_expect_tx %full[%c1], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c1] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c1] parity %false : !barriers
    } else {
      carousel.mbarrier.wait %full[%c0] parity %false : !barriers
      %v = vector.load %tile[%c0] : !tile, !row
      carousel.mbarrier.arrive %empty[] : !barrier
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barriers, %empty: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[%c0], 1 : !barriers
      carousel.mbarrier.init %full[%c1], 1 : !barriers
      carousel.mbarrier.init %empty[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.if %is_first {
      carousel.mbarrier.arrive_expect_tx %full[%c0], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c0] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c0] parity %false : !barriers
      carousel.mbarrier.wait %empty[] parity %false : !barrier
      carousel.mbarrier.arrive_expect_tx %full[%c1], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c1] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c1] parity %false : !barriers
    } else {
      carousel.mbarrier.wait %full[%c0] parity %false : !barriers
      carousel.mbarrier.arrive %empty[] : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }
}
