// Kinds of attention of heads of 128 elements, forward: the loop of @attention_causal in
// attention.mlir with other scores s = scale * q * k^T, and other keys that count.
//
// A row may have no key in the first tiles. Its maximum is then a power of two, -2^100, so that its
// product with the scale is exact, and the difference of two of them is 0.
//
// - @attention_window: the last `window` keys up to the row's own position count. Tiles before them
//   aren't read. Scores are cap * tanh(s / cap).
// - @attention_grouped: groups of heads share keys and values, which have fewer heads. A key at a
//   distance of d before the row's position has s - slope * d, with a slope for each head (ALiBi).

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#scores = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#values = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#first = affine_map<(d)[w] -> (0, ((d - w + 1) floordiv 128) * 128)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#scale = #carousel.argument<"scale", in>
#cap = #carousel.argument<"cap", in>
#window = #carousel.argument<"window", in>
#slope = #carousel.argument<"slope", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)]>

!heads = memref<?x?x128xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!slopes = memref<?xf32, #gl>
!tile = vector<128x128xbf16>
!square = vector<128x128xf32>
!integers = vector<128x128xi32>
!row = vector<128xf32>

gpu.module @attention_kinds {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  // Adds a tile of keys and values: the maxima, sums and results of the rows after it.
  func.func private @add(%s: !square, %v: !tile, %scale: f32, %max: !row, %sum: !row, %y: !square)
      -> (!row, !row, !square) {
    %log2e = arith.constant 1.44269504 : f32
    %scale2 = arith.mulf %scale, %log2e : f32
    %scales = vector.broadcast %scale2 : f32 to !square
    %scales_row = vector.broadcast %scale2 : f32 to !row
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
    %p16 = arith.truncf %p : !square to !tile
    %y2 = vector.contract #values %p16, %v, %less : !tile, !tile into !square
    return %max2, %sum2, %y2 : !row, !row, !square
  }

  func.func private @write(%max: !row, %sum: !row, %y: !square, %scale: f32, %out: !heads,
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
    %y16 = arith.truncf %whole : !square to !tile
    vector.transfer_write %y16, %out[%h, %i, %c0] : !tile, !heads
    %scales = vector.broadcast %scale : f32 to !row
    %log = math.log %sum : !row
    %result = math.fma %max, %scales, %log : !row
    vector.transfer_write %result, %lse[%h, %i] : !row, !rows
    return
  }

  // By how many positions rows are behind columns, if the first row is `back` behind the first
  // column. Rows and `back` are added first: 64 differences of rows and columns would be the same in
  // all iterations, and stay in registers.
  func.func private @distances(%back: index) -> !integers {
    %steps = vector.step : vector<128xindex>
    %starts = vector.broadcast %back : index to vector<128xindex>
    %own = arith.addi %steps, %starts : vector<128xindex>
    %tall = vector.shape_cast %own : vector<128xindex> to vector<128x1xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to vector<128x128xindex>
    %columns = vector.broadcast %steps : vector<128xindex> to vector<128x128xindex>
    %less = arith.subi %rows, %columns : vector<128x128xindex>
    %less32 = arith.index_cast %less : vector<128x128xindex> to !integers
    return %less32 : !integers
  }

  // The scores at distances of 0 to `window` - 1, and the least of all numbers.
  func.func private @see(%s: !square, %back: index, %window: index) -> !square {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %farthest = arith.addi %back, %c128 : index
    %is_far = arith.cmpi sgt, %farthest, %window : index
    %is_own = arith.cmpi eq, %back, %c0 : index
    %is_partial = arith.ori %is_far, %is_own : i1
    %seen = scf.if %is_partial -> (!square) {
      %least = arith.constant dense<0xFF800000> : !square
      %distances = func.call @distances(%back) : (index) -> !integers
      %window32 = arith.index_cast %window : index to i32
      %windows = vector.broadcast %window32 : i32 to !integers
      %mask = arith.cmpi ult, %distances, %windows : !integers
      %some = arith.select %mask, %s, %least : vector<128x128xi1>, !square
      scf.yield %some : !square
    } else {
      scf.yield %s : !square
    }
    return %seen : !square
  }

  // tanh(s * ratio), which is off by 2^-11 of its size at most.
  func.func private @tanh(%s: !square, %ratio: f32) -> !square {
    %ratios = vector.broadcast %ratio : f32 to !square
    %scaled = arith.mulf %s, %ratios : !square
    %result = math.tanh %scaled fastmath<afn> : !square
    return %result : !square
  }

  gpu.func @attention_window(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %cap: f32 {carousel.argument = #cap}, %window: index {carousel.argument = #window},
      %y: !heads {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %first = affine.max #first(%i)[%window]
    %c1 = arith.constant 1 : index
    %n = memref.dim %k, %c1 : !heads
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %ratio = arith.divf %scale, %cap : f32
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %first to %end step %c128 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %capped = func.call @tanh(%s, %ratio) : (!square, f32) -> !square
      %back = arith.subi %i, %j : index
      %seen = func.call @see(%capped, %back, %window) : (!square, index, index) -> !square
      %next:3 = func.call @add(%seen, %vt, %cap, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %cap, %y, %lse, %h, %i)
        : (!row, !row, !square, f32, !heads, !rows, index, index) -> ()
    gpu.return
  }

  // The head of keys and values that a head of queries has.
  func.func private @find_group(%q: !heads, %k: !heads, %h: index) -> index {
    %c0 = arith.constant 0 : index
    %heads = memref.dim %q, %c0 : !heads
    %groups = memref.dim %k, %c0 : !heads
    %size = arith.divui %heads, %groups : index
    %g = arith.divui %h, %size : index
    return %g : index
  }

  // Adds slope * (column - row) to scores, for the first row's position in place of all rows'.
  func.func private @slope(%s: !square, %back: index, %slope: f32) -> !square {
    %steps = vector.step : vector<128xindex>
    %starts = vector.broadcast %back : index to vector<128xindex>
    %distances = arith.subi %steps, %starts : vector<128xindex>
    %columns = vector.broadcast %distances : vector<128xindex> to vector<128x128xindex>
    %columns32 = arith.index_cast %columns : vector<128x128xindex> to !integers
    %numbers = arith.sitofp %columns32 : !integers to !square
    %slopes = vector.broadcast %slope : f32 to !square
    %result = math.fma %numbers, %slopes, %s : !square
    return %result : !square
  }

  // The maxima that the rows' own positions would give.
  func.func private @shift(%max: !row, %slope: f32) -> !row {
    %steps = vector.step : vector<128xindex>
    %steps32 = arith.index_cast %steps : vector<128xindex> to vector<128xi32>
    %rows = arith.sitofp %steps32 : vector<128xi32> to !row
    %less = arith.negf %slope : f32
    %slopes = vector.broadcast %less : f32 to !row
    %result = math.fma %rows, %slopes, %max : !row
    return %result : !row
  }

  gpu.func @attention_grouped(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %slope: !slopes {carousel.argument = #slope}, %y: !heads {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %g = func.call @find_group(%q, %k, %h) : (!heads, !heads, index) -> index
    %own = memref.load %slope[%h] : !slopes
    %ratio = arith.divf %own, %scale : f32
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %c0 to %end step %c128 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %back = arith.subi %i, %j : index
      %sloped = func.call @slope(%s, %back, %ratio) : (!square, index, f32) -> !square
      %seen = func.call @see(%sloped, %back, %n) : (!square, index, index) -> !square
      %next:3 = func.call @add(%seen, %vt, %scale, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %max = func.call @shift(%r#0, %ratio) : (!row, f32) -> !row
    func.call @write(%max, %r#1, %r#2, %scale, %y, %lse, %h, %i)
        : (!row, !row, !square, f32, !heads, !rows, index, index) -> ()
    gpu.return
  }
}

// In f64: the scores of a row, and what is computed of them.
!host = memref<?x?x128xbf16>
!stats = memref<?x?xf32>
!line = memref<?xf64>
func.func private @score(%q: !host, %k: !host, %h: index, %g: index, %i: index, %scale: f32,
                         %scores: !line) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %k, %c1 : !host
  %factor = arith.extf %scale : f32 to f64
  scf.for %j = %c0 to %n step %c1 {
    %s = scf.for %d = %c0 to %c128 step %c1 iter_args(%t = %zero) -> (f64) {
      %q16 = memref.load %q[%h, %i, %d] : !host
      %k16 = memref.load %k[%g, %j, %d] : !host
      %q64 = arith.extf %q16 : bf16 to f64
      %k64 = arith.extf %k16 : bf16 to f64
      %next = math.fma %q64, %k64, %t : f64
      scf.yield %next : f64
    }
    %scaled = arith.mulf %s, %factor : f64
    memref.store %scaled, %scores[%j] : !line
  }
  return
}

func.func private @weigh(%scores: !line, %v: !host, %h: index, %g: index, %i: index, %y: !host,
                         %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %n = memref.dim %v, %c1 : !host
  %sum, %row = scf.for %j = %c0 to %n step %c1 iter_args(%l = %zero, %o = %zeros)
      -> (f64, vector<128xf64>) {
    %s = memref.load %scores[%j] : !line
    %p = math.exp %s : f64
    %l2 = arith.addf %l, %p : f64
    %v16 = vector.load %v[%g, %j, %c0] : !host, vector<128xbf16>
    %v64 = arith.extf %v16 : vector<128xbf16> to vector<128xf64>
    %ps = vector.broadcast %p : f64 to vector<128xf64>
    %o2 = math.fma %ps, %v64, %o : vector<128xf64>
    scf.yield %l2, %o2 : f64, vector<128xf64>
  }
  %is_empty = arith.cmpf oeq, %sum, %zero : f64
  %one = arith.constant 1.0 : f64
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

func.func @attention_window_reference(%q: !host, %k: !host, %v: !host, %scale: f32, %cap: f32,
                                      %window: index, %y: !host, %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFFF0000000000000 : f64
  %heads = memref.dim %q, %c0 : !host
  %n = memref.dim %q, %c1 : !host
  %cap64 = arith.extf %cap : f32 to f64
  %scores = memref.alloc(%n) : !line
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      func.call @score(%q, %k, %h, %h, %i, %scale, %scores)
          : (!host, !host, index, index, index, f32, !line) -> ()
      scf.for %j = %c0 to %n step %c1 {
        %s = memref.load %scores[%j] : !line
        %ratio = arith.divf %s, %cap64 : f64
        %tanh = math.tanh %ratio : f64
        %capped = arith.mulf %tanh, %cap64 : f64
        %back = arith.subi %i, %j : index
        %counts = arith.cmpi ult, %back, %window : index
        %seen = arith.select %counts, %capped, %least : f64
        memref.store %seen, %scores[%j] : !line
      }
      func.call @weigh(%scores, %v, %h, %h, %i, %y, %lse)
          : (!line, !host, index, index, index, !host, !stats) -> ()
    }
  }
  memref.dealloc %scores : !line
  return
}

func.func @attention_grouped_reference(%q: !host, %k: !host, %v: !host, %scale: f32,
                                       %slope: memref<?xf32>, %y: !host, %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFFF0000000000000 : f64
  %heads = memref.dim %q, %c0 : !host
  %groups = memref.dim %k, %c0 : !host
  %n = memref.dim %q, %c1 : !host
  %size = arith.divui %heads, %groups : index
  %scores = memref.alloc(%n) : !line
  scf.for %h = %c0 to %heads step %c1 {
    %g = arith.divui %h, %size : index
    %slope32 = memref.load %slope[%h] : memref<?xf32>
    %slope64 = arith.extf %slope32 : f32 to f64
    scf.for %i = %c0 to %n step %c1 {
      func.call @score(%q, %k, %h, %g, %i, %scale, %scores)
          : (!host, !host, index, index, index, f32, !line) -> ()
      scf.for %j = %c0 to %n step %c1 {
        %s = memref.load %scores[%j] : !line
        %distance = arith.subi %j, %i : index
        %distance64 = arith.index_cast %distance : index to i64
        %number = arith.sitofp %distance64 : i64 to f64
        %sloped = math.fma %number, %slope64, %s : f64
        %counts = arith.cmpi ule, %j, %i : index
        %seen = arith.select %counts, %sloped, %least : f64
        memref.store %seen, %scores[%j] : !line
      }
      func.call @weigh(%scores, %v, %h, %g, %i, %y, %lse)
          : (!line, !host, index, index, index, !host, !stats) -> ()
    }
  }
  memref.dealloc %scores : !line
  return
}
