// tensor.load: boxes of rank 1 to 5 in memref order, with zeros beyond the tensor on every side that
// count as bytes; element strides; multicast; into a peer.
// RUN: carousel-sim %s --kernel @rank1 --arg x=iota:20 --arg y=empty:16 --reference @expected1 --schedules 8
// RUN: carousel-sim %s --kernel @rank2 --arg x=iota:6x8 --arg y=empty:4x8 --reference @expected2 --schedules 8
// RUN: carousel-sim %s --kernel @rank5 --arg x=iota:2x3x2x2x8 --arg y=empty:32 --reference @expected5 --schedules 8
// RUN: carousel-sim %s --kernel @strides --arg x=iota:6x16 --arg y=empty:16 --reference @expected_strides --schedules 8
// RUN: carousel-sim %s --kernel @multicast --arg x=iota:4x4 --arg y=empty:3x4 --reference @expected_multicast --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg x=iota:4x4 --arg y=empty:4 --reference @expected_remote --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!map1 = !carousel.tensor_map<8xf32>
!map2 = !carousel.tensor_map<4x8xf32>
!map5 = !carousel.tensor_map<1x2x2x2x4xf32>
!every = !carousel.tensor_map<3x8xf32, strides = [2, 1]>
!row = !carousel.tensor_map<1x4xf32>
!y2 = memref<4x8xf32, #gl>
!m4 = memref<4x4xf32, #gl>
!t4 = memref<4xf32, #ws>
!peer_t4 = memref<4xf32, #cluster>

