// Products of matrices by tensor cores, at the block phase. Each program computes a tile of 128x128.
//
// - @matmul_gelu: y = gelu(a * b + bias).

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile_a = vector<128x64xbf16>
!tile_b = vector<64x128xbf16>
!tile = vector<128x128xbf16>
!sums = vector<128x128xf32>

gpu.module @products {
  gpu.func @matmul_gelu(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %bias: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"bias", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 128)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %half = arith.constant dense<0.5> : !sums
    %rsqrt2 = arith.constant dense<0.707106769> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = arith.muli %down, %c128 : index
    %j = arith.muli %across, %c128 : index
    %depth = memref.dim %a, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %at = vector.transfer_read %a[%i, %k], %pad : !matrix, !tile_a
      %bt = vector.transfer_read %b[%k, %j], %pad : !matrix, !tile_b
      %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %at, %bt, %acc : !tile_a, !tile_b into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %row = vector.transfer_read %bias[%j], %none : memref<?xf32, #gl>, vector<128xf32>
    %rows = vector.broadcast %row : vector<128xf32> to !sums
    %v = arith.addf %sum, %rows : !sums
    %s = arith.mulf %v, %rsqrt2 : !sums
    %e = math.erf %s : !sums
    %h = arith.mulf %v, %half : !sums
    %g = math.fma %h, %e, %h : !sums
    %y16 = arith.truncf %g : !sums to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    gpu.return
  }
}
