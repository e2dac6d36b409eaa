// Gradients of y = x * rstd * w, where rstd = 1 / sqrt(mean(x^2) + epsilon) for each row, at the
// block phase, from dy and the rstd of the forward pass:
//
// - dx = (dy * w - n * mean(dy * w * n)) * rstd, with n = x * rstd.
// - dw = the column sums of dy * n. A program adds those of 64 rows, in their order, to a row of
//   `parts`; @column_sum adds the rows of `parts`, in their order. So dw doesn't depend on the
//   number of SMs.

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#dy = #carousel.argument<"dy", in>
#w = #carousel.argument<"w", in>
#rstd = #carousel.argument<"rstd", in>
#dx = #carousel.argument<"dx", out>
#parts = #carousel.argument<"parts", out>
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

  gpu.func @rmsnorm_backward(
      %x: !matrix {carousel.argument = #x}, %dy: !matrix {carousel.argument = #dy},
      %w: !weights {carousel.argument = #w}, %rstd: !stats {carousel.argument = #rstd},
      %dx: !matrix {carousel.argument = #dx}, %parts: !parts {carousel.argument = #parts})
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
    %dw = scf.for %i = %first to %last step %c1 iter_args(%sum = %zeros) -> (!row32) {
      %x32 = func.call @read(%x, %i) : (!matrix, index) -> !row32
      %dy32 = func.call @read(%dy, %i) : (!matrix, index) -> !row32
      %rs = func.call @spread(%rstd, %i) : (!stats, index) -> !row32
      %normed = arith.mulf %x32, %rs : !row32
      %g = arith.mulf %dy32, %w32 : !row32
      %products = arith.mulf %g, %normed : !row32
      %means = func.call @mean(%products, %columns) : (!row32, index) -> !row32
      %along = arith.mulf %normed, %means : !row32
      %across = arith.subf %g, %along : !row32
      %dx32 = arith.mulf %across, %rs : !row32
      %dx16 = arith.truncf %dx32 : !row32 to !row
      vector.transfer_write %dx16, %dx[%i, %c0] : !row, !matrix
      %next = vector.fma %dy32, %normed, %sum : !row32
      scf.yield %next : !row32
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    vector.transfer_write %dw, %parts[%block, %c0] : !row32, !parts
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
func.func @rmsnorm_backward_reference(
    %x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %dy: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %w: memref<?xbf16>, %rstd: memref<?xf32>, %dx: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %parts: memref<?x?xf32>) {
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
    %total = scf.for %j = %c0 to %columns step %c1 iter_args(%sum = %zero) -> (f32) {
      %x16 = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %dy16 = memref.load %dy[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %w16 = memref.load %w[%j] : memref<?xbf16>
      %x32 = arith.extf %x16 : bf16 to f32
      %dy32 = arith.extf %dy16 : bf16 to f32
      %w32 = arith.extf %w16 : bf16 to f32
      %normed = arith.mulf %x32, %r : f32
      %g = arith.mulf %dy32, %w32 : f32
      %product = arith.mulf %g, %normed : f32
      %next = arith.addf %sum, %product : f32
      scf.yield %next : f32
    }
    %mean_products = arith.divf %total, %n : f32
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
      %normed = arith.mulf %x32, %r : f32
      %g = arith.mulf %dy32, %w32 : f32
      %along = arith.mulf %normed, %mean_products : f32
      %across = arith.subf %g, %along : f32
      %dx32 = arith.mulf %across, %r : f32
      %dx16 = arith.truncf %dx32 : f32 to bf16
      memref.store %dx16, %dx[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %own = arith.mulf %dy32, %normed : f32
      %before = memref.load %parts[%part, %j] : memref<?x?xf32>
      %added = arith.addf %before, %own : f32
      %sum = arith.select %starts, %own, %added : f32
      memref.store %sum, %parts[%part, %j] : memref<?x?xf32>
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
