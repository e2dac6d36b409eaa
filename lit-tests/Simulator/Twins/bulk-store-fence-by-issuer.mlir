// Visibility: generic write, async read; a choice: with --strict only the writer's fence counts.
// Wrong: the thread that issues the store fences after the barrier. Accepted without --strict.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --strict --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --strict --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --strict --expect-finding missing-proxy-fence --schedules 100
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %is_first {
      carousel.bulk.store %tile[%c0] to %y[%c0], 128 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %v = memref.load %x[%thread] : !vector
    memref.store %v, %tile[%thread] : !tile
    gpu.barrier
    carousel.fence.proxy async_shared_cta
    scf.if %is_first {
      carousel.bulk.store %tile[%c0] to %y[%c0], 128 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }
}
