// fence.proxy: what threads wrote is what an engine reads, in the space that the fence names.
// RUN: carousel-sim %s --kernel @shared --arg y=zeros:128 --expect y=iota:128 --schedules 8
// RUN: carousel-sim %s --kernel @global --arg x=empty:64 --arg y=empty:64 --expect y=iota:64 --schedules 8
// RUN: carousel-sim %s --kernel @cluster --arg y=zeros:8 --expect y=iota:8 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!tile = memref<64xf32, #ws>
!x = memref<64xf32, #gl>

gpu.module @m {
  // All threads write and fence, one stores: once with the fence of shared memory, once with that of
  // all spaces, after one of virtual aliases.
  gpu.func @shared(%y: memref<128xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %t_i32 = arith.index_cast %t : index to i32
    %v = arith.sitofp %t_i32 : i32 to f32
    memref.store %v, %tile[%t] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %first {
      carousel.bulk.store %tile[%c0] to %y[%c0], 256 : !tile, memref<128xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    gpu.barrier
    %more = arith.constant 64.0 : f32
    %w = arith.addf %v, %more : f32
    memref.store %w, %tile[%t] : !tile
    carousel.fence.proxy alias
    carousel.fence.proxy async
    gpu.barrier
    scf.if %first {
      carousel.bulk.store %tile[%c0] to %y[%c64], 256 : !tile, memref<128xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }

  // Threads write x, one loads it in bulk.
  gpu.func @global(%x: !x {carousel.argument = #carousel.argument<"x", out>},
                   %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %phase0 = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %t_i32 = arith.index_cast %t : index to i32
    %v = arith.sitofp %t_i32 : i32 to f32
    memref.store %v, %x[%t] : !x
    carousel.fence.proxy async_global
    gpu.barrier
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 256 : !bar
      carousel.bulk.load %x[%c0] to %tile[%c0], 256 signals %bar[%c0] : !x, !tile, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %w = memref.load %tile[%t] : !tile
    memref.store %w, %y[%t] : !x
    gpu.return
  }

  // Each thread writes to the other CTA's tile, which that one stores.
  gpu.func @cluster(%y: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%tile: memref<4xf32, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [4], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer = carousel.cluster.map_shared %tile, %other
        : memref<4xf32, #ws> to memref<4xf32, #cluster>
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %o = arith.index_cast %other : i32 to index
    %before = arith.muli %o, %c4 : index
    %i = arith.addi %before, %t : index
    %i_i32 = arith.index_cast %i : index to i32
    %v = arith.sitofp %i_i32 : i32 to f32
    memref.store %v, %peer[%t] : memref<4xf32, #cluster>
    carousel.fence.proxy async_shared_cluster
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %first {
      %r = arith.index_cast %rank : i32 to index
      %to = arith.muli %r, %c4 : index
      carousel.bulk.store %tile[%c0] to %y[%to], 16 : memref<4xf32, #ws>, memref<8xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }
}
