// mbarrier.wait: blocks until the phase is over, by parity or by state; round after round.
// RUN: carousel-sim %s --kernel @parity --arg x=iota:256 --arg y=empty:256 --expect y=iota:256 --schedules 8
// RUN: carousel-sim %s --kernel @state --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bars = memref<2x!carousel.mbarrier, #ws>
!bar = memref<1x!carousel.mbarrier, #ws>
!tile = memref<64xi32, #ws>
!y = memref<256xi32, #gl>
!y64 = memref<64xi32, #gl>

gpu.module @m {
  // Warp 0 fills a tile that warp 1 empties, 8 times: y = x. Barrier 0 says full, barrier 1 empty.
  gpu.func @parity(%x: !y {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bars, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %true = arith.constant true
    %ns = arith.constant 1000 : i32
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 32 : !bars
      carousel.mbarrier.init %bar[%c1], 32 : !bars
    }
    gpu.barrier
    %lane = arith.remui %t, %c32 : index
    %fills = arith.cmpi ult, %t, %c32 : index
    scf.for %k = %c0 to %c8 step %c1 {
      %full = arith.index_cast %k : index to i1
      %empty = arith.xori %full, %true : i1
      %before = arith.muli %k, %c32 : index
      %i = arith.addi %before, %lane : index
      scf.if %fills {
        carousel.mbarrier.wait %bar[%c1] parity %empty : !bars
        %v = memref.load %x[%i] : !y
        memref.store %v, %tile[%lane] : !tile
        carousel.mbarrier.arrive %bar[%c0] : !bars
      } else {
        carousel.mbarrier.wait %bar[%c0] parity %full suspend %ns scope(cluster) : !bars
        %v = memref.load %tile[%lane] : !tile
        memref.store %v, %y[%i] : !y
        carousel.mbarrier.arrive %bar[%c1] : !bars
      }
    }
    gpu.return
  }

  gpu.func @state(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 64 : !bar
    }
    gpu.barrier
    %j = arith.xori %t, %c32 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    %s0 = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    carousel.mbarrier.wait %bar[%c0] state %s0 : !bar
    %w = memref.load %tile[%j] : !tile
    %s1 = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    carousel.mbarrier.wait %bar[%c0] state %s1 : !bar
    // All have read what is overwritten here.
    memref.store %w, %tile[%t] : !tile
    %s2 = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    carousel.mbarrier.wait %bar[%c0] state %s2 semantics(relaxed) : !bar
    carousel.fence.thread acquire cta
    %u = memref.load %tile[%j] : !tile
    memref.store %u, %y[%t] : !y64
    gpu.return
  }
}
