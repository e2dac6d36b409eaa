// y = the mean of the four neighbours, at the block phase. Neighbours outside of the matrix are
// zero.

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tile = vector<16x256xf32>

gpu.module @stencils {
  gpu.func @stencil(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [
          ceildiv(extent(0, 0), 16) * ceildiv(extent(0, 1), 256)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %height = arith.constant 16 : index
    %width = arith.constant 256 : index
    %pad = arith.constant 0.0 : f32
    %columns = memref.dim %x, %c1 : !matrix
    %tiles = arith.ceildivui %columns, %width : index
    %block = gpu.block_id x
    %tile_row = arith.divui %block, %tiles : index
    %tile_column = arith.remui %block, %tiles : index
    %i = arith.muli %tile_row, %height : index
    %j = arith.muli %tile_column, %width : index
    %above = arith.subi %i, %c1 : index
    %below = arith.addi %i, %c1 : index
    %left = arith.subi %j, %c1 : index
    %right = arith.addi %j, %c1 : index
    %quarter = arith.constant dense<0.25> : !tile
    %n = vector.transfer_read %x[%above, %j], %pad : !matrix, !tile
    %s = vector.transfer_read %x[%below, %j], %pad : !matrix, !tile
    %w = vector.transfer_read %x[%i, %left], %pad : !matrix, !tile
    %e = vector.transfer_read %x[%i, %right], %pad : !matrix, !tile
    %ns = arith.addf %n, %s : !tile
    %we = arith.addf %w, %e : !tile
    %sum = arith.addf %ns, %we : !tile
    %o = arith.mulf %sum, %quarter : !tile
    vector.transfer_write %o, %y[%i, %j] : !tile, !matrix
    gpu.return
  }
}
