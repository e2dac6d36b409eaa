// Loads whose offsets come from tiles that rings load further ahead: all variants give what the tile phase gives.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered
// DEFINE: %{args} = --policy all --arg table=random:11x128:1 --arg index=iota:92 --arg y=zeros:23x128
// RUN: carousel-sim %s --kernel @row_of_tile --reference @rows_reference %{args}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @row_of_tile --reference @rows_reference %{args} --schedules 3
// RUN: sed 's/stages = 4/stages = 4, prefetch = 1/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- --kernel @row_of_tile --reference @rows_reference %{args} --schedules 3
// RUN: sed 's/stages = 4/stages = [3, 4], epilogue = peeled/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- --kernel @row_of_tile --reference @rows_reference %{args} --schedules 3
// RUN: sed 's/stages = 4/stages = 1/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_90a -- --kernel @row_of_tile --reference @rows_reference %{args} --schedules 3
// RUN: sed 's/stages = 4/stages = 4, mode = specialized/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_90a -- --kernel @row_of_tile --reference @rows_reference %{args} --schedules 3
// RUN: sed 's/stages = 4/stages = 4, release = cta_barrier/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- --kernel @row_of_tile --reference @rows_reference %{args} --schedules 3
// DEFINE: %{pages} = --policy all --arg table=random:11x128:1 --arg index=iota:92 --arg y=zeros:23x128
// RUN: carousel-sim %s --kernel @row_of_page --reference @pages_reference %{pages}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @row_of_page --reference @pages_reference %{pages} --schedules 3
// DEFINE: %{nested} = --policy all --arg table=random:11x128:1 --arg index=iota:23 --arg y=zeros:23x128
// RUN: carousel-sim %s --kernel @rows_of_tile --reference @tiled_reference %{nested}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- --kernel @rows_of_tile --reference @tiled_reference %{nested} --schedules 3

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x128xf32, #gl>
!indices = memref<?xi32, #gl>
!ids = memref<4xi32, #ws>
!row = memref<128xf32, #ws>

