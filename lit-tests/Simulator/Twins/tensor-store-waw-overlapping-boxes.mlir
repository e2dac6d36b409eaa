// Engine operations; waw: two CTAs store boxes of one tensor.
// Wrong: the second box begins in the first.
// RUN: carousel-sim %s --kernel @right --arg x=iota:8x4 --arg y=empty:8x4 --expect y=iota:8x4 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:8x4 --arg y=empty:8x4 --expect y=iota:8x4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:8x4 --arg y=empty:8x4 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xs32>
!grid = memref<8x4xi32, #gl>
!row = vector<4x4xi32>
!box = memref<4x4xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 1>})
      workgroup(%tile: !box {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %rows = arith.constant 4 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %rows : index
    %row = arith.index_cast %i : index to i32
    %v = vector.load %x[%i, %c0] : !grid, !row
    vector.store %v, %tile[%c0, %c0] : !box, !row
    carousel.fence.proxy async_shared_cta
    carousel.tensor.store %tile[%c0, %c0] to %map[%row, %zero] : !box, !map
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @wrong(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 1>})
      workgroup(%tile: !box {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %rows = arith.constant 3 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %rows : index
    %row = arith.index_cast %i : index to i32
    %v = vector.load %x[%i, %c0] : !grid, !row
    vector.store %v, %tile[%c0, %c0] : !box, !row
    carousel.fence.proxy async_shared_cta
    carousel.tensor.store %tile[%c0, %c0] to %map[%row, %zero] : !box, !map
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
