// Rows of a table by their indices, at the block phase.

#gl = #gpu.address_space<global>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>

gpu.module @gathers {
  gpu.func @gather_rows(
      %table: !matrix {carousel.argument = #carousel.argument<"table", in>},
      %index: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"index", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %i64 = memref.load %index[%row] : memref<?xi64, #gl>
    %i = arith.index_cast %i64 : i64 to index
    %v = vector.transfer_read %table[%i, %c0], %pad : !matrix, !row
    vector.transfer_write %v, %y[%row, %c0] : !row, !matrix
    gpu.return
  }
}
