// Copies of ranks 1 to 5, tile by tile, with ragged edges in every dimension; the CTAs take the tiles of the
// outermost dimension in turn.
// RUN: carousel-sim %s --kernel @rank1 --arg x=iota:100 --arg y=empty:100 --expect y=iota:100 --schedules 4
// RUN: carousel-sim %s --kernel @rank1 --arg x=iota:12345 --arg y=empty:12345 --expect y=iota:12345 --schedules 4
// RUN: carousel-sim %s --kernel @rank2 --arg x=iota:17x21 --arg y=empty:17x21 --expect y=iota:17x21 --schedules 4
// RUN: carousel-sim %s --kernel @rank2 --arg x=iota:130x67 --arg y=empty:130x67 --expect y=iota:130x67 --schedules 4
// RUN: carousel-sim %s --kernel @rank3 --arg x=iota:5x7x9 --arg y=empty:5x7x9 --expect y=iota:5x7x9 --schedules 4
// RUN: carousel-sim %s --kernel @rank3 --arg x=iota:9x33x17 --arg y=empty:9x33x17 --expect y=iota:9x33x17 --schedules 4
// RUN: carousel-sim %s --kernel @rank4 --arg x=iota:3x5x4x7 --arg y=empty:3x5x4x7 --expect y=iota:3x5x4x7 --schedules 4
// RUN: carousel-sim %s --kernel @rank4 --arg x=iota:5x6x7x9 --arg y=empty:5x6x7x9 --expect y=iota:5x6x7x9 --schedules 4
// RUN: carousel-sim %s --kernel @rank5 --arg x=iota:3x2x5x4x3 --arg y=empty:3x2x5x4x3 --expect y=iota:3x2x5x4x3 --schedules 4
// RUN: carousel-sim %s --kernel @rank5 --arg x=iota:4x3x5x7x6 --arg y=empty:4x3x5x7x6 --expect y=iota:4x3x5x7x6 --schedules 4

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @copies {
  gpu.func @rank1(%x: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [96]>} {
    %c0 = arith.constant 0 : index
    %t64 = arith.constant 64 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %t64 : index
    %step = arith.muli %blocks, %t64 : index
    %n0 = memref.dim %x, %c0 : memref<?xi32, #gl>
    %tile = memref.alloc() : memref<64xi32, #ws>
    scf.for %i0 = %first to %n0 step %step {
      carousel.load %x[%i0] to %tile : memref<?xi32, #gl>, memref<64xi32, #ws>
      carousel.store %tile to %y[%i0] : memref<64xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  gpu.func @rank2(%x: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [96]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t16 = arith.constant 16 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %t16 : index
    %step = arith.muli %blocks, %t16 : index
    %n0 = memref.dim %x, %c0 : memref<?x?xi32, #gl>
    %n1 = memref.dim %x, %c1 : memref<?x?xi32, #gl>
    %tile = memref.alloc() : memref<16x16xi32, #ws>
    scf.for %i0 = %first to %n0 step %step {
      scf.for %i1 = %c0 to %n1 step %t16 {
        carousel.load %x[%i0, %i1] to %tile : memref<?x?xi32, #gl>, memref<16x16xi32, #ws>
        carousel.store %tile to %y[%i0, %i1] : memref<16x16xi32, #ws>, memref<?x?xi32, #gl>
      }
    }
    gpu.return
  }

  gpu.func @rank3(%x: memref<?x?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [96]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t4 = arith.constant 4 : index
    %t8 = arith.constant 8 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %t4 : index
    %step = arith.muli %blocks, %t4 : index
    %n0 = memref.dim %x, %c0 : memref<?x?x?xi32, #gl>
    %n1 = memref.dim %x, %c1 : memref<?x?x?xi32, #gl>
    %n2 = memref.dim %x, %c2 : memref<?x?x?xi32, #gl>
    %tile = memref.alloc() : memref<4x4x8xi32, #ws>
    scf.for %i0 = %first to %n0 step %step {
      scf.for %i1 = %c0 to %n1 step %t4 {
        scf.for %i2 = %c0 to %n2 step %t8 {
          carousel.load %x[%i0, %i1, %i2] to %tile : memref<?x?x?xi32, #gl>, memref<4x4x8xi32, #ws>
          carousel.store %tile to %y[%i0, %i1, %i2] : memref<4x4x8xi32, #ws>, memref<?x?x?xi32, #gl>
        }
      }
    }
    gpu.return
  }

  gpu.func @rank4(%x: memref<?x?x?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x?x?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [96]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %t2 = arith.constant 2 : index
    %t4 = arith.constant 4 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %t2 : index
    %step = arith.muli %blocks, %t2 : index
    %n0 = memref.dim %x, %c0 : memref<?x?x?x?xi32, #gl>
    %n1 = memref.dim %x, %c1 : memref<?x?x?x?xi32, #gl>
    %n2 = memref.dim %x, %c2 : memref<?x?x?x?xi32, #gl>
    %n3 = memref.dim %x, %c3 : memref<?x?x?x?xi32, #gl>
    %tile = memref.alloc() : memref<2x2x4x4xi32, #ws>
    scf.for %i0 = %first to %n0 step %step {
      scf.for %i1 = %c0 to %n1 step %t2 {
        scf.for %i2 = %c0 to %n2 step %t4 {
          scf.for %i3 = %c0 to %n3 step %t4 {
            carousel.load %x[%i0, %i1, %i2, %i3] to %tile : memref<?x?x?x?xi32, #gl>, memref<2x2x4x4xi32, #ws>
            carousel.store %tile to %y[%i0, %i1, %i2, %i3] : memref<2x2x4x4xi32, #ws>, memref<?x?x?x?xi32, #gl>
          }
        }
      }
    }
    gpu.return
  }

  gpu.func @rank5(%x: memref<?x?x?x?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x?x?x?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [96]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %t2 = arith.constant 2 : index
    %t4 = arith.constant 4 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %t2 : index
    %step = arith.muli %blocks, %t2 : index
    %n0 = memref.dim %x, %c0 : memref<?x?x?x?x?xi32, #gl>
    %n1 = memref.dim %x, %c1 : memref<?x?x?x?x?xi32, #gl>
    %n2 = memref.dim %x, %c2 : memref<?x?x?x?x?xi32, #gl>
    %n3 = memref.dim %x, %c3 : memref<?x?x?x?x?xi32, #gl>
    %n4 = memref.dim %x, %c4 : memref<?x?x?x?x?xi32, #gl>
    %tile = memref.alloc() : memref<2x2x2x4x4xi32, #ws>
    scf.for %i0 = %first to %n0 step %step {
      scf.for %i1 = %c0 to %n1 step %t2 {
        scf.for %i2 = %c0 to %n2 step %t2 {
          scf.for %i3 = %c0 to %n3 step %t4 {
            scf.for %i4 = %c0 to %n4 step %t4 {
              carousel.load %x[%i0, %i1, %i2, %i3, %i4] to %tile : memref<?x?x?x?x?xi32, #gl>, memref<2x2x2x4x4xi32, #ws>
              carousel.store %tile to %y[%i0, %i1, %i2, %i3, %i4] : memref<2x2x2x4x4xi32, #ws>, memref<?x?x?x?x?xi32, #gl>
            }
          }
        }
      }
    }
    gpu.return
  }
}
