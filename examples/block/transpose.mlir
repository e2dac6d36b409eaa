// y[j, i] = x[i, j] for elements of 8, 16 and 32 bits, at the block phase, by tiles of 128 by 128.

#gl = #gpu.address_space<global>

!m8 = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!m16 = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!m32 = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @transposes {
  gpu.func @transpose_8(
      %x: !m8 {carousel.argument = #carousel.argument<"x", in>},
      %y: !m8 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [
          ceildiv(extent(0, 0), 128) * ceildiv(extent(0, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0 : i8
    %columns = memref.dim %x, %c1 : !m8
    %tiles = arith.ceildivui %columns, %c128 : index
    %block = gpu.block_id x
    %tile_row = arith.divui %block, %tiles : index
    %tile_column = arith.remui %block, %tiles : index
    %i = arith.muli %tile_row, %c128 : index
    %j = arith.muli %tile_column, %c128 : index
    %v = vector.transfer_read %x[%i, %j], %pad : !m8, vector<128x128xi8>
    %t = vector.transpose %v, [1, 0] : vector<128x128xi8> to vector<128x128xi8>
    vector.transfer_write %t, %y[%j, %i] : vector<128x128xi8>, !m8
    gpu.return
  }

  gpu.func @transpose_16(
      %x: !m16 {carousel.argument = #carousel.argument<"x", in>},
      %y: !m16 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [
          ceildiv(extent(0, 0), 128) * ceildiv(extent(0, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %columns = memref.dim %x, %c1 : !m16
    %tiles = arith.ceildivui %columns, %c128 : index
    %block = gpu.block_id x
    %tile_row = arith.divui %block, %tiles : index
    %tile_column = arith.remui %block, %tiles : index
    %i = arith.muli %tile_row, %c128 : index
    %j = arith.muli %tile_column, %c128 : index
    %v = vector.transfer_read %x[%i, %j], %pad : !m16, vector<128x128xbf16>
    %t = vector.transpose %v, [1, 0] : vector<128x128xbf16> to vector<128x128xbf16>
    vector.transfer_write %t, %y[%j, %i] : vector<128x128xbf16>, !m16
    gpu.return
  }

  gpu.func @transpose_32(
      %x: !m32 {carousel.argument = #carousel.argument<"x", in>},
      %y: !m32 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [
          ceildiv(extent(0, 0), 128) * ceildiv(extent(0, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : f32
    %columns = memref.dim %x, %c1 : !m32
    %tiles = arith.ceildivui %columns, %c128 : index
    %block = gpu.block_id x
    %tile_row = arith.divui %block, %tiles : index
    %tile_column = arith.remui %block, %tiles : index
    %i = arith.muli %tile_row, %c128 : index
    %j = arith.muli %tile_column, %c128 : index
    %v = vector.transfer_read %x[%i, %j], %pad : !m32, vector<128x128xf32>
    %t = vector.transpose %v, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
    vector.transfer_write %t, %y[%j, %i] : vector<128x128xf32>, !m32
    gpu.return
  }
}
