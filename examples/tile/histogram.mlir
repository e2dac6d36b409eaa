// Four results for each value of the low byte of x's elements, at the tile phase: the number of
// these elements, their minimum and maximum, and the bits that any of them has. Each of `split`
// CTAs gathers the results for its part of x in shared memory, by atomic operations. Then the CTAs
// take turns to reduce them into global memory. The order doesn't matter for integers. The first
// turn does: it stores its part, so that the results need no initialisation.
//
//   carousel-sim histogram.mlir --kernel @histogram --reference @histogram_reference \
//     --arg x=random:9001 --arg counts=empty:256 --arg least=empty:256 --arg greatest=empty:256 \
//     --arg bits=empty:256 --arg split=3

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!values = memref<?xi32, #gl>
!tile = memref<4096xi32, #ws>
!bins = memref<256xi32, #ws>

gpu.module @histograms {
  gpu.func @histogram(
      %x: !values {carousel.argument = #carousel.argument<"x", in>},
      %counts: !values {carousel.argument = #carousel.argument<"counts", out>},
      %least: !values {carousel.argument = #carousel.argument<"least", out>},
      %greatest: !values {carousel.argument = #carousel.argument<"greatest", out>},
      %bits: !values {carousel.argument = #carousel.argument<"bits", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: !values {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[1]>},
      %tickets: !values {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(5)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %low_byte = arith.constant 255 : i32
    %smallest = arith.constant -2147483648 : i32
    %largest = arith.constant 2147483647 : i32
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !values
    %turn = carousel.grid.ticket %tickets[%c0] of %split : !values

    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %counted = memref.alloc() {alignment = 128 : i64} : !bins
    %low = memref.alloc() {alignment = 128 : i64} : !bins
    %high = memref.alloc() {alignment = 128 : i64} : !bins
    %any = memref.alloc() {alignment = 128 : i64} : !bins
    memref.store %none, %counted[%thread] : !bins
    memref.store %largest, %low[%thread] : !bins
    memref.store %smallest, %high[%thread] : !bins
    memref.store %none, %any[%thread] : !bins
    gpu.barrier

    %first_element = arith.muli %turn, %c4096 : index
    %step = arith.muli %split, %c4096 : index
    scf.for %i = %first_element to %n step %step {
      carousel.load %x[%i] to %xs : !values, !tile
      scf.for %j = %thread to %c4096 step %c256 {
        %place = arith.addi %i, %j : index
        %exists = arith.cmpi ult, %place, %n : index
        scf.if %exists {
          %v = memref.load %xs[%j] : !tile
          %byte = arith.andi %v, %low_byte : i32
          %bin = arith.index_cast %byte : i32 to index
          %0 = memref.atomic_rmw addi %one, %counted[%bin] : (i32, !bins) -> i32
          %1 = memref.atomic_rmw mins %v, %low[%bin] : (i32, !bins) -> i32
          %2 = memref.atomic_rmw maxs %v, %high[%bin] : (i32, !bins) -> i32
          %3 = memref.atomic_rmw ori %v, %any[%bin] : (i32, !bins) -> i32
        }
      }
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}

    carousel.serialize %semaphores[%c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %counted into %counts[%c0] reduce<add s32> first(%first)
          : !bins, !values
      carousel.accumulate %low into %least[%c0] reduce<min s32> first(%first) : !bins, !values
      carousel.accumulate %high into %greatest[%c0] reduce<max s32> first(%first) : !bins, !values
      carousel.accumulate %any into %bits[%c0] reduce<or b32> first(%first) : !bins, !values
    } : !values
    gpu.return
  }
}

func.func @histogram_reference(
    %x: memref<?xi32>, %counts: memref<?xi32>, %least: memref<?xi32>, %greatest: memref<?xi32>,
    %bits: memref<?xi32>, %split: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %low_byte = arith.constant 255 : i32
  %smallest = arith.constant -2147483648 : i32
  %largest = arith.constant 2147483647 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  scf.for %bin = %c0 to %c256 step %c1 {
    memref.store %none, %counts[%bin] : memref<?xi32>
    memref.store %largest, %least[%bin] : memref<?xi32>
    memref.store %smallest, %greatest[%bin] : memref<?xi32>
    memref.store %none, %bits[%bin] : memref<?xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi32>
    %byte = arith.andi %v, %low_byte : i32
    %bin = arith.index_cast %byte : i32 to index
    %count = memref.load %counts[%bin] : memref<?xi32>
    %counted = arith.addi %count, %one : i32
    memref.store %counted, %counts[%bin] : memref<?xi32>
    %low = memref.load %least[%bin] : memref<?xi32>
    %lower = arith.minsi %low, %v : i32
    memref.store %lower, %least[%bin] : memref<?xi32>
    %high = memref.load %greatest[%bin] : memref<?xi32>
    %higher = arith.maxsi %high, %v : i32
    memref.store %higher, %greatest[%bin] : memref<?xi32>
    %some = memref.load %bits[%bin] : memref<?xi32>
    %all = arith.ori %some, %v : i32
    memref.store %all, %bits[%bin] : memref<?xi32>
  }
  return
}
