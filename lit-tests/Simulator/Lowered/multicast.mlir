// Tiles that the CTAs of a cluster share, at the tile phase and lowered, under all schedules: no iteration, one, fewer than
// stages, and several tiles of a CTA; clusters of two and of four; roles and all threads. Sums of small integers are exact.
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a -o %t.2.mlir
// RUN: sed 's/%c2 = arith.constant 2/%c2 = arith.constant 4/; s/, 2), 1) \* 2\]/, 4), 1) * 4]/; s/multicast = 2/multicast = 4/' %s > %t.four.mlir
// RUN: carousel-opt %t.four.mlir --carousel-lower=chip=sm_90a -o %t.4.mlir
// RUN: FileCheck %s --input-file %t.2.mlir
// A barrier of the CTA behind the accesses to a slot says nothing to the others.
// RUN: sed 's/^        scf.yield %next : f32/        gpu.barrier\n&/' %s > %t.met.mlir
// RUN: carousel-opt %t.met.mlir --carousel-lower=chip=sm_90a -o %t.barrier.mlir
// RUN: FileCheck %s --input-file %t.4.mlir --check-prefix=FOUR
// DEFINE: %{args} = --arg x=iota:64x8 --arg w=iota:8x36 --arg y=empty:64x36
// DEFINE: %{many} = --arg x=iota:64x68 --arg w=iota:68x36 --arg y=empty:64x36
// DEFINE: %{none} = --arg x=empty:64x0 --arg w=empty:0x36 --arg y=empty:64x36
// DEFINE: %{policies} = --policy all --schedules 2 --multiprocessors 4
// RUN: carousel-sim %s --kernel @product %{args} --out y=%t.args.npy --quiet --again --kernel @product %{many} --out y=%t.many.npy --quiet --again --kernel @product %{none} --out y=%t.none.npy --quiet
// RUN: carousel-sim %t.2.mlir --kernel @product_tma %{policies} %{args} --expect y=%t.args.npy --again --kernel @product_tma %{policies} %{many} --expect y=%t.many.npy --again --kernel @unified_tma %{policies} %{many} --expect y=%t.many.npy
// RUN: carousel-sim %t.barrier.mlir --kernel @unified_tma %{policies} %{many} --expect y=%t.many.npy
// RUN: sed 's/%c2 = arith.constant 2/%c2 = arith.constant 3/; s/, 2), 1) \* 2\]/, 3), 1) * 3]/; s/multicast = 2/multicast = 3/' %s | carousel-opt --carousel-lower=chip=sm_90a -o %t.3.mlir
// RUN: carousel-sim %t.3.mlir --kernel @product_tma --multiprocessors 6 %{many} --expect y=%t.many.npy
// RUN: carousel-sim %t.4.mlir --kernel @product_tma %{policies} %{args} --expect y=%t.args.npy --again --kernel @product_tma %{policies} %{many} --expect y=%t.many.npy --again --kernel @unified_tma %{policies} %{many} --expect y=%t.many.npy
// RUN: carousel-sim %t.2.mlir --kernel @product %{policies} %{none} --expect y=%t.none.npy

// CHECK-LABEL: gpu.func @product_tma
// CHECK-SAME: cluster = [2]
// CHECK-LABEL: gpu.func @unified_tma
// CHECK-SAME: cluster = [2]
// FOUR-LABEL: gpu.func @product_tma
// FOUR-SAME: cluster = [4]

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!rows = memref<8x16xf32, #ws>
!columns = memref<16x16xf32, #ws>

