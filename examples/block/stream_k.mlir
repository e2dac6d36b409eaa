// y = gelu(a * b + bias), with all products of all tiles shared evenly: `programs` CTAs have as many
// steps of k each, wherever a tile ends (stream-K). 3072 x 3072 has 288 tiles, 2.2 for each of 132
// multiprocessors; in whole tiles some multiprocessors would have three, and others two.
//
// A tile that two programs share is computed in the order of k all the same: the first one leaves its
// sums in `work`, and the next one goes on from them. So results have the bits that a program alone
// gives, whatever `programs` is. Each program computes first what the next one waits for, and last
// what needs the sums of the one before: where there are as many tiles as programs, none waits.
// Tickets number the programs in the order in which they start.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#a = #carousel.argument<"a", in>
#b = #carousel.argument<"b", in>
#bias = #carousel.argument<"bias", in>
#y = #carousel.argument<"y", out>
#programs = #carousel.argument<"programs", in>
#work = #carousel.argument<"work", inout>
#turns = #carousel.argument<"turns", inout>
#tickets = #carousel.argument<"tickets", inout>
#program = #carousel.block_program<>
#shares = #carousel.launch<grid = [scalar(4)]>
#work_memory = #carousel.workspace<[scalar(4) * 128]>
#turns_memory = #carousel.workspace<[scalar(4)]>
#tickets_memory = #carousel.workspace<[1]>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!bias = memref<?xf32, #gl>
!work = memref<?x256xf32, #gl>
!turns = memref<?x32xi32, #gl>
!tickets = memref<?xi32, #gl>
!tile_a = vector<128x64xbf16>
!tile_b = vector<64x256xbf16>
!tile = vector<128x256xbf16>
!sums = vector<128x256xf32>

