// fence.sync_restrict: the release orders what was done in the own shared memory, the acquire what is
// read in the cluster's.
// RUN: carousel-sim %s --kernel @k --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!tile = memref<1xi32, #ws>
!peer_tile = memref<1xi32, #cluster>

gpu.module @m {
  // Each CTA writes its rank, tells the other by a relaxed arrive, and reads what that one wrote.
  gpu.func @k(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer_bar = carousel.cluster.map_shared %bar, %other : !bar to !peer_bar
    %peer_tile = carousel.cluster.map_shared %tile, %other : !tile to !peer_tile
    memref.store %rank, %tile[%c0] : !tile
    carousel.fence.sync_restrict release
    carousel.mbarrier.arrive %peer_bar[%c0] semantics(relaxed) scope(cluster) : !peer_bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 semantics(relaxed) scope(cluster) : !bar
    carousel.fence.sync_restrict acquire
    %v = memref.load %peer_tile[%c0] : !peer_tile
    %i = arith.index_cast %v : i32 to index
    memref.store %v, %y[%i] : memref<2xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
