// mbarrier.try_wait: true only when the phase is over, false perhaps sooner; by parity or by state,
// with a time limit.
// RUN: carousel-sim %s --kernel @incomplete --arg y=empty:2 --expect y=zeros:2 --schedules 8
// RUN: carousel-sim %s --kernel @loop --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @relaxed --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<1x!carousel.mbarrier, #ws>
!tile = memref<64xi32, #ws>
!y64 = memref<64xi32, #gl>

gpu.module @m {
  // A phase that isn't complete: false, after a while.
  gpu.func @incomplete(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %phase0 = arith.constant false
    %ns = arith.constant 100 : i32
    carousel.mbarrier.init %bar[%c0], 2 : !bar
    %s = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    %d0 = carousel.mbarrier.try_wait %bar[%c0] state %s : !bar
    %d1 = carousel.mbarrier.try_wait %bar[%c0] parity %phase0 suspend %ns : !bar
    %b0 = arith.extui %d0 : i1 to i32
    %b1 = arith.extui %d1 : i1 to i32
    memref.store %b0, %y[%c0] : memref<2xi32, #gl>
    memref.store %b1, %y[%c1] : memref<2xi32, #gl>
    gpu.return
  }

  gpu.func @loop(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %true = arith.constant true
    %phase0 = arith.constant false
    %ns = arith.constant 100 : i32
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 64 : !bar
    }
    gpu.barrier
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    carousel.mbarrier.arrive %bar[%c0] : !bar
    scf.while : () -> () {
      %done = carousel.mbarrier.try_wait %bar[%c0] parity %phase0 suspend %ns scope(cluster)
          : !bar
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    %j = arith.xori %t, %c32 : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y64
    gpu.return
  }

  gpu.func @relaxed(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %true = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 64 : !bar
    }
    gpu.barrier
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    %s = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    scf.while : () -> () {
      %done = carousel.mbarrier.try_wait %bar[%c0] state %s semantics(relaxed) : !bar
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    carousel.fence.thread acq_rel cta
    %j = arith.xori %t, %c32 : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y64
    gpu.return
  }
}
