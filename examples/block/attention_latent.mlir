// Attention with latent keys and values (MLA), forward.
//
// - @attention_latent: queries and keys of 192 elements, values of 128, as prefills compute it: causal,
//   as @attention_causal in attention.mlir. Queries and keys are taken in parts of 128 + 64
//   (--carousel-split-extents).
// - @attention_latent_decode: the absorbed form, of one position of each sequence. A cache has a row of
//   576 elements for each key, which all heads share: all of them are the key, and the first 512 the
//   value. Sequence b has lengths[b] keys. Its keys are divided among as many programs as `parts` has
//   parts, each of which leaves the results and the logarithms of the sums of its own keys.
// - @attention_latent_combine: combines the parts in their order.
//
// The number of parts is the caller's, so that results don't depend on what else is in the batch. A
// program of @attention_latent_decode has 64 heads, and reads a tile of 64 keys once for both products,
// by 256 columns. Two warpgroups share the columns of the results, and each computes all scores. The
// rest of the cache behind the last key may have any bits, and 0 x NaN isn't 0: the tiles end with the
// sequence, so that the first one begins before its first key, where copies fill it with zeros.

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
#cache = #carousel.argument<"cache", in>
#lengths = #carousel.argument<"lengths", in>
#scale = #carousel.argument<"scale", in>
#parts = #carousel.argument<"parts", out>
#logs = #carousel.argument<"logs", out>
#parts_in = #carousel.argument<"parts", in>
#logs_in = #carousel.argument<"logs", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#longest_first = #carousel.launch<grid = [extent(0, 0), ceildiv(extent(0, 1), 128)]>
#by_parts = #carousel.launch<grid = [ceildiv(extent(0, 1), 64), extent(4, 1), extent(0, 0)]>
#by_heads = #carousel.launch<grid = [extent(0, 2), extent(0, 0)]>
#from_end = affine_map<(b)[n] -> (n ceildiv 128 - 1 - b)>

!heads_192 = memref<?x?x192xbf16, #gl>
!heads_128 = memref<?x?x128xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!square = vector<128x128xf32>
!row = vector<128xf32>
!latent = memref<?x?x576xbf16, #gl>
!cache = memref<?x?x576xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!lengths = memref<?xi32, #gl>
!parts = memref<?x?x?x512xf32, #gl>
!logs = memref<?x?x?xf32, #gl>
!results = memref<?x?x512xbf16, #gl>
!half = vector<64x256xbf16>
!tail = vector<64x64xbf16>
!scores = vector<64x64xf32>
!sums = vector<64x256xf32>
!heads = vector<64xf32>
!line = vector<512xf32>