gpu.module @m {
  // y = x * w: a CTA has tiles of 8 x 16. Those of a cluster have the same columns.
  gpu.func @product(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                    %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [max(floordiv(min(ceildiv(extent(2, 0), 8) * ceildiv(extent(2, 1), 16), resident), 2), 1) * 2],
        block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %i = arith.divui %thread, %c16 : index
    %j = arith.remui %thread, %c16 : index
    %id = gpu.block_id x
    %grid = gpu.grid_dim x
    %rank = arith.remui %id, %c2 : index
    %first = arith.divui %id, %c2 : index
    %clusters = arith.divui %grid, %c2 : index
    %m = memref.dim %y, %c0 : !matrix
    %n = memref.dim %y, %c1 : !matrix
    %depth = memref.dim %x, %c1 : !matrix
    %down = arith.ceildivui %m, %c8 : index
    %groups = arith.ceildivui %down, %c2 : index
    %across = arith.ceildivui %n, %c16 : index
    %tiles = arith.muli %groups, %across : index
    %a = memref.alloc() {alignment = 128 : i64} : !rows
    %b = memref.alloc() {alignment = 128 : i64} : !columns
    scf.for %tile = %first to %tiles step %clusters {
      %group = arith.remui %tile, %groups : index
      %tile_column = arith.divui %tile, %groups : index
      %row_of_group = arith.muli %group, %c2 : index
      %tile_row = arith.addi %row_of_group, %rank : index
      %row = arith.muli %tile_row, %c8 : index
      %column = arith.muli %tile_column, %c16 : index
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %zero) -> f32 {
        carousel.load %x[%row, %k] to %a : !matrix, !rows
        carousel.load %w[%k, %column] to %b : !matrix, !columns
        %next = scf.for %p = %c0 to %c16 step %c1 iter_args(%t = %s) -> f32 {
          %u = memref.load %a[%i, %p] : !rows
          %v = memref.load %b[%p, %j] : !columns
          %uv = arith.mulf %u, %v : f32
          %added = arith.addf %t, %uv : f32
          scf.yield %added : f32
        }
        scf.yield %next : f32
      } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized, multicast = 2>}
      %at_row = arith.addi %row, %i : index
      %at_column = arith.addi %column, %j : index
      %is_row = arith.cmpi ult, %at_row, %m : index
      %is_column = arith.cmpi ult, %at_column, %n : index
      %is_inside = arith.andi %is_row, %is_column : i1
      scf.if %is_inside {
        memref.store %sum, %y[%at_row, %at_column] : !matrix
      }
    }
    gpu.return
  }

  // The same by threads without roles.
  gpu.func @unified(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                    %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [max(floordiv(min(ceildiv(extent(2, 0), 8) * ceildiv(extent(2, 1), 16), resident), 2), 1) * 2],
        block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %i = arith.divui %thread, %c16 : index
    %j = arith.remui %thread, %c16 : index
    %id = gpu.block_id x
    %grid = gpu.grid_dim x
    %rank = arith.remui %id, %c2 : index
    %first = arith.divui %id, %c2 : index
    %clusters = arith.divui %grid, %c2 : index
    %m = memref.dim %y, %c0 : !matrix
    %n = memref.dim %y, %c1 : !matrix
    %depth = memref.dim %x, %c1 : !matrix
    %down = arith.ceildivui %m, %c8 : index
    %groups = arith.ceildivui %down, %c2 : index
    %across = arith.ceildivui %n, %c16 : index
    %tiles = arith.muli %groups, %across : index
    %a = memref.alloc() {alignment = 128 : i64} : !rows
    %b = memref.alloc() {alignment = 128 : i64} : !columns
    scf.for %tile = %first to %tiles step %clusters {
      %group = arith.remui %tile, %groups : index
      %tile_column = arith.divui %tile, %groups : index
      %row_of_group = arith.muli %group, %c2 : index
      %tile_row = arith.addi %row_of_group, %rank : index
      %row = arith.muli %tile_row, %c8 : index
      %column = arith.muli %tile_column, %c16 : index
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %zero) -> f32 {
        carousel.load %x[%row, %k] to %a : !matrix, !rows
        carousel.load %w[%k, %column] to %b : !matrix, !columns
        %next = scf.for %p = %c0 to %c16 step %c1 iter_args(%t = %s) -> f32 {
          %u = memref.load %a[%i, %p] : !rows
          %v = memref.load %b[%p, %j] : !columns
          %uv = arith.mulf %u, %v : f32
          %added = arith.addf %t, %uv : f32
          scf.yield %added : f32
        }
        scf.yield %next : f32
      } {carousel.pipeline = #carousel.pipeline<stages = 3, multicast = 2>}
      %at_row = arith.addi %row, %i : index
      %at_column = arith.addi %column, %j : index
      %is_row = arith.cmpi ult, %at_row, %m : index
      %is_column = arith.cmpi ult, %at_column, %n : index
      %is_inside = arith.andi %is_row, %is_column : i1
      scf.if %is_inside {
        memref.store %sum, %y[%at_row, %at_column] : !matrix
      }
    }
    gpu.return
  }
}
