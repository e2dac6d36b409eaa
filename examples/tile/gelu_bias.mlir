// out = gelu(x + b) * r in bf16, at the tile phase. x, r and out are matrices with a row stride, b
// is a bias per column, and the arithmetic is in f32. The grid has a column of CTAs for each 256
// columns. A CTA loads its part of b once, and each thread keeps 8 elements of it in registers; x
// and r come through a ring. Beyond the edges everything is zero and isn't stored.
//
// - @gelu_bias: 16 rows at a time, by all warps together.
// - @gelu_bias_warp: each warp takes two rows at a time through a ring of its own: transfers and
//   ring have warp scope, and no warp waits for another.
//
//   carousel-sim gelu_bias.mlir --kernel @gelu_bias --reference @gelu_bias_reference \
//     --rtol 0.01 --atol 1e-6 --arg x=random:37x300@304x1 --arg b=random:300 \
//     --arg r=random:37x300@304x1:1 --arg out=like:x --schedules 4 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xbf16, #gl>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!bias = memref<256xbf16, #ws>
!tile = memref<16x256xbf16, #ws>
!slices = memref<8x2x256xbf16, #ws>
!slice = memref<2x256xbf16, strided<[256, 1], offset: ?>, #ws>

gpu.module @gelu {
  gpu.func @gelu_bias(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %b: !vector {carousel.argument = #carousel.argument<"b", in>},
      %r: !matrix {carousel.argument = #carousel.argument<"r", in>},
      %out: !matrix {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 1), 256),
                min(ceildiv(extent(0, 0), 16),
                    max(floordiv(resident, max(ceildiv(extent(0, 1), 256), 1)), 1))],
        block = [256]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %half = arith.constant dense<0.5> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %rsqrt2 = arith.constant dense<0.707106769> : vector<8xf32>
    %thread = gpu.thread_id x
    %across = gpu.block_id x
    %down = gpu.block_id y
    %blocks_down = gpu.grid_dim y
    %column = arith.muli %across, %c256 : index
    %first = arith.muli %down, %c16 : index
    %step = arith.muli %blocks_down, %c16 : index
    %rows = memref.dim %x, %c0 : !matrix

    // A warp covers the 256 columns of a row, so a thread has the same columns in every row.
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %mine = arith.muli %lane, %c8 : index

    %bs = memref.alloc() {alignment = 128 : i64} : !bias
    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %rs = memref.alloc() {alignment = 128 : i64} : !tile
    %outs = memref.alloc() {alignment = 128 : i64} : !tile
    carousel.load %b[%column] to %bs : !vector, !bias
    %b16 = vector.load %bs[%mine] {alignment = 16 : i64} : !bias, vector<8xbf16>
    %b32 = arith.extf %b16 : vector<8xbf16> to vector<8xf32>

    scf.for %row = %first to %rows step %step {
      carousel.load %x[%row, %column] to %xs : !matrix, !tile
      carousel.load %r[%row, %column] to %rs : !matrix, !tile
      // Eight warps, 16 rows.
      scf.for %i = %warp to %c16 step %c8 {
        %x16 = vector.load %xs[%i, %mine] {alignment = 16 : i64} : !tile, vector<8xbf16>
        %r16 = vector.load %rs[%i, %mine] {alignment = 16 : i64} : !tile, vector<8xbf16>
        %x32 = arith.extf %x16 : vector<8xbf16> to vector<8xf32>
        %r32 = arith.extf %r16 : vector<8xbf16> to vector<8xf32>
        %v = arith.addf %x32, %b32 : vector<8xf32>
        %s = arith.mulf %v, %rsqrt2 : vector<8xf32>
        %e = math.erf %s : vector<8xf32>
        %p = arith.addf %e, %one : vector<8xf32>
        %h = arith.mulf %v, %half : vector<8xf32>
        %g = arith.mulf %h, %p : vector<8xf32>
        %w = arith.mulf %g, %r32 : vector<8xf32>
        %out16 = arith.truncf %w : vector<8xf32> to vector<8xbf16>
        vector.store %out16, %outs[%i, %mine] {alignment = 16 : i64} : !tile, vector<8xbf16>
      }
      carousel.store %outs to %out[%row, %column] : !tile, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    gpu.return
  }

  gpu.func @gelu_bias_warp(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %b: !vector {carousel.argument = #carousel.argument<"b", in>},
      %r: !matrix {carousel.argument = #carousel.argument<"r", in>},
      %out: !matrix {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(0, 1), 256),
                min(ceildiv(extent(0, 0), 16),
                    max(floordiv(resident, max(ceildiv(extent(0, 1), 256), 1)), 1))],
        block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %half = arith.constant dense<0.5> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %rsqrt2 = arith.constant dense<0.707106769> : vector<8xf32>
    %thread = gpu.thread_id x
    %across = gpu.block_id x
    %down = gpu.block_id y
    %blocks_down = gpu.grid_dim y
    %column = arith.muli %across, %c256 : index
    %step = arith.muli %blocks_down, %c16 : index
    %rows = memref.dim %x, %c0 : !matrix
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %mine = arith.muli %lane, %c8 : index
    %before = arith.muli %down, %c16 : index
    %above = arith.muli %warp, %c2 : index
    %first = arith.addi %before, %above : index

    %bs = memref.alloc() {alignment = 128 : i64} : !bias
    %xs_of_warps = memref.alloc() {alignment = 128 : i64} : !slices
    %rs_of_warps = memref.alloc() {alignment = 128 : i64} : !slices
    %outs_of_warps = memref.alloc() {alignment = 128 : i64} : !slices
    %xs = memref.subview %xs_of_warps[%warp, 0, 0] [1, 2, 256] [1, 1, 1] : !slices to !slice
    %rs = memref.subview %rs_of_warps[%warp, 0, 0] [1, 2, 256] [1, 1, 1] : !slices to !slice
    %outs = memref.subview %outs_of_warps[%warp, 0, 0] [1, 2, 256] [1, 1, 1] : !slices to !slice
    carousel.load %b[%column] to %bs : !vector, !bias
    %b16 = vector.load %bs[%mine] {alignment = 16 : i64} : !bias, vector<8xbf16>
    %b32 = arith.extf %b16 : vector<8xbf16> to vector<8xf32>

    scf.for %row = %first to %rows step %step {
      carousel.load %x[%row, %column] to %xs scope(warp) : !matrix, !slice
      carousel.load %r[%row, %column] to %rs scope(warp) : !matrix, !slice
      scf.for %i = %c0 to %c2 step %c1 {
        %x16 = vector.load %xs[%i, %mine] {alignment = 16 : i64} : !slice, vector<8xbf16>
        %r16 = vector.load %rs[%i, %mine] {alignment = 16 : i64} : !slice, vector<8xbf16>
        %x32 = arith.extf %x16 : vector<8xbf16> to vector<8xf32>
        %r32 = arith.extf %r16 : vector<8xbf16> to vector<8xf32>
        %v = arith.addf %x32, %b32 : vector<8xf32>
        %s = arith.mulf %v, %rsqrt2 : vector<8xf32>
        %e = math.erf %s : vector<8xf32>
        %p = arith.addf %e, %one : vector<8xf32>
        %h = arith.mulf %v, %half : vector<8xf32>
        %g = arith.mulf %h, %p : vector<8xf32>
        %w = arith.mulf %g, %r32 : vector<8xf32>
        %out16 = arith.truncf %w : vector<8xf32> to vector<8xbf16>
        vector.store %out16, %outs[%i, %mine] {alignment = 16 : i64} : !slice, vector<8xbf16>
      }
      carousel.store %outs to %out[%row, %column] scope(warp)
          : !slice, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = auto, scope = warp>}
    gpu.return
  }
}

// The same operations, an element at a time. Where the host and the kernel have another erf, they
// differ by one rounding to the 8 bits of bf16: a unit in the last place is 1/128 at most.
func.func @gelu_bias_reference(
    %x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %b: memref<?xbf16>,
    %r: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %out: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %x16 = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %b16 = memref.load %b[%j] : memref<?xbf16>
      %r16 = memref.load %r[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %x32 = arith.extf %x16 : bf16 to f32
      %b32 = arith.extf %b16 : bf16 to f32
      %r32 = arith.extf %r16 : bf16 to f32
      %v = arith.addf %x32, %b32 : f32
      %s = arith.mulf %v, %rsqrt2 : f32
      %e = math.erf %s : f32
      %p = arith.addf %e, %one : f32
      %h = arith.mulf %v, %half : f32
      %g = arith.mulf %h, %p : f32
      %w = arith.mulf %g, %r32 : f32
      %out16 = arith.truncf %w : f32 to bf16
      memref.store %out16, %out[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    }
  }
  return
}
