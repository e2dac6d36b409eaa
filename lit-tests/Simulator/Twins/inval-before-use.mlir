// mbarriers; an inval ends the life of a barrier.
// Wrong: the thread arrives after it.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding use-after-inval --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.inval %full[] : !barrier
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.mbarrier.inval %full[] : !barrier
    carousel.mbarrier.arrive %full[] : !barrier
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }
}