gpu.module @products {
  // What program p has: steps `begin` to `end` of the last tiles' steps, and `whole` tiles before
  // those. The last tiles are as many as programs or more, but fewer than two for each, if there are
  // so many tiles.
  func.func private @share(%p: i32, %programs: i32, %tiles: i32, %steps: i32) -> (i32, i32, i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %all = arith.muli %tiles, %steps : i32
    %least = arith.minui %programs, %all : i32
    %workers = arith.maxui %least, %c1 : i32
    %rounds = arith.divui %tiles, %workers : i32
    %last = arith.maxui %rounds, %c1 : i32
    %whole = arith.subi %last, %c1 : i32
    %alone = arith.muli %whole, %workers : i32
    %shared = arith.subi %tiles, %alone : i32
    %total = arith.muli %shared, %steps : i32
    %each = arith.divui %total, %workers : i32
    %more = arith.remui %total, %workers : i32
    %before = arith.muli %alone, %steps : i32
    %evenly = arith.muli %p, %each : i32
    %others = arith.minui %p, %more : i32
    %0 = arith.addi %before, %evenly : i32
    %begin = arith.addi %0, %others : i32
    %has_more = arith.cmpi ult, %p, %more : i32
    %one = arith.extui %has_more : i1 to i32
    %1 = arith.addi %each, %one : i32
    %works = arith.cmpi ult, %p, %workers : i32
    %length = arith.select %works, %1, %c0 : i32
    %end = arith.addi %begin, %length : i32
    return %begin, %end, %whole : i32, i32, i32
  }

  // How many parts of tiles a program has.
  func.func private @count(%begin: i32, %end: i32, %whole: i32, %steps: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %inner = arith.subi %end, %c1 : i32
    %first = arith.divui %begin, %steps : i32
    %last = arith.divui %inner, %steps : i32
    %after = arith.subi %last, %first : i32
    %shared = arith.addi %after, %c1 : i32
    %all = arith.addi %shared, %whole : i32
    %is_any = arith.cmpi ult, %begin, %end : i32
    %count = arith.select %is_any, %all, %c0 : i32
    return %count : i32
  }

  // Part s of what a program has: a tile, and its steps from `first` to `last`. First comes the
  // begin of the tile that the next program ends, then whole tiles, and at the end the rest of the
  // tile that the program before began.
  func.func private @part(%s: i32, %p: i32, %programs: i32, %begin: i32, %end: i32, %whole: i32,
                          %steps: i32) -> (i32, i32, i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %round = arith.subi %s, %c1 : i32
    %is_alone = arith.cmpi ult, %round, %whole : i32
    %before = arith.muli %round, %programs : i32
    %alone = arith.addi %before, %p : i32
    %inner = arith.subi %end, %c1 : i32
    %last_tile = arith.divui %inner, %steps : i32
    %after = arith.subi %s, %whole : i32
    %back = arith.maxsi %after, %c0 : i32
    %shared = arith.subi %last_tile, %back : i32
    %t = arith.select %is_alone, %alone, %shared : i32
    %from = arith.muli %t, %steps : i32
    %0 = arith.subi %begin, %from : i32
    %1 = arith.maxsi %0, %c0 : i32
    %2 = arith.subi %end, %from : i32
    %3 = arith.minsi %2, %steps : i32
    %first = arith.select %is_alone, %c0, %1 : i32
    %last = arith.select %is_alone, %steps, %3 : i32
    return %t, %first, %last : i32, i32, i32
  }

  // Tiles along the rows and the columns, and the steps of each: one if k is 0.
  func.func private @measure(%a: !matrix, %y: !matrix) -> (i32, i32, i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %y, %c0 : !matrix
    %n = memref.dim %y, %c1 : !matrix
    %k = memref.dim %a, %c1 : !matrix
    %0 = affine.apply affine_map<(m) -> (m ceildiv 128)>(%m)
    %1 = affine.apply affine_map<(n) -> (n ceildiv 256)>(%n)
    %2 = affine.max affine_map<(k) -> (k ceildiv 64, 1)>(%k)
    %down = arith.index_cast %0 : index to i32
    %across = arith.index_cast %1 : index to i32
    %steps = arith.index_cast %2 : index to i32
    return %down, %across, %steps : i32, i32, i32
  }

  // The first row and column of a tile. Tiles are numbered by groups of eight rows of them, so that
  // those which are computed together share rows and columns in the L2.
  func.func private @place(%t: i32, %down: i32, %across: i32) -> (index, index) {
    %c8 = arith.constant 8 : i32
    %size = arith.muli %across, %c8 : i32
    %group = arith.divui %t, %size : i32
    %number = arith.remui %t, %size : i32
    %top = arith.muli %group, %c8 : i32
    %below = arith.subi %down, %top : i32
    %rows = arith.minui %below, %c8 : i32
    %row = arith.remui %number, %rows : i32
    %column = arith.divui %number, %rows : i32
    %all = arith.addi %top, %row : i32
    %0 = arith.index_castui %all : i32 to index
    %1 = arith.index_castui %column : i32 to index
    %i = affine.apply affine_map<(d) -> (d * 128)>(%0)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%1)
    return %i, %j : index, index
  }

  func.func private @multiply(%a: !matrix, %b: !matrix, %i: index, %j: index, %first: i32,
                              %last: i32, %start: !sums) -> !sums {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %depth = memref.dim %a, %c1 : !matrix
    %0 = arith.index_castui %first : i32 to index
    %1 = arith.index_castui %last : i32 to index
    %k0 = affine.apply affine_map<(s) -> (s * 64)>(%0)
    %k1 = affine.min affine_map<(s)[k] -> (s * 64, k)>(%1)[%depth]
    %sum = scf.for %k = %k0 to %k1 step %c64 iter_args(%acc = %start) -> (!sums) {
      %at = vector.transfer_read %a[%i, %k], %pad : !matrix, !tile_a
      %bt = vector.transfer_read %b[%k, %j], %pad : !matrix, !tile_b
      %next = vector.contract #product %at, %bt, %acc : !tile_a, !tile_b into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    return %sum : !sums
  }

  // A program leaves its sums to the next one, which takes them. Each has a semaphore and a tile of
  // `work` for that.
  func.func private @leave(%sum: !sums, %work: !work, %turns: !turns, %p: index) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    carousel.serialize %turns[%p, %c0] turn %c0 of %c2 (%0, %1) {
      %row = affine.apply affine_map<(p) -> (p * 128)>(%p)
      vector.transfer_write %sum, %work[%row, %c0] {in_bounds = [true, true]} : !sums, !work
    } : !turns
    return
  }

  func.func private @take(%work: !work, %turns: !turns, %p: index) -> !sums {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %none = arith.constant 0.0 : f32
    %sum = carousel.serialize %turns[%p, %c0] turn %c1 of %c2 (%0, %1) {
      %row = affine.apply affine_map<(p) -> (p * 128)>(%p)
      %v = vector.transfer_read %work[%row, %c0], %none {in_bounds = [true, true]} : !work, !sums
      carousel.pass_turn %v : !sums
    } : !turns -> !sums
    return %sum : !sums
  }

  func.func private @finish(%sum: !sums, %bias: !bias, %y: !matrix, %i: index, %j: index) {
    %none = arith.constant 0.0 : f32
    %half = arith.constant dense<0.5> : !sums
    %rsqrt2 = arith.constant dense<0.707106769> : !sums
    %row = vector.transfer_read %bias[%j], %none : !bias, vector<256xf32>
    %rows = vector.broadcast %row : vector<256xf32> to !sums
    %v = arith.addf %sum, %rows : !sums
    %s = arith.mulf %v, %rsqrt2 : !sums
    %e = math.erf %s : !sums
    %h = arith.mulf %v, %half : !sums
    %g = math.fma %h, %e, %h : !sums
    %y16 = arith.truncf %g : !sums to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    return
  }

  gpu.func @stream_k(
      %a: !matrix {carousel.argument = #a}, %b: !matrix {carousel.argument = #b},
      %bias: !bias {carousel.argument = #bias}, %y: !matrix {carousel.argument = #y},
      %programs: index {carousel.argument = #programs},
      %work: !work {carousel.argument = #work, carousel.workspace = #work_memory},
      %turns: !turns {carousel.argument = #turns, carousel.workspace = #turns_memory},
      %tickets: !tickets {carousel.argument = #tickets, carousel.workspace = #tickets_memory})
      kernel attributes {carousel.block_program = #program, carousel.launch = #shares} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : !sums
    %ticket = carousel.grid.ticket %tickets[%c0] of %programs : !tickets
    %before = arith.subi %ticket, %c1 : index
    %p = arith.index_cast %ticket : index to i32
    %ps = arith.index_cast %programs : index to i32
    %down, %across, %steps = func.call @measure(%a, %y) : (!matrix, !matrix) -> (i32, i32, i32)
    %tiles = arith.muli %down, %across : i32
    %begin, %end, %whole = func.call @share(%p, %ps, %tiles, %steps)
        : (i32, i32, i32, i32) -> (i32, i32, i32)
    %count = func.call @count(%begin, %end, %whole, %steps) : (i32, i32, i32, i32) -> i32
    scf.for %s = %zero to %count step %one : i32 {
      %t, %first, %last = func.call @part(%s, %p, %ps, %begin, %end, %whole, %steps)
          : (i32, i32, i32, i32, i32, i32, i32) -> (i32, i32, i32)
      %i, %j = func.call @place(%t, %down, %across) : (i32, i32, i32) -> (index, index)
      %goes_on = arith.cmpi ne, %first, %zero : i32
      %start = scf.if %goes_on -> (!sums) {
        %sums = func.call @take(%work, %turns, %before) : (!work, !turns, index) -> !sums
        scf.yield %sums : !sums
      } else {
        scf.yield %zeros : !sums
      }
      %sum = func.call @multiply(%a, %b, %i, %j, %first, %last, %start)
          : (!matrix, !matrix, index, index, i32, i32, !sums) -> !sums
      %is_done = arith.cmpi eq, %last, %steps : i32
      scf.if %is_done {
        func.call @finish(%sum, %bias, %y, %i, %j) : (!sums, !bias, !matrix, index, index) -> ()
      } else {
        func.call @leave(%sum, %work, %turns, %ticket) : (!sums, !work, !turns, index) -> ()
      }
    }
    gpu.return
  }
}
