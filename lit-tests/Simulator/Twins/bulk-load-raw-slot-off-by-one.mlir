// Happens-before 4; raw: each slot has a barrier of its own.
// Wrong: the slot that is read isn't the one that was waited for.
// RUN: carousel-sim %s --kernel @right --arg x=iota:2x16 --arg y=empty:2x16 --expect y=iota:2x16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:2x16 --arg y=empty:2x16 --expect y=iota:2x16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:2x16 --arg y=empty:2x16 --expect-finding engine-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = memref<2x16xi32, #gl>
!row = vector<16xi32>
!tiles = memref<2x16xi32, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tiles: !tiles {llvm.align = 16 : i64}, %full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %false = arith.constant false
    scf.for %slot = %c0 to %c2 step %c1 {
      carousel.mbarrier.init %full[%slot], 1 : !barriers
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[%slot], 64 : !barriers
      carousel.bulk.load %x[%slot, %c0] to %tiles[%slot, %c0], 64 signals %full[%slot]
          : !matrix, !tiles, !barriers
    }
    scf.for %k = %c0 to %c2 step %c1 {
      carousel.mbarrier.wait %full[%k] parity %false : !barriers
      %slot = arith.addi %k, %c0 : index
      %v = vector.load %tiles[%slot, %c0] : !tiles, !row
      vector.store %v, %y[%slot, %c0] : !matrix, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tiles: !tiles {llvm.align = 16 : i64}, %full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %false = arith.constant false
    scf.for %slot = %c0 to %c2 step %c1 {
      carousel.mbarrier.init %full[%slot], 1 : !barriers
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[%slot], 64 : !barriers
      carousel.bulk.load %x[%slot, %c0] to %tiles[%slot, %c0], 64 signals %full[%slot]
          : !matrix, !tiles, !barriers
    }
    scf.for %k = %c0 to %c2 step %c1 {
      carousel.mbarrier.wait %full[%k] parity %false : !barriers
      %slot = arith.subi %c1, %k : index
      %v = vector.load %tiles[%slot, %c0] : !tiles, !row
      vector.store %v, %y[%slot, %c0] : !matrix, !row
    }
    gpu.return
  }
}
