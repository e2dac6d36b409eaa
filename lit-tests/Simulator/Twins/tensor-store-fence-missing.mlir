// Visibility: generic write, async read; a tensor store reads what a thread wrote.
// Wrong: no fence in between.
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x4 --arg y=empty:4x4 --expect y=iota:4x4 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:4x4 --arg y=empty:4x4 --expect y=iota:4x4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:4x4 --arg y=empty:4x4 --expect-finding missing-proxy-fence --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<4x4xs32>
!grid = memref<4x4xi32, #gl>
!row = vector<4x4xi32>
!box = memref<4x4xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 1>})
      workgroup(%tile: !box {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %v = vector.load %x[%c0, %c0] : !grid, !row
    vector.store %v, %tile[%c0, %c0] : !box, !row
    carousel.fence.proxy async_shared_cta
    carousel.tensor.store %tile[%c0, %c0] to %map[%zero, %zero] : !box, !map
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @wrong(%x: !grid {carousel.argument = #carousel.argument<"x", in>},
                  %y: !grid {carousel.argument = #carousel.argument<"y", out>},
                  %map: !map {carousel.encode = #carousel.encode<argument = 1>})
      workgroup(%tile: !box {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %v = vector.load %x[%c0, %c0] : !grid, !row
    vector.store %v, %tile[%c0, %c0] : !box, !row
    carousel.tensor.store %tile[%c0, %c0] to %map[%zero, %zero] : !box, !map
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
