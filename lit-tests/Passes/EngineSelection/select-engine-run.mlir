// What every variant of a kernel does, lowered to the machine's copies, is what the tile phase says:
// collapsed dimensions, wider elements in a ring and in a buffer of its own, split boxes, boxes that
// begin before the tensor, NaN, pieces of rows that aren't multiples of 16 bytes, reductions.
// RUN: carousel-opt %s -o %t.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-verify-tile,carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings,carousel-allocate-shared,carousel-verify-machine))'
// RUN: carousel-sim %t.mlir --kernel @collapse_tma --arg x=iota:11x13x4x8 --arg y=like:x --expect y=iota:11x13x4x8 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @collapse --arg x=iota:11x13x4x8 --arg y=like:x --expect y=iota:11x13x4x8 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @wide_tma --arg x=iota:2x104@112x1 --arg y=like:x --expect y=iota:2x104 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @wide_tma_ragged --arg x=iota:2x100@104x1 --arg y=like:x --expect y=iota:2x100 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @wide --arg x=iota:2x100@104x1 --arg y=like:x --expect y=iota:2x100 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @nan_tma --arg x=iota:5000 --arg y=empty:5000 --expect y=iota:5000 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @nan --arg x=iota:5000 --arg y=empty:5000 --expect y=iota:5000 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @rows_tma --arg x=iota:150x6 --arg y=zeros:150x6 --expect y=iota:150x6 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @rows_tma_ragged --arg x=iota:149x6 --arg y=zeros:149x6 --expect y=iota:149x6 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @rows --arg x=iota:149x6 --arg y=zeros:149x6 --expect y=iota:149x6 --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @shifted_tma --arg x=iota:5000 --arg y=zeros:5000 --reference @shifted_reference --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @shifted_tma_ragged --arg x=iota:5000 --arg y=zeros:5000 --reference @shifted_reference --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @shifted --arg x=iota:5000 --arg y=zeros:5000 --reference @shifted_reference --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @unordered --arg y=zeros:128 --reference @unordered_reference --policy all --schedules 2

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x4 = memref<?x?x4x8xf32, strided<[?, 32, 8, 1]>, #gl>
!wide = memref<?x?xbf16, strided<[?, 1]>, #gl>
!v = memref<?xf32, #gl>
!row3 = memref<?x6xf32, #gl>
gpu.module @mix {
  gpu.func @collapse(%x: !x4 {carousel.argument = #carousel.argument<"x", in>}, %y: !x4 {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 8)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %b = gpu.block_id x
    %i = arith.muli %b, %c8 : index
    %n = memref.dim %x, %c1 : !x4
    %t = memref.alloc() {alignment = 128 : i64} : memref<8x8x4x8xf32, #ws>
    scf.for %j = %c0 to %n step %c8 {
      carousel.load %x[%i, %j, %c0, %c0] to %t : !x4, memref<8x8x4x8xf32, #ws>
      carousel.store %t to %y[%i, %j, %c0, %c0] : memref<8x8x4x8xf32, #ws>, !x4
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
  gpu.func @wide(%x: !wide {carousel.argument = #carousel.argument<"x", in>}, %y: !wide {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c1024 = arith.constant 1024 : index
    %b = gpu.block_id x
    %i = arith.muli %b, %c4 : index
    %n = memref.dim %x, %c1 : !wide
    %t = memref.alloc() {alignment = 128 : i64} : memref<4x1024xbf16, #ws>
    scf.for %j = %c0 to %n step %c1024 {
      carousel.load %x[%i, %j] to %t : !wide, memref<4x1024xbf16, #ws>
      carousel.store %t to %y[%i, %j] : memref<4x1024xbf16, #ws>, !wide
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
  // y[i] = x[i - 64], zero before the begin. The tile isn't a ring's.
  gpu.func @shifted(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2048)], block = [64]>} {
    %c64 = arith.constant 64 : index
    %c2048 = arith.constant 2048 : index
    %b = gpu.block_id x
    %i = arith.muli %b, %c2048 : index
    %o = arith.subi %i, %c64 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<2048xf32, #ws>
    carousel.load %x[%o] to %t : !v, memref<2048xf32, #ws>
    carousel.store %t to %y[%i] : memref<2048xf32, #ws>, !v
    gpu.return
  }
  gpu.func @nan(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 2048)], block = [64]>} {
    %c2048 = arith.constant 2048 : index
    %b = gpu.block_id x
    %i = arith.muli %b, %c2048 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<2048xf32, #ws>
    carousel.load %x[%i] to %t fill(nan) : !v, memref<2048xf32, #ws>
    carousel.store %t to %y[%i] : memref<2048xf32, #ws>, !v
    gpu.return
  }
  // CTAs reduce into boxes that overlap, at the same time, and no engine can carry one of them out.
  gpu.func @unordered(%y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %b = gpu.block_id x
    %o = arith.addi %b, %c1 : index
    %i = gpu.thread_id x
    %t = memref.alloc() : memref<64xi32, #ws>
    memref.store %one, %t[%i] : memref<64xi32, #ws>
    carousel.store %t to %y[%c0] reduce<add u32> : memref<64xi32, #ws>, memref<?xi32, #gl>
    carousel.store %t to %y[%o] reduce<add u32> : memref<64xi32, #ws>, memref<?xi32, #gl>
    gpu.return
  }
  gpu.func @rows(%x: !row3 {carousel.argument = #carousel.argument<"x", in>}, %y: !row3 {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 64)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %b = gpu.block_id x
    %i = arith.muli %b, %c64 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<64x6xf32, #ws>
    carousel.load %x[%i, %c0] to %t : !row3, memref<64x6xf32, #ws>
    carousel.store %t to %y[%i, %c0] reduce<add f32> : memref<64x6xf32, #ws>, !row3
    gpu.return
  }
}

func.func @shifted_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c64 to %n step %c1 {
    %o = arith.subi %i, %c64 : index
    %v = memref.load %x[%o] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}

func.func @unordered_reference(%y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  scf.for %b = %c0 to %c2 step %c1 {
    %o = arith.addi %b, %c1 : index
    scf.for %i = %c0 to %c64 step %c1 {
      %j = arith.addi %o, %i : index
      %u = memref.load %y[%i] : memref<?xi32>
      %u1 = arith.addi %u, %one : i32
      memref.store %u1, %y[%i] : memref<?xi32>
      %v = memref.load %y[%j] : memref<?xi32>
      %v1 = arith.addi %v, %one : i32
      memref.store %v1, %y[%j] : memref<?xi32>
    }
  }
  return
}
