// Attention with a bias, forward: y = softmax(scale * q * k^T + bias) * v of heads of 128 elements.
// The bias has a number for each head, row and key. Where it is -inf, the key doesn't count.
//
// The loop is the one of attention_wide.mlir. A tile of the bias is in a ring, as those of keys and
// values are, and is divided by the scale, since scores are multiplied by it later. A row may have
// no key in the first tiles. Its maximum is then a power of two, -2^100, so that its product with
// the scale is exact, and the difference of two of them is 0.
//
// - @attention_bias: a bias in bf16.
// - @attention_bias_f32: one in f32, of which a tile has as many bytes as those of keys and values
//   together.

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
#bias = #carousel.argument<"bias", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)]>

!heads = memref<?x?x128xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!bias_16 = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!bias_32 = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>, #gl>
!tile = vector<128x128xbf16>
!keys = vector<64x128xbf16>
!scores = vector<128x64xf32>
!weights = vector<128x64xbf16>
!square = vector<128x128xf32>
!row = vector<128xf32>

gpu.module @attention_bias {
  // The scores of keys that are there, and the least of all numbers behind the last one.
  func.func private @see(%s: !scores, %left: index) -> !scores {
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
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

  gpu.func @attention_bias(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %bias: !bias_16 {carousel.argument = #bias}, %y: !heads {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %one = arith.constant 1.0 : f32
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %empty = arith.constant dense<0.0> : !scores
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %ratio = arith.divf %one, %scale : f32
    %ratios = vector.broadcast %ratio : f32 to !scores
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %c0 to %n step %c64 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !keys
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !keys
      %b16 = vector.transfer_read %bias[%h, %i, %j], %pad : !bias_16, !weights
      %b = arith.extf %b16 : !weights to !scores
      %s = vector.contract #scores %qt, %kt, %empty : !tile, !keys into !scores
      %biased = math.fma %b, %ratios, %s : !scores
      %left = arith.subi %n, %j : index
      %seen = func.call @see(%biased, %left) : (!scores, index) -> !scores
      %p, %max2, %sum2, %factor = func.call @weigh(%seen, %scale, %max, %sum)
          : (!scores, f32, !row, !row) -> (!weights, !row, !row, !row)
      %factors = func.call @spread(%factor) : (!row) -> !square
      %less = arith.mulf %acc, %factors : !square
      %next = vector.contract #values %p, %vt, %less : !weights, !keys into !square
      scf.yield %max2, %sum2, %next : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i)
        : (!row, !row, !square, f32, !heads, !rows, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_bias_f32(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %bias: !bias_32 {carousel.argument = #bias}, %y: !heads {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %pad32 = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %empty = arith.constant dense<0.0> : !scores
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %ratio = arith.divf %one, %scale : f32
    %ratios = vector.broadcast %ratio : f32 to !scores
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %c0 to %n step %c64 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !keys
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !keys
      %b = vector.transfer_read %bias[%h, %i, %j], %pad32 : !bias_32, !scores
      %s = vector.contract #scores %qt, %kt, %empty : !tile, !keys into !scores
      %biased = math.fma %b, %ratios, %s : !scores
      %left = arith.subi %n, %j : index
      %seen = func.call @see(%biased, %left) : (!scores, index) -> !scores
      %p, %max2, %sum2, %factor = func.call @weigh(%seen, %scale, %max, %sum)
          : (!scores, f32, !row, !row) -> (!weights, !row, !row, !row)
      %factors = func.call @spread(%factor) : (!row) -> !square
      %less = arith.mulf %acc, %factors : !square
      %next = vector.contract #values %p, %vt, %less : !weights, !keys into !square
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

func.func @attention_bias_reference(%q: !host, %k: !host, %v: !host, %scale: f32,
                                    %bias: memref<?x?x?xbf16>, %y: !host, %lse: !stats) {
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
        %b = memref.load %bias[%h, %i, %j] : memref<?x?x?xbf16>
        %b64 = arith.extf %b : bf16 to f64
        %seen = arith.addf %s, %b64 : f64
        memref.store %seen, %scores[%j] : !line
      }
      func.call @weigh(%scores, %v, %h, %i, %y, %lse)
          : (!line, !host, index, index, !host, !stats) -> ()
    }
  }
  memref.dealloc %scores : !line
  return
}

func.func @attention_bias_f32_reference(%q: !host, %k: !host, %v: !host, %scale: f32,
                                        %bias: memref<?x?x?xf32>, %y: !host, %lse: !stats) {
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
        %b = memref.load %bias[%h, %i, %j] : memref<?x?x?xf32>
        %b64 = arith.extf %b : f32 to f64
        %seen = arith.addf %s, %b64 : f64
        memref.store %seen, %scores[%j] : !line
      }
      func.call @weigh(%scores, %v, %h, %i, %y, %lse)
          : (!line, !host, index, index, !host, !stats) -> ()
    }
  }
  memref.dealloc %scores : !line
  return
}
