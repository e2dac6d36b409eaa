// Attention of wide heads, forward: the loop of @attention in attention.mlir with tiles of 64 keys,
// so that a thread has registers for the sums of 256 columns, and a CTA has shared memory for two
// tiles.
//
// - @attention_256: heads of 256 elements.
// - @attention_192_128: queries and keys of 192 elements, values of 128. Queries and keys are taken
//   in parts of 128 + 64 (--carousel-split-extents).

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
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)]>

!heads_128 = memref<?x?x128xbf16, #gl>
!heads_192 = memref<?x?x192xbf16, #gl>
!heads_256 = memref<?x?x256xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!scores = vector<128x64xf32>
!weights = vector<128x64xbf16>
!row = vector<128xf32>

gpu.module @attention_wide {
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
  func.func private @spread_128(%row: !row) -> vector<128x128xf32> {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to vector<128x128xf32>
    return %all : vector<128x128xf32>
  }

  // A number of each row, in all columns of the result.
  func.func private @spread_256(%row: !row) -> vector<128x256xf32> {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to vector<128x256xf32>
    return %all : vector<128x256xf32>
  }

  gpu.func @attention_256(
      %q: !heads_256 {carousel.argument = #q}, %k: !heads_256 {carousel.argument = #k},
      %v: !heads_256 {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %y: !heads_256 {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %empty = arith.constant dense<0.0> : !scores
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads_256
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads_256, vector<128x256xbf16>
    %r:3 = scf.for %j = %c0 to %n step %c64 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, vector<128x256xf32>) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads_256, vector<64x256xbf16>
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads_256, vector<64x256xbf16>
      %s = vector.contract #scores %qt, %kt, %empty
          : vector<128x256xbf16>, vector<64x256xbf16> into !scores
      %left = arith.subi %n, %j : index
      %seen = func.call @see(%s, %left) : (!scores, index) -> !scores
      %p, %max2, %sum2, %factor = func.call @weigh(%seen, %scale, %max, %sum)
          : (!scores, f32, !row, !row) -> (!weights, !row, !row, !row)
      %factors = func.call @spread_256(%factor) : (!row) -> vector<128x256xf32>
      %less = arith.mulf %acc, %factors : vector<128x256xf32>
      %next = vector.contract #values %p, %vt, %less
          : !weights, vector<64x256xbf16> into vector<128x256xf32>
      scf.yield %max2, %sum2, %next : !row, !row, vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %inverse, %log = func.call @finish(%r#0, %r#1, %scale) : (!row, !row, f32) -> (!row, !row)
    %inverses = func.call @spread_256(%inverse) : (!row) -> vector<128x256xf32>
    %whole = arith.mulf %r#2, %inverses : vector<128x256xf32>
    %y16 = arith.truncf %whole : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %y16, %y[%h, %i, %c0] : vector<128x256xbf16>, !heads_256
    vector.transfer_write %log, %lse[%h, %i] : !row, !rows
    gpu.return
  }

  gpu.func @attention_192_128(
      %q: !heads_192 {carousel.argument = #q}, %k: !heads_192 {carousel.argument = #k},
      %v: !heads_128 {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %y: !heads_128 {carousel.argument = #y}, %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %low = arith.constant dense<0xF1800000> : !row
    %no = arith.constant dense<0.0> : !row
    %empty = arith.constant dense<0.0> : !scores
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads_192
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads_192, vector<128x192xbf16>
    %r:3 = scf.for %j = %c0 to %n step %c64 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, vector<128x128xf32>) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads_192, vector<64x192xbf16>
      %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads_128, vector<64x128xbf16>
      %s = vector.contract #scores %qt, %kt, %empty
          : vector<128x192xbf16>, vector<64x192xbf16> into !scores
      %left = arith.subi %n, %j : index
      %seen = func.call @see(%s, %left) : (!scores, index) -> !scores
      %p, %max2, %sum2, %factor = func.call @weigh(%seen, %scale, %max, %sum)
          : (!scores, f32, !row, !row) -> (!weights, !row, !row, !row)
      %factors = func.call @spread_128(%factor) : (!row) -> vector<128x128xf32>
      %less = arith.mulf %acc, %factors : vector<128x128xf32>
      %next = vector.contract #values %p, %vt, %less
          : !weights, vector<64x128xbf16> into vector<128x128xf32>
      scf.yield %max2, %sum2, %next : !row, !row, vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %inverse, %log = func.call @finish(%r#0, %r#1, %scale) : (!row, !row, f32) -> (!row, !row)
    %inverses = func.call @spread_128(%inverse) : (!row) -> vector<128x128xf32>
    %whole = arith.mulf %r#2, %inverses : vector<128x128xf32>
    %y16 = arith.truncf %whole : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %y16, %y[%h, %i, %c0] : vector<128x128xbf16>, !heads_128
    vector.transfer_write %log, %lse[%h, %i] : !row, !rows
    gpu.return
  }
}

// In f64.
!host = memref<?x?x?xbf16>
!stats = memref<?x?xf32>
func.func private @score(%q: !host, %k: !host, %h: index, %i: index, %j: index, %scale: f32)
    -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %elements = memref.dim %q, %c2 : !host
  %s = scf.for %d = %c0 to %elements step %c1 iter_args(%t = %zero) -> (f64) {
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

func.func private @attend(%q: !host, %k: !host, %v: !host, %scale: f32, %y: !host, %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %heads = memref.dim %q, %c0 : !host
  %rows = memref.dim %q, %c1 : !host
  %n = memref.dim %k, %c1 : !host
  %elements = memref.dim %v, %c2 : !host
  %weights = memref.alloc(%n) : memref<?xf64>
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      %sum = scf.for %j = %c0 to %n step %c1 iter_args(%l = %zero) -> (f64) {
        %s = func.call @score(%q, %k, %h, %i, %j, %scale)
            : (!host, !host, index, index, index, f32) -> f64
        %p = math.exp %s : f64
        memref.store %p, %weights[%j] : memref<?xf64>
        %next = arith.addf %l, %p : f64
        scf.yield %next : f64
      }
      // A row without keys has a result of zeros.
      %is_empty = arith.cmpf oeq, %sum, %zero : f64
      %one = arith.constant 1.0 : f64
      %divisor = arith.select %is_empty, %one, %sum : f64
      scf.for %e = %c0 to %elements step %c1 {
        %o = scf.for %j = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
          %p = memref.load %weights[%j] : memref<?xf64>
          %v16 = memref.load %v[%h, %j, %e] : !host
          %v64 = arith.extf %v16 : bf16 to f64
          %next = math.fma %p, %v64, %t : f64
          scf.yield %next : f64
        }
        %whole = arith.divf %o, %divisor : f64
        %y16 = arith.truncf %whole : f64 to bf16
        memref.store %y16, %y[%h, %i, %e] : !host
      }
      %log = math.log %sum : f64
      %log32 = arith.truncf %log : f64 to f32
      memref.store %log32, %lse[%h, %i] : !stats
    }
  }
  memref.dealloc %weights : memref<?xf64>
  return
}

func.func @attention_256_reference(%q: memref<?x?x256xbf16>, %k: memref<?x?x256xbf16>,
                                   %v: memref<?x?x256xbf16>, %scale: f32, %y: memref<?x?x256xbf16>,
                                   %lse: !stats) {
  %q2 = memref.cast %q : memref<?x?x256xbf16> to !host
  %k2 = memref.cast %k : memref<?x?x256xbf16> to !host
  %v2 = memref.cast %v : memref<?x?x256xbf16> to !host
  %y2 = memref.cast %y : memref<?x?x256xbf16> to !host
  call @attend(%q2, %k2, %v2, %scale, %y2, %lse) : (!host, !host, !host, f32, !host, !stats) -> ()
  return
}

func.func @attention_192_128_reference(%q: memref<?x?x192xbf16>, %k: memref<?x?x192xbf16>,
                                       %v: memref<?x?x128xbf16>, %scale: f32,
                                       %y: memref<?x?x128xbf16>, %lse: !stats) {
  %q2 = memref.cast %q : memref<?x?x192xbf16> to !host
  %k2 = memref.cast %k : memref<?x?x192xbf16> to !host
  %v2 = memref.cast %v : memref<?x?x128xbf16> to !host
  %y2 = memref.cast %y : memref<?x?x128xbf16> to !host
  call @attend(%q2, %k2, %v2, %scale, %y2, %lse) : (!host, !host, !host, f32, !host, !stats) -> ()
  return
}
