// A product for each group of rows, as a mixture of experts has it: z[r, :] = x[r, :] * w[g] for
// offsets[g] <= r < offsets[g + 1]. Groups may be empty, have one row, or thousands of them. Rows
// from the last offset on stay as they are. Offsets ascend from 0, and there are up to 256 groups.
//
// A group has as many tiles of 128 rows as it needs. The tiles of group g have numbers from
// offsets[g] / 128 + g on: no group has more than its length / 128 + 1, so that numbers don't
// overlap, and some belong to none. The grid is one that the host knows.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#first_tile = affine_map<(b, g) -> (b floordiv 128 + g)>
#row = affine_map<(p)[b, g] -> (b + (p - b floordiv 128 - g) * 128)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#offsets = #carousel.argument<"offsets", in>
#z = #carousel.argument<"z", out>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!weights = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!offsets = memref<?xi32, #gl>
!sums = vector<128x256xf32>

gpu.module @experts {
  func.func private @read(%offsets: !offsets, %g: index) -> index {
    %offset = memref.load %offsets[%g] : !offsets
    %row = arith.index_castui %offset : i32 to index
    return %row : index
  }

  // The last group whose first tile isn't behind p, by bisection.
  func.func private @find_group(%offsets: !offsets, %groups: index, %p: index) -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %g = scf.for %s = %c0 to %c8 step %c1 iter_args(%low = %c0) -> (index) {
      %step = arith.shrui %c128, %s : index
      %m = affine.min affine_map<(l, s)[n] -> (l + s, n)>(%low, %step)[%groups]
      %begin = func.call @read(%offsets, %m) : (!offsets, index) -> index
      %first = affine.apply #first_tile(%begin, %m)
      %isnt_behind = arith.cmpi sle, %first, %p : index
      %next = arith.select %isnt_behind, %m, %low : index
      scf.yield %next : index
    }
    return %g : index
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
    %g = func.call @find_group(%offsets, %groups, %p) : (!offsets, index, index) -> index
    %after = arith.addi %g, %c1 : index
    %begin = func.call @read(%offsets, %g) : (!offsets, index) -> index
    %end = func.call @read(%offsets, %after) : (!offsets, index) -> index
    %i = affine.apply #row(%p)[%begin, %g]
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
}