gpu.module @kernels {
  // y[i] = table[7 * index[4 i + 1] mod rows] + index[4 i + 2]: the indices of an iteration are a tile of four.
  gpu.func @row_of_tile(
      %table: !matrix {carousel.argument = #carousel.argument<"table", in>},
      %index: !indices {carousel.argument = #carousel.argument<"index", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %table, %c0 : !matrix
    %n = memref.dim %y, %c0 : !matrix
    %ids = memref.alloc() {alignment = 128 : i64} : !ids
    %in = memref.alloc() {alignment = 128 : i64} : !row
    scf.for %i = %block to %n step %blocks {
      %at = arith.muli %i, %c4 : index
      carousel.load %index[%at] to %ids : !indices, !ids
      %id32 = memref.load %ids[%c1] : !ids
      %id = arith.index_cast %id32 : i32 to index
      %product = arith.muli %id, %c7 : index
      %r = arith.remui %product, %rows : index
      carousel.load %table[%r, %c0] to %in : !matrix, !row
      %shift32 = memref.load %ids[%c2] : !ids
      %shift = arith.sitofp %shift32 : i32 to f32
      scf.for %j = %thread to %c128 step %threads {
        %v = memref.load %in[%j] : !row
        %w = arith.addf %v, %shift : f32
        memref.store %w, %y[%i, %j] : !matrix
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // y[i] = table[index[4 (index[i] mod 23)] mod rows]: a tile of indices has its place from another tile of indices.
  gpu.func @row_of_page(
      %table: !matrix {carousel.argument = #carousel.argument<"table", in>},
      %index: !indices {carousel.argument = #carousel.argument<"index", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c3 = arith.constant 3 : index
    %c23 = arith.constant 23 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %table, %c0 : !matrix
    %n = memref.dim %y, %c0 : !matrix
    %pages = memref.alloc() {alignment = 128 : i64} : !ids
    %ids = memref.alloc() {alignment = 128 : i64} : !ids
    %in = memref.alloc() {alignment = 128 : i64} : !row
    scf.for %i = %block to %n step %blocks {
      %at = arith.muli %i, %c4 : index
      carousel.load %index[%at] to %pages : !indices, !ids
      %page32 = memref.load %pages[%c3] : !ids
      %number = arith.index_cast %page32 : i32 to index
      %page = arith.remui %number, %c23 : index
      %begin = arith.muli %page, %c4 : index
      carousel.load %index[%begin] to %ids : !indices, !ids
      %id32 = memref.load %ids[%c0] : !ids
      %id = arith.index_cast %id32 : i32 to index
      %r = arith.remui %id, %rows : index
      carousel.load %table[%r, %c0] to %in : !matrix, !row
      carousel.store %in to %y[%i, %c0] : !row, !matrix
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // y[i] = table[index[i] mod rows]: the outer loop loads the indices of eight rows, the inner one gathers these.
  gpu.func @rows_of_tile(
      %table: !matrix {carousel.argument = #carousel.argument<"table", in>},
      %index: !indices {carousel.argument = #carousel.argument<"index", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %table, %c0 : !matrix
    %n = memref.dim %y, %c0 : !matrix
    %first = arith.muli %block, %c8 : index
    %step = arith.muli %blocks, %c8 : index
    %ids = memref.alloc() {alignment = 128 : i64} : memref<8xi32, #ws>
    %in = memref.alloc() {alignment = 128 : i64} : !row
    scf.for %i = %first to %n step %step {
      carousel.load %index[%i] to %ids : !indices, memref<8xi32, #ws>
      %left = arith.subi %n, %i : index
      %count = arith.minui %left, %c8 : index
      scf.for %k = %c0 to %count step %c1 {
        %id32 = memref.load %ids[%k] : memref<8xi32, #ws>
        %id = arith.index_cast %id32 : i32 to index
        %r = arith.remui %id, %rows : index
        %o = arith.addi %i, %k : index
        carousel.load %table[%r, %c0] to %in : !matrix, !row
        carousel.store %in to %y[%o, %c0] : !row, !matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 5>}
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}

func.func @rows_reference(%table: memref<?x128xf32>, %index: memref<?xi32>, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %table, %c0 : memref<?x128xf32>
  %n = memref.dim %y, %c0 : memref<?x128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %at = arith.muli %i, %c4 : index
    %at1 = arith.addi %at, %c1 : index
    %at2 = arith.addi %at, %c2 : index
    %id32 = memref.load %index[%at1] : memref<?xi32>
    %id = arith.index_cast %id32 : i32 to index
    %product = arith.muli %id, %c7 : index
    %r = arith.remui %product, %rows : index
    %shift32 = memref.load %index[%at2] : memref<?xi32>
    %shift = arith.sitofp %shift32 : i32 to f32
    scf.for %j = %c0 to %c128 step %c1 {
      %v = memref.load %table[%r, %j] : memref<?x128xf32>
      %w = arith.addf %v, %shift : f32
      memref.store %w, %y[%i, %j] : memref<?x128xf32>
    }
  }
  return
}

func.func @pages_reference(%table: memref<?x128xf32>, %index: memref<?xi32>, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c23 = arith.constant 23 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %table, %c0 : memref<?x128xf32>
  %n = memref.dim %y, %c0 : memref<?x128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %at = arith.muli %i, %c4 : index
    %at3 = arith.addi %at, %c3 : index
    %page32 = memref.load %index[%at3] : memref<?xi32>
    %number = arith.index_cast %page32 : i32 to index
    %page = arith.remui %number, %c23 : index
    %begin = arith.muli %page, %c4 : index
    %id32 = memref.load %index[%begin] : memref<?xi32>
    %id = arith.index_cast %id32 : i32 to index
    %r = arith.remui %id, %rows : index
    scf.for %j = %c0 to %c128 step %c1 {
      %v = memref.load %table[%r, %j] : memref<?x128xf32>
      memref.store %v, %y[%i, %j] : memref<?x128xf32>
    }
  }
  return
}

func.func @tiled_reference(%table: memref<?x128xf32>, %index: memref<?xi32>, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %table, %c0 : memref<?x128xf32>
  %n = memref.dim %y, %c0 : memref<?x128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %id32 = memref.load %index[%i] : memref<?xi32>
    %id = arith.index_cast %id32 : i32 to index
    %r = arith.remui %id, %rows : index
    scf.for %j = %c0 to %c128 step %c1 {
      %v = memref.load %table[%r, %j] : memref<?x128xf32>
      memref.store %v, %y[%i, %j] : memref<?x128xf32>
    }
  }
  return
}
