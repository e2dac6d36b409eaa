// y = (x - mean) * rstd * w + b for each row of a matrix, with mean and rstd as further results, at
// the block phase. Elements behind the row's end must not count as -mean in the sum of squares.

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#b = #carousel.argument<"b", in>
#y = #carousel.argument<"y", out>
#mean = #carousel.argument<"mean", out>
#rstd = #carousel.argument<"rstd", out>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!weights = memref<?xf32, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>

gpu.module @rows {
  func.func private @mean(%v: !row32, %columns: index) -> f32 {
    %zero = arith.constant 0.0 : f32
    %sum = vector.multi_reduction <add>, %v, %zero [0] : !row32 to f32
    %n32 = arith.index_cast %columns : index to i32
    %n = arith.sitofp %n32 : i32 to f32
    %mean = arith.divf %sum, %n : f32
    return %mean : f32
  }

  // v - mean, and 0 behind the row's end.
  func.func private @center(%v: !row32, %mean: f32, %columns: index) -> !row32 {
    %zeros = arith.constant dense<0.0> : !row32
    %means = vector.broadcast %mean : f32 to !row32
    %outer = arith.subf %v, %means : !row32
    %exists = vector.create_mask %columns : vector<262144xi1>
    %d = arith.select %exists, %outer, %zeros : vector<262144xi1>, !row32
    return %d : !row32
  }

  gpu.func @layernorm(
      %x: !matrix {carousel.argument = #x}, %w: !weights {carousel.argument = #w},
      %b: !weights {carousel.argument = #b}, %y: !matrix {carousel.argument = #y},
      %mean: !weights {carousel.argument = #mean}, %rstd: !weights {carousel.argument = #rstd})
      kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %row = gpu.block_id x
    %columns = memref.dim %x, %c1 : !matrix
    %x16 = vector.transfer_read %x[%row, %c0], %pad : !matrix, !row
    %x32 = arith.extf %x16 : !row to !row32
    %m = func.call @mean(%x32, %columns) : (!row32, index) -> f32
    %d = func.call @center(%x32, %m, %columns) : (!row32, f32, index) -> !row32
    %squares = arith.mulf %d, %d : !row32
    %variance = func.call @mean(%squares, %columns) : (!row32, index) -> f32
    %shifted = arith.addf %variance, %epsilon : f32
    %r = math.rsqrt %shifted : f32
    %rs = vector.broadcast %r : f32 to !row32
    %ws = vector.transfer_read %w[%c0], %zero : !weights, !row32
    %bs = vector.transfer_read %b[%c0], %zero : !weights, !row32
    %normed = arith.mulf %d, %rs : !row32
    %scaled = arith.mulf %normed, %ws : !row32
    %y32 = arith.addf %scaled, %bs : !row32
    %y16 = arith.truncf %y32 : !row32 to !row
    vector.transfer_write %y16, %y[%row, %c0] : !row, !matrix
    memref.store %m, %mean[%row] : !weights
    memref.store %r, %rstd[%row] : !weights
    gpu.return
  }
}
