// A product of 8-bit floats with scales of blocks, z = x * w^T: each 1 x 128 of x has a scale, and
// each 128 x 128 of w. A part of 128 of k begins with no sums, so that its sums can be scaled and
// added to those of the parts before it, in f32. Scales of x are k / 128 x m: those of a column are
// neighbours, and a copy brings them.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#transposed = {indexing_maps = [#mk, #nk, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#sx = #carousel.argument<"sx", in>
#sw = #carousel.argument<"sw", in>
#z = #carousel.argument<"z", out>

!halves = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!floats8 = memref<?x?xf8E4M3FN, strided<[?, 1], offset: ?>, #gl>
!scales = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tile8 = vector<128x128xf8E4M3FN>
!square = vector<128x128xf32>
!tile = vector<128x128xbf16>
!tall = vector<128x1xf32>

gpu.module @products {
  gpu.func @block_scales(
      %x: !floats8 {carousel.argument = #x}, %w: !floats8 {carousel.argument = #w},
      %sx: !scales {carousel.argument = #sx}, %sw: !scales {carousel.argument = #sw},
      %z: !halves {carousel.argument = #z})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
        carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(4, 1), 128), ceildiv(extent(4, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad8 = arith.constant 0.0 : f8E4M3FN
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !floats8
    %sum = scf.for %k = %c0 to %depth step %c128 iter_args(%acc = %zeros) -> (!square) {
      %xt = vector.transfer_read %x[%i, %k], %pad8 : !floats8, !tile8
      %wt = vector.transfer_read %w[%j, %k], %pad8 : !floats8, !tile8
      %part = vector.contract #transposed %xt, %wt, %zeros : !tile8, !tile8 into !square
      %kb = arith.divui %k, %c128 : index
      %line = vector.transfer_read %sx[%kb, %i], %pad : !scales, vector<128xf32>
      %rows = vector.shape_cast %line : vector<128xf32> to !tall
      %block = memref.load %sw[%across, %kb] : !scales
      %blocks = vector.broadcast %block : f32 to !tall
      %scale = arith.mulf %rows, %blocks : !tall
      %scales = vector.broadcast %scale : !tall to !square
      %next = math.fma %part, %scales, %acc : !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %z16 = arith.truncf %sum : !square to !tile
    vector.transfer_write %z16, %z[%i, %j] : !tile, !halves
    gpu.return
  }
}
