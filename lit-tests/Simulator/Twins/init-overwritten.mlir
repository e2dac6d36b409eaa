// mbarriers; the memory of a live barrier is the barrier's.
// Wrong: a thread writes data over it.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding use-before-init --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!word = memref<2xi64, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!bytes = memref<16xi8, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bytes: !bytes {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %data = arith.constant 0 : i64
    %false = arith.constant false
    %full = memref.view %bytes[%c0][] : !bytes to !barrier
    %words = memref.view %bytes[%c0][] : !bytes to !word
    carousel.mbarrier.init %full[], 1 : !barrier
    memref.store %data, %words[%c1] : !word
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bytes: !bytes {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %data = arith.constant 0 : i64
    %false = arith.constant false
    %full = memref.view %bytes[%c0][] : !bytes to !barrier
    %words = memref.view %bytes[%c0][] : !bytes to !word
    carousel.mbarrier.init %full[], 1 : !barrier
    memref.store %data, %words[%c0] : !word
    carousel.mbarrier.arrive %full[] : !barrier
    carousel.mbarrier.wait %full[] parity %false : !barrier
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }
}
