// Visibility: generic write, async read; a cp.async writes through the generic proxy.
// Wrong: no fence between its wait and the bulk store that reads the tile.
// RUN: carousel-sim %s --kernel @right --arg x=iota:4 --arg y=empty:4 --expect y=iota:4 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:4 --arg y=empty:4 --expect y=iota:4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:4 --arg y=empty:4 --expect-finding missing-proxy-fence --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<4xi32, #gl>
!tile = memref<4xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.wait_all
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %y[%c0], 16 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.wait_all
    carousel.bulk.store %tile[%c0] to %y[%c0], 16 : !tile, !vector
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    gpu.return
  }
}
