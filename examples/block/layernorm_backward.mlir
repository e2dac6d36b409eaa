// Gradients of y = (x - mean) * rstd * w + b for each row, at the block phase, from dy and the
// mean and rstd of the forward pass:
//
// - dx = (dy * w - mean(dy * w) - n * mean(dy * w * n)) * rstd, with n = (x - mean) * rstd.
// - dw = the column sums of dy * n, db = those of dy. A program adds those of 64 rows, in their
//   order, to a row of `parts` and of `parts_b`. @column_sum adds the rows of each of them. So dw
//   and db don't depend on the number of SMs.

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#dy = #carousel.argument<"dy", in>
#w = #carousel.argument<"w", in>
#mean = #carousel.argument<"mean", in>
#rstd = #carousel.argument<"rstd", in>
#dx = #carousel.argument<"dx", out>
#parts = #carousel.argument<"parts", out>
#parts_b = #carousel.argument<"parts_b", out>
#parts_in = #carousel.argument<"parts", in>
#sums = #carousel.argument<"sums", out>

#first = affine_map<(block) -> (block * 64)>
#last = affine_map<(block)[rows] -> (block * 64 + 64, rows)>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!parts = memref<?x?xf32, #gl>
!weights = memref<?xbf16, #gl>
!stats = memref<?xf32, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>

