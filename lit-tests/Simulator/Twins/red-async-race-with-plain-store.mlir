// Scopes, atomics and fences; waw: red_async and the atomics of threads are relaxed atomics of one proxy, and need no order.
// Wrong: the receiver stores plainly.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --schedules 200
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding engine-race --schedules 50

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<1xi32, #gl>
!word = memref<1xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_word = memref<1xi32, #cluster>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%sum: !word, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    memref.store %zero, %sum[%c0] : !word
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %peer = carousel.cluster.map_shared %sum, %one : !word to !peer_word
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.red_async add u32 %one to %peer[%c0] signals %peer_full[] : i32, !peer_word, !peer_barrier
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 4 : !barrier
      %old = memref.atomic_rmw addi %one, %sum[%c0] : (i32, !word) -> i32
      carousel.mbarrier.wait %full[] parity %false scope(cluster) : !barrier
      %v = memref.load %sum[%c0] : !word
      memref.store %v, %y[%c0] : !vector
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%sum: !word, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    memref.store %zero, %sum[%c0] : !word
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %peer = carousel.cluster.map_shared %sum, %one : !word to !peer_word
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.red_async add u32 %one to %peer[%c0] signals %peer_full[] : i32, !peer_word, !peer_barrier
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 4 : !barrier
      memref.store %one, %sum[%c0] : !word
      carousel.mbarrier.wait %full[] parity %false scope(cluster) : !barrier
      %v = memref.load %sum[%c0] : !word
      memref.store %v, %y[%c0] : !vector
    }
    gpu.return
  }
}
