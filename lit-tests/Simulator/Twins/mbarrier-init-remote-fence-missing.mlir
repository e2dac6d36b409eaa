// Visibility: mbarrier.init, use by another CTA; a fence, then a barrier of the cluster.
// Wrong: no fence; the arrive at the cluster's barrier is relaxed.
// RUN: carousel-sim %s --kernel @right --arg y=empty:2 --expect y=zeros:2 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:2 --expect y=zeros:2 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:2 --expect-finding init-not-visible --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<2xi32, #gl>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer_full = carousel.cluster.map_shared %full, %other : !barrier to !peer_barrier
    carousel.mbarrier.arrive %peer_full[] scope(cluster) : !peer_barrier
    carousel.mbarrier.wait %full[] parity %false scope(cluster) : !barrier
    %block = gpu.block_id x
    memref.store %zero, %y[%block] : !vector
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer_full = carousel.cluster.map_shared %full, %other : !barrier to !peer_barrier
    carousel.mbarrier.arrive %peer_full[] scope(cluster) : !peer_barrier
    carousel.mbarrier.wait %full[] parity %false scope(cluster) : !barrier
    %block = gpu.block_id x
    memref.store %zero, %y[%block] : !vector
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
