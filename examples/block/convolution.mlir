// y = conv2d(x, w), 3 x 3, stride 1, padding 1, channels last: x is images x height x width x
// channels, w is 3 x 3 x channels x filters. It is a product of pixels and filters, for each tap and
// 64 channels: the pixels of a tile are a box of 8 x 16 of the image, which begins before the image
// or ends after it where the padding is.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}
#box = affine_map<(n, h, w, c) -> (h, w, c)>
#filter = affine_map<(r, s, c, f) -> (c, f)>
!image = memref<?x?x?x?xbf16, strided<[?, ?, ?, 1], offset: ?>, #gl>
!pixels = vector<8x16x64xbf16>
!tile_x = vector<128x64xbf16>
!tile_w = vector<64x128xbf16>
!sums = vector<128x128xf32>
!tile_y = vector<128x128xbf16>
!result = vector<8x16x128xbf16>

gpu.module @convolutions {
  gpu.func @conv3x3(
      %x: !image {carousel.argument = #carousel.argument<"x", in>},
      %w: !image {carousel.argument = #carousel.argument<"w", in>},
      %y: !image {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 3), 128),
        ceildiv(extent(2, 2), 16) * ceildiv(extent(2, 1), 8), extent(2, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %t = gpu.block_id y
    %b = gpu.block_id z
    %width = memref.dim %y, %c2 : !image
    %f = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %i = affine.apply affine_map<(d)[w] -> ((d floordiv (w ceildiv 16)) * 8)>(%t)[%width]
    %j = affine.apply affine_map<(d)[w] -> ((d mod (w ceildiv 16)) * 16)>(%t)[%width]
    %depth = memref.dim %x, %c3 : !image
    %sum = scf.for %r = %c0 to %c3 step %c1 iter_args(%ar = %none) -> (!sums) {
      %of_row = scf.for %s = %c0 to %c3 step %c1 iter_args(%as = %ar) -> (!sums) {
        %h = affine.apply affine_map<(d, r) -> (d + r - 1)>(%i, %r)
        %v = affine.apply affine_map<(d, r) -> (d + r - 1)>(%j, %s)
        %of_pixel = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %as) -> (!sums) {
          %xb = vector.transfer_read %x[%b, %h, %v, %k], %pad {permutation_map = #box}
              : !image, !pixels
          %xt = vector.shape_cast %xb : !pixels to !tile_x
          %wt = vector.transfer_read %w[%r, %s, %k, %f], %pad {permutation_map = #filter}
              : !image, !tile_w
          %next = vector.contract #product %xt, %wt, %acc : !tile_x, !tile_w into !sums
          scf.yield %next : !sums
        } {carousel.pipeline = #carousel.pipeline<>}
        scf.yield %of_pixel : !sums
      }
      scf.yield %of_row : !sums
    }
    %y16 = arith.truncf %sum : !sums to !tile_y
    %yb = vector.shape_cast %y16 : !tile_y to !result
    vector.transfer_write %yb, %y[%b, %i, %j, %f] {permutation_map = #box} : !result, !image
    gpu.return
  }
}
