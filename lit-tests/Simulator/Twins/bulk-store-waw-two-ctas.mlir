// Happens-before 5; waw: two CTAs write one part of global memory.
// Wrong: the second CTA's part begins where the first one's does.
// RUN: carousel-sim %s --kernel @right --arg x=iota:2x16 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:2x16 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:2x16 --arg y=empty:32 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!matrix = memref<2x16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %c16 : index
    %v = vector.load %x[%block, %c0] : !matrix, !row
    vector.store %v, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%i], 64 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @wrong(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %c0 : index
    %v = vector.load %x[%block, %c0] : !matrix, !row
    vector.store %v, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%i], 64 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
