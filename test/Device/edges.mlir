// Tiles that rows of a matrix don't fill: what scripts/device/device-edges times and compares. A tile is a row of up to 2048 bf16.
#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!tile = memref<2048xbf16, #ws>
gpu.module @edges {
  // Each thread sums its eight columns over the block's rows.
  gpu.func @loads(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [min(ceildiv(extent(0, 0), 3), 512)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !matrix
    %j = arith.muli %thread, %c8 : index
    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %s = scf.for %row = %block to %rows step %blocks iter_args(%a = %zero) -> f32 {
      carousel.load %x[%row, %c0] to %xs : !matrix, !tile
      %x16 = vector.load %xs[%j] {alignment = 16 : i64} : !tile, vector<8xbf16>
      %x32 = arith.extf %x16 : vector<8xbf16> to vector<8xf32>
      %r = vector.reduction <add>, %x32, %a : vector<8xf32> into f32
      scf.yield %r : f32
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %b0 = arith.muli %block, %c256 : index
    %b1 = arith.addi %b0, %thread : index
    memref.store %s, %y[%b1] : memref<?xf32, #gl>
    gpu.return
  }
  gpu.func @specialized(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                        %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [min(ceildiv(extent(0, 0), 3), 512)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !matrix
    %j = arith.muli %thread, %c8 : index
    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %s = scf.for %row = %block to %rows step %blocks iter_args(%a = %zero) -> f32 {
      carousel.load %x[%row, %c0] to %xs : !matrix, !tile
      %x16 = vector.load %xs[%j] {alignment = 16 : i64} : !tile, vector<8xbf16>
      %x32 = arith.extf %x16 : vector<8xbf16> to vector<8xf32>
      %r = vector.reduction <add>, %x32, %a : vector<8xf32> into f32
      scf.yield %r : f32
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    %b0 = arith.muli %block, %c256 : index
    %b1 = arith.addi %b0, %thread : index
    memref.store %s, %y[%b1] : memref<?xf32, #gl>
    gpu.return
  }
  // A row's elements are its number, rounded.
  gpu.func @stores(%x: !matrix {carousel.argument = #carousel.argument<"x", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [min(ceildiv(extent(0, 0), 3), 512)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !matrix
    %j = arith.muli %thread, %c8 : index
    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %row = %block to %rows step %blocks {
      %number = arith.index_cast %row : index to i32
      %value = arith.sitofp %number : i32 to bf16
      %v = vector.broadcast %value : bf16 to vector<8xbf16>
      vector.store %v, %xs[%j] {alignment = 16 : i64} : !tile, vector<8xbf16>
      carousel.store %xs to %x[%row, %c0] : !tile, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 2, stores = shared>}
    gpu.return
  }
}
