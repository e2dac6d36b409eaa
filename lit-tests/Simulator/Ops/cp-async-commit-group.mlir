// cp_async.commit_group: a thread's copies since its last commit are one group; groups of nothing
// are complete; each thread has its own.
// RUN: carousel-sim %s --kernel @k --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<64xf32, #gl>
!tile = memref<64xf32, #ws>

gpu.module @m {
  // Each thread copies two words in one group, or, if odd, in two; an empty group is the newest.
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %u = arith.addi %t, %c32 : index
    %odd = arith.index_cast %t : index to i1
    carousel.cp_async.copy ca %x[%t] to %tile[%t], 4 : !x, !tile
    scf.if %odd {
      carousel.cp_async.commit_group
    }
    carousel.cp_async.copy ca %x[%u] to %tile[%u], 4 : !x, !tile
    carousel.cp_async.commit_group
    carousel.cp_async.commit_group
    carousel.cp_async.wait_group 1
    // What others copied, they have waited for.
    gpu.barrier
    %i = arith.subi %c31, %t : index
    %j = arith.addi %i, %c32 : index
    %v = memref.load %tile[%i] : !tile
    %w = memref.load %tile[%j] : !tile
    memref.store %v, %y[%i] : !x
    memref.store %w, %y[%j] : !x
    gpu.return
  }
}
