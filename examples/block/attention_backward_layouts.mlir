// The gradients of attention of heads of 128 elements, in the layouts of attention_layouts.mlir:
// the kernels of attention_backward.mlir, whose comments hold here. dq, dk and dv have the layouts
// of q, k and v.
//
// - @delta_bshd, @attention_dkv_bshd, @attention_dq_bshd: batches, positions, heads and elements.
//   All keys count, and groups of heads may share keys and values.
// - @attention_dkv_qkv, @attention_dq_qkv: the queries, keys and values of a position are
//   neighbours. Keys up to the row's own position count. Each kernel writes its part of dqkv.
// - @attention_dkv_kv, @attention_dq_kv: a head's key and value are neighbours. All keys count.
//
// @delta_bshd is for all of them: positions without batches are a batch of one.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#scores = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#values = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#bsh = affine_map<(b, s, h, d) -> (s, d)>
#shd = affine_map<(s, h, d) -> (s, d)>
#sphd = affine_map<(s, p, h, d) -> (s, d)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#y = #carousel.argument<"y", in>
#qkv = #carousel.argument<"qkv", in>
#kv = #carousel.argument<"kv", in>
#dy = #carousel.argument<"dy", in>
#lse = #carousel.argument<"lse", in>
#delta = #carousel.argument<"delta", in>
#scale = #carousel.argument<"scale", in>
#dq = #carousel.argument<"dq", out>
#dk = #carousel.argument<"dk", out>
#dv = #carousel.argument<"dv", out>
#dqkv = #carousel.argument<"dqkv", out>
#dkv = #carousel.argument<"dkv", out>
#written = #carousel.argument<"delta", out>
#program = #carousel.block_program<>
#of_batch_rows = #carousel.launch<grid = [ceildiv(extent(0, 1), 64), extent(0, 2), extent(0, 0)]>
#of_batch_keys = #carousel.launch<grid = [extent(1, 2), ceildiv(extent(1, 1), 128), extent(0, 0)]>
#of_batch_queries = #carousel.launch<
  grid = [extent(0, 2), ceildiv(extent(0, 1), 128), extent(0, 0)]>
#of_triples = #carousel.launch<grid = [extent(0, 2), ceildiv(extent(0, 0), 128)]>
#of_pairs = #carousel.launch<grid = [extent(1, 1), ceildiv(extent(1, 0), 128)]>
#of_heads = #carousel.launch<grid = [extent(0, 1), ceildiv(extent(0, 0), 128)]>
#from_end = affine_map<(b)[n] -> (n ceildiv 128 - 1 - b)>

!batches = memref<?x?x?x128xbf16, #gl>
!heads = memref<?x?x128xbf16, #gl>
!pairs = memref<?x?x2x128xbf16, #gl>
!triples = memref<?x3x?x128xbf16, #gl>
!numbers = memref<?x?xf32, #gl>
!numbers_of_batches = memref<?x?x?xf32, #gl>
!tile = vector<128x128xbf16>
!half = vector<64x128xbf16>
!weights = vector<128x64xbf16>
!square = vector<128x128xf32>
!scores = vector<128x64xf32>
!row = vector<128xf32>
!short = vector<64xf32>
!places = vector<128x64xindex>

