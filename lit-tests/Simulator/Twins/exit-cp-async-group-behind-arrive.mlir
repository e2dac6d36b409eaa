// Exit: a wait for the mbarrier covers the copies before an arrive, whether or not their group is committed later.
// Wrong: the arrive is before the last of these copies.
// RUN: carousel-sim %s --kernel @right --arg x=iota:8 --arg y=empty:4 --expect y=iota:4 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:8 --arg y=empty:4 --expect-finding in-flight --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<8xi32, #gl>
!result = memref<4xi32, #gl>
!row = vector<4xi32>
!tile = memref<8xi32, #ws>
!bar = memref<1x!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !result {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[%c0], 1 : !bar
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.copy cg %x[%c4] to %tile[%c4], 16 : !vector, !tile
    carousel.cp_async.mbarrier_arrive %full[%c0] noinc : !bar
    carousel.cp_async.commit_group
    carousel.mbarrier.wait %full[%c0] parity %false : !bar
    %v = vector.load %tile[%c0] : !tile, !row
    vector.store %v, %y[%c0] : !result, !row
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !result {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}, %full: !bar) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[%c0], 1 : !bar
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 : !vector, !tile
    carousel.cp_async.mbarrier_arrive %full[%c0] noinc : !bar
    carousel.cp_async.copy cg %x[%c4] to %tile[%c4], 16 : !vector, !tile
    carousel.cp_async.commit_group
    carousel.mbarrier.wait %full[%c0] parity %false : !bar
    %v = vector.load %tile[%c0] : !tile, !row
    vector.store %v, %y[%c0] : !result, !row
    gpu.return
  }
}
