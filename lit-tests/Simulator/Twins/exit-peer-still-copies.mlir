// Exit: a CTA doesn't end while its peer's engine writes its shared memory.
// Wrong: no one waits for the copy.
// RUN: carousel-sim %s --kernel @right --arg y=empty:16 --expect y=zeros:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:16 --expect y=zeros:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:16 --expect-finding in-flight --schedules 100

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
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%source: !tile {llvm.align = 16 : i64},
                %tile: !tile {llvm.align = 16 : i64},
                %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %row = arith.constant dense<0> : !row
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    vector.store %row, %source[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %receives = arith.cmpi eq, %rank, %one : i32
    scf.if %receives {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      vector.store %row, %y[%c0] : !vector, !row
    } else {
      %peer = carousel.cluster.map_shared %tile, %one : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.bulk.copy_cluster %source[%c0] to %peer[%c0], 64 signals %peer_full[]
          : !tile, !peer_tile, !peer_barrier
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%source: !tile {llvm.align = 16 : i64},
                %tile: !tile {llvm.align = 16 : i64},
                %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %row = arith.constant dense<0> : !row
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    vector.store %row, %source[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %receives = arith.cmpi eq, %rank, %one : i32
    scf.if %receives {
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      vector.store %row, %y[%c0] : !vector, !row
    } else {
      %peer = carousel.cluster.map_shared %tile, %one : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.bulk.copy_cluster %source[%c0] to %peer[%c0], 64 signals %peer_full[]
          : !tile, !peer_tile, !peer_barrier
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
