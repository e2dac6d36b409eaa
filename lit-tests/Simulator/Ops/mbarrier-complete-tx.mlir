// mbarrier.complete_tx: bytes may land before they are expected, the count is then negative; the
// barrier may be a peer's.
// RUN: carousel-sim %s --kernel @early --arg y=empty:3 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>

gpu.module @m {
  // y = done after 48 bytes, after 48 are expected, after the arrival.
  gpu.func @early(%y: memref<3xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 32 : i32
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.mbarrier.complete_tx %bar[%c0], 16 : !bar
    carousel.mbarrier.complete_tx %bar[%c0], %bytes : !bar
    %landed = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    carousel.mbarrier.expect_tx %bar[%c0], 48 : !bar
    %expected = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %arrived = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    %landed_i32 = arith.extui %landed : i1 to i32
    %expected_i32 = arith.extui %expected : i1 to i32
    %arrived_i32 = arith.extui %arrived : i1 to i32
    memref.store %landed_i32, %y[%c0] : memref<3xi32, #gl>
    memref.store %expected_i32, %y[%c1] : memref<3xi32, #gl>
    memref.store %arrived_i32, %y[%c2] : memref<3xi32, #gl>
    gpu.return
  }

  // Each CTA waits for bytes that the other one completes.
  gpu.func @remote(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 16 : !bar
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer = carousel.cluster.map_shared %bar, %other : !bar to !peer_bar
    carousel.mbarrier.complete_tx %peer[%c0], 16 scope(cluster) : !peer_bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
    %i = arith.index_cast %rank : i32 to index
    memref.store %rank, %y[%i] : memref<2xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected(%y: memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 0, 1]> : vector<3xi32>
  vector.store %v, %y[%c0] : memref<3xi32>, vector<3xi32>
  return
}
