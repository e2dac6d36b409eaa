// The gradients of attention of heads of 128 elements, where some keys count: the kernels of
// attention_backward.mlir, whose comments hold here, with the masks of forward kernels. Tiles of
// which no key counts aren't read.
//
// - @attention_dkv_documents, @attention_dq_documents: of attention_documents.mlir. `id` has the
//   document of each position, from 1 on.
// - @attention_dkv_ranges, @attention_dq_ranges: of attention_ranges.mlir. @attention_dq_ranges has
//   the keys of each query, start[i] up to stop[i], as the forward kernel has.
//   @attention_dkv_ranges has the queries of each key: as the ranges above ascend, from the first
//   query whose stop is after the key, up to the first whose start is. They ascend, too.

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
#id = #carousel.argument<"id", in>
#start = #carousel.argument<"start", in>
#stop = #carousel.argument<"stop", in>
#dq = #carousel.argument<"dq", out>
#dk = #carousel.argument<"dk", out>
#dv = #carousel.argument<"dv", out>
#program = #carousel.block_program<>
#of_keys = #carousel.launch<grid = [extent(1, 0), ceildiv(extent(1, 1), 128)]>
#of_queries = #carousel.launch<grid = [extent(0, 0), ceildiv(extent(0, 1), 128)]>

!heads = memref<?x?x128xbf16, #gl>
!numbers = memref<?x?xf32, #gl>
!ids = memref<?xi32, #gl>
!bounds = memref<?xi32, #gl>
!tile = vector<128x128xbf16>
!half = vector<64x128xbf16>
!weights = vector<128x64xbf16>
!square = vector<128x128xf32>
!scores = vector<128x64xf32>
!row = vector<128xf32>
!short = vector<64xf32>
!integers = vector<128x64xi32>
!ends = vector<128xi32>
!long = vector<2048xi32>

