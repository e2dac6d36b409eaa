// Attention of heads of 128 elements, forward, in the layouts of models: the kernels of
// attention.mlir, whose comments hold here. A head's rows aren't neighbours in memory: an index
// between that of a position and that of an element says the head, and a tile is a box with an extent
// of 1 there.
//
// - @attention_bshd: batches, positions, heads and elements. All keys count.
// - @attention_qkv: the queries, keys and values of a position are neighbours, as a product with the
//   weights of all three leaves them: positions, three, heads and elements. Keys up to the row's own
//   position count.
// - @attention_kv: a head's key and value are neighbours: positions, heads, two and elements. Groups of
//   query heads share keys and values. All keys count.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#scores = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#values = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#shd = affine_map<(s, h, d) -> (s, d)>
#bshd = affine_map<(b, s, h, d) -> (s, d)>
#sphd = affine_map<(s, p, h, d) -> (s, d)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#kv = #carousel.argument<"kv", in>
#qkv = #carousel.argument<"qkv", in>
#scale = #carousel.argument<"scale", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#of_batches = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 2), extent(0, 0)]>
#of_heads = #carousel.launch<grid = [ceildiv(extent(0, 0), 128), extent(0, 1)]>
#longest_first = #carousel.launch<grid = [extent(0, 2), ceildiv(extent(0, 0), 128)]>
#from_end = affine_map<(b)[n] -> (n ceildiv 128 - 1 - b)>

!batches = memref<?x?x?x128xbf16, #gl>
!heads = memref<?x?x128xbf16, #gl>
!pairs = memref<?x?x2x128xbf16, #gl>
!triples = memref<?x3x?x128xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!rows_of_batches = memref<?x?x?xf32, #gl>
!tile = vector<128x128xbf16>
!square = vector<128x128xf32>
!row = vector<128xf32>

