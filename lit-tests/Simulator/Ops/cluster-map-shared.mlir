// cluster.map_shared, cluster.rank_of: the same buffer in any CTA of the cluster, one's own too, for
// loads, stores and atomics.
// RUN: carousel-sim %s --kernel @k --arg y=empty:16 --arg sum=empty:1 --arg of=empty:16 --reference @expected --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!slots = memref<4xi32, #ws>
!peer = memref<4xi32, #cluster>
!y = memref<16xi32, #gl>

gpu.module @m {
  // Each of 4 CTAs writes rank + 10 to slot `rank` of every CTA, and adds rank + 1 to CTA 0's sum;
  // y[rank, i] = what CTA i wrote here. of[rank, i] = the rank of CTA i's buffer.
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>},
              %total: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"sum", out>},
              %of: !y {carousel.argument = #carousel.argument<"of", out>})
      workgroup(%slots: !slots, %sum: memref<1xi32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [1], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    memref.store %zero, %sum[%c0] : memref<1xi32, #ws>
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %r = arith.index_cast %rank : i32 to index
    %before = arith.muli %r, %c4 : index
    %v = arith.addi %rank, %ten : i32
    scf.for %i = %c0 to %c4 step %c1 {
      %to = arith.index_cast %i : index to i32
      %peer = carousel.cluster.map_shared %slots, %to : !slots to !peer
      memref.store %v, %peer[%r] : !peer
      %found = carousel.cluster.rank_of %peer : !peer
      %j = arith.addi %before, %i : index
      memref.store %found, %of[%j] : !y
    }
    %peer_sum = carousel.cluster.map_shared %sum, %zero
        : memref<1xi32, #ws> to memref<1xi32, #cluster>
    %more = arith.addi %rank, %one : i32
    %old = memref.atomic_rmw addi %more, %peer_sum[%c0] : (i32, memref<1xi32, #cluster>) -> i32
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.for %i = %c0 to %c4 step %c1 {
      %w = memref.load %slots[%i] : !slots
      %j = arith.addi %before, %i : index
      memref.store %w, %y[%j] : !y
    }
    %own = carousel.cluster.rank_of %sum : memref<1xi32, #ws>
    %is_zero = arith.cmpi eq, %own, %zero : i32
    scf.if %is_zero {
      %s = memref.load %sum[%c0] : memref<1xi32, #ws>
      memref.store %s, %total[%c0] : memref<1xi32, #gl>
    }
    gpu.return
  }
}

func.func @expected(%y: memref<16xi32>, %total: memref<1xi32>, %of: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %ten = arith.constant 10 : i32
  %v = arith.constant dense<[10, 11, 12, 13, 10, 11, 12, 13,
                             10, 11, 12, 13, 10, 11, 12, 13]> : vector<16xi32>
  %w = arith.constant dense<[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]> : vector<16xi32>
  vector.store %v, %y[%c0] : memref<16xi32>, vector<16xi32>
  memref.store %ten, %total[%c0] : memref<1xi32>
  vector.store %w, %of[%c0] : memref<16xi32>, vector<16xi32>
  return
}
