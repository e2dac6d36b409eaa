// Products with weights of few bits, which threads convert to bf16 on their way to the tensor
// cores: y = x * w^T. A row of w belongs to a column of y.
//
// - @matmul_int4: integers q of 4 bits, two in a byte, the one with the lower index of k in the
//   lower bits. Groups of 128 of k have a scale and a zero point: w = (q - zero) * scale.
// - @matmul_float8: 8-bit floats, whose rows have a scale each. The sums are multiplied by it.
//
// @matmul_int8 (matmul.mlir) has integers of 8 bits, and @matmul_f8 (products.mlir) multiplies 8-bit
// floats by 8-bit floats. @skinny_int4 (skinny_int4.mlir) is for few rows.

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#scale = #carousel.argument<"scale", in>
#zero = #carousel.argument<"zero", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!bytes = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!bytes8 = memref<?x?xf8E4M3FN, strided<[?, 1], offset: ?>, #gl>
!scales = memref<?xf32, #gl>
!tile_x = vector<256x64xbf16>
!tile_w = vector<128x64xbf16>
!packed = vector<128x32xi8>
!row = vector<128xbf16>
!tile = vector<256x128xbf16>
!sums = vector<256x128xf32>

gpu.module @weights {
  // What a row has for each row of w, for all of a tile.
  func.func private @repeat(%row: !row) -> !tile_w {
    %columns = vector.broadcast %row : !row to vector<64x128xbf16>
    %rows = vector.transpose %columns, [1, 0] : vector<64x128xbf16> to !tile_w
    return %rows : !tile_w
  }

  gpu.func @matmul_int4(
      %x: !matrix {carousel.argument = #x}, %w: !bytes {carousel.argument = #w},
      %scale: !matrix {carousel.argument = #scale}, %zero: !matrix {carousel.argument = #zero},
      %y: !matrix {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(4, 1), 128), ceildiv(extent(4, 0), 256)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 32 : index
    %pad = arith.constant 0.0 : bf16
    %pad8 = arith.constant 0 : i8
    %mask = arith.constant dense<15> : !packed
    %four = arith.constant dense<4> : !packed
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %bytes = memref.dim %w, %c1 : !bytes
    %sum = scf.for %byte = %c0 to %bytes step %step iter_args(%acc = %zeros) -> (!sums) {
      %k = affine.apply affine_map<(d) -> (d * 2)>(%byte)
      %group = affine.apply affine_map<(d) -> (d floordiv 64)>(%byte)
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile_x
      %q = vector.transfer_read %w[%j, %byte], %pad8 : !bytes, !packed
      %s = vector.transfer_read %scale[%group, %j], %pad : !matrix, !row
      %z = vector.transfer_read %zero[%group, %j], %pad : !matrix, !row
      %low = arith.andi %q, %mask : !packed
      %high = arith.shrui %q, %four : !packed
      %both = vector.interleave %low, %high : !packed -> vector<128x64xi8>
      %w16 = arith.uitofp %both : vector<128x64xi8> to !tile_w
      %ss = func.call @repeat(%s) : (!row) -> !tile_w
      %zs = func.call @repeat(%z) : (!row) -> !tile_w
      %from_zero = arith.subf %w16, %zs : !tile_w
      %wt = arith.mulf %from_zero, %ss : !tile_w
      %next = vector.contract #product %xt, %wt, %acc : !tile_x, !tile_w into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %y16 = arith.truncf %sum : !sums to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    gpu.return
  }

  gpu.func @matmul_float8(
      %x: !matrix {carousel.argument = #x}, %w: !bytes8 {carousel.argument = #w},
      %scale: !scales {carousel.argument = #scale}, %y: !matrix {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 256)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %pad8 = arith.constant 0.0 : f8E4M3FN
    %pad32 = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, !tile_x
      %w8 = vector.transfer_read %w[%j, %k], %pad8 : !bytes8, vector<128x64xf8E4M3FN>
      %wt = arith.extf %w8 : vector<128x64xf8E4M3FN> to !tile_w
      %next = vector.contract #product %xt, %wt, %acc : !tile_x, !tile_w into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %s = vector.transfer_read %scale[%j], %pad32 : !scales, vector<128xf32>
    %ss = vector.broadcast %s : vector<128xf32> to !sums
    %scaled = arith.mulf %sum, %ss : !sums
    %y16 = arith.truncf %scaled : !sums to !tile
    vector.transfer_write %y16, %y[%i, %j] : !tile, !matrix
    gpu.return
  }
}

// An element at a time, in the order of k.
func.func @matmul_int4_reference(
    %x: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %w: memref<?x?xi8, strided<[?, 1], offset: ?>>,
    %scale: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %zero: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
    %y: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %four = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  %none = arith.constant 0.0 : f32
  %rows = memref.dim %y, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %y, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %depth = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%acc = %none) -> (f32) {
        %byte = arith.divui %k, %c2 : index
        %side = arith.remui %k, %c2 : index
        %group = arith.divui %k, %c128 : index
        %both = memref.load %w[%j, %byte] : memref<?x?xi8, strided<[?, 1], offset: ?>>
        %isLow = arith.cmpi eq, %side, %c0 : index
        %low = arith.andi %both, %mask : i8
        %high = arith.shrui %both, %four : i8
        %q = arith.select %isLow, %low, %high : i8
        %q16 = arith.uitofp %q : i8 to bf16
        %z = memref.load %zero[%group, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
        %s = memref.load %scale[%group, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
        %from_zero = arith.subf %q16, %z : bf16
        %w16 = arith.mulf %from_zero, %s : bf16
        %w32 = arith.extf %w16 : bf16 to f32
        %x16 = memref.load %x[%i, %k] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
        %x32 = arith.extf %x16 : bf16 to f32
        %product = arith.mulf %x32, %w32 : f32
        %next = arith.addf %acc, %product : f32
        scf.yield %next : f32
      }
      %y16 = arith.truncf %sum : f32 to bf16
      memref.store %y16, %y[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    }
  }
  return
}
