// mbarrier.init: phase 0 completes after as many arrivals as the init said, a literal or a value.
// RUN: carousel-sim %s --kernel @count --arg y=empty:5 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @visible --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<2x!carousel.mbarrier, #ws>
!y = memref<5xi32, #gl>
!tile = memref<64xi32, #ws>

gpu.module @m {
  // y = is phase 0 complete after 1, 2, 3 arrivals of 3; after 1, 2 of 2.
  gpu.func @count(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %two = arith.constant 2 : i32
    %phase0 = arith.constant false
    carousel.mbarrier.init %bar[%c0], 3 : !bar
    carousel.mbarrier.init %bar[%c1], %two : !bar
    scf.for %i = %c0 to %c5 step %c1 {
      %slot = arith.divui %i, %c3 : index
      carousel.mbarrier.arrive %bar[%slot] : !bar
      %done = carousel.mbarrier.test_wait %bar[%slot] parity %phase0 : !bar
      %bit = arith.extui %done : i1 to i32
      memref.store %bit, %y[%i] : !y
    }
    gpu.return
  }

  // One thread initialises, all see it after a CTA barrier: y = iota through shared memory.
  gpu.func @visible(%y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 64 : !bar
    }
    gpu.barrier
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    carousel.mbarrier.arrive %bar[%c0] : !bar
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %j = arith.subi %c63, %t : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : memref<64xi32, #gl>
    gpu.return
  }
}

func.func @expected(%y: memref<5xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 0, 1, 0, 1]> : vector<5xi32>
  vector.store %v, %y[%c0] : memref<5xi32>, vector<5xi32>
  return
}
