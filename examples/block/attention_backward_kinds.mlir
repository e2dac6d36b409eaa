// The gradients of kinds of attention of heads of 128 elements: the kernels of
// attention_backward.mlir, whose comments hold here, with other scores. A query without keys has no
// weights, and its lse is -inf.
//
// - @attention_dkv_window, @attention_dq_window: of @attention_window in attention_kinds.mlir.
//   Scores are cap * t, where t = tanh(scale * q * k^T / cap), so that ds has a factor of 1 - t^2.
//   Tiles outside of the window aren't read.
// - @attention_dkv_bias, @attention_dq_bias: of @attention_bias in attention_bias.mlir. Where there
//   are fewer biases than heads, as for all of a batch, head h has bias h modulo their number.
//   dbias = ds, of each head: @attention_dq_bias writes it whole. @attention_dkv_bias has scores
//   as k * q^T, and reads the bias transposed.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#scores = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#values = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#near = affine_map<(d)[w] -> (0, ((d - w + 1) floordiv 64) * 64)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#dy = #carousel.argument<"dy", in>
#lse = #carousel.argument<"lse", in>
#delta = #carousel.argument<"delta", in>
#scale = #carousel.argument<"scale", in>
#cap = #carousel.argument<"cap", in>
#window = #carousel.argument<"window", in>
#bias = #carousel.argument<"bias", in>
#dq = #carousel.argument<"dq", out>
#dk = #carousel.argument<"dk", out>
#dv = #carousel.argument<"dv", out>
#dbias = #carousel.argument<"dbias", out>
#program = #carousel.block_program<>
#of_keys = #carousel.launch<grid = [extent(1, 0), ceildiv(extent(1, 1), 128)]>
#of_queries = #carousel.launch<grid = [extent(0, 0), ceildiv(extent(0, 1), 128)]>

!heads = memref<?x?x128xbf16, #gl>
!numbers = memref<?x?xf32, #gl>
!biases = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!tile = vector<128x128xbf16>
!half = vector<64x128xbf16>
!weights = vector<128x64xbf16>
!square = vector<128x128xf32>
!scores = vector<128x64xf32>
!row = vector<128xf32>
!short = vector<64xf32>
!places = vector<128x64xindex>
!integers = vector<128x64xi32>

