// What a block program can't hold on the simulated machine is an error at the op, before anything runs.
// DEFINE: %{sim} = %python %S/../Tools/carousel-run/Inputs/status.py 2 carousel-sim %s
// RUN: %{sim} --kernel @unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: block-invalid.mlir:[[#@LINE+19]]:17: error: expected an op that the simulated machine has for vectors of a block program, got 'vector.scan'
// RUN: %{sim} --kernel @branches 2>&1 | FileCheck %s --check-prefix=BRANCHES
// BRANCHES: block-invalid.mlir:[[#@LINE+21]]:3: error: expected regions of one block in a block program, got 2 blocks
// RUN: %{sim} --kernel @widest 2>&1 | FileCheck %s --check-prefix=WIDEST
// WIDEST: block-invalid.mlir:[[#@LINE+28]]:10: error: the simulated machine doesn't have vectors of more than 1048576 elements
// RUN: %{sim} --kernel @grid 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: expected a grid for a block program without carousel.launch
// RUN: carousel-sim %s --kernel @grid --grid 3 | FileCheck %s --check-prefix=GRIDS
// GRIDS: grid: 3 threads
// RUN: %{sim} --kernel @external 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// EXTERNAL: error: expected a function with a body, got only its declaration
// RUN: %{sim} --kernel @recursive 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RECURSIVE: error: expected functions that don't call themselves, found a recursive one

gpu.module @m {
  gpu.func @unknown() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<2x4xf32>
    %first = arith.constant dense<0.0> : vector<4xf32>
    %r, %next = vector.scan <add>, %v, %first {inclusive = true, reduction_dim = 0} : vector<2x4xf32>, vector<4xf32>
    gpu.return
  }

  gpu.func @branches() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    cf.br ^next
  ^next:
    gpu.return
  }

  gpu.func @widest() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<1048577xf32>
    gpu.return
  }

  gpu.func @grid() kernel attributes {carousel.block_program = #carousel.block_program<>} {
    %v = arith.constant dense<1.0> : vector<1048576xf32>
    gpu.return
  }

  func.func private @other(%v: vector<8xf32>) -> vector<8xf32>
  gpu.func @external() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<8xf32>
    %r = func.call @other(%v) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }

  func.func private @again(%v: vector<8xf32>) -> vector<8xf32> {
    %r = func.call @again(%v) : (vector<8xf32>) -> vector<8xf32>
    return %r : vector<8xf32>
  }
  gpu.func @recursive() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant dense<1.0> : vector<8xf32>
    %r = func.call @again(%v) : (vector<8xf32>) -> vector<8xf32>
    gpu.return
  }
}
