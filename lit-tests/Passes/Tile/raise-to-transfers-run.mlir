// Kernels before and after carousel-raise-to-transfers give the same bytes on the simulated machine, and no finding.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers,carousel-verify-tile))' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: carousel-sim %s --kernel @rotate --arg x=random:1000 --arg y=empty:1000 --out y=%t.rotate.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @rotate --arg x=random:1000 --arg y=empty:1000 --expect y=%t.rotate.npy --schedules 8
// RUN: carousel-sim %s --kernel @transpose --arg x=random:48x80 --arg y=empty:80x48 --out y=%t.transpose.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @transpose --arg x=random:48x80 --arg y=empty:80x48 --expect y=%t.transpose.npy --schedules 8
// RUN: carousel-sim %s --kernel @heads --arg x=random:2x32x3x16 --arg y=empty:2x32x3x16 --out y=%t.heads.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @heads --arg x=random:2x32x3x16 --arg y=empty:2x32x3x16 --expect y=%t.heads.npy --schedules 8
// RUN: carousel-sim %s --kernel @columns --arg x=random:40x100 --arg y=empty:40x100 --out y=%t.columns.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @columns --arg x=random:40x100 --arg y=empty:40x100 --expect y=%t.columns.npy --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Ragged tiles of 256 elements, turned by one: zero fill and clipping.
  // CHECK-LABEL: gpu.func @rotate
  // CHECK: carousel.load
  // CHECK: carousel.store
  gpu.func @rotate(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%in: memref<256xf32, #ws>, %out: memref<256xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [64]>} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %n = memref.dim %x, %c0 : memref<?xf32, #gl>
    %mine = arith.muli %thread, %c2 : index
    scf.for %i = %first to %n step %step {
      gpu.barrier
      scf.for %j = %mine to %c256 step %c128 {
        %k = arith.addi %i, %j : index
        %v = vector.transfer_read %x[%k], %zero : memref<?xf32, #gl>, vector<2xf32>
        vector.transfer_write %v, %in[%j] {in_bounds = [true]} : vector<2xf32>, memref<256xf32, #ws>
      }
      gpu.barrier
      scf.for %j = %thread to %c256 step %c64 {
        %next = arith.addi %j, %c1 : index
        %other = arith.remui %next, %c256 : index
        %v = memref.load %in[%other] : memref<256xf32, #ws>
        %w = arith.addf %v, %v : f32
        memref.store %w, %out[%j] : memref<256xf32, #ws>
      }
      gpu.barrier
      %size = affine.min affine_map<(d0)[s0] -> (256, s0 - d0)>(%i)[%n]
      scf.for %j = %mine to %c256 step %c128 {
        %k = arith.addi %i, %j : index
        %v = vector.transfer_read %out[%j], %zero {in_bounds = [true]} : memref<256xf32, #ws>, vector<2xf32>
        vector.transfer_write %v, %y[%k] : vector<2xf32>, memref<?xf32, #gl>
      }
    }
    gpu.return
  }

  // Blocks of two dimensions; the tile is read across.
  // CHECK-LABEL: gpu.func @transpose
  // CHECK: carousel.load
  // CHECK-NOT: carousel.store
  gpu.func @transpose(%x: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                      %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<16x16xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [5, 3], block = [16, 4]>} {
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %col = arith.muli %bx, %c16 : index
    %row = arith.muli %by, %c16 : index
    %c = arith.addi %col, %tx : index
    scf.for %j = %ty to %c16 step %c4 {
      %r = arith.addi %row, %j : index
      %v = memref.load %x[%r, %c] : memref<?x?xf32, #gl>
      memref.store %v, %tile[%j, %tx] : memref<16x16xf32, #ws>
    }
    gpu.barrier
    %d = arith.addi %row, %tx : index
    scf.for %j = %ty to %c16 step %c4 {
      %v = memref.load %tile[%tx, %j] : memref<16x16xf32, #ws>
      %r = arith.addi %col, %j : index
      memref.store %v, %y[%r, %d] : memref<?x?xf32, #gl>
    }
    gpu.return
  }

  // One head of [batch, row, head, column]: a dimension in between that the tile doesn't have.
  // CHECK-LABEL: gpu.func @heads
  // CHECK: memref.subview
  // CHECK: carousel.load
  // CHECK: memref.subview
  // CHECK: carousel.store
  gpu.func @heads(%x: memref<?x?x?x16xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x?x?x16xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<32x16xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3, 2], block = [128]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %head = gpu.block_id x
    %batch = gpu.block_id y
    %row = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%thread)
    %col = affine.apply affine_map<(d0) -> (d0 mod 4 * 4)>(%thread)
    %v = vector.load %x[%batch, %row, %head, %col] : memref<?x?x?x16xf32, #gl>, vector<4xf32>
    vector.store %v, %tile[%row, %col] : memref<32x16xf32, #ws>, vector<4xf32>
    gpu.barrier
    %w = memref.load %tile[%c0, %c0] : memref<32x16xf32, #ws>
    gpu.barrier
    %own = vector.load %tile[%row, %col] : memref<32x16xf32, #ws>, vector<4xf32>
    %all = vector.broadcast %w : f32 to vector<4xf32>
    %sum = arith.addf %own, %all : vector<4xf32>
    vector.store %sum, %tile[%row, %col] : memref<32x16xf32, #ws>, vector<4xf32>
    gpu.barrier
    %u = vector.load %tile[%row, %col] : memref<32x16xf32, #ws>, vector<4xf32>
    vector.store %u, %y[%batch, %row, %head, %col] : memref<?x?x?x16xf32, #gl>, vector<4xf32>
    gpu.return
  }

  // A memref.copy by all threads with clamped extents out of the tile, unrolled parts into it.
  // CHECK-LABEL: gpu.func @columns
  // CHECK-COUNT-1: carousel.load
  // CHECK-COUNT-1: carousel.store
  gpu.func @columns(%x: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<8x32xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4, 5], block = [32]>} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %i = arith.muli %by, %c8 : index
    %j = arith.muli %bx, %c32 : index
    %n = memref.dim %x, %c1 : memref<?x?xf32, #gl>
    scf.for %r = %c0 to %c8 step %c1 {
      %row = arith.addi %i, %r : index
      %col = arith.addi %j, %thread : index
      %v = vector.transfer_read %x[%row, %col], %zero : memref<?x?xf32, #gl>, vector<1xf32>
      vector.transfer_write %v, %tile[%r, %thread] {in_bounds = [true]} : vector<1xf32>, memref<8x32xf32, #ws>
    }
    gpu.barrier
    %first = arith.cmpi eq, %thread, %c0 : index
    %rest = arith.subi %n, %j : index
    %size = arith.minsi %rest, %c32 : index
    %from = memref.subview %tile[0, 0] [8, %size] [1, 1]
        : memref<8x32xf32, #ws> to memref<8x?xf32, strided<[32, 1]>, #ws>
    %to = memref.subview %y[%i, %j] [8, %size] [1, 1]
        : memref<?x?xf32, #gl> to memref<8x?xf32, strided<[?, 1], offset: ?>, #gl>
    scf.if %first {
      memref.copy %from, %to : memref<8x?xf32, strided<[32, 1]>, #ws> to memref<8x?xf32, strided<[?, 1], offset: ?>, #gl>
    }
    gpu.return
  }
}
