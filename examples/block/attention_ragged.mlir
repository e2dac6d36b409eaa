// Attention of a ragged batch, forward: the positions of all sequences follow each other in q, k, v
// and y. Those from offsets[b] up to offsets[b + 1] are sequence b, whose rows see its own keys.
// Sequences may be empty. Offsets ascend from 0; results from the last offset on stay as they are.
//
// A sequence has as many tiles of 128 rows as it needs, and each program looks for its own. The
// grid is one that the host knows: an upper bound, whose last programs have no tile. The loop is
// the one of attention.mlir. A tile of keys may have some of the next sequence, whose weights are
// 0. So a value of the next sequence counts only where it is infinite or NaN.
//
// - @attention_ragged: all keys of the sequence count.
// - @attention_ragged_causal: those up to the row's own position count.

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
#offsets = #carousel.argument<"offsets", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [extent(0, 0), floordiv(extent(0, 1), 128) + extent(4, 0)]>

!heads = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!rows = memref<?x?xf32, #gl>
!part = memref<?x?xf32, strided<[?, 1]>, #gl>
!offsets = memref<?xi32, #gl>
!tile = vector<128x128xbf16>
!square = vector<128x128xf32>
!row = vector<128xf32>

gpu.module @attention_ragged {
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
      %ascends = arith.cmpi sle, %begin, %end : i32
      cf.assert %ascends, "expected offsets that ascend"
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

  // Writes the rows of a sequence that ends at `end`.
  func.func private @write(%max: !row, %sum: !row, %y: !square, %scale: f32, %out: !heads,
                           %lse: !rows, %h: index, %i: index, %end: index) {
    %c0 = arith.constant 0 : index
    %heads = memref.dim %out, %c0 : !heads
    %one = arith.constant dense<1.0> : !row
    %inverse = arith.divf %one, %sum : !row
    %inverses = func.call @spread(%inverse) : (!row) -> !square
    %whole = arith.mulf %y, %inverses : !square
    %y16 = arith.truncf %whole : !square to !tile
    %own = memref.subview %out[0, 0, 0] [%heads, %end, 128] [1, 1, 1] : !heads to !heads
    vector.transfer_write %y16, %own[%h, %i, %c0] : !tile, !heads
    %scales = vector.broadcast %scale : f32 to !row
    %log = math.log %sum : !row
    %result = math.fma %max, %scales, %log : !row
    %part = memref.subview %lse[0, 0] [%heads, %end] [1, 1] : !rows to !part
    vector.transfer_write %result, %part[%h, %i] : !row, !part
    return
  }

  // The scores of keys before the sequence's end, and the least of all numbers.
  func.func private @see(%s: !square, %left: index) -> !square {
    %c128 = arith.constant 128 : index
    %is_last = arith.cmpi slt, %left, %c128 : index
    %seen = scf.if %is_last -> (!square) {
      %least = arith.constant dense<0xFF800000> : !square
      %mask = vector.create_mask %c128, %left : vector<128x128xi1>
      %some = arith.select %mask, %s, %least : vector<128x128xi1>, !square
      scf.yield %some : !square
    } else {
      scf.yield %s : !square
    }
    return %seen : !square
  }

  // The scores of columns up to the row's own, in the tile that begins where the rows do.
  func.func private @see_before(%s: !square, %is_own: i1) -> !square {
    %seen = scf.if %is_own -> (!square) {
      %least = arith.constant dense<0xFF800000> : !square
      %steps = vector.step : vector<128xindex>
      %tall = vector.shape_cast %steps : vector<128xindex> to vector<128x1xindex>
      %rows = vector.broadcast %tall : vector<128x1xindex> to vector<128x128xindex>
      %columns = vector.broadcast %steps : vector<128xindex> to vector<128x128xindex>
      %mask = arith.cmpi ule, %columns, %rows : vector<128x128xindex>
      %some = arith.select %mask, %s, %least : vector<128x128xi1>, !square
      scf.yield %some : !square
    } else {
      scf.yield %s : !square
    }
    return %seen : !square
  }

  gpu.func @attention_ragged(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %offsets: !offsets {carousel.argument = #offsets}, %y: !heads {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %p = gpu.block_id y
    %i, %begin, %end = func.call @find(%offsets, %p) : (!offsets, index) -> (index, index, index)
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %begin to %end step %c128
        iter_args(%max = %low, %sum = %no, %acc = %zeros) -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %left = arith.subi %end, %j : index
      %seen = func.call @see(%s, %left) : (!square, index) -> !square
      %next:3 = func.call @add(%seen, %vt, %scale, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i, %end)
        : (!row, !row, !square, f32, !heads, !rows, index, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_ragged_causal(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %offsets: !offsets {carousel.argument = #offsets}, %y: !heads {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %p = gpu.block_id y
    %i, %begin, %end = func.call @find(%offsets, %p) : (!offsets, index) -> (index, index, index)
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %behind = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%end]
    %r:3 = scf.for %j = %begin to %behind step %c128
        iter_args(%max = %low, %sum = %no, %acc = %zeros) -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %is_own = arith.cmpi eq, %j, %i : index
      %seen = func.call @see_before(%s, %is_own) : (!square, i1) -> !square
      %next:3 = func.call @add(%seen, %vt, %scale, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %y, %lse, %h, %i, %end)
        : (!row, !row, !square, f32, !heads, !rows, index, index, index) -> ()
    gpu.return
  }
}

// In f64.
!host = memref<?x?x128xbf16>
!stats = memref<?x?xf32>
!ends = memref<?xi32>
func.func private @row(%q: !host, %k: !host, %v: !host, %scale: f32, %y: !host, %lse: !stats,
                       %h: index, %i: index, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %factor = arith.extf %scale : f32 to f64
  %sum, %row = scf.for %j = %begin to %end step %c1 iter_args(%l = %zero, %o = %zeros)
      -> (f64, vector<128xf64>) {
    %s = scf.for %d = %c0 to %c128 step %c1 iter_args(%t = %zero) -> (f64) {
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
    %v16 = vector.load %v[%h, %j, %c0] : !host, vector<128xbf16>
    %v64 = arith.extf %v16 : vector<128xbf16> to vector<128xf64>
    %ps = vector.broadcast %p : f64 to vector<128xf64>
    %o2 = math.fma %ps, %v64, %o : vector<128xf64>
    scf.yield %l2, %o2 : f64, vector<128xf64>
  }
  %sums = vector.broadcast %sum : f64 to vector<128xf64>
  %whole = arith.divf %row, %sums : vector<128xf64>
  %y16 = arith.truncf %whole : vector<128xf64> to vector<128xbf16>
  vector.store %y16, %y[%h, %i, %c0] : !host, vector<128xbf16>
  %log = math.log %sum : f64
  %log32 = arith.truncf %log : f64 to f32
  memref.store %log32, %lse[%h, %i] : !stats
  return
}

func.func private @reference(%q: !host, %k: !host, %v: !host, %scale: f32, %offsets: !ends,
                             %y: !host, %lse: !stats, %is_causal: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %q, %c0 : !host
  %entries = memref.dim %offsets, %c0 : !ends
  scf.for %h = %c0 to %heads step %c1 {
    %last = scf.for %b = %c1 to %entries step %c1 iter_args(%begin = %c0) -> (index) {
      %offset = memref.load %offsets[%b] : !ends
      %end = arith.index_castui %offset : i32 to index
      scf.for %i = %begin to %end step %c1 {
        %after = arith.addi %i, %c1 : index
        %behind = arith.select %is_causal, %after, %end : index
        func.call @row(%q, %k, %v, %scale, %y, %lse, %h, %i, %begin, %behind)
            : (!host, !host, !host, f32, !host, !stats, index, index, index, index) -> ()
      }
      scf.yield %end : index
    }
  }
  return
}

func.func @attention_ragged_reference(%q: !host, %k: !host, %v: !host, %scale: f32, %offsets: !ends,
                                      %y: !host, %lse: !stats) {
  %no = arith.constant false
  call @reference(%q, %k, %v, %scale, %offsets, %y, %lse, %no)
      : (!host, !host, !host, f32, !ends, !host, !stats, i1) -> ()
  return
}

func.func @attention_ragged_causal_reference(%q: !host, %k: !host, %v: !host, %scale: f32,
                                             %offsets: !ends, %y: !host, %lse: !stats) {
  %yes = arith.constant true
  call @reference(%q, %k, %v, %scale, %offsets, %y, %lse, %yes)
      : (!host, !host, !host, f32, !ends, !host, !stats, i1) -> ()
  return
}
