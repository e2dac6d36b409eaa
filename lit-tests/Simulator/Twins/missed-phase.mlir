// mbarriers; a waiter stays within one phase of the barrier.
// Wrong: the producer doesn't wait for the consumer, which finds a later phase of the same parity.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding missed-phase --allow-finding deadlock --within 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier, %empty: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %produces = arith.cmpi eq, %thread, %c0 : index
    scf.if %produces {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.mbarrier.init %empty[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %parity = arith.index_cast %k : index to i1
      scf.if %produces {
        carousel.mbarrier.arrive %full[] : !barrier
        carousel.mbarrier.wait %empty[] parity %parity : !barrier
      } else {
        carousel.mbarrier.wait %full[] parity %parity : !barrier
        carousel.mbarrier.arrive %empty[] : !barrier
        memref.store %zero, %y[%c0] : !vector
      }
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%full: !barrier, %empty: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %produces = arith.cmpi eq, %thread, %c0 : index
    scf.if %produces {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.mbarrier.init %empty[], 1 : !barrier
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %parity = arith.index_cast %k : index to i1
      scf.if %produces {
        carousel.mbarrier.arrive %full[] : !barrier
      } else {
        carousel.mbarrier.wait %full[] parity %parity : !barrier
        carousel.mbarrier.arrive %empty[] : !barrier
        memref.store %zero, %y[%c0] : !vector
      }
    }
    gpu.return
  }
}
