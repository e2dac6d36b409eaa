// Decided by the text of the ISA; war: readers release an inbox by arrives of cluster scope before it is written again.
// Wrong: the sender takes what it has received itself for that.
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=empty:64  --schedules 50
// RUN: carousel-sim %s --kernel @right --arg x=iota:64 --arg y=empty:64  --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:64 --arg y=empty:64 --expect-finding engine-race --schedules 50

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<64xi32, #gl>
!inbox = memref<2x32xi32, #ws>
!peer_inbox = memref<2x32xi32, #cluster>
!barriers = memref<2x!carousel.mbarrier, #ws>
!peer_barriers = memref<2x!carousel.mbarrier, #cluster>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%inbox: !inbox {llvm.align = 16 : i64}, %full: !barriers, %free: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %rank = carousel.cluster.rank
    %other = arith.xori %rank, %one : i32
    scf.if %is_first {
      scf.for %i = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %full[%i], 1 : !barriers
        carousel.mbarrier.init %free[%i], 32 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer = carousel.cluster.map_shared %inbox, %other : !inbox to !peer_inbox
    %peer_full = carousel.cluster.map_shared %full, %other : !barriers to !peer_barriers
    %peer_free = carousel.cluster.map_shared %free, %other : !barriers to !peer_barriers
    %base = arith.muli %block, %c32 : index
    %at = arith.addi %base, %thread : index
    %first = memref.load %x[%at] : !vector
    %mirrored = arith.subi %c31, %thread : index
    %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %first) -> (i32) {
      %slot = arith.remui %i, %c2 : index
      %round = arith.divui %i, %c2 : index
      %parity = arith.index_cast %round : index to i1
      %emptied = arith.xori %parity, %true : i1
      scf.if %is_first {
        carousel.mbarrier.arrive_expect_tx %full[%slot], 128 : !barriers
      }
      carousel.mbarrier.wait %free[%slot] parity %emptied scope(cluster) : !barriers
      carousel.st_async %v to %peer[%slot, %thread] signals %peer_full[%slot]
          : i32, !peer_inbox, !peer_barriers
      carousel.mbarrier.wait %full[%slot] parity %parity scope(cluster) : !barriers
      %u = memref.load %inbox[%slot, %mirrored] : !inbox
      carousel.mbarrier.arrive %peer_free[%slot] scope(cluster) : !peer_barriers
      %w = arith.addi %u, %one : i32
      carousel.barrier.warp
      scf.yield %w : i32
    }
    memref.store %last, %y[%at] : !vector
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%inbox: !inbox {llvm.align = 16 : i64}, %full: !barriers, %free: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %rank = carousel.cluster.rank
    %other = arith.xori %rank, %one : i32
    scf.if %is_first {
      scf.for %i = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %full[%i], 1 : !barriers
        carousel.mbarrier.init %free[%i], 32 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer = carousel.cluster.map_shared %inbox, %other : !inbox to !peer_inbox
    %peer_full = carousel.cluster.map_shared %full, %other : !barriers to !peer_barriers
    %peer_free = carousel.cluster.map_shared %free, %other : !barriers to !peer_barriers
    %base = arith.muli %block, %c32 : index
    %at = arith.addi %base, %thread : index
    %first = memref.load %x[%at] : !vector
    %mirrored = arith.subi %c31, %thread : index
    %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %first) -> (i32) {
      %slot = arith.remui %i, %c2 : index
      %round = arith.divui %i, %c2 : index
      %parity = arith.index_cast %round : index to i1
      %emptied = arith.xori %parity, %true : i1
      scf.if %is_first {
        carousel.mbarrier.arrive_expect_tx %full[%slot], 128 : !barriers
      }
      carousel.st_async %v to %peer[%slot, %thread] signals %peer_full[%slot]
          : i32, !peer_inbox, !peer_barriers
      carousel.mbarrier.wait %full[%slot] parity %parity scope(cluster) : !barriers
      %u = memref.load %inbox[%slot, %mirrored] : !inbox
      carousel.mbarrier.arrive %peer_free[%slot] scope(cluster) : !peer_barriers
      %w = arith.addi %u, %one : i32
      carousel.barrier.warp
      scf.yield %w : i32
    }
    memref.store %last, %y[%at] : !vector
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
