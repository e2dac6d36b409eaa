// Happens-before 3; raw: a wait for what another CTA's arrive released acquires at cluster scope.
// Wrong: it acquires from its own CTA.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 30
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding data-race --schedules 20 | FileCheck %s
// CHECK: note: mend it with scope(cluster) at the wait by CTA 0, thread {{[0-9]+}}, at {{.*}}: it has a narrower scope

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>
!peer_tile = memref<32xi32, #cluster>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%inbox: !tile, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %rank = carousel.cluster.rank
    %receives = arith.cmpi eq, %rank, %zero : i32
    scf.if %is_first {
      carousel.mbarrier.init %full[], 32 : !barrier
      carousel.fence.mbarrier_init
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %receives {
      carousel.mbarrier.wait %full[] parity %false scope(cluster) : !barrier
      %v = memref.load %inbox[%thread] : !tile
      memref.store %v, %y[%thread] : !vector
    } else {
      %peer = carousel.cluster.map_shared %inbox, %zero : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %zero : !barrier to !peer_barrier
      %v = memref.load %x[%thread] : !vector
      memref.store %v, %peer[%thread] : !peer_tile
      carousel.barrier.warp
      scf.if %is_first {
        carousel.mbarrier.arrive %peer_full[], 32 scope(cluster) : !peer_barrier
      }
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%inbox: !tile, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %rank = carousel.cluster.rank
    %receives = arith.cmpi eq, %rank, %zero : i32
    scf.if %is_first {
      carousel.mbarrier.init %full[], 32 : !barrier
      carousel.fence.mbarrier_init
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %receives {
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = memref.load %inbox[%thread] : !tile
      memref.store %v, %y[%thread] : !vector
    } else {
      %peer = carousel.cluster.map_shared %inbox, %zero : !tile to !peer_tile
      %peer_full = carousel.cluster.map_shared %full, %zero : !barrier to !peer_barrier
      %v = memref.load %x[%thread] : !vector
      memref.store %v, %peer[%thread] : !peer_tile
      carousel.barrier.warp
      scf.if %is_first {
        carousel.mbarrier.arrive %peer_full[], 32 scope(cluster) : !peer_barrier
      }
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
