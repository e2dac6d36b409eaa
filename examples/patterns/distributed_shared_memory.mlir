// Exchange through distributed shared memory. The four CTAs of a cluster share a row. Each CTA sums
// its quarter, and needs the whole sum to scale the quarter. Each CTA has an inbox with an element
// for each of the four. Lane r of its first warp stores the CTA's sum asynchronously into the inbox
// of CTA r. The store completes 4 bytes on that CTA's barrier, which expects 16. So a CTA waits
// only for values, not for threads of its peers. It adds the sums in the order of the ranks,
// whichever came first. The cluster's barrier at the start makes the initialised barriers visible
// to the peers. None is needed at the end, because no CTA exits before its inbox is full.
//
//   carousel-sim distributed_shared_memory.mlir --kernel @normalize --reference @reference \
//     --arg x=iota:3x1000 --arg y=like:x --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_90 distributed_shared_memory.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!sums = memref<4xf32, #ws>
!peer_sums = memref<4xf32, #cluster>
!barrier = memref<!carousel.mbarrier, #ws>
!peer_barrier = memref<!carousel.mbarrier, #cluster>

gpu.module @patterns {
  // y[i, :] = x[i, :] / (the sum of x[i, :]).
  gpu.func @normalize(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%of_warps: !sums {llvm.align = 16 : i64}, %inbox: !sums {llvm.align = 16 : i64},
                %arrived: !barrier) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "normalize", guards = [
          capability(90), equal(extent(0, 0), extent(1, 0)), equal(extent(0, 1), extent(1, 1))]>,
        carousel.launch = #carousel.launch<
          grid = [4, extent(0, 0)], block = [128], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %row = gpu.block_id y
    %rank_i32 = carousel.cluster.rank
    %rank = arith.index_cast %rank_i32 : i32 to index
    %columns = memref.dim %x, %c1 : !matrix
    %quarter = arith.ceildivui %columns, %c4 : index
    %from = arith.muli %rank, %quarter : index
    %beyond = arith.addi %from, %quarter : index
    %to = arith.minui %beyond, %columns : index
    %first = arith.addi %from, %thread : index

    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %arrived[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %arrived[], 16 : !barrier
    }
    carousel.cluster.arrive

    // The sum of the quarter, while the peers come to the cluster's barrier.
    %mine = scf.for %j = %first to %to step %c128 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%row, %j] : !matrix
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    %of_warp = gpu.subgroup_reduce add %mine : (f32) -> f32
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %leads_warp = arith.cmpi eq, %lane, %c0 : index
    scf.if %leads_warp {
      memref.store %of_warp, %of_warps[%warp] : !sums
    }
    gpu.barrier
    carousel.cluster.wait

    %sends = arith.cmpi ult, %thread, %c4 : index
    scf.if %sends {
      %parts = vector.load %of_warps[%c0] {alignment = 16 : i64} : !sums, vector<4xf32>
      %sum = vector.reduction <add>, %parts : vector<4xf32> into f32
      %peer = arith.index_cast %thread : index to i32
      %peer_inbox = carousel.cluster.map_shared %inbox, %peer : !sums to !peer_sums
      %peer_arrived = carousel.cluster.map_shared %arrived, %peer : !barrier to !peer_barrier
      carousel.st_async %sum to %peer_inbox[%rank] signals %peer_arrived[]
          : f32, !peer_sums, !peer_barrier
    }
    carousel.mbarrier.wait %arrived[] parity %false scope(cluster) : !barrier
    %sums = vector.load %inbox[%c0] {alignment = 16 : i64} : !sums, vector<4xf32>
    %total = vector.reduction <add>, %sums : vector<4xf32> into f32
    scf.for %j = %first to %to step %c128 {
      %v = memref.load %x[%row, %j] : !matrix
      %w = arith.divf %v, %total : f32
      memref.store %w, %y[%row, %j] : !matrix
    }
    gpu.return
  }
}

// From left to right, which is not the kernel's order: the bits are the same where the sums are
// exact, as those of integers below 2^24 are.
func.func @reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                     %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %w = arith.divf %v, %sum : f32
      memref.store %w, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
