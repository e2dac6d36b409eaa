// bulk.load: `size` bytes from any element to any element, a literal or a value; with a cache
// policy; to several CTAs; to a peer.
// RUN: carousel-sim %s --kernel @load --arg x=iota:64 --arg y=empty:16 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @multicast --arg x=iota:8 --arg y=empty:24 --reference @expected_multicast --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg x=iota:8 --arg y=empty:8 --expect y=iota:8 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!tile = memref<4x8xf32, #ws>
!small = memref<8xf32, #ws>

gpu.module @m {
  // Row 1 = x[12..15] and x[40..43], row 2 = x[0..7]; y = both rows.
  gpu.func @load(%x: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<16xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c40 = arith.constant 40 : index
    %size = arith.constant 32 : i32
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %policy = carousel.cache_policy.fractional evict_first
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 64 : !bar
      carousel.bulk.load %x[%c12] to %tile[%c1, %c0], 16 signals %bar[%c0]
          : memref<64xf32, #gl>, !tile, !bar
      carousel.bulk.load %x[%c40] to %tile[%c1, %c4], 16 signals %bar[%c0] cache %policy
          : memref<64xf32, #gl>, !tile, !bar
      carousel.bulk.load %x[%c0] to %tile[%c2, %c0], %size signals %bar[%c0]
          : memref<64xf32, #gl>, !tile, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %row = arith.divui %t, %c8 : index
    %r = arith.addi %row, %c1 : index
    %c = arith.remui %t, %c8 : index
    %v = memref.load %tile[%r, %c] : !tile
    memref.store %v, %y[%t] : memref<16xf32, #gl>
    gpu.return
  }

  // CTA 1 loads x for CTAs 0 and 2 of three; each of the two has its own barrier signalled.
  gpu.func @multicast(%x: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                      %y: memref<24xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !small {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [1], cluster = [3]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant 1 : i32
    %mask = arith.constant 5 : i16
    %phase0 = arith.constant false
    %own = arith.constant 100.0 : f32
    %rank = carousel.cluster.rank
    %issues = arith.cmpi eq, %rank, %one : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %issues {
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %own, %tile[%i] : !small
      }
      carousel.bulk.load %x[%c0] to %tile[%c0], 32 signals %bar[%c0] multicast %mask
          : memref<8xf32, #gl>, !small, !bar
    } else {
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 32 : !bar
      carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    }
    %r = arith.index_cast %rank : i32 to index
    %before = arith.muli %r, %c8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %v = memref.load %tile[%i] : !small
      %j = arith.addi %before, %i : index
      memref.store %v, %y[%j] : memref<24xf32, #gl>
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  // CTA 0 loads into CTA 1's tile and signals CTA 1's barrier.
  gpu.func @remote(%x: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !small {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %issues = arith.cmpi eq, %rank, %zero : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %issues {
      %peer_tile = carousel.cluster.map_shared %tile, %one : !small to memref<8xf32, #cluster>
      %peer_bar = carousel.cluster.map_shared %bar, %one : !bar to !peer_bar
      carousel.bulk.load %x[%c0] to %peer_tile[%c0], 32 signals %peer_bar[%c0]
          : memref<8xf32, #gl>, memref<8xf32, #cluster>, !peer_bar
    } else {
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 32 : !bar
      carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
      scf.for %i = %c0 to %c8 step %c1 {
        %v = memref.load %tile[%i] : !small
        memref.store %v, %y[%i] : memref<8xf32, #gl>
      }
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected(%x: memref<64xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[12.0, 13.0, 14.0, 15.0, 40.0, 41.0, 42.0, 43.0,
                             0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

func.func @expected_multicast(%x: memref<8xf32>, %y: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0,
                             100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0,
                             0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : vector<24xf32>
  vector.store %v, %y[%c0] : memref<24xf32>, vector<24xf32>
  return
}
