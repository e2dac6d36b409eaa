// Products with what is fused to them, in one kernel each. Their results alone go to memory.
//
// - @gated: y = silu(x * w1) * (x * w2), the gate of a transformer's MLP. Tiles of x are read once
//   for both products.
// - @residual: y = x * w + r. The tile of y has r first, which comes while the product is computed
//   (docs/BlockPhase.md, Products).
// - @norm_residual: y = rmsnorm(x) * g * w + r, where g scales the columns of x. The loop also sums
//   the squares of the rows, which are scaled after the product: x is read once.

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
#g = #carousel.argument<"g", in>
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
!scales = memref<?xbf16, #gl>
!tile_x32 = vector<128x64xf32>
!line = vector<128xf32>

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

  // 1 / sqrt(the mean of n numbers), of the sums of their squares, for each row of a tile.
  func.func private @scale_rows(%squares: !line, %n: index) -> !wide {
    %epsilon = arith.constant dense<1.0e-6> : !line
    %n32 = arith.index_cast %n : index to i32
    %count = arith.sitofp %n32 : i32 to f32
    %counts = vector.broadcast %count : f32 to !line
    %mean = arith.divf %squares, %counts : !line
    %shifted = arith.addf %mean, %epsilon : !line
    %scale = math.rsqrt %shifted : !line
    %column = vector.shape_cast %scale : !line to vector<128x1xf32>
    %rows = vector.broadcast %column : vector<128x1xf32> to !wide
    return %rows : !wide
  }

  gpu.func @norm_residual(
      %x: !halves {carousel.argument = #x}, %g: !scales {carousel.argument = #g},
      %w: !halves {carousel.argument = #w}, %r: !halves {carousel.argument = #r},
      %y: !halves {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(4, 1), 256), ceildiv(extent(4, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !wide
    %none = arith.constant dense<0.0> : !line
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !halves
    %sum, %squares = scf.for %k = %c0 to %depth step %c64 iter_args(%s = %zeros, %q = %none)
        -> (!wide, !line) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !halves, !tile_x
      %wt = vector.transfer_read %w[%k, %j], %pad : !halves, !wide_w
      %gt = vector.transfer_read %g[%k], %pad : !scales, vector<64xbf16>
      %gs = vector.broadcast %gt : vector<64xbf16> to !tile_x
      %xg = arith.mulf %xt, %gs : !tile_x
      %next = vector.contract #plain %xg, %wt, %s : !tile_x, !wide_w into !wide
      %x32 = arith.extf %xt : !tile_x to !tile_x32
      %square = arith.mulf %x32, %x32 : !tile_x32
      %more = vector.multi_reduction <add>, %square, %q [1] : !tile_x32 to !line
      scf.yield %next, %more : !wide, !line
    } {carousel.pipeline = #carousel.pipeline<>}
    %scales = func.call @scale_rows(%squares, %depth) : (!line, index) -> !wide
    %scaled = arith.mulf %sum, %scales : !wide
    %r16 = vector.transfer_read %r[%i, %j], %pad : !halves, !wide_tile
    %r32 = arith.extf %r16 : !wide_tile to !wide
    %all = arith.addf %scaled, %r32 : !wide
    %y16 = arith.truncf %all : !wide to !wide_tile
    vector.transfer_write %y16, %y[%i, %j] : !wide_tile, !halves
    gpu.return
  }
}

!host = memref<?x?xbf16, strided<[?, 1], offset: ?>>

// An element at a time, in the order of k.
func.func @norm_residual_reference(%x: !host, %g: memref<?xbf16>, %w: !host, %r: !host, %y: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-6 : f32
  %rows = memref.dim %y, %c0 : !host
  %columns = memref.dim %y, %c1 : !host
  %depth = memref.dim %x, %c1 : !host
  %n32 = arith.index_cast %depth : index to i32
  %count = arith.sitofp %n32 : i32 to f32
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum, %squares = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %none, %q = %none) -> (f32, f32) {
        %x16 = memref.load %x[%i, %k] : !host
        %g16 = memref.load %g[%k] : memref<?xbf16>
        %w16 = memref.load %w[%k, %j] : !host
        %xg = arith.mulf %x16, %g16 : bf16
        %xg32 = arith.extf %xg : bf16 to f32
        %w32 = arith.extf %w16 : bf16 to f32
        %product = arith.mulf %xg32, %w32 : f32
        %next = arith.addf %s, %product : f32
        %x32 = arith.extf %x16 : bf16 to f32
        %square = arith.mulf %x32, %x32 : f32
        %more = arith.addf %q, %square : f32
        scf.yield %next, %more : f32, f32
      }
      %mean = arith.divf %squares, %count : f32
      %shifted = arith.addf %mean, %epsilon : f32
      %scale = math.rsqrt %shifted : f32
      %scaled = arith.mulf %sum, %scale : f32
      %r16 = memref.load %r[%i, %j] : !host
      %r32 = arith.extf %r16 : bf16 to f32
      %all = arith.addf %scaled, %r32 : f32
      %y16 = arith.truncf %all : f32 to bf16
      memref.store %y16, %y[%i, %j] : !host
    }
  }
  return
}
