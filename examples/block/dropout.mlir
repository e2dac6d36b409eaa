// Dropout in a product, by Philox4x32-10, which gives the same mask from the same seed again:
//
// - @linear_dropout: y = dropout(x * w + b): of each element either 0, with the probability p, or
//   1 / (1 - p) of it.
// - @dropout_backward: dx = dy where the mask is 1, / (1 - p), for the same seed and offset.
//
// An element's random word depends on the seed, the offset, its row and its column, and on nothing
// else. One call of Philox gives four words: to columns 2c and 2c + 1 of row 16q + r, and then to
// those of row 16q + r + 8, for r < 8. So a thread of a product has all four. The call's counter is
// (c, 8q + r, low and high word of the offset), and its key the seed. An element is kept where its
// word is at least p * 2^32.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#b = #carousel.argument<"b", in>
#y = #carousel.argument<"y", out>
#dy = #carousel.argument<"dy", in>
#dx = #carousel.argument<"dx", out>
#p = #carousel.argument<"p", in>
#seed = #carousel.argument<"seed", in>
#offset = #carousel.argument<"offset", in>
#program = #carousel.block_program<>
// A thread has rows 16q + r and 16q + r + 8 of eight columns.
#in_threads = #carousel.layout<
    register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]],
    lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]],
    warp = [[1, 0], [2, 0], [4, 0], [64, 0]]>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!host = memref<?x?xbf16, strided<[?, 1], offset: ?>>
!bias = memref<?xf32, #gl>
!sums = vector<128x256xf32>
!tile = vector<128x256xbf16>
!tile_x = vector<128x64xbf16>
!tile_w = vector<64x256xbf16>
!words = vector<64x128xi32>
!pairs = vector<64x256xi32>
!rows = vector<8x1x8x256xi32>
!all = vector<8x2x8x256xi32>
!bits = vector<128x256xi32>

