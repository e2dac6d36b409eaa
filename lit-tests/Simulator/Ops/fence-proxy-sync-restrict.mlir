// fence.proxy_sync_restrict: the owner of a buffer releases what it did there, the peer acquires that
// before an engine writes the buffer.
// RUN: carousel-sim %s --kernel @k --arg y=empty:4 --expect y=iota:4 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bars = memref<2x!carousel.mbarrier, #ws>
!peer_bars = memref<2x!carousel.mbarrier, #cluster>
!tile = memref<4xf32, #ws>
!peer_tile = memref<4xf32, #cluster>

gpu.module @m {
  // CTA 1 writes zeros to its tile and hands it to CTA 0, which copies 0 .. 3 into it.
  gpu.func @k(%y: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bars, %tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %copies = arith.cmpi eq, %rank, %zero : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bars
    carousel.mbarrier.init %bar[%c1], 1 : !bars
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %copies {
      %v = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : vector<4xf32>
      vector.store %v, %tile[%c0] : !tile, vector<4xf32>
      carousel.fence.proxy async_shared_cta
      carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bars
      carousel.fence.proxy_sync_restrict acquire
      %peer_bar = carousel.cluster.map_shared %bar, %one : !bars to !peer_bars
      %peer_tile = carousel.cluster.map_shared %tile, %one : !tile to !peer_tile
      carousel.bulk.copy_cluster %tile[%c0] to %peer_tile[%c0], 16 signals %peer_bar[%c1]
          : !tile, !peer_tile, !peer_bars
    } else {
      %v = arith.constant dense<0.0> : vector<4xf32>
      vector.store %v, %tile[%c0] : !tile, vector<4xf32>
      carousel.mbarrier.arrive_expect_tx %bar[%c1], 16 : !bars
      carousel.fence.proxy_sync_restrict release
      %peer_bar = carousel.cluster.map_shared %bar, %zero : !bars to !peer_bars
      carousel.mbarrier.arrive %peer_bar[%c0] scope(cluster) : !peer_bars
      carousel.mbarrier.wait %bar[%c1] parity %phase0 scope(cluster) : !bars
      %w = vector.load %tile[%c0] : !tile, vector<4xf32>
      vector.store %w, %y[%c0] : memref<4xf32, #gl>, vector<4xf32>
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
