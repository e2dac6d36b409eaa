// The gradients of attention_64.mlir, of heads of 64 elements: the kernels of
// attention_backward.mlir, whose comments hold here, with tiles of half as many elements.

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
#y = #carousel.argument<"y", in>
#dy = #carousel.argument<"dy", in>
#lse = #carousel.argument<"lse", in>
#delta = #carousel.argument<"delta", in>
#written = #carousel.argument<"delta", out>
#scale = #carousel.argument<"scale", in>
#dq = #carousel.argument<"dq", out>
#dk = #carousel.argument<"dk", out>
#dv = #carousel.argument<"dv", out>
#program = #carousel.block_program<>
#of_keys = #carousel.launch<grid = [extent(1, 0), ceildiv(extent(1, 1), 128)]>
#of_queries = #carousel.launch<grid = [extent(0, 0), ceildiv(extent(0, 1), 128)]>
#from_end = affine_map<(b)[n] -> (n ceildiv 128 - 1 - b)>

!heads = memref<?x?x64xbf16, #gl>
!numbers = memref<?x?xf32, #gl>
!tile = vector<128x64xbf16>
!half = vector<64x64xbf16>
!weights = vector<128x64xbf16>
!sums = vector<128x64xf32>
!scores = vector<128x64xf32>
!row = vector<128xf32>
!short = vector<64xf32>
!places = vector<128x64xindex>

