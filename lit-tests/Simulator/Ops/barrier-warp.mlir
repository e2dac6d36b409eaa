// barrier.warp: orders the memory accesses of a warp's threads, or of those that a mask names.
// RUN: carousel-sim %s --kernel @all --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @masked --arg y=empty:32 --expect y=iota:32 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<64xi32, #ws>

gpu.module @m {
  // Neighbours exchange.
  gpu.func @all(%y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    carousel.barrier.warp
    %j = arith.xori %t, %c1 : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : memref<64xi32, #gl>
    gpu.return
  }

  // The halves of a warp synchronise apart from each other, the upper one twice.
  gpu.func @masked(%y: memref<32xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %lower = arith.constant 0x0000ffff : i32
    %upper = arith.constant 0xffff0000 : i32
    %t = gpu.thread_id x
    %j = arith.xori %t, %c1 : index
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    %low = arith.cmpi ult, %t, %c16 : index
    scf.if %low {
      carousel.barrier.warp mask %lower
      %w = memref.load %tile[%j] : !tile
      memref.store %w, %y[%j] : memref<32xi32, #gl>
    } else {
      carousel.barrier.warp mask %upper
      %w = memref.load %tile[%j] : !tile
      carousel.barrier.warp mask %upper
      memref.store %w, %y[%j] : memref<32xi32, #gl>
    }
    gpu.return
  }
}
