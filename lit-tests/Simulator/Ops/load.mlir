// load: a tile is complete and seen by all threads of the scope before the next op; what lies
// outside is zero, or NaN; fewer dimensions than the memref; each warp its own.
// RUN: carousel-sim %s --kernel @cta --arg x=iota:6x6 --arg y=empty:4x8 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @nan --arg x=iota:6 --arg y=empty:8 --reference @expected_nan --schedules 8
// RUN: carousel-sim %s --kernel @row --arg x=iota:4x3x8 --arg y=empty:8 --reference @expected_row --schedules 8
// RUN: carousel-sim %s --kernel @strided --arg x=iota:8x8 --arg y=empty:4 --reference @expected_strided --schedules 8
// RUN: carousel-sim %s --kernel @warps --arg x=iota:128 --arg y=empty:128 --expect y=iota:128 --schedules 8
// RUN: carousel-sim %s --kernel @warpgroups --arg x=iota:256 --arg y=empty:256 --expect y=iota:256 --schedules 8
// RUN: carousel-sim %s --kernel @again --arg x=iota:128 --arg y=empty:128 --expect y=iota:128 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!t48 = memref<4x8xf32, #ws>
!t8 = memref<8xf32, #ws>
!t32 = memref<32xf32, #ws>

gpu.module @m {
  // The box 4x8 at [-1, 2] of 6x6: y = the tile, read by other threads than wrote it.
  gpu.func @cta(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                %y: memref<4x8xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !t48) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 4]>} {
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %row = arith.constant -1 : index
    %column = arith.constant 2 : index
    carousel.load %x[%row, %column] to %tile : !matrix, !t48
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %i = arith.subi %c3, %ty : index
    %j = arith.subi %c7, %tx : index
    %v = memref.load %tile[%i, %j] : !t48
    memref.store %v, %y[%i, %j] : memref<4x8xf32, #gl>
    gpu.return
  }

  // y = the element, 100 where it isn't a number.
  gpu.func @nan(%x: memref<6xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                %y: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !t8) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    carousel.load %x[%c0] to %tile fill(nan) cache(evict_first) : memref<6xf32, #gl>, !t8
    %v = memref.load %tile[%t] : !t8
    %isnt = arith.cmpf uno, %v, %v : f32
    %mark = arith.constant 100.0 : f32
    %w = arith.select %isnt, %mark, %v : f32
    memref.store %w, %y[%t] : memref<8xf32, #gl>
    gpu.return
  }

  // x[2, 1, :], of which the first two dimensions have extent 1 in the box.
  gpu.func @row(%x: memref<4x3x8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !t8) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    carousel.load %x[%c2, %c1, %c0] to %tile in_bounds : memref<4x3x8xf32, #gl>, !t8
    %v = memref.load %tile[%t] : !t8
    memref.store %v, %y[%t] : memref<8xf32, #gl>
    gpu.return
  }

  // Every second row, every second column of a view of x, from its [1, 1] on.
  gpu.func @strided(%x: memref<8x8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<2x2xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %view = memref.subview %x[0, 1] [4, 3] [2, 2]
        : memref<8x8xf32, #gl> to memref<4x3xf32, strided<[16, 2], offset: 1>, #gl>
    carousel.load %view[%c1, %c1] to %tile
        : memref<4x3xf32, strided<[16, 2], offset: 1>, #gl>, memref<2x2xf32, #ws>
    %i = arith.divui %t, %c2 : index
    %j = arith.remui %t, %c2 : index
    %v = memref.load %tile[%i, %j] : memref<2x2xf32, #ws>
    memref.store %v, %y[%t] : memref<4xf32, #gl>
    gpu.return
  }

  // Each warp loads its own 32 elements to its own tile: no warp waits for another.
  gpu.func @warps(%x: memref<128xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<128xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tiles: memref<4x32xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %warp = arith.divui %t, %c32 : index
    %lane = arith.remui %t, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %tile = memref.subview %tiles[%warp, 0] [1, 32] [1, 1]
        : memref<4x32xf32, #ws> to memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.load %x[%first] to %tile scope(warp)
        : memref<128xf32, #gl>, memref<32xf32, strided<[1], offset: ?>, #ws>
    %j = arith.xori %lane, %c1 : index
    %v = memref.load %tile[%j] : memref<32xf32, strided<[1], offset: ?>, #ws>
    %i = arith.addi %first, %j : index
    memref.store %v, %y[%i] : memref<128xf32, #gl>
    gpu.return
  }

  gpu.func @warpgroups(%x: memref<256xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                       %y: memref<256xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tiles: memref<2x128xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %group = arith.divui %t, %c128 : index
    %rank = arith.remui %t, %c128 : index
    %first = arith.muli %group, %c128 : index
    %tile = memref.subview %tiles[%group, 0] [1, 128] [1, 1]
        : memref<2x128xf32, #ws> to memref<128xf32, strided<[1], offset: ?>, #ws>
    carousel.load %x[%first] to %tile scope(warpgroup)
        : memref<256xf32, #gl>, memref<128xf32, strided<[1], offset: ?>, #ws>
    %j = arith.subi %c127, %rank : index
    %v = memref.load %tile[%j] : memref<128xf32, strided<[1], offset: ?>, #ws>
    %i = arith.addi %first, %j : index
    memref.store %v, %y[%i] : memref<256xf32, #gl>
    gpu.return
  }

  // One tile again and again: a load starts after all have read what the last one brought.
  gpu.func @again(%x: memref<128xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<128xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !t32) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    scf.for %first = %c0 to %c128 step %c32 {
      carousel.load %x[%first] to %tile swizzle(b128) : memref<128xf32, #gl>, !t32
      %j = arith.subi %c31, %t : index
      %v = memref.load %tile[%j] : !t32
      %i = arith.addi %first, %j : index
      memref.store %v, %y[%i] : memref<128xf32, #gl>
    }
    gpu.return
  }
}

func.func @expected(%x: memref<?x?xf32>, %y: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %v = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                             2.0, 3.0, 4.0, 5.0, 0.0, 0.0, 0.0, 0.0,
                             8.0, 9.0, 10.0, 11.0, 0.0, 0.0, 0.0, 0.0,
                             14.0, 15.0, 16.0, 17.0, 0.0, 0.0, 0.0, 0.0]> : vector<32xf32>
  vector.store %v, %flat[%c0] : memref<32xf32>, vector<32xf32>
  return
}

func.func @expected_nan(%x: memref<6xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 100.0, 100.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}

func.func @expected_row(%x: memref<4x3x8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // 2 * 24 + 1 * 8
  %v = arith.constant dense<[56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}

func.func @expected_strided(%x: memref<8x8xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // x[2, 3], x[2, 5], x[4, 3], x[4, 5]
  %v = arith.constant dense<[19.0, 21.0, 35.0, 37.0]> : vector<4xf32>
  vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>
  return
}
