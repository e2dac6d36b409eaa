// Attention of one query of each head to a cache of keys and values, as decoding computes it:
// batch b has lengths[b] of them. The query heads that share a head of keys are the rows of a tile,
// up to 16 of them, so that keys and values are read once.
//
// Each program has 512 keys of a batch and a head of keys, whatever the batch is (flash decoding),
// and leaves its rows' maxima, as powers of 2, and sums. @attention_decode_combine adds the parts
// in their order: results have the same bits alone and in any batch.
//
// - @attention_decode: the parts of 512 keys. Parts behind the length are never read.
// - @attention_decode_combine: the results. Without keys, these are zeros.
//
// The cache behind the length may have any bits: its scores don't count, and a view ends the values
// of the last tile, since 0 x NaN isn't 0. That tile has a loop of its own, so that engines copy
// others.

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
#scale = #carousel.argument<"scale", in>
#lengths = #carousel.argument<"lengths", in>
#left = #carousel.argument<"parts", out>
#left_max = #carousel.argument<"largest", out>
#left_sum = #carousel.argument<"total", out>
#parts = #carousel.argument<"parts", in>
#max = #carousel.argument<"largest", in>
#sum = #carousel.argument<"total", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(1, 2), 512), extent(1, 1), extent(0, 0)]>
#results = #carousel.launch<grid = [extent(0, 1), extent(0, 0)]>
#bhp = affine_map<(b, h, p) -> (h)>
#bhpd = affine_map<(b, h, p, d) -> (h, d)>

!rows = memref<?x?x128xbf16, #gl>
!cache = memref<?x?x?x128xbf16, #gl>
!own = memref<?x?x?x128xbf16, strided<[?, ?, 128, 1]>, #gl>
!parts = memref<?x?x?x128xf32, #gl>
!some = memref<?x?x?x128xf32, strided<[?, ?, 128, 1]>, #gl>
!stats = memref<?x?x?xf32, #gl>
!few = memref<?x?x?xf32, strided<[?, ?, 1]>, #gl>
!lengths = memref<?xi32, #gl>
!query = vector<16x128xbf16>
!tile = vector<64x128xbf16>
!scores = vector<16x64xf32>
!sums = vector<16x128xf32>
!row = vector<16xf32>
!each = vector<64xf32>
!left = vector<64x128xf32>
!result = vector<128xf32>

