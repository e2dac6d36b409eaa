// Engine operations; a bulk store writes within its destination.
// Wrong: it begins one row too far.
// RUN: carousel-sim %s --kernel @right --arg x=zeros:16 --arg y=zeros:2x16 --expect y=zeros:2x16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=zeros:16 --arg y=zeros:2x16 --expect y=zeros:2x16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=zeros:16 --arg y=zeros:2x16 --expect-finding out-of-bounds --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!matrix = memref<2x16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y">})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %threads = gpu.block_dim x
    %row = arith.addi %threads, %c0 : index
    %v = vector.load %x[%c0] : !vector, !row
    vector.store %v, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%row, %c0], 64 : !tile, !matrix
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y">})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %threads = gpu.block_dim x
    %row = arith.addi %threads, %c1 : index
    %v = vector.load %x[%c0] : !vector, !row
    vector.store %v, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%row, %c0], 64 : !tile, !matrix
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