gpu.module @attention_backward_masks {
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

  // -log2(e) * lse of 128 queries. It is finite where a query has no key, whose lse is -inf.
  func.func private @turn_finite(%lse: !numbers, %h: index, %i: index) -> !row {
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

  // The scores of columns in the row's document, and the least of all numbers.
  func.func private @compare(%s: !scores, %rows: vector<128xi32>, %columns: vector<64xi32>)
      -> !scores {
    %least = arith.constant dense<0xFF800000> : !scores
    %tall = vector.shape_cast %rows : vector<128xi32> to vector<128x1xi32>
    %of_rows = vector.broadcast %tall : vector<128x1xi32> to !integers
    %of_columns = vector.broadcast %columns : vector<64xi32> to !integers
    %mask = arith.cmpi eq, %of_rows, %of_columns : !integers
    %some = arith.select %mask, %s, %least : vector<128x64xi1>, !scores
    return %some : !scores
  }

  // The first position and the last one whose documents are between the least and the largest one
  // of the rows.
  func.func private @find(%rows: vector<128xi32>, %id: !ids, %n: index) -> (i32, i32) {
    %c0 = arith.constant 0 : index
    %c2048 = arith.constant 2048 : index
    %none = arith.constant 0 : i32
    %most = arith.constant 2147483647 : i32
    %before = arith.constant -1 : i32
    %behind = arith.constant dense<2147483647> : !long
    %ahead = arith.constant dense<-1> : !long
    %nones = arith.constant dense<0> : vector<128xi32>
    %mosts = arith.constant dense<2147483647> : vector<128xi32>
    %is_none = arith.cmpi eq, %rows, %nones : vector<128xi32>
    %own = arith.select %is_none, %mosts, %rows : vector<128xi1>, vector<128xi32>
    %low = vector.multi_reduction <minsi>, %own, %most [0] : vector<128xi32> to i32
    %high = vector.multi_reduction <maxsi>, %rows, %before [0] : vector<128xi32> to i32
    %lows = vector.broadcast %low : i32 to !long
    %highs = vector.broadcast %high : i32 to !long
    %steps = vector.step : vector<2048xindex>
    %columns = arith.index_cast %steps : vector<2048xindex> to !long
    %r:2 = scf.for %j = %c0 to %n step %c2048 iter_args(%firsts = %behind, %lasts = %ahead)
        -> (!long, !long) {
      %ids = vector.transfer_read %id[%j], %none : !ids, !long
      %j32 = arith.index_cast %j : index to i32
      %starts = vector.broadcast %j32 : i32 to !long
      %keys = arith.addi %columns, %starts : !long
      %is_above = arith.cmpi sge, %ids, %lows : !long
      %is_below = arith.cmpi sle, %ids, %highs : !long
      %is_near = arith.andi %is_above, %is_below : vector<2048xi1>
      %some = arith.select %is_near, %keys, %behind : vector<2048xi1>, !long
      %firsts2 = arith.minsi %firsts, %some : !long
      %others = arith.select %is_near, %keys, %ahead : vector<2048xi1>, !long
      %lasts2 = arith.maxsi %lasts, %others : !long
      scf.yield %firsts2, %lasts2 : !long, !long
    }
    %first = vector.multi_reduction <minsi>, %r#0, %most [0] : !long to i32
    %last = vector.multi_reduction <maxsi>, %r#1, %before [0] : !long to i32
    return %first, %last : i32, i32
  }

  // The bounds of a loop by tiles of 64 positions that may be in the documents of the rows.
  func.func private @find_bounds(%rows: vector<128xi32>, %id: !ids, %of: !heads)
      -> (index, index) {
    %c1 = arith.constant 1 : index
    %n = memref.dim %of, %c1 : !heads
    %first, %last = func.call @find(%rows, %id, %n) : (vector<128xi32>, !ids, index) -> (i32, i32)
    %near = arith.index_cast %first : i32 to index
    %begin = affine.apply affine_map<(d) -> (d floordiv 64 * 64)>(%near)
    %far = arith.index_cast %last : i32 to index
    %end = affine.apply affine_map<(d) -> (d + 1)>(%far)
    return %begin, %end : index, index
  }

  gpu.func @attention_dkv_documents(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %id: !ids {carousel.argument = #id},
      %dk: !heads {carousel.argument = #dk}, %dv: !heads {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %none = arith.constant 0 : i32
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %rows = vector.transfer_read %id[%j], %none : !ids, vector<128xi32>
    %begin, %end = func.call @find_bounds(%rows, %id, %q)
        : (vector<128xi32>, !ids, !heads) -> (index, index)
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %first, %last = func.call @find_heads(%q, %k, %h) : (!heads, !heads, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %begin to %end step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %qt = vector.transfer_read %q[%g, %i, %c0], %pad : !heads, !half
        %dyt = vector.transfer_read %dy[%g, %i, %c0], %pad : !heads, !half
        %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
            : (!tile, !half, !tile, !half) -> (!scores, !scores)
        %columns = vector.transfer_read %id[%i], %none : !ids, vector<64xi32>
        %seen = func.call @compare(%s, %rows, %columns)
            : (!scores, vector<128xi32>, vector<64xi32>) -> !scores
        %next:2 = func.call @add_seen(
            %seen, %dp, %scale, %lse, %delta, %g, %i, %qt, %dyt, %dk_i, %dv_i)
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

  gpu.func @attention_dq_documents(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %id: !ids {carousel.argument = #id},
      %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %none = arith.constant 0 : i32
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %rows = vector.transfer_read %id[%i], %none : !ids, vector<128xi32>
    %begin, %end = func.call @find_bounds(%rows, %id, %k)
        : (vector<128xi32>, !ids, !heads) -> (index, index)
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
      %columns = vector.transfer_read %id[%j], %none : !ids, vector<64xi32>
      %seen = func.call @compare(%s, %rows, %columns)
          : (!scores, vector<128xi32>, vector<64xi32>) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    func.call @write_scaled(%sum, %scale, %dq, %h, %i) : (!square, f32, !heads, index, index) -> ()
    gpu.return
  }

  // An integer of each row, in all columns.
  func.func private @spread_ends(%ends: !ends) -> !integers {
    %tall = vector.shape_cast %ends : !ends to vector<128x1xi32>
    %all = vector.broadcast %tall : vector<128x1xi32> to !integers
    return %all : !integers
  }

  // The scores of each row's range in the tile from j on, and the least of all numbers. `latest` is
  // the largest start of the rows, and `earliest` their smallest stop.
  func.func private @see_range(%s: !scores, %j: index, %starts: !ends, %counts: !ends,
                               %latest: index, %earliest: index) -> !scores {
    %end = affine.apply affine_map<(d) -> (d + 64)>(%j)
    %begins = arith.cmpi slt, %j, %latest : index
    %stops = arith.cmpi sgt, %end, %earliest : index
    %is_partial = arith.ori %begins, %stops : i1
    %seen = scf.if %is_partial -> (!scores) {
      %least = arith.constant dense<0xFF800000> : !scores
      %steps = vector.step : vector<64xindex>
      %columns = arith.index_cast %steps : vector<64xindex> to vector<64xi32>
      %across = vector.broadcast %columns : vector<64xi32> to !integers
      %j32 = arith.index_cast %j : index to i32
      %firsts = vector.broadcast %j32 : i32 to !ends
      %before = arith.subi %starts, %firsts : !ends
      %down = func.call @spread_ends(%before) : (!ends) -> !integers
      %distances = arith.subi %across, %down : !integers
      %many = func.call @spread_ends(%counts) : (!ends) -> !integers
      %mask = arith.cmpi ult, %distances, %many : !integers
      %some = arith.select %mask, %s, %least : vector<128x64xi1>, !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
  }

  // The bounds of the first row and of the last one.
  func.func private @load(%bounds: !bounds, %i: index, %last: index) -> (index, index) {
    %a = memref.load %bounds[%i] : !bounds
    %b = memref.load %bounds[%last] : !bounds
    %first = arith.index_castui %a : i32 to index
    %second = arith.index_castui %b : i32 to index
    return %first, %second : index, index
  }

  // The first column that some of 128 `rows` from row `i` on see, of a tile of 64, the end of
  // the columns, the largest start of the rows, and their smallest stop.
  func.func private @find_range(%start: !bounds, %stop: !bounds, %i: index, %rows: !heads)
      -> (index, index, index, index) {
    %c1 = arith.constant 1 : index
    %n = memref.dim %rows, %c1 : !heads
    %last = affine.min affine_map<(d)[n] -> (d + 127, n - 1)>(%i)[%n]
    %first, %latest = func.call @load(%start, %i, %last) : (!bounds, index, index) -> (index, index)
    %earliest, %end = func.call @load(%stop, %i, %last) : (!bounds, index, index) -> (index, index)
    %begin = affine.apply affine_map<(d) -> (d floordiv 64 * 64)>(%first)
    return %begin, %end, %latest, %earliest : index, index, index, index
  }

  // The starts of 128 rows, and how many columns each of them sees.
  func.func private @read_range(%start: !bounds, %stop: !bounds, %i: index) -> (!ends, !ends) {
    %none = arith.constant 0 : i32
    %starts = vector.transfer_read %start[%i], %none : !bounds, !ends
    %stops = vector.transfer_read %stop[%i], %none : !bounds, !ends
    %counts = arith.subi %stops, %starts : !ends
    return %starts, %counts : !ends, !ends
  }

  gpu.func @attention_dkv_ranges(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %start: !bounds {carousel.argument = #start},
      %stop: !bounds {carousel.argument = #stop}, %dk: !heads {carousel.argument = #dk},
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
    %begin, %end, %latest, %earliest = func.call @find_range(%start, %stop, %j, %k)
        : (!bounds, !bounds, index, !heads) -> (index, index, index, index)
    %starts, %counts = func.call @read_range(%start, %stop, %j)
        : (!bounds, !bounds, index) -> (!ends, !ends)
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %first, %last = func.call @find_heads(%q, %k, %h) : (!heads, !heads, index) -> (index, index)
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!square, !square) {
      %of_g:2 = scf.for %i = %begin to %end step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!square, !square) {
        %qt = vector.transfer_read %q[%g, %i, %c0], %pad : !heads, !half
        %dyt = vector.transfer_read %dy[%g, %i, %c0], %pad : !heads, !half
        %s, %dp = func.call @multiply(%kt, %qt, %vt, %dyt)
            : (!tile, !half, !tile, !half) -> (!scores, !scores)
        %seen = func.call @see_range(%s, %i, %starts, %counts, %latest, %earliest)
            : (!scores, index, !ends, !ends, index, index) -> !scores
        %next:2 = func.call @add_seen(
            %seen, %dp, %scale, %lse, %delta, %g, %i, %qt, %dyt, %dk_i, %dv_i)
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

  gpu.func @attention_dq_ranges(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %start: !bounds {carousel.argument = #start},
      %stop: !bounds {carousel.argument = #stop}, %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %block = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %begin, %end, %latest, %earliest = func.call @find_range(%start, %stop, %i, %q)
        : (!bounds, !bounds, index, !heads) -> (index, index, index, index)
    %starts, %counts = func.call @read_range(%start, %stop, %i)
        : (!bounds, !bounds, index) -> (!ends, !ends)
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %g = arith.divui %h, %count : index
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !tile
    %below = func.call @turn_finite(%lse, %h, %i) : (!numbers, index, index) -> !row
    %deltat = func.call @read_rows(%delta, %h, %i) : (!numbers, index, index) -> !row
    %sum = scf.for %j = %begin to %end step %c64 iter_args(%acc = %zeros) -> (!square) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !half
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !half
      %s, %dp = func.call @multiply(%qt, %kt, %dyt, %vt)
          : (!tile, !half, !tile, !half) -> (!scores, !scores)
      %seen = func.call @see_range(%s, %j, %starts, %counts, %latest, %earliest)
          : (!scores, index, !ends, !ends, index, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !square) -> !square
      scf.yield %next : !square
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    func.call @write_scaled(%sum, %scale, %dq, %h, %i) : (!square, f32, !heads, index, index) -> ()
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

func.func private @dkv(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                       %scale: f32, %added: !added, %dk: !host, %dv: !host) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq64, %dk64, %dv64)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !wide, !wide, !wide) -> ()
  call @round(%dk64, %dk) : (!wide, !host) -> ()
  call @round(%dv64, %dv) : (!wide, !host) -> ()
  return
}

func.func private @dq(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                      %scale: f32, %added: !added, %dq: !host) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq64, %dk64, %dv64)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !wide, !wide, !wide) -> ()
  call @round(%dq64, %dq) : (!wide, !host) -> ()
  return
}

// 0 where a key is in the document of a query, and -inf.
func.func private @find_documents(%q: !host, %k: !host, %id: !line) -> !added {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xFFF0000000000000 : f64
  %rows = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %added = memref.alloc(%c1, %rows, %keys) : !added
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %keys step %c1 {
      %of_row = memref.load %id[%i] : !line
      %of_key = memref.load %id[%j] : !line
      %counts = arith.cmpi eq, %of_row, %of_key : i32
      %own = arith.select %counts, %zero, %least : f64
      memref.store %own, %added[%c0, %i, %j] : !added
    }
  }
  return %added : !added
}

// 0 where a key is in a query's range, and -inf.
func.func private @find_keys(%q: !host, %k: !host, %start: !line, %stop: !line) -> !added {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xFFF0000000000000 : f64
  %rows = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %added = memref.alloc(%c1, %rows, %keys) : !added
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %keys step %c1 {
      %first = memref.load %start[%i] : !line
      %behind = memref.load %stop[%i] : !line
      %at = arith.index_cast %j : index to i32
      %has_begun = arith.cmpi sge, %at, %first : i32
      %isnt_behind = arith.cmpi slt, %at, %behind : i32
      %counts = arith.andi %has_begun, %isnt_behind : i1
      %own = arith.select %counts, %zero, %least : f64
      memref.store %own, %added[%c0, %i, %j] : !added
    }
  }
  return %added : !added
}

// 0 where a query is in a key's range, and -inf.
func.func private @find_queries(%q: !host, %k: !host, %start: !line, %stop: !line) -> !added {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xFFF0000000000000 : f64
  %rows = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %added = memref.alloc(%c1, %rows, %keys) : !added
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %keys step %c1 {
      %first = memref.load %start[%j] : !line
      %behind = memref.load %stop[%j] : !line
      %at = arith.index_cast %i : index to i32
      %has_begun = arith.cmpi sge, %at, %first : i32
      %isnt_behind = arith.cmpi slt, %at, %behind : i32
      %counts = arith.andi %has_begun, %isnt_behind : i1
      %own = arith.select %counts, %zero, %least : f64
      memref.store %own, %added[%c0, %i, %j] : !added
    }
  }
  return %added : !added
}

func.func @attention_dkv_documents_reference(%q: !host, %k: !host, %v: !host, %dy: !host,
                                             %lse: !stats, %delta: !stats, %scale: f32, %id: !line,
                                             %dk: !host, %dv: !host) {
  %added = call @find_documents(%q, %k, %id) : (!host, !host, !line) -> !added
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dk, %dv)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host, !host) -> ()
  return
}

func.func @attention_dq_documents_reference(%q: !host, %k: !host, %v: !host, %dy: !host,
                                            %lse: !stats, %delta: !stats, %scale: f32, %id: !line,
                                            %dq: !host) {
  %added = call @find_documents(%q, %k, %id) : (!host, !host, !line) -> !added
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host) -> ()
  return
}

func.func @attention_dkv_ranges_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                          %delta: !stats, %scale: f32, %start: !line, %stop: !line,
                                          %dk: !host, %dv: !host) {
  %added = call @find_queries(%q, %k, %start, %stop) : (!host, !host, !line, !line) -> !added
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dk, %dv)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host, !host) -> ()
  return
}

func.func @attention_dq_ranges_reference(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                         %delta: !stats, %scale: f32, %start: !line, %stop: !line,
                                         %dq: !host) {
  %added = call @find_keys(%q, %k, %start, %stop) : (!host, !host, !line, !line) -> !added
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %added, %dq)
      : (!host, !host, !host, !host, !stats, !stats, f32, !added, !host) -> ()
  return
}
