// Where products of different factors meet in an elementwise op, what narrows each of them stays apart: its product's kernel does it, and no result is in memory in f32.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @residual
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: %[[SECOND:.*]] = linalg.generic {{.*}} ins(%arg2, %arg3 :
// CHECK: %[[ROUNDED:.*]] = linalg.generic {{.*}} ins(%[[FIRST]] : tensor<64x64xf32>) outs(%{{.*}} : tensor<64x64xbf16>)
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[SECOND]], %arg4 : tensor<64x64xf32>, tensor<64x64xbf16>) outs(%{{.*}} : tensor<64x64xbf16>)
// CHECK: linalg.generic {{.*}} ins(%[[ROUNDED]], %[[SCALED]] : tensor<64x64xbf16>, tensor<64x64xbf16>)
// CHECK-NOT: linalg.generic
func.func @residual(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xbf16>, %d: tensor<64x64xbf16>,
    %scale: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.matmul ins(%c, %d : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xbf16>
  %1 = arith.truncf %y : tensor<64x64xf32> to tensor<64x64xbf16>
  %2 = arith.mulf %1, %scale : tensor<64x64xbf16>
  %3 = arith.addf %0, %2 : tensor<64x64xbf16>
  return %3 : tensor<64x64xbf16>
}

// Of a common factor, both products are one kernel's.
// CHECK-LABEL: func.func @gate
// CHECK-COUNT-2: linalg.generic {{.*}} "reduction"
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK-NOT: linalg.generic
func.func @gate(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.matmul ins(%a, %c : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xbf16>
  %1 = arith.truncf %y : tensor<64x64xf32> to tensor<64x64xbf16>
  %2 = arith.mulf %0, %1 : tensor<64x64xbf16>
  return %2 : tensor<64x64xbf16>
}