gpu.module @rows {
  // A row of a matrix in f32.
  func.func private @read(%m: !matrix, %i: index) -> !row32 {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %row = vector.transfer_read %m[%i, %c0], %pad : !matrix, !row
    %wide = arith.extf %row : !row to !row32
    return %wide : !row32
  }

  func.func private @read_weights(%w: !weights) -> !row32 {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %row = vector.transfer_read %w[%c0], %pad : !weights, !row
    %wide = arith.extf %row : !row to !row32
    return %wide : !row32
  }

  // A number of each row, in all columns.
  func.func private @spread(%numbers: !stats, %i: index) -> !row32 {
    %number = memref.load %numbers[%i] : !stats
    %all = vector.broadcast %number : f32 to !row32
    return %all : !row32
  }

  // The mean in all columns.
  func.func private @mean(%v: !row32, %columns: index) -> !row32 {
    %zero = arith.constant 0.0 : f32
    %n32 = arith.index_cast %columns : index to i32
    %n = arith.sitofp %n32 : i32 to f32
    %total = vector.multi_reduction <add>, %v, %zero [0] : !row32 to f32
    %mean = arith.divf %total, %n : f32
    %means = vector.broadcast %mean : f32 to !row32
    return %means : !row32
  }

  func.func private @normalize(%x: !row32, %ms: !row32, %rs: !row32) -> !row32 {
    %outer = arith.subf %x, %ms : !row32
    %n = arith.mulf %outer, %rs : !row32
    return %n : !row32
  }

  // The gradient of x, with the normalised row `n`.
  func.func private @gradient(%dy: !row32, %w: !row32, %n: !row32, %rs: !row32, %columns: index)
      -> !row {
    %g = arith.mulf %dy, %w : !row32
    %products = arith.mulf %g, %n : !row32
    %means = func.call @mean(%products, %columns) : (!row32, index) -> !row32
    %means_g = func.call @mean(%g, %columns) : (!row32, index) -> !row32
    %along = arith.mulf %n, %means : !row32
    %shifted = arith.subf %g, %means_g : !row32
    %across = arith.subf %shifted, %along : !row32
    %dx32 = arith.mulf %across, %rs : !row32
    %dx16 = arith.truncf %dx32 : !row32 to !row
    return %dx16 : !row
  }

  gpu.func @layernorm_backward(
      %x: !matrix {carousel.argument = #x}, %dy: !matrix {carousel.argument = #dy},
      %w: !weights {carousel.argument = #w}, %mean: !stats {carousel.argument = #mean},
      %rstd: !stats {carousel.argument = #rstd}, %dx: !matrix {carousel.argument = #dx},
      %parts: !parts {carousel.argument = #parts}, %parts_b: !parts {carousel.argument = #parts_b})
      kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : !row32
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %first = affine.apply #first(%block)
    %last = affine.min #last(%block)[%rows]
    %w32 = func.call @read_weights(%w) : (!weights) -> !row32
    %dw, %db = scf.for %i = %first to %last step %c1
        iter_args(%sum_w = %zeros, %sum_b = %zeros) -> (!row32, !row32) {
      %x32 = func.call @read(%x, %i) : (!matrix, index) -> !row32
      %dy32 = func.call @read(%dy, %i) : (!matrix, index) -> !row32
      %ms = func.call @spread(%mean, %i) : (!stats, index) -> !row32
      %rs = func.call @spread(%rstd, %i) : (!stats, index) -> !row32
      %n = func.call @normalize(%x32, %ms, %rs) : (!row32, !row32, !row32) -> !row32
      %dx16 = func.call @gradient(%dy32, %w32, %n, %rs, %columns)
          : (!row32, !row32, !row32, !row32, index) -> !row
      vector.transfer_write %dx16, %dx[%i, %c0] : !row, !matrix
      %next_w = vector.fma %dy32, %n, %sum_w : !row32
      %next_b = arith.addf %sum_b, %dy32 : !row32
      scf.yield %next_w, %next_b : !row32, !row32
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    vector.transfer_write %dw, %parts[%block, %c0] : !row32, !parts
    vector.transfer_write %db, %parts_b[%block, %c0] : !row32, !parts
    gpu.return
  }

  gpu.func @column_sum(
      %parts: !parts {carousel.argument = #parts_in}, %sums: !stats {carousel.argument = #sums})
      kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 1), 32)]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant dense<0.0> : vector<32xf32>
    %zeros = arith.constant dense<0.0> : vector<64x32xf32>
    %rows = memref.dim %parts, %c0 : !parts
    %block = gpu.block_id x
    %j = arith.muli %block, %c32 : index
    %tiles = scf.for %i = %c0 to %rows step %c64 iter_args(%sum = %zeros) -> (vector<64x32xf32>) {
      %v = vector.transfer_read %parts[%i, %j], %zero : !parts, vector<64x32xf32>
      %next = arith.addf %sum, %v : vector<64x32xf32>
      scf.yield %next : vector<64x32xf32>
    }
    %all = vector.multi_reduction <add>, %tiles, %none [0] : vector<64x32xf32> to vector<32xf32>
    vector.transfer_write %all, %sums[%j] : vector<32xf32>, !stats
    gpu.return
  }
}

// An element at a time.
func.func @layernorm_backward_reference(
    %x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %dy: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %w: memref<?xbf16>, %mean: memref<?xf32>, %rstd: memref<?xf32>, %dx: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %parts: memref<?x?xf32>, %parts_b: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %n32 = arith.index_cast %columns : index to i32
  %n = arith.sitofp %n32 : i32 to f32
  scf.for %i = %c0 to %rows step %c1 {
    %r = memref.load %rstd[%i] : memref<?xf32>
    %m = memref.load %mean[%i] : memref<?xf32>
    %total, %sum_g = scf.for %j = %c0 to %columns step %c1 iter_args(%sum = %zero, %sum1 = %zero) -> (f32, f32) {
      %x16 = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %dy16 = memref.load %dy[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %w16 = memref.load %w[%j] : memref<?xbf16>
      %x32 = arith.extf %x16 : bf16 to f32
      %dy32 = arith.extf %dy16 : bf16 to f32
      %w32 = arith.extf %w16 : bf16 to f32
      %outer = arith.subf %x32, %m : f32
      %normed = arith.mulf %outer, %r : f32
      %g = arith.mulf %dy32, %w32 : f32
      %product = arith.mulf %g, %normed : f32
      %next = arith.addf %sum, %product : f32
      %next1 = arith.addf %sum1, %g : f32
      scf.yield %next, %next1 : f32, f32
    }
    %mean_products = arith.divf %total, %n : f32
    %mean_g = arith.divf %sum_g, %n : f32
    %part = arith.divui %i, %c64 : index
    %first = arith.remui %i, %c64 : index
    %starts = arith.cmpi eq, %first, %c0 : index
    scf.for %j = %c0 to %columns step %c1 {
      %x16 = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %dy16 = memref.load %dy[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %w16 = memref.load %w[%j] : memref<?xbf16>
      %x32 = arith.extf %x16 : bf16 to f32
      %dy32 = arith.extf %dy16 : bf16 to f32
      %w32 = arith.extf %w16 : bf16 to f32
      %outer = arith.subf %x32, %m : f32
      %normed = arith.mulf %outer, %r : f32
      %g = arith.mulf %dy32, %w32 : f32
      %along = arith.mulf %normed, %mean_products : f32
      %shifted = arith.subf %g, %mean_g : f32
      %across = arith.subf %shifted, %along : f32
      %dx32 = arith.mulf %across, %r : f32
      %dx16 = arith.truncf %dx32 : f32 to bf16
      memref.store %dx16, %dx[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %own = arith.mulf %dy32, %normed : f32
      %before = memref.load %parts[%part, %j] : memref<?x?xf32>
      %added = arith.addf %before, %own : f32
      %sum = arith.select %starts, %own, %added : f32
      memref.store %sum, %parts[%part, %j] : memref<?x?xf32>
      %before_b = memref.load %parts_b[%part, %j] : memref<?x?xf32>
      %added_b = arith.addf %before_b, %dy32 : f32
      %sum_b = arith.select %starts, %dy32, %added_b : f32
      memref.store %sum_b, %parts_b[%part, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @column_sum_reference(%parts: memref<?x?xf32>, %sums: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %parts, %c0 : memref<?x?xf32>
  %columns = memref.dim %parts, %c1 : memref<?x?xf32>
  scf.for %j = %c0 to %columns step %c1 {
    %all = scf.for %i = %c0 to %rows step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %parts[%i, %j] : memref<?x?xf32>
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    }
    memref.store %all, %sums[%j] : memref<?xf32>
  }
  return
}
