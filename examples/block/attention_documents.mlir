// Attention of heads of 128 elements in the documents of a sequence, forward: the keys of a row's own
// document count. `id` has the document of each position, from 1 on: copies leave positions behind
// the last one 0, which need no mask then. Numbers below 1 aren't documents: the range of keys from a
// negative one on would have that 0 in it.
//
// The loop is the one of attention.mlir, with tiles of 64 keys: a thread needs registers for the
// documents of its columns, beside the sums of two products. A row may have no key in the first
// tiles. Its maximum is then a power of two, -2^100, so that its product with the scale is exact, and
// the difference of two of them is 0.
//
// Before the loop, a program finds the first key and the last one that may be in a document of its
// rows: it goes through all numbers once, which may have any order. Threads exchange what they
// found, so there is no role of producers. Where documents follow each other, @attention_ranges is
// twice as fast: it reads where a row's keys begin and end.

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
#id = #carousel.argument<"id", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)]>

!heads = memref<?x?x128xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!ids = memref<?xi32, #gl>
!tile = vector<128x128xbf16>
!square = vector<128x128xf32>
!keys = vector<64x128xbf16>
!scores = vector<128x64xf32>
!integers = vector<128x64xi32>
!row = vector<128xf32>
!numbers = vector<2048xi32>

gpu.module @attention_documents {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  // Adds a tile of keys and values: the maxima, sums and results of the rows after it.
  func.func private @add(%s: !scores, %v: !keys, %scale: f32, %max: !row, %sum: !row, %y: !square)
      -> (!row, !row, !square) {
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
    %p16 = arith.truncf %p : !scores to vector<128x64xbf16>
    %factors = func.call @spread(%factor) : (!row) -> !square
    %less = arith.mulf %y, %factors : !square
    %y2 = vector.contract #values %p16, %v, %less : vector<128x64xbf16>, !keys into !square
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

  // The first key and the last one whose documents are between the least and the largest one of the
  // rows.
  func.func private @find(%rows: vector<128xi32>, %id: !ids, %n: index) -> (i32, i32) {
    %c0 = arith.constant 0 : index
    %c2048 = arith.constant 2048 : index
    %none = arith.constant 0 : i32
    %most = arith.constant 2147483647 : i32
    %before = arith.constant -1 : i32
    %behind = arith.constant dense<2147483647> : !numbers
    %ahead = arith.constant dense<-1> : !numbers
    %nones = arith.constant dense<0> : vector<128xi32>
    %mosts = arith.constant dense<2147483647> : vector<128xi32>
    %is_none = arith.cmpi eq, %rows, %nones : vector<128xi32>
    %own = arith.select %is_none, %mosts, %rows : vector<128xi1>, vector<128xi32>
    %low = vector.multi_reduction <minsi>, %own, %most [0] : vector<128xi32> to i32
    %high = vector.multi_reduction <maxsi>, %rows, %before [0] : vector<128xi32> to i32
    %lows = vector.broadcast %low : i32 to !numbers
    %highs = vector.broadcast %high : i32 to !numbers
    %steps = vector.step : vector<2048xindex>
    %columns = arith.index_cast %steps : vector<2048xindex> to !numbers
    %r:2 = scf.for %j = %c0 to %n step %c2048 iter_args(%firsts = %behind, %lasts = %ahead)
        -> (!numbers, !numbers) {
      %ids = vector.transfer_read %id[%j], %none : !ids, !numbers
      %j32 = arith.index_cast %j : index to i32
      %starts = vector.broadcast %j32 : i32 to !numbers
      %keys = arith.addi %columns, %starts : !numbers
      %is_above = arith.cmpi sge, %ids, %lows : !numbers
      %is_below = arith.cmpi sle, %ids, %highs : !numbers
      %is_near = arith.andi %is_above, %is_below : vector<2048xi1>
      %some = arith.select %is_near, %keys, %behind : vector<2048xi1>, !numbers
      %firsts2 = arith.minsi %firsts, %some : !numbers
      %others = arith.select %is_near, %keys, %ahead : vector<2048xi1>, !numbers
      %lasts2 = arith.maxsi %lasts, %others : !numbers
      scf.yield %firsts2, %lasts2 : !numbers, !numbers
    }
    %first = vector.multi_reduction <minsi>, %r#0, %most [0] : !numbers to i32
    %last = vector.multi_reduction <maxsi>, %r#1, %before [0] : !numbers to i32
    return %first, %last : i32, i32
  }

  gpu.func @attention_documents(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %id: !ids {carousel.argument = #id}, %y: !heads {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %none = arith.constant 0 : i32
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %empty = arith.constant dense<0.0> : !scores
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %rows = vector.transfer_read %id[%i], %none : !ids, vector<128xi32>
    %first, %last = func.call @find(%rows, %id, %n)
        : (vector<128xi32>, !ids, index) -> (i32, i32)
    %near = arith.index_cast %first : i32 to index
    %begin = affine.apply affine_map<(d) -> (d floordiv 64 * 64)>(%near)
    %far = arith.index_cast %last : i32 to index
    %end = affine.apply affine_map<(d) -> (d + 1)>(%far)
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %begin to %end step %c64 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !keys
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !keys
      %s = vector.contract #scores %qt, %kt, %empty : !tile, !keys into !scores
      %columns = vector.transfer_read %id[%j], %none : !ids, vector<64xi32>
      %seen = func.call @compare(%s, %rows, %columns)
          : (!scores, vector<128xi32>, vector<64xi32>) -> !scores
      %next:3 = func.call @add(%seen, %vt, %scale, %max, %sum, %acc)
          : (!scores, !keys, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
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

func.func @attention_documents_reference(%q: !host, %k: !host, %v: !host, %scale: f32,
                                         %id: memref<?xi32>, %y: !host, %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFFF0000000000000 : f64
  %heads = memref.dim %q, %c0 : !host
  %n = memref.dim %q, %c1 : !host
  %scores = memref.alloc(%n) : !line
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      func.call @score(%q, %k, %h, %h, %i, %scale, %scores)
          : (!host, !host, index, index, index, f32, !line) -> ()
      %own = memref.load %id[%i] : memref<?xi32>
      scf.for %j = %c0 to %n step %c1 {
        %s = memref.load %scores[%j] : !line
        %other = memref.load %id[%j] : memref<?xi32>
        %counts = arith.cmpi eq, %other, %own : i32
        %seen = arith.select %counts, %s, %least : f64
        memref.store %seen, %scores[%j] : !line
      }
      func.call @weigh(%scores, %v, %h, %h, %i, %y, %lse)
          : (!line, !host, index, index, index, !host, !stats) -> ()
    }
  }
  memref.dealloc %scores : !line
  return
}
