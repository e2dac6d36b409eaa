// mbarriers; deadlock: a loop around try_wait ends when the phase completes.
// Wrong: the thread itself would arrive after the loop.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --step-limit 2000 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --step-limit 2000 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --step-limit 2000 --expect-finding deadlock --schedules 100

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
    %true = arith.constant true
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    carousel.mbarrier.arrive %full[] : !barrier
    scf.while : () -> () {
      %done = carousel.mbarrier.try_wait %full[] parity %false : !barrier
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    %false = arith.constant false
    carousel.mbarrier.init %full[], 1 : !barrier
    scf.while : () -> () {
      %done = carousel.mbarrier.try_wait %full[] parity %false : !barrier
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    carousel.mbarrier.arrive %full[] : !barrier
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }
}
