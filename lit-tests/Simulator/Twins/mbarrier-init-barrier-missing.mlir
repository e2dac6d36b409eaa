// Visibility: mbarrier.init, use by another thread; a barrier of the CTA follows the init.
// Wrong: the other thread arrives without it.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding init-not-visible --allow-finding use-before-init --allow-finding deadlock --within 20

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
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    carousel.mbarrier.arrive %full[] : !barrier
    scf.if %is_first {
      carousel.mbarrier.wait %full[] parity %false : !barrier
      memref.store %zero, %y[%c0] : !vector
    }
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
      carousel.mbarrier.init %full[], 2 : !barrier
      carousel.fence.mbarrier_init
    }
    carousel.mbarrier.arrive %full[] : !barrier
    scf.if %is_first {
      carousel.mbarrier.wait %full[] parity %false : !barrier
      memref.store %zero, %y[%c0] : !vector
    }
    gpu.return
  }
}
