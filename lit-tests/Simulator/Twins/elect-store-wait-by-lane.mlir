// Choice of threads, and start of CTAs; war: the leader waits for the groups that it committed.
// Wrong: lane 0 does, which need not be the leader.
// RUN: carousel-sim %s --kernel @right --arg y=empty:256 --expect y=iota:256 --schedules 30
// RUN: carousel-sim %s --kernel @right --arg y=empty:256 --expect y=iota:256 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:256 --expect-finding engine-race --expect-finding foreign-group-wait --seed 3 --schedules 1

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<256xi32, #gl>
!tiles = memref<2x64xi32, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tiles {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %is_lane_0 = arith.cmpi eq, %lane, %c0 : index
    %is_leader = carousel.elect
    %begin = arith.subi %thread, %lane : index
    scf.for %i = %c0 to %c4 step %c1 {
      %slot = arith.remui %i, %c2 : index
      %of_row = arith.muli %i, %c64 : index
      scf.if %is_leader {
        carousel.bulk.wait_group read 1
      }
      carousel.barrier.warp
      %at = arith.addi %of_row, %thread : index
      %v = arith.index_cast %at : index to i32
      memref.store %v, %tile[%slot, %thread] : !tiles
      carousel.fence.proxy async_shared_cta
      carousel.barrier.warp
      scf.if %is_leader {
        %to = arith.addi %of_row, %begin : index
        carousel.bulk.store %tile[%slot, %begin] to %y[%to], 128 : !tiles, !vector
        carousel.bulk.commit_group
      }
    }
    scf.if %is_leader {
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tiles {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %is_lane_0 = arith.cmpi eq, %lane, %c0 : index
    %is_leader = carousel.elect
    %begin = arith.subi %thread, %lane : index
    scf.for %i = %c0 to %c4 step %c1 {
      %slot = arith.remui %i, %c2 : index
      %of_row = arith.muli %i, %c64 : index
      scf.if %is_lane_0 {
        carousel.bulk.wait_group read 1
      }
      carousel.barrier.warp
      %at = arith.addi %of_row, %thread : index
      %v = arith.index_cast %at : index to i32
      memref.store %v, %tile[%slot, %thread] : !tiles
      carousel.fence.proxy async_shared_cta
      carousel.barrier.warp
      scf.if %is_leader {
        %to = arith.addi %of_row, %begin : index
        carousel.bulk.store %tile[%slot, %begin] to %y[%to], 128 : !tiles, !vector
        carousel.bulk.commit_group
      }
    }
    scf.if %is_leader {
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }
}
