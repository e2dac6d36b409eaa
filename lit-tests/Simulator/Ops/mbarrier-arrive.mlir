// mbarrier.arrive: by one or by a count; the state names the phase; release and acquire order what
// was written before; relaxed ones need fences; a peer's barrier takes arrivals too.
// RUN: carousel-sim %s --kernel @states --arg y=empty:4 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @release --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @relaxed --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!tile = memref<64xi32, #ws>
!y4 = memref<4xi32, #gl>
!y64 = memref<64xi32, #gl>

gpu.module @m {
  // Of 6 arrivals, 1, 2 and then 3. y = is the phase of the first state over after the second and
  // the third arrival, and the phase of the third; is that of an arrival in phase 1 over.
  gpu.func @states(%y: !y4 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %three = arith.constant 3 : i32
    carousel.mbarrier.init %bar[%c0], 6 : !bar
    %s0 = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    %s1 = carousel.mbarrier.arrive %bar[%c0], 2 : !bar -> !carousel.mbarrier_state
    %d0 = carousel.mbarrier.test_wait %bar[%c0] state %s0 : !bar
    %s2 = carousel.mbarrier.arrive %bar[%c0], %three scope(cluster)
        : !bar -> !carousel.mbarrier_state
    %d1 = carousel.mbarrier.test_wait %bar[%c0] state %s0 : !bar
    %d2 = carousel.mbarrier.test_wait %bar[%c0] state %s2 : !bar
    %s3 = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    %d3 = carousel.mbarrier.test_wait %bar[%c0] state %s3 : !bar
    %b0 = arith.extui %d0 : i1 to i32
    %b1 = arith.extui %d1 : i1 to i32
    %b2 = arith.extui %d2 : i1 to i32
    %b3 = arith.extui %d3 : i1 to i32
    memref.store %b0, %y[%c0] : !y4
    memref.store %b1, %y[%c1] : !y4
    memref.store %b2, %y[%c2] : !y4
    memref.store %b3, %y[%c3] : !y4
    gpu.return
  }

  gpu.func @release(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 64 : !bar
    }
    gpu.barrier
    %j = arith.xori %t, %c32 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    %state = carousel.mbarrier.arrive %bar[%c0] semantics(release)
        : !bar -> !carousel.mbarrier_state
    carousel.mbarrier.wait %bar[%c0] state %state : !bar
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y64
    gpu.return
  }

  gpu.func @relaxed(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 64 : !bar
    }
    gpu.barrier
    %j = arith.xori %t, %c32 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    carousel.fence.thread release cta
    carousel.mbarrier.arrive %bar[%c0] semantics(relaxed) : !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 semantics(relaxed) : !bar
    carousel.fence.thread acquire cta
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y64
    gpu.return
  }

  // Each CTA writes its rank to its shared memory and tells the other one, which reads it there.
  gpu.func @remote(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: memref<1xi32, #ws>) kernel
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
    %peer_tile = carousel.cluster.map_shared %tile, %other
        : memref<1xi32, #ws> to memref<1xi32, #cluster>
    memref.store %rank, %tile[%c0] : memref<1xi32, #ws>
    carousel.mbarrier.arrive %peer_bar[%c0], 1 scope(cluster) : !peer_bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
    %v = memref.load %peer_tile[%c0] : memref<1xi32, #cluster>
    %i = arith.index_cast %v : i32 to index
    memref.store %v, %y[%i] : memref<2xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected(%y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1, 1, 0]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}
