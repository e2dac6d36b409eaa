// A product for each group of rows, as a mixture of experts has it: z[r, :] = x[r, :] * w[g] for
// offsets[g] <= r < offsets[g + 1]. Groups may be empty, have one row, or thousands of them. Rows
// from the last offset on stay as they are. Offsets ascend from 0.
//
// A group has as many tiles of 128 rows as it needs, and each program looks for its own. The grid is
// one that the host knows: an upper bound, whose last programs have no tile. @grouped_weights is the
// gradient of w.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#weights = {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#row = affine_map<(p)[t, b] -> (b + (p - t) * 128)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#offsets = #carousel.argument<"offsets", in>
#z = #carousel.argument<"z", out>
#y = #carousel.argument<"y", in>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!weights = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!offsets = memref<?xi32, #gl>
!sums = vector<128x256xf32>
!square = vector<128x128xf32>
!full = vector<64x128xbf16>
!few = vector<16x128xbf16>

gpu.module @experts {
  // The group of tile p, its first row, and the group's end; no rows if there is no such tile.
  func.func private @find(%offsets: !offsets, %groups: index, %p: index)
      -> (index, index, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %found:5 = scf.for %g = %c0 to %groups step %c1
        iter_args(%tile = %c0, %begin = %c0, %group = %c0, %row = %c0, %last = %c0)
        -> (index, index, index, index, index) {
      %after = arith.addi %g, %c1 : index
      %offset = memref.load %offsets[%after] : !offsets
      %end = arith.index_castui %offset : i32 to index
      %ascends = arith.cmpi sle, %begin, %end : index
      cf.assert %ascends, "expected offsets that ascend"
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
    // No tile begins before the first row, so that results may go through tiles.
    %least = arith.maxsi %found#3, %c0 : index
    return %found#2, %least, %found#4 : index, index, index
  }

  gpu.func @grouped(
      %x: !matrix {carousel.argument = #x}, %w: !weights {carousel.argument = #w},
      %offsets: !offsets {carousel.argument = #offsets}, %z: !matrix {carousel.argument = #z})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [
        ceildiv(extent(3, 1), 256), floordiv(extent(0, 0), 128) + extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %p = gpu.block_id y
    %groups = memref.dim %w, %c0 : !weights
    %g, %i, %end = func.call @find(%offsets, %groups, %p)
        : (!offsets, index, index) -> (index, index, index)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    // A tile of no rows has no products, either.
    %k = memref.dim %x, %c1 : !matrix
    %has_rows = arith.cmpi slt, %i, %end : index
    %depth = arith.select %has_rows, %k, %c0 : index
    %sum = scf.for %d = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %d], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%g, %d, %j], %pad : !weights, vector<64x256xbf16>
      %next = vector.contract #product %xt, %wt, %acc
          : vector<128x64xbf16>, vector<64x256xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    // Rows behind the group's end belong to the next one.
    %n = memref.dim %z, %c1 : !matrix
    %own = memref.subview %z[0, 0] [%end, %n] [1, 1] : !matrix to !matrix
    %z16 = arith.truncf %sum : !sums to vector<128x256xbf16>
    vector.transfer_write %z16, %own[%i, %j] : vector<128x256xbf16>, !matrix
    gpu.return
  }

  // The gradient of the weights: z[g] is the sum of the outer products of x[r, :] and y[r, :] for
  // the rows r of group g, and zero of an empty group. No product has rows of other groups: tiles
  // of the first loop are full, and those of the second one end where the group does.
  gpu.func @grouped_weights(
      %x: !matrix {carousel.argument = #x}, %y: !matrix {carousel.argument = #y},
      %offsets: !offsets {carousel.argument = #offsets}, %z: !weights {carousel.argument = #z})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [
        ceildiv(extent(3, 2), 128), ceildiv(extent(3, 1), 128), extent(3, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %g = gpu.block_id z
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %after = affine.apply affine_map<(g) -> (g + 1)>(%g)
    %b32 = memref.load %offsets[%g] : !offsets
    %e32 = memref.load %offsets[%after] : !offsets
    %begin = arith.index_castui %b32 : i32 to index
    %behind = arith.index_castui %e32 : i32 to index
    %end = arith.maxsi %begin, %behind : index
    %full = affine.apply affine_map<()[b, e] -> (e - (e - b) mod 64)>()[%begin, %end]
    %m = memref.dim %x, %c1 : !matrix
    %n = memref.dim %y, %c1 : !matrix
    %sum = scf.for %d = %begin to %full step %c64 iter_args(%acc = %zeros) -> (!square) {
      %xt = vector.transfer_read %x[%d, %i], %pad : !matrix, !full
      %yt = vector.transfer_read %y[%d, %j], %pad : !matrix, !full
      %next = vector.contract #weights %xt, %yt, %acc : !full, !full into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %xown = memref.subview %x[0, 0] [%end, %m] [1, 1] : !matrix to !matrix
    %yown = memref.subview %y[0, 0] [%end, %n] [1, 1] : !matrix to !matrix
    %whole = scf.for %d = %full to %end step %c16 iter_args(%acc = %sum) -> (!square) {
      %xt = vector.transfer_read %xown[%d, %i], %pad : !matrix, !few
      %yt = vector.transfer_read %yown[%d, %j], %pad : !matrix, !few
      %next = vector.contract #weights %xt, %yt, %acc : !few, !few into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %z16 = arith.truncf %whole : !square to vector<128x128xbf16>
    vector.transfer_write %z16, %z[%g, %i, %j] : vector<128x128xbf16>, !weights
    gpu.return
  }
}
