// grid.launch_dependents, grid.dependency_wait: in a grid that depends on none and has no dependents,
// neither waits for anything; else the wait is for the end of the launch before.
// RUN: carousel-sim %s --kernel @k --arg x=iota:128 --arg y=empty:128 --expect y=iota:128 --schedules 8
// RUN: carousel-sim %s --kernel @k --then @l --dependent --arg x=iota:128 --arg y=empty:128 --arg z=empty:128 --expect z=iota:128 --policy all --schedules 8
// RUN: carousel-sim %s --kernel @k --then @l --arg x=iota:128 --arg y=empty:128 --arg z=empty:128 --expect z=iota:128 --policy all --schedules 8
// A launch that doesn't depend needs no wait, nor does a third of the second's.
// RUN: carousel-sim %s --kernel @k --then @no_wait --then @k --arg x=iota:128 --arg y=empty:128 --arg z=empty:128 --expect z=iota:128 --policy all --schedules 8
// RUN: not carousel-sim %s --kernel @k --then @no_wait --dependent --arg x=iota:128 --arg y=empty:128 --arg z=empty:128 \
// RUN:   | FileCheck %s --check-prefix=RACE
// RACE: finding: [data-race]
// RACE-NEXT: by: CTA {{[0-3]}} of @{{k|no_wait}}, thread
// RACE-NEXT: other: CTA {{[0-3]}} of @{{k|no_wait}}, thread
// RUN: not carousel-sim %s --kernel @k --then @stuck --then @no_wait --arg x=iota:128 --arg y=empty:128 --arg z=empty:128 \
// RUN:   --arg turn=zeros:1 --dependent --allow-finding data-race --seed 1 | FileCheck %s --check-prefix=STUCK
// STUCK: [deadlock]
// STUCK: note: CTA 0 of @stuck, warp 0 (thread 0) waits at

#gl = #gpu.address_space<global>
!x = memref<128xi32, #gl>

gpu.module @m {
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c32 : index
    %i = arith.addi %before, %t : index
    carousel.grid.dependency_wait
    %v = memref.load %x[%i] : !x
    carousel.grid.launch_dependents
    memref.store %v, %y[%i] : !x
    gpu.return
  }

  gpu.func @l(%y: !x {carousel.argument = #carousel.argument<"y", in>},
              %z: !x {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c64 : index
    %i = arith.addi %before, %t : index
    carousel.grid.dependency_wait
    %v = memref.load %y[%i] : !x
    memref.store %v, %z[%i] : !x
    gpu.return
  }

  gpu.func @no_wait(%y: !x {carousel.argument = #carousel.argument<"y", in>},
                    %z: !x {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : !x
    memref.store %v, %z[%t] : !x
    gpu.return
  }

  // Waits for a turn that nobody gives.
  gpu.func @stuck(%turn: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"turn">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    carousel.grid.serial_wait %turn[%c0], %one : memref<1xi32, #gl>
    gpu.return
  }
}
