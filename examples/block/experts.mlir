// The products of a mixture of experts. Rows are sorted by expert, but not moved: row r of the sorted
// ones is `token[r]` of x, and what becomes of it is row `to[r]` of y. Products look both up as they
// read and write tiles (carousel.rows), so that no sorted copy is in memory.
//
// - @up: h[r, :] = silu(x[token[r], :] * w1[g]) * (x[token[r], :] * w2[g]), for the rows r of expert
//   g: offsets[g] <= r < offsets[g + 1].
// - @down: y[to[r], :] = scale[r] * (h[r, :] * w[g]). With to[r] = 2 * token + choice, the results of
//   a token are neighbours, and @combine adds them in the order of its choices.
// - @combine: z[t, :] = y[2 * t, :] + y[2 * t + 1, :].
//
// router.mlir makes these lists. Experts may have no rows, one, or thousands (grouped.mlir). Offsets ascend from 0. A number that is
// no row, as -1, is a row of zeros for @up, and @down writes nothing for it.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#row = affine_map<(p)[t, b] -> (b + (p - t) * 128)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#w1 = #carousel.argument<"w1", in>
#w2 = #carousel.argument<"w2", in>
#offsets = #carousel.argument<"offsets", in>
#token = #carousel.argument<"token", in>
#to = #carousel.argument<"to", in>
#scale = #carousel.argument<"scale", in>
#h = #carousel.argument<"h", in>
#h_out = #carousel.argument<"h", out>
#y = #carousel.argument<"y", in>
#y_out = #carousel.argument<"y", out>
#z = #carousel.argument<"z", out>
#program = #carousel.block_program<>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!weights = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!numbers = memref<?xi32, #gl>
!rows = memref<?xi64, #gl>
!part = memref<?xi64, strided<[1]>, #gl>
!scales = memref<?xf32, #gl>
!tile_x = vector<128x64xbf16>
!tile_w = vector<64x128xbf16>
!square = vector<128x128xf32>
!tile = vector<128x128xbf16>
!sums = vector<128x256xf32>
!wide_tile = vector<128x256xbf16>
!tall = vector<128x1xf32>
!line = vector<1024xf32>

