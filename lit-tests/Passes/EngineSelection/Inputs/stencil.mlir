#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!halo = memref<18x66xf32, #ws>
!tile = memref<16x64xf32, #ws>

// The sum of an element's four neighbours, zero outside.
gpu.module @m {
  gpu.func @stencil(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 1), 64)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %column = arith.muli %block, %c64 : index
    %left = arith.subi %column, %c1 : index
    %rows = memref.dim %x, %c0 : !matrix
    %in = memref.alloc() : !halo
    %out = memref.alloc() : !tile
    %j = arith.remui %thread, %c64 : index
    %first = arith.divui %thread, %c64 : index
    %j1 = arith.addi %j, %c1 : index
    %j2 = arith.addi %j, %c2 : index
    scf.for %row = %c0 to %rows step %c16 {
      %above = arith.subi %row, %c1 : index
      carousel.load %x[%above, %left] to %in : !matrix, !halo
      scf.for %i = %first to %c16 step %c4 {
        %i1 = arith.addi %i, %c1 : index
        %i2 = arith.addi %i, %c2 : index
        %a = memref.load %in[%i, %j1] : !halo
        %b = memref.load %in[%i2, %j1] : !halo
        %c = memref.load %in[%i1, %j] : !halo
        %d = memref.load %in[%i1, %j2] : !halo
        %ab = arith.addf %a, %b : f32
        %cd = arith.addf %c, %d : f32
        %sum = arith.addf %ab, %cd : f32
        memref.store %sum, %out[%i, %j] : !tile
      }
      carousel.store %out to %y[%row, %column] : !tile, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}