gpu.module @attention_backward_layouts {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !scores {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !scores
    return %all : !scores
  }

  // The scores of 128 rows and 64 columns, and dy * v^T.
  func.func private @multiply(%a: !tile, %b: !half, %c: !tile, %d: !half) -> (!scores, !scores) {
    %zeros = arith.constant dense<0.0> : !scores
    %s = vector.contract #scores %a, %b, %zeros : !tile, !half into !scores
    %dp = vector.contract #scores %c, %d, %zeros : !tile, !half into !scores
    return %s, %dp : !scores, !scores
  }

  // p = exp(scale * s - lse), as a power of 2, from -log2(e) * lse.
  func.func private @weigh(%s: !scores, %scale: f32, %below: !scores) -> !scores {
    %log2e = arith.constant 1.44269504 : f32
    %scale2 = arith.mulf %scale, %log2e : f32
    %scales = vector.broadcast %scale2 : f32 to !scores
    %power = math.fma %s, %scales, %below : !scores
    %p = math.exp2 %power fastmath<afn> : !scores
    return %p : !scores
  }

  // ds = p * (dp - delta).
  func.func private @differentiate(%p: !scores, %dp: !scores, %delta: !scores) -> !scores {
    %change = arith.subf %dp, %delta : !scores
    %ds = arith.mulf %p, %change : !scores
    return %ds : !scores
  }

  // -log2(e) * lse of 64 queries, in all rows.
  func.func private @turn(%lse: !numbers, %h: index, %i: index) -> !scores {
    %none = arith.constant 0.0 : f32
    %factors = arith.constant dense<-1.44269504> : !short
    %lset = vector.transfer_read %lse[%h, %i], %none : !numbers, !short
    %below = arith.mulf %lset, %factors : !short
    %all = vector.broadcast %below : !short to !scores
    return %all : !scores
  }

  // -log2(e) * lse of 128 queries.
  func.func private @turn_rows(%lse: !numbers, %h: index, %i: index) -> !row {
    %none = arith.constant 0.0 : f32
    %factors = arith.constant dense<-1.44269504> : !row
    %lset = vector.transfer_read %lse[%h, %i], %none : !numbers, !row
    %below = arith.mulf %lset, %factors : !row
    return %below : !row
  }

  // A number of each of 64 queries, in all rows.
  func.func private @read(%numbers: !numbers, %h: index, %i: index) -> !scores {
    %none = arith.constant 0.0 : f32
    %row = vector.transfer_read %numbers[%h, %i], %none : !numbers, !short
    %all = vector.broadcast %row : !short to !scores
    return %all : !scores
  }

  // A number of each of 128 queries.
  func.func private @read_rows(%numbers: !numbers, %h: index, %i: index) -> !row {
    %none = arith.constant 0.0 : f32
    %row = vector.transfer_read %numbers[%h, %i], %none : !numbers, !row
    return %row : !row
  }

  // Adds 64 queries to dk and dv.
  func.func private @add_queries(%p: !scores, %ds: !scores, %q: !half, %dy: !half, %dk: !square,
                                 %dv: !square) -> (!square, !square) {
    %ds16 = arith.truncf %ds : !scores to !weights
    %p16 = arith.truncf %p : !scores to !weights
    %dv_next = vector.contract #values %p16, %dy, %dv : !weights, !half into !square
    %dk_next = vector.contract #values %ds16, %q, %dk : !weights, !half into !square
    return %dk_next, %dv_next : !square, !square
  }

  // Adds 64 queries, whose scores are `s`, to dk and dv.
  func.func private @add_seen(
      %s: !scores, %dp: !scores, %scale: f32, %lse: !numbers, %delta: !numbers, %h: index,
      %i: index, %q: !half, %dy: !half, %dk: !square, %dv: !square) -> (!square, !square) {
    %below = func.call @turn(%lse, %h, %i) : (!numbers, index, index) -> !scores
    %p = func.call @weigh(%s, %scale, %below) : (!scores, f32, !scores) -> !scores
    %deltas = func.call @read(%delta, %h, %i) : (!numbers, index, index) -> !scores
    %ds = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !scores
    %next:2 = func.call @add_queries(%p, %ds, %q, %dy, %dk, %dv)
        : (!scores, !scores, !half, !half, !square, !square) -> (!square, !square)
    return %next#0, %next#1 : !square, !square
  }

  // Adds 64 keys, whose scores are `s`, to dq.
  func.func private @add_keys(%s: !scores, %dp: !scores, %k: !half, %below: !row, %delta: !row,
                              %scale: f32, %dq: !square) -> !square {
    %belows = func.call @spread(%below) : (!row) -> !scores
    %p = func.call @weigh(%s, %scale, %belows) : (!scores, f32, !scores) -> !scores
    %deltas = func.call @spread(%delta) : (!row) -> !scores
    %ds = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !scores
    %ds16 = arith.truncf %ds : !scores to !weights
    %next = vector.contract #values %ds16, %k, %dq : !weights, !half into !square
    return %next : !square
  }

  func.func private @scale(%sum: !square, %scale: f32) -> !square {
    %scales = vector.broadcast %scale : f32 to !square
    %scaled = arith.mulf %sum, %scales : !square
    return %scaled : !square
  }

  // The scores of keys that there are, and the least of all numbers.
  func.func private @see_first(%s: !scores, %left: index) -> !scores {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %is_last = arith.cmpi slt, %left, %c64 : index
    %seen = scf.if %is_last -> (!scores) {
      %least = arith.constant dense<0xFF800000> : !scores
      %mask = vector.create_mask %c128, %left : vector<128x64xi1>
      %some = arith.select %mask, %s, %least : vector<128x64xi1>, !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
  }

  // The scores where a row is at most `ahead` after its column, and the least of all numbers.
  func.func private @mask_queries(%s: !scores, %ahead: index) -> !scores {
    %least = arith.constant dense<0xFF800000> : !scores
    %keys = vector.step : vector<128xindex>
    %tall = vector.shape_cast %keys : vector<128xindex> to vector<128x1xindex>
    %steps = vector.step : vector<64xindex>
    %aheads = vector.broadcast %ahead : index to vector<64xindex>
    %queries = arith.addi %steps, %aheads : vector<64xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to !places
    %columns = vector.broadcast %queries : vector<64xindex> to !places
    %is_seen = arith.cmpi sle, %rows, %columns : !places
    %seen = arith.select %is_seen, %s, %least : vector<128x64xi1>, !scores
    return %seen : !scores
  }

  // The scores where a column is at most `back` after its row, and the least of all numbers.
  func.func private @mask_keys(%s: !scores, %back: index) -> !scores {
    %least = arith.constant dense<0xFF800000> : !scores
    %steps = vector.step : vector<128xindex>
    %backs = vector.broadcast %back : index to vector<128xindex>
    %queries = arith.addi %steps, %backs : vector<128xindex>
    %tall = vector.shape_cast %queries : vector<128xindex> to vector<128x1xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to !places
    %keys = vector.step : vector<64xindex>
    %columns = vector.broadcast %keys : vector<64xindex> to !places
    %is_seen = arith.cmpi sle, %columns, %rows : !places
    %seen = arith.select %is_seen, %s, %least : vector<128x64xi1>, !scores
    return %seen : !scores
  }

  // The scores of keys up to the row's own, if the first row is `back` behind the first key.
  func.func private @see_own(%s: !scores, %back: index) -> !scores {
    %c0 = arith.constant 0 : index
    %is_own = arith.cmpi sle, %back, %c0 : index
    %seen = scf.if %is_own -> (!scores) {
      %some = func.call @mask_keys(%s, %back) : (!scores, index) -> !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
  }

  // The scores of queries from their own key on, if the first one is `ahead` of the first key.
  func.func private @see_behind(%s: !scores, %ahead: index) -> !scores {
    %c128 = arith.constant 128 : index
    %is_partial = arith.cmpi slt, %ahead, %c128 : index
    %seen = scf.if %is_partial -> (!scores) {
      %some = func.call @mask_queries(%s, %ahead) : (!scores, index) -> !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
  }

  // How many of `heads` share each of `groups`.
  func.func private @find_heads(%h: index, %heads: index, %groups: index) -> (index, index) {
    %count = arith.divui %heads, %groups : index
    %first = arith.muli %h, %count : index
    %last = arith.addi %first, %count : index
    return %first, %last : index, index
  }

  func.func private @find_group(%h: index, %heads: index, %groups: index) -> index {
    %count = arith.divui %heads, %groups : index
    %g = arith.divui %h, %count : index
    return %g : index
  }

  gpu.func @delta_bshd(
      %y: !batches {carousel.argument = #y}, %dy: !batches {carousel.argument = #dy},
      %delta: !numbers_of_batches {carousel.argument = #written})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_batch_rows} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : !short
    %block = gpu.block_id x
    %h = gpu.block_id y
    %b = gpu.block_id z
    %i = affine.apply affine_map<(d) -> (d * 64)>(%block)
    %yt = vector.transfer_read %y[%b, %i, %h, %c0], %pad {permutation_map = #bsh} : !batches, !half
    %dyt = vector.transfer_read %dy[%b, %i, %h, %c0], %pad
        {permutation_map = #bsh} : !batches, !half
    %y32 = arith.extf %yt : !half to vector<64x128xf32>
    %dy32 = arith.extf %dyt : !half to vector<64x128xf32>
    %both = arith.mulf %y32, %dy32 : vector<64x128xf32>
    %sums = vector.multi_reduction <add>, %both, %none [1] : vector<64x128xf32> to !short
    vector.transfer_write %sums, %delta[%b, %h, %i] : !short, !numbers_of_batches
    gpu.return
  }

  // Rows of a head of a batch.
  func.func private @read_tile(%x: !batches, %b: index, %i: index, %h: index) -> !tile {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %rows = vector.transfer_read %x[%b, %i, %h, %c0], %pad
        {permutation_map = #bsh} : !batches, !tile
    return %rows : !tile
  }

  func.func private @read_half(%x: !batches, %b: index, %i: index, %h: index) -> !half {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %rows = vector.transfer_read %x[%b, %i, %h, %c0], %pad
        {permutation_map = #bsh} : !batches, !half
    return %rows : !half
  }

  func.func private @write_batch(%sum: !square, %to: !batches, %b: index, %i: index, %h: index) {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %sum : !square to !tile
    vector.transfer_write %rounded, %to[%b, %i, %h, %c0]
        {permutation_map = #bsh} : !tile, !batches
    return
  }

  // The heads of q and dy, and those of k and v.
  func.func private @count_heads(%q: !batches, %k: !batches) -> (index, index) {
    %c2 = arith.constant 2 : index
    %heads = memref.dim %q, %c2 : !batches
    %groups = memref.dim %k, %c2 : !batches
    return %heads, %groups : index, index
  }

  // Adds 64 queries of a batch to dk and dv.
  func.func private @add_batch(
      %q: !batches, %dy: !batches, %lse: !numbers_of_batches, %delta: !numbers_of_batches,
      %b: index, %h: index, %i: index, %k: !tile, %v: !tile, %scale: f32, %dk: !square,
      %dv: !square) -> (!square, !square) {
    %none = arith.constant 0.0 : f32
    %factors = arith.constant dense<-1.44269504> : !short
    %qt = func.call @read_half(%q, %b, %i, %h) : (!batches, index, index, index) -> !half
    %dyt = func.call @read_half(%dy, %b, %i, %h) : (!batches, index, index, index) -> !half
    %s, %dp = func.call @multiply(%k, %qt, %v, %dyt)
        : (!tile, !half, !tile, !half) -> (!scores, !scores)
    %lset = vector.transfer_read %lse[%b, %h, %i], %none : !numbers_of_batches, !short
    %below = arith.mulf %lset, %factors : !short
    %belows = vector.broadcast %below : !short to !scores
    %p = func.call @weigh(%s, %scale, %belows) : (!scores, f32, !scores) -> !scores
    %deltat = vector.transfer_read %delta[%b, %h, %i], %none : !numbers_of_batches, !short
    %deltas = vector.broadcast %deltat : !short to !scores
    %ds = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !scores
    %next:2 = func.call @add_queries(%p, %ds, %qt, %dyt, %dk, %dv)
        : (!scores, !scores, !half, !half, !square, !square) -> (!square, !square)
    return %next#0, %next#1 : !square, !square
  }

  gpu.func @attention_dkv_bshd(
      %q: !batches {carousel.argument = #q}, %k: !batches {carousel.argument = #k},
      %v: !batches {carousel.argument = #v}, %dy: !batches {carousel.argument = #dy},
      %lse: !numbers_of_batches {carousel.argument = #lse},
      %delta: !numbers_of_batches {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dk: !batches {carousel.argument = #dk},
      %dv: !batches {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_batch_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %b = gpu.block_id z
    %n = memref.dim %q, %c1 : !batches
    %kt = func.call @read_tile(%k, %b, %j, %h) : (!batches, index, index, index) -> !tile
    %vt = func.call @read_tile(%v, %b, %j, %h) : (!batches, index, index, index) -> !tile
    %heads, %groups = func.call @count_heads(%q, %k) : (!batches, !batches) -> (index, index)
    %first, %last = func.call @find_heads(%h, %heads, %groups)
        : (index, index, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %c0 to %n step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %next:2 = func.call @add_batch(
            %q, %dy, %lse, %delta, %b, %g, %i, %kt, %vt, %scale, %dk_i, %dv_i)
            : (!batches, !batches, !numbers_of_batches, !numbers_of_batches, index, index, index,
               !tile, !tile, f32, !square, !square) -> (!square, !square)
        scf.yield %next#0, %next#1 : !square, !square
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !square, !square
    }
    %dks = func.call @scale(%r#0, %scale) : (!square, f32) -> !square
    func.call @write_batch(%dks, %dk, %b, %j, %h) : (!square, !batches, index, index, index) -> ()
    func.call @write_batch(%r#1, %dv, %b, %j, %h) : (!square, !batches, index, index, index) -> ()
    gpu.return
  }

  // -log2(e) * lse and delta of 128 queries of a batch.
  func.func private @read_numbers(%lse: !numbers_of_batches, %delta: !numbers_of_batches, %b: index,
                                  %h: index, %i: index) -> (!row, !row) {
    %none = arith.constant 0.0 : f32
    %factors = arith.constant dense<-1.44269504> : !row
    %lset = vector.transfer_read %lse[%b, %h, %i], %none : !numbers_of_batches, !row
    %below = arith.mulf %lset, %factors : !row
    %deltat = vector.transfer_read %delta[%b, %h, %i], %none : !numbers_of_batches, !row
    return %below, %deltat : !row, !row
  }

  gpu.func @attention_dq_bshd(
      %q: !batches {carousel.argument = #q}, %k: !batches {carousel.argument = #k},
      %v: !batches {carousel.argument = #v}, %dy: !batches {carousel.argument = #dy},
      %lse: !numbers_of_batches {carousel.argument = #lse},
      %delta: !numbers_of_batches {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dq: !batches {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_batch_queries} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %b = gpu.block_id z
    %n = memref.dim %k, %c1 : !batches
    %heads, %groups = func.call @count_heads(%q, %k) : (!batches, !batches) -> (index, index)
    %g = func.call @find_group(%h, %heads, %groups) : (index, index, index) -> index
    %qt = func.call @read_tile(%q, %b, %i, %h) : (!batches, index, index, index) -> !tile
    %dyt = func.call @read_tile(%dy, %b, %i, %h) : (!batches, index, index, index) -> !tile
    %below, %deltat = func.call @read_numbers(%lse, %delta, %b, %h, %i)
        : (!numbers_of_batches, !numbers_of_batches, index, index, index) -> (!row, !row)
    %sum = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = func.call @read_half(%k, %b, %j, %g) : (!batches, index, index, index) -> !half
      %vt = func.call @read_half(%v, %b, %j, %g) : (!batches, index, index, index) -> !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %left = arith.subi %n, %j : index
      %seen = func.call @see_first(%s, %left) : (!scores, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %dqs = func.call @scale(%sum, %scale) : (!square, f32) -> !square
    func.call @write_batch(%dqs, %dq, %b, %i, %h) : (!square, !batches, index, index, index) -> ()
    gpu.return
  }

  // Writes the gradients of queries, of keys or of values, which is part 0 to 2.
  func.func private @write_part(%sum: !square, %to: !triples, %i: index, %part: index, %h: index) {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %sum : !square to !tile
    vector.transfer_write %rounded, %to[%i, %part, %h, %c0]
        {permutation_map = #sphd} : !tile, !triples
    return
  }

  gpu.func @attention_dkv_qkv(
      %qkv: !triples {carousel.argument = #qkv}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dqkv: !triples {carousel.argument = #dqkv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_triples} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %n = memref.dim %qkv, %c0 : !triples
    %kt = vector.transfer_read %qkv[%j, %c1, %h, %c0], %pad
        {permutation_map = #sphd} : !triples, !tile
    %vt = vector.transfer_read %qkv[%j, %c2, %h, %c0], %pad
        {permutation_map = #sphd} : !triples, !tile
    %r:2 = scf.for %i = %j to %n step %c64 iter_args(%dk_i = %zeros, %dv_i = %zeros)
        -> (!square, !square) {
      %ahead = arith.subi %i, %j : index
      %qt = vector.transfer_read %qkv[%i, %c0, %h, %c0], %pad
          {permutation_map = #sphd} : !triples, !half
      %dyt = vector.transfer_read %dy[%i, %h, %c0], %pad {permutation_map = #shd} : !heads, !half
      %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %seen = func.call @see_behind(%s, %ahead) : (!scores, index) -> !scores
      %next:2 = func.call @add_seen(
          %seen, %dp, %scale, %lse, %delta, %h, %i, %qt, %dyt, %dk_i, %dv_i)
          : (!scores, !scores, f32, !numbers, !numbers, index, index, !half, !half, !square,
             !square) -> (!square, !square)
      scf.yield %next#0, %next#1 : !square, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %dks = func.call @scale(%r#0, %scale) : (!square, f32) -> !square
    func.call @write_part(%dks, %dqkv, %j, %c1, %h) : (!square, !triples, index, index, index) -> ()
    func.call @write_part(%r#1, %dqkv, %j, %c2, %h) : (!square, !triples, index, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dq_qkv(
      %qkv: !triples {carousel.argument = #qkv}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dqkv: !triples {carousel.argument = #dqkv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_triples} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %later = gpu.block_id y
    %n = memref.dim %qkv, %c0 : !triples
    %block = affine.apply #from_end(%later)[%n]
    // Never negative, so that engines may write from there on.
    %number = arith.maxsi %block, %c0 : index
    %i = affine.apply affine_map<(d) -> (d * 128)>(%number)
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %qt = vector.transfer_read %qkv[%i, %c0, %h, %c0], %pad
        {permutation_map = #sphd} : !triples, !tile
    %dyt = vector.transfer_read %dy[%i, %h, %c0], %pad {permutation_map = #shd} : !heads, !tile
    %below = func.call @turn_rows(%lse, %h, %i) : (!numbers, index, index) -> !row
    %deltat = func.call @read_rows(%delta, %h, %i) : (!numbers, index, index) -> !row
    %sum = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = vector.transfer_read %qkv[%j, %c1, %h, %c0], %pad
          {permutation_map = #sphd} : !triples, !half
      %vt = vector.transfer_read %qkv[%j, %c2, %h, %c0], %pad
          {permutation_map = #sphd} : !triples, !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %back = arith.subi %i, %j : index
      %seen = func.call @see_own(%s, %back) : (!scores, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %dqs = func.call @scale(%sum, %scale) : (!square, f32) -> !square
    func.call @write_part(%dqs, %dqkv, %i, %c0, %h) : (!square, !triples, index, index, index) -> ()
    gpu.return
  }

  func.func private @write_pair(%sum: !square, %to: !pairs, %i: index, %h: index, %part: index) {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %sum : !square to !tile
    vector.transfer_write %rounded, %to[%i, %h, %part, %c0]
        {permutation_map = #sphd} : !tile, !pairs
    return
  }

  func.func private @write_heads(%sum: !square, %to: !heads, %i: index, %h: index) {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %sum : !square to !tile
    vector.transfer_write %rounded, %to[%i, %h, %c0] {permutation_map = #shd} : !tile, !heads
    return
  }

  // The heads of q and dy, and those of keys and values.
  func.func private @count_pairs(%q: !heads, %kv: !pairs) -> (index, index) {
    %c1 = arith.constant 1 : index
    %heads = memref.dim %q, %c1 : !heads
    %groups = memref.dim %kv, %c1 : !pairs
    return %heads, %groups : index, index
  }

  gpu.func @attention_dkv_kv(
      %q: !heads {carousel.argument = #q}, %kv: !pairs {carousel.argument = #kv},
      %dy: !heads {carousel.argument = #dy}, %lse: !numbers {carousel.argument = #lse},
      %delta: !numbers {carousel.argument = #delta}, %scale: f32 {carousel.argument = #scale},
      %dkv: !pairs {carousel.argument = #dkv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_pairs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %n = memref.dim %q, %c0 : !heads
    %kt = vector.transfer_read %kv[%j, %h, %c0, %c0], %pad
        {permutation_map = #sphd} : !pairs, !tile
    %vt = vector.transfer_read %kv[%j, %h, %c1, %c0], %pad
        {permutation_map = #sphd} : !pairs, !tile
    %heads, %groups = func.call @count_pairs(%q, %kv) : (!heads, !pairs) -> (index, index)
    %first, %last = func.call @find_heads(%h, %heads, %groups)
        : (index, index, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %c0 to %n step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %qt = vector.transfer_read %q[%i, %g, %c0], %pad {permutation_map = #shd} : !heads, !half
        %dyt = vector.transfer_read %dy[%i, %g, %c0], %pad {permutation_map = #shd} : !heads, !half
        %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
            : (!tile, !half, !tile, !half) -> (!scores, !scores)
        %next:2 = func.call @add_seen(
            %s, %dp, %scale, %lse, %delta, %g, %i, %qt, %dyt, %dk_i, %dv_i)
            : (!scores, !scores, f32, !numbers, !numbers, index, index, !half, !half, !square,
               !square) -> (!square, !square)
        scf.yield %next#0, %next#1 : !square, !square
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !square, !square
    }
    %dks = func.call @scale(%r#0, %scale) : (!square, f32) -> !square
    func.call @write_pair(%dks, %dkv, %j, %h, %c0) : (!square, !pairs, index, index, index) -> ()
    func.call @write_pair(%r#1, %dkv, %j, %h, %c1) : (!square, !pairs, index, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dq_kv(
      %q: !heads {carousel.argument = #q}, %kv: !pairs {carousel.argument = #kv},
      %dy: !heads {carousel.argument = #dy}, %lse: !numbers {carousel.argument = #lse},
      %delta: !numbers {carousel.argument = #delta}, %scale: f32 {carousel.argument = #scale},
      %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_heads} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %kv, %c0 : !pairs
    %heads, %groups = func.call @count_pairs(%q, %kv) : (!heads, !pairs) -> (index, index)
    %g = func.call @find_group(%h, %heads, %groups) : (index, index, index) -> index
    %qt = vector.transfer_read %q[%i, %h, %c0], %pad {permutation_map = #shd} : !heads, !tile
    %dyt = vector.transfer_read %dy[%i, %h, %c0], %pad {permutation_map = #shd} : !heads, !tile
    %below = func.call @turn_rows(%lse, %h, %i) : (!numbers, index, index) -> !row
    %deltat = func.call @read_rows(%delta, %h, %i) : (!numbers, index, index) -> !row
    %sum = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = vector.transfer_read %kv[%j, %g, %c0, %c0], %pad
          {permutation_map = #sphd} : !pairs, !half
      %vt = vector.transfer_read %kv[%j, %g, %c1, %c0], %pad
          {permutation_map = #sphd} : !pairs, !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %left = arith.subi %n, %j : index
      %seen = func.call @see_first(%s, %left) : (!scores, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %dqs = func.call @scale(%sum, %scale) : (!square, f32) -> !square
    func.call @write_heads(%dqs, %dq, %i, %h) : (!square, !heads, index, index) -> ()
    gpu.return
  }
}

// In f64, of a batch whose heads have any strides: positions, heads and elements.
!part = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>>
!dense = memref<?x?x128xbf16, strided<[?, 128, 1], offset: ?>>
!apart = memref<?x?x128xbf16, strided<[?, 256, 1], offset: ?>>
!sums = memref<?x?xf32, strided<[?, 1], offset: ?>>
!wide = memref<?x?x128xf64>
func.func private @dot(%a: !part, %b: !part, %i: index, %h: index, %j: index, %g: index) -> f64 {
  %c0 = arith.constant 0 : index
  %a16 = vector.load %a[%i, %h, %c0] : !part, vector<128xbf16>
  %b16 = vector.load %b[%j, %g, %c0] : !part, vector<128xbf16>
  %a64 = arith.extf %a16 : vector<128xbf16> to vector<128xf64>
  %b64 = arith.extf %b16 : vector<128xbf16> to vector<128xf64>
  %products = arith.mulf %a64, %b64 : vector<128xf64>
  %sum = vector.reduction <add>, %products : vector<128xf64> into f64
  return %sum : f64
}

// Adds `factor` times a row of `from`.
func.func private @add(%factor: f64, %from: !part, %i: index, %g: index, %to: !wide, %j: index,
                       %h: index) {
  %c0 = arith.constant 0 : index
  %from16 = vector.load %from[%i, %g, %c0] : !part, vector<128xbf16>
  %from64 = arith.extf %from16 : vector<128xbf16> to vector<128xf64>
  %before = vector.load %to[%j, %h, %c0] : !wide, vector<128xf64>
  %factors = vector.broadcast %factor : f64 to vector<128xf64>
  %after = math.fma %factors, %from64, %before : vector<128xf64>
  vector.store %after, %to[%j, %h, %c0] : !wide, vector<128xf64>
  return
}

func.func private @differentiate(%q: !part, %k: !part, %v: !part, %dy: !part, %lse: !sums,
                                 %delta: !sums, %scale: f32, %is_causal: i1, %dq: !wide,
                                 %dk: !wide, %dv: !wide) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %q, %c1 : !part
  %groups = memref.dim %k, %c1 : !part
  %rows = memref.dim %q, %c0 : !part
  %keys = memref.dim %k, %c0 : !part
  %count = arith.divui %heads, %groups : index
  %factor = arith.extf %scale : f32 to f64
  scf.for %h = %c0 to %heads step %c1 {
    %g = arith.divui %h, %count : index
    scf.for %i = %c0 to %rows step %c1 {
      %lse32 = memref.load %lse[%h, %i] : !sums
      %lse64 = arith.extf %lse32 : f32 to f64
      %delta32 = memref.load %delta[%h, %i] : !sums
      %delta64 = arith.extf %delta32 : f32 to f64
      %after = arith.addi %i, %c1 : index
      %end = arith.select %is_causal, %after, %keys : index
      scf.for %j = %c0 to %end step %c1 {
        %s = func.call @dot(%q, %k, %i, %h, %j, %g)
            : (!part, !part, index, index, index, index) -> f64
        %scaled = arith.mulf %s, %factor : f64
        %below = arith.subf %scaled, %lse64 : f64
        %p = math.exp %below : f64
        %dp = func.call @dot(%dy, %v, %i, %h, %j, %g)
            : (!part, !part, index, index, index, index) -> f64
        %change = arith.subf %dp, %delta64 : f64
        %ds = arith.mulf %p, %change : f64
        %by_scale = arith.mulf %ds, %factor : f64
        func.call @add(%p, %dy, %i, %h, %dv, %j, %g)
            : (f64, !part, index, index, !wide, index, index) -> ()
        func.call @add(%by_scale, %q, %i, %h, %dk, %j, %g)
            : (f64, !part, index, index, !wide, index, index) -> ()
        func.call @add(%by_scale, %k, %j, %g, %dq, %i, %h)
            : (f64, !part, index, index, !wide, index, index) -> ()
      }
    }
  }
  return
}

// Zeros of the extents of another memref.
func.func private @allocate(%like: !part) -> !wide {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %heads = memref.dim %like, %c1 : !part
  %rows = memref.dim %like, %c0 : !part
  %sums = memref.alloc(%rows, %heads) : !wide
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      vector.store %zeros, %sums[%i, %h, %c0] : !wide, vector<128xf64>
    }
  }
  return %sums : !wide
}

func.func private @round(%from: !wide, %to: !part) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %to, %c1 : !part
  %rows = memref.dim %to, %c0 : !part
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      %row = vector.load %from[%i, %h, %c0] : !wide, vector<128xf64>
      %rounded = arith.truncf %row : vector<128xf64> to vector<128xbf16>
      vector.store %rounded, %to[%i, %h, %c0] : !part, vector<128xbf16>
    }
  }
  return
}

func.func private @dkv(%q: !part, %k: !part, %v: !part, %dy: !part, %lse: !sums, %delta: !sums,
                       %scale: f32, %dk: !part, %dv: !part, %is_causal: i1) {
  %dq64 = call @allocate(%q) : (!part) -> !wide
  %dk64 = call @allocate(%k) : (!part) -> !wide
  %dv64 = call @allocate(%v) : (!part) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %is_causal, %dq64, %dk64, %dv64)
      : (!part, !part, !part, !part, !sums, !sums, f32, i1, !wide, !wide, !wide) -> ()
  call @round(%dk64, %dk) : (!wide, !part) -> ()
  call @round(%dv64, %dv) : (!wide, !part) -> ()
  return
}

func.func private @dq(%q: !part, %k: !part, %v: !part, %dy: !part, %lse: !sums, %delta: !sums,
                      %scale: f32, %dq: !part, %is_causal: i1) {
  %dq64 = call @allocate(%q) : (!part) -> !wide
  %dk64 = call @allocate(%k) : (!part) -> !wide
  %dv64 = call @allocate(%v) : (!part) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %is_causal, %dq64, %dk64, %dv64)
      : (!part, !part, !part, !part, !sums, !sums, f32, i1, !wide, !wide, !wide) -> ()
  call @round(%dq64, %dq) : (!wide, !part) -> ()
  return
}

!host = memref<?x?x128xbf16>
!host_rows = memref<?x?xf32>
!host_batches = memref<?x?x?x128xbf16>
!host_numbers = memref<?x?x?xf32>
func.func private @take_batch(%x: !host_batches, %b: index) -> !part {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c1 : !host_batches
  %heads = memref.dim %x, %c2 : !host_batches
  %dense = memref.subview %x[%b, 0, 0, 0] [1, %n, %heads, 128] [1, 1, 1, 1]
      : !host_batches to !dense
  %part = memref.cast %dense : !dense to !part
  return %part : !part
}

func.func private @take_numbers(%x: !host_numbers, %b: index) -> !sums {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %heads = memref.dim %x, %c1 : !host_numbers
  %n = memref.dim %x, %c2 : !host_numbers
  %part = memref.subview %x[%b, 0, 0] [1, %heads, %n] [1, 1, 1] : !host_numbers to !sums
  return %part : !sums
}

func.func @attention_dkv_bshd_reference(%q: !host_batches, %k: !host_batches, %v: !host_batches,
                                        %dy: !host_batches, %lse: !host_numbers,
                                        %delta: !host_numbers, %scale: f32, %dk: !host_batches,
                                        %dv: !host_batches) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %batches = memref.dim %q, %c0 : !host_batches
  scf.for %b = %c0 to %batches step %c1 {
    %qb = func.call @take_batch(%q, %b) : (!host_batches, index) -> !part
    %kb = func.call @take_batch(%k, %b) : (!host_batches, index) -> !part
    %vb = func.call @take_batch(%v, %b) : (!host_batches, index) -> !part
    %dyb = func.call @take_batch(%dy, %b) : (!host_batches, index) -> !part
    %dkb = func.call @take_batch(%dk, %b) : (!host_batches, index) -> !part
    %dvb = func.call @take_batch(%dv, %b) : (!host_batches, index) -> !part
    %lb = func.call @take_numbers(%lse, %b) : (!host_numbers, index) -> !sums
    %deltab = func.call @take_numbers(%delta, %b) : (!host_numbers, index) -> !sums
    func.call @dkv(%qb, %kb, %vb, %dyb, %lb, %deltab, %scale, %dkb, %dvb, %no)
        : (!part, !part, !part, !part, !sums, !sums, f32, !part, !part, i1) -> ()
  }
  return
}

func.func @attention_dq_bshd_reference(%q: !host_batches, %k: !host_batches, %v: !host_batches,
                                       %dy: !host_batches, %lse: !host_numbers,
                                       %delta: !host_numbers, %scale: f32, %dq: !host_batches) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %batches = memref.dim %q, %c0 : !host_batches
  scf.for %b = %c0 to %batches step %c1 {
    %qb = func.call @take_batch(%q, %b) : (!host_batches, index) -> !part
    %kb = func.call @take_batch(%k, %b) : (!host_batches, index) -> !part
    %vb = func.call @take_batch(%v, %b) : (!host_batches, index) -> !part
    %dyb = func.call @take_batch(%dy, %b) : (!host_batches, index) -> !part
    %dqb = func.call @take_batch(%dq, %b) : (!host_batches, index) -> !part
    %lb = func.call @take_numbers(%lse, %b) : (!host_numbers, index) -> !sums
    %deltab = func.call @take_numbers(%delta, %b) : (!host_numbers, index) -> !sums
    func.call @dq(%qb, %kb, %vb, %dyb, %lb, %deltab, %scale, %dqb, %no)
        : (!part, !part, !part, !part, !sums, !sums, f32, !part, i1) -> ()
  }
  return
}

!host_triples = memref<?x3x?x128xbf16>
func.func private @take_part(%x: !host_triples, %part: index) -> !part {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : !host_triples
  %heads = memref.dim %x, %c2 : !host_triples
  %dense = memref.subview %x[0, %part, 0, 0] [%n, 1, %heads, 128] [1, 1, 1, 1]
      : !host_triples to !dense
  %own = memref.cast %dense : !dense to !part
  return %own : !part
}

func.func @attention_dkv_qkv_reference(%qkv: !host_triples, %dy: !host, %lse: !host_rows,
                                       %delta: !host_rows, %scale: f32, %dqkv: !host_triples) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %yes = arith.constant true
  %q = call @take_part(%qkv, %c0) : (!host_triples, index) -> !part
  %k = call @take_part(%qkv, %c1) : (!host_triples, index) -> !part
  %v = call @take_part(%qkv, %c2) : (!host_triples, index) -> !part
  %dk = call @take_part(%dqkv, %c1) : (!host_triples, index) -> !part
  %dv = call @take_part(%dqkv, %c2) : (!host_triples, index) -> !part
  %dys = memref.cast %dy : !host to !part
  %lses = memref.cast %lse : !host_rows to !sums
  %deltas = memref.cast %delta : !host_rows to !sums
  call @dkv(%q, %k, %v, %dys, %lses, %deltas, %scale, %dk, %dv, %yes)
      : (!part, !part, !part, !part, !sums, !sums, f32, !part, !part, i1) -> ()
  return
}

func.func @attention_dq_qkv_reference(%qkv: !host_triples, %dy: !host, %lse: !host_rows,
                                      %delta: !host_rows, %scale: f32, %dqkv: !host_triples) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %yes = arith.constant true
  %q = call @take_part(%qkv, %c0) : (!host_triples, index) -> !part
  %k = call @take_part(%qkv, %c1) : (!host_triples, index) -> !part
  %v = call @take_part(%qkv, %c2) : (!host_triples, index) -> !part
  %dq = call @take_part(%dqkv, %c0) : (!host_triples, index) -> !part
  %dys = memref.cast %dy : !host to !part
  %lses = memref.cast %lse : !host_rows to !sums
  %deltas = memref.cast %delta : !host_rows to !sums
  call @dq(%q, %k, %v, %dys, %lses, %deltas, %scale, %dq, %yes)
      : (!part, !part, !part, !part, !sums, !sums, f32, !part, i1) -> ()
  return
}

!host_pairs = memref<?x?x2x128xbf16>
func.func private @take_half(%x: !host_pairs, %part: index) -> !part {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : !host_pairs
  %groups = memref.dim %x, %c1 : !host_pairs
  %apart = memref.subview %x[0, 0, %part, 0] [%n, %groups, 1, 128] [1, 1, 1, 1]
      : !host_pairs to !apart
  %own = memref.cast %apart : !apart to !part
  return %own : !part
}

func.func @attention_dkv_kv_reference(%q: !host, %kv: !host_pairs, %dy: !host, %lse: !host_rows,
                                      %delta: !host_rows, %scale: f32, %dkv: !host_pairs) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %k = call @take_half(%kv, %c0) : (!host_pairs, index) -> !part
  %v = call @take_half(%kv, %c1) : (!host_pairs, index) -> !part
  %dk = call @take_half(%dkv, %c0) : (!host_pairs, index) -> !part
  %dv = call @take_half(%dkv, %c1) : (!host_pairs, index) -> !part
  %qs = memref.cast %q : !host to !part
  %dys = memref.cast %dy : !host to !part
  %lses = memref.cast %lse : !host_rows to !sums
  %deltas = memref.cast %delta : !host_rows to !sums
  call @dkv(%qs, %k, %v, %dys, %lses, %deltas, %scale, %dk, %dv, %no)
      : (!part, !part, !part, !part, !sums, !sums, f32, !part, !part, i1) -> ()
  return
}

func.func @attention_dq_kv_reference(%q: !host, %kv: !host_pairs, %dy: !host, %lse: !host_rows,
                                     %delta: !host_rows, %scale: f32, %dq: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %k = call @take_half(%kv, %c0) : (!host_pairs, index) -> !part
  %v = call @take_half(%kv, %c1) : (!host_pairs, index) -> !part
  %dqs = memref.cast %dq : !host to !part
  %qs = memref.cast %q : !host to !part
  %dys = memref.cast %dy : !host to !part
  %lses = memref.cast %lse : !host_rows to !sums
  %deltas = memref.cast %delta : !host_rows to !sums
  call @dq(%qs, %k, %v, %dys, %lses, %deltas, %scale, %dqs, %no)
      : (!part, !part, !part, !part, !sums, !sums, f32, !part, i1) -> ()
  return
}
