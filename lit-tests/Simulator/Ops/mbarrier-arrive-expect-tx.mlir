// mbarrier.arrive_expect_tx: expects the bytes before it arrives, so that its own arrival doesn't
// end the phase; the state names the phase; a peer's barrier takes it too.
// RUN: carousel-sim %s --kernel @local --arg y=empty:4 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!y = memref<4xi32, #gl>

gpu.module @m {
  // y = is the phase over: with the arrival only; with 16 of 32 bytes; with all; and the next
  // phase, which expects no bytes, after its arrival.
  gpu.func @local(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %none = arith.constant 0 : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    %s0 = carousel.mbarrier.arrive_expect_tx %bar[%c0], 32 : !bar -> !carousel.mbarrier_state
    %d0 = carousel.mbarrier.test_wait %bar[%c0] state %s0 : !bar
    carousel.mbarrier.complete_tx %bar[%c0], 16 : !bar
    %d1 = carousel.mbarrier.test_wait %bar[%c0] state %s0 : !bar
    carousel.mbarrier.complete_tx %bar[%c0], 16 : !bar
    %d2 = carousel.mbarrier.test_wait %bar[%c0] state %s0 : !bar
    %s1 = carousel.mbarrier.arrive_expect_tx %bar[%c0], %none semantics(relaxed) scope(cluster)
        : !bar -> !carousel.mbarrier_state
    %d3 = carousel.mbarrier.test_wait %bar[%c0] state %s1 : !bar
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

  // Each CTA arrives at the other's barrier and sends the 4 bytes that it has it expect.
  gpu.func @remote(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %inbox: memref<1xi32, #ws>) kernel
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
    %peer_inbox = carousel.cluster.map_shared %inbox, %other
        : memref<1xi32, #ws> to memref<1xi32, #cluster>
    carousel.mbarrier.arrive_expect_tx %peer_bar[%c0], 4 scope(cluster) : !peer_bar
    carousel.st_async %rank to %peer_inbox[%c0] signals %peer_bar[%c0]
        : i32, memref<1xi32, #cluster>, !peer_bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
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
  %v = arith.constant dense<[0, 0, 1, 1]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}
