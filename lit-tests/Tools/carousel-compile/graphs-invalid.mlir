// What a package can't have of a program: one error at the op.
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{case} =
// DEFINE: %{compile} = not carousel-compile %t/%{case}.mlir -o %t/p --chip sm_90a --no-cubin --quiet 2>&1 | FileCheck %t/%{case}.mlir

// REDEFINE: %{case} = control
// RUN: %{compile}
// REDEFINE: %{case} = extents
// RUN: %{compile}
// REDEFINE: %{case} = shifted
// RUN: %{compile}
// REDEFINE: %{case} = scalar
// RUN: %{compile}
// REDEFINE: %{case} = condition
// RUN: %{compile}
// REDEFINE: %{case} = never
// RUN: %{compile}
// REDEFINE: %{case} = element
// RUN: %{compile}
// REDEFINE: %{case} = rank
// RUN: %{compile}

// RUN: not carousel-compile %t/control.mlir -o %t/p --chip sm_90a --no-cubin --quiet --products=f16 2>&1 | FileCheck %s --check-prefix=PRODUCTS
// PRODUCTS: error: expected exact or tf32 for products, got 'f16'
// RUN: not carousel-compile %t/control.mlir -o %t/p --chip sm_90a --no-cubin --quiet --accumulate=f16 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: error: expected f32 or as-written for accumulate, got 'f16'

//--- control.mlir
// CHECK: error: expected loops of a graph to have a trip count that is a constant, got bounds that depend on data or on unknown extents
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

//--- extents.mlir
// CHECK: extents.mlir:{{[0-9]+}}:{{[0-9]+}}: error: expected ops that a program has ({{.*}}), got 'tensor.extract'
func.func @main(%n: tensor<index>) -> tensor<?xf32> {
  %i = tensor.extract %n[] : tensor<index>
  %e = tensor.empty(%i) : tensor<?xf32>
  return %e : tensor<?xf32>
}

//--- shifted.mlir
// The error names the op that the launch can't compute.
// CHECK: error: expected numbers that a launch can compute from the program's arguments (by +, -, *, min, max, and divisions by positive constants), got 'arith.shrui'
// CHECK: shifted.mlir:[[#@LINE+6]]:{{[0-9]+}}: note: the number follows from this op
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  // The note points here.
  %half = arith.shrui %d, %c1 : index
  %n = arith.addi %half, %c1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %y = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

//--- scalar.mlir
// CHECK: error: expected scalars that are arguments of the program, constants or indices, got another number of type 'f32'
gpu.module @kernels {
  gpu.func @fill(%a: f32 {carousel.argument = #carousel.argument<"a", in>},
      %y: memref<4xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %v = vector.broadcast %a : f32 to vector<4xf32>
    vector.transfer_write %v, %y[%c0] : vector<4xf32>, memref<4xf32, #gpu.address_space<global>>
    gpu.return
  }
}
func.func @main(%a: f32, %y: memref<4xf32, #gpu.address_space<global>>) attributes {carousel.program} {
  %0 = arith.addf %a, %a : f32
  carousel.launch_kernel @kernels::@fill ins(%0 : f32) outs(%y : memref<4xf32, #gpu.address_space<global>>)
  return
}

//--- condition.mlir
// CHECK: error: expected a condition of a program that compares by eq, sge, sgt, sle or slt, got ne
func.func @main(%n: index, %y: memref<4xf32, #gpu.address_space<global>>) attributes {carousel.program} {
  %c4 = arith.constant 4 : index
  %0 = arith.cmpi ne, %n, %c4 : index
  cf.assert %0, "never 4"
  return
}

//--- never.mlir
// CHECK: error: expected a program that can run, got a check that never holds: no way
func.func @main(%y: memref<4xf32, #gpu.address_space<global>>) attributes {carousel.program} {
  %false = arith.constant false
  cf.assert %false, "no way"
  return
}

//--- element.mlir
// CHECK: error: expected elements of argument 'arg0' that a package can describe, got 'i3'
func.func @main(%y: memref<4xi3, #gpu.address_space<global>>) attributes {carousel.program} {
  return
}

//--- rank.mlir
// CHECK: error: expected a rank of at most 8 of argument 'arg0', got 9
func.func @main(%y: memref<1x1x1x1x1x1x1x1x1xf32, #gpu.address_space<global>>) attributes {carousel.program} {
  return
}