gpu.module @m {
  // x[-4 .. 3] and x[16 .. 23] of 20.
  gpu.func @rank1(%x: memref<20xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<16xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map1 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: memref<2x32xf32, #ws> {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %before = arith.constant -4 : i32
    %end = arith.constant 16 : i32
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 64 : !bar
      carousel.tensor.load %map[%before] to %tile[%c0, %c0] signals %bar[%c0]
          : !map1, memref<2x32xf32, #ws>, !bar
      carousel.tensor.load %map[%end] to %tile[%c1, %c0] signals %bar[%c0]
          : !map1, memref<2x32xf32, #ws>, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %r = arith.divui %t, %c8 : index
    %c = arith.remui %t, %c8 : index
    %v = memref.load %tile[%r, %c] : memref<2x32xf32, #ws>
    memref.store %v, %y[%t] : memref<16xf32, #gl>
    gpu.return
  }

  // Rows -1 .. 2, columns 4 .. 11 of 6 x 8.
  gpu.func @rank2(%x: memref<6x8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: !y2 {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map2 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: memref<4x8xf32, #ws> {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 4]>} {
    %c0 = arith.constant 0 : index
    %row = arith.constant -1 : i32
    %column = arith.constant 4 : i32
    %phase0 = arith.constant false
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %both = arith.addi %tx, %ty : index
    %first = arith.cmpi eq, %both, %c0 : index
    scf.if %first {
      %policy = carousel.cache_policy.fractional evict_first
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 128 : !bar
      carousel.tensor.load %map[%row, %column] mode(tile) to %tile[%c0, %c0] signals %bar[%c0]
          cache %policy : !map2, memref<4x8xf32, #ws>, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = memref.load %tile[%ty, %tx] : memref<4x8xf32, #ws>
    memref.store %v, %y[%ty, %tx] : !y2
    gpu.return
  }

  // The box 1x2x2x2x4 at [1, 2, 0, 1, 4]: what is beyond the second and the fourth dimension is zero.
  gpu.func @rank5(%x: memref<2x3x2x2x8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<32xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map5 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: memref<32xf32, #ws> {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i4 = arith.constant 4 : i32
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 128 : !bar
      carousel.tensor.load %map[%i1, %i2, %i0, %i1, %i4] to %tile[%c0] signals %bar[%c0]
          : !map5, memref<32xf32, #ws>, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = memref.load %tile[%t] : memref<32xf32, #ws>
    memref.store %v, %y[%t] : memref<32xf32, #gl>
    gpu.return
  }

  // Every second of 3 rows from [1, 4] on: two rows of 8.
  gpu.func @strides(%x: memref<6x16xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<16xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                    %map: !every {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: memref<16xf32, #ws> {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 1 : i32
    %column = arith.constant 4 : i32
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 64 : !bar
      carousel.tensor.load %map[%row, %column] to %tile[%c0] signals %bar[%c0]
          : !every, memref<16xf32, #ws>, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = memref.load %tile[%t] : memref<16xf32, #ws>
    memref.store %v, %y[%t] : memref<16xf32, #gl>
    gpu.return
  }

  // Each CTA of 3 loads one row: CTA 1 row 1 for itself and for CTA 2, CTA 0 row 0.
  gpu.func @multicast(%x: !m4 {carousel.argument = #carousel.argument<"x", in>},
                      %y: memref<3x4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                      %map: !row {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !t4 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [1], cluster = [3]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %one_i16 = arith.constant 1 : i16
    %six_i16 = arith.constant 6 : i16
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.mbarrier.arrive_expect_tx %bar[%c0], 16 : !bar
    carousel.cluster.arrive
    carousel.cluster.wait
    %issues = arith.cmpi ult, %rank, %two : i32
    scf.if %issues {
      %is_zero = arith.cmpi eq, %rank, %zero : i32
      %mask = arith.select %is_zero, %one_i16, %six_i16 : i16
      carousel.tensor.load %map[%rank, %zero] to %tile[%c0] signals %bar[%c0] multicast %mask
          : !row, !t4, !bar
    }
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = vector.load %tile[%c0] : !t4, vector<4xf32>
    %r = arith.index_cast %rank : i32 to index
    vector.store %v, %y[%r, %c0] : memref<3x4xf32, #gl>, vector<4xf32>
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  // CTA 0 loads row 3 into CTA 1's tile.
  gpu.func @remote(%x: !m4 {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                   %map: !row {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !t4 {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %issues = arith.cmpi eq, %rank, %zero : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %issues {
      %peer_tile = carousel.cluster.map_shared %tile, %one : !t4 to !peer_t4
      %peer_bar = carousel.cluster.map_shared %bar, %one : !bar to !peer_bar
      carousel.tensor.load %map[%three, %zero] to %peer_tile[%c0] signals %peer_bar[%c0]
          : !row, !peer_t4, !peer_bar
    } else {
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 16 : !bar
      carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
      %v = vector.load %tile[%c0] : !t4, vector<4xf32>
      vector.store %v, %y[%c0] : memref<4xf32, #gl>, vector<4xf32>
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected1(%x: memref<20xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0,
                             16.0, 17.0, 18.0, 19.0, 0.0, 0.0, 0.0, 0.0]> : vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

func.func @expected2(%x: memref<6x8xf32>, %y: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %v = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                             4.0, 5.0, 6.0, 7.0, 0.0, 0.0, 0.0, 0.0,
                             12.0, 13.0, 14.0, 15.0, 0.0, 0.0, 0.0, 0.0,
                             20.0, 21.0, 22.0, 23.0, 0.0, 0.0, 0.0, 0.0]> : vector<32xf32>
  vector.store %v, %flat[%c0] : memref<32xf32>, vector<32xf32>
  return
}

func.func @expected5(%x: memref<2x3x2x2x8xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[172.0, 173.0, 174.0, 175.0, 0.0, 0.0, 0.0, 0.0,
                             188.0, 189.0, 190.0, 191.0, 0.0, 0.0, 0.0, 0.0,
                             0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                             0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : vector<32xf32>
  vector.store %v, %y[%c0] : memref<32xf32>, vector<32xf32>
  return
}

func.func @expected_strides(%x: memref<6x16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0,
                             52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0]> : vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

func.func @expected_multicast(%x: memref<4x4xf32>, %y: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<3x4xf32> into memref<12xf32>
  %v = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0,
                             4.0, 5.0, 6.0, 7.0]> : vector<12xf32>
  vector.store %v, %flat[%c0] : memref<12xf32>, vector<12xf32>
  return
}

func.func @expected_remote(%x: memref<4x4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[12.0, 13.0, 14.0, 15.0]> : vector<4xf32>
  vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>
  return
}
