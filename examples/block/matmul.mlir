// Products of matrices by tensor cores, at the block phase. Factors go through rings, and sums
// stay in registers.
//
// - @matmul_gelu: y = gelu(a * b + bias). Where tiles are few and k is long, the CTAs of a cluster may
//   divide k (carousel.parts): the order of additions then depends on the extents.
// - @matmul_int8: y = a * (w * scale)^T. The weights w are 8-bit integers; each row of them has a
//   scale. They become bf16 on their way to the tensor cores.
// - @split_k: y = a * b, with K split among programs. Those of a tile of y take turns to add to
//   `work`; the last one writes y. The order of additions is always the same. Tickets number the
//   programs in the order in which they start.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#a = #carousel.argument<"a", in>
#b = #carousel.argument<"b", in>
#w = #carousel.argument<"w", in>
#bias = #carousel.argument<"bias", in>
#scale = #carousel.argument<"scale", in>
#y = #carousel.argument<"y", out>
#split = #carousel.argument<"split", in>
#work = #carousel.argument<"work", inout>
#turns = #carousel.argument<"turns", inout>
#tickets = #carousel.argument<"tickets", inout>
// What a ticket stands for: a tile of y, and a part of the products.
#split_tile = affine_map<(d)[s, p] -> (d floordiv s)>
#split_turn = affine_map<(d)[s] -> (d mod s)>
#split_row = affine_map<(d)[n] -> ((d floordiv (n ceildiv 256)) * 128)>
#split_column = affine_map<(d)[n] -> ((d mod (n ceildiv 256)) * 256)>
#split_begin = affine_map<(d)[s, k] -> (d * (k ceildiv (64 * s)) * 64)>
#split_end = affine_map<(d)[s, k] -> (k, (d + 1) * (k ceildiv (64 * s)) * 64)>
#product = {indexing_maps = [#mk, #kn, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}
#product_transposed = {indexing_maps = [#mk, #nk, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!weights = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!bias = memref<?xf32, #gl>
!scale = memref<?xbf16, #gl>
!work = memref<?x?xf32, #gl>
!turns = memref<?x32xi32, #gl>
!tickets = memref<?xi32, #gl>
!tile_a = vector<128x64xbf16>
!tile_b = vector<64x256xbf16>
!tile = vector<128x256xbf16>
!sums = vector<128x256xf32>
!parts = memref<128x256xf32, #ws>
// Of weights that threads convert: fewer columns, each for more rows.
!tall_a = vector<256x64xbf16>
!tile_w = vector<128x64xbf16>
!tile_w8 = vector<128x64xi8>
!tall = vector<256x128xbf16>
!tall_sums = vector<256x128xf32>

// Memory that the runtime allocates, and the grid: as many programs for each tile of y as `split`
// says.
#turns_memory = #carousel.workspace<[ceildiv(extent(2, 0), 128) * ceildiv(extent(2, 1), 256)]>
#work_memory = #carousel.workspace<[extent(2, 0), ceildiv(extent(2, 1), 4) * 4]>
#tickets_memory = #carousel.workspace<[1]>
#program = #carousel.block_program<>
#parts = #carousel.launch<grid = [
    ceildiv(extent(2, 0), 128) * ceildiv(extent(2, 1), 256) * scalar(3)]>
#tiles = #carousel.launch<grid = [ceildiv(extent(3, 1), 256), ceildiv(extent(3, 0), 128)]>
#tall_tiles = #carousel.launch<grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 256)]>