gpu.module @experts {
  // The group of tile p, its first row, and the group's end; no rows if there is no such tile.
  func.func private @find(%offsets: !numbers, %groups: index, %p: index)
      -> (index, index, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %found:5 = scf.for %g = %c0 to %groups step %c1
        iter_args(%tile = %c0, %begin = %c0, %group = %c0, %row = %c0, %last = %c0)
        -> (index, index, index, index, index) {
      %after = arith.addi %g, %c1 : index
      %offset = memref.load %offsets[%after] : !numbers
      %end = arith.index_castui %offset : i32 to index
      %next = affine.apply affine_map<(t)[b, e] -> (t + (e - b) ceildiv 128)>(%tile)[%begin, %end]
      %has_begun = arith.cmpi sge, %p, %tile : index
      %isnt_behind = arith.cmpi slt, %p, %next : index
      %is_here = arith.andi %has_begun, %isnt_behind : i1
      %own = affine.apply #row(%p)[%tile, %begin]
      %0 = arith.select %is_here, %g, %group : index
      %1 = arith.select %is_here, %own, %row : index
      %2 = arith.select %is_here, %end, %last : index
      scf.yield %next, %end, %0, %1, %2 : index, index, index, index, index
    }
    return %found#2, %found#3, %found#4 : index, index, index
  }

  gpu.func @up(
      %x: !matrix {carousel.argument = #x}, %token: !rows {carousel.argument = #token},
      %w1: !weights {carousel.argument = #w1}, %w2: !weights {carousel.argument = #w2},
      %offsets: !numbers {carousel.argument = #offsets}, %h: !matrix {carousel.argument = #h_out})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(5, 1), 128), floordiv(extent(5, 0), 128) + extent(2, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %one = arith.constant dense<1.0> : !square
    %across = gpu.block_id x
    %p = gpu.block_id y
    %groups = memref.dim %w1, %c0 : !weights
    %g, %i, %end = func.call @find(%offsets, %groups, %p)
        : (!numbers, index, index) -> (index, index, index)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %k = memref.dim %x, %c1 : !matrix
    %has_rows = arith.cmpi slt, %i, %end : index
    %depth = arith.select %has_rows, %k, %c0 : index
    %rows = carousel.rows %x[%token] : !matrix, !rows
    %sums:2 = scf.for %d = %c0 to %depth step %c64 iter_args(%s = %zeros, %t = %zeros)
        -> (!square, !square) {
      %xt = vector.transfer_read %rows[%i, %d], %pad : !matrix, !tile_x
      %vt = vector.transfer_read %w1[%g, %d, %j], %pad : !weights, !tile_w
      %wt = vector.transfer_read %w2[%g, %d, %j], %pad : !weights, !tile_w
      %0 = vector.contract #product %xt, %vt, %s : !tile_x, !tile_w into !square
      %1 = vector.contract #product %xt, %wt, %t : !tile_x, !tile_w into !square
      scf.yield %0, %1 : !square, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %negated = arith.negf %sums#0 : !square
    %e = math.exp %negated fastmath<afn> : !square
    %below = arith.addf %e, %one : !square
    %silu = arith.divf %sums#0, %below fastmath<arcp> : !square
    %gated = arith.mulf %silu, %sums#1 : !square
    %n = memref.dim %h, %c1 : !matrix
    %own = memref.subview %h[0, 0] [%end, %n] [1, 1] : !matrix to !matrix
    %h16 = arith.truncf %gated : !square to !tile
    vector.transfer_write %h16, %own[%i, %j] : !tile, !matrix
    gpu.return
  }

  gpu.func @down(
      %h: !matrix {carousel.argument = #h}, %w: !weights {carousel.argument = #w},
      %offsets: !numbers {carousel.argument = #offsets},
      %to: !rows {carousel.argument = #to}, %scale: !scales {carousel.argument = #scale},
      %y: !matrix {carousel.argument = #y_out})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(5, 1), 256), floordiv(extent(0, 0), 128) + extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %p = gpu.block_id y
    %groups = memref.dim %w, %c0 : !weights
    %g, %i, %end = func.call @find(%offsets, %groups, %p)
        : (!numbers, index, index) -> (index, index, index)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %k = memref.dim %h, %c1 : !matrix
    %has_rows = arith.cmpi slt, %i, %end : index
    %depth = arith.select %has_rows, %k, %c0 : index
    %sum = scf.for %d = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %ht = vector.transfer_read %h[%i, %d], %pad : !matrix, !tile_x
      %wt = vector.transfer_read %w[%g, %d, %j], %pad : !weights, vector<64x256xbf16>
      %next = vector.contract #product %ht, %wt, %acc
          : !tile_x, vector<64x256xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %line = vector.transfer_read %scale[%i], %none : !scales, vector<128xf32>
    %tall = vector.shape_cast %line : vector<128xf32> to !tall
    %scales = vector.broadcast %tall : !tall to !sums
    %scaled = arith.mulf %sum, %scales : !sums
    // Positions behind the group's end belong to the next one.
    %last = memref.subview %to[0] [%end] [1] : !rows to !part
    %own = carousel.rows %y[%last] : !matrix, !part
    %y16 = arith.truncf %scaled : !sums to !wide_tile
    vector.transfer_write %y16, %own[%i, %j] : !wide_tile, !matrix
    gpu.return
  }

  gpu.func @combine(
      %y: !matrix {carousel.argument = #y}, %z: !matrix {carousel.argument = #z})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(1, 1), 1024), extent(1, 0)]>} {
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !line
    %across = gpu.block_id x
    %t = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 1024)>(%across)
    %i = affine.apply affine_map<(d) -> (d * 2)>(%t)
    %pair = vector.transfer_read %y[%i, %j], %pad : !matrix, vector<2x1024xbf16>
    %wide = arith.extf %pair : vector<2x1024xbf16> to vector<2x1024xf32>
    %sum = vector.multi_reduction <add>, %wide, %zeros [0] : vector<2x1024xf32> to !line
    %z16 = arith.truncf %sum : !line to vector<1024xbf16>
    vector.transfer_write %z16, %z[%t, %j] : vector<1024xbf16>, !matrix
    gpu.return
  }
}
