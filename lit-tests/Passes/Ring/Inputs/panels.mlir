#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!wide = memref<64x128xbf16, #ws>
!numbers = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!columns = memref<32x64xf32, #ws>
!rows = memref<64x32xf32, #ws>
!cube = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>, #gl>
!three = memref<2x4x96xf32, #ws>
!a_tile = memref<16x32xbf16, #ws>
!b_tile = memref<32x128xbf16, #ws>
!c_tile = memref<16x128xf32, #ws>

// Tiles whose rows are several spans of a swizzle.
gpu.module @m {
  // Rows of 256 bytes, in vectors: y = -x.
  gpu.func @negate(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 1), 128)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %column = arith.muli %block, %c128 : index
    %rows = memref.dim %x, %c0 : !matrix
    %in = memref.alloc() : !wide
    %out = memref.alloc() : !wide
    %r = arith.divui %thread, %c4 : index
    %quarter = arith.remui %thread, %c4 : index
    %first = arith.muli %quarter, %c8 : index
    scf.for %row = %c0 to %rows step %c64 {
      carousel.load %x[%row, %column] to %in swizzle(b128) : !matrix, !wide
      scf.for %j = %first to %c128 step %c32 {
        %v = vector.load %in[%r, %j] {alignment = 16 : i64} : !wide, vector<8xbf16>
        %w = arith.negf %v : vector<8xbf16>
        vector.store %w, %out[%r, %j] {alignment = 16 : i64} : !wide, vector<8xbf16>
      }
      carousel.store %out to %y[%row, %column] swizzle(b128) : !wide, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Two panels, read by columns in single elements.
  gpu.func @transpose(
      %x: !numbers {carousel.argument = #carousel.argument<"x", in>},
      %y: !numbers {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 32)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c2048 = arith.constant 2048 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %row = arith.muli %block, %c32 : index
    %columns = memref.dim %x, %c1 : !numbers
    %in = memref.alloc() : !columns
    %out = memref.alloc() : !rows
    scf.for %column = %c0 to %columns step %c64 {
      carousel.load %x[%row, %column] to %in swizzle(b128) : !numbers, !columns
      scf.for %e = %thread to %c2048 step %c128 {
        %i = arith.divui %e, %c32 : index
        %j = arith.remui %e, %c32 : index
        %v = memref.load %in[%j, %i] : !columns
        memref.store %v, %out[%i, %j] : !rows
      }
      carousel.store %out to %y[%column, %row] swizzle(b64) : !rows, !numbers
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // Three panels of a tile of rank 3, in place.
  gpu.func @twice(
      %x: !cube {carousel.argument = #carousel.argument<"x", in>},
      %y: !cube {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2)], block = [96]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %plane = arith.muli %block, %c2 : index
    %rows = memref.dim %x, %c1 : !cube
    %tile = memref.alloc() : !three
    scf.for %row = %c0 to %rows step %c4 {
      carousel.load %x[%plane, %row, %c0] to %tile swizzle(b128) : !cube, !three
      scf.for %p = %c0 to %c2 step %c1 {
        scf.for %i = %c0 to %c4 step %c1 {
          %v = memref.load %tile[%p, %i, %thread] : !three
          %w = arith.addf %v, %v : f32
          memref.store %w, %tile[%p, %i, %thread] : !three
        }
      }
      carousel.store %tile to %y[%plane, %row, %c0] swizzle(b128) : !three, !cube
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // c = a * b: 16 rows, 128 columns a CTA. B is k x n in panels, which ldmatrix transposes.
  gpu.func @product(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %c: !numbers {carousel.argument = #carousel.argument<"c", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 1), 128)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %none = arith.constant dense<0.0> : vector<2x2xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %column = arith.muli %block, %c128 : index
    %depth = memref.dim %a, %c1 : !matrix
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %left = arith.muli %warp, %c32 : index
    %matrix_row = arith.remui %lane, %c16 : index
    %matrix_half = arith.divui %lane, %c16 : index
    %matrix_column = arith.muli %matrix_half, %c8 : index
    %b_column = arith.addi %left, %matrix_column : index
    %b_next = arith.addi %b_column, %c16 : index
    %as = memref.alloc() : !a_tile
    %bs = memref.alloc() : !b_tile
    %cs = memref.alloc() : !c_tile
    %sum:4 = scf.for %k = %c0 to %depth step %c32
        iter_args(%s0 = %none, %s1 = %none, %s2 = %none, %s3 = %none)
        -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
      carousel.load %a[%c0, %k] to %as swizzle(b64) : !matrix, !a_tile
      carousel.load %b[%k, %column] to %bs swizzle(b128) : !matrix, !b_tile
      %next:4 = scf.for %p = %c0 to %c32 step %c16 iter_args(%n0 = %s0, %n1 = %s1, %n2 = %s2, %n3 = %s3)
          -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
        %a_column = arith.addi %p, %matrix_column : index
        %b_row = arith.addi %p, %matrix_row : index
        %av = nvgpu.ldmatrix %as[%matrix_row, %a_column] {numTiles = 4 : i32, transpose = false}
            : !a_tile -> vector<4x2xbf16>
        %b01 = nvgpu.ldmatrix %bs[%b_row, %b_column] {numTiles = 4 : i32, transpose = true}
            : !b_tile -> vector<4x2xbf16>
        %b23 = nvgpu.ldmatrix %bs[%b_row, %b_next] {numTiles = 4 : i32, transpose = true}
            : !b_tile -> vector<4x2xbf16>
        %b0 = vector.extract_strided_slice %b01 {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %b1 = vector.extract_strided_slice %b01 {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %b2 = vector.extract_strided_slice %b23 {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %b3 = vector.extract_strided_slice %b23 {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %m0 = nvgpu.mma.sync (%av, %b0, %n0) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m1 = nvgpu.mma.sync (%av, %b1, %n1) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m2 = nvgpu.mma.sync (%av, %b2, %n2) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m3 = nvgpu.mma.sync (%av, %b3, %n3) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        scf.yield %m0, %m1, %m2, %m3 : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
      }
      scf.yield %next#0, %next#1, %next#2, %next#3
          : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %group = arith.divui %lane, %c4 : index
    %below = arith.addi %group, %c8 : index
    %in_row = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_row, %c2 : index
    %j0 = arith.addi %left, %pair : index
    %j1 = arith.addi %j0, %c8 : index
    %j2 = arith.addi %j1, %c8 : index
    %j3 = arith.addi %j2, %c8 : index
    %r00 = vector.extract %sum#0[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r00, %cs[%group, %j0] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    %r01 = vector.extract %sum#0[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r01, %cs[%below, %j0] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    %r10 = vector.extract %sum#1[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r10, %cs[%group, %j1] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    %r11 = vector.extract %sum#1[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r11, %cs[%below, %j1] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    %r20 = vector.extract %sum#2[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r20, %cs[%group, %j2] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    %r21 = vector.extract %sum#2[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r21, %cs[%below, %j2] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    %r30 = vector.extract %sum#3[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r30, %cs[%group, %j3] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    %r31 = vector.extract %sum#3[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r31, %cs[%below, %j3] {alignment = 8 : i64} : !c_tile, vector<2xf32>
    carousel.store %cs to %c[%c0, %column] swizzle(b128) : !c_tile, !numbers
    gpu.return
  }
}
