// What bulk copies leave of a tile is filled as the tile phase says, whoever fills it: the lanes of an issuing warp, of a role,
// of a ring of a warp, or one thread of a block that isn't made of warps. Tiles that are wholly inside or outside, that end within a
// granule, rows of a box, loads under a condition, slots that are stored in place.
// RUN: carousel-opt %s -o %t.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine{prefer-engine=bulk},carousel-verify-tile,carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings,carousel-allocate-shared,carousel-verify-machine))'
// RUN: FileCheck %s < %t.mlir
// CHECK-COUNT-8: _tma
// RUN: carousel-sim %t.mlir --kernel @rows_tma --arg x=iota:7x100@104x1 --arg y=empty:7x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @rows_tma --arg x=iota:7x1@16x1 --arg y=empty:7x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @rows_tma --arg x=iota:5x251@256x1 --arg y=empty:5x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @rows_tma --arg x=iota:5x256 --arg y=empty:5x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @specialized_tma --arg x=iota:6x129@136x1 --arg y=empty:6x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @warps_tma --arg x=iota:9x77@80x1 --arg y=empty:9x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @odd_block_tma --arg x=iota:4x250@256x1 --arg y=empty:4x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @conditional_tma --arg x=iota:6x77@80x1 --arg y=empty:6x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @in_place_tma --arg x=iota:6x77@80x1 --arg y=empty:6x256 --reference @filled --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @bytes_tma --arg x=iota:3x37@48x1 --arg y=empty:3x256 --reference @filled_bytes --multiprocessors 1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @boxes_tma --arg x=iota:5x64 --arg y=empty:16x64 --reference @filled_boxes --multiprocessors 1 --policy all --schedules 1

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!out = memref<?x256xbf16, #gl>
!tile = memref<256xbf16, #ws>
gpu.module @fills {
  gpu.func @rows(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %j = arith.muli %t, %c4 : index
    %n = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %b to %n step %c2 {
      carousel.load %x[%i, %c0] to %a : !matrix, !tile
      %v = vector.load %a[%j] : !tile, vector<4xbf16>
      vector.store %v, %y[%i, %j] : !out, vector<4xbf16>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
  gpu.func @specialized(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %j = arith.muli %t, %c4 : index
    %n = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      carousel.load %x[%i, %c0] to %a : !matrix, !tile
      %v = vector.load %a[%j] : !tile, vector<4xbf16>
      vector.store %v, %y[%i, %j] : !out, vector<4xbf16>
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    gpu.return
  }
  gpu.func @warps(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    %l = arith.remui %t, %c32 : index
    %j = arith.muli %l, %c8 : index
    %n = memref.dim %x, %c0 : !matrix
    %all = memref.alloc() : memref<2x256xbf16, #ws>
    %a = memref.subview %all[%w, 0] [1, 256] [1, 1] : memref<2x256xbf16, #ws> to memref<256xbf16, strided<[1], offset: ?>, #ws>
    scf.for %i = %w to %n step %c2 {
      carousel.load %x[%i, %c0] to %a scope(warp) : !matrix, memref<256xbf16, strided<[1], offset: ?>, #ws>
      %v = vector.load %a[%j] : memref<256xbf16, strided<[1], offset: ?>, #ws>, vector<8xbf16>
      vector.store %v, %y[%i, %j] : !out, vector<8xbf16>
    } {carousel.pipeline = #carousel.pipeline<stages = 2, scope = warp>}
    gpu.return
  }
  gpu.func @odd_block(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [48]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c48 = arith.constant 48 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %n = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      carousel.load %x[%i, %c0] to %a : !matrix, !tile
      scf.for %j = %t to %c256 step %c48 {
        %v = memref.load %a[%j] : !tile
        memref.store %v, %y[%i, %j] : !out
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
  // Even rows by one load, odd ones by another.
  gpu.func @conditional(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %j = arith.muli %t, %c4 : index
    %n = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      %r = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %r, %c0 : index
      scf.if %even {
        carousel.load %x[%i, %c0] to %a : !matrix, !tile
        %v = vector.load %a[%j] : !tile, vector<4xbf16>
        vector.store %v, %y[%i, %j] : !out, vector<4xbf16>
      } else {
        carousel.load %x[%i, %c0] to %b : !matrix, !tile
        %v = vector.load %b[%j] : !tile, vector<4xbf16>
        vector.store %v, %y[%i, %j] : !out, vector<4xbf16>
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
  // The engine reads what threads have filled.
  gpu.func @in_place(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      carousel.load %x[%i, %c0] to %a : !matrix, !tile
      carousel.store %a to %y[%i, %c0] : !tile, !out
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
  gpu.func @bytes(%x: memref<?x?xi8, strided<[?, 1]>, #gl> {carousel.argument = #carousel.argument<"x", in>}, %y: memref<?x256xi8, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?x?xi8, strided<[?, 1]>, #gl>
    %a = memref.alloc() : memref<256xi8, #ws>
    scf.for %i = %c0 to %n step %c1 {
      carousel.load %x[%i, %c0] to %a : memref<?x?xi8, strided<[?, 1]>, #gl>, memref<256xi8, #ws>
      carousel.store %a to %y[%i, %c0] : memref<256xi8, #ws>, memref<?x256xi8, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
  // Boxes of 4 rows with gaps between them, the last ones wholly outside.
  gpu.func @boxes(%x: memref<?x64xf32, strided<[?, 1]>, #gl> {carousel.argument = #carousel.argument<"x", in>}, %y: memref<?x64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %n = memref.dim %y, %c0 : memref<?x64xf32, #gl>
    %a = memref.alloc() : memref<4x64xf32, #ws>
    scf.for %i = %c0 to %n step %c4 {
      carousel.load %x[%i, %c0] to %a fill(nan) : memref<?x64xf32, strided<[?, 1]>, #gl>, memref<4x64xf32, #ws>
      carousel.store %a to %y[%i, %c0] : memref<4x64xf32, #ws>, memref<?x64xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}

func.func @filled(%x: memref<?x?xbf16, strided<[?, 1]>>, %y: memref<?x256xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %fill = arith.constant 0.0 : bf16
  %n = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1]>>
  %m = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1]>>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c256 step %c1 {
      memref.store %fill, %y[%i, %j] : memref<?x256xbf16>
    }
    scf.for %j = %c0 to %m step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1]>>
      memref.store %v, %y[%i, %j] : memref<?x256xbf16>
    }
  }
  return
}

func.func @filled_bytes(%x: memref<?x?xi8, strided<[?, 1]>>, %y: memref<?x256xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %fill = arith.constant 0 : i8
  %n = memref.dim %x, %c0 : memref<?x?xi8, strided<[?, 1]>>
  %m = memref.dim %x, %c1 : memref<?x?xi8, strided<[?, 1]>>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c256 step %c1 {
      memref.store %fill, %y[%i, %j] : memref<?x256xi8>
    }
    scf.for %j = %c0 to %m step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xi8, strided<[?, 1]>>
      memref.store %v, %y[%i, %j] : memref<?x256xi8>
    }
  }
  return
}

func.func @filled_boxes(%x: memref<?x64xf32, strided<[?, 1]>>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %nan = arith.constant 0x7FC00000 : f32
  %n = memref.dim %x, %c0 : memref<?x64xf32, strided<[?, 1]>>
  %m = memref.dim %y, %c0 : memref<?x64xf32>
  scf.for %j = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      memref.store %nan, %y[%i, %j] : memref<?x64xf32>
    }
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x64xf32, strided<[?, 1]>>
      memref.store %v, %y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}
