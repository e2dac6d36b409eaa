#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tile = memref<16x32xf32, #ws>
!halves = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!wide = memref<8x64xbf16, #ws>
!bytes = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!small = memref<16x32xi8, #ws>

gpu.module @m {
  // Boxes begin before x, and end past it: y is larger.
  gpu.func @elements(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 1), 32)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %column = arith.muli %block, %c32 : index
    %left = arith.subi %column, %c4 : index
    %rows = memref.dim %y, %c0 : !matrix
    %in = memref.alloc() : !tile
    %out = memref.alloc() : !tile
    %j = arith.remui %thread, %c32 : index
    %first = arith.divui %thread, %c32 : index
    scf.for %row = %c0 to %rows step %c16 {
      %above = arith.subi %row, %c4 : index
      carousel.load %x[%above, %left] to %in fill(-inf) : !matrix, !tile
      scf.for %i = %first to %c16 step %c4 {
        %v = memref.load %in[%i, %j] : !tile
        memref.store %v, %out[%i, %j] : !tile
      }
      carousel.store %out to %y[%row, %column] : !tile, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Vectors, of which the memref's end cuts some.
  gpu.func @vectors(
      %x: !halves {carousel.argument = #carousel.argument<"x", in>},
      %y: !halves {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 1), 64)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %column = arith.muli %block, %c64 : index
    %rows = memref.dim %y, %c0 : !halves
    %in = memref.alloc() : !wide
    %out = memref.alloc() : !wide
    %r = arith.divui %thread, %c8 : index
    %piece = arith.remui %thread, %c8 : index
    %j = arith.muli %piece, %c8 : index
    scf.for %row = %c0 to %rows step %c8 {
      carousel.load %x[%row, %column] to %in fill(1.5) : !halves, !wide
      %v = vector.load %in[%r, %j] {alignment = 16 : i64} : !wide, vector<8xbf16>
      %w = arith.negf %v : vector<8xbf16>
      vector.store %w, %out[%r, %j] {alignment = 16 : i64} : !wide, vector<8xbf16>
      carousel.store %out to %y[%row, %column] : !wide, !halves
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    gpu.return
  }

  // No thread reads the tile.
  gpu.func @through(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 1), 32)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %column = arith.muli %block, %c32 : index
    %rows = memref.dim %y, %c0 : !matrix
    %tile = memref.alloc() : !tile
    scf.for %row = %c0 to %rows step %c16 {
      carousel.load %x[%row, %column] to %tile fill(7) : !matrix, !tile
      carousel.store %tile to %y[%row, %column] : !tile, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Integers.
  gpu.func @integers(
      %x: !bytes {carousel.argument = #carousel.argument<"x", in>},
      %y: !bytes {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 1), 32)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %column = arith.muli %block, %c32 : index
    %rows = memref.dim %y, %c0 : !bytes
    %in = memref.alloc() : !small
    %out = memref.alloc() : !small
    %j = arith.remui %thread, %c32 : index
    %first = arith.divui %thread, %c32 : index
    scf.for %row = %c0 to %rows step %c16 {
      carousel.load %x[%row, %column] to %in fill(-7) : !bytes, !small
      scf.for %i = %first to %c16 step %c2 {
        %v = memref.load %in[%i, %j] : !small
        memref.store %v, %out[%i, %j] : !small
      }
      carousel.store %out to %y[%row, %column] : !small, !bytes
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}
