// The products of a mixture of experts, after router.mlir: three kernels from tokens to sums. Rows are
// sorted by expert, but not moved: row r of the sorted ones is row `token[r]` of x and of z. Products
// look it up as they read and write tiles (carousel.rows), so that no sorted copy is in memory.
//
// - @up: h[r, :] = silu(x[token[r], :] * w_up[g, 0]^T) * (x[token[r], :] * w_up[g, 1]^T), for the rows
//   r of expert g. Tiles of both matrices lie next to each other, and are one factor of 256 columns.
// - @down: z[token[r], :] += scale[r] * (h[r, :] * w_down[g]^T), rounded to bf16. The router has
//   cleared z.
//   A token has two rows. The first addition to zero is exact, and the sum of two numbers doesn't
//   depend on their order: the bits are the same in each launch, though no program waits.
//
// tiles[:, p] are the expert of tile p, its first row, and the end of the expert's rows. Experts may
// have no rows, one, or thousands. A number that is no row, as -1, is a row of zeros for @up, and
// @down writes nothing for it.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w_up = #carousel.argument<"w_up", in>
#w_down = #carousel.argument<"w_down", in>
#tiles = #carousel.argument<"tiles", in>
#token = #carousel.argument<"token", in>
#scale = #carousel.argument<"scale", in>
#h = #carousel.argument<"h", in>
#h_out = #carousel.argument<"h", out>
#z = #carousel.argument<"z", inout>
#program = #carousel.block_program<>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!pairs = memref<?x2x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>, #gl>
!weights = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!tiles = memref<3x?xi32, #gl>
!rows = memref<?xi32, #gl>
!part = memref<?xi32, strided<[1]>, #gl>
!scales = memref<?xf32, #gl>
!tile_x = vector<128x64xbf16>
!tile_w = vector<256x64xbf16>
!boxes = vector<2x128x64xbf16>
!sums = vector<128x256xf32>
!square = vector<128x128xf32>
!tall = vector<128x1xf32>

gpu.module @experts {
  // The expert of tile p, its first row, and the end of the expert's rows. Neither is negative.
  func.func private @find(%tiles: !tiles, %p: index) -> (index, index, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0 = memref.load %tiles[%c0, %p] : !tiles
    %1 = memref.load %tiles[%c1, %p] : !tiles
    %2 = memref.load %tiles[%c2, %p] : !tiles
    %g = arith.index_castui %0 : i32 to index
    %i = arith.index_castui %1 : i32 to index
    %end = arith.index_castui %2 : i32 to index
    return %g, %i, %end : index, index, index
  }

  // A tile without rows has no depth.
  func.func private @depth(%k: index, %i: index, %end: index) -> index {
    %c0 = arith.constant 0 : index
    %has_rows = arith.cmpi ult, %i, %end : index
    %depth = arith.select %has_rows, %k, %c0 : index
    return %depth : index
  }

  // silu(the left half of the columns) * the right half
  func.func private @gate(%sums: !sums) -> !square {
    %one = arith.constant dense<1.0> : !square
    %a = vector.extract_strided_slice %sums {offsets = [0, 0], sizes = [128, 128], strides = [1, 1]}
        : !sums to !square
    %b = vector.extract_strided_slice %sums
        {offsets = [0, 128], sizes = [128, 128], strides = [1, 1]} : !sums to !square
    %negated = arith.negf %a : !square
    %e = math.exp %negated fastmath<afn> : !square
    %below = arith.addf %e, %one : !square
    %silu = arith.divf %a, %below fastmath<arcp> : !square
    %gated = arith.mulf %silu, %b : !square
    return %gated : !square
  }

  gpu.func @up(
      %x: !matrix {carousel.argument = #x}, %token: !rows {carousel.argument = #token},
      %w: !pairs {carousel.argument = #w_up}, %tiles: !tiles {carousel.argument = #tiles},
      %h: !matrix {carousel.argument = #h_out})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(4, 1), 128), extent(3, 1)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %p = gpu.block_id y
    %g, %i, %end = func.call @find(%tiles, %p) : (!tiles, index) -> (index, index, index)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %k = memref.dim %x, %c1 : !matrix
    %depth = func.call @depth(%k, %i, %end) : (index, index, index) -> index
    %rows = carousel.rows %x[%token] : !matrix, !rows
    %sums = scf.for %d = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %rows[%i, %d], %pad : !matrix, !tile_x
      %both = vector.transfer_read %w[%g, %c0, %j, %d], %pad : !pairs, !boxes
      %wt = vector.shape_cast %both : !boxes to !tile_w
      %next = vector.contract #product %xt, %wt, %acc : !tile_x, !tile_w into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %gated = func.call @gate(%sums) : (!sums) -> !square
    %n = memref.dim %h, %c1 : !matrix
    %own = memref.subview %h[0, 0] [%end, %n] [1, 1] : !matrix to !matrix
    %h16 = arith.truncf %gated : !square to vector<128x128xbf16>
    vector.transfer_write %h16, %own[%i, %j] : vector<128x128xbf16>, !matrix
    gpu.return
  }

  gpu.func @down(
      %h: !matrix {carousel.argument = #h}, %w: !weights {carousel.argument = #w_down},
      %tiles: !tiles {carousel.argument = #tiles}, %token: !rows {carousel.argument = #token},
      %scale: !scales {carousel.argument = #scale}, %z: !matrix {carousel.argument = #z})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(5, 1), 256), extent(2, 1)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %p = gpu.block_id y
    %g, %i, %end = func.call @find(%tiles, %p) : (!tiles, index) -> (index, index, index)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %k = memref.dim %h, %c1 : !matrix
    %depth = func.call @depth(%k, %i, %end) : (index, index, index) -> index
    %sum = scf.for %d = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %ht = vector.transfer_read %h[%i, %d], %pad : !matrix, !tile_x
      %wt = vector.transfer_read %w[%g, %j, %d], %pad : !weights, !tile_w
      %next = vector.contract #product %ht, %wt, %acc : !tile_x, !tile_w into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %line = vector.transfer_read %scale[%i], %none : !scales, vector<128xf32>
    %tall = vector.shape_cast %line : vector<128xf32> to !tall
    %scales = vector.broadcast %tall : !tall to !sums
    %scaled = arith.mulf %sum, %scales : !sums
    // Positions behind the group's end belong to the next one.
    %last = memref.subview %token[0] [%end] [1] : !rows to !part
    %own = carousel.rows %z[%last] reduce<add bf16> : !matrix, !part
    %z16 = arith.truncf %scaled : !sums to vector<128x256xbf16>
    vector.transfer_write %z16, %own[%i, %j] : vector<128x256xbf16>, !matrix
    gpu.return
  }
}
