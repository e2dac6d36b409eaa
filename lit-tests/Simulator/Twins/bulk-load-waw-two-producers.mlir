// Happens-before 4; waw: two threads fill one slot.
// Wrong: nothing orders them; no barrier stands between the wait of one and the issue of the other.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_second = arith.cmpi ne, %thread, %c0 : index
    carousel.mbarrier.init %full[%thread], 1 : !barriers
    carousel.fence.mbarrier_init
    scf.if %is_first {
      carousel.mbarrier.arrive_expect_tx %full[%c0], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c0] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c0] parity %false : !barriers
    }
    gpu.barrier
    scf.if %is_second {
      carousel.mbarrier.arrive_expect_tx %full[%c1], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c1] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c1] parity %false : !barriers
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_second = arith.cmpi ne, %thread, %c0 : index
    carousel.mbarrier.init %full[%thread], 1 : !barriers
    carousel.fence.mbarrier_init
    scf.if %is_first {
      carousel.mbarrier.arrive_expect_tx %full[%c0], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c0] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c0] parity %false : !barriers
    }
    scf.if %is_second {
      carousel.mbarrier.arrive_expect_tx %full[%c1], 64 : !barriers
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c1] : !vector, !tile, !barriers
      carousel.mbarrier.wait %full[%c1] parity %false : !barriers
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }
}
