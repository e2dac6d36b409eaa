// Split arrive and wait: a barrier in two halves. A thread that has written its part of the tile
// arrives, which publishes the part, and continues with independent work: here the load of its part
// of the next tile from global memory. Only then does it wait for the other threads, with the state
// that its arrive returned. The tile has two slots. A slot is written again two iterations later,
// and in between each thread has arrived once more, after its reads. One barrier serves all
// iterations, with one phase each.
//
//   carousel-sim split_arrive_wait.mlir --kernel @reverse --reference @reference \
//     --arg x=iota:9216 --arg y=like:x --multiprocessors 1 --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_80 split_arrive_wait.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!slots = memref<2x1024xf32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @patterns {
  gpu.func @reverse(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%slots: !slots {llvm.align = 16 : i64}, %written: !barrier) kernel
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
    %c1020 = arith.constant 1020 : index
    %c1024 = arith.constant 1024 : index
    %nothing = arith.constant dense<0.0> : vector<4xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %j = arith.muli %thread, %c4 : index
    %mirror = arith.subi %c1020, %j : index
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %written[], 256 : !barrier
    }
    gpu.barrier

    // The CTA takes tiles block, block + blocks, ...: `count` of them.
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.divui %n, %c1024 : index
    %rest = arith.subi %tiles, %block : index
    %count = arith.ceildivui %rest, %blocks : index

    // There are no more CTAs than tiles, so each has a first one.
    %before = arith.muli %block, %c1024 : index
    %start = arith.addi %before, %j : index
    %first = vector.load %x[%start] {alignment = 16 : i64} : !vector, vector<4xf32>
    scf.for %k = %c0 to %count step %c1 iter_args(%v = %first) -> (vector<4xf32>) {
      %slot = arith.remui %k, %c2 : index
      %k_blocks = arith.muli %k, %blocks : index
      %tile = arith.addi %block, %k_blocks : index
      %i = arith.muli %tile, %c1024 : index
      vector.store %v, %slots[%slot, %j] {alignment = 16 : i64} : !slots, vector<4xf32>
      %state = carousel.mbarrier.arrive %written[] : !barrier -> !carousel.mbarrier_state

      %tile_next = arith.addi %tile, %blocks : index
      %some = arith.cmpi ult, %tile_next, %tiles : index
      %next = scf.if %some -> (vector<4xf32>) {
        %i_next = arith.muli %tile_next, %c1024 : index
        %from = arith.addi %i_next, %j : index
        %w = vector.load %x[%from] {alignment = 16 : i64} : !vector, vector<4xf32>
        scf.yield %w : vector<4xf32>
      } else {
        scf.yield %nothing : vector<4xf32>
      }

      carousel.mbarrier.wait %written[] state %state : !barrier
      %m = vector.load %slots[%slot, %mirror] {alignment = 16 : i64} : !slots, vector<4xf32>
      %r = vector.shuffle %m, %m [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
      %to = arith.addi %i, %j : index
      vector.store %r, %y[%to] {alignment = 16 : i64} : !vector, vector<4xf32>
      scf.yield %next : vector<4xf32>
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
