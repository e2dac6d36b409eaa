// Happens-before 4; raw: a CTA reads what its peer's engine adds to its shared memory.
// Wrong: it reads before it waits for the phase.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!peer_tile = memref<16xi32, #cluster>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%source: !tile {llvm.align = 16 : i64},
                %tile: !tile {llvm.align = 16 : i64},
                %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %none = arith.constant dense<0> : !row
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    vector.store %none, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %source[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
      %peer = carousel.cluster.map_shared %tile, %one : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.bulk.reduce_cluster add s32 %source[%c0] to %peer[%c0], 64 signals %peer_full[]
          : !tile, !peer_tile, !peer_barrier
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%source: !tile {llvm.align = 16 : i64},
                %tile: !tile {llvm.align = 16 : i64},
                %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %none = arith.constant dense<0> : !row
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    vector.store %none, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %source[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
      %peer = carousel.cluster.map_shared %tile, %one : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.bulk.reduce_cluster add s32 %source[%c0] to %peer[%c0], 64 signals %peer_full[]
          : !tile, !peer_tile, !peer_barrier
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      carousel.mbarrier.wait %full[] parity %false : !barrier
      vector.store %v, %y[%c0] : !vector, !row
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
