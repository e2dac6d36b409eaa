// bulk.reduce_cluster: reduces this CTA's bytes into a peer's shared memory, whose barrier says so;
// several CTAs may reduce into one place.
// RUN: carousel-sim %s --kernel @k --arg y=empty:12 --reference @expected --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!sums = memref<12xi32, #ws>
!peer_sums = memref<12xi32, #cluster>
!out = memref<4xi32, #ws>
!y = memref<12xi32, #gl>

gpu.module @m {
  // Each CTA of 4 has [rank, 1, -rank, 8 >> rank]: CTA 0 gets the sums, the maxima (signed) and the
  // bits, in 3 x 16 bytes of each.
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %sums: !sums {llvm.align = 16 : i64},
                %out: !out {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [1], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %eight = arith.constant 8 : i32
    %size = arith.constant 16 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %is_zero = arith.cmpi eq, %rank, %zero : i32
    %minus = arith.subi %zero, %rank : i32
    %bit = arith.shrui %eight, %rank : i32
    memref.store %rank, %out[%c0] : !out
    memref.store %one, %out[%c1] : !out
    memref.store %minus, %out[%c2] : !out
    memref.store %bit, %out[%c3] : !out
    scf.if %is_zero {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 192 : !bar
      %before = arith.constant dense<[0, 0, 0, 0, -2, -2, -2, -2, 1, 1, 1, 1]> : vector<12xi32>
      vector.store %before, %sums[%c0] : !sums, vector<12xi32>
    }
    carousel.fence.proxy async
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer = carousel.cluster.map_shared %sums, %zero : !sums to !peer_sums
    %peer_bar = carousel.cluster.map_shared %bar, %zero : !bar to !peer_bar
    carousel.bulk.reduce_cluster add u32 %out[%c0] to %peer[%c0], 16 signals %peer_bar[%c0]
        : !out, !peer_sums, !peer_bar
    carousel.bulk.reduce_cluster max s32 %out[%c0] to %peer[%c4], 16 signals %peer_bar[%c0]
        : !out, !peer_sums, !peer_bar
    carousel.bulk.reduce_cluster or b32 %out[%c0] to %peer[%c8], %size signals %peer_bar[%c0]
        : !out, !peer_sums, !peer_bar
    scf.if %is_zero {
      carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
      %v = vector.load %sums[%c0] : !sums, vector<12xi32>
      vector.store %v, %y[%c0] : !y, vector<12xi32>
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected(%y: memref<12xi32>) {
  %c0 = arith.constant 0 : index
  // Ranks 0 to 3: 6, 4, -6, 15; 3, 1, 0, 8; -1, -2 and -3 have all bits but those of 0, 1 and 2.
  %v = arith.constant dense<[6, 4, -6, 15, 3, 1, 0, 8, 3, 1, -1, 15]> : vector<12xi32>
  vector.store %v, %y[%c0] : memref<12xi32>, vector<12xi32>
  return
}
