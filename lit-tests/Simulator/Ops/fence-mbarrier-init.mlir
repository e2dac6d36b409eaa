// fence.mbarrier_init: with a barrier after it, the engines and the cluster see a fresh mbarrier.
// RUN: carousel-sim %s --kernel @engine --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @cluster --arg y=empty:4 --expect y=iota:4 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bars = memref<2x!carousel.mbarrier, #ws>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!tile = memref<64xf32, #ws>
!x = memref<64xf32, #gl>

gpu.module @m {
  // Thread 0 initialises two barriers under one fence, thread 32 issues the load.
  gpu.func @engine(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bars, %tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bars
      carousel.mbarrier.init %bar[%c1], 1 : !bars
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    %issues = arith.cmpi eq, %t, %c32 : index
    scf.if %issues {
      carousel.mbarrier.arrive_expect_tx %bar[%c1], 256 : !bars
      carousel.bulk.load %x[%c0] to %tile[%c0], 256 signals %bar[%c1] : !x, !tile, !bars
    }
    carousel.mbarrier.wait %bar[%c1] parity %phase0 : !bars
    %v = memref.load %tile[%t] : !tile
    memref.store %v, %y[%t] : !x
    gpu.return
  }

  // Each CTA of 4 waits for the arrival of the one before it.
  gpu.func @cluster(%y: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [1], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %after = arith.addi %rank, %one : i32
    %next = arith.remui %after, %four : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer_bar = carousel.cluster.map_shared %bar, %next : !bar to !peer_bar
    carousel.mbarrier.arrive %peer_bar[%c0] scope(cluster) : !peer_bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
    %i = arith.index_cast %rank : i32 to index
    memref.store %rank, %y[%i] : memref<4xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
