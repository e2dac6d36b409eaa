// Copies of tensors of one to five dimensions, at the tile phase: x to y through one tile of 16
// KiB, which the load fills and the store reads in place. The caller gives extents and strides.
// Extents needn't be multiples of the tile's: a load fills the part outside of x with zeros, and a
// store doesn't write it. The grid is persistent: tiles are numbered in row-major order, and each
// CTA takes every n-th tile, or draws its tiles (`tiles = auto` of copy_1d).
//
//   carousel-sim copy.mlir --kernel @copy_2d --arg x=iota:100x70 --arg y=empty:100x70@72x1 \
//     --expect y=iota:100x70 --schedules 4 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!rank2 = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!rank3 = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>, #gl>
!rank4 = memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>, #gl>
!rank5 = memref<?x?x?x?x?xf32, strided<[?, ?, ?, ?, 1], offset: ?>, #gl>

!tile1 = memref<4096xf32, #ws>
!tile2 = memref<64x64xf32, #ws>
!tile3 = memref<4x16x64xf32, #ws>
!tile4 = memref<2x4x8x64xf32, #ws>
!tile5 = memref<2x2x4x4x64xf32, #ws>

gpu.module @copies {
  gpu.func @copy_1d(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 4096), resident)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %n = memref.dim %x, %c0 : !vector

    %tile = memref.alloc() {alignment = 128 : i64} : !tile1
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %tile : !vector, !tile1
      carousel.store %tile to %y[%i] : !tile1, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = auto, tiles = auto>}
    gpu.return
  }

  gpu.func @copy_2d(
      %x: !rank2 {carousel.argument = #carousel.argument<"x", in>},
      %y: !rank2 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 64) * ceildiv(extent(0, 1), 64), resident)],
        block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n0 = memref.dim %x, %c0 : !rank2
    %n1 = memref.dim %x, %c1 : !rank2
    %tiles0 = arith.ceildivui %n0, %c64 : index
    %tiles1 = arith.ceildivui %n1, %c64 : index
    %tiles = arith.muli %tiles0, %tiles1 : index

    %tile = memref.alloc() {alignment = 128 : i64} : !tile2
    scf.for %t = %block to %tiles step %blocks {
      %t0 = arith.divui %t, %tiles1 : index
      %t1 = arith.remui %t, %tiles1 : index
      %i0 = arith.muli %t0, %c64 : index
      %i1 = arith.muli %t1, %c64 : index
      carousel.load %x[%i0, %i1] to %tile : !rank2, !tile2
      carousel.store %tile to %y[%i0, %i1] : !tile2, !rank2
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    gpu.return
  }

  gpu.func @copy_3d(
      %x: !rank3 {carousel.argument = #carousel.argument<"x", in>},
      %y: !rank3 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 4) * ceildiv(extent(0, 1), 16)
                    * ceildiv(extent(0, 2), 64), resident)],
        block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n0 = memref.dim %x, %c0 : !rank3
    %n1 = memref.dim %x, %c1 : !rank3
    %n2 = memref.dim %x, %c2 : !rank3
    %tiles0 = arith.ceildivui %n0, %c4 : index
    %tiles1 = arith.ceildivui %n1, %c16 : index
    %tiles2 = arith.ceildivui %n2, %c64 : index
    %tiles01 = arith.muli %tiles0, %tiles1 : index
    %tiles = arith.muli %tiles01, %tiles2 : index

    %tile = memref.alloc() {alignment = 128 : i64} : !tile3
    scf.for %t = %block to %tiles step %blocks {
      %t01 = arith.divui %t, %tiles2 : index
      %t2 = arith.remui %t, %tiles2 : index
      %t0 = arith.divui %t01, %tiles1 : index
      %t1 = arith.remui %t01, %tiles1 : index
      %i0 = arith.muli %t0, %c4 : index
      %i1 = arith.muli %t1, %c16 : index
      %i2 = arith.muli %t2, %c64 : index
      carousel.load %x[%i0, %i1, %i2] to %tile : !rank3, !tile3
      carousel.store %tile to %y[%i0, %i1, %i2] : !tile3, !rank3
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    gpu.return
  }

  gpu.func @copy_4d(
      %x: !rank4 {carousel.argument = #carousel.argument<"x", in>},
      %y: !rank4 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 2) * ceildiv(extent(0, 1), 4)
                    * ceildiv(extent(0, 2), 8) * ceildiv(extent(0, 3), 64), resident)],
        block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n0 = memref.dim %x, %c0 : !rank4
    %n1 = memref.dim %x, %c1 : !rank4
    %n2 = memref.dim %x, %c2 : !rank4
    %n3 = memref.dim %x, %c3 : !rank4
    %tiles0 = arith.ceildivui %n0, %c2 : index
    %tiles1 = arith.ceildivui %n1, %c4 : index
    %tiles2 = arith.ceildivui %n2, %c8 : index
    %tiles3 = arith.ceildivui %n3, %c64 : index
    %tiles01 = arith.muli %tiles0, %tiles1 : index
    %tiles012 = arith.muli %tiles01, %tiles2 : index
    %tiles = arith.muli %tiles012, %tiles3 : index

    %tile = memref.alloc() {alignment = 128 : i64} : !tile4
    scf.for %t = %block to %tiles step %blocks {
      %t012 = arith.divui %t, %tiles3 : index
      %t3 = arith.remui %t, %tiles3 : index
      %t01 = arith.divui %t012, %tiles2 : index
      %t2 = arith.remui %t012, %tiles2 : index
      %t0 = arith.divui %t01, %tiles1 : index
      %t1 = arith.remui %t01, %tiles1 : index
      %i0 = arith.muli %t0, %c2 : index
      %i1 = arith.muli %t1, %c4 : index
      %i2 = arith.muli %t2, %c8 : index
      %i3 = arith.muli %t3, %c64 : index
      carousel.load %x[%i0, %i1, %i2, %i3] to %tile : !rank4, !tile4
      carousel.store %tile to %y[%i0, %i1, %i2, %i3] : !tile4, !rank4
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    gpu.return
  }

  gpu.func @copy_5d(
      %x: !rank5 {carousel.argument = #carousel.argument<"x", in>},
      %y: !rank5 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 2) * ceildiv(extent(0, 1), 2)
                    * ceildiv(extent(0, 2), 4) * ceildiv(extent(0, 3), 4)
                    * ceildiv(extent(0, 4), 64), resident)],
        block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n0 = memref.dim %x, %c0 : !rank5
    %n1 = memref.dim %x, %c1 : !rank5
    %n2 = memref.dim %x, %c2 : !rank5
    %n3 = memref.dim %x, %c3 : !rank5
    %n4 = memref.dim %x, %c4 : !rank5
    %tiles0 = arith.ceildivui %n0, %c2 : index
    %tiles1 = arith.ceildivui %n1, %c2 : index
    %tiles2 = arith.ceildivui %n2, %c4 : index
    %tiles3 = arith.ceildivui %n3, %c4 : index
    %tiles4 = arith.ceildivui %n4, %c64 : index
    %tiles01 = arith.muli %tiles0, %tiles1 : index
    %tiles012 = arith.muli %tiles01, %tiles2 : index
    %tiles0123 = arith.muli %tiles012, %tiles3 : index
    %tiles = arith.muli %tiles0123, %tiles4 : index

    %tile = memref.alloc() {alignment = 128 : i64} : !tile5
    scf.for %t = %block to %tiles step %blocks {
      %t0123 = arith.divui %t, %tiles4 : index
      %t4 = arith.remui %t, %tiles4 : index
      %t012 = arith.divui %t0123, %tiles3 : index
      %t3 = arith.remui %t0123, %tiles3 : index
      %t01 = arith.divui %t012, %tiles2 : index
      %t2 = arith.remui %t012, %tiles2 : index
      %t0 = arith.divui %t01, %tiles1 : index
      %t1 = arith.remui %t01, %tiles1 : index
      %i0 = arith.muli %t0, %c2 : index
      %i1 = arith.muli %t1, %c2 : index
      %i2 = arith.muli %t2, %c4 : index
      %i3 = arith.muli %t3, %c4 : index
      %i4 = arith.muli %t4, %c64 : index
      carousel.load %x[%i0, %i1, %i2, %i3, %i4] to %tile : !rank5, !tile5
      carousel.store %tile to %y[%i0, %i1, %i2, %i3, %i4] : !tile5, !rank5
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    gpu.return
  }
}
