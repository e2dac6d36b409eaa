// Visibility, generic write -> async read: st_async stores in the generic proxy. The receiver fences before an engine reads; over what threads wrote it needs none.
// Wrong: the receiver issues a bulk store of the inbox without a fence.
// RUN: carousel-sim %s --kernel @right --arg y=empty:4 --expect y=iota:4 --schedules 200
// RUN: carousel-sim %s --kernel @right --arg y=empty:4 --expect y=iota:4 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:4 --expect-finding missing-proxy-fence --schedules 50

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<4xi32, #gl>
!inbox = memref<4xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_inbox = memref<4xi32, #cluster>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%inbox: !inbox {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %zero, %inbox[%i] : !inbox
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %peer = carousel.cluster.map_shared %inbox, %one : !inbox to !peer_inbox
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      scf.for %i = %c0 to %c4 step %c1 {
        %v = arith.index_cast %i : index to i32
        carousel.st_async %v to %peer[%i] signals %peer_full[] : i32, !peer_inbox, !peer_barrier
      }
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 16 : !barrier
      carousel.mbarrier.wait %full[] parity %false scope(cluster) : !barrier
      carousel.fence.proxy async_shared_cta
      carousel.bulk.store %inbox[%c0] to %y[%c0], 16 : !inbox, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%inbox: !inbox {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %zero, %inbox[%i] : !inbox
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %peer = carousel.cluster.map_shared %inbox, %one : !inbox to !peer_inbox
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      scf.for %i = %c0 to %c4 step %c1 {
        %v = arith.index_cast %i : index to i32
        carousel.st_async %v to %peer[%i] signals %peer_full[] : i32, !peer_inbox, !peer_barrier
      }
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 16 : !barrier
      carousel.mbarrier.wait %full[] parity %false scope(cluster) : !barrier
      carousel.bulk.store %inbox[%c0] to %y[%c0], 16 : !inbox, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }
}
