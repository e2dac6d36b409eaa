// Happens-before 4, Decided by the text of the ISA; war: the issuer's arrive orders its earlier reads.
// Wrong: another thread arrives; the completion of the load tells of the load's own accesses.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=zeros:32  --schedules 30
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=zeros:32  --policy all --schedules 2
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=zeros:32 --expect-finding data-race --schedules 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>
!cell = memref<1xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">})
      workgroup(%cell: !cell, %tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %seven = arith.constant 7 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi eq, %thread, %c32 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      memref.store %seven, %cell[%c0] : !cell
    }
    gpu.barrier
    %arrives = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.expect_tx %full[], 128 : !barrier
    }
    gpu.barrier
    scf.if %is_first {
      %v = memref.load %cell[%c0] : !cell
      memref.store %v, %y[%c0] : !vector
      carousel.bulk.load %x[%c0] to %tile[%c0], 128 signals %full[] : !vector, !tile, !barrier
    }
    scf.if %arrives {
      carousel.mbarrier.arrive %full[] : !barrier
    }
    scf.if %is_other {
      carousel.mbarrier.wait %full[] parity %false : !barrier
      memref.store %seven, %cell[%c0] : !cell
    }
    scf.if %is_first {
      carousel.mbarrier.wait %full[] parity %false : !barrier
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">})
      workgroup(%cell: !cell, %tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %seven = arith.constant 7 : i32
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi eq, %thread, %c32 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      memref.store %seven, %cell[%c0] : !cell
    }
    gpu.barrier
    %arrives = arith.cmpi eq, %thread, %c32 : index
    scf.if %is_first {
      carousel.mbarrier.expect_tx %full[], 128 : !barrier
    }
    gpu.barrier
    scf.if %is_first {
      %v = memref.load %cell[%c0] : !cell
      memref.store %v, %y[%c0] : !vector
      carousel.bulk.load %x[%c0] to %tile[%c0], 128 signals %full[] : !vector, !tile, !barrier
    }
    scf.if %arrives {
      carousel.mbarrier.arrive %full[] : !barrier
    }
    scf.if %is_other {
      carousel.mbarrier.wait %full[] parity %false : !barrier
      memref.store %seven, %cell[%c0] : !cell
    }
    scf.if %is_first {
      carousel.mbarrier.wait %full[] parity %false : !barrier
    }
    gpu.return
  }
}