gpu.module @attention_backward_kinds {
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

  // -log2(e) * lse of 64 queries, in all rows. It is finite where a query has no key, whose lse is
  // -inf.
  func.func private @turn(%lse: !numbers, %h: index, %i: index) -> !scores {
    %none = arith.constant 0.0 : f32
    %least = arith.constant dense<0xF1800000> : !short
    %factors = arith.constant dense<-1.44269504> : !short
    %lset = vector.transfer_read %lse[%h, %i], %none : !numbers, !short
    %finite = arith.maxnumf %lset, %least : !short
    %below = arith.mulf %finite, %factors : !short
    %all = vector.broadcast %below : !short to !scores
    return %all : !scores
  }

  // -log2(e) * lse of 128 queries. It is finite where a query has no key, whose lse is -inf.
  func.func private @turn_rows(%lse: !numbers, %h: index, %i: index) -> !row {
    %none = arith.constant 0.0 : f32
    %least = arith.constant dense<0xF1800000> : !row
    %factors = arith.constant dense<-1.44269504> : !row
    %lset = vector.transfer_read %lse[%h, %i], %none : !numbers, !row
    %finite = arith.maxnumf %lset, %least : !row
    %below = arith.mulf %finite, %factors : !row
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

  func.func private @scale(%sum: !square, %scale: f32) -> !square {
    %scales = vector.broadcast %scale : f32 to !square
    %scaled = arith.mulf %sum, %scales : !square
    return %scaled : !square
  }

  func.func private @write(%sum: !square, %to: !heads, %h: index, %i: index) {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %sum : !square to !tile
    vector.transfer_write %rounded, %to[%h, %i, %c0] : !tile, !heads
    return
  }

  func.func private @write_scaled(%sum: !square, %scale: f32, %to: !heads, %h: index, %i: index) {
    %scaled = func.call @scale(%sum, %scale) : (!square, f32) -> !square
    func.call @write(%scaled, %to, %h, %i) : (!square, !heads, index, index) -> ()
    return
  }

  // How many heads of q share a head of k and v.
  func.func private @count_heads(%q: !heads, %k: !heads) -> index {
    %c0 = arith.constant 0 : index
    %heads = memref.dim %q, %c0 : !heads
    %groups = memref.dim %k, %c0 : !heads
    %count = arith.divui %heads, %groups : index
    return %count : index
  }

  // The heads of q that share a head of k and v: the first one, and the one after the last.
  func.func private @find_heads(%q: !heads, %k: !heads, %h: index) -> (index, index) {
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %first = arith.muli %h, %count : index
    %last = arith.addi %first, %count : index
    return %first, %last : index, index
  }

  // tanh(s * ratio), which is off by 2^-11 of its size at most.
  func.func private @tanh(%s: !scores, %ratio: f32) -> !scores {
    %ratios = vector.broadcast %ratio : f32 to !scores
    %scaled = arith.mulf %s, %ratios : !scores
    %result = math.tanh %scaled fastmath<afn> : !scores
    return %result : !scores
  }

  // ds times the slope of the cap, from the tanh: 0 where a key doesn't count, whose tanh is -inf.
  func.func private @slope(%ds: !scores, %t: !scores) -> !scores {
    %lowest = arith.constant dense<-1.0> : !scores
    %ones = arith.constant dense<1.0> : !scores
    %bounded = arith.maxnumf %t, %lowest : !scores
    %square = arith.mulf %bounded, %bounded : !scores
    %slopes = arith.subf %ones, %square : !scores
    %result = arith.mulf %ds, %slopes : !scores
    return %result : !scores
  }

  func.func private @select(%s: !scores, %distances: !places, %window: index) -> !scores {
    %least = arith.constant dense<0xFF800000> : !scores
    %distances32 = arith.index_cast %distances : !places to !integers
    %window32 = arith.index_cast %window : index to i32
    %windows = vector.broadcast %window32 : i32 to !integers
    %mask = arith.cmpi ult, %distances32, %windows : !integers
    %some = arith.select %mask, %s, %least : vector<128x64xi1>, !scores
    return %some : !scores
  }

  // The scores of queries at distances of 0 to `window` - 1 after a key, and -inf. The first query
  // is `ahead` of the first key.
  func.func private @see_queries(%s: !scores, %ahead: index, %window: index) -> !scores {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %farthest = arith.addi %ahead, %c64 : index
    %is_far = arith.cmpi sgt, %farthest, %window : index
    %is_near = arith.cmpi slt, %ahead, %c128 : index
    %is_partial = arith.ori %is_far, %is_near : i1
    %seen = scf.if %is_partial -> (!scores) {
      %steps = vector.step : vector<64xindex>
      %aheads = vector.broadcast %ahead : index to vector<64xindex>
      %queries = arith.addi %steps, %aheads : vector<64xindex>
      %keys = vector.step : vector<128xindex>
      %tall = vector.shape_cast %keys : vector<128xindex> to vector<128x1xindex>
      %columns = vector.broadcast %queries : vector<64xindex> to !places
      %rows = vector.broadcast %tall : vector<128x1xindex> to !places
      %distances = arith.subi %columns, %rows : !places
      %some = func.call @select(%s, %distances, %window) : (!scores, !places, index) -> !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
  }

  // The scores of keys at distances of 0 to `window` - 1 before a query, and -inf. The first query
  // is `back` behind the first key.
  func.func private @see_keys(%s: !scores, %back: index, %window: index) -> !scores {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %farthest = arith.addi %back, %c128 : index
    %is_far = arith.cmpi sgt, %farthest, %window : index
    %is_near = arith.cmpi slt, %back, %c64 : index
    %is_partial = arith.ori %is_far, %is_near : i1
    %seen = scf.if %is_partial -> (!scores) {
      %steps = vector.step : vector<128xindex>
      %backs = vector.broadcast %back : index to vector<128xindex>
      %queries = arith.addi %steps, %backs : vector<128xindex>
      %tall = vector.shape_cast %queries : vector<128xindex> to vector<128x1xindex>
      %keys = vector.step : vector<64xindex>
      %rows = vector.broadcast %tall : vector<128x1xindex> to !places
      %columns = vector.broadcast %keys : vector<64xindex> to !places
      %distances = arith.subi %rows, %columns : !places
      %some = func.call @select(%s, %distances, %window) : (!scores, !places, index) -> !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
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

  // Adds 64 queries, whose scores are cap * t, to dk and dv.
  func.func private @add_capped(
      %t: !scores, %dp: !scores, %cap: f32, %lse: !numbers, %delta: !numbers, %h: index,
      %i: index, %q: !half, %dy: !half, %dk: !square, %dv: !square) -> (!square, !square) {
    %below = func.call @turn(%lse, %h, %i) : (!numbers, index, index) -> !scores
    %p = func.call @weigh(%t, %cap, %below) : (!scores, f32, !scores) -> !scores
    %deltas = func.call @read(%delta, %h, %i) : (!numbers, index, index) -> !scores
    %ds = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !scores
    %sloped = func.call @slope(%ds, %t) : (!scores, !scores) -> !scores
    %next:2 = func.call @add_queries(%p, %sloped, %q, %dy, %dk, %dv)
        : (!scores, !scores, !half, !half, !square, !square) -> (!square, !square)
    return %next#0, %next#1 : !square, !square
  }

  gpu.func @attention_dkv_window(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %cap: f32 {carousel.argument = #cap},
      %window: index {carousel.argument = #window}, %dk: !heads {carousel.argument = #dk},
      %dv: !heads {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %ratio = arith.divf %scale, %cap : f32
    %n = memref.dim %q, %c1 : !heads
    %end = affine.min affine_map<(d)[w, n] -> (d + w + 127, n)>(%j)[%window, %n]
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %first, %last = func.call @find_heads(%q, %k, %h) : (!heads, !heads, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %j to %end step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %ahead = arith.subi %i, %j : index
        %qt = vector.transfer_read %q[%g, %i, %c0], %pad : !heads, !half
        %dyt = vector.transfer_read %dy[%g, %i, %c0], %pad : !heads, !half
        %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
            : (!tile, !half, !tile, !half) -> (!scores, !scores)
        %t = func.call @tanh(%s, %ratio) : (!scores, f32) -> !scores
        %seen = func.call @see_queries(%t, %ahead, %window) : (!scores, index, index) -> !scores
        %next:2 = func.call @add_capped(
            %seen, %dp, %cap, %lse, %delta, %g, %i, %qt, %dyt, %dk_i, %dv_i)
            : (!scores, !scores, f32, !numbers, !numbers, index, index, !half, !half, !square,
               !square) -> (!square, !square)
        scf.yield %next#0, %next#1 : !square, !square
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !square, !square
    }
    func.call @write_scaled(%r#0, %scale, %dk, %h, %j) : (!square, f32, !heads, index, index) -> ()
    func.call @write(%r#1, %dv, %h, %j) : (!square, !heads, index, index) -> ()
    gpu.return
  }

  // Adds 64 keys, whose scores are cap * t, to dq.
  func.func private @add_capped_keys(%t: !scores, %dp: !scores, %k: !half, %below: !row,
                                     %delta: !row, %cap: f32, %dq: !square) -> !square {
    %belows = func.call @spread(%below) : (!row) -> !scores
    %p = func.call @weigh(%t, %cap, %belows) : (!scores, f32, !scores) -> !scores
    %deltas = func.call @spread(%delta) : (!row) -> !scores
    %ds = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !scores
    %sloped = func.call @slope(%ds, %t) : (!scores, !scores) -> !scores
    %ds16 = arith.truncf %sloped : !scores to !weights
    %next = vector.contract #values %ds16, %k, %dq : !weights, !half into !square
    return %next : !square
  }

  gpu.func @attention_dq_window(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %cap: f32 {carousel.argument = #cap},
      %window: index {carousel.argument = #window}, %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %ratio = arith.divf %scale, %cap : f32
    %first = affine.max #near(%i)[%window]
    %n = memref.dim %k, %c1 : !heads
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %g = arith.divui %h, %count : index
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !tile
    %below = func.call @turn_rows(%lse, %h, %i) : (!numbers, index, index) -> !row
    %deltat = func.call @read_rows(%delta, %h, %i) : (!numbers, index, index) -> !row
    %sum = scf.for %j = %first to %end step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !half
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %back = arith.subi %i, %j : index
      %t = func.call @tanh(%s, %ratio) : (!scores, f32) -> !scores
      %seen = func.call @see_keys(%t, %back, %window) : (!scores, index, index) -> !scores
      %next = func.call @add_capped_keys(%seen, %dp, %kt, %below, %deltat, %cap, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    func.call @write_scaled(%sum, %scale, %dq, %h, %i) : (!square, f32, !heads, index, index) -> ()
    gpu.return
  }

  // The scores' powers of 2 that a bias adds to `below`.
  func.func private @add_bias(%bias: !weights, %below: !scores) -> !scores {
    %factors = arith.constant dense<1.44269504> : !scores
    %wide = arith.extf %bias : !weights to !scores
    %both = math.fma %wide, %factors, %below : !scores
    return %both : !scores
  }

  // The bias that a head has.
  func.func private @find_bias(%bias: !biases, %h: index) -> index {
    %c0 = arith.constant 0 : index
    %count = memref.dim %bias, %c0 : !biases
    %b = arith.remui %h, %count : index
    return %b : index
  }

  gpu.func @attention_dkv_bias(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %bias: !biases {carousel.argument = #bias},
      %dk: !heads {carousel.argument = #dk}, %dv: !heads {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %n = memref.dim %q, %c1 : !heads
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %first, %last = func.call @find_heads(%q, %k, %h) : (!heads, !heads, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %c0 to %n step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %qt = vector.transfer_read %q[%g, %i, %c0], %pad : !heads, !half
        %dyt = vector.transfer_read %dy[%g, %i, %c0], %pad : !heads, !half
        %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
            : (!tile, !half, !tile, !half) -> (!scores, !scores)
        %b = func.call @find_bias(%bias, %g) : (!biases, index) -> index
        %bt = vector.transfer_read %bias[%b, %i, %j], %pad : !biases, !half
        %tall = vector.transpose %bt, [1, 0] : !half to !weights
        %below = func.call @turn(%lse, %g, %i) : (!numbers, index, index) -> !scores
        %both = func.call @add_bias(%tall, %below) : (!weights, !scores) -> !scores
        %p = func.call @weigh(%s, %scale, %both) : (!scores, f32, !scores) -> !scores
        %deltas = func.call @read(%delta, %g, %i) : (!numbers, index, index) -> !scores
        %ds = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !scores
        %next:2 = func.call @add_queries(%p, %ds, %qt, %dyt, %dk_i, %dv_i)
            : (!scores, !scores, !half, !half, !square, !square) -> (!square, !square)
        scf.yield %next#0, %next#1 : !square, !square
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !square, !square
    }
    func.call @write_scaled(%r#0, %scale, %dk, %h, %j) : (!square, f32, !heads, index, index) -> ()
    func.call @write(%r#1, %dv, %h, %j) : (!square, !heads, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dq_bias(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %bias: !biases {carousel.argument = #bias},
      %dq: !heads {carousel.argument = #dq}, %dbias: !biases {carousel.argument = #dbias})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %b = func.call @find_bias(%bias, %h) : (!biases, index) -> index
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %g = arith.divui %h, %count : index
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !tile
    %below = func.call @turn_rows(%lse, %h, %i) : (!numbers, index, index) -> !row
    %belows = func.call @spread(%below) : (!row) -> !scores
    %deltat = func.call @read_rows(%delta, %h, %i) : (!numbers, index, index) -> !row
    %deltas = func.call @spread(%deltat) : (!row) -> !scores
    %sum = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !half
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %bt = vector.transfer_read %bias[%b, %i, %j], %pad : !biases, !weights
      %both = func.call @add_bias(%bt, %belows) : (!weights, !scores) -> !scores
      %left = arith.subi %n, %j : index
      %seen = func.call @see_first(%s, %left) : (!scores, index) -> !scores
      %p = func.call @weigh(%seen, %scale, %both) : (!scores, f32, !scores) -> !scores
      %ds = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !scores
      %ds16 = arith.truncf %ds : !scores to !weights
      vector.transfer_write %ds16, %dbias[%h, %i, %j] : !weights, !biases
      %next = vector.contract #values %ds16, %kt, %acc : !weights, !half into !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write_scaled(%sum, %scale, %dq, %h, %i) : (!square, f32, !heads, index, index) -> ()
    gpu.return
  }
}

// In f64.
!host = memref<?x?x128xbf16>
!wide = memref<?x?x128xf64>
!stats = memref<?x?xf32>
!added = memref<?x?x?xf64>
func.func private @dot(%a: !host, %b: !host, %g: index, %h: index, %i: index, %j: index) -> f64 {
  %c0 = arith.constant 0 : index
  %a16 = vector.load %a[%g, %i, %c0] : !host, vector<128xbf16>
  %b16 = vector.load %b[%h, %j, %c0] : !host, vector<128xbf16>
  %a64 = arith.extf %a16 : vector<128xbf16> to vector<128xf64>
  %b64 = arith.extf %b16 : vector<128xbf16> to vector<128xf64>
  %products = arith.mulf %a64, %b64 : vector<128xf64>
  %sum = vector.reduction <add>, %products : vector<128xf64> into f64
  return %sum : f64
}

// Adds `factor` times a row of `from`.
func.func private @add(%factor: f64, %from: !host, %g: index, %i: index, %to: !wide, %h: index,
                       %j: index) {
  %c0 = arith.constant 0 : index
  %from16 = vector.load %from[%g, %i, %c0] : !host, vector<128xbf16>
  %from64 = arith.extf %from16 : vector<128xbf16> to vector<128xf64>
  %before = vector.load %to[%h, %j, %c0] : !wide, vector<128xf64>
  %factors = vector.broadcast %factor : f64 to vector<128xf64>
  %after = math.fma %factors, %from64, %before : vector<128xf64>
  vector.store %after, %to[%h, %j, %c0] : !wide, vector<128xf64>
  return
}

// cap * tanh(s / cap), and s if cap is 0.
func.func private @bound(%s: f64, %cap: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %has_cap = arith.cmpf one, %cap, %zero : f64
  %result = scf.if %has_cap -> (f64) {
    %ratio = arith.divf %s, %cap : f64
    %t = math.tanh %ratio : f64
    %bounded = arith.mulf %t, %cap : f64
    scf.yield %bounded : f64
  } else {
    scf.yield %s : f64
  }
  return %result : f64
}

// The slope of @bound where it gives `s`.
func.func private @find_slope(%s: f64, %cap: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %has_cap = arith.cmpf one, %cap, %zero : f64
  %result = scf.if %has_cap -> (f64) {
    %t = arith.divf %s, %cap : f64
    %square = arith.mulf %t, %t : f64
    %slope = arith.subf %one, %square : f64
    scf.yield %slope : f64
  } else {
    scf.yield %one : f64
  }
  return %result : f64
}

// Adds the gradients to dq, dk and dv. `added` is added to scores, by heads modulo its own. Where
// it is -inf, the key doesn't count.
func.func private @differentiate(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                 %delta: !stats, %scale: f32, %added: !added, %cap: f64, %dq: !wide,
                                 %dk: !wide, %dv: !wide, %gradients: !added) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFFF0000000000000 : f64
  %heads = memref.dim %q, %c0 : !host
  %groups = memref.dim %k, %c0 : !host
  %rows = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %biases = memref.dim %added, %c0 : !added
  %count = arith.divui %heads, %groups : index
  %factor = arith.extf %scale : f32 to f64
  scf.for %h = %c0 to %heads step %c1 {
    %g = arith.divui %h, %count : index
    %b = arith.remui %h, %biases : index
    scf.for %i = %c0 to %rows step %c1 {
      %lse32 = memref.load %lse[%h, %i] : !stats
      %lse64 = arith.extf %lse32 : f32 to f64
      %delta32 = memref.load %delta[%h, %i] : !stats
      %delta64 = arith.extf %delta32 : f32 to f64
      scf.for %j = %c0 to %keys step %c1 {
        %more = memref.load %added[%b, %i, %j] : !added
        %counts = arith.cmpf one, %more, %least : f64
        scf.if %counts {
          %s = func.call @dot(%q, %k, %h, %g, %i, %j)
              : (!host, !host, index, index, index, index) -> f64
          %scaled = arith.mulf %s, %factor : f64
          %capped = func.call @bound(%scaled, %cap) : (f64, f64) -> f64
          %biased = arith.addf %capped, %more : f64
          %below = arith.subf %biased, %lse64 : f64
          %p = math.exp %below : f64
          %dp = func.call @dot(%dy, %v, %h, %g, %i, %j)
              : (!host, !host, index, index, index, index) -> f64
          %change = arith.subf %dp, %delta64 : f64
          %by_p = arith.mulf %p, %change : f64
          %slope = func.call @find_slope(%capped, %cap) : (f64, f64) -> f64
          %ds = arith.mulf %by_p, %slope : f64
          memref.store %ds, %gradients[%h, %i, %j] : !added
          %by_scale = arith.mulf %ds, %factor : f64
          func.call @add(%p, %dy, %h, %i, %dv, %g, %j)
              : (f64, !host, index, index, !wide, index, index) -> ()
          func.call @add(%by_scale, %q, %h, %i, %dk, %g, %j)
              : (f64, !host, index, index, !wide, index, index) -> ()
          func.call @add(%by_scale, %k, %g, %j, %dq, %h, %i)
              : (f64, !host, index, index, !wide, index, index) -> ()
        }
      }
    }
  }
  return
}

// Zeros of the extents of another memref.
func.func private @allocate(%like: !host) -> !wide {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %heads = memref.dim %like, %c0 : !host
  %rows = memref.dim %like, %c1 : !host
  %sums = memref.alloc(%heads, %rows) : !wide
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      vector.store %zeros, %sums[%h, %i, %c0] : !wide, vector<128xf64>
    }
  }
  return %sums : !wide
}

func.func private @round(%from: !wide, %to: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %to, %c0 : !host
  %rows = memref.dim %to, %c1 : !host
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      %row = vector.load %from[%h, %i, %c0] : !wide, vector<128xf64>
      %rounded = arith.truncf %row : vector<128xf64> to vector<128xbf16>
      vector.store %rounded, %to[%h, %i, %c0] : !host, vector<128xbf16>
    }
  }
  return
}

!bias = memref<?x?x?xbf16>
func.func private @widen(%bias: !bias) -> !added {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %heads = memref.dim %bias, %c0 : !bias
  %rows = memref.dim %bias, %c1 : !bias
  %keys = memref.dim %bias, %c2 : !bias
  %added = memref.alloc(%heads, %rows, %keys) : !added
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %keys step %c1 {
        %narrow = memref.load %bias[%h, %i, %j] : !bias
        %wide = arith.extf %narrow : bf16 to f64
        memref.store %wide, %added[%h, %i, %j] : !added
      }
    }
  }
  return %added : !added
}

// Zeros, where keys don't count, and for @differentiate to store to.
func.func private @allocate_gradients(%q: !host, %k: !host) -> !added {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %heads = memref.dim %q, %c0 : !host
  %rows = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %ds = memref.alloc(%heads, %rows, %keys) : !added
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %keys step %c1 {
        memref.store %zero, %ds[%h, %i, %j] : !added
      }
    }
  }
  return %ds : !added
}

func.func private @round_gradients(%ds: !added, %to: !bias) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %heads = memref.dim %to, %c0 : !bias
  %rows = memref.dim %to, %c1 : !bias
  %keys = memref.dim %to, %c2 : !bias
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %keys step %c1 {
        %wide = memref.load %ds[%h, %i, %j] : !added
        %narrow = arith.truncf %wide : f64 to bf16
        memref.store %narrow, %to[%h, %i, %j] : !bias
      }
    }
  }
  return
}

func.func private @dkv(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                       %scale: f32, %added: !added, %cap: f64, %dk: !host, %dv: !host) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  %ds = call @allocate_gradients(%q, %k) : (!host, !host) -> !added
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %cap, %dq64, %dk64, %dv64, %ds)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, f64, !wide, !wide, !wide,
         !added) -> ()
  call @round(%dk64, %dk) : (!wide, !host) -> ()
  call @round(%dv64, %dv) : (!wide, !host) -> ()
  return
}

func.func private @dq(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                      %scale: f32, %added: !added, %cap: f64, %dq: !host, %ds: !added) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %cap, %dq64, %dk64, %dv64, %ds)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, f64, !wide, !wide, !wide,
         !added) -> ()
  call @round(%dq64, %dq) : (!wide, !host) -> ()
  return
}

