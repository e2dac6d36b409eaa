// Attention of heads of 64 elements, forward: the kernels of attention.mlir, whose comments hold here,
// with tiles of half as many elements. Sums of a program's rows need half of the registers.
//
// - @attention_64: all keys count.
// - @attention_causal_64: keys up to the row's own position count.
// - @attention_sink: the last `window` keys up to the row's own position count. Groups of heads share
//   keys and values. A logit for each head, the sink, is in the sum of exponentials, and has no value:
//   a row begins with the sink as its largest score, and with a sum of 1. Tiles before the window
//   aren't read.

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
#sink = #carousel.argument<"sink", in>
#window = #carousel.argument<"window", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)]>

!heads = memref<?x?x64xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!tile = vector<128x64xbf16>
!weights = vector<128x128xbf16>
!results = vector<128x64xf32>
!square = vector<128x128xf32>
!integers = vector<128x128xi32>
!row = vector<128xf32>
!sinks = memref<?xf32, #gl>

gpu.module @attention_64 {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  func.func private @spread_64(%row: !row) -> !results {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !results
    return %all : !results
  }

  // Adds a tile of keys and values: the maxima, sums and results of the rows after it.
  func.func private @add(%s: !square, %v: !tile, %scale: f32, %max: !row, %sum: !row, %y: !results)
      -> (!row, !row, !results) {
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
    %factors = func.call @spread_64(%factor) : (!row) -> !results
    %less = arith.mulf %y, %factors : !results
    %p16 = arith.truncf %p : !square to !weights
    %y2 = vector.contract #values %p16, %v, %less : !weights, !tile into !results
    return %max2, %sum2, %y2 : !row, !row, !results
  }

  func.func private @write(%max: !row, %sum: !row, %y: !results, %scale: f32, %out: !heads,
                           %lse: !rows, %h: index, %i: index) {
    %c0 = arith.constant 0 : index
    %none = arith.constant dense<0.0> : !row
    %one = arith.constant dense<1.0> : !row
    // A row without keys has a result of zeros, and the logarithm -inf.
    %is_empty = arith.cmpf oeq, %sum, %none : !row
    %divisor = arith.select %is_empty, %one, %sum : vector<128xi1>, !row
    %inverse = arith.divf %one, %divisor : !row
    %inverses = func.call @spread_64(%inverse) : (!row) -> !results
    %whole = arith.mulf %y, %inverses : !results
    %y16 = arith.truncf %whole : !results to !tile
    vector.transfer_write %y16, %out[%h, %i, %c0] : !tile, !heads
    %scales = vector.broadcast %scale : f32 to !row
    %log = math.log %sum : !row
    %result = math.fma %max, %scales, %log : !row
    vector.transfer_write %result, %lse[%h, %i] : !row, !rows
    return
  }

  gpu.func @attention_64(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %y: !heads {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %empty = arith.constant dense<0.0> : !results
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %c0 to %n step %c128 iter_args(%max = %low, %sum = %no, %acc = %empty)
        -> (!row, !row, !results) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %left = arith.subi %n, %j : index
      %is_last = arith.cmpi slt, %left, %c128 : index
      %seen = scf.if %is_last -> (!square) {
        %least = arith.constant dense<0xFF800000> : !square
        %mask = vector.create_mask %c128, %left : vector<128x128xi1>
        %some = arith.select %mask, %s, %least : vector<128x128xi1>, !square
        scf.yield %some : !square
      } else {
        scf.yield %s : !square
      }
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !results) -> (!row, !row, !results)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !results
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i)
        : (!row, !row, !results, f32, !heads, !rows, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_causal_64(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %y: !heads {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %empty = arith.constant dense<0.0> : !results
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %c0 to %end step %c128 iter_args(%max = %low, %sum = %no, %acc = %empty)
        -> (!row, !row, !results) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %is_last = arith.cmpi eq, %j, %i : index
      %seen = scf.if %is_last -> (!square) {
        %some = func.call @mask(%s) : (!square) -> !square
        scf.yield %some : !square
      } else {
        scf.yield %s : !square
      }
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !results) -> (!row, !row, !results)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !results
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i)
        : (!row, !row, !results, f32, !heads, !rows, index, index) -> ()
    gpu.return
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

  // The head of keys and values that a head of queries has.
  func.func private @find_group(%q: !heads, %k: !heads, %h: index) -> index {
    %c0 = arith.constant 0 : index
    %heads = memref.dim %q, %c0 : !heads
    %groups = memref.dim %k, %c0 : !heads
    %size = arith.divui %heads, %groups : index
    %g = arith.divui %h, %size : index
    return %g : index
  }

  gpu.func @attention_sink(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %sink: !sinks {carousel.argument = #sink}, %window: index {carousel.argument = #window},
      %y: !heads {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %one = arith.constant dense<1.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %empty = arith.constant dense<0.0> : !results
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %first = affine.max #first(%i)[%window]
    %n = memref.dim %k, %c1 : !heads
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %g = func.call @find_group(%q, %k, %h) : (!heads, !heads, index) -> index
    %scale2 = arith.mulf %scale, %log2e : f32
    %own = memref.load %sink[%h] : !sinks
    %least = arith.divf %own, %scale : f32
    %low = vector.broadcast %least : f32 to !row
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %first to %end step %c128 iter_args(%max = %low, %sum = %one, %acc = %empty)
        -> (!row, !row, !results) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %back = arith.subi %i, %j : index
      %seen = func.call @see(%s, %back, %window) : (!square, index, index) -> !square
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !results) -> (!row, !row, !results)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !results
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i)
        : (!row, !row, !results, f32, !heads, !rows, index, index) -> ()
    gpu.return
  }
}

// In f64.
!host = memref<?x?x64xbf16>
func.func private @reference(%q: !host, %k: !host, %v: !host, %scale: f32, %y: !host,
                             %lse: memref<?x?xf32>, %is_causal: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<64xf64>
  %heads = memref.dim %q, %c0 : !host
  %n = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %factor = arith.extf %scale : f32 to f64
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %after = arith.addi %i, %c1 : index
      %end = arith.select %is_causal, %after, %keys : index
      %sum, %row = scf.for %j = %c0 to %end step %c1 iter_args(%l = %zero, %o = %zeros)
          -> (f64, vector<64xf64>) {
        %s = scf.for %d = %c0 to %c64 step %c1 iter_args(%t = %zero) -> (f64) {
          %q16 = memref.load %q[%h, %i, %d] : !host
          %k16 = memref.load %k[%h, %j, %d] : !host
          %q64 = arith.extf %q16 : bf16 to f64
          %k64 = arith.extf %k16 : bf16 to f64
          %next = math.fma %q64, %k64, %t : f64
          scf.yield %next : f64
        }
        %scaled = arith.mulf %s, %factor : f64
        %p = math.exp %scaled : f64
        %l2 = arith.addf %l, %p : f64
        %v16 = vector.load %v[%h, %j, %c0] : !host, vector<64xbf16>
        %v64 = arith.extf %v16 : vector<64xbf16> to vector<64xf64>
        %ps = vector.broadcast %p : f64 to vector<64xf64>
        %o2 = math.fma %ps, %v64, %o : vector<64xf64>
        scf.yield %l2, %o2 : f64, vector<64xf64>
      }
      %is_empty = arith.cmpf oeq, %sum, %zero : f64
      %one = arith.constant 1.0 : f64
      %divisor = arith.select %is_empty, %one, %sum : f64
      %sums = vector.broadcast %divisor : f64 to vector<64xf64>
      %whole = arith.divf %row, %sums : vector<64xf64>
      %y16 = arith.truncf %whole : vector<64xf64> to vector<64xbf16>
      vector.store %y16, %y[%h, %i, %c0] : !host, vector<64xbf16>
      %log = math.log %sum : f64
      %log32 = arith.truncf %log : f64 to f32
      memref.store %log32, %lse[%h, %i] : memref<?x?xf32>
    }
  }
  return
}

