// The router of a mixture of experts (experts.mlir), in one kernel: each token goes to the two experts
// with the largest logits x * w, of at most 64. It makes the lists that @up and @down take: rows
// sorted by expert, and for one expert by token; and the tiles of 128 rows that their programs have.
//
// - Each program takes 64 tokens. `expert` and `weight` are their two experts, the larger logit first
//   and of equal ones the first expert, and the softmax of the two logits. Choice 2 * t + c is choice
//   c of token t. `rank` says how many choices of the program are of the same expert and come before
//   it, and `counts` how often the program chooses each expert.
// - The program that draws the last ticket sees what all others wrote. It turns `counts` into the rows
//   with which the experts begin in each program, so that choice i of program p is row
//   r = counts[p, expert] + rank[i]: token[r] = i / 2, scale[r] = weight[i]. Which program is the last
//   one changes nothing in that.
// - tiles[:, q] are the expert of tile q, its first row, and the end of the expert's rows. Those behind
//   the last tile have no rows: there are (tokens * 2) / 128 + experts tiles at most.
// - z becomes zero, to which @down adds.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#z = #carousel.argument<"z", out>
#expert = #carousel.argument<"expert", inout>
#weight = #carousel.argument<"weight", inout>
#token = #carousel.argument<"token", out>
#scale = #carousel.argument<"scale", out>
#tiles = #carousel.argument<"tiles", out>
#rank = #carousel.argument<"rank", inout>
#counts = #carousel.argument<"counts", inout>
#tickets = #carousel.argument<"tickets", inout>
#program = #carousel.block_program<>
#rank_memory = #carousel.workspace<[extent(0, 0)]>
#counts_memory = #carousel.workspace<[ceildiv(extent(0, 0), 64)]>
#tickets_memory = #carousel.workspace<[1]>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!experts = memref<?x2xi32, #gl>
!weights = memref<?x2xf32, #gl>
!counts = memref<?x64xi32, #gl>
!tickets = memref<?xi32, #gl>
!numbers = memref<?xi32, #gl>
!floats = memref<?xf32, #gl>
!tiles = memref<3x?xi32, #gl>
!tile = vector<64x64xbf16>
!logits = vector<64x64xf32>
!mask = vector<64x64xi1>
!ids = vector<64x64xi32>
!line = vector<64xf32>
!line32 = vector<64xi32>
!choices = vector<128xi32>
!list = vector<2048xi32>

