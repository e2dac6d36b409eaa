// Loads run ahead of stores to other boxes of the same argument, and give what the tile phase gives under all policies:
// in place in producers and consumers, with loops around them, in even and odd tiles, and in other rows.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered
// DEFINE: %{nested} = --kernel @nested --policy all --reference @nested_reference --arg x=random:9x500:1
// DEFINE: %{odd} = --kernel @odd --policy all --reference @odd_reference --arg x=random:1024:1
// DEFINE: %{rows} = --kernel @rows --policy all --reference @rows_reference --arg x=random:2x700:1
// RUN: carousel-sim %s %{nested}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- %{nested}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- %{odd}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- %{rows}
// RUN: sed 's/stages = 3>/stages = 3, mode = specialized>/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{nested} --schedules 2
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{odd}
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{rows}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!m = memref<?x?xf32, strided<[?, 1]>, #gl>
!v = memref<?xf32, #gl>
!t = memref<128xf32, #ws>

gpu.module @kernels {
  // x = x + 1 in place: CTAs take rows, and a loop in each row takes tiles.
  gpu.func @nested(%x: !m {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : !m
    %columns = memref.dim %x, %c1 : !m
    %in = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %row = %block to %rows step %blocks {
      scf.for %i = %c0 to %columns step %c128 {
        carousel.load %x[%row, %i] to %in : !m, !t
        scf.for %j = %thread to %c128 step %c64 {
          %v = memref.load %in[%j] : !t
          %w = arith.addf %v, %one : f32
          memref.store %w, %in[%j] : !t
        }
        carousel.store %in to %x[%row, %i] : !t, !m
      } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    }
    gpu.return
  }

  // Odd tiles = the even tiles before them.
  gpu.func @odd(%x: !v {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %from = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() {alignment = 128 : i64} : !t
    %out = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %i = %from to %n step %step {
      carousel.load %x[%i] to %in : !v, !t
      scf.for %j = %thread to %c128 step %c64 {
        %v = memref.load %in[%j] : !t
        memref.store %v, %out[%j] : !t
      }
      %next = arith.addi %i, %c128 : index
      carousel.store %out to %x[%next] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Row 1 = row 0.
  gpu.func @rows(%x: !m {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %from = arith.muli %block, %c128 : index
    %step = arith.muli %blocks, %c128 : index
    %n = memref.dim %x, %c1 : !m
    %in = memref.alloc() {alignment = 128 : i64} : !t
    %out = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %i = %from to %n step %step {
      carousel.load %x[%c0, %i] to %in : !m, !t
      scf.for %j = %thread to %c128 step %c64 {
        %v = memref.load %in[%j] : !t
        memref.store %v, %out[%j] : !t
      }
      carousel.store %out to %x[%c1, %i] : !t, !m
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}

func.func @nested_reference(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %x[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @odd_reference(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c256 {
    scf.for %j = %c0 to %c128 step %c1 {
      %from = arith.addi %i, %j : index
      %to = arith.addi %from, %c128 : index
      %v = memref.load %x[%from] : memref<?xf32>
      memref.store %v, %x[%to] : memref<?xf32>
    }
  }
  return
}
func.func @rows_reference(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %j = %c0 to %n step %c1 {
    %v = memref.load %x[%c0, %j] : memref<?x?xf32>
    memref.store %v, %x[%c1, %j] : memref<?x?xf32>
  }
  return
}
