// Happens-before 4; raw: a CTA reads what its peer stores asynchronously into its shared memory.
// Wrong: it reads before it waits for the phase.
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=empty:1 --expect y=iota:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=empty:1 --expect y=iota:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:1 --arg y=empty:1 --expect-finding engine-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<1xi32, #gl>
!word = memref<1xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>
!peer_word = memref<1xi32, #cluster>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %v = memref.load %x[%c0] : !vector
      %peer = carousel.cluster.map_shared %word, %one : !word to !peer_word
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.st_async %v to %peer[%c0] signals %peer_full[] : i32, !peer_word, !peer_barrier
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 4 : !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = memref.load %word[%c0] : !word
      memref.store %v, %y[%c0] : !vector
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    scf.if %sends {
      %v = memref.load %x[%c0] : !vector
      %peer = carousel.cluster.map_shared %word, %one : !word to !peer_word
      %peer_full = carousel.cluster.map_shared %full, %one : !barrier to !peer_barrier
      carousel.st_async %v to %peer[%c0] signals %peer_full[] : i32, !peer_word, !peer_barrier
    } else {
      carousel.mbarrier.arrive_expect_tx %full[], 4 : !barrier
      %v = memref.load %word[%c0] : !word
      carousel.mbarrier.wait %full[] parity %false : !barrier
      memref.store %v, %y[%c0] : !vector
    }
    gpu.return
  }
}
