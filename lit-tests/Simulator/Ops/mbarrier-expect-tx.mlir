// mbarrier.expect_tx: a phase completes when arrivals and transaction bytes are both down to zero;
// the barrier may be a peer's.
// RUN: carousel-sim %s --kernel @local --arg y=empty:4 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @remote --arg y=empty:2 --reference @expected_remote --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>

gpu.module @m {
  // 16 and 32 bytes are expected: y = done after the arrival, after 16, 32 and 48 bytes.
  gpu.func @local(%y: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %bytes = arith.constant 32 : i32
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.mbarrier.expect_tx %bar[%c0], 16 : !bar
    carousel.mbarrier.expect_tx %bar[%c0], %bytes scope(cluster) : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    scf.for %i = %c0 to %c4 step %c1 {
      %later = arith.cmpi ne, %i, %c0 : index
      scf.if %later {
        carousel.mbarrier.complete_tx %bar[%c0], 16 : !bar
      }
      %done = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
      %bit = arith.extui %done : i1 to i32
      memref.store %bit, %y[%i] : memref<4xi32, #gl>
    }
    gpu.return
  }

  // CTA 1 has CTA 0's barrier expect 16 bytes before CTA 0 arrives: y = done after the arrival,
  // and after the bytes.
  gpu.func @remote(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %is_zero = arith.cmpi eq, %rank, %zero : i32
    scf.if %is_zero {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %is_zero {
    } else {
      %peer = carousel.cluster.map_shared %bar, %zero : !bar to !peer_bar
      carousel.mbarrier.expect_tx %peer[%c0], 16 scope(cluster) : !peer_bar
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %is_zero {
      carousel.mbarrier.arrive %bar[%c0] : !bar
      %early = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
      carousel.mbarrier.complete_tx %bar[%c0], 16 : !bar
      %done = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
      %early_i32 = arith.extui %early : i1 to i32
      %done_i32 = arith.extui %done : i1 to i32
      memref.store %early_i32, %y[%c0] : memref<2xi32, #gl>
      memref.store %done_i32, %y[%c1] : memref<2xi32, #gl>
    }
    gpu.return
  }
}

func.func @expected(%y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 0, 0, 1]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}

func.func @expected_remote(%y: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1]> : vector<2xi32>
  vector.store %v, %y[%c0] : memref<2xi32>, vector<2xi32>
  return
}
