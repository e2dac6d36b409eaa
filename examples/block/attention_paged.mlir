// Attention whose keys and values are in pages of a pool, forward, as servers keep them: row j of a
// sequence's keys is row j % 64 of page `table[b, j / 64]`. The queries of all sequences follow
// each other: those from offsets[b] up to offsets[b + 1] are the last positions of sequence b,
// which has lengths[b] keys. A row sees the keys up to its own position. Sequences may be empty,
// and may share pages. Results from the last offset on stay as they are.
//
// A tile of keys is two pages that the table names (carousel.rows). Tiles are counted from the last
// page that is full: what isn't is alone in its tile, and the first page may be. The rest of a page
// may have any bits, and 0 x NaN isn't 0. So the tile of the last page begins before the page, and
// ends with the sequence: rows before a page, and pages that the table doesn't have, are zeros, as
// copies fill them. With other constants, pages have 16, 32 or 128 keys.

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
#table = #carousel.argument<"table", in>
#lengths = #carousel.argument<"lengths", in>
#offsets = #carousel.argument<"offsets", in>
#y = #carousel.argument<"y", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>
#programs = #carousel.launch<grid = [extent(0, 1), floordiv(extent(0, 0), 128) + extent(6, 0)]>
#shd = affine_map<(s, h, d) -> (s, d)>

!heads = memref<?x?x128xbf16, #gl>
!own = memref<?x?x128xbf16, strided<[?, 128, 1]>, #gl>
!pool = memref<?x64x?x128xbf16, #gl>
!table = memref<?x?xi32, #gl>
!own_pages = memref<?xi32, strided<[1], offset: ?>, #gl>
!rows = memref<?x?xf32, #gl>
!part = memref<?x?xf32, strided<[?, 1]>, #gl>
!offsets = memref<?xi32, #gl>
!tile = vector<128x128xbf16>
!both = vector<2x64x1x128xbf16>
!square = vector<128x128xf32>
!row = vector<128xf32>

