// barrier.sync: the CTA's named barriers, for all threads or for some; by a literal or a value; also
// from threads of a warp that don't come together.
// RUN: carousel-sim %s --kernel @all --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @groups --arg y=empty:128 --expect y=iota:128 --schedules 8
// RUN: carousel-sim %s --kernel @unaligned --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!y = memref<64xi32, #gl>
!tile = memref<64xi32, #ws>
!y128 = memref<128xi32, #gl>
!tile128 = memref<128xi32, #ws>

gpu.module @m {
  gpu.func @all(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    memref.store %v, %tile[%t] : !tile
    carousel.barrier.sync 0
    %j = arith.xori %t, %c32 : index
    %w = memref.load %tile[%j] : !tile
    carousel.barrier.sync 15
    memref.store %w, %tile[%t] : !tile
    carousel.barrier.sync 0
    %u = memref.load %tile[%j] : !tile
    memref.store %u, %y[%t] : !y
    gpu.return
  }

  // Threads 0 to 63 exchange by barrier 1, threads 64 to 127 by barrier 2,
  // twice: each has its own value again.
  gpu.func @groups(%y: !y128 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile128) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %group = arith.divui %t, %c64 : index
    %after = arith.addi %group, %c1 : index
    %id = arith.index_cast %after : index to i32
    %j = arith.xori %t, %c32 : index
    %v = arith.index_cast %t : index to i32
    %end = scf.for %i = %c0 to %c64 step %c32 iter_args(%mine = %v) -> (i32) {
      memref.store %mine, %tile[%t] : !tile128
      carousel.barrier.sync %id threads(64)
      %theirs = memref.load %tile[%j] : !tile128
      carousel.barrier.sync %id threads(64)
      scf.yield %theirs : i32
    }
    memref.store %end, %y[%t] : !y128
    gpu.return
  }

  // Even and odd threads come by two ways.
  gpu.func @unaligned(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %odd = arith.index_cast %t : index to i1
    memref.store %v, %tile[%t] : !tile
    scf.if %odd {
      carousel.barrier.sync 3 threads(64) unaligned
    } else {
      carousel.barrier.sync 3 threads(64) unaligned
    }
    %j = arith.xori %t, %c1 : index
    %w = memref.load %tile[%j] : !tile
    memref.store %w, %y[%j] : !y
    gpu.return
  }
}
