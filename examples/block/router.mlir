// The router of a mixture of experts (experts.mlir): each token goes to the two experts with the
// largest logits x * w, of at most 64. It makes the lists that @up and @down take: rows sorted by
// expert, and for one expert by token.
//
// - @choose: for each token the two experts, the larger logit first and of equal ones the first
//   expert; the softmax of the two logits; and how often each expert is chosen by the 64 tokens of a
//   program. Choice 2 * t + c is choice c of token t.
// - @count: `before`, how often an expert is chosen by programs before, and `offsets`, where the rows
//   of an expert begin. One program adds the counts of 64 programs by a product with a triangle.
// - @place: choice i becomes row r = offsets[expert] + before + (choices of the expert before it in
//   the program): token[r] = i / 2, to[r] = i, scale[r] = weight[i].

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#expert_out = #carousel.argument<"expert", out>
#weight_out = #carousel.argument<"weight", out>
#counts_out = #carousel.argument<"counts", out>
#expert = #carousel.argument<"expert", in>
#weight = #carousel.argument<"weight", in>
#counts = #carousel.argument<"counts", in>
#before_out = #carousel.argument<"before", out>
#offsets_out = #carousel.argument<"offsets", out>
#before = #carousel.argument<"before", in>
#offsets = #carousel.argument<"offsets", in>
#token = #carousel.argument<"token", out>
#to = #carousel.argument<"to", out>
#scale = #carousel.argument<"scale", out>
#program = #carousel.block_program<>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!experts = memref<?x2xi32, #gl>
!weights = memref<?x2xf32, #gl>
!counts = memref<?x64xi32, #gl>
!numbers = memref<?xi32, #gl>
!floats = memref<?xf32, #gl>
!rows = memref<?xi64, #gl>
!tile = vector<64x64xbf16>
!logits = vector<64x64xf32>
!ids = vector<64x64xi32>
!line = vector<64xf32>
!line32 = vector<64xi32>
!choices = vector<128xi32>
!pairs = vector<128x128xi32>

