// Happens-before 3; raw: an arrive releases its thread's writes to threads that acquire the phase.
// Wrong: the arrive is relaxed.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.mbarrier.arrive %full[] : !barrier
    } else {
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.mbarrier.arrive %full[] semantics(relaxed) : !barrier
    } else {
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %y[%c0] : !vector, !row
    }
    gpu.return
  }
}
