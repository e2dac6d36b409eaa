// st_async: 4 or 8 bytes, or vectors of 2 or 4, to a peer's shared memory; the bytes count as
// transactions of the peer's barrier.
// RUN: carousel-sim %s --kernel @words --arg y=empty:14 --expect y=iota:14 --schedules 8
// RUN: carousel-sim %s --kernel @doubles --arg y=empty:6 --expect y=iota:6 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!in = memref<7xf32, #ws>
!peer_in = memref<7xf32, #cluster>
!in64 = memref<3xi64, #ws>
!peer_in64 = memref<3xi64, #cluster>

gpu.module @m {
  // Rank 0 sends 7 .. 13 to rank 1, which sends 0 .. 6: a vector of 4, one of 2, a scalar.
  gpu.func @words(%y: memref<14xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %in: !in {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %one = arith.constant 1 : i32
    %seven = arith.constant 7.0 : f32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 28 : !bar
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer_in = carousel.cluster.map_shared %in, %other : !in to !peer_in
    %peer_bar = carousel.cluster.map_shared %bar, %other : !bar to !peer_bar
    %other_f32 = arith.uitofp %other : i32 to f32
    %base = arith.mulf %other_f32, %seven : f32
    %base4 = vector.broadcast %base : f32 to vector<4xf32>
    %base2 = vector.broadcast %base : f32 to vector<2xf32>
    %steps4 = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : vector<4xf32>
    %steps2 = arith.constant dense<[4.0, 5.0]> : vector<2xf32>
    %step = arith.constant 6.0 : f32
    %v4 = arith.addf %base4, %steps4 : vector<4xf32>
    %v2 = arith.addf %base2, %steps2 : vector<2xf32>
    %v = arith.addf %base, %step : f32
    carousel.st_async %v4 to %peer_in[%c0] signals %peer_bar[%c0]
        : vector<4xf32>, !peer_in, !peer_bar
    carousel.st_async %v2 to %peer_in[%c4] signals %peer_bar[%c0]
        : vector<2xf32>, !peer_in, !peer_bar
    carousel.st_async %v to %peer_in[%c6] signals %peer_bar[%c0] : f32, !peer_in, !peer_bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
    %r = arith.index_cast %rank : i32 to index
    %before = arith.muli %r, %c7 : index
    scf.for %i = %c0 to %c7 step %c1 {
      %w = memref.load %in[%i] : !in
      %j = arith.addi %before, %i : index
      memref.store %w, %y[%j] : memref<14xf32, #gl>
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  // The same of 8 bytes: a vector of 2 and a scalar.
  gpu.func @doubles(%y: memref<6xi64, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %in: !in64 {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i64
    %two = arith.constant 2 : i64
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 24 : !bar
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer_in = carousel.cluster.map_shared %in, %other : !in64 to !peer_in64
    %peer_bar = carousel.cluster.map_shared %bar, %other : !bar to !peer_bar
    %other_i64 = arith.extui %other : i32 to i64
    %base = arith.muli %other_i64, %three : i64
    %base2 = vector.broadcast %base : i64 to vector<2xi64>
    %steps2 = arith.constant dense<[0, 1]> : vector<2xi64>
    %v2 = arith.addi %base2, %steps2 : vector<2xi64>
    %v = arith.addi %base, %two : i64
    carousel.st_async %v2 to %peer_in[%c0] signals %peer_bar[%c0]
        : vector<2xi64>, !peer_in64, !peer_bar
    carousel.st_async %v to %peer_in[%c2] signals %peer_bar[%c0] : i64, !peer_in64, !peer_bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
    %r = arith.index_cast %rank : i32 to index
    %before = arith.muli %r, %c3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %w = memref.load %in[%i] : !in64
      %j = arith.addi %before, %i : index
      memref.store %w, %y[%j] : memref<6xi64, #gl>
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
