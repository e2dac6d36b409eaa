// Visibility: global memory, across CTAs; an acquire is of the generic proxy.
// Wrong: no fence between it and the load that reads what the other CTA wrote.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect z=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect z=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect-finding missing-proxy-fence --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!turns = memref<1xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %y[%c0] : !vector, !row
      carousel.grid.serial_release %turns[%c0], %one : !turns
    } else {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.grid.serial_wait %turns[%c0], %one : !turns
      carousel.fence.proxy async_global
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %y[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !barrier) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %false = arith.constant false
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %y[%c0] : !vector, !row
      carousel.grid.serial_release %turns[%c0], %one : !turns
    } else {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.grid.serial_wait %turns[%c0], %one : !turns
      carousel.mbarrier.arrive_expect_tx %full[], 64 : !barrier
      carousel.bulk.load %y[%c0] to %tile[%c0], 64 signals %full[] : !vector, !tile, !barrier
      carousel.mbarrier.wait %full[] parity %false : !barrier
      %v = vector.load %tile[%c0] : !tile, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }
}