gpu.module @router {
  // For each row and column: the number of the column.
  func.func private @columns() -> !ids {
    %steps = vector.step : vector<64xindex>
    %steps32 = arith.index_cast %steps : vector<64xindex> to !line32
    %r = vector.broadcast %steps32 : !line32 to !ids
    return %r : !ids
  }

  // A number of each row, in all of its columns.
  func.func private @spread(%v: !line32) -> !ids {
    %tall = vector.shape_cast %v : !line32 to vector<64x1xi32>
    %r = vector.broadcast %tall : vector<64x1xi32> to !ids
    return %r : !ids
  }

  // The largest logit of each row, the first column that has it, and the other logits.
  func.func private @largest(%z: !logits) -> (!line, !line32, !logits) {
    %least = arith.constant dense<0xFF800000> : !logits
    %low = arith.constant dense<0xFF800000> : !line
    %many = arith.constant dense<64> : !ids
    %most = arith.constant dense<64> : !line32
    %columns = func.call @columns() : () -> !ids
    %max = vector.multi_reduction <maxnumf>, %z, %low [1] : !logits to !line
    %tall = vector.shape_cast %max : !line to vector<64x1xf32>
    %all = vector.broadcast %tall : vector<64x1xf32> to !logits
    %is_max = arith.cmpf oge, %z, %all : !logits
    %candidates = arith.select %is_max, %columns, %many : !mask, !ids
    %at = vector.multi_reduction <minui>, %candidates, %most [1] : !ids to !line32
    %all_at = func.call @spread(%at) : (!line32) -> !ids
    %is_it = arith.cmpi eq, %columns, %all_at : !ids
    %others = arith.select %is_it, %least, %z : !mask, !logits
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

  // Of each row, what the rows before it have in each column.
  func.func private @earlier(%v: !logits) -> !logits {
    %zeros = arith.constant dense<0.0> : !tile
    %ones = arith.constant dense<1.0> : !tile
    %none = arith.constant dense<0.0> : !logits
    %steps = vector.step : vector<64xindex>
    %steps32 = arith.index_cast %steps : vector<64xindex> to !line32
    %rows = func.call @spread(%steps32) : (!line32) -> !ids
    %columns = func.call @columns() : () -> !ids
    %is_earlier = arith.cmpi ult, %columns, %rows : !ids
    %triangle = arith.select %is_earlier, %ones, %zeros : !mask, !tile
    // Counts of up to 128 are numbers of bf16, and their sums of f32.
    %v16 = arith.truncf %v : !logits to !tile
    %r = vector.contract #product %triangle, %v16, %none : !tile, !tile into !logits
    return %r : !logits
  }

  // The sum of all elements before each.
  func.func private @sums_before(%v: !line32) -> !line32 {
    %none = arith.constant dense<0> : !line32
    %zeros = arith.constant dense<0> : !ids
    %steps = vector.step : vector<64xindex>
    %steps32 = arith.index_cast %steps : vector<64xindex> to !line32
    %rows = func.call @spread(%steps32) : (!line32) -> !ids
    %columns = func.call @columns() : () -> !ids
    %is_earlier = arith.cmpi ult, %columns, %rows : !ids
    %all = vector.broadcast %v : !line32 to !ids
    %taken = arith.select %is_earlier, %all, %zeros : !mask, !ids
    %r = vector.multi_reduction <add>, %taken, %none [1] : !ids to !line32
    return %r : !line32
  }

  // The number that each row has in the column that is chosen.
  func.func private @take(%is_it: !mask, %v: !logits) -> !line32 {
    %zeros = arith.constant dense<0.0> : !logits
    %none = arith.constant dense<0.0> : !line
    %taken = arith.select %is_it, %v, %zeros : !mask, !logits
    %sum = vector.multi_reduction <add>, %taken, %none [1] : !logits to !line
    %r = arith.fptosi %sum : !line to !line32
    return %r : !line32
  }

  // How many choices of the same expert come before each, and how many each expert has; of the first
  // rows.
  func.func private @rank(%at0: !line32, %at1: !line32, %rows: index)
      -> (!line32, !line32, !line32) {
    %c64 = arith.constant 64 : index
    %ones = arith.constant dense<1.0> : !logits
    %zeros = arith.constant dense<0.0> : !logits
    %none = arith.constant dense<0.0> : !line
    %columns = func.call @columns() : () -> !ids
    %all0 = func.call @spread(%at0) : (!line32) -> !ids
    %all1 = func.call @spread(%at1) : (!line32) -> !ids
    %is0 = arith.cmpi eq, %columns, %all0 : !ids
    %is1 = arith.cmpi eq, %columns, %all1 : !ids
    %either = arith.ori %is0, %is1 : !mask
    %mask = vector.create_mask %rows, %c64 : !mask
    %counts = arith.andi %either, %mask : !mask
    %marks = arith.select %counts, %ones, %zeros : !mask, !logits
    %earlier = func.call @earlier(%marks) : (!logits) -> !logits
    %rank0 = func.call @take(%is0, %earlier) : (!mask, !logits) -> !line32
    %rank1 = func.call @take(%is1, %earlier) : (!mask, !logits) -> !line32
    %sum = vector.multi_reduction <add>, %marks, %none [0] : !logits to !line
    %all = arith.fptosi %sum : !line to !line32
    return %rank0, %rank1, %all : !line32, !line32, !line32
  }

  func.func private @multiply(%x: !matrix, %w: !matrix, %i: index) -> !logits {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !logits
    %least = arith.constant dense<0xFF800000> : !logits
    %depth = memref.dim %x, %c1 : !matrix
    %experts = memref.dim %w, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!logits) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile
      %wt = vector.transfer_read %w[%k, %c0], %pad : !matrix, !tile
      %next = vector.contract #product %xt, %wt, %acc : !tile, !tile into !logits
      scf.yield %next : !logits
    } {carousel.pipeline = #carousel.pipeline<>}
    %mask = vector.create_mask %c64, %experts : !mask
    %z = arith.select %mask, %sum, %least : !mask, !logits
    return %z : !logits
  }

  func.func private @clear(%z: !matrix, %i: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : !tile
    %width = memref.dim %z, %c1 : !matrix
    scf.for %j = %c0 to %width step %c64 {
      vector.transfer_write %zeros, %z[%i, %j] : !tile, !matrix
    }
    return
  }

  // Counts become the first rows of experts in each program. Also all counts, and where the experts
  // begin.
  func.func private @count(%counts: !counts) -> (!line32, !line32) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0 : i32
    %none = arith.constant dense<0> : !line32
    %programs = memref.dim %counts, %c0 : !counts
    %all = scf.for %p = %c0 to %programs step %c64 iter_args(%sum = %none) -> (!line32) {
      %own = vector.transfer_read %counts[%p, %c0], %pad : !counts, !ids
      %next = vector.multi_reduction <add>, %own, %sum [0] : !ids to !line32
      scf.yield %next : !line32
    }
    %begin = func.call @sums_before(%all) : (!line32) -> !line32
    scf.for %p = %c0 to %programs step %c64 iter_args(%sum = %begin) -> (!line32) {
      %own = vector.transfer_read %counts[%p, %c0], %pad : !counts, !ids
      %wide = arith.sitofp %own : !ids to !logits
      %earlier = func.call @earlier(%wide) : (!logits) -> !logits
      %earlier32 = arith.fptosi %earlier : !logits to !ids
      %sums = vector.broadcast %sum : !line32 to !ids
      %starts = arith.addi %sums, %earlier32 : !ids
      vector.transfer_write %starts, %counts[%p, %c0] : !ids, !counts
      %next = vector.multi_reduction <add>, %own, %sum [0] : !ids to !line32
      scf.yield %next : !line32
    }
    return %all, %begin : !line32, !line32
  }

  // Of each tile, the number of the expert that has it; 0 if none has.
  func.func private @choose(%has: vector<128x64xi1>, %v: vector<128x64xi32>) -> !choices {
    %zeros = arith.constant dense<0> : vector<128x64xi32>
    %none = arith.constant dense<0> : !choices
    %taken = arith.select %has, %v, %zeros : vector<128x64xi1>, vector<128x64xi32>
    %r = vector.multi_reduction <add>, %taken, %none [1] : vector<128x64xi32> to !choices
    return %r : !choices
  }

  // The tiles of all experts, of which each has counts / 128, rounded up.
  func.func private @cut(%counts: !line32, %begin: !line32, %tiles: !tiles) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %rest = arith.constant dense<127> : !line32
    %seven = arith.constant dense<7> : !line32
    %rows = arith.constant dense<128> : vector<128x64xi32>
    %end = arith.addi %begin, %counts : !line32
    %up = arith.addi %counts, %rest : !line32
    %own = arith.shrui %up, %seven : !line32
    %first = func.call @sums_before(%own) : (!line32) -> !line32
    %last = arith.addi %first, %own : !line32
    %firsts = vector.broadcast %first : !line32 to vector<128x64xi32>
    %lasts = vector.broadcast %last : !line32 to vector<128x64xi32>
    %begins = vector.broadcast %begin : !line32 to vector<128x64xi32>
    %ends = vector.broadcast %end : !line32 to vector<128x64xi32>
    %across = vector.step : vector<64xindex>
    %across32 = arith.index_cast %across : vector<64xindex> to !line32
    %ids = vector.broadcast %across32 : !line32 to vector<128x64xi32>
    %all = memref.dim %tiles, %c1 : !tiles
    scf.for %q = %c0 to %all step %c128 {
      %steps = vector.step : vector<128xindex>
      %qs = vector.broadcast %q : index to vector<128xindex>
      %number = arith.addi %steps, %qs : vector<128xindex>
      %number32 = arith.index_cast %number : vector<128xindex> to !choices
      %tall = vector.shape_cast %number32 : !choices to vector<128x1xi32>
      %numbers = vector.broadcast %tall : vector<128x1xi32> to vector<128x64xi32>
      %has_begun = arith.cmpi uge, %numbers, %firsts : vector<128x64xi32>
      %isnt_over = arith.cmpi ult, %numbers, %lasts : vector<128x64xi32>
      %has = arith.andi %has_begun, %isnt_over : vector<128x64xi1>
      %before = arith.subi %numbers, %firsts : vector<128x64xi32>
      %shift = arith.muli %before, %rows : vector<128x64xi32>
      %at = arith.addi %begins, %shift : vector<128x64xi32>
      %e = func.call @choose(%has, %ids) : (vector<128x64xi1>, vector<128x64xi32>) -> !choices
      %i = func.call @choose(%has, %at) : (vector<128x64xi1>, vector<128x64xi32>) -> !choices
      %n = func.call @choose(%has, %ends) : (vector<128x64xi1>, vector<128x64xi32>) -> !choices
      vector.transfer_write %e, %tiles[%c0, %q] : !choices, !tiles
      vector.transfer_write %i, %tiles[%c1, %q] : !choices, !tiles
      vector.transfer_write %n, %tiles[%c2, %q] : !choices, !tiles
    }
    return
  }

  // Each choice at its row.
  func.func private @place(%expert: !experts, %weight: !weights, %rank: !experts, %begin: !counts,
                           %token: !numbers, %scale: !floats) {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %pad = arith.constant 0 : i32
    %none = arith.constant 0.0 : f32
    %no = arith.constant dense<0> : !list
    %one = arith.constant dense<1> : !list
    %six = arith.constant dense<6> : !list
    %seven = arith.constant dense<7> : !list
    %tokens = memref.dim %expert, %c0 : !experts
    scf.for %t = %c0 to %tokens step %c1024 {
      %count = affine.apply affine_map<(t)[n] -> ((n - t) * 2)>(%t)[%tokens]
      %mask = vector.create_mask %count : vector<2048xi1>
      %e2 = vector.transfer_read %expert[%t, %c0], %pad : !experts, vector<1024x2xi32>
      %w2 = vector.transfer_read %weight[%t, %c0], %none : !weights, vector<1024x2xf32>
      %r2 = vector.transfer_read %rank[%t, %c0], %pad : !experts, vector<1024x2xi32>
      %e = vector.shape_cast %e2 : vector<1024x2xi32> to !list
      %w = vector.shape_cast %w2 : vector<1024x2xf32> to vector<2048xf32>
      %own = vector.shape_cast %r2 : vector<1024x2xi32> to !list
      %steps = vector.step : vector<2048xindex>
      %first = affine.apply affine_map<(t) -> (t * 2)>(%t)
      %firsts = vector.broadcast %first : index to vector<2048xindex>
      %number = arith.addi %firsts, %steps : vector<2048xindex>
      %i = arith.index_cast %number : vector<2048xindex> to !list
      // A program has 128 choices, and its counts 64 experts.
      %p = arith.shrui %i, %seven : !list
      %row = arith.shli %p, %six : !list
      %at = arith.addi %row, %e : !list
      %begins = vector.gather %begin[%c0, %c0] [%at], %mask, %no
          : !counts, !list, vector<2048xi1>, !list into !list
      %r = arith.addi %begins, %own : !list
      %of = arith.shrui %i, %one : !list
      vector.scatter %token[%c0] [%r], %mask, %of : !numbers, !list, vector<2048xi1>, !list
      vector.scatter %scale[%c0] [%r], %mask, %w
          : !floats, !list, vector<2048xi1>, vector<2048xf32>
    }
    return
  }

  gpu.func @route(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %z: !matrix {carousel.argument = #z}, %expert: !experts {carousel.argument = #expert},
      %weight: !weights {carousel.argument = #weight},
      %token: !numbers {carousel.argument = #token}, %scale: !floats {carousel.argument = #scale},
      %tiles: !tiles {carousel.argument = #tiles},
      %rank: !experts {carousel.argument = #rank, carousel.workspace = #rank_memory},
      %counts: !counts {carousel.argument = #counts, carousel.workspace = #counts_memory},
      %tickets: !tickets {carousel.argument = #tickets, carousel.workspace = #tickets_memory})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = gpu.block_id x
    %programs = gpu.grid_dim x
    %i = affine.apply affine_map<(d) -> (d * 64)>(%p)
    %tokens = memref.dim %x, %c0 : !matrix
    %left = arith.subi %tokens, %i : index
    %logits = func.call @multiply(%x, %w, %i) : (!matrix, !matrix, index) -> !logits
    func.call @clear(%z, %i) : (!matrix, index) -> ()
    %z0, %at0, %rest = func.call @largest(%logits) : (!logits) -> (!line, !line32, !logits)
    %z1, %at1, %unused = func.call @largest(%rest) : (!logits) -> (!line, !line32, !logits)
    %w0, %w1 = func.call @softmax(%z0, %z1) : (!line, !line) -> (!line, !line)
    %rank0, %rank1, %own = func.call @rank(%at0, %at1, %left)
        : (!line32, !line32, index) -> (!line32, !line32, !line32)
    func.call @write(%at0, %at1, %expert, %i) : (!line32, !line32, !experts, index) -> ()
    func.call @write(%rank0, %rank1, %rank, %i) : (!line32, !line32, !experts, index) -> ()
    %ws = vector.interleave %w0, %w1 : !line -> vector<128xf32>
    %ws2 = vector.shape_cast %ws : vector<128xf32> to vector<64x2xf32>
    vector.transfer_write %ws2, %weight[%i, %c0] : vector<64x2xf32>, !weights
    vector.transfer_write %own, %counts[%p, %c0] : !line32, !counts
    %ticket = carousel.grid.ticket %tickets[%c0] of %programs acq_rel : !tickets
    %drawn = arith.addi %ticket, %c1 : index
    %is_last = arith.cmpi eq, %drawn, %programs : index
    scf.if %is_last {
      %all, %begin = func.call @count(%counts) : (!counts) -> (!line32, !line32)
      func.call @cut(%all, %begin, %tiles) : (!line32, !line32, !tiles) -> ()
      func.call @place(%expert, %weight, %rank, %counts, %token, %scale)
          : (!experts, !weights, !experts, !counts, !numbers, !floats) -> ()
    }
    gpu.return
  }

  // What each row has for its two choices, beside each other.
  func.func private @write(%v0: !line32, %v1: !line32, %to: !experts, %i: index) {
    %c0 = arith.constant 0 : index
    %both = vector.interleave %v0, %v1 : !line32 -> !choices
    %pairs = vector.shape_cast %both : !choices to vector<64x2xi32>
    vector.transfer_write %pairs, %to[%i, %c0] : vector<64x2xi32>, !experts
    return
  }
}
