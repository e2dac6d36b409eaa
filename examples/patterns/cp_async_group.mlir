// cp.async with group waits, the pipeline of Ampere. For each tile, each thread copies 16 bytes
// from global to shared memory without going through registers, and commits its copies of the tile
// as a group. A thread waits for all of its groups except the newest, so two tiles are in flight
// while one is used. A group is visible only to the thread that committed it; reading other
// threads' copies requires a barrier after the wait. That barrier also means that all threads have
// read the slot of the previous iteration, which is filled next. A group is committed in each
// iteration, even if nothing is left to copy, so that the count of groups stays right. The last two
// groups are empty, and no thread waits for them.
//
//   carousel-sim cp_async_group.mlir --kernel @reverse --reference @reference \
//     --arg x=iota:9216 --arg y=like:x --multiprocessors 1 --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_80 cp_async_group.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!slots = memref<3x1024xf32, #ws>

gpu.module @patterns {
  gpu.func @reverse(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%slots: !slots {llvm.align = 16 : i64}) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "reverse", guards = [
          capability(80), equal(extent(0, 0), extent(1, 0)),
          divisible(extent(0, 0), 1024), aligned(0, 16), aligned(1, 16)]>,
        carousel.launch = #carousel.launch<
          grid = [min(floordiv(extent(0, 0), 1024), sms * 2)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %stages = arith.constant 3 : index
    %c1020 = arith.constant 1020 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %j = arith.muli %thread, %c4 : index
    %mirror = arith.subi %c1020, %j : index

    // The CTA takes tiles block, block + blocks, ...: `count` of them.
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.divui %n, %c1024 : index
    %rest = arith.subi %tiles, %block : index
    %count = arith.ceildivui %rest, %blocks : index

    // Two tiles before the first turn.
    scf.for %k = %c0 to %c2 step %c1 {
      %some = arith.cmpi ult, %k, %count : index
      scf.if %some {
        %k_blocks = arith.muli %k, %blocks : index
        %tile = arith.addi %block, %k_blocks : index
        %i = arith.muli %tile, %c1024 : index
        %from = arith.addi %i, %j : index
        carousel.cp_async.copy cg %x[%from] to %slots[%k, %j], 16 : !vector, !slots
      }
      carousel.cp_async.commit_group
    }
    scf.for %k = %c0 to %count step %c1 {
      carousel.cp_async.wait_group 1
      gpu.barrier
      %slot = arith.remui %k, %stages : index
      %v = vector.load %slots[%slot, %mirror] {alignment = 16 : i64} : !slots, vector<4xf32>
      %r = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
      %k_blocks = arith.muli %k, %blocks : index
      %tile = arith.addi %block, %k_blocks : index
      %i = arith.muli %tile, %c1024 : index
      %to = arith.addi %i, %j : index
      vector.store %r, %y[%to] {alignment = 16 : i64} : !vector, vector<4xf32>

      %ahead = arith.addi %k, %c2 : index
      %some = arith.cmpi ult, %ahead, %count : index
      scf.if %some {
        %ahead_slot = arith.remui %ahead, %stages : index
        %ahead_blocks = arith.muli %ahead, %blocks : index
        %ahead_tile = arith.addi %block, %ahead_blocks : index
        %ahead_i = arith.muli %ahead_tile, %c1024 : index
        %from = arith.addi %ahead_i, %j : index
        carousel.cp_async.copy cg %x[%from] to %slots[%ahead_slot, %j], 16 : !vector, !slots
      }
      carousel.cp_async.commit_group
    }
    gpu.return
  }
}

func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1023 = arith.constant 1023 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    // Within a tile of 1024, 1023 - j is j with all of its bits flipped.
    %j = arith.xori %i, %c1023 : index
    %v = memref.load %x[%j] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}
