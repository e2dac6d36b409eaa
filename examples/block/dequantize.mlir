// y = x * scale of the row, from 8-bit integers or floats to bf16, at the block phase.

#gl = #gpu.address_space<global>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>
!int8 = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!fp8 = memref<?x?xf8E4M3FN, strided<[?, 1], offset: ?>, #gl>

gpu.module @rows {
  gpu.func @dequantize_int8(
      %x: !int8 {carousel.argument = #carousel.argument<"x", in>},
      %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"scale", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i8
    %row = gpu.block_id x
    %q = vector.transfer_read %x[%row, %c0], %pad : !int8, vector<262144xi8>
    %v = arith.sitofp %q : vector<262144xi8> to !row32
    %s = memref.load %scale[%row] : memref<?xf32, #gl>
    %ss = vector.broadcast %s : f32 to !row32
    %o = arith.mulf %v, %ss : !row32
    %y16 = arith.truncf %o : !row32 to !row
    vector.transfer_write %y16, %y[%row, %c0] : !row, !matrix
    gpu.return
  }

  gpu.func @dequantize_fp8(
      %x: !fp8 {carousel.argument = #carousel.argument<"x", in>},
      %scale: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"scale", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f8E4M3FN
    %row = gpu.block_id x
    %q = vector.transfer_read %x[%row, %c0], %pad : !fp8, vector<262144xf8E4M3FN>
    %v = arith.extf %q : vector<262144xf8E4M3FN> to !row32
    %s = memref.load %scale[%row] : memref<?xf32, #gl>
    %ss = vector.broadcast %s : f32 to !row32
    %o = arith.mulf %v, %ss : !row32
    %y16 = arith.truncf %o : !row32 to !row
    vector.transfer_write %y16, %y[%row, %c0] : !row, !matrix
    gpu.return
  }
}
