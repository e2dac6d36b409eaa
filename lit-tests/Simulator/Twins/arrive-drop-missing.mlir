// mbarriers; deadlock: a thread that leaves drops its arrivals of later phases.
// Wrong: it arrives as if it stayed.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding deadlock --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %true = arith.constant true
    %thread = gpu.thread_id x
    %stays = arith.cmpi eq, %thread, %c0 : index
    scf.if %stays {
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.if %stays {
      carousel.mbarrier.arrive %full[] : !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      carousel.mbarrier.arrive %full[] : !barrier
      carousel.mbarrier.wait %full[] parity %true : !barrier
      memref.store %zero, %y[%c0] : !vector
    } else {
      carousel.mbarrier.arrive_drop %full[] : !barrier
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %true = arith.constant true
    %thread = gpu.thread_id x
    %stays = arith.cmpi eq, %thread, %c0 : index
    scf.if %stays {
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.if %stays {
      carousel.mbarrier.arrive %full[] : !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      carousel.mbarrier.arrive %full[] : !barrier
      carousel.mbarrier.wait %full[] parity %true : !barrier
      memref.store %zero, %y[%c0] : !vector
    } else {
      carousel.mbarrier.arrive %full[] : !barrier
    }
    gpu.return
  }
}