gpu.module @attention_paged {
  // The first row of tile p, its sequence, and where that ends; no rows if there is no such. CTAs
  // take every n-th program, and later rows see more keys: so tiles of some sequences descend, by
  // the bits of 0x2CD3 (the sequence of Thue and Morse), and those of others ascend. Numbers have
  // 32 bits: warps that copy have few registers.
  func.func private @find(%offsets: !offsets, %p: index) -> (index, index, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %size = arith.constant 128 : i32
    %low_bits = arith.constant 15 : i32
    %descending = arith.constant 0x2CD3 : i32
    %entries = memref.dim %offsets, %c0 : !offsets
    %p32 = arith.index_castui %p : index to i32
    %found:5 = scf.for %b = %c1 to %entries step %c1
        iter_args(%tile = %none, %begin = %none, %row = %none, %after = %none, %last = %none)
        -> (i32, i32, i32, i32, i32) {
      %end = memref.load %offsets[%b] : !offsets
      %ascends = arith.cmpi sle, %begin, %end : i32
      cf.assert %ascends, "expected offsets that ascend"
      %rows = arith.subi %end, %begin : i32
      %tiles = arith.ceildivui %rows, %size : i32
      %next = arith.addi %tile, %tiles : i32
      %entry = arith.index_castui %b : index to i32
      %has_begun = arith.cmpi uge, %p32, %tile : i32
      %isnt_behind = arith.cmpi ult, %p32, %next : i32
      %is_here = arith.andi %has_begun, %isnt_behind : i1
      %before = arith.subi %p32, %tile : i32
      %place = arith.andi %entry, %low_bits : i32
      %bits = arith.shrsi %descending, %place : i32
      %bit = arith.andi %bits, %one : i32
      %descends = arith.cmpi eq, %bit, %one : i32
      %last_place = arith.subi %tiles, %one : i32
      %later = arith.subi %last_place, %before : i32
      %turn = arith.select %descends, %later, %before : i32
      %offset = arith.muli %turn, %size : i32
      %own = arith.addi %begin, %offset : i32
      %0 = arith.select %is_here, %own, %row : i32
      %1 = arith.select %is_here, %entry, %after : i32
      %2 = arith.select %is_here, %end, %last : i32
      scf.yield %next, %end, %0, %1, %2 : i32, i32, i32, i32, i32
    }
    %i = arith.index_castui %found#2 : i32 to index
    %after = arith.index_castui %found#3 : i32 to index
    %past = arith.maxsi %after, %c1 : index
    %b = arith.subi %past, %c1 : index
    %stop = arith.index_castui %found#4 : i32 to index
    return %i, %b, %stop : index, index, index
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
    %p16 = arith.truncf %p : !square to !tile
    %factors = func.call @spread(%factor) : (!row) -> !square
    %less = arith.mulf %y, %factors : !square
    %y2 = vector.contract #values %p16, %v, %less : !tile, !tile into !square
    return %max2, %sum2, %y2 : !row, !row, !square
  }

  // Writes the rows of a sequence that ends at `end`.
  func.func private @write(%max: !row, %sum: !row, %y: !square, %scale: f32, %out: !heads,
                           %lse: !rows, %h: index, %i: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %heads = memref.dim %out, %c1 : !heads
    %one = arith.constant dense<1.0> : !row
    %inverse = arith.divf %one, %sum : !row
    %inverses = func.call @spread(%inverse) : (!row) -> !square
    %whole = arith.mulf %y, %inverses : !square
    %y16 = arith.truncf %whole : !square to !tile
    %own = memref.subview %out[0, 0, 0] [%end, %heads, 128] [1, 1, 1] : !heads to !own
    vector.transfer_write %y16, %own[%i, %h, %c0] {permutation_map = #shd} : !tile, !own
    %scales = vector.broadcast %scale : f32 to !row
    %log = math.log %sum : !row
    %result = math.fma %max, %scales, %log : !row
    %of_lse = memref.dim %lse, %c0 : !rows
    %part = memref.subview %lse[0, 0] [%of_lse, %end] [1, 1] : !rows to !part
    vector.transfer_write %result, %part[%h, %i] : !row, !part
    return
  }

  // The scores of keys up to the row's own, of which row 0 sees `ahead` after column 0.
  func.func private @see_before(%s: !square, %ahead: i32) -> !square {
    %c127 = arith.constant 127 : i32
    %is_cut = arith.cmpi slt, %ahead, %c127 : i32
    %seen = scf.if %is_cut -> (!square) {
      %least = arith.constant dense<0xFF800000> : !square
      %indices = vector.step : vector<128xindex>
      %steps = arith.index_cast %indices : vector<128xindex> to vector<128xi32>
      %aheads = vector.broadcast %ahead : i32 to vector<128xi32>
      %last = arith.addi %steps, %aheads : vector<128xi32>
      %tall = vector.shape_cast %last : vector<128xi32> to vector<128x1xi32>
      %rows = vector.broadcast %tall : vector<128x1xi32> to vector<128x128xi32>
      %columns = vector.broadcast %steps : vector<128xi32> to vector<128x128xi32>
      %mask = arith.cmpi sle, %columns, %rows : vector<128x128xi32>
      %some = arith.select %mask, %s, %least : vector<128x128xi1>, !square
      scf.yield %some : !square
    } else {
      scf.yield %s : !square
    }
    return %seen : !square
  }

  // The scores without those of the first columns, which aren't keys.
  func.func private @hide(%s: !square, %count: i32) -> !square {
    %c0 = arith.constant 0 : i32
    %has_some = arith.cmpi sgt, %count, %c0 : i32
    %seen = scf.if %has_some -> (!square) {
      %least = arith.constant dense<0xFF800000> : !square
      %indices = vector.step : vector<128xindex>
      %steps = arith.index_cast %indices : vector<128xindex> to vector<128xi32>
      %counts = vector.broadcast %count : i32 to vector<128xi32>
      %is_none = arith.cmpi slt, %steps, %counts : vector<128xi32>
      %mask = vector.broadcast %is_none : vector<128xi1> to vector<128x128xi1>
      %some = arith.select %mask, %least, %s : vector<128x128xi1>, !square
      scf.yield %some : !square
    } else {
      scf.yield %s : !square
    }
    return %seen : !square
  }

  // The scores of a tile of keys from j on that count. Its row 0 is at position `first`.
  func.func private @see(%s: !square, %j: index, %first: index, %missing: i32) -> !square {
    %none = arith.constant 0 : i32
    %first32 = arith.index_cast %first : index to i32
    %j32 = arith.index_cast %j : index to i32
    %behind = arith.subi %first32, %j32 : i32
    %ahead = arith.addi %behind, %missing : i32
    %before = arith.subi %none, %j32 : i32
    %hidden = arith.maxsi %missing, %before : i32
    %keys = func.call @hide(%s, %hidden) : (!square, i32) -> !square
    %seen = func.call @see_before(%keys, %ahead) : (!square, i32) -> !square
    return %seen : !square
  }

  // Of a tile of keys from j on: the place of its first page, the row at which all begin, and how
  // many rows the sequence lacks in its last page.
  func.func private @place(%j: index, %length: index) -> (index, index, i32) {
    %none = arith.constant 0 : i32
    %size = arith.constant 128 : i32
    %page = arith.constant 64 : i32
    %pages = arith.divui %size, %page : i32
    %j32 = arith.index_cast %j : index to i32
    %after = arith.addi %j32, %size : i32
    %next = arith.divui %after, %page : i32
    %n32 = arith.subi %next, %pages : i32
    %n = arith.index_cast %n32 : i32 to index
    %length32 = arith.index_cast %length : index to i32
    %whole = arith.subi %length32, %page : i32
    %over = arith.subi %j32, %whole : i32
    %missing = arith.maxsi %over, %none : i32
    %row32 = arith.subi %none, %missing : i32
    %row = arith.index_cast %row32 : i32 to index
    return %n, %row, %missing : index, index, i32
  }

  // The head of keys and values that query head h shares.
  func.func private @find_group(%q: !heads, %k: !pool, %h: index) -> index {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %heads = memref.dim %q, %c1 : !heads
    %groups = memref.dim %k, %c2 : !pool
    %heads32 = arith.index_castui %heads : index to i32
    %groups32 = arith.index_castui %groups : index to i32
    %h32 = arith.index_castui %h : index to i32
    %shared = arith.divui %heads32, %groups32 : i32
    %g32 = arith.divui %h32, %shared : i32
    %g = arith.index_castui %g32 : i32 to index
    return %g : index
  }

  // The position of row i, the keys of its sequence, and where the loop over those that rows from i
  // on see begins and ends. A program without a tile sees none.
  func.func private @find_keys(%lengths: !offsets, %b: index, %i: index, %end: index)
      -> (index, index, index, index) {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %page = arith.constant 64 : index
    %is_none = arith.cmpi eq, %end, %c0 : index
    %length32 = memref.load %lengths[%b] : !offsets
    %all = arith.index_castui %length32 : i32 to index
    %length = arith.select %is_none, %c0, %all : index
    %before = arith.subi %length, %end : index
    %first = arith.addi %before, %i : index
    %rest = arith.remui %length, %page : index
    %negative = arith.subi %rest, %length : index
    %none = arith.andi %negative, %c127 : index
    %begin = arith.subi %c0, %none : index
    %behind = affine.min affine_map<(d)[n] -> (d + 128, n)>(%first)[%length]
    return %first, %length, %begin, %behind : index, index, index, index
  }

  // The numbers of the pages of sequence b.
  func.func private @find_pages(%table: !table, %b: index, %length: index) -> !own_pages {
    %page = arith.constant 64 : index
    %length32 = arith.index_cast %length : index to i32
    %page32 = arith.index_cast %page : index to i32
    %count32 = arith.ceildivui %length32, %page32 : i32
    %count = arith.index_castui %count32 : i32 to index
    %own = memref.subview %table[%b, 0] [1, %count] [1, 1] : !table to !own_pages
    return %own : !own_pages
  }

  // A tile of a sequence's pages, from the one in place n on. All begin at a row.
  func.func private @read(%pool: !pool, %own: !own_pages, %n: index, %row: index, %g: index)
      -> !tile {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %pages = carousel.rows %pool[%own] : !pool, !own_pages
    %both = vector.transfer_read %pages[%n, %row, %g, %c0], %pad : !pool, !both
    %tile = vector.shape_cast %both : !both to !tile
    return %tile : !tile
  }

  gpu.func @attention_paged(
      %q: !heads {carousel.argument = #q}, %k: !pool {carousel.argument = #k},
      %v: !pool {carousel.argument = #v}, %scale: f32 {carousel.argument = #scale},
      %table: !table {carousel.argument = #table},
      %lengths: !offsets {carousel.argument = #lengths},
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
    %g = func.call @find_group(%q, %k, %h) : (!heads, !pool, index) -> index
    %i, %b, %end = func.call @find(%offsets, %p) : (!offsets, index) -> (index, index, index)
    %first, %length, %begin, %behind = func.call @find_keys(%lengths, %b, %i, %end)
        : (!offsets, index, index, index) -> (index, index, index, index)
    %own = func.call @find_pages(%table, %b, %length) : (!table, index, index) -> !own_pages
    %qt = vector.transfer_read %q[%i, %h, %c0], %pad {permutation_map = #shd} : !heads, !tile
    %r:3 = scf.for %j = %begin to %behind step %c128
        iter_args(%max = %low, %sum = %no, %acc = %zeros) -> (!row, !row, !square) {
      %n, %row, %missing = func.call @place(%j, %length) : (index, index) -> (index, index, i32)
      %kt = func.call @read(%k, %own, %n, %row, %g)
          : (!pool, !own_pages, index, index, index) -> !tile
      %vt = func.call @read(%v, %own, %n, %row, %g)
          : (!pool, !own_pages, index, index, index) -> !tile
      %s = vector.contract #scores %qt, %kt, %zeros : !tile, !tile into !square
      %seen = func.call @see(%s, %j, %first, %missing) : (!square, index, index, i32) -> !square
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
!host_pool = memref<?x64x?x128xbf16>
!stats = memref<?x?xf32>
!ends = memref<?xi32>
!pages = memref<?x?xi32>
func.func private @row(%q: !host, %k: !host_pool, %v: !host_pool, %scale: f32, %table: !pages,
                       %y: !host, %lse: !stats, %h: index, %i: index, %b: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %page = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  %zeros = arith.constant dense<0.0> : vector<128xf64>
  %heads = memref.dim %q, %c1 : !host
  %groups = memref.dim %k, %c2 : !host_pool
  %shared = arith.divui %heads, %groups : index
  %g = arith.divui %h, %shared : index
  %factor = arith.extf %scale : f32 to f64
  %sum, %row = scf.for %j = %c0 to %end step %c1 iter_args(%l = %zero, %o = %zeros)
      -> (f64, vector<128xf64>) {
    %number = arith.divui %j, %page : index
    %place = arith.remui %j, %page : index
    %page32 = memref.load %table[%b, %number] : !pages
    %own = arith.index_cast %page32 : i32 to index
    %s = scf.for %d = %c0 to %c128 step %c1 iter_args(%t = %zero) -> (f64) {
      %q16 = memref.load %q[%i, %h, %d] : !host
      %k16 = memref.load %k[%own, %place, %g, %d] : !host_pool
      %q64 = arith.extf %q16 : bf16 to f64
      %k64 = arith.extf %k16 : bf16 to f64
      %next = math.fma %q64, %k64, %t : f64
      scf.yield %next : f64
    }
    %scaled = arith.mulf %s, %factor : f64
    %p = math.exp %scaled : f64
    %l2 = arith.addf %l, %p : f64
    %v16 = vector.load %v[%own, %place, %g, %c0] : !host_pool, vector<128xbf16>
    %v64 = arith.extf %v16 : vector<128xbf16> to vector<128xf64>
    %ps = vector.broadcast %p : f64 to vector<128xf64>
    %o2 = math.fma %ps, %v64, %o : vector<128xf64>
    scf.yield %l2, %o2 : f64, vector<128xf64>
  }
  %sums = vector.broadcast %sum : f64 to vector<128xf64>
  %whole = arith.divf %row, %sums : vector<128xf64>
  %y16 = arith.truncf %whole : vector<128xf64> to vector<128xbf16>
  vector.store %y16, %y[%i, %h, %c0] : !host, vector<128xbf16>
  %log = math.log %sum : f64
  %log32 = arith.truncf %log : f64 to f32
  memref.store %log32, %lse[%h, %i] : !stats
  return
}

func.func @attention_paged_reference(%q: !host, %k: !host_pool, %v: !host_pool, %scale: f32,
                                     %table: !pages, %lengths: !ends, %offsets: !ends, %y: !host,
                                     %lse: !stats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %q, %c1 : !host
  %entries = memref.dim %offsets, %c0 : !ends
  scf.for %h = %c0 to %heads step %c1 {
    %last = scf.for %after = %c1 to %entries step %c1 iter_args(%begin = %c0) -> (index) {
      %b = arith.subi %after, %c1 : index
      %offset = memref.load %offsets[%after] : !ends
      %end = arith.index_castui %offset : i32 to index
      %length32 = memref.load %lengths[%b] : !ends
      %length = arith.index_castui %length32 : i32 to index
      scf.for %i = %begin to %end step %c1 {
        %left = arith.subi %end, %i : index
        %before = arith.subi %length, %left : index
        %behind = arith.addi %before, %c1 : index
        func.call @row(%q, %k, %v, %scale, %table, %y, %lse, %h, %i, %b, %behind)
            : (!host, !host_pool, !host_pool, f32, !pages, !host, !stats, index, index, index,
               index) -> ()
      }
      scf.yield %end : index
    }
  }
  return
}
