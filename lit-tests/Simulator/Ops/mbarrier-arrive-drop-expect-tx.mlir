// mbarrier.arrive_drop_expect_tx: expects bytes in this phase, arrives, and leaves.
// RUN: carousel-sim %s --kernel @local --arg y=empty:4 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!y = memref<4xi32, #gl>

gpu.module @m {
  // Of two, one leaves. y = is phase 0 over after both arrivals; after the bytes; is phase 1 over
  // after one arrival; is phase 2.
  gpu.func @local(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %even = arith.constant false
    %odd = arith.constant true
    carousel.mbarrier.init %bar[%c0], 2 : !bar
    %s = carousel.mbarrier.arrive_drop_expect_tx %bar[%c0], 16
        : !bar -> !carousel.mbarrier_state
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d0 = carousel.mbarrier.test_wait %bar[%c0] state %s : !bar
    carousel.mbarrier.complete_tx %bar[%c0], 16 : !bar
    %d1 = carousel.mbarrier.test_wait %bar[%c0] state %s : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d2 = carousel.mbarrier.test_wait %bar[%c0] parity %odd : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d3 = carousel.mbarrier.test_wait %bar[%c0] parity %even : !bar
    %b0 = arith.extui %d0 : i1 to i32
    %b1 = arith.extui %d1 : i1 to i32
    %b2 = arith.extui %d2 : i1 to i32
    %b3 = arith.extui %d3 : i1 to i32
    memref.store %b0, %y[%c0] : !y
    memref.store %b1, %y[%c1] : !y
    memref.store %b2, %y[%c2] : !y
    memref.store %b3, %y[%c3] : !y
    gpu.return
  }

  gpu.func @remote(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %inbox: memref<1xi32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %even = arith.constant false
    %odd = arith.constant true
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    carousel.mbarrier.init %bar[%c0], 2 : !bar
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer_bar = carousel.cluster.map_shared %bar, %other : !bar to !peer_bar
    %peer_inbox = carousel.cluster.map_shared %inbox, %other
        : memref<1xi32, #ws> to memref<1xi32, #cluster>
    carousel.mbarrier.arrive_drop_expect_tx %peer_bar[%c0], 4 semantics(relaxed) scope(cluster)
        : !peer_bar
    carousel.st_async %rank to %peer_inbox[%c0] signals %peer_bar[%c0]
        : i32, memref<1xi32, #cluster>, !peer_bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    carousel.mbarrier.wait %bar[%c0] parity %even scope(cluster) : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    carousel.mbarrier.wait %bar[%c0] parity %odd : !bar
    %v = memref.load %inbox[%c0] : memref<1xi32, #ws>
    %i = arith.index_cast %v : i32 to index
    memref.store %v, %y[%i] : memref<2xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected(%y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1, 1, 1]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}
