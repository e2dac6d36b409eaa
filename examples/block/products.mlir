// Products of matrices that need no more than a loop, at the block phase: of other types, in batches,
// and two of one factor. Where the chip has them, warpgroups multiply (docs/BlockPhase.md, Products).
//
// - @batched: y[b] = x[b]^T * w[b], with x of k x m in each batch.
// - @two_products: y = x * v and z = x * w. Tiles of x are read once for both.
// - @matmul_i8: y = x * w^T, of 8-bit integers, in 32 bits.
// - @matmul_tf32: y = x * w, of f32 rounded to tf32.
// - @matmul_f8: y = x * w^T, of 8-bit floats, times a scale of each row and each column. The sums of
//   128 products each are added in f32.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#plain = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#first_transposed = {indexing_maps = [#km, #kn, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}
#second_transposed = {indexing_maps = [#mk, #nk, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#v = #carousel.argument<"v", in>
#w = #carousel.argument<"w", in>
#row = #carousel.argument<"row", in>
#column = #carousel.argument<"column", in>
#y = #carousel.argument<"y", out>
#z = #carousel.argument<"z", out>
#program = #carousel.block_program<>

!batch = memref<?x?x?xf16, strided<[?, ?, 1], offset: ?>, #gl>
!halves = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!floats = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!bytes = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!floats8 = memref<?x?xf8E4M3FN, strided<[?, 1], offset: ?>, #gl>
!scales = memref<?xf32, #gl>
!words = memref<?x?xi32, strided<[?, 1], offset: ?>, #gl>
!wide = vector<128x256xf32>
!tile_x = vector<128x64xbf16>
!tile_w = vector<64x128xbf16>
!tile = vector<128x128xbf16>
!tile_x32 = vector<128x32xf32>
!tile_w32 = vector<32x128xf32>
!wide_words = vector<128x256xi32>
!square = vector<128x128xf32>
!tile8 = vector<128x256xf8E4M3FN>
!line = vector<128xf32>

gpu.module @products {
  gpu.func @batched(
      %x: !batch {carousel.argument = #x}, %w: !batch {carousel.argument = #w},
      %y: !batch {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 2), 256), ceildiv(extent(2, 1), 128), extent(2, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f16
    %zeros = arith.constant dense<0.0> : !wide
    %across = gpu.block_id x
    %down = gpu.block_id y
    %b = gpu.block_id z
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !batch
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!wide) {
      %xt = vector.transfer_read %x[%b, %k, %i], %pad : !batch, vector<64x128xf16>
      %wt = vector.transfer_read %w[%b, %k, %j], %pad : !batch, vector<64x256xf16>
      %next = vector.contract #first_transposed %xt, %wt, %acc
          : vector<64x128xf16>, vector<64x256xf16> into !wide
      scf.yield %next : !wide
    } {carousel.pipeline = #carousel.pipeline<>}
    %y16 = arith.truncf %sum : !wide to vector<128x256xf16>
    vector.transfer_write %y16, %y[%b, %i, %j] : vector<128x256xf16>, !batch
    gpu.return
  }

  gpu.func @two_products(
      %x: !halves {carousel.argument = #x}, %v: !halves {carousel.argument = #v},
      %w: !halves {carousel.argument = #w}, %y: !halves {carousel.argument = #y},
      %z: !halves {carousel.argument = #z})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !halves
    %sums:2 = scf.for %k = %c0 to %depth step %c64 iter_args(%s = %zeros, %t = %zeros)
        -> (!square, !square) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !halves, !tile_x
      %vt = vector.transfer_read %v[%k, %j], %pad : !halves, !tile_w
      %wt = vector.transfer_read %w[%k, %j], %pad : !halves, !tile_w
      %0 = vector.contract #plain %xt, %vt, %s : !tile_x, !tile_w into !square
      %1 = vector.contract #plain %xt, %wt, %t : !tile_x, !tile_w into !square
      scf.yield %0, %1 : !square, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %y16 = arith.truncf %sums#0 : !square to !tile
    %z16 = arith.truncf %sums#1 : !square to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !halves
    vector.transfer_write %z16, %z[%i, %j] : !tile, !halves
    gpu.return
  }

  gpu.func @matmul_i8(
      %x: !bytes {carousel.argument = #x}, %w: !bytes {carousel.argument = #w},
      %y: !words {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 256), ceildiv(extent(2, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0 : i8
    %zeros = arith.constant dense<0> : !wide_words
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !bytes
    %sum = scf.for %k = %c0 to %depth step %c128 iter_args(%acc = %zeros) -> (!wide_words) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !bytes, vector<128x128xi8>
      %wt = vector.transfer_read %w[%j, %k], %pad : !bytes, vector<256x128xi8>
      %next = vector.contract #second_transposed %xt, %wt, %acc
          : vector<128x128xi8>, vector<256x128xi8> into !wide_words
      scf.yield %next : !wide_words
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !wide_words, !words
    gpu.return
  }

  gpu.func @matmul_tf32(
      %x: !floats {carousel.argument = #x}, %w: !floats {carousel.argument = #w},
      %y: !floats {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !floats
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zeros) -> (!square) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !floats, !tile_x32
      %wt = vector.transfer_read %w[%k, %j], %pad : !floats, !tile_w32
      %xr = carousel.round_tf32 %xt : !tile_x32
      %wr = carousel.round_tf32 %wt : !tile_w32
      %next = vector.contract #plain %xr, %wr, %acc : !tile_x32, !tile_w32 into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !square, !floats
    gpu.return
  }

  gpu.func @matmul_f8(
      %x: !floats8 {carousel.argument = #x}, %w: !floats8 {carousel.argument = #w},
      %row: !scales {carousel.argument = #row}, %column: !scales {carousel.argument = #column},
      %y: !halves {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(4, 1), 128), ceildiv(extent(4, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %pad8 = arith.constant 0.0 : f8E4M3FN
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !floats8
    %sum = scf.for %k = %c0 to %depth step %c256 iter_args(%acc = %zeros) -> (!square) {
      %xt = vector.transfer_read %x[%i, %k], %pad8 : !floats8, !tile8
      %wt = vector.transfer_read %w[%j, %k], %pad8 : !floats8, !tile8
      %next = vector.contract #second_transposed %xt, %wt, %acc : !tile8, !tile8 into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %of_rows = vector.transfer_read %row[%i], %pad : !scales, !line
    %of_columns = vector.transfer_read %column[%j], %pad : !scales, !line
    %tall = vector.shape_cast %of_rows : !line to vector<128x1xf32>
    %rows = vector.broadcast %tall : vector<128x1xf32> to !square
    %columns = vector.broadcast %of_columns : !line to !square
    %scaled = arith.mulf %sum, %rows : !square
    %both = arith.mulf %scaled, %columns : !square
    %y16 = arith.truncf %both : !square to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !halves
    gpu.return
  }
}
