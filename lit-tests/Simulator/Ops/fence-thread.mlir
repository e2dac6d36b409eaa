// fence.thread: with relaxed signals, a release before and an acquire after order what was written;
// each of the semantics and scopes.
// RUN: carousel-sim %s --kernel @one_way --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @both_ways --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @cluster --arg y=empty:2 --expect y=iota:2 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!tile = memref<64xi32, #ws>
!y = memref<64xi32, #gl>

gpu.module @m {
  gpu.func @one_way(%y: !y {carousel.argument = #carousel.argument<"y", out>})
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
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    carousel.fence.thread release cta
    carousel.mbarrier.arrive %bar[%c0] semantics(relaxed) : !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 semantics(relaxed) : !bar
    carousel.fence.thread acquire gpu
    %j = arith.xori %t, %c32 : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y
    gpu.return
  }

  gpu.func @both_ways(%y: !y {carousel.argument = #carousel.argument<"y", out>})
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
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    carousel.fence.thread acq_rel sys
    carousel.mbarrier.arrive %bar[%c0] semantics(relaxed) : !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 semantics(relaxed) : !bar
    carousel.fence.thread sc cta
    %j = arith.xori %t, %c32 : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y
    gpu.return
  }

  // Across a cluster, with its barrier relaxed: each CTA reads what the other wrote.
  gpu.func @cluster(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<1xi32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer = carousel.cluster.map_shared %tile, %other
        : memref<1xi32, #ws> to memref<1xi32, #cluster>
    memref.store %rank, %tile[%c0] : memref<1xi32, #ws>
    carousel.fence.thread release cluster
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    %v = memref.load %peer[%c0] : memref<1xi32, #cluster>
    %i = arith.index_cast %v : i32 to index
    memref.store %v, %y[%i] : memref<2xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
