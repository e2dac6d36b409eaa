// mbarrier.pending_count: the arrivals that were pending just before a no_complete arrive.
// RUN: carousel-sim %s --kernel @k --arg y=empty:4 --reference @expected --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<1x!carousel.mbarrier, #ws>
!y = memref<4xi32, #gl>

gpu.module @m {
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %even = arith.constant false
    carousel.mbarrier.init %bar[%c0], 9 : !bar
    %s0 = carousel.mbarrier.arrive %bar[%c0], 2 no_complete : !bar -> !carousel.mbarrier_state
    %s1 = carousel.mbarrier.arrive_drop %bar[%c0], 3 no_complete
        : !bar -> !carousel.mbarrier_state
    %s2 = carousel.mbarrier.arrive %bar[%c0], 1 no_complete : !bar -> !carousel.mbarrier_state
    // The last 3 of 9; phase 1 has three fewer.
    carousel.mbarrier.arrive %bar[%c0], 3 : !bar
    carousel.mbarrier.wait %bar[%c0] parity %even : !bar
    %s3 = carousel.mbarrier.arrive %bar[%c0], 1 no_complete : !bar -> !carousel.mbarrier_state
    %n0 = carousel.mbarrier.pending_count %s0
    %n1 = carousel.mbarrier.pending_count %s1
    %n2 = carousel.mbarrier.pending_count %s2
    %n3 = carousel.mbarrier.pending_count %s3
    memref.store %n0, %y[%c0] : !y
    memref.store %n1, %y[%c1] : !y
    memref.store %n2, %y[%c2] : !y
    memref.store %n3, %y[%c3] : !y
    gpu.return
  }
}

func.func @expected(%y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[9, 7, 4, 6]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}
