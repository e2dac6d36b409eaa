// Sums with few programs are divided among parts: the last part combines what all of them left. Right in any order of
// CTAs, for extents around those of parts and vectors; and wrong without a fence, in some order.
// DEFINE: %{chips} = sm_90a
// DEFINE: %{args} =
// DEFINE: %{function} =
// DEFINE: %{order} = --policy all --schedules 1
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip %{chips} --kernels 1 -- %{args} --rtol 1e-4 --atol 1e-3 %{order} | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

// REDEFINE: %{function} = rows
// REDEFINE: %{args} = --arg arg0=random:2x0 --arg result0=empty:2
// RUN: %{simulate}
// REDEFINE: %{args} = --arg arg0=random:2x16385 --arg result0=empty:2
// RUN: %{simulate}
// REDEFINE: %{chips} = sm_80,sm_90a
// REDEFINE: %{args} = --arg arg0=random:1x33000 --arg result0=empty:1
// RUN: %{simulate}
// REDEFINE: %{chips} = sm_90a

// REDEFINE: %{function} = columns
// REDEFINE: %{args} = --arg arg0=random:1x65 --arg result0=empty:65 --arg result1=empty:65
// RUN: %{simulate}
// REDEFINE: %{args} = --arg arg0=random:2053x3 --arg result0=empty:3 --arg result1=empty:3
// RUN: %{simulate}

// REDEFINE: %{function} = product
// REDEFINE: %{args} = --arg arg0=random:3x1028 --arg arg1=random:1028x17 --arg result0=empty:3x17
// RUN: %{simulate}
// The last of 16 parts has nothing to add.
// REDEFINE: %{order} =
// REDEFINE: %{args} = --arg arg0=random:3x4100 --arg arg1=random:4100x17 --arg result0=empty:3x17
// RUN: %{simulate}

// A number that no loop reads is written once, by the last part.
// REDEFINE: %{args} = --arg arg0=random:9x40x33 --arg arg1=random:9x33x40 --arg arg2=random:33 --arg result0=empty:33 --arg result1=empty:33
// REDEFINE: %{function} = images
// RUN: %{simulate}

// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-graph-to-block,carousel-lower{chip=sm_90a})' -o %t.mlir
// DEFINE: %{run} = --program @rows --arg arg0=random:1x33000 --arg result0=empty:1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir %{run} | FileCheck %s --check-prefix=RIGHT
// RIGHT: rows: 14 schedules clean
// RUN: grep -v 'carousel.fence.thread release' %t.mlir > %t.released.mlir
// RUN: not carousel-sim %t.released.mlir %{run} 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: grep -v 'carousel.fence.thread acquire' %t.mlir > %t.acquired.mlir
// RUN: not carousel-sim %t.acquired.mlir %{run} 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#id = affine_map<(i, j) -> (i, j)>

func.func @rows(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.negf ins(%sum : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @columns(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %l = linalg.fill ins(%lowest : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.mulf %in, %in : f32
    %r = arith.addf %out, %q : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %most = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%l : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %squares, %most : tensor<?xf32>, tensor<?xf32>
}

func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x17xf32>) -> tensor<?x17xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?x17xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x17xf32>) -> tensor<?x17xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x17xf32>) outs(%i : tensor<?x17xf32>) -> tensor<?x17xf32>
  %y = linalg.negf ins(%p : tensor<?x17xf32>) outs(%e : tensor<?x17xf32>) -> tensor<?x17xf32>
  return %y : tensor<?x17xf32>
}

func.func @images(%x: tensor<9x40x33xf32>, %y: tensor<9x33x40xf32>, %b: tensor<33xf32>) -> (tensor<33xf32>, tensor<33xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %square = linalg.square ins(%b : tensor<33xf32>) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, p, c) -> (n, p, c)>, affine_map<(n, p, c) -> (n, c, p)>, affine_map<(n, p, c) -> (c)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x, %y : tensor<9x40x33xf32>, tensor<9x33x40xf32>) outs(%i : tensor<33xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %q = arith.mulf %a, %c : f32
    %r = arith.addf %out, %q : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %z = linalg.mul ins(%s, %square : tensor<33xf32>, tensor<33xf32>) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  return %square, %z : tensor<33xf32>, tensor<33xf32>
}
