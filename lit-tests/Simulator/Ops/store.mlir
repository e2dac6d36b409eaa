// store: the box is written once all threads of the scope have come, and seen by them before the next
// op; what lies outside isn't written; reductions count once for the scope.
// RUN: carousel-sim %s --kernel @clipped --arg y=zeros:6x6 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @seen --arg y=zeros:32 --arg z=empty:32 --expect y=iota:32 --expect z=iota:32 --schedules 8
// RUN: carousel-sim %s --kernel @reduce --arg y=iota:40 --arg m=iota:32 --reference @expected_reduce --schedules 8
// RUN: carousel-sim %s --kernel @warps --arg y=zeros:128 --expect y=iota:128 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!t48 = memref<4x8xf32, #ws>
!t32 = memref<32xf32, #ws>
!y32 = memref<32xf32, #gl>

gpu.module @m {
  // A tile of 1, 2, 3... at [3, 4] of 6x6: three rows of two are inside.
  gpu.func @clipped(%y: !matrix {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%tile: !t48) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 4]>} {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %before = arith.muli %ty, %c8 : index
    %i = arith.addi %before, %tx : index
    %next = arith.addi %i, %c1 : index
    %next_i32 = arith.index_cast %next : index to i32
    %v = arith.sitofp %next_i32 : i32 to f32
    memref.store %v, %tile[%ty, %tx] : !t48
    carousel.store %tile to %y[%c3, %c4] : !t48, !matrix
    gpu.return
  }

  // Threads read what the store wrote, and may write the tile again.
  gpu.func @seen(%y: !y32 {carousel.argument = #carousel.argument<"y", inout>},
                 %z: !y32 {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%tile: !t32) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %j = arith.subi %c31, %t : index
    %t_i32 = arith.index_cast %t : index to i32
    %v = arith.sitofp %t_i32 : i32 to f32
    memref.store %v, %tile[%t] : !t32
    carousel.store %tile to %y[%c0] in_bounds cache(evict_last) : !t32, !y32
    memref.store %zero, %tile[%j] : !t32
    %w = memref.load %y[%j] : !y32
    memref.store %w, %z[%j] : !y32
    gpu.return
  }

  // Two CTAs of 64 threads add 32 tens to y from 16 on, of 40; and take the maxima with 16s.
  gpu.func @reduce(%y: memref<40xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                   %m: memref<32xi32, #gl> {carousel.argument = #carousel.argument<"m", inout>})
      workgroup(%tile: !t32, %ints: memref<32xi32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ten = arith.constant 10.0 : f32
    %sixteen = arith.constant 16 : i32
    %t = gpu.thread_id x
    %writes = arith.cmpi ult, %t, %c32 : index
    scf.if %writes {
      memref.store %ten, %tile[%t] : !t32
      memref.store %sixteen, %ints[%t] : memref<32xi32, #ws>
    }
    carousel.store %tile to %y[%c16] reduce<add f32> : !t32, memref<40xf32, #gl>
    carousel.store %ints to %m[%c0] reduce<max s32> : memref<32xi32, #ws>, memref<32xi32, #gl>
    gpu.return
  }

  gpu.func @warps(%y: memref<128xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%tiles: memref<4x32xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %warp = arith.divui %t, %c32 : index
    %lane = arith.remui %t, %c32 : index
    %first = arith.muli %warp, %c32 : index
    %t_i32 = arith.index_cast %t : index to i32
    %v = arith.sitofp %t_i32 : i32 to f32
    memref.store %v, %tiles[%warp, %lane] : memref<4x32xf32, #ws>
    %tile = memref.subview %tiles[%warp, 0] [1, 32] [1, 1]
        : memref<4x32xf32, #ws> to memref<32xf32, strided<[1], offset: ?>, #ws>
    carousel.store %tile to %y[%first] scope(warp)
        : memref<32xf32, strided<[1], offset: ?>, #ws>, memref<128xf32, #gl>
    gpu.return
  }
}

// y is zero before.
func.func @expected(%y: memref<?x?xf32>) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %v3 = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %v4 = arith.constant dense<[9.0, 10.0]> : vector<2xf32>
  %v5 = arith.constant dense<[17.0, 18.0]> : vector<2xf32>
  vector.store %v3, %y[%c3, %c4] : memref<?x?xf32>, vector<2xf32>
  vector.store %v4, %y[%c4, %c4] : memref<?x?xf32>, vector<2xf32>
  vector.store %v5, %y[%c5, %c4] : memref<?x?xf32>, vector<2xf32>
  return
}

func.func @expected_reduce(%y: memref<40xf32>, %m: memref<32xi32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant dense<[36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0,
                             48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0,
                             59.0]> : vector<24xf32>
  %w = arith.constant dense<16> : vector<16xi32>
  vector.store %v, %y[%c16] : memref<40xf32>, vector<24xf32>
  vector.store %w, %m[%c0] : memref<32xi32>, vector<16xi32>
  return
}
