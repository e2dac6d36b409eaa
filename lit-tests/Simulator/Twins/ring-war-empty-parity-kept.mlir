// Happens-before 3 and 4; war: a ring of two slots; the producer waits for a slot to be empty.
// Wrong: always with the parity of the first round, so it refills slots that are being read.
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x16 --arg y=empty:4x16 --expect y=iota:4x16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x16 --arg y=empty:4x16 --expect y=iota:4x16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:4x16 --arg y=empty:4x16 --expect-finding engine-race --allow-finding arrival-overflow --allow-finding deadlock --allow-finding missed-phase --within 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = memref<4x16xi32, #gl>
!row = vector<16xi32>
!tiles = memref<2x16xi32, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tiles: !tiles {llvm.align = 16 : i64}, %full: !barriers, %empty: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %true = arith.constant true
    %thread = gpu.thread_id x
    %produces = arith.cmpi eq, %thread, %c0 : index
    scf.if %produces {
      scf.for %s = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        carousel.mbarrier.init %empty[%s], 1 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %slot = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %filled = arith.index_cast %round : index to i1
      scf.if %produces {
        %emptied = arith.xori %filled, %true : i1
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        carousel.mbarrier.arrive_expect_tx %full[%slot], 64 : !barriers
        carousel.bulk.load %x[%k, %c0] to %tiles[%slot, %c0], 64 signals %full[%slot]
            : !matrix, !tiles, !barriers
      } else {
        carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
        %v = vector.load %tiles[%slot, %c0] : !tiles, !row
        carousel.mbarrier.arrive %empty[%slot] : !barriers
        vector.store %v, %y[%k, %c0] : !matrix, !row
      }
    }
    gpu.return
  }

  gpu.func @wrong(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tiles: !tiles {llvm.align = 16 : i64}, %full: !barriers, %empty: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %true = arith.constant true
    %thread = gpu.thread_id x
    %produces = arith.cmpi eq, %thread, %c0 : index
    scf.if %produces {
      scf.for %s = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        carousel.mbarrier.init %empty[%s], 1 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %slot = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %filled = arith.index_cast %round : index to i1
      scf.if %produces {
        %emptied = arith.ori %filled, %true : i1
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        carousel.mbarrier.arrive_expect_tx %full[%slot], 64 : !barriers
        carousel.bulk.load %x[%k, %c0] to %tiles[%slot, %c0], 64 signals %full[%slot]
            : !matrix, !tiles, !barriers
      } else {
        carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
        %v = vector.load %tiles[%slot, %c0] : !tiles, !row
        carousel.mbarrier.arrive %empty[%slot] : !barriers
        vector.store %v, %y[%k, %c0] : !matrix, !row
      }
    }
    gpu.return
  }
}
