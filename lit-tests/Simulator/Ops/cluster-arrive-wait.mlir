// cluster.arrive, cluster.wait: all threads of the cluster have arrived, with what they wrote before;
// a relaxed arrive only counts; `unaligned` where a warp's threads come by several ways.
// RUN: carousel-sim %s --kernel @release --arg y=empty:128 --expect y=iota:128 --schedules 8
// RUN: carousel-sim %s --kernel @unaligned --arg y=empty:128 --expect y=iota:128 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!tile = memref<64xi32, #ws>
!peer = memref<64xi32, #cluster>
!y = memref<128xi32, #gl>

gpu.module @m {
  // Each thread of 2 x 64 writes its number to the other CTA once that one runs, and reads what it
  // was sent itself.
  gpu.func @release(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64], cluster = [2]>} {
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    carousel.cluster.arrive semantics(relaxed)
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer = carousel.cluster.map_shared %tile, %other : !tile to !peer
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c64 : index
    %i = arith.addi %before, %t : index
    %v = arith.index_cast %i : index to i32
    carousel.cluster.wait
    memref.store %v, %peer[%t] : !peer
    carousel.cluster.arrive
    // Other work may be done here.
    %j = arith.subi %c63, %t : index
    carousel.cluster.wait
    %w = memref.load %tile[%j] : !tile
    %to = arith.index_cast %w : i32 to index
    memref.store %w, %y[%to] : !y
    gpu.return
  }

  // Each reads the other CTA's memory.
  gpu.func @unaligned(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64], cluster = [2]>} {
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer = carousel.cluster.map_shared %tile, %other : !tile to !peer
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c64 : index
    %i = arith.addi %before, %t : index
    %v = arith.index_cast %i : index to i32
    %odd = arith.index_cast %t : index to i1
    memref.store %v, %tile[%t] : !tile
    scf.if %odd {
      carousel.cluster.arrive unaligned
      carousel.cluster.wait unaligned
    } else {
      carousel.cluster.arrive unaligned
      carousel.cluster.wait unaligned
    }
    %j = arith.subi %c63, %t : index
    %w = memref.load %peer[%j] : !peer
    %to = arith.index_cast %w : i32 to index
    memref.store %w, %y[%to] : !y
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
