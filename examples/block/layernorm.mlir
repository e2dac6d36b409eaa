// y = (x - mean) * rstd * w + b for each row of a matrix, with mean and rstd as further results, at
// the block phase. Elements behind the row's end must not count as -mean in the sum of squares.

#gl = #gpu.address_space<global>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!weights = memref<?xf32, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>

gpu.module @rows {
  gpu.func @layernorm(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !weights {carousel.argument = #carousel.argument<"w", in>},
      %b: !weights {carousel.argument = #carousel.argument<"b", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %mean: !weights {carousel.argument = #carousel.argument<"mean", out>},
      %rstd: !weights {carousel.argument = #carousel.argument<"rstd", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %row = gpu.block_id x
    %columns = memref.dim %x, %c1 : !matrix
    %zeros = arith.constant dense<0.0> : !row32
    %x16 = vector.transfer_read %x[%row, %c0], %pad : !matrix, !row
    %x32 = arith.extf %x16 : !row to !row32
    %sum = vector.multi_reduction <add>, %x32, %zero [0] : !row32 to f32
    %n32 = arith.index_cast %columns : index to i32
    %n = arith.sitofp %n32 : i32 to f32
    %m = arith.divf %sum, %n : f32
    %means = vector.broadcast %m : f32 to !row32
    %outer = arith.subf %x32, %means : !row32
    %exists = vector.create_mask %columns : vector<262144xi1>
    %d = arith.select %exists, %outer, %zeros : vector<262144xi1>, !row32
    %squares = arith.mulf %d, %d : !row32
    %squared = vector.multi_reduction <add>, %squares, %zero [0] : !row32 to f32
    %variance = arith.divf %squared, %n : f32
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