gpu.module @attention_latent {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  // Adds a tile of keys and values: the maxima, sums and results of the rows after it.
  func.func private @add(%s: !square, %v: vector<128x128xbf16>, %scale: f32, %max: !row, %sum: !row,
                         %y: !square) -> (!row, !row, !square) {
    %scales = vector.broadcast %scale : f32 to !square
    %scales_row = vector.broadcast %scale : f32 to !row
    %max2 = vector.multi_reduction <maxnumf>, %s, %max [1] : !square to !row
    %scaled = arith.mulf %max2, %scales_row : !row
    %negated = arith.negf %scaled : !row
    %wide = func.call @spread(%negated) : (!row) -> !square
    %below = math.fma %s, %scales, %wide : !square
    %p = math.exp2 %below fastmath<afn> : !square
    %change = math.fma %max, %scales_row, %negated : !row
    %factor = math.exp2 %change fastmath<afn> : !row
    %corrected = arith.mulf %sum, %factor : !row
    %sum2 = vector.multi_reduction <add>, %p, %corrected [1] : !square to !row
    %factors = func.call @spread(%factor) : (!row) -> !square
    %less = arith.mulf %y, %factors : !square
    %p16 = arith.truncf %p : !square to vector<128x128xbf16>
    %y2 = vector.contract #values %p16, %v, %less
        : vector<128x128xbf16>, vector<128x128xbf16> into !square
    return %max2, %sum2, %y2 : !row, !row, !square
  }

  // The scores of columns up to the row's own, and the least of all numbers.
  func.func private @mask(%s: !square) -> !square {
    %least = arith.constant dense<0xFF800000> : !square
    %steps = vector.step : vector<128xindex>
    %tall = vector.shape_cast %steps : vector<128xindex> to vector<128x1xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to vector<128x128xindex>
    %columns = vector.broadcast %steps : vector<128xindex> to vector<128x128xindex>
    %mask = arith.cmpi ule, %columns, %rows : vector<128x128xindex>
    %some = arith.select %mask, %s, %least : vector<128x128xi1>, !square
    return %some : !square
  }

  func.func private @write(%max: !row, %sum: !row, %y: !square, %scale: f32, %out: !heads_128,
                           %lse: !rows, %h: index, %i: index) {
    %c0 = arith.constant 0 : index
    %none = arith.constant dense<0.0> : !row
    %one = arith.constant dense<1.0> : !row
    // A row without keys has a result of zeros, and the logarithm -inf.
    %is_empty = arith.cmpf oeq, %sum, %none : !row
    %divisor = arith.select %is_empty, %one, %sum : vector<128xi1>, !row
    %inverse = arith.divf %one, %divisor : !row
    %inverses = func.call @spread(%inverse) : (!row) -> !square
    %whole = arith.mulf %y, %inverses : !square
    %y16 = arith.truncf %whole : !square to vector<128x128xbf16>
    vector.transfer_write %y16, %out[%h, %i, %c0] : vector<128x128xbf16>, !heads_128
    %scales = vector.broadcast %scale : f32 to !row
    %log = math.log %sum : !row
    %result = math.fma %max, %scales, %log : !row
    vector.transfer_write %result, %lse[%h, %i] : !row, !rows
    return
  }

  gpu.func @attention_latent(
      %q: !heads_192 {carousel.argument = #q}, %k: !heads_192 {carousel.argument = #k},
      %v: !heads_128 {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %y: !heads_128 {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #longest_first} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %later = gpu.block_id y
    %n = memref.dim %k, %c1 : !heads_192
    %block = affine.apply #from_end(%later)[%n]
    // Never negative, so that engines may write from there on.
    %number = arith.maxsi %block, %c0 : index
    %i = arith.muli %number, %c128 : index
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads_192, vector<128x192xbf16>
    %r:3 = scf.for %j = %c0 to %end step %c128 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads_192, vector<128x192xbf16>
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads_128, vector<128x128xbf16>
      %s = vector.contract #scores %qt, %kt, %zeros
          : vector<128x192xbf16>, vector<128x192xbf16> into !square
      %is_last = arith.cmpi eq, %j, %i : index
      %seen = scf.if %is_last -> (!square) {
        %some = func.call @mask(%s) : (!square) -> !square
        scf.yield %some : !square
      } else {
        scf.yield %s : !square
      }
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %acc)
          : (!square, vector<128x128xbf16>, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i)
        : (!row, !row, !square, f32, !heads_128, !rows, index, index) -> ()
    gpu.return
  }

  // A number of each head, in all columns.
  func.func private @spread_heads(%row: !heads) -> !sums {
    %tall = vector.shape_cast %row : !heads to vector<64x1xf32>
    %all = vector.broadcast %tall : vector<64x1xf32> to !sums
    return %all : !sums
  }

  // How many keys the first tile of a sequence would have before the first one, and where the loop over
  // the tiles of a part begins and ends, counted from the first tile.
  func.func private @find_keys(%lengths: !lengths, %b: index, %part: index, %count: index)
      -> (index, index, index) {
    %c64 = arith.constant 64 : index
    %length32 = memref.load %lengths[%b] : !lengths
    %length = arith.index_castui %length32 : i32 to index
    %tiles = arith.ceildivui %length, %c64 : index
    %all = arith.muli %tiles, %c64 overflow<nsw> : index
    %before = arith.subi %all, %length : index
    %own = arith.ceildivui %tiles, %count : index
    %size = arith.muli %own, %c64 overflow<nsw> : index
    %begin = arith.muli %part, %size overflow<nsw> : index
    %behind = arith.addi %begin, %size : index
    %end = arith.minsi %behind, %all : index
    return %before, %begin, %end : index, index, index
  }

  // The scores of a tile that begins with key i, and the least of all numbers before the first key.
  func.func private @score(%q0: !half, %q1: !half, %q2: !tail, %k0: !half, %k1: !half, %k2: !tail,
                           %i: index) -> !scores {
    %c0 = arith.constant 0 : index
    %none = arith.constant dense<0.0> : !scores
    %s0 = vector.contract #scores %q0, %k0, %none : !half, !half into !scores
    %s1 = vector.contract #scores %q1, %k1, %s0 : !half, !half into !scores
    %s2 = vector.contract #scores %q2, %k2, %s1 : !tail, !tail into !scores
    %is_partial = arith.cmpi slt, %i, %c0 : index
    %seen = scf.if %is_partial -> (!scores) {
      %least = arith.constant dense<0xFF800000> : !scores
      %steps = vector.step : vector<64xindex>
      %first = vector.broadcast %i : index to vector<64xindex>
      %keys = arith.addi %steps, %first : vector<64xindex>
      %zeros = arith.constant dense<0> : vector<64xindex>
      %are_keys = arith.cmpi sge, %keys, %zeros : vector<64xindex>
      %mask = vector.broadcast %are_keys : vector<64xi1> to vector<64x64xi1>
      %some = arith.select %mask, %s2, %least : vector<64x64xi1>, !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s2 : !scores
    }
    return %seen : !scores
  }

  // Adds a tile of keys and their values: the maxima, sums and results of the heads after it.
  func.func private @add_latent(%s: !scores, %v0: !half, %v1: !half, %scale: f32, %max: !heads,
                                %sum: !heads, %y0: !sums, %y1: !sums)
      -> (!heads, !heads, !sums, !sums) {
    %scales = vector.broadcast %scale : f32 to !scores
    %scales_row = vector.broadcast %scale : f32 to !heads
    %max2 = vector.multi_reduction <maxnumf>, %s, %max [1] : !scores to !heads
    %scaled = arith.mulf %max2, %scales_row : !heads
    %negated = arith.negf %scaled : !heads
    %tall = vector.shape_cast %negated : !heads to vector<64x1xf32>
    %wide = vector.broadcast %tall : vector<64x1xf32> to !scores
    %below = math.fma %s, %scales, %wide : !scores
    %p = math.exp2 %below fastmath<afn> : !scores
    %change = math.fma %max, %scales_row, %negated : !heads
    %factor = math.exp2 %change fastmath<afn> : !heads
    %corrected = arith.mulf %sum, %factor : !heads
    %sum2 = vector.multi_reduction <add>, %p, %corrected [1] : !scores to !heads
    %p16 = arith.truncf %p : !scores to !tail
    %factors = func.call @spread_heads(%factor) : (!heads) -> !sums
    %less0 = arith.mulf %y0, %factors : !sums
    %next0 = vector.contract #values %p16, %v0, %less0 : !tail, !half into !sums
    %less1 = arith.mulf %y1, %factors : !sums
    %next1 = vector.contract #values %p16, %v1, %less1 : !tail, !half into !sums
    return %max2, %sum2, %next0, %next1 : !heads, !heads, !sums, !sums
  }

  // Writes a part's results of 64 heads, and the logarithms of its sums.
  func.func private @write_part(%max: !heads, %sum: !heads, %y0: !sums, %y1: !sums, %scale: f32,
                                %parts: !parts, %logs: !logs, %b: index, %part: index, %h: index) {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %none = arith.constant dense<0.0> : !heads
    %one = arith.constant dense<1.0> : !heads
    %is_empty = arith.cmpf oeq, %sum, %none : !heads
    %divisor = arith.select %is_empty, %one, %sum : vector<64xi1>, !heads
    %inverse = arith.divf %one, %divisor : !heads
    %inverses = func.call @spread_heads(%inverse) : (!heads) -> !sums
    %w0 = arith.mulf %y0, %inverses : !sums
    vector.transfer_write %w0, %parts[%b, %part, %h, %c0] : !sums, !parts
    %w1 = arith.mulf %y1, %inverses : !sums
    vector.transfer_write %w1, %parts[%b, %part, %h, %c256] : !sums, !parts
    %scales = vector.broadcast %scale : f32 to !heads
    %log = math.log %sum : !heads
    %result = math.fma %max, %scales, %log : !heads
    vector.transfer_write %result, %logs[%b, %part, %h] : !heads, !logs
    return
  }

  gpu.func @attention_latent_decode(
      %q: !latent {carousel.argument = #q}, %cache: !cache {carousel.argument = #cache},
      %lengths: !lengths {carousel.argument = #lengths}, %scale: f32 {carousel.argument = #scale},
      %parts: !parts {carousel.argument = #parts}, %logs: !logs {carousel.argument = #logs})
      kernel attributes {carousel.block_program = #program, carousel.launch = #by_parts} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !heads
    %no = arith.constant dense<0.0> : !heads
    %zeros = arith.constant dense<0.0> : !sums
    %block = gpu.block_id x
    %part = gpu.block_id y
    %b = gpu.block_id z
    %h = arith.muli %block, %c64 overflow<nsw> : index
    %count = memref.dim %parts, %c1 : !parts
    %before, %begin, %end = func.call @find_keys(%lengths, %b, %part, %count)
        : (!lengths, index, index, index) -> (index, index, index)
    %scale2 = arith.mulf %scale, %log2e : f32
    %q0 = vector.transfer_read %q[%b, %h, %c0], %pad : !latent, !half
    %q1 = vector.transfer_read %q[%b, %h, %c256], %pad : !latent, !half
    %q2 = vector.transfer_read %q[%b, %h, %c512], %pad : !latent, !tail
    %r:4 = scf.for %j = %begin to %end step %c64 iter_args(%max = %low, %sum = %no, %y0 = %zeros,
        %y1 = %zeros) -> (!heads, !heads, !sums, !sums) {
      %i = arith.subi %j, %before : index
      %k0 = vector.transfer_read %cache[%b, %i, %c0], %pad : !cache, !half
      %k1 = vector.transfer_read %cache[%b, %i, %c256], %pad : !cache, !half
      %k2 = vector.transfer_read %cache[%b, %i, %c512], %pad : !cache, !tail
      %s = func.call @score(%q0, %q1, %q2, %k0, %k1, %k2, %i)
          : (!half, !half, !tail, !half, !half, !tail, index) -> !scores
      %next:4 = func.call @add_latent(%s, %k0, %k1, %scale2, %max, %sum, %y0, %y1)
          : (!scores, !half, !half, f32, !heads, !heads, !sums, !sums)
          -> (!heads, !heads, !sums, !sums)
      scf.yield %next#0, %next#1, %next#2, %next#3 : !heads, !heads, !sums, !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write_part(%r#0, %r#1, %r#2, %r#3, %scale, %parts, %logs, %b, %part, %h)
        : (!heads, !heads, !sums, !sums, f32, !parts, !logs, index, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_latent_combine(
      %parts: !parts {carousel.argument = #parts_in}, %logs: !logs {carousel.argument = #logs_in},
      %y: !results {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #by_heads} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant -1.0e30 : f32
    %zeros = arith.constant dense<0.0> : !line
    %h = gpu.block_id x
    %b = gpu.block_id y
    %count = memref.dim %parts, %c1 : !parts
    %max, %sum, %acc = scf.for %p = %c0 to %count step %c1
        iter_args(%m = %low, %l = %pad, %o = %zeros) -> (f32, f32, !line) {
      %part = vector.transfer_read %parts[%b, %p, %h, %c0], %pad : !parts, !line
      %log = memref.load %logs[%b, %p, %h] : !logs
      %m2 = arith.maxnumf %m, %log : f32
      %change = arith.subf %m, %m2 : f32
      %change2 = arith.mulf %change, %log2e : f32
      %factor = math.exp2 %change2 : f32
      %below = arith.subf %log, %m2 : f32
      %below2 = arith.mulf %below, %log2e : f32
      %weight = math.exp2 %below2 : f32
      %l2 = math.fma %l, %factor, %weight : f32
      %factors = vector.broadcast %factor : f32 to !line
      %less = arith.mulf %o, %factors : !line
      %weights = vector.broadcast %weight : f32 to !line
      %o2 = math.fma %part, %weights, %less : !line
      scf.yield %m2, %l2, %o2 : f32, f32, !line
    } {carousel.pipeline = #carousel.pipeline<>}
    %is_empty = arith.cmpf oeq, %sum, %pad : f32
    %divisor = arith.select %is_empty, %one, %sum : f32
    %inverse = arith.divf %one, %divisor : f32
    %inverses = vector.broadcast %inverse : f32 to !line
    %whole = arith.mulf %acc, %inverses : !line
    %y16 = arith.truncf %whole : !line to vector<512xbf16>
    vector.transfer_write %y16, %y[%b, %h, %c0] : vector<512xbf16>, !results
    %last = math.log %sum : f32
    %result = arith.addf %max, %last : f32
    memref.store %result, %lse[%b, %h] : !rows
    gpu.return
  }
}

// In f64. Of row i of a head: its result, and the logarithm of the sum, of the keys from `begin` up to
// `end`.
!queries = memref<?x?x?xbf16>
!stats = memref<?x?xf32>
!out = memref<?xf64>
func.func private @attend(%q: !queries, %k: !queries, %v: !queries, %scale: f32, %h: index, %g: index,
                          %i: index, %begin: index, %end: index, %y: !out) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %depth = memref.dim %q, %c2 : !queries
  %columns = memref.dim %y, %c0 : !out
  %factor = arith.extf %scale : f32 to f64
  scf.for %e = %c0 to %columns step %c1 {
    memref.store %zero, %y[%e] : !out
  }
  %sum = scf.for %j = %begin to %end step %c1 iter_args(%l = %zero) -> (f64) {
    %s = scf.for %d = %c0 to %depth step %c1 iter_args(%t = %zero) -> (f64) {
      %q16 = memref.load %q[%h, %i, %d] : !queries
      %k16 = memref.load %k[%g, %j, %d] : !queries
      %q64 = arith.extf %q16 : bf16 to f64
      %k64 = arith.extf %k16 : bf16 to f64
      %next = math.fma %q64, %k64, %t : f64
      scf.yield %next : f64
    }
    %scaled = arith.mulf %s, %factor : f64
    %p = math.exp %scaled : f64
    scf.for %e = %c0 to %columns step %c1 {
      %v16 = memref.load %v[%g, %j, %e] : !queries
      %v64 = arith.extf %v16 : bf16 to f64
      %o = memref.load %y[%e] : !out
      %o2 = math.fma %p, %v64, %o : f64
      memref.store %o2, %y[%e] : !out
    }
    %l2 = arith.addf %l, %p : f64
    scf.yield %l2 : f64
  }
  // A row without keys has a result of zeros.
  %is_empty = arith.cmpf oeq, %sum, %zero : f64
  %one = arith.constant 1.0 : f64
  %divisor = arith.select %is_empty, %one, %sum : f64
  scf.for %e = %c0 to %columns step %c1 {
    %o = memref.load %y[%e] : !out
    %whole = arith.divf %o, %divisor : f64
    memref.store %whole, %y[%e] : !out
  }
  %log = math.log %sum : f64
  return %log : f64
}

func.func @attention_latent_reference(%q: memref<?x?x192xbf16>, %k: memref<?x?x192xbf16>,
                                      %v: memref<?x?x128xbf16>, %scale: f32,
                                      %y: memref<?x?x128xbf16>, %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %q2 = memref.cast %q : memref<?x?x192xbf16> to !queries
  %k2 = memref.cast %k : memref<?x?x192xbf16> to !queries
  %v2 = memref.cast %v : memref<?x?x128xbf16> to !queries
  %heads = memref.dim %q, %c0 : memref<?x?x192xbf16>
  %n = memref.dim %q, %c1 : memref<?x?x192xbf16>
  %own = memref.alloc(%c128) : !out
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %end = arith.addi %i, %c1 : index
      %log = func.call @attend(%q2, %k2, %v2, %scale, %h, %h, %i, %c0, %end, %own)
          : (!queries, !queries, !queries, f32, index, index, index, index, index, !out) -> f64
      %log32 = arith.truncf %log : f64 to f32
      memref.store %log32, %lse[%h, %i] : !stats
      scf.for %e = %c0 to %c128 step %c1 {
        %o = memref.load %own[%e] : !out
        %o16 = arith.truncf %o : f64 to bf16
        memref.store %o16, %y[%h, %i, %e] : memref<?x?x128xbf16>
      }
    }
  }
  memref.dealloc %own : !out
  return
}

func.func @attention_latent_decode_reference(
    %q: memref<?x?x576xbf16>, %cache: memref<?x?x576xbf16>, %lengths: memref<?xi32>, %scale: f32,
    %parts: memref<?x?x?x512xf32>, %logs: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %q2 = memref.cast %q : memref<?x?x576xbf16> to !queries
  %cache2 = memref.cast %cache : memref<?x?x576xbf16> to !queries
  %batches = memref.dim %parts, %c0 : memref<?x?x?x512xf32>
  %count = memref.dim %parts, %c1 : memref<?x?x?x512xf32>
  %heads = memref.dim %parts, %c2 : memref<?x?x?x512xf32>
  %own = memref.alloc(%c512) : !out
  scf.for %b = %c0 to %batches step %c1 {
    %length32 = memref.load %lengths[%b] : memref<?xi32>
    %length = arith.index_castui %length32 : i32 to index
    %tiles = arith.ceildivui %length, %c64 : index
    %all = arith.muli %tiles, %c64 : index
    %before = arith.subi %all, %length : index
    %tiles_of_part = arith.ceildivui %tiles, %count : index
    %size = arith.muli %tiles_of_part, %c64 : index
    scf.for %part = %c0 to %count step %c1 {
      %tile = arith.muli %part, %size : index
      %first = arith.subi %tile, %before : index
      %begin = arith.maxsi %first, %c0 : index
      %behind = arith.addi %first, %size : index
      %end = arith.minsi %behind, %length : index
      scf.for %h = %c0 to %heads step %c1 {
        %log = func.call @attend(%q2, %cache2, %cache2, %scale, %b, %b, %h, %begin, %end, %own)
            : (!queries, !queries, !queries, f32, index, index, index, index, index, !out) -> f64
        %log32 = arith.truncf %log : f64 to f32
        memref.store %log32, %logs[%b, %part, %h] : memref<?x?x?xf32>
        scf.for %e = %c0 to %c512 step %c1 {
          %o = memref.load %own[%e] : !out
          %o32 = arith.truncf %o : f64 to f32
          memref.store %o32, %parts[%b, %part, %h, %e] : memref<?x?x?x512xf32>
        }
      }
    }
  }
  memref.dealloc %own : !out
  return
}

func.func @attention_latent_combine_reference(
    %parts: memref<?x?x?x512xf32>, %logs: memref<?x?x?xf32>, %y: memref<?x?x512xbf16>, %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f64
  %batches = memref.dim %parts, %c0 : memref<?x?x?x512xf32>
  %count = memref.dim %parts, %c1 : memref<?x?x?x512xf32>
  %heads = memref.dim %parts, %c2 : memref<?x?x?x512xf32>
  scf.for %b = %c0 to %batches step %c1 {
    scf.for %h = %c0 to %heads step %c1 {
      %sum = scf.for %p = %c0 to %count step %c1 iter_args(%l = %zero) -> (f64) {
        %log = memref.load %logs[%b, %p, %h] : memref<?x?x?xf32>
        %log64 = arith.extf %log : f32 to f64
        %weight = math.exp %log64 : f64
        %next = arith.addf %l, %weight : f64
        scf.yield %next : f64
      }
      %is_empty = arith.cmpf oeq, %sum, %zero : f64
      %one = arith.constant 1.0 : f64
      %divisor = arith.select %is_empty, %one, %sum : f64
      scf.for %e = %c0 to %c512 step %c1 {
        %o = scf.for %p = %c0 to %count step %c1 iter_args(%t = %zero) -> (f64) {
          %log = memref.load %logs[%b, %p, %h] : memref<?x?x?xf32>
          %log64 = arith.extf %log : f32 to f64
          %weight = math.exp %log64 : f64
          %part = memref.load %parts[%b, %p, %h, %e] : memref<?x?x?x512xf32>
          %part64 = arith.extf %part : f32 to f64
          %next = math.fma %weight, %part64, %t : f64
          scf.yield %next : f64
        }
        %whole = arith.divf %o, %divisor : f64
        %y16 = arith.truncf %whole : f64 to bf16
        memref.store %y16, %y[%b, %h, %e] : memref<?x?x512xbf16>
      }
      %log = math.log %sum : f64
      %log32 = arith.truncf %log : f64 to f32
      memref.store %log32, %lse[%b, %h] : !stats
    }
  }
  return
}
