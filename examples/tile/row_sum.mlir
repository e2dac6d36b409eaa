// y[i] = the sum of row i of x, at the tile phase, in f32 and in an order that doesn't depend on
// the schedule, without atomics. The columns of a group of rows go through a ring. Beyond the edges
// they are zero, which doesn't change a sum.
//
// - @row_sum: x of f32. A CTA takes 4 rows at a time, with two warps a row. A small buffer of
//   shared memory combines the warps' sums, between two barriers of the CTA.
// - @row_sum_warp: x of bf16. A warp takes a row, through a ring of its own: transfers and ring
//   have warp scope, and no warp waits for another.
//
// Sums of integers below 2^24 are exact in any order, so such inputs are compared bit by bit.
//
//   carousel-sim row_sum.mlir --kernel @row_sum --reference @row_sum_reference \
//     --arg x=iota:13x700@704x1 --arg y=empty:13 --schedules 4 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!matrix_bf16 = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile = memref<4x256xf32, #ws>
!sums = memref<4x2xf32, #ws>
!slices = memref<8x256xbf16, #ws>
!slice = memref<256xbf16, strided<[1], offset: ?>, #ws>

gpu.module @sums {
  gpu.func @row_sum(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 4), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %zeros = arith.constant dense<0.0> : vector<4xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4 : index
    %step = arith.muli %blocks, %c4 : index
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix

    // 64 threads a row, 4 elements each.
    %mine = arith.divui %thread, %c64 : index
    %place = arith.remui %thread, %c64 : index
    %j = arith.muli %place, %c4 : index
    %half = arith.divui %place, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %leads_warp = arith.cmpi eq, %lane, %c0 : index
    %adds = arith.cmpi ult, %thread, %c4 : index

    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %sums = memref.alloc() : !sums
    scf.for %i = %first to %rows step %step {
      %v = scf.for %column = %c0 to %columns step %c256 iter_args(%acc = %zeros)
          -> (vector<4xf32>) {
        carousel.load %x[%i, %column] to %xs : !matrix, !tile
        %xv = vector.load %xs[%mine, %j] {alignment = 16 : i64} : !tile, vector<4xf32>
        %next = arith.addf %acc, %xv : vector<4xf32>
        scf.yield %next : vector<4xf32>
      } {carousel.pipeline = #carousel.pipeline<stages = auto>}
      %s = vector.reduction <add>, %v : vector<4xf32> into f32
      %w = gpu.subgroup_reduce add %s : (f32) -> f32
      scf.if %leads_warp {
        memref.store %w, %sums[%mine, %half] : !sums
      }
      gpu.barrier
      %row = arith.addi %i, %thread : index
      %exists = arith.cmpi ult, %row, %rows : index
      %writes = arith.andi %adds, %exists : i1
      scf.if %writes {
        %low = memref.load %sums[%thread, %c0] : !sums
        %high = memref.load %sums[%thread, %c1] : !sums
        %sum = arith.addf %low, %high : f32
        memref.store %sum, %y[%row] : !vector
      }
      // The next rows' sums overwrite these.
      gpu.barrier
    }
    gpu.return
  }

  gpu.func @row_sum_warp(
      %x: !matrix_bf16 {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 8), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %leads = arith.cmpi eq, %lane, %c0 : index
    %before = arith.muli %block, %c8 : index
    %first = arith.addi %before, %warp : index
    %step = arith.muli %blocks, %c8 : index
    %rows = memref.dim %x, %c0 : !matrix_bf16
    %columns = memref.dim %x, %c1 : !matrix_bf16
    %j = arith.muli %lane, %c8 : index

    %slices = memref.alloc() {alignment = 128 : i64} : !slices
    %xs = memref.subview %slices[%warp, 0] [1, 256] [1, 1] : !slices to !slice
    scf.for %i = %first to %rows step %step {
      %v = scf.for %column = %c0 to %columns step %c256 iter_args(%acc = %zeros)
          -> (vector<8xf32>) {
        carousel.load %x[%i, %column] to %xs scope(warp) : !matrix_bf16, !slice
        %x16 = vector.load %xs[%j] {alignment = 16 : i64} : !slice, vector<8xbf16>
        %xv = arith.extf %x16 : vector<8xbf16> to vector<8xf32>
        %next = arith.addf %acc, %xv : vector<8xf32>
        scf.yield %next : vector<8xf32>
      } {carousel.pipeline = #carousel.pipeline<stages = auto, scope = warp>}
      %s = vector.reduction <add>, %v : vector<8xf32> into f32
      %sum = gpu.subgroup_reduce add %s : (f32) -> f32
      scf.if %leads {
        memref.store %sum, %y[%i] : !vector
      }
    }
    gpu.return
  }
}

// From left to right, which is the order of neither kernel.
func.func @row_sum_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}

func.func @row_sum_warp_reference(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
                                  %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %zero) -> (f32) {
      %x16 = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %v = arith.extf %x16 : bf16 to f32
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}
