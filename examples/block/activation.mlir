// Elementwise kernels on tiles of a matrix, at the block phase. Each program has a tile of 8 rows
// of 512.
//
// - @gelu_bias: y = gelu(x + b) * r with a row b. Its loop is pipelined, since erf takes as long
//   as the memory: its tiles go through rings.
// - @silu_mul: y = x / (1 + exp(-x)) * r.
// - @chain: y = (x * a + b) * r with a column a and a row b.

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#r = #carousel.argument<"r", in>
#b = #carousel.argument<"b", in>
#a = #carousel.argument<"a", in>
#y = #carousel.argument<"y", out>

// A program for each tile; or for as many as are resident, one above the other.
#tiles = #carousel.launch<grid = [ceildiv(extent(0, 0), 8) * ceildiv(extent(0, 1), 512)]>
#resident = #carousel.launch<grid = [
    ceildiv(extent(0, 1), 512),
    min(ceildiv(extent(0, 0), 8), max(floordiv(resident, max(ceildiv(extent(0, 1), 512), 1)), 1))]>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile = vector<8x512xbf16>
!tile32 = vector<8x512xf32>
!numbers = memref<?xbf16, #gl>

gpu.module @tiles {
  func.func private @read(%m: !matrix, %i: index, %j: index) -> !tile32 {
    %pad = arith.constant 0.0 : bf16
    %tile = vector.transfer_read %m[%i, %j], %pad : !matrix, !tile
    %wide = arith.extf %tile : !tile to !tile32
    return %wide : !tile32
  }

  func.func private @gelu(%v: !tile32) -> !tile32 {
    %half = arith.constant dense<0.5> : !tile32
    %one = arith.constant dense<1.0> : !tile32
    %rsqrt2 = arith.constant dense<0.707106769> : !tile32
    %s = arith.mulf %v, %rsqrt2 : !tile32
    %e = math.erf %s : !tile32
    %p = arith.addf %e, %one : !tile32
    %h = arith.mulf %v, %half : !tile32
    %g = arith.mulf %h, %p : !tile32
    return %g : !tile32
  }

  gpu.func @gelu_bias(
      %x: !matrix {carousel.argument = #x}, %b: !numbers {carousel.argument = #b},
      %r: !matrix {carousel.argument = #r}, %y: !matrix {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #resident} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %rows = memref.dim %x, %c0 : !matrix
    %across = gpu.block_id x
    %down = gpu.block_id y
    %blocks_down = gpu.grid_dim y
    %j = arith.muli %across, %c512 : index
    %first = arith.muli %down, %c8 : index
    %step = arith.muli %blocks_down, %c8 : index
    %b16 = vector.transfer_read %b[%j], %pad : !numbers, vector<512xbf16>
    %b32 = arith.extf %b16 : vector<512xbf16> to vector<512xf32>
    %bs = vector.broadcast %b32 : vector<512xf32> to !tile32
    scf.for %i = %first to %rows step %step {
      %x32 = func.call @read(%x, %i, %j) : (!matrix, index, index) -> !tile32
      %r32 = func.call @read(%r, %i, %j) : (!matrix, index, index) -> !tile32
      %v = arith.addf %x32, %bs : !tile32
      %g = func.call @gelu(%v) : (!tile32) -> !tile32
      %o = arith.mulf %g, %r32 : !tile32
      %y16 = arith.truncf %o : !tile32 to !tile
      vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  gpu.func @silu_mul(
      %x: !matrix {carousel.argument = #x}, %r: !matrix {carousel.argument = #r},
      %y: !matrix {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #tiles} {
    %c1 = arith.constant 1 : index
    %height = arith.constant 8 : index
    %width = arith.constant 512 : index
    %columns = memref.dim %x, %c1 : !matrix
    %tiles = arith.ceildivui %columns, %width : index
    %block = gpu.block_id x
    %tile_row = arith.divui %block, %tiles : index
    %tile_column = arith.remui %block, %tiles : index
    %i = arith.muli %tile_row, %height : index
    %j = arith.muli %tile_column, %width : index
    %one = arith.constant dense<1.0> : !tile32
    %x32 = func.call @read(%x, %i, %j) : (!matrix, index, index) -> !tile32
    %r32 = func.call @read(%r, %i, %j) : (!matrix, index, index) -> !tile32
    %negated = arith.negf %x32 : !tile32
    %e = math.exp %negated : !tile32
    %p = arith.addf %e, %one : !tile32
    %s = arith.divf %x32, %p fastmath<afn> : !tile32
    %o = arith.mulf %s, %r32 : !tile32
    %y16 = arith.truncf %o : !tile32 to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    gpu.return
  }

  gpu.func @chain(
      %x: !matrix {carousel.argument = #x}, %r: !matrix {carousel.argument = #r},
      %b: !numbers {carousel.argument = #b}, %a: !numbers {carousel.argument = #a},
      %y: !matrix {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #tiles} {
    %c1 = arith.constant 1 : index
    %height = arith.constant 8 : index
    %width = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %columns = memref.dim %x, %c1 : !matrix
    %tiles = arith.ceildivui %columns, %width : index
    %block = gpu.block_id x
    %tile_row = arith.divui %block, %tiles : index
    %tile_column = arith.remui %block, %tiles : index
    %i = arith.muli %tile_row, %height : index
    %j = arith.muli %tile_column, %width : index
    %x32 = func.call @read(%x, %i, %j) : (!matrix, index, index) -> !tile32
    %r32 = func.call @read(%r, %i, %j) : (!matrix, index, index) -> !tile32
    %b16 = vector.transfer_read %b[%j], %pad : !numbers, vector<512xbf16>
    %a16 = vector.transfer_read %a[%i], %pad : !numbers, vector<8xbf16>
    %bs16 = vector.broadcast %b16 : vector<512xbf16> to !tile
    %a1 = vector.shape_cast %a16 : vector<8xbf16> to vector<8x1xbf16>
    %as16 = vector.broadcast %a1 : vector<8x1xbf16> to !tile
    %b32 = arith.extf %bs16 : !tile to !tile32
    %a32 = arith.extf %as16 : !tile to !tile32
    %s = arith.mulf %x32, %a32 : !tile32
    %t = arith.addf %s, %b32 : !tile32
    %o = arith.mulf %t, %r32 : !tile32
    %y16 = arith.truncf %o : !tile32 to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    gpu.return
  }
}
