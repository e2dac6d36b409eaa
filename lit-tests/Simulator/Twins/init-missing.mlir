// mbarriers; a barrier is initialised before it is used.
// Wrong: the init is that of the other slot.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding use-before-init --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!barriers = memref<2x!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[%c0], 1 : !barriers
    carousel.mbarrier.arrive %full[%c0] : !barriers
    carousel.mbarrier.wait %full[%c0] parity %false : !barriers
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    carousel.mbarrier.init %full[%c1], 1 : !barriers
    carousel.mbarrier.arrive %full[%c0] : !barriers
    carousel.mbarrier.wait %full[%c0] parity %false : !barriers
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }
}
