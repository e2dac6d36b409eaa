// Sums over a dimension that several CTAs split, at the tile phase. Each CTA sums its part, and the
// CTAs of a segment take turns to accumulate their parts in y. The order is always the same, and so
// are the bits of the sums.
//
// - @column_sum: y[j] = the sum of column j of x. A segment is 256 columns, and its CTAs are `split`
//   parts of the rows.
// - @long_row_sum: y[i] = the sum of row i of x. A segment is 8 rows, a warp each, and its CTAs are
//   `split` parts of the columns.
//
// CTAs take their places by tickets, so that a CTA waits only for CTAs that started before it. The
// runtime allocates the semaphores, one for each segment, and the counter of the tickets.
//
//   carousel-sim split_sums.mlir --kernel @column_sum --reference @column_sum_reference --arg split=3 \
//     --arg x=iota:70x300 --arg y=empty:300 --schedules 4

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!counters = memref<?xi32, #gl>
!semaphores = memref<?x32xi32, #gl> // 128 bytes apart: who waits for one isn't in the way of others
!tile = memref<16x256xf32, #ws>
!sums = memref<256xf32, #ws>
!slice = memref<8x256xf32, #ws>
!row_sums = memref<8xf32, #ws>

gpu.module @split_sums {
  gpu.func @column_sum(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 1), 256)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 1), 256) * scalar(2)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %segments = arith.ceildivui %columns, %c256 : index
    %segment = arith.remui %ticket, %segments : index
    %turn = arith.divui %ticket, %segments : index
    %column = arith.muli %segment, %c256 : index

    // This CTA's part of the rows, in tiles of 16.
    %all = arith.ceildivui %rows, %c16 : index
    %part = arith.ceildivui %all, %split : index
    %part_rows = arith.muli %part, %c16 : index
    %begin = arith.muli %turn, %part_rows : index
    %open_end = arith.addi %begin, %part_rows : index
    %end = arith.minui %open_end, %rows : index

    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %sums = memref.alloc() {alignment = 128 : i64} : !sums
    %sum = scf.for %row = %begin to %end step %c16 iter_args(%acc = %zero) -> (f32) {
      carousel.load %x[%row, %column] to %xs : !matrix, !tile
      %next = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %acc) -> (f32) {
        %v = memref.load %xs[%i, %thread] : !tile
        %added = arith.addf %s, %v : f32
        scf.yield %added : f32
      }
      scf.yield %next : f32
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    memref.store %sum, %sums[%thread] : !sums
    carousel.serialize %semaphores[%segment, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %y[%column] reduce<add f32> first(%first) : !sums, !vector
    } : !semaphores
    gpu.return
  }

  gpu.func @long_row_sum(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 8)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 8) * scalar(2)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %segments = arith.ceildivui %rows, %c8 : index
    %segment = arith.remui %ticket, %segments : index
    %turn = arith.divui %ticket, %segments : index
    %row = arith.muli %segment, %c8 : index

    // This CTA's part of the columns, in tiles of 256.
    %all = arith.ceildivui %columns, %c256 : index
    %part = arith.ceildivui %all, %split : index
    %part_columns = arith.muli %part, %c256 : index
    %begin = arith.muli %turn, %part_columns : index
    %open_end = arith.addi %begin, %part_columns : index
    %end = arith.minui %open_end, %columns : index

    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %j = arith.muli %lane, %c8 : index
    %leads = arith.cmpi eq, %lane, %c0 : index

    %xs = memref.alloc() {alignment = 128 : i64} : !slice
    %sums = memref.alloc() {alignment = 128 : i64} : !row_sums
    %v = scf.for %column = %begin to %end step %c256 iter_args(%acc = %zeros) -> (vector<8xf32>) {
      carousel.load %x[%row, %column] to %xs : !matrix, !slice
      %xv = vector.load %xs[%warp, %j] {alignment = 16 : i64} : !slice, vector<8xf32>
      %next = arith.addf %acc, %xv : vector<8xf32>
      scf.yield %next : vector<8xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    %s = vector.reduction <add>, %v : vector<8xf32> into f32
    %sum = gpu.subgroup_reduce add %s : (f32) -> f32
    scf.if %leads {
      memref.store %sum, %sums[%warp] : !row_sums
    }
    carousel.serialize %semaphores[%segment, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %y[%row] reduce<add f32> first(%first) : !row_sums, !vector
    } : !semaphores
    gpu.return
  }
}

// From top to bottom and from left to right, which is the order of neither kernel.
func.func @column_sum_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>,
                                %split: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %j = %c0 to %columns step %c1 {
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
  }
  return
}

func.func @long_row_sum_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                                  %y: memref<?xf32>, %split: index) {
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