gpu.module @attention_layouts {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  // Adds a tile of keys and values: the maxima, sums and results of the rows after it.
  func.func private @add(%s: !square, %v: !tile, %scale: f32, %max: !row, %sum: !row, %y: !square)
      -> (!row, !row, !square) {
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
    %p16 = arith.truncf %p : !square to !tile
    %y2 = vector.contract #values %p16, %v, %less : !tile, !tile into !square
    return %max2, %sum2, %y2 : !row, !row, !square
  }

  // The scores of columns before `left`, and -inf.
  func.func private @limit(%s: !square, %left: index) -> !square {
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

  // In a row's last tile, the scores of columns up to the row's own, and -inf.
  func.func private @limit_last(%s: !square, %is_last: i1) -> !square {
    %seen = scf.if %is_last -> (!square) {
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

  func.func private @finish(%max: !row, %sum: !row, %y: !square, %scale: f32) -> (!tile, !row) {
    %none = arith.constant dense<0.0> : !row
    %one = arith.constant dense<1.0> : !row
    %is_empty = arith.cmpf oeq, %sum, %none : !row
    %divisor = arith.select %is_empty, %one, %sum : vector<128xi1>, !row
    %inverse = arith.divf %one, %divisor : !row
    %inverses = func.call @spread(%inverse) : (!row) -> !square
    %whole = arith.mulf %y, %inverses : !square
    %y16 = arith.truncf %whole : !square to !tile
    %scales = vector.broadcast %scale : f32 to !row
    %log = math.log %sum : !row
    %lse = math.fma %max, %scales, %log : !row
    return %y16, %lse : !tile, !row
  }

  gpu.func @attention_bshd(
      %q: !batches {carousel.argument = #q}, %k: !batches {carousel.argument = #k},
      %v: !batches {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %y: !batches {carousel.argument = #y}, %lse: !rows_of_batches {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_batches} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %block = gpu.block_id x
    %h = gpu.block_id y
    %b = gpu.block_id z
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !batches
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %q[%b, %i, %h, %c0], %pad {permutation_map = #bshd} : !batches, !tile
    %r:3 = scf.for %j = %c0 to %n step %c128 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%b, %j, %h, %c0], %pad
          {permutation_map = #bshd} : !batches, !tile
      %vt = vector.transfer_read %v[%b, %j, %h, %c0], %pad
          {permutation_map = #bshd} : !batches, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %left = arith.subi %n, %j : index
      %seen = func.call @limit(%s, %left) : (!square, index) -> !square
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %y16, %result = func.call @finish(%r#0, %r#1, %r#2, %scale)
        : (!row, !row, !square, f32) -> (!tile, !row)
    vector.transfer_write %y16, %y[%b, %i, %h, %c0] {permutation_map = #bshd} : !tile, !batches
    vector.transfer_write %result, %lse[%b, %h, %i] : !row, !rows_of_batches
    gpu.return
  }

  gpu.func @attention_qkv(
      %qkv: !triples {carousel.argument = #qkv}, %scale: f32 {carousel.argument = #scale},
      %y: !heads {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #longest_first} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %h = gpu.block_id x
    %later = gpu.block_id y
    %n = memref.dim %qkv, %c0 : !triples
    %block = affine.apply #from_end(%later)[%n]
    // Never negative, so that engines may write from there on.
    %number = arith.maxsi %block, %c0 : index
    %i = arith.muli %number, %c128 : index
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %qkv[%i, %c0, %h, %c0], %pad
        {permutation_map = #sphd} : !triples, !tile
    %r:3 = scf.for %j = %c0 to %end step %c128 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %qkv[%j, %c1, %h, %c0], %pad
          {permutation_map = #sphd} : !triples, !tile
      %vt = vector.transfer_read %qkv[%j, %c2, %h, %c0], %pad
          {permutation_map = #sphd} : !triples, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %is_last = arith.cmpi eq, %j, %i : index
      %seen = func.call @limit_last(%s, %is_last) : (!square, i1) -> !square
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %y16, %result = func.call @finish(%r#0, %r#1, %r#2, %scale)
        : (!row, !row, !square, f32) -> (!tile, !row)
    vector.transfer_write %y16, %y[%i, %h, %c0] {permutation_map = #shd} : !tile, !heads
    vector.transfer_write %result, %lse[%h, %i] : !row, !rows
    gpu.return
  }

  gpu.func @attention_kv(
      %q: !heads {carousel.argument = #q}, %kv: !pairs {carousel.argument = #kv},
      %scale: f32 {carousel.argument = #scale}, %y: !heads {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_heads} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %kv, %c0 : !pairs
    %heads = memref.dim %q, %c1 : !heads
    %groups = memref.dim %kv, %c1 : !pairs
    %shared = arith.divui %heads, %groups : index
    %g = arith.divui %h, %shared : index
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %q[%i, %h, %c0], %pad {permutation_map = #shd} : !heads, !tile
    %r:3 = scf.for %j = %c0 to %n step %c128 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %kv[%j, %g, %c0, %c0], %pad
          {permutation_map = #sphd} : !pairs, !tile
      %vt = vector.transfer_read %kv[%j, %g, %c1, %c0], %pad
          {permutation_map = #sphd} : !pairs, !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %left = arith.subi %n, %j : index
      %seen = func.call @limit(%s, %left) : (!square, index) -> !square
      %next:3 = func.call @add(%seen, %vt, %scale2, %max, %sum, %acc)
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    %y16, %result = func.call @finish(%r#0, %r#1, %r#2, %scale)
        : (!row, !row, !square, f32) -> (!tile, !row)
    vector.transfer_write %y16, %y[%i, %h, %c0] {permutation_map = #shd} : !tile, !heads
    vector.transfer_write %result, %lse[%h, %i] : !row, !rows
    gpu.return
  }
}

// In f64, of a batch whose heads have any strides.
!part = memref<?x?x128xbf16, strided<[?, ?, 1], offset: ?>>
!dense = memref<?x?x128xbf16, strided<[?, 128, 1], offset: ?>>
!apart = memref<?x?x128xbf16, strided<[?, 256, 1], offset: ?>>
!sums = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func private @reference(%q: !part, %k: !part, %v: !part, %scale: f32, %y: !part, %lse: !sums,
                             %is_causal: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %n = memref.dim %q, %c0 : !part
  %heads = memref.dim %q, %c1 : !part
  %keys = memref.dim %k, %c0 : !part
  %groups = memref.dim %k, %c1 : !part
  %shared = arith.divui %heads, %groups : index
  %factor = arith.extf %scale : f32 to f64
  scf.for %h = %c0 to %heads step %c1 {
    %g = arith.divui %h, %shared : index
    scf.for %i = %c0 to %n step %c1 {
      %after = arith.addi %i, %c1 : index
      %end = arith.select %is_causal, %after, %keys : index
      %sum, %row = scf.for %j = %c0 to %end step %c1 iter_args(%l = %zero, %o = %zeros)
          -> (f64, vector<128xf64>) {
        %s = scf.for %d = %c0 to %c128 step %c1 iter_args(%t = %zero) -> (f64) {
          %q16 = memref.load %q[%i, %h, %d] : !part
          %k16 = memref.load %k[%j, %g, %d] : !part
          %q64 = arith.extf %q16 : bf16 to f64
          %k64 = arith.extf %k16 : bf16 to f64
          %next = math.fma %q64, %k64, %t : f64
          scf.yield %next : f64
        }
        %scaled = arith.mulf %s, %factor : f64
        %p = math.exp %scaled : f64
        %l2 = arith.addf %l, %p : f64
        %v16 = vector.load %v[%j, %g, %c0] : !part, vector<128xbf16>
        %v64 = arith.extf %v16 : vector<128xbf16> to vector<128xf64>
        %ps = vector.broadcast %p : f64 to vector<128xf64>
        %o2 = math.fma %ps, %v64, %o : vector<128xf64>
        scf.yield %l2, %o2 : f64, vector<128xf64>
      }
      %is_empty = arith.cmpf oeq, %sum, %zero : f64
      %divisor = arith.select %is_empty, %one, %sum : f64
      %sums = vector.broadcast %divisor : f64 to vector<128xf64>
      %whole = arith.divf %row, %sums : vector<128xf64>
      %y16 = arith.truncf %whole : vector<128xf64> to vector<128xbf16>
      vector.store %y16, %y[%i, %h, %c0] : !part, vector<128xbf16>
      %log = math.log %sum : f64
      %log32 = arith.truncf %log : f64 to f32
      memref.store %log32, %lse[%h, %i] : !sums
    }
  }
  return
}

!host = memref<?x?x128xbf16>
!host_rows = memref<?x?xf32>
!host_batches = memref<?x?x?x128xbf16>
!host_rows_of_batches = memref<?x?x?xf32>
func.func private @batch(%x: !host_batches, %b: index) -> !part {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c1 : !host_batches
  %heads = memref.dim %x, %c2 : !host_batches
  %dense = memref.subview %x[%b, 0, 0, 0] [1, %n, %heads, 128] [1, 1, 1, 1]
      : !host_batches to !dense
  %part = memref.cast %dense : !dense to !part
  return %part : !part
}

func.func @attention_bshd_reference(%q: !host_batches, %k: !host_batches, %v: !host_batches,
                                    %scale: f32, %y: !host_batches, %lse: !host_rows_of_batches) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant false
  %batches = memref.dim %q, %c0 : !host_batches
  %n = memref.dim %q, %c1 : !host_batches
  %heads = memref.dim %q, %c2 : !host_batches
  scf.for %b = %c0 to %batches step %c1 {
    %qb = func.call @batch(%q, %b) : (!host_batches, index) -> !part
    %kb = func.call @batch(%k, %b) : (!host_batches, index) -> !part
    %vb = func.call @batch(%v, %b) : (!host_batches, index) -> !part
    %yb = func.call @batch(%y, %b) : (!host_batches, index) -> !part
    %lb = memref.subview %lse[%b, 0, 0] [1, %heads, %n] [1, 1, 1]
        : !host_rows_of_batches to !sums
    func.call @reference(%qb, %kb, %vb, %scale, %yb, %lb, %no)
        : (!part, !part, !part, f32, !part, !sums, i1) -> ()
  }
  return
}

!host_triples = memref<?x3x?x128xbf16>
func.func @attention_qkv_reference(%qkv: !host_triples, %scale: f32, %y: !host, %lse: !host_rows) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %yes = arith.constant true
  %n = memref.dim %qkv, %c0 : !host_triples
  %heads = memref.dim %qkv, %c2 : !host_triples
  %q_dense = memref.subview %qkv[0, %c0, 0, 0] [%n, 1, %heads, 128] [1, 1, 1, 1]
      : !host_triples to !dense
  %q = memref.cast %q_dense : !dense to !part
  %k_dense = memref.subview %qkv[0, %c1, 0, 0] [%n, 1, %heads, 128] [1, 1, 1, 1]
      : !host_triples to !dense
  %k = memref.cast %k_dense : !dense to !part
  %v_dense = memref.subview %qkv[0, %c2, 0, 0] [%n, 1, %heads, 128] [1, 1, 1, 1]
      : !host_triples to !dense
  %v = memref.cast %v_dense : !dense to !part
  %ys = memref.cast %y : !host to !part
  %sums = memref.cast %lse : !host_rows to !sums
  func.call @reference(%q, %k, %v, %scale, %ys, %sums, %yes)
      : (!part, !part, !part, f32, !part, !sums, i1) -> ()
  return
}

!host_pairs = memref<?x?x2x128xbf16>
func.func @attention_kv_reference(%q: !host, %kv: !host_pairs, %scale: f32, %y: !host,
                                  %lse: !host_rows) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant false
  %n = memref.dim %kv, %c0 : !host_pairs
  %groups = memref.dim %kv, %c1 : !host_pairs
  %k_apart = memref.subview %kv[0, 0, %c0, 0] [%n, %groups, 1, 128] [1, 1, 1, 1]
      : !host_pairs to !apart
  %k = memref.cast %k_apart : !apart to !part
  %v_apart = memref.subview %kv[0, 0, %c1, 0] [%n, %groups, 1, 128] [1, 1, 1, 1]
      : !host_pairs to !apart
  %v = memref.cast %v_apart : !apart to !part
  %qs = memref.cast %q : !host to !part
  %ys = memref.cast %y : !host to !part
  %sums = memref.cast %lse : !host_rows to !sums
  func.call @reference(%qs, %k, %v, %scale, %ys, %sums, %no)
      : (!part, !part, !part, f32, !part, !sums, i1) -> ()
  return
}