// 0 at distances of 0 to `window` - 1, and -inf.
func.func private @find_window(%q: !host, %k: !host, %window: index) -> !added {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xFFF0000000000000 : f64
  %rows = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %added = memref.alloc(%c1, %rows, %keys) : !added
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %keys step %c1 {
      %distance = arith.subi %i, %j : index
      %is_near = arith.cmpi ult, %distance, %window : index
      %own = arith.select %is_near, %zero, %least : f64
      memref.store %own, %added[%c0, %i, %j] : !added
    }
  }
  return %added : !added
}

func.func @attention_dkv_window_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                          %delta: !stats, %scale: f32, %cap: f32, %window: index,
                                          %dk: !host, %dv: !host) {
  %wide_cap = arith.extf %cap : f32 to f64
  %added = call @find_window(%q, %k, %window) : (!host, !host, index) -> !added
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %wide_cap, %dk, %dv)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, f64, !host, !host) -> ()
  return
}

func.func @attention_dq_window_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                         %delta: !stats, %scale: f32, %cap: f32, %window: index,
                                         %dq: !host) {
  %wide_cap = arith.extf %cap : f32 to f64
  %added = call @find_window(%q, %k, %window) : (!host, !host, index) -> !added
  %ds = call @allocate_gradients(%q, %k) : (!host, !host) -> !added
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %wide_cap, %dq, %ds)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, f64, !host, !added) -> ()
  return
}

func.func @attention_dkv_bias_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                        %delta: !stats, %scale: f32, %bias: !bias, %dk: !host,
                                        %dv: !host) {
  %no = arith.constant 0.0 : f64
  %added = call @widen(%bias) : (!bias) -> !added
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %no, %dk, %dv)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, f64, !host, !host) -> ()
  return
}

func.func @attention_dq_bias_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                       %delta: !stats, %scale: f32, %bias: !bias, %dq: !host,
                                       %dbias: !bias) {
  %no = arith.constant 0.0 : f64
  %added = call @widen(%bias) : (!bias) -> !added
  %ds = call @allocate_gradients(%q, %k) : (!host, !host) -> !added
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %no, %dq, %ds)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, f64, !host, !added) -> ()
  call @round_gradients(%ds, %dbias) : (!added, !bias) -> ()
  return
}
