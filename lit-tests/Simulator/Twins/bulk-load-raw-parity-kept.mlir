// Happens-before 4; raw: the parity of a slot changes each time that the ring has gone round.
// Wrong: the second wait has the parity of the first, so it is over at once.
// RUN: carousel-sim %s --kernel @right --arg x=iota:2x16 --arg y=empty:2x16 --expect y=iota:2x16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:2x16 --arg y=empty:2x16 --expect y=iota:2x16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:2x16 --arg y=empty:2x16 --expect-finding engine-race --allow-finding missed-phase --allow-finding deadlock --within 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = memref<2x16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    scf.for %k = %c0 to %c2 step %c1 {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %x[%k, %c0] to %tile[%c0], 64 signals %full[] : !matrix, !tile, !barrier
      %parity = arith.index_cast %k : index to i1
      carousel.mbarrier.wait %full[] parity %parity : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%k, %c0] : !matrix, !row
    }
    carousel.mbarrier.wait %full[] parity %true : !barrier
    gpu.return
  }

  gpu.func @wrong(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    scf.for %k = %c0 to %c2 step %c1 {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %x[%k, %c0] to %tile[%c0], 64 signals %full[] : !matrix, !tile, !barrier
      %parity = arith.index_cast %c0 : index to i1
      carousel.mbarrier.wait %full[] parity %parity : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%k, %c0] : !matrix, !row
    }
    carousel.mbarrier.wait %full[] parity %true : !barrier
    gpu.return
  }
}
