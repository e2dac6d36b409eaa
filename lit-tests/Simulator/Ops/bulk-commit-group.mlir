// bulk.commit_group: what the thread issued since its last commit is one group; groups of nothing
// are complete; each thread has its own.
// RUN: carousel-sim %s --kernel @k --arg y=zeros:16 --expect y=iota:16 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<16xf32, #ws>
!y = memref<16xf32, #gl>

gpu.module @m {
  // Threads 0 and 1 each store 32 bytes, in a group of two stores, between empty groups.
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %t_i32 = arith.index_cast %t : index to i32
    %v = arith.sitofp %t_i32 : i32 to f32
    memref.store %v, %tile[%t] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    %issues = arith.cmpi ult, %t, %c2 : index
    scf.if %issues {
      %i = arith.muli %t, %c8 : index
      %j = arith.addi %i, %c4 : index
      carousel.bulk.store %tile[%i] to %y[%i], 16 : !tile, !y
      carousel.bulk.store %tile[%j] to %y[%j], 16 : !tile, !y
    }
    carousel.bulk.commit_group
    carousel.bulk.commit_group
    // The empty group is the newest: to wait for all but it is to wait for the stores.
    carousel.bulk.wait_group complete 1
    gpu.return
  }
}