gpu.module @attention_decode {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !sums {
    %tall = vector.shape_cast %row : !row to vector<16x1xf32>
    %all = vector.broadcast %tall : vector<16x1xf32> to !sums
    return %all : !sums
  }

  // Adds a tile of keys and values: the maxima, sums and results of the rows after it.
  func.func private @add(%s: !scores, %v: !tile, %scale2: f32, %max: !row, %sum: !row, %y: !sums)
      -> (!row, !row, !sums) {
    %scales = vector.broadcast %scale2 : f32 to !scores
    %scales_row = vector.broadcast %scale2 : f32 to !row
    %max2 = vector.multi_reduction <maxnumf>, %s, %max [1] : !scores to !row
    %scaled = arith.mulf %max2, %scales_row : !row
    %negated = arith.negf %scaled : !row
    %tall = vector.shape_cast %negated : !row to vector<16x1xf32>
    %wide = vector.broadcast %tall : vector<16x1xf32> to !scores
    %below = math.fma %s, %scales, %wide : !scores
    %p = math.exp2 %below fastmath<afn> : !scores
    %change = math.fma %max, %scales_row, %negated : !row
    %factor = math.exp2 %change fastmath<afn> : !row
    %corrected = arith.mulf %sum, %factor : !row
    %sum2 = vector.multi_reduction <add>, %p, %corrected [1] : !scores to !row
    %p16 = arith.truncf %p : !scores to vector<16x64xbf16>
    %factors = func.call @spread(%factor) : (!row) -> !sums
    %less = arith.mulf %y, %factors : !sums
    %y2 = vector.contract #values %p16, %v, %less : vector<16x64xbf16>, !tile into !sums
    return %max2, %sum2, %y2 : !row, !row, !sums
  }

  // The first query head of a head of keys, and the one behind its last.
  func.func private @find_heads(%q: !rows, %k: !cache, %g: index) -> (index, index) {
    %c1 = arith.constant 1 : index
    %heads = memref.dim %q, %c1 : !rows
    %groups = memref.dim %k, %c1 : !cache
    %shared = arith.divui %heads, %groups : index
    %h = arith.muli %g, %shared : index
    %after = arith.addi %h, %shared : index
    return %h, %after : index, index
  }

  // Where a part begins and ends, and the keys in whole tiles.
  func.func private @find_keys(%length: index, %part: index) -> (index, index, index) {
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %begin = arith.muli %part, %c512 : index
    %behind = arith.addi %begin, %c512 : index
    %end = arith.minsi %behind, %length : index
    %tiles = arith.divui %length, %c64 : index
    %whole = arith.muli %tiles, %c64 : index
    return %begin, %end, %whole : index, index, index
  }

  // Adds the last tile, whose values end with the keys: a view does, which engines don't read.
  func.func private @add_last(%q: !query, %k: !cache, %v: !cache, %scale2: f32, %b: index,
                              %g: index, %begin: index, %whole: index, %end: index,
                              %length: index, %max0: !row, %sum0: !row, %y0: !sums)
      -> (!row, !row, !sums) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : !scores
    %least = arith.constant dense<0xFF800000> : !scores
    %batch = memref.dim %v, %c0 : !cache
    %groups = memref.dim %v, %c1 : !cache
    %own = memref.subview %v[0, 0, 0, 0] [%batch, %groups, %length, 128] [1, 1, 1, 1]
        : !cache to !own
    %last = arith.maxsi %begin, %whole : index
    %r:3 = scf.for %j = %last to %end step %c64
        iter_args(%max = %max0, %sum = %sum0, %y = %y0) -> (!row, !row, !sums) {
      %kt = vector.transfer_read %k[%b, %g, %j, %c0], %pad : !cache, !tile
      %vt = vector.transfer_read %own[%b, %g, %j, %c0], %pad : !own, !tile
      %s = vector.contract #scores %q, %kt, %none : !query, !tile into !scores
      %left = arith.subi %length, %j : index
      %mask = vector.create_mask %c16, %left : vector<16x64xi1>
      %seen = arith.select %mask, %s, %least : vector<16x64xi1>, !scores
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %y)
          : (!scores, !tile, f32, !row, !row, !sums) -> (!row, !row, !sums)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    return %r#0, %r#1, %r#2 : !row, !row, !sums
  }

  // Leaves what a part has of the query heads up to `after`.
  func.func private @leave(%max: !row, %sum: !row, %y: !sums, %scale2: f32, %left: !parts,
                           %left_max: !stats, %left_sum: !stats, %b: index, %h: index,
                           %after: index, %part: index) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %batch = memref.dim %left, %c0 : !parts
    %count = memref.dim %left, %c2 : !parts
    %own = memref.subview %left[0, 0, 0, 0] [%batch, %after, %count, 128] [1, 1, 1, 1]
        : !parts to !some
    vector.transfer_write %y, %own[%b, %h, %part, %c0] {permutation_map = #bhpd} : !sums, !some
    %scales = vector.broadcast %scale2 : f32 to !row
    %scaled = arith.mulf %max, %scales : !row
    %batch1 = memref.dim %left_max, %c0 : !stats
    %count1 = memref.dim %left_max, %c2 : !stats
    %own1 = memref.subview %left_max[0, 0, 0] [%batch1, %after, %count1] [1, 1, 1]
        : !stats to !few
    vector.transfer_write %scaled, %own1[%b, %h, %part] {permutation_map = #bhp} : !row, !few
    %batch2 = memref.dim %left_sum, %c0 : !stats
    %count2 = memref.dim %left_sum, %c2 : !stats
    %own2 = memref.subview %left_sum[0, 0, 0] [%batch2, %after, %count2] [1, 1, 1]
        : !stats to !few
    vector.transfer_write %sum, %own2[%b, %h, %part] {permutation_map = #bhp} : !row, !few
    return
  }

  gpu.func @attention_decode(
      %q: !rows {carousel.argument = #q}, %k: !cache {carousel.argument = #k},
      %v: !cache {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %lengths: !lengths {carousel.argument = #lengths}, %left: !parts {carousel.argument = #left},
      %left_max: !stats {carousel.argument = #left_max},
      %left_sum: !stats {carousel.argument = #left_sum})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !sums
    %none = arith.constant dense<0.0> : !scores
    %part = gpu.block_id x
    %g = gpu.block_id y
    %b = gpu.block_id z
    %h, %after = func.call @find_heads(%q, %k, %g) : (!rows, !cache, index) -> (index, index)
    %length32 = memref.load %lengths[%b] : !lengths
    %length = arith.index_castui %length32 : i32 to index
    %begin, %end, %whole = func.call @find_keys(%length, %part)
        : (index, index) -> (index, index, index)
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %q[%b, %h, %c0], %pad : !rows, !query
    %stop = arith.minsi %end, %whole : index
    %r:3 = scf.for %j = %begin to %stop step %c64
        iter_args(%max = %low, %sum = %no, %y = %zeros) -> (!row, !row, !sums) {
      %kt = vector.transfer_read %k[%b, %g, %j, %c0], %pad : !cache, !tile
      %vt = vector.transfer_read %v[%b, %g, %j, %c0], %pad : !cache, !tile
      %s = vector.contract #scores %qt, %kt, %none : !query, !tile into !scores
      %next:3 = func.call @add(%s, %vt, %scale2, %max, %sum, %y)
          : (!scores, !tile, f32, !row, !row, !sums) -> (!row, !row, !sums)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %t:3 = func.call @add_last(%qt, %k, %v, %scale2, %b, %g, %begin, %whole, %end, %length, %r#0,
                                %r#1, %r#2)
        : (!query, !cache, !cache, f32, index, index, index, index, index, index, !row, !row, !sums)
        -> (!row, !row, !sums)
    func.call @leave(%t#0, %t#1, %t#2, %scale2, %left, %left_max, %left_sum, %b, %h, %after, %part)
        : (!row, !row, !sums, f32, !parts, !stats, !stats, index, index, index, index) -> ()
    gpu.return
  }

  // The maximum after 64 parts of a head, their weights, and that of the parts before them.
  func.func private @weigh(%maxima: !each, %max: f32) -> (f32, !each, f32) {
    %max2 = vector.multi_reduction <maxnumf>, %maxima, %max [0] : !each to f32
    %tops = vector.broadcast %max2 : f32 to !each
    %below = arith.subf %maxima, %tops : !each
    %weights = math.exp2 %below fastmath<afn> : !each
    %change = arith.subf %max, %max2 : f32
    %factor = math.exp2 %change fastmath<afn> : f32
    return %max2, %weights, %factor : f32, !each, f32
  }

  // The sum of 64 parts with weights, and of the parts before them.
  func.func private @add_sums(%sums: !each, %weights: !each, %sum: f32, %factor: f32) -> f32 {
    %weighted = arith.mulf %sums, %weights : !each
    %corrected = arith.mulf %sum, %factor : f32
    %sum2 = vector.multi_reduction <add>, %weighted, %corrected [0] : !each to f32
    return %sum2 : f32
  }

  func.func private @add_results(%left: !left, %weights: !each, %y: !result, %factor: f32)
      -> !result {
    %tall = vector.shape_cast %weights : !each to vector<64x1xf32>
    %wide = vector.broadcast %tall : vector<64x1xf32> to !left
    %own = arith.mulf %left, %wide : !left
    %factors = vector.broadcast %factor : f32 to !result
    %less = arith.mulf %y, %factors : !result
    %y2 = vector.multi_reduction <add>, %own, %less [0] : !left to !result
    return %y2 : !result
  }

  // The first parts of each head.
  func.func private @find_stats(%stats: !stats, %count: index) -> !few {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %batch = memref.dim %stats, %c0 : !stats
    %heads = memref.dim %stats, %c1 : !stats
    %own = memref.subview %stats[0, 0, 0] [%batch, %heads, %count] [1, 1, 1] : !stats to !few
    return %own : !few
  }

  gpu.func @attention_decode_combine(
      %left: !parts {carousel.argument = #parts}, %left_max: !stats {carousel.argument = #max},
      %left_sum: !stats {carousel.argument = #sum},
      %lengths: !lengths {carousel.argument = #lengths}, %y: !rows {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #results} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %low = arith.constant -1.0e30 : f32
    %zeros = arith.constant dense<0.0> : !result
    %h = gpu.block_id x
    %b = gpu.block_id y
    %length32 = memref.load %lengths[%b] : !lengths
    %length = arith.index_castui %length32 : i32 to index
    %count = arith.ceildivui %length, %c512 : index
    %batch = memref.dim %left, %c0 : !parts
    %heads = memref.dim %left, %c1 : !parts
    %own = memref.subview %left[0, 0, 0, 0] [%batch, %heads, %count, 128] [1, 1, 1, 1]
        : !parts to !some
    %own_max = func.call @find_stats(%left_max, %count) : (!stats, index) -> !few
    %own_sum = func.call @find_stats(%left_sum, %count) : (!stats, index) -> !few
    %r:3 = scf.for %p = %c0 to %count step %c64
        iter_args(%max = %low, %sum = %pad, %acc = %zeros) -> (f32, f32, !result) {
      %maxima = vector.transfer_read %own_max[%b, %h, %p], %low : !few, !each
      %max2, %weights, %factor = func.call @weigh(%maxima, %max)
          : (!each, f32) -> (f32, !each, f32)
      %sums = vector.transfer_read %own_sum[%b, %h, %p], %pad : !few, !each
      %sum2 = func.call @add_sums(%sums, %weights, %sum, %factor) : (!each, !each, f32, f32) -> f32
      %tile = vector.transfer_read %own[%b, %h, %p, %c0], %pad : !some, !left
      %acc2 = func.call @add_results(%tile, %weights, %acc, %factor)
          : (!left, !each, !result, f32) -> !result
      scf.yield %max2, %sum2, %acc2 : f32, f32, !result
    }
    %is_empty = arith.cmpf oeq, %r#1, %pad : f32
    %divisor = arith.select %is_empty, %one, %r#1 : f32
    %inverse = arith.divf %one, %divisor : f32
    %inverses = vector.broadcast %inverse : f32 to !result
    %whole = arith.mulf %r#2, %inverses : !result
    %y16 = arith.truncf %whole : !result to vector<128xbf16>
    vector.transfer_write %y16, %y[%b, %h, %c0] : vector<128xbf16>, !rows
    gpu.return
  }
}

// In f64.
!host = memref<?x?x128xbf16>
!host_cache = memref<?x?x?x128xbf16>
!host_parts = memref<?x?x?x128xf32>
!host_stats = memref<?x?x?xf32>
!ends = memref<?xi32>
func.func private @score(%q: !host, %k: !host_cache, %scale: f32, %b: index, %h: index, %g: index,
                         %j: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %log2e = arith.constant 1.4426950408889634 : f64
  %s = scf.for %d = %c0 to %c128 step %c1 iter_args(%t = %zero) -> (f64) {
    %q16 = memref.load %q[%b, %h, %d] : !host
    %k16 = memref.load %k[%b, %g, %j, %d] : !host_cache
    %q64 = arith.extf %q16 : bf16 to f64
    %k64 = arith.extf %k16 : bf16 to f64
    %next = math.fma %q64, %k64, %t : f64
    scf.yield %next : f64
  }
  %factor = arith.extf %scale : f32 to f64
  %scaled = arith.mulf %s, %factor : f64
  %power = arith.mulf %scaled, %log2e : f64
  return %power : f64
}

func.func @attention_decode_reference(
    %q: !host, %k: !host_cache, %v: !host_cache, %scale: f32, %lengths: !ends, %left: !host_parts,
    %left_max: !host_stats, %left_sum: !host_stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %low = arith.constant -1.0e30 : f32
  %log2e = arith.constant 1.44269504 : f32
  %scale2 = arith.mulf %scale, %log2e : f32
  %low2 = arith.mulf %low, %scale2 : f32
  %least = arith.extf %low2 : f32 to f64
  %batch = memref.dim %q, %c0 : !host
  %heads = memref.dim %q, %c1 : !host
  %groups = memref.dim %k, %c1 : !host_cache
  %parts = memref.dim %left, %c2 : !host_parts
  %shared = arith.divui %heads, %groups : index
  scf.for %b = %c0 to %batch step %c1 {
    %length32 = memref.load %lengths[%b] : !ends
    %length = arith.index_castui %length32 : i32 to index
    scf.for %h = %c0 to %heads step %c1 {
      %g = arith.divui %h, %shared : index
      scf.for %part = %c0 to %parts step %c1 {
        %begin = arith.muli %part, %c512 : index
        %behind = arith.addi %begin, %c512 : index
        %end = arith.minsi %behind, %length : index
        %max = scf.for %j = %begin to %end step %c1 iter_args(%m = %least) -> (f64) {
          %s = func.call @score(%q, %k, %scale, %b, %h, %g, %j)
              : (!host, !host_cache, f32, index, index, index, index) -> f64
          %more = arith.maximumf %m, %s : f64
          scf.yield %more : f64
        }
        %sum, %row = scf.for %j = %begin to %end step %c1 iter_args(%l = %zero, %o = %zeros)
            -> (f64, vector<128xf64>) {
          %s = func.call @score(%q, %k, %scale, %b, %h, %g, %j)
              : (!host, !host_cache, f32, index, index, index, index) -> f64
          %below = arith.subf %s, %max : f64
          %p = math.exp2 %below : f64
          %l2 = arith.addf %l, %p : f64
          %v16 = vector.load %v[%b, %g, %j, %c0] : !host_cache, vector<128xbf16>
          %v64 = arith.extf %v16 : vector<128xbf16> to vector<128xf64>
          %ps = vector.broadcast %p : f64 to vector<128xf64>
          %o2 = math.fma %ps, %v64, %o : vector<128xf64>
          scf.yield %l2, %o2 : f64, vector<128xf64>
        }
        %row32 = arith.truncf %row : vector<128xf64> to vector<128xf32>
        vector.store %row32, %left[%b, %h, %part, %c0] : !host_parts, vector<128xf32>
        %max32 = arith.truncf %max : f64 to f32
        memref.store %max32, %left_max[%b, %h, %part] : !host_stats
        %sum32 = arith.truncf %sum : f64 to f32
        memref.store %sum32, %left_sum[%b, %h, %part] : !host_stats
      }
    }
  }
  return
}

func.func @attention_decode_combine_reference(%left: !host_parts, %left_max: !host_stats,
                                              %left_sum: !host_stats, %lengths: !ends, %y: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %low = arith.constant -1.0e30 : f64
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %batch = memref.dim %y, %c0 : !host
  %heads = memref.dim %y, %c1 : !host
  scf.for %b = %c0 to %batch step %c1 {
    %length32 = memref.load %lengths[%b] : !ends
    %length = arith.index_castui %length32 : i32 to index
    %count = arith.ceildivui %length, %c512 : index
    scf.for %h = %c0 to %heads step %c1 {
      %max = scf.for %p = %c0 to %count step %c1 iter_args(%m = %low) -> (f64) {
        %own32 = memref.load %left_max[%b, %h, %p] : !host_stats
        %own = arith.extf %own32 : f32 to f64
        %more = arith.maximumf %m, %own : f64
        scf.yield %more : f64
      }
      %sum, %row = scf.for %p = %c0 to %count step %c1 iter_args(%l = %zero, %o = %zeros)
          -> (f64, vector<128xf64>) {
        %own32 = memref.load %left_max[%b, %h, %p] : !host_stats
        %own = arith.extf %own32 : f32 to f64
        %below = arith.subf %own, %max : f64
        %weight = math.exp2 %below : f64
        %sum32 = memref.load %left_sum[%b, %h, %p] : !host_stats
        %sum64 = arith.extf %sum32 : f32 to f64
        %l2 = math.fma %sum64, %weight, %l : f64
        %part32 = vector.load %left[%b, %h, %p, %c0] : !host_parts, vector<128xf32>
        %part = arith.extf %part32 : vector<128xf32> to vector<128xf64>
        %weights = vector.broadcast %weight : f64 to vector<128xf64>
        %o2 = math.fma %weights, %part, %o : vector<128xf64>
        scf.yield %l2, %o2 : f64, vector<128xf64>
      }
      %is_empty = arith.cmpf oeq, %sum, %zero : f64
      %divisor = arith.select %is_empty, %one, %sum : f64
      %divisors = vector.broadcast %divisor : f64 to vector<128xf64>
      %whole = arith.divf %row, %divisors : vector<128xf64>
      %y16 = arith.truncf %whole : vector<128xf64> to vector<128xbf16>
      vector.store %y16, %y[%b, %h, %c0] : !host, vector<128xbf16>
    }
  }
  return
}
