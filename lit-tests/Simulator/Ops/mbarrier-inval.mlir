// mbarrier.inval: the memory may hold another barrier, which starts in its own phase 0 with its own
// count; other slots live on.
// RUN: carousel-sim %s --kernel @k --arg y=empty:4 --reference @expected --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<2x!carousel.mbarrier, #ws>
!y = memref<4xi32, #gl>

gpu.module @m {
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.mbarrier.init %bar[%c1], 1 : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    carousel.mbarrier.inval %bar[%c0] : !bar
    carousel.mbarrier.init %bar[%c0], 2 : !bar

    // Neither its phase nor its count are the first one's.
    %begun = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %half = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    carousel.mbarrier.arrive %bar[%c0] : !bar
    %done = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 : !bar
    carousel.mbarrier.arrive %bar[%c1] : !bar
    %other = carousel.mbarrier.test_wait %bar[%c1] parity %phase0 : !bar

    %begun_i32 = arith.extui %begun : i1 to i32
    %half_i32 = arith.extui %half : i1 to i32
    %done_i32 = arith.extui %done : i1 to i32
    %other_i32 = arith.extui %other : i1 to i32
    memref.store %begun_i32, %y[%c0] : !y
    memref.store %half_i32, %y[%c1] : !y
    memref.store %done_i32, %y[%c2] : !y
    memref.store %other_i32, %y[%c3] : !y
    gpu.return
  }
}

func.func @expected(%y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 0, 1, 1]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}