gpu.module @dropouts {
  func.func private @round(%c0: !words, %c1: !words, %c2: !words, %c3: !words, %k0: i32, %k1: i32)
      -> (!words, !words, !words, !words, i32, i32) {
    %m0 = arith.constant dense<0xD2511F53> : !words
    %m1 = arith.constant dense<0xCD9E8D57> : !words
    %w0 = arith.constant 0x9E3779B9 : i32
    %w1 = arith.constant 0xBB67AE85 : i32
    %low0, %high0 = arith.mului_extended %c0, %m0 : !words
    %low1, %high1 = arith.mului_extended %c2, %m1 : !words
    %keys0 = vector.broadcast %k0 : i32 to !words
    %keys1 = vector.broadcast %k1 : i32 to !words
    %0 = arith.xori %high1, %c1 : !words
    %1 = arith.xori %0, %keys0 : !words
    %2 = arith.xori %high0, %c3 : !words
    %3 = arith.xori %2, %keys1 : !words
    %next0 = arith.addi %k0, %w0 : i32
    %next1 = arith.addi %k1, %w1 : i32
    return %1, %low1, %3, %low0, %next0, %next1 : !words, !words, !words, !words, i32, i32
  }

  func.func private @five(%c0: !words, %c1: !words, %c2: !words, %c3: !words, %k0: i32, %k1: i32)
      -> (!words, !words, !words, !words, i32, i32) {
    %0:6 = func.call @round(%c0, %c1, %c2, %c3, %k0, %k1)
        : (!words, !words, !words, !words, i32, i32) -> (!words, !words, !words, !words, i32, i32)
    %1:6 = func.call @round(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5)
        : (!words, !words, !words, !words, i32, i32) -> (!words, !words, !words, !words, i32, i32)
    %2:6 = func.call @round(%1#0, %1#1, %1#2, %1#3, %1#4, %1#5)
        : (!words, !words, !words, !words, i32, i32) -> (!words, !words, !words, !words, i32, i32)
    %3:6 = func.call @round(%2#0, %2#1, %2#2, %2#3, %2#4, %2#5)
        : (!words, !words, !words, !words, i32, i32) -> (!words, !words, !words, !words, i32, i32)
    %4:6 = func.call @round(%3#0, %3#1, %3#2, %3#3, %3#4, %3#5)
        : (!words, !words, !words, !words, i32, i32) -> (!words, !words, !words, !words, i32, i32)
    return %4#0, %4#1, %4#2, %4#3, %4#4, %4#5 : !words, !words, !words, !words, i32, i32
  }

  func.func private @split(%number: i64) -> (i32, i32) {
    %c32 = arith.constant 32 : i64
    %low = arith.trunci %number : i64 to i32
    %0 = arith.shrui %number, %c32 : i64
    %high = arith.trunci %0 : i64 to i32
    return %low, %high : i32, i32
  }

  // The random words of a tile that begins at row i and column j.
  func.func private @draw(%i: index, %j: index, %seed: i64, %offset: i64) -> !bits {
    %group = affine.apply affine_map<(i) -> (i floordiv 2)>(%i)
    %pair = affine.apply affine_map<(j) -> (j floordiv 2)>(%j)
    %group32 = arith.index_cast %group : index to i32
    %pair32 = arith.index_cast %pair : index to i32
    %groups = vector.broadcast %group32 : i32 to !words
    %pairs = vector.broadcast %pair32 : i32 to !words
    %across = vector.step : vector<128xindex>
    %across32 = arith.index_cast %across : vector<128xindex> to vector<128xi32>
    %columns = vector.broadcast %across32 : vector<128xi32> to !words
    %down = vector.step : vector<64xindex>
    %down32 = arith.index_cast %down : vector<64xindex> to vector<64xi32>
    %tall = vector.shape_cast %down32 : vector<64xi32> to vector<64x1xi32>
    %rows = vector.broadcast %tall : vector<64x1xi32> to !words
    %c0 = arith.addi %pairs, %columns : !words
    %c1 = arith.addi %groups, %rows : !words
    %k0, %k1 = func.call @split(%seed) : (i64) -> (i32, i32)
    %low, %high = func.call @split(%offset) : (i64) -> (i32, i32)
    %c2 = vector.broadcast %low : i32 to !words
    %c3 = vector.broadcast %high : i32 to !words
    %0:6 = func.call @five(%c0, %c1, %c2, %c3, %k0, %k1)
        : (!words, !words, !words, !words, i32, i32) -> (!words, !words, !words, !words, i32, i32)
    %1:6 = func.call @five(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5)
        : (!words, !words, !words, !words, i32, i32) -> (!words, !words, !words, !words, i32, i32)
    %none = arith.constant dense<0> : !all
    %2 = vector.interleave %1#0, %1#1 : !words -> !pairs
    %3 = vector.interleave %1#2, %1#3 : !words -> !pairs
    %upper = vector.shape_cast %2 : !pairs to !rows
    %lower = vector.shape_cast %3 : !pairs to !rows
    %4 = vector.insert_strided_slice %upper, %none {offsets = [0, 0, 0, 0], strides = [1, 1, 1, 1]}
        : !rows into !all
    %5 = vector.insert_strided_slice %lower, %4 {offsets = [0, 1, 0, 0], strides = [1, 1, 1, 1]}
        : !rows into !all
    %bits = vector.shape_cast %5 : !all to !bits
    return %bits : !bits
  }

  func.func private @drop(%v: !sums, %i: index, %j: index, %p: f32, %seed: i64, %offset: i64)
      -> !sums {
    %one = arith.constant 1.0 : f32
    %range = arith.constant 4294967296.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %limit = arith.mulf %p, %range : f32
    %limit32 = arith.fptoui %limit : f32 to i32
    %kept = arith.subf %one, %p : f32
    %factor = arith.divf %one, %kept : f32
    %limits = vector.broadcast %limit32 : i32 to !bits
    %factors = vector.broadcast %factor : f32 to !sums
    %bits = func.call @draw(%i, %j, %seed, %offset) : (index, index, i64, i64) -> !bits
    %stays = arith.cmpi uge, %bits, %limits : !bits
    %scaled = arith.mulf %v, %factors : !sums
    %r = arith.select %stays, %scaled, %zeros : vector<128x256xi1>, !sums
    return %r : !sums
  }

  gpu.func @linear_dropout(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %b: !bias {carousel.argument = #b}, %y: !matrix {carousel.argument = #y},
      %p: f32 {carousel.argument = #p}, %seed: i64 {carousel.argument = #seed},
      %offset: i64 {carousel.argument = #offset})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 1), 256), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile_x
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, !tile_w
      %next = vector.contract #product %xt, %wt, %acc : !tile_x, !tile_w into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %row = vector.transfer_read %b[%j], %none : !bias, vector<256xf32>
    %rows = vector.broadcast %row : vector<256xf32> to !sums
    %v = arith.addf %sum, %rows : !sums
    %r = func.call @drop(%v, %i, %j, %p, %seed, %offset)
        : (!sums, index, index, f32, i64, i64) -> !sums
    %y16 = arith.truncf %r : !sums to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    gpu.return
  }

  gpu.func @dropout_backward(
      %dy: !matrix {carousel.argument = #dy}, %dx: !matrix {carousel.argument = #dx},
      %p: f32 {carousel.argument = #p}, %seed: i64 {carousel.argument = #seed},
      %offset: i64 {carousel.argument = #offset})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(1, 1), 256), ceildiv(extent(1, 0), 128)], block = [512]>} {
    %pad = arith.constant 0.0 : bf16
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %dy16 = vector.transfer_read %dy[%i, %j], %pad {carousel.layout = #in_threads}
        : !matrix, !tile
    %wide = arith.extf %dy16 : !tile to !sums
    %r = func.call @drop(%wide, %i, %j, %p, %seed, %offset)
        : (!sums, index, index, f32, i64, i64) -> !sums
    %dx16 = arith.truncf %r : !sums to !tile
    vector.transfer_write %dx16, %dx[%i, %j] : !tile, !matrix
    gpu.return
  }
}

// The random word of one element, as Salmon et al. define Philox4x32-10 (SC 2011).
func.func private @word(%i: index, %j: index, %seed: i64, %offset: i64) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c32 = arith.constant 32 : i64
  %m0 = arith.constant 0xD2511F53 : i32
  %m1 = arith.constant 0xCD9E8D57 : i32
  %w0 = arith.constant 0x9E3779B9 : i32
  %w1 = arith.constant 0xBB67AE85 : i32
  %column = affine.apply affine_map<(j) -> (j floordiv 2)>(%j)
  %row = affine.apply affine_map<(i) -> ((i floordiv 16) * 8 + i mod 8)>(%i)
  %0 = arith.index_cast %column : index to i32
  %1 = arith.index_cast %row : index to i32
  %2 = arith.trunci %offset : i64 to i32
  %offset_high = arith.shrui %offset, %c32 : i64
  %3 = arith.trunci %offset_high : i64 to i32
  %4 = arith.trunci %seed : i64 to i32
  %seed_high = arith.shrui %seed, %c32 : i64
  %5 = arith.trunci %seed_high : i64 to i32
  %r:6 = scf.for %round = %c0 to %c10 step %c1
      iter_args(%a = %0, %b = %1, %c = %2, %d = %3, %k0 = %4, %k1 = %5)
      -> (i32, i32, i32, i32, i32, i32) {
    %low0, %high0 = arith.mului_extended %a, %m0 : i32
    %low1, %high1 = arith.mului_extended %c, %m1 : i32
    %a0 = arith.xori %high1, %b : i32
    %a1 = arith.xori %a0, %k0 : i32
    %c2 = arith.xori %high0, %d : i32
    %c3 = arith.xori %c2, %k1 : i32
    %next0 = arith.addi %k0, %w0 : i32
    %next1 = arith.addi %k1, %w1 : i32
    scf.yield %a1, %low1, %c3, %low0, %next0, %next1 : i32, i32, i32, i32, i32, i32
  }
  %is_odd = affine.apply affine_map<(j) -> (j mod 2)>(%j)
  %is_lower = affine.apply affine_map<(i) -> ((i floordiv 8) mod 2)>(%i)
  %odd = arith.cmpi ne, %is_odd, %c0 : index
  %lower = arith.cmpi ne, %is_lower, %c0 : index
  %above = arith.select %odd, %r#1, %r#0 : i32
  %below = arith.select %odd, %r#3, %r#2 : i32
  %word = arith.select %lower, %below, %above : i32
  return %word : i32
}

func.func private @drop_one(%v: f32, %i: index, %j: index, %p: f32, %seed: i64, %offset: i64)
    -> bf16 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %range = arith.constant 4294967296.0 : f32
  %word = func.call @word(%i, %j, %seed, %offset) : (index, index, i64, i64) -> i32
  %limit = arith.mulf %p, %range : f32
  %limit32 = arith.fptoui %limit : f32 to i32
  %stays = arith.cmpi uge, %word, %limit32 : i32
  %kept = arith.subf %one, %p : f32
  %factor = arith.divf %one, %kept : f32
  %scaled = arith.mulf %v, %factor : f32
  %r = arith.select %stays, %scaled, %zero : f32
  %r16 = arith.truncf %r : f32 to bf16
  return %r16 : bf16
}

func.func @linear_dropout_reference(%x: !host, %w: !host, %b: memref<?xf32>, %y: !host, %p: f32,
                                    %seed: i64, %offset: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %y, %c0 : !host
  %n = memref.dim %y, %c1 : !host
  %depth = memref.dim %x, %c1 : !host
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %zero) -> (f32) {
        %xv = memref.load %x[%i, %k] : !host
        %wv = memref.load %w[%k, %j] : !host
        %xw = arith.extf %xv : bf16 to f32
        %ww = arith.extf %wv : bf16 to f32
        %next = math.fma %xw, %ww, %s : f32
        scf.yield %next : f32
      }
      %bias = memref.load %b[%j] : memref<?xf32>
      %v = arith.addf %sum, %bias : f32
      %r = func.call @drop_one(%v, %i, %j, %p, %seed, %offset)
          : (f32, index, index, f32, i64, i64) -> bf16
      memref.store %r, %y[%i, %j] : !host
    }
  }
  return
}

func.func @dropout_backward_reference(%dy: !host, %dx: !host, %p: f32, %seed: i64, %offset: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %dx, %c0 : !host
  %n = memref.dim %dx, %c1 : !host
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %d16 = memref.load %dy[%i, %j] : !host
      %d = arith.extf %d16 : bf16 to f32
      %r = func.call @drop_one(%d, %i, %j, %p, %seed, %offset)
          : (f32, index, index, f32, i64, i64) -> bf16
      memref.store %r, %dx[%i, %j] : !host
    }
  }
  return
}
