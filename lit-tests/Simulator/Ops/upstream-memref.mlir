// memref: views and shapes of one buffer, memory of one's own, allocations, atomics of every kind.
// RUN: carousel-sim %s --kernel @views --arg x=iota:4x6 --arg y=empty:8 --reference @expected_views --schedules 4
// RUN: carousel-sim %s --kernel @shapes --arg x=iota:4x6 --arg y=empty:24 --expect y=iota:24 --schedules 4
// RUN: carousel-sim %s --kernel @bytes --arg y=empty:16 --expect y=iota:16 --schedules 4
// RUN: carousel-sim %s --kernel @own --arg y=empty:64 --expect y=iota:64 --schedules 4
// RUN: carousel-sim %s --kernel @copy --arg x=iota:4x6 --arg y=empty:8 --reference @expected_copy --schedules 4
// RUN: carousel-sim %s --kernel @atomics --arg i=zeros:9 --arg f=zeros:3 --reference @expected_atomics --schedules 4
// RUN: carousel-sim %s --kernel @generic --arg y=zeros:1 --reference @expected_generic --schedules 4

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<4x6xf32, #gl>
!y8 = memref<8xf32, #gl>
!y24 = memref<24xf32, #gl>

gpu.module @m {
  // y = the view [1.., 1..] step [2, 2] of x, extents 2x2; x transposed at [5, 0] and [0, 3]; x as
  // 2 x 12 at [1, 0]; what memref.dim says of x as a matrix of unknown rows.
  gpu.func @views(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                  %y: !y8 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %sub = memref.subview %x[%c1, 1] [2, 2] [2, %c2]
        : !x to memref<2x2xf32, strided<[12, ?], offset: ?>, #gl>
    %v0 = memref.load %sub[%c0, %c0] : memref<2x2xf32, strided<[12, ?], offset: ?>, #gl>
    %v1 = memref.load %sub[%c0, %c1] : memref<2x2xf32, strided<[12, ?], offset: ?>, #gl>
    %v2 = memref.load %sub[%c1, %c0] : memref<2x2xf32, strided<[12, ?], offset: ?>, #gl>
    %v3 = memref.load %sub[%c1, %c1] : memref<2x2xf32, strided<[12, ?], offset: ?>, #gl>
    %across = memref.transpose %x (i, j) -> (j, i) : !x to memref<6x4xf32, strided<[1, 6]>, #gl>
    %v4 = memref.load %across[%c5, %c0] : memref<6x4xf32, strided<[1, 6]>, #gl>
    %v5 = memref.load %across[%c0, %c3] : memref<6x4xf32, strided<[1, 6]>, #gl>
    %wide = memref.reinterpret_cast %x to offset: [0], sizes: [2, 12], strides: [12, 1]
        : !x to memref<2x12xf32, #gl>
    %v6 = memref.load %wide[%c1, %c0] : memref<2x12xf32, #gl>
    %any = memref.cast %x : !x to memref<?x6xf32, #gl>
    %rows = memref.dim %any, %c0 : memref<?x6xf32, #gl>
    %rows_i32 = arith.index_cast %rows : index to i32
    %v7 = arith.sitofp %rows_i32 : i32 to f32
    memref.store %v0, %y[%c0] : !y8
    memref.store %v1, %y[%c1] : !y8
    memref.store %v2, %y[%c2] : !y8
    memref.store %v3, %y[%c3] : !y8
    memref.store %v4, %y[%c4] : !y8
    memref.store %v5, %y[%c5] : !y8
    memref.store %v6, %y[%c6] : !y8
    memref.store %v7, %y[%c7] : !y8
    gpu.return
  }

  // Written flat, read in three dimensions, in shared memory.
  gpu.func @shapes(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y24 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<2x2x6xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [24]>} {
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %t = gpu.thread_id x
    %from = memref.collapse_shape %x [[0, 1]] : !x into memref<24xf32, #gl>
    %flat = memref.collapse_shape %tile [[0, 1, 2]]
        : memref<2x2x6xf32, #ws> into memref<24xf32, #ws>
    %v = memref.load %from[%t] : memref<24xf32, #gl>
    memref.store %v, %flat[%t] : memref<24xf32, #ws>
    gpu.barrier
    %rows = memref.collapse_shape %tile [[0, 1], [2]]
        : memref<2x2x6xf32, #ws> into memref<4x6xf32, #ws>
    %again = memref.expand_shape %rows [[0, 1], [2]] output_shape [2, 2, 6]
        : memref<4x6xf32, #ws> into memref<2x2x6xf32, #ws>
    %k = arith.remui %t, %c6 : index
    %row = arith.divui %t, %c6 : index
    %j = arith.remui %row, %c2 : index
    %i = arith.divui %row, %c2 : index
    %w = memref.load %again[%i, %j, %k] : memref<2x2x6xf32, #ws>
    memref.store %w, %y[%t] : !y24
    gpu.return
  }

  // Bytes of shared memory seen as words, from a place that isn't the first.
  gpu.func @bytes(%y: memref<16xi8, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bytes: memref<64xi8, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %words = memref.view %bytes[%c16][%c4] : memref<64xi8, #ws> to memref<?xi32, #ws>
    %writes = arith.cmpi ult, %t, %c4 : index
    scf.if %writes {
      // 0x03020100 and 0x04040404 a step.
      %first = arith.constant 0x03020100 : i32
      %step = arith.constant 0x04040404 : i32
      %t_i32 = arith.index_cast %t : index to i32
      %more = arith.muli %t_i32, %step : i32
      %word = arith.addi %first, %more : i32
      memref.store %word, %words[%t] : memref<?xi32, #ws>
    }
    gpu.barrier
    %at = arith.addi %t, %c16 : index
    %byte = memref.load %bytes[%at] : memref<64xi8, #ws>
    memref.store %byte, %y[%t] : memref<16xi8, #gl>
    gpu.return
  }

  // Stack memory is a thread's own; an allocation in shared memory is the CTA's.
  gpu.func @own(%y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %stack = memref.alloca() : memref<2xi32>
    %tile = memref.alloc() : memref<64xi32, #ws>
    %v = arith.index_cast %t : index to i32
    memref.store %v, %stack[%c0] : memref<2xi32>
    %twice = arith.addi %v, %v : i32
    memref.store %twice, %stack[%c1] : memref<2xi32>
    gpu.barrier
    %a = memref.load %stack[%c0] : memref<2xi32>
    %b = memref.load %stack[%c1] : memref<2xi32>
    %w = arith.subi %b, %a : i32
    memref.store %w, %tile[%t] : memref<64xi32, #ws>
    gpu.barrier
    %j = arith.subi %c63, %t : index
    %u = memref.load %tile[%j] : memref<64xi32, #ws>
    memref.store %u, %y[%j] : memref<64xi32, #gl>
    gpu.return
  }

  // A part of x to a tile, and from there on.
  gpu.func @copy(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                 %y: !y8 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<2x4xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %sub = memref.subview %x[1, 2] [2, 4] [2, 1]
        : !x to memref<2x4xf32, strided<[12, 1], offset: 8>, #gl>
    memref.copy %sub, %tile
        : memref<2x4xf32, strided<[12, 1], offset: 8>, #gl> to memref<2x4xf32, #ws>
    %flat = memref.collapse_shape %tile [[0, 1]] : memref<2x4xf32, #ws> into memref<8xf32, #ws>
    memref.copy %flat, %y : memref<8xf32, #ws> to !y8
    gpu.return
  }

  // By 64 threads of two CTAs on zeros: addi 1, ori t, maxs t, mins -t, maxu -t, minu t,
  // assign 7, andi 2, and a sum of the old values of a counter; addf, maximumf, minimumf.
  gpu.func @atomics(%i: memref<9xi32, #gl> {carousel.argument = #carousel.argument<"i", inout>},
                    %f: memref<3xf32, #gl> {carousel.argument = #carousel.argument<"f", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %seven = arith.constant 7 : i32
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %m = arith.subi %zero, %v : i32
    %g = arith.sitofp %v : i32 to f32
    %n = arith.negf %g : f32
    %one_f32 = arith.constant 1.0 : f32
    %old = memref.atomic_rmw addi %one, %i[%c0] : (i32, memref<9xi32, #gl>) -> i32
    %o1 = memref.atomic_rmw ori %v, %i[%c1] : (i32, memref<9xi32, #gl>) -> i32
    %o2 = memref.atomic_rmw maxs %v, %i[%c2] : (i32, memref<9xi32, #gl>) -> i32
    %o3 = memref.atomic_rmw mins %m, %i[%c3] : (i32, memref<9xi32, #gl>) -> i32
    %o4 = memref.atomic_rmw maxu %m, %i[%c4] : (i32, memref<9xi32, #gl>) -> i32
    %o5 = memref.atomic_rmw minu %v, %i[%c5] : (i32, memref<9xi32, #gl>) -> i32
    %o6 = memref.atomic_rmw assign %seven, %i[%c6] : (i32, memref<9xi32, #gl>) -> i32
    %o7 = memref.atomic_rmw andi %two, %i[%c7] : (i32, memref<9xi32, #gl>) -> i32
    // Each old value of the counter comes once: 0 + 1 + ... + 63.
    %o8 = memref.atomic_rmw addi %old, %i[%c8] : (i32, memref<9xi32, #gl>) -> i32
    %p0 = memref.atomic_rmw addf %one_f32, %f[%c0] : (f32, memref<3xf32, #gl>) -> f32
    %p1 = memref.atomic_rmw maximumf %g, %f[%c1] : (f32, memref<3xf32, #gl>) -> f32
    %p2 = memref.atomic_rmw minimumf %n, %f[%c2] : (f32, memref<3xf32, #gl>) -> f32
    gpu.return
  }

  // x = 3 x + 1 mod 101, 64 times.
  gpu.func @generic(%y: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %r = memref.generic_atomic_rmw %y[%c0] : memref<1xi32, #gl> {
    ^bb0(%x: i32):
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %prime = arith.constant 101 : i32
      %triple = arith.muli %x, %three : i32
      %next = arith.addi %triple, %one : i32
      %low = arith.remui %next, %prime : i32
      memref.atomic_yield %low : i32
    }
    gpu.return
  }
}

func.func @expected_views(%x: memref<4x6xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[7.0, 9.0, 19.0, 21.0, 5.0, 18.0, 12.0, 4.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}

func.func @expected_copy(%x: memref<4x6xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[8.0, 9.0, 10.0, 11.0, 20.0, 21.0, 22.0, 23.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}

func.func @expected_atomics(%i: memref<9xi32>, %f: memref<3xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[64, 31, 31, -31, -1, 0, 7, 0, 2016]> : vector<9xi32>
  %w = arith.constant dense<[64.0, 31.0, -31.0]> : vector<3xf32>
  vector.store %v, %i[%c0] : memref<9xi32>, vector<9xi32>
  vector.store %w, %f[%c0] : memref<3xf32>, vector<3xf32>
  return
}

func.func @expected_generic(%y: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 94 : i32
  memref.store %v, %y[%c0] : memref<1xi32>
  return
}
