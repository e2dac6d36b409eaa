// mbarriers; deadlock: a phase completes with its last arrival.
// Wrong: the init counts one arrival more than come.
// RUN: carousel-sim %s --kernel @right --arg y=empty:2 --expect y=zeros:2 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:2 --expect y=zeros:2 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:2 --expect-finding deadlock --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<2xi32, #gl>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 3 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }
}
