// Happens-before 3, the choice of arrives of CTA scope at barriers of other CTAs: a CTA refills its peer's slot when the
// peer's reads are over, and the copy before them.
// Wrong: the peer's thread writes to the slot. The choice is about reads and copies.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --schedules 200
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<16xi32, #gl>
!tile = memref<16xi32, #ws>
!peer_tile = memref<16xi32, #cluster>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier, %told: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %true = arith.constant true
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.mbarrier.init %told[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %is_reader = arith.cmpi eq, %rank, %zero : i32
    scf.if %is_reader {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = memref.load %tile[%c0] : !tile
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      %peer_told = carousel.cluster.map_shared %told, %one : !barrier to !peer_barrier
      carousel.mbarrier.arrive %peer_told[] : !peer_barrier
      carousel.mbarrier.wait %full[] parity %true : !barrier
    } else {
      carousel.mbarrier.wait %told[] parity %false : !barrier
      %peer = carousel.cluster.map_shared %tile, %zero : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %zero : !barrier to !peer_barrier
      carousel.bulk.load %x[%c0] to %peer[%c0], 64 signals %peer_full[] : !vector, !peer_tile, !peer_barrier
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier, %told: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %true = arith.constant true
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.mbarrier.init %told[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %is_reader = arith.cmpi eq, %rank, %zero : i32
    scf.if %is_reader {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %x[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      memref.store %one, %tile[%c0] : !tile
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      %peer_told = carousel.cluster.map_shared %told, %one : !barrier to !peer_barrier
      carousel.mbarrier.arrive %peer_told[] : !peer_barrier
      carousel.mbarrier.wait %full[] parity %true : !barrier
    } else {
      carousel.mbarrier.wait %told[] parity %false : !barrier
      %peer = carousel.cluster.map_shared %tile, %zero : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %zero : !barrier to !peer_barrier
      carousel.bulk.load %x[%c0] to %peer[%c0], 64 signals %peer_full[] : !vector, !peer_tile, !peer_barrier
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
