// mbarrier.test_wait: about the current phase or the one before it, by parity or by state; doesn't
// block; acquires when true.
// RUN: carousel-sim %s --kernel @phases --arg y=empty:8 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @acquire --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @relaxed --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<1x!carousel.mbarrier, #ws>
!tile = memref<64xi32, #ws>
!y = memref<8xi32, #gl>
!y64 = memref<64xi32, #gl>

gpu.module @m {
  // y = the answers for parities 0 and 1, after 0, 1, 2 and 3 phases. Parity 1 of a fresh barrier
  // is the phase before the first: complete.
  gpu.func @phases(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %even = arith.constant false
    %odd = arith.constant true
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    scf.for %i = %c0 to %c8 step %c2 {
      %d0 = carousel.mbarrier.test_wait %bar[%c0] parity %even : !bar
      %d1 = carousel.mbarrier.test_wait %bar[%c0] parity %odd : !bar
      %b0 = arith.extui %d0 : i1 to i32
      %b1 = arith.extui %d1 : i1 to i32
      %j = arith.addi %i, %c1 : index
      memref.store %b0, %y[%i] : !y
      memref.store %b1, %y[%j] : !y
      carousel.mbarrier.arrive %bar[%c0] : !bar
    }
    gpu.return
  }

  gpu.func @acquire(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
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
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    %s = carousel.mbarrier.arrive %bar[%c0] : !bar -> !carousel.mbarrier_state
    scf.while : () -> () {
      %done = carousel.mbarrier.test_wait %bar[%c0] state %s scope(cluster) : !bar
      %true = arith.constant true
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
    scf.while : () -> () {
      %done = carousel.mbarrier.test_wait %bar[%c0] parity %phase0 semantics(relaxed) : !bar
      %true = arith.constant true
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    carousel.fence.thread acquire cta
    %j = arith.xori %t, %c32 : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y64
    gpu.return
  }
}

func.func @expected(%y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1, 1, 0, 0, 1, 1, 0]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  return
}
