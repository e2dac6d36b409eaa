// What follows from constants is computed by the compiler, with the bits that kernels compute.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#id = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Ties are rounded to the even number: 1 + 2^-8 to 1, and 1 + 3 * 2^-8 to 1 + 2^-6.
// CHECK-LABEL: func.func @casts
// CHECK-DAG: arith.constant dense<[1.000000e+00, 1.015630e+00, -2.000000e+00, 0.000000e+00]> : tensor<4xbf16>
// CHECK-DAG: arith.constant dense<[1, 1, -2]> : tensor<3xi32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @casts() -> (tensor<4xbf16>, tensor<3xi32>) {
  %c = arith.constant dense<[1.00390625, 1.01171875, -2.0, 0x00000001]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<4xf32>) outs(%e : tensor<4xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %r = arith.truncf %in : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  %d = arith.constant dense<[1.5, 1.0, -2.75]> : tensor<3xf64>
  %f = tensor.empty() : tensor<3xi32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%d : tensor<3xf64>) outs(%f : tensor<3xi32>) {
  ^bb0(%in: f64, %out: i32):
    %r = arith.fptosi %in : f64 to i32
    linalg.yield %r : i32
  } -> tensor<3xi32>
  return %0, %1 : tensor<4xbf16>, tensor<3xi32>
}

// A chain of ops, which has numbers of loops and a transposed operand, and of a sum that isn't exact: 1 + 2^-24 is 1.
// CHECK-LABEL: func.func @arithmetic
// CHECK-DAG: arith.constant dense<{{\[\[}}1.000000e+00, 6.000000e+00, 1.100000e+01], [3.000000e+00, 8.000000e+00, 1.300000e+01]]> : tensor<2x3xf32>
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @arithmetic() -> (tensor<2x3xf32>, tensor<2xf32>) {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %w = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]} ins(%c, %w : tensor<3x2xf32>, tensor<3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %two = arith.constant 2.0 : f32
    %p = arith.mulf %in, %two : f32
    %s = arith.subf %p, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  %1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %k = arith.addi %n, %n : i32
    %v = arith.sitofp %k : i32 to f32
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  %t = arith.constant dense<[0x33800000, 0x00000001]> : tensor<2xf32>
  %f = tensor.empty() : tensor<2xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%t : tensor<2xf32>) outs(%f : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.addf %in, %one : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<2xf32>
}

// Zeros around a constant, and between its elements.
// CHECK-LABEL: func.func @pads
// CHECK: arith.constant dense<{{\[\[}}0.000000e+00, 1.000000e+00, 0.000000e+00, 2.000000e+00], [0.000000e+00, 3.000000e+00, 0.000000e+00, 4.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<3x4xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @pads() -> tensor<3x4xf32> {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = tensor.insert_slice %c into %f[0, 1] [2, 2] [1, 2] : tensor<2x2xf32> into tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// These stay: more than 4 KiB of copies, functions, NaN, fast-math flags, and an integer that isn't one of the type.
// CHECK-LABEL: func.func @kept
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x1024xf32>)
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.subf
// CHECK: linalg.generic
// CHECK: arith.addf {{.*}} fastmath<contract>
// CHECK: linalg.generic
// CHECK: arith.fptosi
// CHECK: return
func.func @kept() -> (tensor<4x1024xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x1024xf32>
  %0 = linalg.generic {indexing_maps = [#row, #ij], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4xf32>) outs(%e : tensor<4x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4x1024xf32>
  %d = arith.constant dense<[1.0, 300.0]> : tensor<2xf32>
  %n = arith.constant dense<[1.0, 0x7F800000]> : tensor<2xf32>
  %f = tensor.empty() : tensor<2xf32>
  %1 = linalg.exp ins(%d : tensor<2xf32>) outs(%f : tensor<2xf32>) -> tensor<2xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%n : tensor<2xf32>) outs(%f : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.subf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%d : tensor<2xf32>) outs(%f : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in fastmath<contract> : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %g = tensor.empty() : tensor<2xi8>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%d : tensor<2xf32>) outs(%g : tensor<2xi8>) {
  ^bb0(%in: f32, %out: i8):
    %s = arith.fptosi %in : f32 to i8
    linalg.yield %s : i8
  } -> tensor<2xi8>
  return %0, %1, %2, %3, %4 : tensor<4x1024xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>
}

// A resource of one element is a number: of rank 0 or of extents of 1, read by every element, cast and copied.
// CHECK-LABEL: func.func @numbers
//   CHECK-NOT: dense_resource<number>
//   CHECK-NOT: dense_resource<numbers>
//   CHECK-DAG: %[[SUM:.*]] = arith.constant dense<[2.500000e+00, 3.500000e+00, 4.500000e+00]> : tensor<3xf32>
//   CHECK-DAG: %[[CAST:.*]] = arith.constant dense<1.500000e+00> : tensor<1xbf16>
//   CHECK-DAG: %[[COPY:.*]] = arith.constant dense<1.500000e+00> : tensor<f32>
//   CHECK-DAG: %[[NUMBER:.*]] = arith.constant 1.500000e+00 : f32
//       CHECK: linalg.generic
//       CHECK: linalg.yield %[[NUMBER]]
//       CHECK: return %[[SUM]], %[[CAST]], %[[COPY]]
func.func @numbers() -> (tensor<3xf32>, tensor<1xbf16>, tensor<f32>, tensor<3xf32>) {
  %n = arith.constant dense_resource<number> : tensor<f32>
  %v = arith.constant dense_resource<numbers> : tensor<1xf32>
  %m = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> (0)>, #id], iterator_types = ["parallel"]} ins(%m, %v : tensor<3xf32>, tensor<1xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %cast = arith.truncf %v : tensor<1xf32> to tensor<1xbf16>
  %f = tensor.empty() : tensor<f32>
  %copy = linalg.copy ins(%n : tensor<f32>) outs(%f : tensor<f32>) -> tensor<f32>
  %all = linalg.broadcast ins(%n : tensor<f32>) outs(%e : tensor<3xf32>) dimensions = [0]
  return %sum, %cast, %copy, %all : tensor<3xf32>, tensor<1xbf16>, tensor<f32>, tensor<3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      number: "0x040000000000C03F",
      numbers: "0x040000000000C03F"
    }
  }
#-}
