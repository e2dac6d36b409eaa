// Visibility: generic read, async write; a choice: with --strict a slot that is released is
// fenced.
// Wrong: no fence between the read and the refill. Accepted without --strict.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --strict --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --strict --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --strict --expect-finding missing-proxy-fence --schedules 100
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 100

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
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    scf.for %k = %c0 to %c2 step %c1 {
      %parity = arith.index_cast %k : index to i1
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %parity : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    scf.for %k = %c0 to %c2 step %c1 {
      %parity = arith.index_cast %k : index to i1
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %parity : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }
}
