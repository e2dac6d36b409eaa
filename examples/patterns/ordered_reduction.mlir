// An ordered reduction over CTAs, at the tile phase. `split` CTAs each add a tile to the same box
// of global memory, and take turns so that the sum is the same in each launch. A tile is computed
// from its number and its part's number, so that only the reduction takes time.
//
// - @by_transfers: the tile waits in shared memory; the first CTA stores it, the next ones reduce it
//   into the box.
// - @by_pieces: the same in four pieces, each with its own semaphore, so that the next CTA adds its
//   first piece while this one adds the others.
// - @by_registers: the threads load the box, add, and store: the classic scheme.
// - @unordered: no turns. The box is zero before, and the sum isn't the same in each launch.
//
//   carousel-sim ordered_reduction.mlir --kernel @by_transfers --reference @reference \
//     --arg split=3 --arg y=empty:256x128

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!boxes = memref<?x128xf32, #gl>
!counters = memref<?xi32, #gl>
!semaphores = memref<?x32xi32, #gl> // 128 bytes apart: who waits for one isn't in the way of others
!tile = memref<128x128xf32, #ws>
!piece = memref<32x128xf32, strided<[128, 1], offset: ?>, #ws>

gpu.module @ordered_reduction {
  // What part `part` has for the four elements of tile `tile` from `element` on.
  func.func private @make_values(%tile: index, %part: index, %element: index) -> vector<4xf32> {
    %c131071 = arith.constant 131071 : index
    %c8191 = arith.constant 8191 : index
    %lanes = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
    %factor = arith.constant dense<-1640531535> : vector<4xi32>
    %c16 = arith.constant dense<16> : vector<4xi32>
    %scale = arith.constant dense<0.0000152587890625> : vector<4xf32>
    %half = arith.constant dense<0.5> : vector<4xf32>
    %a = arith.muli %tile, %c131071 : index
    %b = arith.muli %part, %c8191 : index
    %c = arith.addi %a, %b : index
    %d = arith.addi %c, %element : index
    %e = arith.index_cast %d : index to i32
    %f = vector.broadcast %e : i32 to vector<4xi32>
    %g = arith.addi %f, %lanes : vector<4xi32>
    %h = arith.muli %g, %factor : vector<4xi32>
    %i = arith.shrui %h, %c16 : vector<4xi32>
    %j = arith.uitofp %i : vector<4xi32> to vector<4xf32>
    %k = arith.mulf %j, %scale : vector<4xf32>
    %v = arith.subf %k, %half : vector<4xf32>
    return %v : vector<4xf32>
  }

  gpu.func @by_transfers(
      %y: !boxes {carousel.argument = #carousel.argument<"y", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 128)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 128) * scalar(1)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %c8192 = arith.constant 8192 : index
    %c16384 = arith.constant 16384 : index
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %tiles = arith.divui %blocks, %split : index
    %number = arith.remui %ticket, %tiles : index
    %part = arith.divui %ticket, %tiles : index
    %row = arith.muli %number, %c128 : index
    %tile = memref.alloc() {alignment = 128 : i64} : !tile
    %first_element = arith.muli %thread, %c4 : index
    scf.for %half = %c0 to %c16384 step %c8192 {
      scf.for %step = %c0 to %c8192 step %c1024 {
        %j = arith.addi %half, %step : index
        %i = arith.addi %j, %first_element : index
        %v = func.call @make_values(%number, %part, %i) : (index, index, index) -> vector<4xf32>
        %tile_row = arith.divui %i, %c128 : index
        %tile_column = arith.remui %i, %c128 : index
        vector.store %v, %tile[%tile_row, %tile_column] {alignment = 16 : i64} : !tile, vector<4xf32>
      }
    }
    carousel.serialize %semaphores[%number, %c0] turn %part of %split (%first, %last) {
      carousel.accumulate %tile into %y[%row, %c0] reduce<add f32> first(%first) : !tile, !boxes
    } : !semaphores
    gpu.return
  }

  gpu.func @by_pieces(
      %y: !boxes {carousel.argument = #carousel.argument<"y", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 128) * 4]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 128) * scalar(1)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %c8192 = arith.constant 8192 : index
    %c16384 = arith.constant 16384 : index
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %tiles = arith.divui %blocks, %split : index
    %number = arith.remui %ticket, %tiles : index
    %part = arith.divui %ticket, %tiles : index
    %row = arith.muli %number, %c128 : index
    %tile = memref.alloc() {alignment = 128 : i64} : !tile
    %first_element = arith.muli %thread, %c4 : index
    scf.for %half = %c0 to %c16384 step %c8192 {
      scf.for %step = %c0 to %c8192 step %c1024 {
        %j = arith.addi %half, %step : index
        %i = arith.addi %j, %first_element : index
        %v = func.call @make_values(%number, %part, %i) : (index, index, index) -> vector<4xf32>
        %tile_row = arith.divui %i, %c128 : index
        %tile_column = arith.remui %i, %c128 : index
        vector.store %v, %tile[%tile_row, %tile_column] {alignment = 16 : i64} : !tile, vector<4xf32>
      }
    }
    scf.for %piece = %c0 to %c4 step %c1 {
      %begin = arith.muli %piece, %c32 : index
      %piece_row = arith.addi %row, %begin : index
      %segments = arith.muli %number, %c4 : index
      %segment = arith.addi %segments, %piece : index
      %box = memref.subview %tile[%begin, 0] [32, 128] [1, 1] : !tile to !piece
      carousel.serialize %semaphores[%segment, %c0] turn %part of %split (%first, %last) {
        carousel.accumulate %box into %y[%piece_row, %c0] reduce<add f32> first(%first) : !piece, !boxes
      } : !semaphores
    }
    gpu.return
  }

  gpu.func @by_registers(
      %y: !boxes {carousel.argument = #carousel.argument<"y", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 128)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 128) * scalar(1)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %c8192 = arith.constant 8192 : index
    %c16384 = arith.constant 16384 : index
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %tiles = arith.divui %blocks, %split : index
    %number = arith.remui %ticket, %tiles : index
    %part = arith.divui %ticket, %tiles : index
    %row = arith.muli %number, %c128 : index
    %tile = memref.alloc() {alignment = 128 : i64} : !tile
    %first_element = arith.muli %thread, %c4 : index
    scf.for %half = %c0 to %c16384 step %c8192 {
      scf.for %step = %c0 to %c8192 step %c1024 {
        %j = arith.addi %half, %step : index
        %i = arith.addi %j, %first_element : index
        %v = func.call @make_values(%number, %part, %i) : (index, index, index) -> vector<4xf32>
        %tile_row = arith.divui %i, %c128 : index
        %tile_column = arith.remui %i, %c128 : index
        vector.store %v, %tile[%tile_row, %tile_column] {alignment = 16 : i64} : !tile, vector<4xf32>
      }
    }
    carousel.serialize %semaphores[%number, %c0] turn %part of %split (%first, %last) {
      carousel.accumulate %tile into %y[%row, %c0] reduce<add f32> first(%first)
          scheme(registers) : !tile, !boxes
    } : !semaphores
    gpu.return
  }

  gpu.func @unordered(
      %y: !boxes {carousel.argument = #carousel.argument<"y", inout>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(0, 0), 128)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 128) * scalar(1)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %c8192 = arith.constant 8192 : index
    %c16384 = arith.constant 16384 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %tiles = arith.divui %blocks, %split : index
    %number = arith.remui %block, %tiles : index
    %part = arith.divui %block, %tiles : index
    %row = arith.muli %number, %c128 : index
    %tile = memref.alloc() {alignment = 128 : i64} : !tile
    %first_element = arith.muli %thread, %c4 : index
    scf.for %half = %c0 to %c16384 step %c8192 {
      scf.for %step = %c0 to %c8192 step %c1024 {
        %j = arith.addi %half, %step : index
        %i = arith.addi %j, %first_element : index
        %v = func.call @make_values(%number, %part, %i) : (index, index, index) -> vector<4xf32>
        %tile_row = arith.divui %i, %c128 : index
        %tile_column = arith.remui %i, %c128 : index
        vector.store %v, %tile[%tile_row, %tile_column] {alignment = 16 : i64} : !tile, vector<4xf32>
      }
    }
    carousel.serialize %semaphores[%number, %c0] turn %part of %split order(unordered) (%first, %last) {
      carousel.accumulate %tile into %y[%row, %c0] reduce<add f32> first(%first) : !tile, !boxes
    } : !semaphores
    gpu.return
  }
}

func.func private @make_value(%tile: index, %part: index, %element: index) -> f32 {
  %c131071 = arith.constant 131071 : index
  %c8191 = arith.constant 8191 : index
  %factor = arith.constant -1640531535 : i32
  %c16 = arith.constant 16 : i32
  %scale = arith.constant 0.0000152587890625 : f32
  %half = arith.constant 0.5 : f32
  %a = arith.muli %tile, %c131071 : index
  %b = arith.muli %part, %c8191 : index
  %c = arith.addi %a, %b : index
  %d = arith.addi %c, %element : index
  %e = arith.index_cast %d : index to i32
  %h = arith.muli %e, %factor : i32
  %i = arith.shrui %h, %c16 : i32
  %j = arith.uitofp %i : i32 to f32
  %k = arith.mulf %j, %scale : f32
  %v = arith.subf %k, %half : f32
  return %v : f32
}

// In the order of the turns.
func.func @reference(%y: memref<?x128xf32>, %split: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %y, %c0 : memref<?x128xf32>
  scf.for %row = %c0 to %rows step %c1 {
    %tile = arith.divui %row, %c128 : index
    %tile_row = arith.remui %row, %c128 : index
    %begin = arith.muli %tile_row, %c128 : index
    scf.for %column = %c0 to %c128 step %c1 {
      %element = arith.addi %begin, %column : index
      %sum = scf.for %part = %c0 to %split step %c1 iter_args(%s = %zero) -> (f32) {
        %v = func.call @make_value(%tile, %part, %element) : (index, index, index) -> f32
        %next = arith.addf %s, %v : f32
        scf.yield %next : f32
      }
      memref.store %sum, %y[%row, %column] : memref<?x128xf32>
    }
  }
  return
}
