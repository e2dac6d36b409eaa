// A partitioned pipeline with roles by warp. One additional warp only loads, the others only
// compute, and they synchronise only by the barriers of the slots. The producer warp may be a whole
// ring ahead, so that short delays of one role don't stall the other. The kernel is written for the
// threads that compute. Its loop asks for the roles: one producer warp, and a ring of four slots
// whose consumers release each slot by an mbarrier.
//
//   carousel-sim partitioned_by_warp.mlir --kernel @reverse --reference @reference \
//     --arg x=iota:9000 --arg y=like:x --multiprocessors 1 --schedules 4 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @patterns {
  gpu.func @reverse(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 1024), sms * 2)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1020 = arith.constant 1020 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c1024 : index
    %step = arith.muli %blocks, %c1024 : index
    %n = memref.dim %x, %c0 : !vector
    %j = arith.muli %thread, %c4 : index
    %mirror = arith.subi %c1020, %j : index

    %in = memref.alloc() {alignment = 128 : i64} : !tile
    %out = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in : !vector, !tile
      %v = vector.load %in[%mirror] {alignment = 16 : i64} : !tile, vector<4xf32>
      %r = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
      vector.store %r, %out[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
      carousel.store %out to %y[%i] : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<
        stages = 4, stores = shared, mode = specialized, producers = 1, release = empty_barrier>}
    gpu.return
  }
}

func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1023 = arith.constant 1023 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    // Within a tile of 1024, 1023 - j is j with all of its bits flipped.
    %j = arith.xori %i, %c1023 : index
    %exists = arith.cmpi ult, %j, %n : index
    %v = scf.if %exists -> (f32) {
      %w = memref.load %x[%j] : memref<?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}
