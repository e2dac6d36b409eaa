// Producer and consumer with two pairs of barriers, the classic double buffer. The first warp fills
// two buffers alternately by ordinary loads and stores, and the second warp empties them. Each
// buffer has two barriers: `ready` completes when it may be filled, and `filled` when it may be
// read. All 64 threads of both roles arrive at every phase of every barrier, and a role waits for
// the phase in which it has arrived. At the start, the consumers declare both buffers ready. At the
// end, the producers don't arrive at the last phases of `ready`, because no thread waits for them.
//
//   carousel-sim two_barrier_pairs.mlir --kernel @reverse --reference @reference \
//     --arg x=iota:9216 --arg y=like:x --multiprocessors 1 --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_80 two_barrier_pairs.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!buffers = memref<2x1024xf32, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>

gpu.module @patterns {
  gpu.func @reverse(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%buffers: !buffers {llvm.align = 16 : i64},
                %ready: !barriers, %filled: !barriers) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "reverse", guards = [
          capability(80), equal(extent(0, 0), extent(1, 0)),
          divisible(extent(0, 0), 1024), aligned(0, 16), aligned(1, 16)]>,
        carousel.launch = #carousel.launch<
          grid = [min(floordiv(extent(0, 0), 1024), sms * 2)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %warp_size = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c1020 = arith.constant 1020 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %lane = arith.remui %thread, %warp_size : index
    %mine = arith.muli %lane, %c4 : index
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      scf.for %b = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %ready[%b], 64 : !barriers
        carousel.mbarrier.init %filled[%b], 64 : !barriers
      }
    }
    gpu.barrier

    // The CTA takes tiles block, block + blocks, ...: `count` of them.
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.divui %n, %c1024 : index
    %rest = arith.subi %tiles, %block : index
    %count = arith.ceildivui %rest, %blocks : index

    %produces = arith.cmpi ult, %thread, %warp_size : index
    scf.if %produces {
      scf.for %k = %c0 to %count step %c1 {
        %buffer = arith.remui %k, %c2 : index
        %k_blocks = arith.muli %k, %blocks : index
        %tile = arith.addi %block, %k_blocks : index
        %i = arith.muli %tile, %c1024 : index
        %state = carousel.mbarrier.arrive %ready[%buffer]
            : !barriers -> !carousel.mbarrier_state
        carousel.mbarrier.wait %ready[%buffer] state %state : !barriers
        scf.for %j = %mine to %c1024 step %c128 {
          %from = arith.addi %i, %j : index
          %v = vector.load %x[%from] {alignment = 16 : i64} : !vector, vector<4xf32>
          vector.store %v, %buffers[%buffer, %j] {alignment = 16 : i64}
              : !buffers, vector<4xf32>
        }
        carousel.mbarrier.arrive %filled[%buffer] : !barriers
      }
    } else {
      carousel.mbarrier.arrive %ready[%c0] : !barriers
      carousel.mbarrier.arrive %ready[%c1] : !barriers
      scf.for %k = %c0 to %count step %c1 {
        %buffer = arith.remui %k, %c2 : index
        %k_blocks = arith.muli %k, %blocks : index
        %tile = arith.addi %block, %k_blocks : index
        %i = arith.muli %tile, %c1024 : index
        %state = carousel.mbarrier.arrive %filled[%buffer]
            : !barriers -> !carousel.mbarrier_state
        carousel.mbarrier.wait %filled[%buffer] state %state : !barriers
        scf.for %j = %mine to %c1024 step %c128 {
          %mirror = arith.subi %c1020, %j : index
          %v = vector.load %buffers[%buffer, %mirror] {alignment = 16 : i64}
              : !buffers, vector<4xf32>
          %r = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
          %to = arith.addi %i, %j : index
          vector.store %r, %y[%to] {alignment = 16 : i64} : !vector, vector<4xf32>
        }
        carousel.mbarrier.arrive %ready[%buffer] : !barriers
      }
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
