// Loops that make the first fills of their rings: for 0 to 9 iterations, entered again and again, with variables of all kinds.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s --chip sm_90a --pipeline='builtin.module(carousel-lower{chip=CHIP prefer-engine=bulk prologue-fold-threshold=0})'
// RUN: %{lowered} -- --kernel @again --policy all --arg x=iota:1 --arg y=like:x --expect y=iota:1
// RUN: %{lowered} -- --kernel @again --policy all --arg x=iota:128 --arg y=like:x --expect y=iota:128
// RUN: %{lowered} -- --kernel @again --policy all --arg x=iota:130 --arg y=like:x --expect y=iota:130
// RUN: %{lowered} -- --kernel @again --policy all --arg x=iota:384 --arg y=like:x --expect y=iota:384
// RUN: %{lowered} -- --kernel @again --policy all --arg x=iota:513 --arg y=like:x --expect y=iota:513
// RUN: %{lowered} -- --kernel @again --policy all --arg x=iota:1100 --arg y=like:x --expect y=iota:1100
// RUN: %{lowered} -- --kernel @unsigned --policy all --arg x=iota:1 --arg y=like:x --expect y=iota:1
// RUN: %{lowered} -- --kernel @unsigned --policy all --arg x=iota:300 --arg y=like:x --expect y=iota:300
// RUN: %{lowered} -- --kernel @unsigned --policy all --arg x=iota:1100 --arg y=like:x --expect y=iota:1100
// RUN: %{lowered} -- --kernel @at_the_end --policy all --arg x=iota:1100 --arg y=like:x --expect y=iota:1100
// RUN: carousel-opt %s --carousel-lower='chip=sm_90a prefer-engine=bulk prologue-fold-threshold=0' --remarks-filter=carousel-lower-rings -o /dev/null 2>&1 | FileCheck %s
// CHECK-DAG: Function=again_tma {{.*}}2 prologues folded
// CHECK-DAG: Function=unsigned_tma {{.*}}1 prologues folded
// CHECK-DAG: Function=at_the_end_tma {{.*}}1 prologues folded

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>

gpu.module @kernels {
  // Three times the same: x and x again, each by a ring of its own, and their mean, in loops over 0 to 9 tiles.
  gpu.func @again(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %half = arith.constant 0.5 : f32
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !vector
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    scf.for %r = %c0 to %c3 step %c1 {
      // None in the first round.
      %end = arith.muli %n, %r : index
      %least = arith.minsi %end, %n : index
      scf.for %i = %c0 to %least step %c128 {
        carousel.load %x[%i] to %a : !vector, !tile
        carousel.load %x[%i] to %b : !vector, !tile
        %v = memref.load %a[%thread] : !tile
        %w = memref.load %b[%thread] : !tile
        %sum = arith.addf %v, %w : f32
        %mean = arith.mulf %sum, %half : f32
        memref.store %mean, %out[%thread] : !tile
        carousel.store %out to %y[%i] : !tile, !vector
      } {carousel.pipeline = #carousel.pipeline<stages = [4, 2]>}
    }
    gpu.return
  }

  // Unsigned, of 32 bits, changed in place.
  gpu.func @unsigned(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %first = arith.constant 0 : i32
    %step = arith.constant 128 : i32
    %n = memref.dim %x, %c0 : !vector
    %end = arith.index_cast %n : index to i32
    %t = memref.alloc() : !tile
    scf.for unsigned %i = %first to %end step %step : i32 {
      %o = arith.index_castui %i : i32 to index
      carousel.load %x[%o] to %t : !vector, !tile
      carousel.store %t to %y[%o] : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    gpu.return
  }

  // Up to the last multiple of 128 that there is: sums that leave the type aren't looked at.
  gpu.func @at_the_end(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %most = arith.constant 9223372036854775680 : index
    %n = memref.dim %x, %c0 : !vector
    %up = arith.addi %n, %c127 : index
    %tiles = arith.divui %up, %c128 : index
    %span = arith.muli %tiles, %c128 : index
    %first = arith.subi %most, %span : index
    %t = memref.alloc() : !tile
    scf.for %i = %first to %most step %c128 {
      %o = arith.subi %i, %first : index
      carousel.load %x[%o] to %t : !vector, !tile
      carousel.store %t to %y[%o] : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 3>}
    gpu.return
  }
}