gpu.module @attention_backward_64 {
  gpu.func @delta_64(
      %y: !heads {carousel.argument = #y}, %dy: !heads {carousel.argument = #dy},
      %delta: !numbers {carousel.argument = #written})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 1), 64), extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : !short
    %block = gpu.block_id x
    %h = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%block)
    %yt = vector.transfer_read %y[%h, %i, %c0], %pad : !heads, !half
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !half
    %y32 = arith.extf %yt : !half to vector<64x64xf32>
    %dy32 = arith.extf %dyt : !half to vector<64x64xf32>
    %both = arith.mulf %y32, %dy32 : vector<64x64xf32>
    %sums = vector.multi_reduction <add>, %both, %none [1] : vector<64x64xf32> to !short
    vector.transfer_write %sums, %delta[%h, %i] : !short, !numbers
    gpu.return
  }

  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !scores {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !scores
    return %all : !scores
  }

  // p = exp(scale * s - lse), as a power of 2, from -log2(e) * lse.
  func.func private @weigh(%s: !scores, %scale: f32, %below: !scores) -> !scores {
    %log2e = arith.constant 1.44269504 : f32
    %scale2 = arith.mulf %scale, %log2e : f32
    %scales = vector.broadcast %scale2 : f32 to !scores
    %power = math.fma %s, %scales, %below : !scores
    %p = math.exp2 %power fastmath<afn> : !scores
    return %p : !scores
  }

  // ds = p * (dp - delta), in bf16.
  func.func private @differentiate(%p: !scores, %dp: !scores, %delta: !scores) -> !weights {
    %change = arith.subf %dp, %delta : !scores
    %ds = arith.mulf %p, %change : !scores
    %ds16 = arith.truncf %ds : !scores to !weights
    return %ds16 : !weights
  }

  // The scores where a row is at most `ahead` after its column, and the least of all numbers.
  func.func private @mask_queries(%s: !scores, %ahead: index) -> !scores {
    %least = arith.constant dense<0xFF800000> : !scores
    %keys = vector.step : vector<128xindex>
    %tall = vector.shape_cast %keys : vector<128xindex> to vector<128x1xindex>
    %steps = vector.step : vector<64xindex>
    %aheads = vector.broadcast %ahead : index to vector<64xindex>
    %queries = arith.addi %steps, %aheads : vector<64xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to !places
    %columns = vector.broadcast %queries : vector<64xindex> to !places
    %is_seen = arith.cmpi sle, %rows, %columns : !places
    %seen = arith.select %is_seen, %s, %least : vector<128x64xi1>, !scores
    return %seen : !scores
  }

  // The scores where a column is at most `back` after its row, and the least of all numbers.
  func.func private @mask_keys(%s: !scores, %back: index) -> !scores {
    %least = arith.constant dense<0xFF800000> : !scores
    %steps = vector.step : vector<128xindex>
    %backs = vector.broadcast %back : index to vector<128xindex>
    %queries = arith.addi %steps, %backs : vector<128xindex>
    %tall = vector.shape_cast %queries : vector<128xindex> to vector<128x1xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to !places
    %keys = vector.step : vector<64xindex>
    %columns = vector.broadcast %keys : vector<64xindex> to !places
    %is_seen = arith.cmpi sle, %columns, %rows : !places
    %seen = arith.select %is_seen, %s, %least : vector<128x64xi1>, !scores
    return %seen : !scores
  }

  // Adds 64 queries from row `i` on, which is `ahead` of the first key, to dk and dv.
  func.func private @add_queries(
      %q: !heads, %dy: !heads, %lse: !numbers, %delta: !numbers, %h: index, %i: index,
      %ahead: index, %k: !tile, %v: !tile, %scale: f32, %dk: !sums, %dv: !sums)
      -> (!sums, !sums) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %factors = arith.constant dense<-1.44269504> : !short
    %zeros = arith.constant dense<0.0> : !scores
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !half
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !half
    %s = vector.contract #scores %k, %qt, %zeros : !tile, !half into !scores
    %dp = vector.contract #scores %v, %dyt, %zeros : !tile, !half into !scores
    %is_partial = arith.cmpi slt, %ahead, %c128 : index
    %seen = scf.if %is_partial -> (!scores) {
      %some = func.call @mask_queries(%s, %ahead) : (!scores, index) -> !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    %lset = vector.transfer_read %lse[%h, %i], %none : !numbers, !short
    %below = arith.mulf %lset, %factors : !short
    %belows = vector.broadcast %below : !short to !scores
    %p = func.call @weigh(%seen, %scale, %belows) : (!scores, f32, !scores) -> !scores
    %deltat = vector.transfer_read %delta[%h, %i], %none : !numbers, !short
    %deltas = vector.broadcast %deltat : !short to !scores
    %ds16 = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !weights
    %p16 = arith.truncf %p : !scores to !weights
    %dv_next = vector.contract #values %p16, %dyt, %dv : !weights, !half into !sums
    %dk_next = vector.contract #values %ds16, %qt, %dk : !weights, !half into !sums
    return %dk_next, %dv_next : !sums, !sums
  }

  // Adds 64 keys, whose scores are `s`, to dq.
  func.func private @add_keys(%s: !scores, %dp: !scores, %k: !half, %below: !row,
                              %delta: !row, %scale: f32, %dq: !sums) -> !sums {
    %belows = func.call @spread(%below) : (!row) -> !scores
    %p = func.call @weigh(%s, %scale, %belows) : (!scores, f32, !scores) -> !scores
    %deltas = func.call @spread(%delta) : (!row) -> !scores
    %ds16 = func.call @differentiate(%p, %dp, %deltas) : (!scores, !scores, !scores) -> !weights
    %next = vector.contract #values %ds16, %k, %dq : !weights, !half into !sums
    return %next : !sums
  }

  func.func private @write(%sum: !sums, %to: !heads, %h: index, %i: index) {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %sum : !sums to !tile
    vector.transfer_write %rounded, %to[%h, %i, %c0] : !tile, !heads
    return
  }

  func.func private @scale(%sum: !sums, %scale: f32) -> !sums {
    %scales = vector.broadcast %scale : f32 to !sums
    %scaled = arith.mulf %sum, %scales : !sums
    return %scaled : !sums
  }

  // The scores of keys that there are, and the least of all numbers.
  func.func private @see_first(%s: !scores, %left: index) -> !scores {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
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

  // The scores of keys up to the row's own, if the first row is `back` behind the first key.
  func.func private @see_own(%s: !scores, %back: index) -> !scores {
    %c0 = arith.constant 0 : index
    %is_own = arith.cmpi sle, %back, %c0 : index
    %seen = scf.if %is_own -> (!scores) {
      %some = func.call @mask_keys(%s, %back) : (!scores, index) -> !scores
      scf.yield %some : !scores
    } else {
      scf.yield %s : !scores
    }
    return %seen : !scores
  }

  // How many heads of q share a head of k and v.
  func.func private @count_heads(%q: !heads, %k: !heads) -> index {
    %c0 = arith.constant 0 : index
    %heads = memref.dim %q, %c0 : !heads
    %groups = memref.dim %k, %c0 : !heads
    %count = arith.divui %heads, %groups : index
    return %count : index
  }

  gpu.func @attention_dkv_64(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dk: !heads {carousel.argument = #dk},
      %dv: !heads {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %n = memref.dim %q, %c1 : !heads
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %first = arith.muli %h, %count : index
    %last = arith.addi %first, %count : index
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!sums, !sums) {
      %of_g:2 = scf.for %i = %c0 to %n step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!sums, !sums) {
        %next:2 = func.call @add_queries(
            %q, %dy, %lse, %delta, %g, %i, %c128, %kt, %vt, %scale, %dk_i, %dv_i)
            : (!heads, !heads, !numbers, !numbers, index, index, index, !tile, !tile, f32,
               !sums, !sums) -> (!sums, !sums)
        scf.yield %next#0, %next#1 : !sums, !sums
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !sums, !sums
    }
    %dks = func.call @scale(%r#0, %scale) : (!sums, f32) -> !sums
    func.call @write(%dks, %dk, %h, %j) : (!sums, !heads, index, index) -> ()
    func.call @write(%r#1, %dv, %h, %j) : (!sums, !heads, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dkv_causal_64(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dk: !heads {carousel.argument = #dk},
      %dv: !heads {carousel.argument = #dv})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_keys} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id x
    %block = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%block)
    %n = memref.dim %q, %c1 : !heads
    %kt = vector.transfer_read %k[%h, %j, %c0], %pad : !heads, !tile
    %vt = vector.transfer_read %v[%h, %j, %c0], %pad : !heads, !tile
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %first = arith.muli %h, %count : index
    %last = arith.addi %first, %count : index
    %r:2 = scf.for %g = %first to %last step %c1 iter_args(%dk_g = %zeros, %dv_g = %zeros)
        -> (!sums, !sums) {
      %of_g:2 = scf.for %i = %j to %n step %c64 iter_args(%dk_i = %dk_g, %dv_i = %dv_g)
          -> (!sums, !sums) {
        %ahead = arith.subi %i, %j : index
        %next:2 = func.call @add_queries(
            %q, %dy, %lse, %delta, %g, %i, %ahead, %kt, %vt, %scale, %dk_i, %dv_i)
            : (!heads, !heads, !numbers, !numbers, index, index, index, !tile, !tile, f32,
               !sums, !sums) -> (!sums, !sums)
        scf.yield %next#0, %next#1 : !sums, !sums
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %of_g#0, %of_g#1 : !sums, !sums
    }
    %dks = func.call @scale(%r#0, %scale) : (!sums, f32) -> !sums
    func.call @write(%dks, %dk, %h, %j) : (!sums, !heads, index, index) -> ()
    func.call @write(%r#1, %dv, %h, %j) : (!sums, !heads, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dq_64(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %factors = arith.constant dense<-1.44269504> : !row
    %empty = arith.constant dense<0.0> : !scores
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id x
    %block = gpu.block_id y
    %n = memref.dim %k, %c1 : !heads
    %i = arith.muli %block, %c128 : index
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %g = arith.divui %h, %count : index
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !tile
    %lset = vector.transfer_read %lse[%h, %i], %none : !numbers, !row
    %below = arith.mulf %lset, %factors : !row
    %deltat = vector.transfer_read %delta[%h, %i], %none : !numbers, !row
    %sum = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !half
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !half
      %s = vector.contract #scores %qt, %kt, %empty : !tile, !half into !scores
      %dp = vector.contract #scores %dyt, %vt, %empty : !tile, !half into !scores
      %left = arith.subi %n, %j : index
      %seen = func.call @see_first(%s, %left) : (!scores, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !sums) -> !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %dqs = func.call @scale(%sum, %scale) : (!sums, f32) -> !sums
    func.call @write(%dqs, %dq, %h, %i) : (!sums, !heads, index, index) -> ()
    gpu.return
  }

  gpu.func @attention_dq_causal_64(
      %q: !heads {carousel.argument = #q}, %k: !heads {carousel.argument = #k},
      %v: !heads {carousel.argument = #v}, %dy: !heads {carousel.argument = #dy},
      %lse: !numbers {carousel.argument = #lse}, %delta: !numbers {carousel.argument = #delta},
      %scale: f32 {carousel.argument = #scale}, %dq: !heads {carousel.argument = #dq})
      kernel attributes {carousel.block_program = #program, carousel.launch = #of_queries} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %factors = arith.constant dense<-1.44269504> : !row
    %empty = arith.constant dense<0.0> : !scores
    %zeros = arith.constant dense<0.0> : !sums
    %h = gpu.block_id x
    %later = gpu.block_id y
    %n = memref.dim %k, %c1 : !heads
    // The longest rows first. Never negative, so that engines may write from there on.
    %block = affine.apply #from_end(%later)[%n]
    %number = arith.maxsi %block, %c0 : index
    %i = arith.muli %number, %c128 : index
    %end = affine.min affine_map<(d)[n] -> (d + 128, n)>(%i)[%n]
    %count = func.call @count_heads(%q, %k) : (!heads, !heads) -> index
    %g = arith.divui %h, %count : index
    %qt = vector.transfer_read %q[%h, %i, %c0], %pad : !heads, !tile
    %dyt = vector.transfer_read %dy[%h, %i, %c0], %pad : !heads, !tile
    %lset = vector.transfer_read %lse[%h, %i], %none : !numbers, !row
    %below = arith.mulf %lset, %factors : !row
    %deltat = vector.transfer_read %delta[%h, %i], %none : !numbers, !row
    %sum = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %kt = vector.transfer_read %k[%g, %j, %c0], %pad : !heads, !half
      %vt = vector.transfer_read %v[%g, %j, %c0], %pad : !heads, !half
      %s = vector.contract #scores %qt, %kt, %empty : !tile, !half into !scores
      %dp = vector.contract #scores %dyt, %vt, %empty : !tile, !half into !scores
      %back = arith.subi %i, %j : index
      %seen = func.call @see_own(%s, %back) : (!scores, index) -> !scores
      %next = func.call @add_keys(%seen, %dp, %kt, %below, %deltat, %scale, %acc)
          : (!scores, !scores, !half, !row, !row, f32, !sums) -> !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %dqs = func.call @scale(%sum, %scale) : (!sums, f32) -> !sums
    func.call @write(%dqs, %dq, %h, %i) : (!sums, !heads, index, index) -> ()
    gpu.return
  }
}

// In f64: adds the gradients to dq, dk and dv.
!host = memref<?x?x64xbf16>
!wide = memref<?x?x64xf64>
!stats = memref<?x?xf32>
func.func private @dot(%a: !host, %b: !host, %g: index, %h: index, %i: index, %j: index) -> f64 {
  %c0 = arith.constant 0 : index
  %a16 = vector.load %a[%g, %i, %c0] : !host, vector<64xbf16>
  %b16 = vector.load %b[%h, %j, %c0] : !host, vector<64xbf16>
  %a64 = arith.extf %a16 : vector<64xbf16> to vector<64xf64>
  %b64 = arith.extf %b16 : vector<64xbf16> to vector<64xf64>
  %products = arith.mulf %a64, %b64 : vector<64xf64>
  %sum = vector.reduction <add>, %products : vector<64xf64> into f64
  return %sum : f64
}

// Adds `factor` times a row of `from`.
func.func private @add(%factor: f64, %from: !host, %g: index, %i: index, %to: !wide, %h: index,
                       %j: index) {
  %c0 = arith.constant 0 : index
  %from16 = vector.load %from[%g, %i, %c0] : !host, vector<64xbf16>
  %from64 = arith.extf %from16 : vector<64xbf16> to vector<64xf64>
  %before = vector.load %to[%h, %j, %c0] : !wide, vector<64xf64>
  %factors = vector.broadcast %factor : f64 to vector<64xf64>
  %after = math.fma %factors, %from64, %before : vector<64xf64>
  vector.store %after, %to[%h, %j, %c0] : !wide, vector<64xf64>
  return
}

func.func private @differentiate(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats,
                                 %delta: !stats, %scale: f32, %is_causal: i1, %dq: !wide,
                                 %dk: !wide, %dv: !wide) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %q, %c0 : !host
  %groups = memref.dim %k, %c0 : !host
  %rows = memref.dim %q, %c1 : !host
  %keys = memref.dim %k, %c1 : !host
  %count = arith.divui %heads, %groups : index
  %factor = arith.extf %scale : f32 to f64
  scf.for %h = %c0 to %heads step %c1 {
    %g = arith.divui %h, %count : index
    scf.for %i = %c0 to %rows step %c1 {
      %lse32 = memref.load %lse[%h, %i] : !stats
      %lse64 = arith.extf %lse32 : f32 to f64
      %delta32 = memref.load %delta[%h, %i] : !stats
      %delta64 = arith.extf %delta32 : f32 to f64
      %after = arith.addi %i, %c1 : index
      %end = arith.select %is_causal, %after, %keys : index
      scf.for %j = %c0 to %end step %c1 {
        %s = func.call @dot(%q, %k, %h, %g, %i, %j)
            : (!host, !host, index, index, index, index) -> f64
        %scaled = arith.mulf %s, %factor : f64
        %below = arith.subf %scaled, %lse64 : f64
        %p = math.exp %below : f64
        %dp = func.call @dot(%dy, %v, %h, %g, %i, %j)
            : (!host, !host, index, index, index, index) -> f64
        %change = arith.subf %dp, %delta64 : f64
        %ds = arith.mulf %p, %change : f64
        %by_scale = arith.mulf %ds, %factor : f64
        func.call @add(%p, %dy, %h, %i, %dv, %g, %j)
            : (f64, !host, index, index, !wide, index, index) -> ()
        func.call @add(%by_scale, %q, %h, %i, %dk, %g, %j)
            : (f64, !host, index, index, !wide, index, index) -> ()
        func.call @add(%by_scale, %k, %g, %j, %dq, %h, %i)
            : (f64, !host, index, index, !wide, index, index) -> ()
      }
    }
  }
  return
}

// Zeros of the extents of another memref.
func.func private @allocate(%like: !host) -> !wide {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : vector<64xf64>
  %heads = memref.dim %like, %c0 : !host
  %rows = memref.dim %like, %c1 : !host
  %sums = memref.alloc(%heads, %rows) : !wide
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      vector.store %zeros, %sums[%h, %i, %c0] : !wide, vector<64xf64>
    }
  }
  return %sums : !wide
}

func.func private @round(%from: !wide, %to: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %to, %c0 : !host
  %rows = memref.dim %to, %c1 : !host
  scf.for %h = %c0 to %heads step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      %row = vector.load %from[%h, %i, %c0] : !wide, vector<64xf64>
      %rounded = arith.truncf %row : vector<64xf64> to vector<64xbf16>
      vector.store %rounded, %to[%h, %i, %c0] : !host, vector<64xbf16>
    }
  }
  return
}

func.func private @dkv(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                       %scale: f32, %dk: !host, %dv: !host, %is_causal: i1) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %is_causal, %dq64, %dk64, %dv64)
      : (!host, !host, !host, !host, !stats, !stats, f32, i1, !wide, !wide, !wide) -> ()
  call @round(%dk64, %dk) : (!wide, !host) -> ()
  call @round(%dv64, %dv) : (!wide, !host) -> ()
  return
}

func.func private @dq(%q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
                      %scale: f32, %dq: !host, %is_causal: i1) {
  %dq64 = call @allocate(%q) : (!host) -> !wide
  %dk64 = call @allocate(%k) : (!host) -> !wide
  %dv64 = call @allocate(%v) : (!host) -> !wide
  call @differentiate(%q, %k, %v, %dy, %lse, %delta, %scale, %is_causal, %dq64, %dk64, %dv64)
      : (!host, !host, !host, !host, !stats, !stats, f32, i1, !wide, !wide, !wide) -> ()
  call @round(%dq64, %dq) : (!wide, !host) -> ()
  return
}

func.func @attention_dkv_64_reference(
    %q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
    %scale: f32, %dk: !host, %dv: !host) {
  %is_causal = arith.constant false
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %dk, %dv, %is_causal)
      : (!host, !host, !host, !host, !stats, !stats, f32, !host, !host, i1) -> ()
  return
}

func.func @attention_dq_64_reference(
    %q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
    %scale: f32, %dq: !host) {
  %is_causal = arith.constant false
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %dq, %is_causal)
      : (!host, !host, !host, !host, !stats, !stats, f32, !host, i1) -> ()
  return
}

func.func @attention_dkv_causal_64_reference(
    %q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
    %scale: f32, %dk: !host, %dv: !host) {
  %is_causal = arith.constant true
  call @dkv(%q, %k, %v, %dy, %lse, %delta, %scale, %dk, %dv, %is_causal)
      : (!host, !host, !host, !host, !stats, !stats, f32, !host, !host, i1) -> ()
  return
}

func.func @attention_dq_causal_64_reference(
    %q: !host, %k: !host, %v: !host, %dy: !host, %lse: !stats, %delta: !stats,
    %scale: f32, %dq: !host) {
  %is_causal = arith.constant true
  call @dq(%q, %k, %v, %dy, %lse, %delta, %scale, %dq, %is_causal)
      : (!host, !host, !host, !host, !stats, !stats, f32, !host, i1) -> ()
  return
}