gpu.module @products {
  // A tile of a * b from %i and %j on, of a part of the products.
  func.func private @multiply(%a: !matrix, %b: !matrix, %i: index, %j: index, %begin: index,
                              %end: index) -> !sums {
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %sum = scf.for %k = %begin to %end step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %at = vector.transfer_read %a[%i, %k], %pad : !matrix, !tile_a
      %bt = vector.transfer_read %b[%k, %j], %pad : !matrix, !tile_b
      %next = vector.contract #product %at, %bt, %acc : !tile_a, !tile_b into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    return %sum : !sums
  }

  func.func private @write(%v: !sums, %y: !matrix, %i: index, %j: index) {
    %v16 = arith.truncf %v : !sums to !tile
    vector.transfer_write %v16, %y[%i, %j] : !tile, !matrix
    return
  }

  gpu.func @matmul_gelu(
      %a: !matrix {carousel.argument = #a}, %b: !matrix {carousel.argument = #b},
      %bias: !bias {carousel.argument = #bias}, %y: !matrix {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.parts = 8 : i64,
                         carousel.launch = #tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0.0 : f32
    %half = arith.constant dense<0.5> : !sums
    %rsqrt2 = arith.constant dense<0.707106769> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %a, %c1 : !matrix
    %sum = func.call @multiply(%a, %b, %i, %j, %c0, %depth)
        : (!matrix, !matrix, index, index, index, index) -> !sums
    %row = vector.transfer_read %bias[%j], %none : !bias, vector<256xf32>
    %rows = vector.broadcast %row : vector<256xf32> to !sums
    %v = arith.addf %sum, %rows : !sums
    %s = arith.mulf %v, %rsqrt2 : !sums
    %e = math.erf %s : !sums
    %h = arith.mulf %v, %half : !sums
    %g = math.fma %h, %e, %h : !sums
    func.call @write(%g, %y, %i, %j) : (!sums, !matrix, index, index) -> ()
    gpu.return
  }

  gpu.func @matmul_int8(
      %a: !matrix {carousel.argument = #a}, %w: !weights {carousel.argument = #w},
      %scale: !scale {carousel.argument = #scale}, %y: !matrix {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #tall_tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %pad8 = arith.constant 0 : i8
    %zeros = arith.constant dense<0.0> : !tall_sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %a, %c1 : !matrix
    %s = vector.transfer_read %scale[%j], %pad : !scale, vector<128xbf16>
    %columns = vector.broadcast %s : vector<128xbf16> to vector<64x128xbf16>
    %scales = vector.transpose %columns, [1, 0] : vector<64x128xbf16> to !tile_w
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!tall_sums) {
      %at = vector.transfer_read %a[%i, %k], %pad : !matrix, !tall_a
      %wt = vector.transfer_read %w[%j, %k], %pad8 : !weights, !tile_w8
      %w16 = arith.sitofp %wt : !tile_w8 to !tile_w
      %ws = arith.mulf %w16, %scales : !tile_w
      %next = vector.contract #product_transposed %at, %ws, %acc : !tall_a, !tile_w into !tall_sums
      scf.yield %next : !tall_sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %v16 = arith.truncf %sum : !tall_sums to !tall
    vector.transfer_write %v16, %y[%i, %j] : !tall, !matrix
    gpu.return
  }

  gpu.func @split_k(
      %a: !matrix {carousel.argument = #a}, %b: !matrix {carousel.argument = #b},
      %y: !matrix {carousel.argument = #y}, %split: index {carousel.argument = #split},
      %work: !work {carousel.argument = #work, carousel.workspace = #work_memory},
      %turns: !turns {carousel.argument = #turns, carousel.workspace = #turns_memory},
      %tickets: !tickets {carousel.argument = #tickets, carousel.workspace = #tickets_memory})
      kernel attributes {carousel.block_program = #program, carousel.launch = #parts} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0.0 : f32
    %blocks = gpu.grid_dim x
    %n = memref.dim %y, %c1 : !matrix
    %depth = memref.dim %a, %c1 : !matrix
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !tickets
    %t = affine.apply #split_tile(%ticket)[%split, %n]
    %turn = affine.apply #split_turn(%ticket)[%split]
    %i = affine.apply #split_row(%t)[%n]
    %j = affine.apply #split_column(%t)[%n]
    %begin = affine.apply #split_begin(%turn)[%split, %depth]
    %end = affine.min #split_end(%turn)[%split, %depth]
    %own = memref.alloc() {alignment = 1024 : i64} : !parts
    %sum = func.call @multiply(%a, %b, %i, %j, %begin, %end)
        : (!matrix, !matrix, index, index, index, index) -> !sums
    vector.transfer_write %sum, %own[%c0, %c0] {in_bounds = [true, true]} : !sums, !parts
    %is_last = carousel.serialize %turns[%t, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %own into %work[%i, %j] reduce<add f32> first(%first) last(%last)
          swizzle(b64) : !parts, !work
      carousel.pass_turn %last : i1
    } : !turns -> i1
    scf.if %is_last {
      %all = vector.transfer_read %own[%c0, %c0], %none {in_bounds = [true, true]} : !parts, !sums
      func.call @write(%all, %y, %i, %j) : (!sums, !matrix, index, index) -> ()
    }
    gpu.return
  }
}
