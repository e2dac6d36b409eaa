// The gradients of attention of a ragged batch, as in attention_ragged.mlir, of heads of 128
// elements: the kernels of attention_backward.mlir, whose comments hold here. Results from the last
// offset on stay as they are.
//
// A program looks for its tile of 128 keys, or of 128 queries, of a sequence. Tiles of 64 queries
// begin at multiples of 64 among all positions, so that engines may copy their lse and delta. Tiles
// may have some queries and keys of the sequences before and behind, whose weights are 0. So these
// count only where they are infinite or NaN.
//
// - @attention_dkv_ragged, @attention_dq_ragged: all keys of the sequence count.
// - @attention_dkv_ragged_causal, @attention_dq_ragged_causal: those up to the row's own count.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#scores = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#values = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#dy = #carousel.argument<"dy", in>
#lse = #carousel.argument<"lse", in>
#delta = #carousel.argument<"delta", in>
#scale = #carousel.argument<"scale", in>
#offsets = #carousel.argument<"offsets", in>
#dq = #carousel.argument<"dq", out>
#dk = #carousel.argument<"dk", out>
#dv = #carousel.argument<"dv", out>
#program = #carousel.block_program<>
#of_keys = #carousel.launch<grid = [extent(1, 0), floordiv(extent(0, 1), 128) + extent(7, 0)]>
#of_queries = #carousel.launch<grid = [extent(0, 0), floordiv(extent(0, 1), 128) + extent(7, 0)]>

!heads = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!numbers = memref<?x?xf32, #gl>
!offsets = memref<?xi32, #gl>
!tile = vector<128x128xbf16>
!half = vector<64x128xbf16>
!weights = vector<128x64xbf16>
!square = vector<128x128xf32>
!scores = vector<128x64xf32>
!row = vector<128xf32>
!short = vector<64xf32>
!places = vector<128x64xindex>

