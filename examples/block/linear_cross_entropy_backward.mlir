// The gradients of linear_cross_entropy.mlir, without the logits in memory: of x, with a row for each
// token, and of w, with one for each word. The words go in chunks, for each of which these kernels
// run one after the other; only the gradients of a chunk's logits are in memory.
//
// - @dlogits: d = (exp(x * w^T - lse) - (the label is this word ? 1 : 0)) * g, from the logits that
//   it computes again. `lse` has the logarithm of each row's sum of exp (@combine), `g` the gradient
//   of each row's loss, and `first` is the number of the chunk's first word. The gradient of a token
//   that doesn't count is 0.
// - @dw: dw = d^T * x. The chunk's rows are complete.
// - @dx: sums = sums + d * w, in f32. All chunks add to them, in their order; they are 0 before.
//
// Of chunks of tokens, dx would be complete, and all chunks would add to dw, which is larger by the
// number of words for each token: 128256 words in place of 8192 tokens.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#first_transposed = {indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
    affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
#second_transposed = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#label = #carousel.argument<"label", in>
#lse = #carousel.argument<"lse", in>
#g = #carousel.argument<"g", in>
#first = #carousel.argument<"first", in>
#written = #carousel.argument<"d", out>
#read = #carousel.argument<"d", in>
#dw = #carousel.argument<"dw", out>
#sums = #carousel.argument<"sums", inout>
#program = #carousel.block_program<>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!sums = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!labels = memref<?xi32, #gl>
!numbers = memref<?xf32, #gl>
!square = vector<128x256xf32>
!tile = vector<128x256xbf16>
!ids = vector<128x256xi32>
!row = vector<128xf32>

gpu.module @losses {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  // 1 at the label of each row, for words from `first` on.
  func.func private @mark(%labels: vector<128xi32>, %first: index) -> !square {
    %ones = arith.constant dense<1.0> : !square
    %zeros = arith.constant dense<0.0> : !square
    %first32 = arith.index_cast %first : index to i32
    %steps = vector.step : vector<256xindex>
    %steps32 = arith.index_cast %steps : vector<256xindex> to vector<256xi32>
    %firsts = vector.broadcast %first32 : i32 to vector<256xi32>
    %ids = arith.addi %firsts, %steps32 : vector<256xi32>
    %all = vector.broadcast %ids : vector<256xi32> to !ids
    %tall = vector.shape_cast %labels : vector<128xi32> to vector<128x1xi32>
    %own = vector.broadcast %tall : vector<128x1xi32> to !ids
    %is_own = arith.cmpi eq, %all, %own : !ids
    %marks = arith.select %is_own, %ones, %zeros : vector<128x256xi1>, !square
    return %marks : !square
  }

  gpu.func @dlogits(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %label: !labels {carousel.argument = #label}, %lse: !numbers {carousel.argument = #lse},
      %g: !numbers {carousel.argument = #g}, %first: index {carousel.argument = #first},
      %d: !matrix {carousel.argument = #written})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(6, 1), 256), ceildiv(extent(6, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %no_word = arith.constant -1 : i32
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %z = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!square) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%j, %k], %pad : !matrix, vector<256x64xbf16>
      %next = vector.contract #second_transposed %xt, %wt, %acc
          : vector<128x64xbf16>, vector<256x64xbf16> into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %lses = vector.transfer_read %lse[%i], %none : !numbers, !row
    %gs = vector.transfer_read %g[%i], %none : !numbers, !row
    %labels = vector.transfer_read %label[%i], %no_word : !labels, vector<128xi32>
    %word = arith.addi %first, %j : index
    %marks = func.call @mark(%labels, %word) : (vector<128xi32>, index) -> !square
    %all_lses = func.call @spread(%lses) : (!row) -> !square
    %all_gs = func.call @spread(%gs) : (!row) -> !square
    %below = arith.subf %z, %all_lses : !square
    %softmax = math.exp %below fastmath<afn> : !square
    %change = arith.subf %softmax, %marks : !square
    %r = arith.mulf %change, %all_gs : !square
    %d16 = arith.truncf %r : !square to !tile
    vector.transfer_write %d16, %d[%i, %j] : !tile, !matrix
    gpu.return
  }

  gpu.func @dw(
      %d: !matrix {carousel.argument = #read}, %x: !matrix {carousel.argument = #x},
      %dw: !matrix {carousel.argument = #dw})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 256), ceildiv(extent(2, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %tokens = memref.dim %x, %c0 : !matrix
    %sum = scf.for %k = %c0 to %tokens step %c64 iter_args(%acc = %zeros) -> (!square) {
      %dt = vector.transfer_read %d[%k, %i], %pad : !matrix, vector<64x128xbf16>
      %xt = vector.transfer_read %x[%k, %j], %pad : !matrix, vector<64x256xbf16>
      %next = vector.contract #first_transposed %dt, %xt, %acc
          : vector<64x128xbf16>, vector<64x256xbf16> into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %dw16 = arith.truncf %sum : !square to !tile
    vector.transfer_write %dw16, %dw[%i, %j] : !tile, !matrix
    gpu.return
  }

  gpu.func @dx(
      %d: !matrix {carousel.argument = #read}, %w: !matrix {carousel.argument = #w},
      %sums: !sums {carousel.argument = #sums})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 256), ceildiv(extent(2, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !square
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %words = memref.dim %w, %c0 : !matrix
    %sum = scf.for %k = %c0 to %words step %c64 iter_args(%acc = %zeros) -> (!square) {
      %dt = vector.transfer_read %d[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x256xbf16>
      %next = vector.contract #product %dt, %wt, %acc
          : vector<128x64xbf16>, vector<64x256xbf16> into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %before = vector.transfer_read %sums[%i, %j], %none : !sums, !square
    %all = arith.addf %before, %sum : !square
    vector.transfer_write %all, %sums[%i, %j] : !square, !sums
    gpu.return
  }
}
