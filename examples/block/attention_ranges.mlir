// Attention in which row i sees the keys from start[i] up to stop[i], forward, of heads of 128
// elements. Both ascend. So masks that are ranges are one kernel: documents that follow each other
// in a sequence (from where a row's document begins up to where it ends), causal ones (up to i +
// 1), and windows (from i - window + 1 on, up to i + 1). A row whose range is empty has a result of
// zeros.
//
// The bounds of the loop are read from memory: a program goes through the tiles of keys from its
// first row's start up to its last row's stop. Tiles that all rows see have no mask. A row may have
// no key in the first tiles. Its maximum is then a power of two, -2^100, so that its product with
// the scale is exact, and the difference of two of them is 0.

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
#start = #carousel.argument<"start", in>
#stop = #carousel.argument<"stop", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)]>

!heads = memref<?x?x128xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!bounds = memref<?xi32, #gl>
!tile = vector<128x128xbf16>
!weights = vector<128x128xbf16>
!scores = vector<128x128xf32>
!square = vector<128x128xf32>
!integers = vector<128x128xi32>
!row = vector<128xf32>
!ends = vector<128xi32>

gpu.module @attention_ranges {
  // Of a tile of scores: the weights of its values, the maxima and sums of the rows after it, and
  // what the sums of the rows before it are multiplied by.
  func.func private @weigh(%s: !scores, %scale: f32, %max: !row, %sum: !row)
      -> (!weights, !row, !row, !row) {
    %log2e = arith.constant 1.44269504 : f32
    %scale2 = arith.mulf %scale, %log2e : f32
    %scales = vector.broadcast %scale2 : f32 to !scores
    %scales_row = vector.broadcast %scale2 : f32 to !row
    %max2 = vector.multi_reduction <maxnumf>, %s, %max [1] : !scores to !row
    %scaled = arith.mulf %max2, %scales_row : !row
    %negated = arith.negf %scaled : !row
    %tall = vector.shape_cast %negated : !row to vector<128x1xf32>
    %wide = vector.broadcast %tall : vector<128x1xf32> to !scores
    %below = math.fma %s, %scales, %wide : !scores
    %p = math.exp2 %below fastmath<afn> : !scores
    %change = math.fma %max, %scales_row, %negated : !row
    %factor = math.exp2 %change fastmath<afn> : !row
    %corrected = arith.mulf %sum, %factor : !row
    %sum2 = vector.multi_reduction <add>, %p, %corrected [1] : !scores to !row
    %p16 = arith.truncf %p : !scores to !weights
    return %p16, %max2, %sum2, %factor : !weights, !row, !row, !row
  }

  // The number that a row's result is multiplied by in the end, and the logarithm of its sum. A row
  // without keys has a result of zeros.
  func.func private @finish(%max: !row, %sum: !row, %scale: f32) -> (!row, !row) {
    %zero = arith.constant dense<0.0> : !row
    %one = arith.constant dense<1.0> : !row
    %is_empty = arith.cmpf oeq, %sum, %zero : !row
    %divisor = arith.select %is_empty, %one, %sum : vector<128xi1>, !row
    %inverse = arith.divf %one, %divisor : !row
    %scales = vector.broadcast %scale : f32 to !row
    %log = math.log %sum : !row
    %result = math.fma %max, %scales, %log : !row
    return %inverse, %result : !row, !row
  }

  // A number of each row, in all columns of the result.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  // An integer of each row, in all columns.
  func.func private @spread_ends(%ends: !ends) -> !integers {
    %tall = vector.shape_cast %ends : !ends to vector<128x1xi32>
    %all = vector.broadcast %tall : vector<128x1xi32> to !integers
    return %all : !integers
  }

  // The scores of each row's range in the tile from j on, and the least of all numbers. `latest` is
  // the largest start of the rows, and `earliest` their smallest stop.
  func.func private @see(%s: !scores, %j: index, %starts: !ends, %counts: !ends, %latest: index,
                         %earliest: index) -> !scores {
    %end = affine.apply affine_map<(d) -> (d + 128)>(%j)
    %begins = arith.cmpi slt, %j, %latest : index
    %stops = arith.cmpi sgt, %end, %earliest : index
    %is_partial = arith.ori %begins, %stops : i1
    %seen = scf.if %is_partial -> (!scores) {
      %least = arith.constant dense<0xFF800000> : !scores
      %steps = vector.step : vector<128xindex>
      %columns = arith.index_cast %steps : vector<128xindex> to !ends
      %across = vector.broadcast %columns : !ends to !integers
      %j32 = arith.index_cast %j : index to i32
      %firsts = vector.broadcast %j32 : i32 to !ends
      %before = arith.subi %starts, %firsts : !ends
      %down = func.call @spread_ends(%before) : (!ends) -> !integers
      %distances = arith.subi %across, %down : !integers
      %many = func.call @spread_ends(%counts) : (!ends) -> !integers
      %mask = arith.cmpi ult, %distances, %many : !integers
      %some = arith.select %mask, %s, %least : vector<128x128xi1>, !scores
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

  func.func private @write(%max: !row, %sum: !row, %y: !square, %scale: f32, %out: !heads,
                           %lse: !rows, %h: index, %i: index) {
    %c0 = arith.constant 0 : index
    %inverse, %log = func.call @finish(%max, %sum, %scale) : (!row, !row, f32) -> (!row, !row)
    %inverses = func.call @spread(%inverse) : (!row) -> !square
    %whole = arith.mulf %y, %inverses : !square
    %y16 = arith.truncf %whole : !square to !tile
    vector.transfer_write %y16, %out[%h, %i, %c0] : !tile, !heads
    vector.transfer_write %log, %lse[%h, %i] : !row, !rows
    return
  }

  gpu.func @attention_ranges(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %start: !bounds {carousel.argument = #start}, %stop: !bounds {carousel.argument = #stop},
      %y: !heads {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %none = arith.constant 0 : i32
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %q, %c1 : !heads
    %last = affine.min affine_map<(d)[n] -> (d + 127, n - 1)>(%i)[%n]
    %first, %latest = func.call @load(%start, %i, %last) : (!bounds, index, index) -> (index, index)
    %earliest, %end = func.call @load(%stop, %i, %last) : (!bounds, index, index) -> (index, index)
    %begin = affine.apply affine_map<(d) -> (d floordiv 128 * 128)>(%first)
    %starts = vector.transfer_read %start[%i], %none : !bounds, !ends
    %stops = vector.transfer_read %stop[%i], %none : !bounds, !ends
    %counts = arith.subi %stops, %starts : !ends
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %begin to %end step %c128
        iter_args(%max = %low, %sum = %no, %acc = %zeros) -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !scores
      %seen = func.call @see(%s, %j, %starts, %counts, %latest, %earliest)
          : (!scores, index, !ends, !ends, index, index) -> !scores
      %p, %max2, %sum2, %factor = func.call @weigh(%seen, %scale, %max, %sum)
          : (!scores, f32, !row, !row) -> (!weights, !row, !row, !row)
      %factors = func.call @spread(%factor) : (!row) -> !square
      %less = arith.mulf %acc, %factors : !square
      %next = vector.contract #values %p, %vt, %less : !weights, !tile into !square
      scf.yield %max2, %sum2, %next : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i)
        : (!row, !row, !square, f32, !heads, !rows, index, index) -> ()
    gpu.return
  }
}

// In f64: the scores of a row, and what is computed of them.
!host = memref<?x?x128xbf16>
!stats = memref<?x?xf32>
!line = memref<?xf64>
func.func private @score(%q: !host, %k: !host, %h: index, %i: index, %j: index, %scale: f32)
    -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %d = %c0 to %c128 step %c1 iter_args(%t = %zero) -> (f64) {
    %q16 = memref.load %q[%h, %i, %d] : !host
    %k16 = memref.load %k[%h, %j, %d] : !host
    %q64 = arith.extf %q16 : bf16 to f64
    %k64 = arith.extf %k16 : bf16 to f64
    %next = math.fma %q64, %k64, %t : f64
    scf.yield %next : f64
  }
  %factor = arith.extf %scale : f32 to f64
  %scaled = arith.mulf %s, %factor : f64
  return %scaled : f64
}

func.func private @weigh(%scores: !line, %v: !host, %h: index, %i: index, %y: !host, %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %n = memref.dim %v, %c1 : !host
  %sum, %row = scf.for %j = %c0 to %n step %c1 iter_args(%l = %zero, %o = %zeros)
      -> (f64, vector<128xf64>) {
    %s = memref.load %scores[%j] : !line
    %p = math.exp %s : f64
    %l2 = arith.addf %l, %p : f64
    %v16 = vector.load %v[%h, %j, %c0] : !host, vector<128xbf16>
    %v64 = arith.extf %v16 : vector<128xbf16> to vector<128xf64>
    %ps = vector.broadcast %p : f64 to vector<128xf64>
    %o2 = math.fma %ps, %v64, %o : vector<128xf64>
    scf.yield %l2, %o2 : f64, vector<128xf64>
  }
  // A row without keys has a result of zeros.
  %is_empty = arith.cmpf oeq, %sum, %zero : f64
  %divisor = arith.select %is_empty, %one, %sum : f64
  %sums = vector.broadcast %divisor : f64 to vector<128xf64>
  %whole = arith.divf %row, %sums : vector<128xf64>
  %y16 = arith.truncf %whole : vector<128xf64> to vector<128xbf16>
  vector.store %y16, %y[%h, %i, %c0] : !host, vector<128xbf16>
  %log = math.log %sum : f64
  %log32 = arith.truncf %log : f64 to f32
  memref.store %log32, %lse[%h, %i] : !stats
  return
}

func.func @attention_ranges_reference(%q: !host, %k: !host, %v: !host, %scale: f32,
                                      %start: memref<?xi32>, %stop: memref<?xi32>, %y: !host,
                                      %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %q, %c0 : !host
  %rows = memref.dim %q, %c1 : !host
  %n = memref.dim %k, %c1 : !host
  %scores = memref.alloc(%n) : !line
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %s = func.call @score(%q, %k, %h, %i, %j, %scale)
            : (!host, !host, index, index, index, f32) -> f64
        %first = memref.load %start[%i] : memref<?xi32>
        %end = memref.load %stop[%i] : memref<?xi32>
        %j32 = arith.index_cast %j : index to i32
        %least = arith.constant 0xFFF0000000000000 : f64
        %has_begun = arith.cmpi sge, %j32, %first : i32
        %is_before = arith.cmpi slt, %j32, %end : i32
        %counts = arith.andi %has_begun, %is_before : i1
        %seen = arith.select %counts, %s, %least : f64
        memref.store %seen, %scores[%j] : !line
      }
      func.call @weigh(%scores, %v, %h, %i, %y, %lse)
          : (!line, !host, index, index, !host, !stats) -> ()
    }
  }
  memref.dealloc %scores : !line
  return
}
