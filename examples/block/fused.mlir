// Products with what is fused to them, in one kernel each. Their results alone go to memory.
//
// - @gated: y = silu(x * w1) * (x * w2), the gate of a transformer's MLP. Tiles of x are read once
//   for both products.
// - @residual: y = x * w + r. A thread reads r, adds and writes piece by piece: its registers are
//   full of sums (docs/BlockPhase.md, Products).

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#plain = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#w1 = #carousel.argument<"w1", in>
#w2 = #carousel.argument<"w2", in>
#r = #carousel.argument<"r", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>

!halves = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile_x = vector<128x64xbf16>
!tile_w = vector<64x128xbf16>
!tile = vector<128x128xbf16>
!square = vector<128x128xf32>
!wide_w = vector<64x256xbf16>
!wide_tile = vector<128x256xbf16>
!wide = vector<128x256xf32>

gpu.module @fused {
  gpu.func @gated(
      %x: !halves {carousel.argument = #x}, %w1: !halves {carousel.argument = #w1},
      %w2: !halves {carousel.argument = #w2}, %y: !halves {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %one = arith.constant dense<1.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !halves
    %sums:2 = scf.for %k = %c0 to %depth step %c64 iter_args(%s = %zeros, %t = %zeros)
        -> (!square, !square) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !halves, !tile_x
      %vt = vector.transfer_read %w1[%k, %j], %pad : !halves, !tile_w
      %wt = vector.transfer_read %w2[%k, %j], %pad : !halves, !tile_w
      %0 = vector.contract #plain %xt, %vt, %s : !tile_x, !tile_w into !square
      %1 = vector.contract #plain %xt, %wt, %t : !tile_x, !tile_w into !square
      scf.yield %0, %1 : !square, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %negated = arith.negf %sums#0 : !square
    %e = math.exp %negated fastmath<afn> : !square
    %below = arith.addf %e, %one : !square
    %silu = arith.divf %sums#0, %below fastmath<arcp> : !square
    %gated = arith.mulf %silu, %sums#1 : !square
    %y16 = arith.truncf %gated : !square to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !halves
    gpu.return
  }

  gpu.func @residual(
      %x: !halves {carousel.argument = #x}, %w: !halves {carousel.argument = #w},
      %r: !halves {carousel.argument = #r}, %y: !halves {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 1), 256), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !wide
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !halves
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!wide) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !halves, !tile_x
      %wt = vector.transfer_read %w[%k, %j], %pad : !halves, !wide_w
      %next = vector.contract #plain %xt, %wt, %acc : !tile_x, !wide_w into !wide
      scf.yield %next : !wide
    } {carousel.pipeline = #carousel.pipeline<>}
    %r16 = vector.transfer_read %r[%i, %j], %pad : !halves, !wide_tile
    %r32 = arith.extf %r16 : !wide_tile to !wide
    %all = arith.addf %sum, %r32 : !wide
    %y16 = arith.truncf %all : !wide to !wide_tile
    vector.transfer_write %y16, %y[%i, %j] : !wide_tile, !halves
    gpu.return
  }
}