gpu.module @experts {
  // The largest logit of each row, the first column that has it, and the other logits.
  func.func private @largest(%z: !logits) -> (!line, !line32, !logits) {
    %least = arith.constant dense<0xFF800000> : !logits
    %low = arith.constant dense<0xFF800000> : !line
    %many = arith.constant dense<64> : !ids
    %most = arith.constant dense<64> : !line32
    %steps = vector.step : vector<64xindex>
    %steps32 = arith.index_cast %steps : vector<64xindex> to !line32
    %columns = vector.broadcast %steps32 : !line32 to !ids
    %max = vector.multi_reduction <maxnumf>, %z, %low [1] : !logits to !line
    %tall = vector.shape_cast %max : !line to vector<64x1xf32>
    %all = vector.broadcast %tall : vector<64x1xf32> to !logits
    %is_max = arith.cmpf oge, %z, %all : !logits
    %candidates = arith.select %is_max, %columns, %many : vector<64x64xi1>, !ids
    %at = vector.multi_reduction <minui>, %candidates, %most [1] : !ids to !line32
    %tall_at = vector.shape_cast %at : !line32 to vector<64x1xi32>
    %all_at = vector.broadcast %tall_at : vector<64x1xi32> to !ids
    %is_it = arith.cmpi eq, %columns, %all_at : !ids
    %others = arith.select %is_it, %least, %z : vector<64x64xi1>, !logits
    return %max, %at, %others : !line, !line32, !logits
  }

  // Of two logits, the larger one first.
  func.func private @softmax(%z0: !line, %z1: !line) -> (!line, !line) {
    %one = arith.constant dense<1.0> : !line
    %below = arith.subf %z1, %z0 : !line
    %e = math.exp %below fastmath<afn> : !line
    %both = arith.addf %e, %one : !line
    %w0 = arith.divf %one, %both : !line
    %w1 = arith.divf %e, %both : !line
    return %w0, %w1 : !line, !line
  }

  // How many of the first rows have each column.
  func.func private @tally(%at: !line32, %rows: index, %sums: !line32) -> !line32 {
    %c64 = arith.constant 64 : index
    %ones = arith.constant dense<1> : !ids
    %zeros = arith.constant dense<0> : !ids
    %steps = vector.step : vector<64xindex>
    %steps32 = arith.index_cast %steps : vector<64xindex> to !line32
    %columns = vector.broadcast %steps32 : !line32 to !ids
    %tall = vector.shape_cast %at : !line32 to vector<64x1xi32>
    %all = vector.broadcast %tall : vector<64x1xi32> to !ids
    %is_it = arith.cmpi eq, %columns, %all : !ids
    %mask = vector.create_mask %rows, %c64 : vector<64x64xi1>
    %counts = arith.andi %is_it, %mask : vector<64x64xi1>
    %marks = arith.select %counts, %ones, %zeros : vector<64x64xi1>, !ids
    %r = vector.multi_reduction <add>, %marks, %sums [0] : !ids to !line32
    return %r : !line32
  }

  // Of each row, the columns before it.
  func.func private @earlier() -> vector<128x128xi1> {
    %steps = vector.step : vector<128xindex>
    %columns = vector.broadcast %steps : vector<128xindex> to vector<128x128xindex>
    %tall = vector.shape_cast %steps : vector<128xindex> to vector<128x1xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to vector<128x128xindex>
    %r = arith.cmpi ult, %columns, %rows : vector<128x128xindex>
    return %r : vector<128x128xi1>
  }

  // A product with it adds what is in the rows before.
  func.func private @triangle() -> !tile {
    %zeros = arith.constant dense<0.0> : !tile
    %ones = arith.constant dense<1.0> : !tile
    %steps = vector.step : vector<64xindex>
    %columns = vector.broadcast %steps : vector<64xindex> to vector<64x64xindex>
    %tall = vector.shape_cast %steps : vector<64xindex> to vector<64x1xindex>
    %rows = vector.broadcast %tall : vector<64x1xindex> to vector<64x64xindex>
    %is_earlier = arith.cmpi ult, %columns, %rows : vector<64x64xindex>
    %r = arith.select %is_earlier, %ones, %zeros : vector<64x64xi1>, !tile
    return %r : !tile
  }

  // The sum of all elements before each.
  func.func private @begins(%counts: !line32) -> !choices {
    %none = arith.constant dense<0> : !choices
    %zeros = arith.constant dense<0> : vector<128x64xi32>
    %steps = vector.step : vector<128xindex>
    %tall = vector.shape_cast %steps : vector<128xindex> to vector<128x1xindex>
    %rows = vector.broadcast %tall : vector<128x1xindex> to vector<128x64xindex>
    %across = vector.step : vector<64xindex>
    %columns = vector.broadcast %across : vector<64xindex> to vector<128x64xindex>
    %is_earlier = arith.cmpi ult, %columns, %rows : vector<128x64xindex>
    %all = vector.broadcast %counts : !line32 to vector<128x64xi32>
    %taken = arith.select %is_earlier, %all, %zeros : vector<128x64xi1>, vector<128x64xi32>
    %r = vector.multi_reduction <add>, %taken, %none [1] : vector<128x64xi32> to !choices
    return %r : !choices
  }

  // How many choices before each are of the same expert.
  func.func private @rank(%e: !choices) -> !choices {
    %none = arith.constant dense<0> : !choices
    %zeros = arith.constant dense<0> : !pairs
    %ones = arith.constant dense<1> : !pairs
    %is_earlier = func.call @earlier() : () -> vector<128x128xi1>
    %others = vector.broadcast %e : !choices to !pairs
    %tall = vector.shape_cast %e : !choices to vector<128x1xi32>
    %own = vector.broadcast %tall : vector<128x1xi32> to !pairs
    %is_same = arith.cmpi eq, %own, %others : !pairs
    %counts = arith.andi %is_same, %is_earlier : vector<128x128xi1>
    %marks = arith.select %counts, %ones, %zeros : vector<128x128xi1>, !pairs
    %r = vector.multi_reduction <add>, %marks, %none [1] : !pairs to !choices
    return %r : !choices
  }

  gpu.func @choose(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %expert: !experts {carousel.argument = #expert_out},
      %weight: !weights {carousel.argument = #weight_out},
      %counts: !counts {carousel.argument = #counts_out})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !logits
    %none = arith.constant dense<0> : !line32
    %least = arith.constant dense<0xFF800000> : !logits
    %p = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 64)>(%p)
    %tokens = memref.dim %x, %c0 : !matrix
    %depth = memref.dim %x, %c1 : !matrix
    %experts = memref.dim %w, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!logits) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile
      %wt = vector.transfer_read %w[%k, %c0], %pad : !matrix, !tile
      %next = vector.contract #product %xt, %wt, %acc : !tile, !tile into !logits
      scf.yield %next : !logits
    } {carousel.pipeline = #carousel.pipeline<>}
    %mask = vector.create_mask %c64, %experts : vector<64x64xi1>
    %z = arith.select %mask, %sum, %least : vector<64x64xi1>, !logits
    %z0, %at0, %rest = func.call @largest(%z) : (!logits) -> (!line, !line32, !logits)
    %z1, %at1, %unused = func.call @largest(%rest) : (!logits) -> (!line, !line32, !logits)
    %w0, %w1 = func.call @softmax(%z0, %z1) : (!line, !line) -> (!line, !line)
    %at = vector.interleave %at0, %at1 : !line32 -> !choices
    %ws = vector.interleave %w0, %w1 : !line -> vector<128xf32>
    %at2 = vector.shape_cast %at : !choices to vector<64x2xi32>
    %ws2 = vector.shape_cast %ws : vector<128xf32> to vector<64x2xf32>
    vector.transfer_write %at2, %expert[%i, %c0] : vector<64x2xi32>, !experts
    vector.transfer_write %ws2, %weight[%i, %c0] : vector<64x2xf32>, !weights
    %left = arith.subi %tokens, %i : index
    %first = func.call @tally(%at0, %left, %none) : (!line32, index, !line32) -> !line32
    %all = func.call @tally(%at1, %left, %first) : (!line32, index, !line32) -> !line32
    vector.transfer_write %all, %counts[%p, %c0] : !line32, !counts
    gpu.return
  }

  gpu.func @count(
      %counts: !counts {carousel.argument = #counts},
      %before: !counts {carousel.argument = #before_out},
      %offsets: !numbers {carousel.argument = #offsets_out})
      kernel attributes {carousel.block_program = #program,
      carousel.launch = #carousel.launch<grid = [1], block = [512]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0 : i32
    %none = arith.constant dense<0> : !line32
    %zeros = arith.constant dense<0.0> : !logits
    %programs = memref.dim %counts, %c0 : !counts
    %triangle = func.call @triangle() : () -> !tile
    // Counts of up to 128 are numbers of bf16, and their sums of f32.
    %all = scf.for %p = %c0 to %programs step %c64 iter_args(%sum = %none) -> (!line32) {
      %own = vector.transfer_read %counts[%p, %c0], %pad : !counts, !ids
      %wide = arith.sitofp %own : !ids to !logits
      %own16 = arith.truncf %wide : !logits to !tile
      %earlier = vector.contract #product %triangle, %own16, %zeros : !tile, !tile into !logits
      %earlier32 = arith.fptosi %earlier : !logits to !ids
      %sums = vector.broadcast %sum : !line32 to !ids
      %starts = arith.addi %sums, %earlier32 : !ids
      vector.transfer_write %starts, %before[%p, %c0] : !ids, !counts
      %next = vector.multi_reduction <add>, %own, %sum [0] : !ids to !line32
      scf.yield %next : !line32
    }
    %begins = func.call @begins(%all) : (!line32) -> !choices
    vector.transfer_write %begins, %offsets[%c0] : !choices, !numbers
    gpu.return
  }

  gpu.func @place(
      %expert: !experts {carousel.argument = #expert},
      %weight: !weights {carousel.argument = #weight},
      %before: !counts {carousel.argument = #before},
      %offsets: !numbers {carousel.argument = #offsets},
      %token: !rows {carousel.argument = #token}, %to: !rows {carousel.argument = #to},
      %scale: !floats {carousel.argument = #scale})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0 : i32
    %none = arith.constant 0.0 : f32
    %no = arith.constant dense<0> : !choices
    %one = arith.constant dense<1> : vector<128xi64>
    %p = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 64)>(%p)
    %tokens = memref.dim %expert, %c0 : !experts
    %count = affine.apply affine_map<(i)[t] -> ((t - i) * 2)>(%i)[%tokens]
    %mask = vector.create_mask %count : vector<128xi1>
    %e2 = vector.transfer_read %expert[%i, %c0], %pad : !experts, vector<64x2xi32>
    %w2 = vector.transfer_read %weight[%i, %c0], %none : !weights, vector<64x2xf32>
    %e = vector.shape_cast %e2 : vector<64x2xi32> to !choices
    %w = vector.shape_cast %w2 : vector<64x2xf32> to vector<128xf32>
    %own = func.call @rank(%e) : (!choices) -> !choices
    %begin = vector.gather %offsets[%c0] [%e], %mask, %no
        : !numbers, !choices, vector<128xi1>, !choices into !choices
    %earlier = vector.gather %before[%p, %c0] [%e], %mask, %no
        : !counts, !choices, vector<128xi1>, !choices into !choices
    %0 = arith.addi %begin, %earlier : !choices
    %r = arith.addi %0, %own : !choices
    %steps = vector.step : vector<128xindex>
    %first = affine.apply affine_map<(i) -> (i * 2)>(%i)
    %firsts = vector.broadcast %first : index to vector<128xindex>
    %number = arith.addi %firsts, %steps : vector<128xindex>
    %to64 = arith.index_cast %number : vector<128xindex> to vector<128xi64>
    %token64 = arith.shrui %to64, %one : vector<128xi64>
    vector.scatter %token[%c0] [%r], %mask, %token64
        : !rows, !choices, vector<128xi1>, vector<128xi64>
    vector.scatter %to[%c0] [%r], %mask, %to64
        : !rows, !choices, vector<128xi1>, vector<128xi64>
    vector.scatter %scale[%c0] [%r], %mask, %w
        : !floats, !choices, vector<128xi1>, vector<128xf32>
    gpu.return
  }
}
