// Engine operations; a bulk store reads what was written.
// Wrong: the thread writes half of the tile.
// RUN: carousel-sim %s --kernel @right --arg y=empty:16 --expect y=zeros:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:16 --expect y=zeros:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:16 --expect-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!tile = memref<16xi32, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v = arith.constant dense<0> : vector<8xi32>
    vector.store %v, %tile[%c0] : !tile, vector<8xi32>
    vector.store %v, %tile[%c8] : !tile, vector<8xi32>
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v = arith.constant dense<0> : vector<8xi32>
    vector.store %v, %tile[%c0] : !tile, vector<8xi32>
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
