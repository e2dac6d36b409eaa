// Visibility: generic write, async read; a fence is for the writes before it.
// Wrong: the write follows.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=empty:16 --expect-finding missing-proxy-fence --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : !vector, !row
    vector.store %v, %tile[%c0] : !tile, !row
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : !vector, !row
    carousel.fence.proxy async_shared_cta
    vector.store %v, %tile[%c0] : !tile, !row
    carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
