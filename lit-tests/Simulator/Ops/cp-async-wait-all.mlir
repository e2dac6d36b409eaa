// cp_async.wait_all: every copy of this thread has landed, committed or not.
// RUN: carousel-sim %s --kernel @k --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<64xf32, #gl>
!tile = memref<64xf32, #ws>

gpu.module @m {
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %u = arith.addi %t, %c32 : index
    carousel.cp_async.copy ca %x[%t] to %tile[%t], 4 : !x, !tile
    carousel.cp_async.commit_group
    carousel.cp_async.copy ca %x[%u] to %tile[%u], 4 : !x, !tile
    carousel.cp_async.wait_all
    %v = memref.load %tile[%t] : !tile
    %w = memref.load %tile[%u] : !tile
    memref.store %v, %y[%t] : !x
    memref.store %w, %y[%u] : !x
    gpu.return
  }
}
