// Happens-before 4; deadlock: a multicast load lands in the CTAs of its mask, and signals each.
// Wrong: the mask has not the CTA of rank 1, which waits as well.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding deadlock --allow-finding missing-bytes --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
    %rank = carousel.cluster.rank
    %issues = arith.cmpi eq, %rank, %zero : i32
    scf.if %issues {
      %mask = arith.constant 3 : i16
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] multicast %mask
          : !vector, !tile, !barrier
    }
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %block = gpu.block_id x
    %i = arith.muli %block, %c8 : index
    %v = vector.load %tile[%i] : !tile, vector<8xi32>
    vector.store %v, %y[%i] : !vector, vector<8xi32>
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
    %rank = carousel.cluster.rank
    %issues = arith.cmpi eq, %rank, %zero : i32
    scf.if %issues {
      %mask = arith.constant 1 : i16
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] multicast %mask
          : !vector, !tile, !barrier
    }
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %block = gpu.block_id x
    %i = arith.muli %block, %c8 : index
    %v = vector.load %tile[%i] : !tile, vector<8xi32>
    vector.store %v, %y[%i] : !vector, vector<8xi32>
    gpu.return
  }
}
