// The cross-entropy of x * w^T and labels, without the logits in memory: x has a row for each token,
// and w one for each word of the vocabulary.
//
// - @parts: each program has 128 rows, and a part of the vocabulary. It keeps a row's largest logit,
//   the sum of exp(logit - largest), and the label's logit; the maximum and the sum are corrected
//   when a larger logit comes.
// - @combine: loss = lse - the label's logit, and lse = log(sum of exp), of all parts, in their order.
//   linear_cross_entropy_backward.mlir takes lse.

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#begin = affine_map<(d)[v, p] -> (d * ((v ceildiv 256) ceildiv p) * 256)>
#end = affine_map<(d)[v, p] -> (v, (d + 1) * ((v ceildiv 256) ceildiv p) * 256)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#label = #carousel.argument<"label", in>
#written = #carousel.argument<"parts", out>
#read = #carousel.argument<"parts", in>
#loss = #carousel.argument<"loss", out>
#lse = #carousel.argument<"lse", out>
#program = #carousel.block_program<>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!labels = memref<?xi32, #gl>
// Maxima, sums and the labels' logits, of each part and row.
!parts = memref<3x?x?xf32, #gl>
!losses = memref<?xf32, #gl>
!sums = vector<128x256xf32>
!ids = vector<128x256xi32>
!tile_x = vector<128x64xbf16>
!tile_w = vector<256x64xbf16>
!row = vector<128xf32>

gpu.module @losses {
  // The logits of words from j on that are a row's own word, and zeros.
  func.func private @take(%z: !sums, %j: index, %own: !ids) -> !sums {
    %zeros = arith.constant dense<0.0> : !sums
    %first = arith.index_cast %j : index to i32
    %steps = vector.step : vector<256xindex>
    %steps32 = arith.index_cast %steps : vector<256xindex> to vector<256xi32>
    %firsts = vector.broadcast %first : i32 to vector<256xi32>
    %ids = arith.addi %firsts, %steps32 : vector<256xi32>
    %all = vector.broadcast %ids : vector<256xi32> to !ids
    %is_own = arith.cmpi eq, %all, %own : !ids
    %taken = arith.select %is_own, %z, %zeros : vector<128x256xi1>, !sums
    return %taken : !sums
  }

  // The logits of the first words, and the least of all numbers.
  func.func private @limit(%z: !sums, %words: index) -> !sums {
    %c128 = arith.constant 128 : index
    %least = arith.constant dense<0xFF800000> : !sums
    %mask = vector.create_mask %c128, %words : vector<128x256xi1>
    %in = arith.select %mask, %z, %least : vector<128x256xi1>, !sums
    return %in : !sums
  }

  // A number of each row, in all columns.
  func.func private @spread(%row: !row) -> !sums {
    %tall = vector.shape_cast %row : !row to vector<128x1xf32>
    %all = vector.broadcast %tall : vector<128x1xf32> to !sums
    return %all : !sums
  }

  func.func private @multiply(%x: !matrix, %w: !matrix, %i: index, %j: index) -> !sums {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %depth = memref.dim %x, %c1 : !matrix
    %z = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile_x
      %wt = vector.transfer_read %w[%j, %k], %pad : !matrix, !tile_w
      %next = vector.contract #product %xt, %wt, %acc : !tile_x, !tile_w into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    return %z : !sums
  }

  gpu.func @parts(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %label: !labels {carousel.argument = #label}, %parts: !parts {carousel.argument = #written})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [extent(3, 1), ceildiv(extent(0, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %none = arith.constant -1 : i32
    %low = arith.constant dense<0xFF800000> : !row
    %no = arith.constant dense<0.0> : !row
    %part = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %words = memref.dim %w, %c0 : !matrix
    %count = memref.dim %parts, %c1 : !parts
    %begin = affine.apply #begin(%part)[%words, %count]
    %end = affine.min #end(%part)[%words, %count]
    %labels = vector.transfer_read %label[%i], %none : !labels, vector<128xi32>
    %tall = vector.shape_cast %labels : vector<128xi32> to vector<128x1xi32>
    %own = vector.broadcast %tall : vector<128x1xi32> to !ids
    %r:3 = scf.for %j = %begin to %end step %c256 iter_args(%max = %low, %sum = %no, %at = %no)
        -> (!row, !row, !row) {
      %z = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
      %of_label = func.call @take(%z, %j, %own) : (!sums, index, !ids) -> !sums
      %at2 = vector.multi_reduction <add>, %of_label, %at [1] : !sums to !row
      %left = arith.subi %end, %j : index
      %in = func.call @limit(%z, %left) : (!sums, index) -> !sums
      %max2 = vector.multi_reduction <maxnumf>, %in, %max [1] : !sums to !row
      %wide = func.call @spread(%max2) : (!row) -> !sums
      %below = arith.subf %in, %wide : !sums
      %e = math.exp %below fastmath<afn> : !sums
      %change = arith.subf %max, %max2 : !row
      %factor = math.exp %change fastmath<afn> : !row
      %corrected = arith.mulf %sum, %factor : !row
      %sum2 = vector.multi_reduction <add>, %e, %corrected [1] : !sums to !row
      scf.yield %max2, %sum2, %at2 : !row, !row, !row
    }
    vector.transfer_write %r#0, %parts[%c0, %part, %i] : !row, !parts
    vector.transfer_write %r#1, %parts[%c1, %part, %i] : !row, !parts
    vector.transfer_write %r#2, %parts[%c2, %part, %i] : !row, !parts
    gpu.return
  }

  gpu.func @combine(
      %parts: !parts {carousel.argument = #read}, %loss: !losses {carousel.argument = #loss},
      %lse: !losses {carousel.argument = #lse})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(1, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %low = arith.constant dense<0xFF800000> : !row
    %no = arith.constant dense<0.0> : !row
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %b = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 128)>(%b)
    %count = memref.dim %parts, %c1 : !parts
    %r:3 = scf.for %p = %c0 to %count step %c1 iter_args(%max = %low, %sum = %no, %at = %no)
        -> (!row, !row, !row) {
      %m = vector.transfer_read %parts[%c0, %p, %i], %least : !parts, !row
      %s = vector.transfer_read %parts[%c1, %p, %i], %zero : !parts, !row
      %a = vector.transfer_read %parts[%c2, %p, %i], %zero : !parts, !row
      %max2 = arith.maxnumf %max, %m : !row
      %change = arith.subf %max, %max2 : !row
      %factor = math.exp %change fastmath<afn> : !row
      %corrected = arith.mulf %sum, %factor : !row
      %below = arith.subf %m, %max2 : !row
      %e = math.exp %below fastmath<afn> : !row
      %sum2 = math.fma %s, %e, %corrected : !row
      %at2 = arith.addf %at, %a : !row
      scf.yield %max2, %sum2, %at2 : !row, !row, !row
    }
    %log = math.log %r#1 : !row
    %whole = arith.addf %log, %r#0 : !row
    %loss_of_row = arith.subf %whole, %r#2 : !row
    vector.transfer_write %loss_of_row, %loss[%i] : !row, !losses
    vector.transfer_write %whole, %lse[%i] : !row, !losses
    gpu.return
  }
}
