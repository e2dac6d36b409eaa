// mbarrier.arrive_drop: arrives in this phase, and later phases expect as many arrivals fewer.
// RUN: carousel-sim %s --kernel @k --arg y=empty:6 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!y = memref<6xi32, #gl>

gpu.module @m {
  // 5 arrivals, of which 1 and 2 drop out, then one more drops out, then one is enough.
  // y = is the phase over: at four of five; at five; then at one of two, two; then at one of one,
  // in the next phase as well.
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %even = arith.constant false
    %odd = arith.constant true
    %two = arith.constant 2 : i32
    carousel.mbarrier.init %bar[%c0], 5 : !bar
    %s = carousel.mbarrier.arrive_drop %bar[%c0] : !bar -> !carousel.mbarrier_state
    carousel.mbarrier.arrive_drop %bar[%c0], %two semantics(relaxed) : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d0 = carousel.mbarrier.test_wait %bar[%c0] state %s : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d1 = carousel.mbarrier.test_wait %bar[%c0] state %s : !bar

    carousel.mbarrier.arrive_drop %bar[%c0], 1 scope(cluster) : !bar
    %d2 = carousel.mbarrier.test_wait %bar[%c0] parity %odd : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d3 = carousel.mbarrier.test_wait %bar[%c0] parity %odd : !bar

    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d4 = carousel.mbarrier.test_wait %bar[%c0] parity %even : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %d5 = carousel.mbarrier.test_wait %bar[%c0] parity %odd : !bar

    %b0 = arith.extui %d0 : i1 to i32
    %b1 = arith.extui %d1 : i1 to i32
    %b2 = arith.extui %d2 : i1 to i32
    %b3 = arith.extui %d3 : i1 to i32
    %b4 = arith.extui %d4 : i1 to i32
    %b5 = arith.extui %d5 : i1 to i32
    memref.store %b0, %y[%c0] : !y
    memref.store %b1, %y[%c1] : !y
    memref.store %b2, %y[%c2] : !y
    memref.store %b3, %y[%c3] : !y
    memref.store %b4, %y[%c4] : !y
    memref.store %b5, %y[%c5] : !y
    gpu.return
  }

  // Each CTA leaves the other's barrier of two; the owner alone then makes phase 1.
  gpu.func @remote(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
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
    carousel.mbarrier.arrive_drop %peer_bar[%c0] scope(cluster) : !peer_bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    carousel.mbarrier.wait %bar[%c0] parity %even scope(cluster) : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    carousel.mbarrier.wait %bar[%c0] parity %odd : !bar
    %i = arith.index_cast %rank : i32 to index
    memref.store %rank, %y[%i] : memref<2xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected(%y: memref<6xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1, 0, 1, 1, 1]> : vector<6xi32>
  vector.store %v, %y[%c0] : memref<6xi32>, vector<6xi32>
  return
}
