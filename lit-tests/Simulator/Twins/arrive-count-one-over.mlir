// mbarriers; raw: a phase waits for the arrivals that the init counts.
// Wrong: it counts one of two, so that each thread ends a phase.
// RUN: carousel-sim %s --kernel @right --arg x=iota:2 --arg y=empty:2 --expect y=iota:2 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:2 --arg y=empty:2 --expect y=iota:2 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:2 --arg y=empty:2 --expect-finding data-race --allow-finding unwritten-read --allow-finding deadlock --allow-finding missed-phase --within 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<2xi32, #gl>
!word = memref<2xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !word, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %other = arith.subi %c1, %thread : index
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !word
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %w = memref.load %tile[%other] : !word
    memref.store %w, %y[%other] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !word, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %other = arith.subi %c1, %thread : index
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !word
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    %w = memref.load %tile[%other] : !word
    memref.store %w, %y[%other] : !vector
    gpu.return
  }
}