func.func @attention_64_reference(%q: !host, %k: !host, %v: !host, %scale: f32, %y: !host,
                               %lse: memref<?x?xf32>) {
  %no = arith.constant false
  call @reference(%q, %k, %v, %scale, %y, %lse, %no)
      : (!host, !host, !host, f32, !host, memref<?x?xf32>, i1) -> ()
  return
}

func.func @attention_causal_64_reference(%q: !host, %k: !host, %v: !host, %scale: f32, %y: !host,
                                      %lse: memref<?x?xf32>) {
  %yes = arith.constant true
  call @reference(%q, %k, %v, %scale, %y, %lse, %yes)
      : (!host, !host, !host, f32, !host, memref<?x?xf32>, i1) -> ()
  return
}

func.func @attention_sink_reference(%q: !host, %k: !host, %v: !host, %scale: f32,
                                    %sink: memref<?xf32>, %window: index, %y: !host,
                                    %lse: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<64xf64>
  %heads = memref.dim %q, %c0 : !host
  %groups = memref.dim %k, %c0 : !host
  %n = memref.dim %q, %c1 : !host
  %size = arith.divui %heads, %groups : index
  %factor = arith.extf %scale : f32 to f64
  scf.for %h = %c0 to %heads step %c1 {
    %g = arith.divui %h, %size : index
    %sink32 = memref.load %sink[%h] : memref<?xf32>
    %sink64 = arith.extf %sink32 : f32 to f64
    %own = math.exp %sink64 : f64
    scf.for %i = %c0 to %n step %c1 {
      %end = arith.addi %i, %c1 : index
      %before = arith.subi %end, %window : index
      %first = arith.maxsi %before, %c0 : index
      %sum, %row = scf.for %j = %first to %end step %c1 iter_args(%l = %own, %o = %zeros)
          -> (f64, vector<64xf64>) {
        %s = scf.for %d = %c0 to %c64 step %c1 iter_args(%t = %zero) -> (f64) {
          %q16 = memref.load %q[%h, %i, %d] : !host
          %k16 = memref.load %k[%g, %j, %d] : !host
          %q64 = arith.extf %q16 : bf16 to f64
          %k64 = arith.extf %k16 : bf16 to f64
          %next = math.fma %q64, %k64, %t : f64
          scf.yield %next : f64
        }
        %scaled = arith.mulf %s, %factor : f64
        %p = math.exp %scaled : f64
        %l2 = arith.addf %l, %p : f64
        %v16 = vector.load %v[%g, %j, %c0] : !host, vector<64xbf16>
        %v64 = arith.extf %v16 : vector<64xbf16> to vector<64xf64>
        %ps = vector.broadcast %p : f64 to vector<64xf64>
        %o2 = math.fma %ps, %v64, %o : vector<64xf64>
        scf.yield %l2, %o2 : f64, vector<64xf64>
      }
      %sums = vector.broadcast %sum : f64 to vector<64xf64>
      %whole = arith.divf %row, %sums : vector<64xf64>
      %y16 = arith.truncf %whole : vector<64xf64> to vector<64xbf16>
      vector.store %y16, %y[%h, %i, %c0] : !host, vector<64xbf16>
      %log = math.log %sum : f64
      %log32 = arith.truncf %log : f64 to f32
      memref.store %log32, %lse[%h, %i] : memref<?x?xf32>
    }
  }
  return
}
