// Attention of 8-bit floats, forward: the loop of @attention in attention.mlir, with heads of 128
// elements of f8E4M3FN and results of bf16. `scale` is the softmax's scale times those of q and k, and
// `of_values` the scale of v.
//
// Instructions read both factors of 8-bit floats along k, so that v has the positions of a head's
// element as a row: the caller transposes it. Weights are computed times 2^8, since the largest number
// of their type is 448, and so are their sums; with the bound of 448, conversions needn't look for
// larger ones. In a block of 256, a thread has registers for the sums of both products, and for those
// that it adds the second one's to, all 128 keys, since sums of 8-bit floats are not as precise.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#transposed = {indexing_maps = [#mk, #nk, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
#scale = #carousel.argument<"scale", in>
#of_values = #carousel.argument<"of_values", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [ceildiv(extent(0, 1), 128), extent(0, 0)], block = [256]>

!heads = memref<?x?x128xf8E4M3FN, #gl>
!values = memref<?x128x?xf8E4M3FN, strided<[?, ?, 1], offset: ?>, #gl>
!results = memref<?x?x128xbf16, #gl>
!rows = memref<?x?xf32, #gl>
!tile = vector<128x128xf8E4M3FN>
!square = vector<128x128xf32>
!row = vector<128xf32>

gpu.module @attention_fp8 {
  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !square {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !square
    return %all : !square
  }

  // Adds a tile of keys and values: the maxima, sums and results of the rows after it.
  func.func private @add(%s: !square, %v: !tile, %scale: f32, %max: !row, %sum: !row, %y: !square)
      -> (!row, !row, !square) {
    %scales_row = vector.broadcast %scale : f32 to !row
    %max2 = vector.multi_reduction <maxnumf>, %s, %max [1] : !square to !row
    %scaled = arith.mulf %max2, %scales_row : !row
    %negated = arith.negf %scaled : !row
    %scales = vector.broadcast %scale : f32 to !square
    %eight = arith.constant dense<8.0> : !row
    %start = arith.addf %negated, %eight : !row
    %wide = func.call @spread(%start) : (!row) -> !square
    %below = math.fma %s, %scales, %wide : !square
    %p = math.exp2 %below fastmath<afn> : !square
    %change = math.fma %max, %scales_row, %negated : !row
    %factor = math.exp2 %change fastmath<afn> : !row
    %corrected = arith.mulf %sum, %factor : !row
    %sum2 = vector.multi_reduction <add>, %p, %corrected [1] : !square to !row
    %largest = arith.constant dense<448.0> : !square
    %most = arith.minimumf %p, %largest : !square
    %p8 = arith.truncf %most : !square to !tile
    %zeros = arith.constant dense<0.0> : !square
    %part = vector.contract #transposed %p8, %v, %zeros : !tile, !tile into !square
    %factors = func.call @spread(%factor) : (!row) -> !square
    %y2 = math.fma %y, %factors, %part : !square
    return %max2, %sum2, %y2 : !row, !row, !square
  }

  func.func private @write(%max: !row, %sum: !row, %y: !square, %scale: f32, %of_values: f32,
                           %out: !results, %lse: !rows, %h: index, %i: index) {
    %c0 = arith.constant 0 : index
    %none = arith.constant dense<0.0> : !row
    %one = arith.constant dense<1.0> : !row
    // log(2^8)
    %eight = arith.constant dense<5.54517744> : !row
    // A row without keys has a result of zeros, and the logarithm -inf.
    %is_empty = arith.cmpf oeq, %sum, %none : !row
    %divisor = arith.select %is_empty, %one, %sum : vector<128xi1>, !row
    %own = vector.broadcast %of_values : f32 to !row
    %inverse = arith.divf %own, %divisor : !row
    %inverses = func.call @spread(%inverse) : (!row) -> !square
    %whole = arith.mulf %y, %inverses : !square
    %y16 = arith.truncf %whole : !square to vector<128x128xbf16>
    vector.transfer_write %y16, %out[%h, %i, %c0] : vector<128x128xbf16>, !results
    %log = math.log %sum : !row
    %scales = vector.broadcast %scale : f32 to !row
    %result = math.fma %max, %scales, %log : !row
    %less = arith.subf %result, %eight : !row
    vector.transfer_write %less, %lse[%h, %i] : !row, !rows
    return
  }

  gpu.func @attention_fp8(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !values {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %of_values: f32 {carousel.argument = #of_values}, %y: !results {carousel.argument = #y},
      %lse: !rows {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #programs} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : f8E4M3FN
    %log2e = arith.constant 1.44269504 : f32
    %low = arith.constant dense<-1.0e30> : !row
    %no = arith.constant dense<0.0> : !row
    %zeros = arith.constant dense<0.0> : !square
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c1 : !heads
    %scale2 = arith.mulf %scale, %log2e : f32
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %r:3 = scf.for %j = %c0 to %n step %c128 iter_args(%max = %low, %sum = %no, %acc = %zeros)
        -> (!row, !row, !square) {
      %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
      %vt = vector.transfer_read %v[%h, %c0, %j], %pad : !values, !tile
      %s = vector.contract #transposed %qt, %kt, %zeros : !tile, !tile into !square
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
          : (!square, !tile, f32, !row, !row, !square) -> (!row, !row, !square)
      scf.yield %next#0, %next#1, %next#2 : !row, !row, !square
    } {carousel.pipeline = #carousel.pipeline<>}
    func.call @write(%r#0, %r#1, %r#2, %scale, %of_values, %y, %lse, %h, %i)
        : (!row, !row, !square, f32, f32, !results, !rows, index, index) -> ()
    gpu.return
  }
}

// In f64.
!host = memref<?x?x128xf8E4M3FN>
func.func @attention_fp8_reference(%q: !host, %k: !host, %v: memref<?x128x?xf8E4M3FN>, %scale: f32,
                                   %of_values: f32, %y: memref<?x?x128xbf16>,
                                   %lse: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %heads = memref.dim %q, %c0 : !host
  %n = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %factor = arith.extf %scale : f32 to f64
  %own = arith.extf %of_values : f32 to f64
  %weights = memref.alloc(%keys) : memref<?xf64>
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %sum = scf.for %j = %c0 to %keys step %c1 iter_args(%l = %zero) -> (f64) {
        %s = scf.for %d = %c0 to %c128 step %c1 iter_args(%t = %zero) -> (f64) {
          %q8 = memref.load %q[%h, %i, %d] : !host
          %k8 = memref.load %k[%h, %j, %d] : !host
          %q64 = arith.extf %q8 : f8E4M3FN to f64
          %k64 = arith.extf %k8 : f8E4M3FN to f64
          %next = math.fma %q64, %k64, %t : f64
          scf.yield %next : f64
        }
        %scaled = arith.mulf %s, %factor : f64
        %p = math.exp %scaled : f64
        memref.store %p, %weights[%j] : memref<?xf64>
        %next = arith.addf %l, %p : f64
        scf.yield %next : f64
      }
      %is_empty = arith.cmpf oeq, %sum, %zero : f64
      %one = arith.constant 1.0 : f64
      %divisor = arith.select %is_empty, %one, %sum : f64
      scf.for %e = %c0 to %c128 step %c1 {
        %o = scf.for %j = %c0 to %keys step %c1 iter_args(%t = %zero) -> (f64) {
          %p = memref.load %weights[%j] : memref<?xf64>
          %v8 = memref.load %v[%h, %e, %j] : memref<?x128x?xf8E4M3FN>
          %v64 = arith.extf %v8 : f8E4M3FN to f64
          %next = math.fma %p, %v64, %t : f64
          scf.yield %next : f64
        }
        %whole = arith.divf %o, %divisor : f64
        %scaled = arith.mulf %whole, %own : f64
        %y16 = arith.truncf %scaled : f64 to bf16
        memref.store %y16, %y[%h, %i, %e] : memref<?x?x128xbf16>
      }
      %log = math.log %sum : f64
      %log32 = arith.truncf %log : f64 to f32
      memref.store %log32, %lse[%h, %i] : memref<?x?xf32>
    }
  }
  memref.dealloc %weights : memref<?xf64>
  return
}
