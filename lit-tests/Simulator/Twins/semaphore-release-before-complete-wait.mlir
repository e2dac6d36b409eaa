// Happens-before 7 and 5; a release says that the writes before it have landed.
// Wrong: the wait before it is for the reads of the bulk store only.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect z=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect z=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect-finding release-in-flight --allow-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!turns = memref<1xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
      carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
      carousel.grid.serial_release %turns[%c0], %one : !turns
    } else {
      carousel.grid.serial_wait %turns[%c0], %one : !turns
      %v = vector.load %y[%c0] : !vector, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
      carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
      carousel.grid.serial_release %turns[%c0], %one : !turns
    } else {
      carousel.grid.serial_wait %turns[%c0], %one : !turns
      %v = vector.load %y[%c0] : !vector, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }
}
