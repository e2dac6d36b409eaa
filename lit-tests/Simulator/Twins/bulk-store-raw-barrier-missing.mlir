// Happens-before 5; raw: what a group wait has observed is ordered for that thread only.
// Wrong: no barrier hands it to the thread that reads.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --expect z=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --expect z=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --expect-finding engine-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_second = arith.cmpi ne, %thread, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
      carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.barrier
    scf.if %is_second {
      %v = vector.load %y[%c0] : !vector, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_second = arith.cmpi ne, %thread, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
      carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    scf.if %is_second {
      %v = vector.load %y[%c0] : !vector, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }
}
