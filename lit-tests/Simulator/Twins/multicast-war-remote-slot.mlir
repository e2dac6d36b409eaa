// Happens-before 4 and 3; war: a multicast refills the slots of all CTAs in its mask.
// Wrong: the CTA that issues it doesn't wait for its peer to have read.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<16xi32, #gl>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barriers, %empty: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %both = arith.constant 3 : i16
    %false = arith.constant false
    carousel.mbarrier.init %full[%c0], 1 : !barriers
    carousel.mbarrier.init %full[%c1], 1 : !barriers
    carousel.mbarrier.init %empty[], 2 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %issues = arith.cmpi eq, %rank, %zero : i32
    %peer_empty = carousel.cluster.map_shared %empty, %zero : !barrier to !peer_barrier
    carousel.mbarrier.arrive_expect_tx %full[%c0], 64 : !barriers
    carousel.mbarrier.arrive_expect_tx %full[%c1], 64 : !barriers
    scf.if %issues {
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c0] multicast %both
          : !vector, !tile, !barriers
    }
    carousel.mbarrier.wait %full[%c0] parity %false : !barriers
    %block = gpu.block_id x
    %i = arith.muli %block, %c8 : index
    %v = vector.load %tile[%i] : !tile, vector<8xi32>
    carousel.mbarrier.arrive %peer_empty[] scope(cluster) : !peer_barrier
    vector.store %v, %y[%i] : !vector, vector<8xi32>
    scf.if %issues {
      carousel.mbarrier.wait %empty[] parity %false scope(cluster) : !barrier
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c1] multicast %both
          : !vector, !tile, !barriers
    }
    carousel.mbarrier.wait %full[%c1] parity %false : !barriers
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barriers, %empty: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %both = arith.constant 3 : i16
    %false = arith.constant false
    carousel.mbarrier.init %full[%c0], 1 : !barriers
    carousel.mbarrier.init %full[%c1], 1 : !barriers
    carousel.mbarrier.init %empty[], 2 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %issues = arith.cmpi eq, %rank, %zero : i32
    %peer_empty = carousel.cluster.map_shared %empty, %zero : !barrier to !peer_barrier
    carousel.mbarrier.arrive_expect_tx %full[%c0], 64 : !barriers
    carousel.mbarrier.arrive_expect_tx %full[%c1], 64 : !barriers
    scf.if %issues {
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c0] multicast %both
          : !vector, !tile, !barriers
    }
    carousel.mbarrier.wait %full[%c0] parity %false : !barriers
    %block = gpu.block_id x
    %i = arith.muli %block, %c8 : index
    %v = vector.load %tile[%i] : !tile, vector<8xi32>
    carousel.mbarrier.arrive %peer_empty[] scope(cluster) : !peer_barrier
    vector.store %v, %y[%i] : !vector, vector<8xi32>
    scf.if %issues {
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[%c1] multicast %both
          : !vector, !tile, !barriers
      carousel.mbarrier.wait %empty[] parity %false scope(cluster) : !barrier
    }
    carousel.mbarrier.wait %full[%c1] parity %false : !barriers
    gpu.return
  }
}
