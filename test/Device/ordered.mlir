// CTAs that take turns in memory which the runtime allocates: OrderedTest.cpp launches it again and again.
//
// The last CTA comes first. Each thread's part of the work is work * 31 + block + thread, and the last turn
// brings it to y. A turn that is as large as `wrong` is waited for at a number that never comes.

#gl = #gpu.address_space<global>

!semaphore = memref<i32, #gl>
!vector = memref<?xi32, #gl>

gpu.module @ordered {
  gpu.func @ordered(
      %y: !vector {carousel.argument = #carousel.argument<"y", inout>},
      %blocks: index {carousel.argument = #carousel.argument<"blocks", in>},
      %wrong: index {carousel.argument = #carousel.argument<"wrong", in>},
      %semaphore: !semaphore {
        carousel.argument = #carousel.argument<"semaphore">,
        carousel.workspace = #carousel.workspace<[]>},
      %work: !vector {
        carousel.argument = #carousel.argument<"work">,
        carousel.workspace = #carousel.workspace<[extent(0, 0)]>}) kernel
      attributes {
        carousel.coresident,
        carousel.launch = #carousel.launch<grid = [scalar(1)], block = [32]>,
        carousel.variant = #carousel.variant<kernel = "ordered", guards = [
          range(extent(0, 0), 32, 32), aligned(4, 256)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1000000 = arith.constant 1000000 : index
    %c7 = arith.constant 7 : i32
    %c31 = arith.constant 31 : i32
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %end = arith.subi %blocks, %c1 : index
    %turn = arith.subi %end, %block : index
    %is_wrong = arith.cmpi uge, %turn, %wrong : index
    %never = arith.addi %turn, %c1000000 : index
    %awaited = arith.select %is_wrong, %never, %turn : index
    %awaited_i32 = arith.index_cast %awaited : index to i32
    %leads = arith.cmpi eq, %thread, %c0 : index
    scf.if %leads {
      carousel.grid.serial_wait %semaphore[], %awaited_i32 : !semaphore
    }
    gpu.barrier

    %is_first = arith.cmpi eq, %turn, %c0 : index
    %is_last = arith.cmpi eq, %turn, %end : index
    %before = memref.load %work[%thread] : !vector
    %old = arith.select %is_first, %zero, %before : i32
    %number = arith.addi %block, %thread : index
    %number_i32 = arith.index_cast %number : index to i32
    %scaled = arith.muli %old, %c31 : i32
    %new = arith.addi %scaled, %number_i32 : i32
    memref.store %new, %work[%thread] : !vector
    scf.if %is_last {
      %v = memref.load %y[%thread] : !vector
      %v7 = arith.muli %v, %c7 : i32
      %sum = arith.addi %v7, %new : i32
      memref.store %sum, %y[%thread] : !vector
    }

    gpu.barrier
    scf.if %leads {
      %next = arith.addi %turn, %c1 : index
      %passed = arith.select %is_last, %c0, %next : index
      %passed_i32 = arith.index_cast %passed : index to i32
      carousel.grid.serial_release %semaphore[], %passed_i32 : !semaphore
    }
    gpu.return
  }
}

// Two launches of four CTAs, from a y of zeros.
func.func @twice(%y: memref<?xi32>, %blocks: index, %wrong: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c7 = arith.constant 7 : i32
  %c31 = arith.constant 31 : i32
  %zero = arith.constant 0 : i32
  scf.for %launch = %c0 to %c2 step %c1 {
    scf.for %thread = %c0 to %c32 step %c1 {
      %work = scf.for %turn = %c0 to %blocks step %c1 iter_args(%old = %zero) -> (i32) {
        %end = arith.subi %blocks, %c1 : index
        %block = arith.subi %end, %turn : index
        %number = arith.addi %block, %thread : index
        %number_i32 = arith.index_cast %number : index to i32
        %scaled = arith.muli %old, %c31 : i32
        %new = arith.addi %scaled, %number_i32 : i32
        scf.yield %new : i32
      }
      %v = memref.load %y[%thread] : memref<?xi32>
      %v7 = arith.muli %v, %c7 : i32
      %sum = arith.addi %v7, %work : i32
      memref.store %sum, %y[%thread] : memref<?xi32>
    }
  }
  return
}
