// Two-dimensional load through a tensor map, change, store. The host describes the matrix in a
// descriptor, one thread gives the coordinates of a box, and the TMA does the rest. The part of a
// box beyond the matrix is filled with zeros, counts as bytes of the load, and isn't written by the
// store, so no thread checks the edges. As in bulk_1d.mlir, the threads that change the tile
// execute a proxy fence before the barrier that precedes the store. Rows of the matrix are
// multiples of 16 bytes, because a store writes whole chunks of 16 bytes and must not reach beyond
// their ends.
//
//   carousel-sim tensor_2d.mlir --kernel @doubled --reference @reference --arg x=iota:50x76 \
//     --arg y=like:x --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_90 tensor_2d.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!map = !carousel.tensor_map<16x64xf32>
!tile = memref<16x64xf32, #ws>
!barrier = memref<!carousel.mbarrier, #ws>

gpu.module @patterns {
  gpu.func @doubled(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %source: !map {carousel.encode = #carousel.encode<argument = 0>},
      %target: !map {carousel.encode = #carousel.encode<argument = 1>})
      workgroup(%tile: !tile {llvm.align = 128 : i64}, %full: !barrier) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "doubled", guards = [
          capability(90), equal(extent(0, 0), extent(1, 0)), equal(extent(0, 1), extent(1, 1)),
          divisible(extent(0, 1), 4)]>,
        carousel.launch = #carousel.launch<
          grid = [ceildiv(extent(0, 1), 64), ceildiv(extent(0, 0), 16)], block = [16, 16]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %false = arith.constant false
    %across = gpu.block_id x
    %down = gpu.block_id y
    %column = arith.muli %across, %c64 : index
    %row = arith.muli %down, %c16 : index
    %column_i32 = arith.index_cast %column : index to i32
    %row_i32 = arith.index_cast %row : index to i32
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %before = arith.muli %ty, %c16 : index
    %thread = arith.addi %before, %tx : index

    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[], 1 : !barrier
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[], 4096 : !barrier
      carousel.tensor.load %source[%row_i32, %column_i32] to %tile[%c0, %c0] signals %full[]
          : !map, !tile, !barrier
    }
    gpu.barrier // The barrier is initialised.
    carousel.mbarrier.wait %full[] parity %false : !barrier

    %j = arith.muli %tx, %c4 : index
    %v = vector.load %tile[%ty, %j] {alignment = 16 : i64} : !tile, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %tile[%ty, %j] {alignment = 16 : i64} : !tile, vector<4xf32>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %is_first {
      carousel.tensor.store %tile[%c0, %c0] to %target[%row_i32, %column_i32] : !tile, !map
      carousel.bulk.commit_group
      carousel.bulk.wait_group read 0
    }
    gpu.return
  }
}

func.func @reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                     %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
