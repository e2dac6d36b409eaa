// y = h / sqrt(mean(h^2) + 1e-6) * w for each row of a matrix, at the block phase. A program has a
// row; passes choose how many threads compute it, by its width.
//
// - @rmsnorm: h = x.
// - @rmsnorm_residual: h = x + residual, rounded to bf16, is a second result.

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#residual = #carousel.argument<"residual", in>
#w = #carousel.argument<"w", in>
#h = #carousel.argument<"h", out>
#y = #carousel.argument<"y", out>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!weights = memref<?xbf16, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>

gpu.module @rows {
  gpu.func @rmsnorm(
      %x: !matrix {carousel.argument = #x}, %w: !weights {carousel.argument = #w},
      %y: !matrix {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %epsilon = arith.constant 1.0e-6 : f32
    %row = gpu.block_id x
    %columns = memref.dim %x, %c1 : !matrix
    %x16 = vector.transfer_read %x[%row, %c0], %pad : !matrix, !row
    %h32 = arith.extf %x16 : !row to !row32
    %squares = arith.mulf %h32, %h32 : !row32
    %sum = vector.multi_reduction <add>, %squares, %zero [0] : !row32 to f32
    %n32 = arith.index_cast %columns : index to i32
    %n = arith.sitofp %n32 : i32 to f32
    %mean = arith.divf %sum, %n : f32
    %shifted = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %shifted : f32
    %scales = vector.broadcast %scale : f32 to !row32
    %w16 = vector.transfer_read %w[%c0], %pad : !weights, !row
    %w32 = arith.extf %w16 : !row to !row32
    %normed = arith.mulf %h32, %scales : !row32
    %weighted = arith.mulf %normed, %w32 : !row32
    %y16 = arith.truncf %weighted : !row32 to !row
    vector.transfer_write %y16, %y[%row, %c0] : !row, !matrix
    gpu.return
  }

  gpu.func @rmsnorm_residual(
      %x: !matrix {carousel.argument = #x}, %residual: !matrix {carousel.argument = #residual},
      %w: !weights {carousel.argument = #w}, %h: !matrix {carousel.argument = #h},
      %y: !matrix {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %epsilon = arith.constant 1.0e-6 : f32
    %row = gpu.block_id x
    %columns = memref.dim %x, %c1 : !matrix
    %x16 = vector.transfer_read %x[%row, %c0], %pad : !matrix, !row
    %r16 = vector.transfer_read %residual[%row, %c0], %pad : !matrix, !row
    %sum16 = arith.addf %x16, %r16 : !row
    vector.transfer_write %sum16, %h[%row, %c0] : !row, !matrix
    %h32 = arith.extf %sum16 : !row to !row32
    %squares = arith.mulf %h32, %h32 : !row32
    %sum = vector.multi_reduction <add>, %squares, %zero [0] : !row32 to f32
    %n32 = arith.index_cast %columns : index to i32
    %n = arith.sitofp %n32 : i32 to f32
    %mean = arith.divf %sum, %n : f32
    %shifted = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %shifted : f32
    %scales = vector.broadcast %scale : f32 to !row32
    %w16 = vector.transfer_read %w[%c0], %pad : !weights, !row
    %w32 = arith.extf %w16 : !row to !row32
    %normed = arith.mulf %h32, %scales : !row32
    %weighted = arith.mulf %normed, %w32 : !row32
    %y16 = arith.truncf %weighted : !row32 to !row
    vector.transfer_write %y16, %y[%row, %c0] : !row, !matrix
    gpu.return
  }
}