gpu.module @attention_backward_ragged {
  // The first row of tile p, and where its sequence begins and ends; no rows if there is no such.
  // Numbers have 32 bits: warps that copy have few registers.
  func.func private @find(%offsets: !offsets, %p: index) -> (index, index, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %size = arith.constant 128 : i32
    %entries = memref.dim %offsets, %c0 : !offsets
    %p32 = arith.index_castui %p : index to i32
    %found:5 = scf.for %b = %c1 to %entries step %c1
        iter_args(%tile = %none, %begin = %none, %row = %none, %first = %none, %last = %none)
        -> (i32, i32, i32, i32, i32) {
      %end = memref.load %offsets[%b] : !offsets
      %rows = arith.subi %end, %begin : i32
      %tiles = arith.ceildivui %rows, %size : i32
      %next = arith.addi %tile, %tiles : i32
      %has_begun = arith.cmpi uge, %p32, %tile : i32
      %isnt_behind = arith.cmpi ult, %p32, %next : i32
      %is_here = arith.andi %has_begun, %isnt_behind : i1
      %before = arith.subi %p32, %tile : i32
      %offset = arith.muli %before, %size : i32
      %own = arith.addi %begin, %offset : i32
      %0 = arith.select %is_here, %own, %row : i32
      %1 = arith.select %is_here, %begin, %first : i32
      %2 = arith.select %is_here, %end, %last : i32
      scf.yield %next, %end, %0, %1, %2 : i32, i32, i32, i32, i32
    }
    %i = arith.index_castui %found#2 : i32 to index
    %start = arith.index_castui %found#3 : i32 to index
    %stop = arith.index_castui %found#4 : i32 to index
    return %i, %start, %stop : index, index, index
  }

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

  // Writes the rows before the sequence's end.
  func.func private @write(%sum: !square, %to: !heads, %h: index, %i: index, %end: index) {
    %c0 = arith.constant 0 : index
    %heads = memref.dim %to, %c0 : !heads
    %own = memref.subview %to[0, 0, 0] [%heads, %end, 128] [1, 1, 1] : !heads to !heads
    %rounded = arith.truncf %sum : !square to !tile
    vector.transfer_write %rounded, %own[%h, %i, %c0] : !tile, !heads
    return
  }

  func.func private @write_scaled(%sum: !square, %scale: f32, %to: !heads, %h: index, %i: index,
                                  %end: index) {
    %scaled = func.call @scale(%sum, %scale) : (!square, f32) -> !square
    func.call @write(%scaled, %to, %h, %i, %end) : (!square, !heads, index, index, index) -> ()
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

  // The scores of queries of the sequence, of 64 from query `i` on.
  func.func private @see_sequence(%s: !scores, %i: index, %begin: index, %end: index) -> !scores {
    %c64 = arith.constant 64 : index
    %count = arith.subi %end, %begin : index
    %is_before = arith.cmpi slt, %i, %begin : index
    %after = arith.addi %i, %c64 : index
    %is_behind = arith.cmpi sgt, %after, %end : index
    %is_partial = arith.ori %is_before, %is_behind : i1
    %seen = scf.if %is_partial -> (!scores) {
      %least = arith.constant dense<0xFF800000> : !scores
      %steps = vector.step : vector<64xindex>
      %ahead = arith.subi %i, %begin : index
      %aheads = vector.broadcast %ahead : index to vector<64xindex>
      %distances = arith.addi %steps, %aheads : vector<64xindex>
      %distances32 = arith.index_cast %distances : vector<64xindex> to vector<64xi32>
      %count32 = arith.index_cast %count : index to i32
      %counts = vector.broadcast %count32 : i32 to vector<64xi32>
      %is_own = arith.cmpi ult, %distances32, %counts : vector<64xi32>
      %mask = vector.broadcast %is_own : vector<64xi1> to vector<128x64xi1>
      %some = arith.select %mask, %s, %least : vector<128x64xi1>, !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
  }

  gpu.func @attention_dkv_ragged(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %offsets: !offsets {carousel.argument = #offsets},
      %dk: !heads {carousel.argument = #dk}, %dv: !heads {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %p = gpu.block_id y
    %j, %begin, %end = func.call @find(%offsets, %p) : (!offsets, index) -> (index, index, index)
    %near = affine.apply affine_map<(d) -> (d floordiv 64 * 64)>(%begin)
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %first, %last = func.call @find_heads(%q, %k, %h) : (!heads, !heads, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %near to %end step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %qt = vector.transfer_read %q[%g, %i, %c0], %pad : !heads, !half
        %dyt = vector.transfer_read %dy[%g, %i, %c0], %pad : !heads, !half
        %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
            : (!tile, !half, !tile, !half) -> (!scores, !scores)
        %seen = func.call @see_sequence(%s, %i, %begin, %end)
            : (!scores, index, index, index) -> !scores
        %next:2 = func.call @add_seen(
            %seen, %dp, %scale, %lse, %delta, %g, %i, %qt, %dyt, %dk_i, %dv_i)
            : (!scores, !scores, f32, !numbers, !numbers, index, index, !half, !half, !square,
               !square) -> (!square, !square)
        scf.yield %next#0, %next#1 : !square, !square
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !square, !square
    }
    func.call @write_scaled(%r#0, %scale, %dk, %h, %j, %end)
        : (!square, f32, !heads, index, index, index) -> ()
    func.call @write(%r#1, %dv, %h, %j, %end) : (!square, !heads, index, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dkv_ragged_causal(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %offsets: !offsets {carousel.argument = #offsets},
      %dk: !heads {carousel.argument = #dk}, %dv: !heads {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %p = gpu.block_id y
    %j, %begin, %end = func.call @find(%offsets, %p) : (!offsets, index) -> (index, index, index)
    %near = affine.apply affine_map<(d) -> (d floordiv 64 * 64)>(%j)
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %first, %last = func.call @find_heads(%q, %k, %h) : (!heads, !heads, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %near to %end step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %ahead = arith.subi %i, %j : index
        %qt = vector.transfer_read %q[%g, %i, %c0], %pad : !heads, !half
        %dyt = vector.transfer_read %dy[%g, %i, %c0], %pad : !heads, !half
        %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
            : (!tile, !half, !tile, !half) -> (!scores, !scores)
        %after = func.call @see_behind(%s, %ahead) : (!scores, index) -> !scores
        %left = arith.subi %end, %i : index
        %seen = func.call @see_first(%after, %left) : (!scores, index) -> !scores
        %next:2 = func.call @add_seen(
            %seen, %dp, %scale, %lse, %delta, %g, %i, %qt, %dyt, %dk_i, %dv_i)
            : (!scores, !scores, f32, !numbers, !numbers, index, index, !half, !half, !square,
               !square) -> (!square, !square)
        scf.yield %next#0, %next#1 : !square, !square
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !square, !square
    }
    func.call @write_scaled(%r#0, %scale, %dk, %h, %j, %end)
        : (!square, f32, !heads, index, index, index) -> ()
    func.call @write(%r#1, %dv, %h, %j, %end) : (!square, !heads, index, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dq_ragged(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %offsets: !offsets {carousel.argument = #offsets},
      %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %p = gpu.block_id y
    %i, %begin, %end = func.call @find(%offsets, %p) : (!offsets, index) -> (index, index, index)
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %g = arith.divui %h, %count : index
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !tile
    %below = func.call @turn_rows(%lse, %h, %i) : (!numbers, index, index) -> !row
    %deltat = func.call @read_rows(%delta, %h, %i) : (!numbers, index, index) -> !row
    %sum = scf.for %j = %begin to %end step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !half
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %left = arith.subi %end, %j : index
      %seen = func.call @see_first(%s, %left) : (!scores, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    func.call @write_scaled(%sum, %scale, %dq, %h, %i, %end)
        : (!square, f32, !heads, index, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dq_ragged_causal(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %offsets: !offsets {carousel.argument = #offsets},
      %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %p = gpu.block_id y
    %i, %begin, %end = func.call @find(%offsets, %p) : (!offsets, index) -> (index, index, index)
    %behind = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%end]
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %g = arith.divui %h, %count : index
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !tile
    %below = func.call @turn_rows(%lse, %h, %i) : (!numbers, index, index) -> !row
    %deltat = func.call @read_rows(%delta, %h, %i) : (!numbers, index, index) -> !row
    %sum = scf.for %j = %begin to %behind step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !half
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %back = arith.subi %i, %j : index
      %seen = func.call @see_own(%s, %back) : (!scores, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    func.call @write_scaled(%sum, %scale, %dq, %h, %i, %end)
        : (!square, f32, !heads, index, index, index) -> ()
    gpu.return
  }
}

// In f64.
!host = memref<?x?x128xbf16>
!wide = memref<?x?x128xf64>
!stats = memref<?x?xf32>
!added = memref<?x?x?xf64>
!line = memref<?xi32>
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

// Adds the gradients to dq, dk and dv. `added` is added to scores, by heads modulo its own. Where
// it is -inf, the key doesn't count.
func.func private @differentiate(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                 %delta: !stats, %scale: f32, %added: !added, %dq: !wide,
                                 %dk: !wide, %dv: !wide) {
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
          %biased = arith.addf %scaled, %more : f64
          %below = arith.subf %biased, %lse64 : f64
          %p = math.exp %below : f64
          %dp = func.call @dot(%dy, %v, %h, %g, %i, %j)
              : (!host, !host, index, index, index, index) -> f64
          %change = arith.subf %dp, %delta64 : f64
          %ds = arith.mulf %p, %change : f64
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

// Rows before `end`.
func.func private @round(%from: !wide, %to: !host, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %to, %c0 : !host
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %end step %c1 {
      %row = vector.load %from[%h, %i, %c0] : !wide, vector<128xf64>
      %rounded = arith.truncf %row : vector<128xf64> to vector<128xbf16>
      vector.store %rounded, %to[%h, %i, %c0] : !host, vector<128xbf16>
    }
  }
  return
}

func.func private @dkv(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                       %scale: f32, %added: !added, %dk: !host, %dv: !host, %end: index) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq64, %dk64, %dv64)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !wide, !wide, !wide) -> ()
  call @round(%dk64, %dk, %end) : (!wide, !host, index) -> ()
  call @round(%dv64, %dv, %end) : (!wide, !host, index) -> ()
  return
}

func.func private @dq(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                      %scale: f32, %added: !added, %dq: !host, %end: index) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq64, %dk64, %dv64)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !wide, !wide, !wide) -> ()
  call @round(%dq64, %dq, %end) : (!wide, !host, index) -> ()
  return
}

// 0 where a key is in the sequence of a query, and at most its own if it is causal, and -inf.
func.func private @find_sequences(%q: !host, %offsets: !line, %is_causal: i1) -> !added {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xFFF0000000000000 : f64
  %rows = memref.dim %q, %c1 : !host
  %entries = memref.dim %offsets, %c0 : !line
  %added = memref.alloc(%c1, %rows, %rows) : !added
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %rows step %c1 {
      memref.store %least, %added[%c0, %i, %j] : !added
    }
  }
  scf.for %b = %c1 to %entries step %c1 {
    %before = arith.subi %b, %c1 : index
    %first = memref.load %offsets[%before] : !line
    %last = memref.load %offsets[%b] : !line
    %begin = arith.index_cast %first : i32 to index
    %end = arith.index_cast %last : i32 to index
    scf.for %i = %begin to %end step %c1 {
      %after = arith.addi %i, %c1 : index
      %stop = arith.select %is_causal, %after, %end : index
      scf.for %j = %begin to %stop step %c1 {
        memref.store %zero, %added[%c0, %i, %j] : !added
      }
    }
  }
  return %added : !added
}

func.func private @find_end(%offsets: !line) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %entries = memref.dim %offsets, %c0 : !line
  %before = arith.subi %entries, %c1 : index
  %last = memref.load %offsets[%before] : !line
  %end = arith.index_cast %last : i32 to index
  return %end : index
}

func.func @attention_dkv_ragged_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                          %delta: !stats, %scale: f32, %offsets: !line, %dk: !host,
                                          %dv: !host) {
  %is_causal = arith.constant false
  %end = call @find_end(%offsets) : (!line) -> index
  %added = call @find_sequences(%q, %offsets, %is_causal) : (!host, !line, i1) -> !added
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dk, %dv, %end)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host, !host, index) -> ()
  return
}

func.func @attention_dkv_ragged_causal_reference(%q: !host, %k: !host, %v: !host, %dy: !host,
                                                 %lse: !stats, %delta: !stats, %scale: f32,
                                                 %offsets: !line, %dk: !host, %dv: !host) {
  %is_causal = arith.constant true
  %end = call @find_end(%offsets) : (!line) -> index
  %added = call @find_sequences(%q, %offsets, %is_causal) : (!host, !line, i1) -> !added
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dk, %dv, %end)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host, !host, index) -> ()
  return
}

func.func @attention_dq_ragged_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                         %delta: !stats, %scale: f32, %offsets: !line, %dq: !host) {
  %is_causal = arith.constant false
  %end = call @find_end(%offsets) : (!line) -> index
  %added = call @find_sequences(%q, %offsets, %is_causal) : (!host, !line, i1) -> !added
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq, %end)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host, index) -> ()
  return
}

func.func @attention_dq_ragged_causal_reference(%q: !host, %k: !host, %v: !host, %dy: !host,
                                                %lse: !stats, %delta: !stats, %scale: f32,
                                                %offsets: !line, %dq: !host) {
  %is_causal = arith.constant true
  %end = call @find_end(%offsets) : (!line) -> index
  %added = call @find_sequences(%q, %offsets, %is_causal) : (!host, !line, i1) -> !added
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq, %end)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host, index) -> ()
  return
}
