// Terms that share what they compute, and that read values of the function.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{least-saved-operations=0}))' --mlir-print-local-scope | FileCheck %s

#row = affine_map<(t, n) -> (t)>
#id = affine_map<(t, n) -> (t, n)>

// The comparison is the first term's, and a factor of all terms: along the numbers it would be another one for each.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-3: tensor<64x32xf32>, tensor<32x48xf32>
// CHECK: return
func.func @shared(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<3x32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2.0 : f32
  %c3 = arith.constant 3.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<3x32x48xf32> to tensor<32x48xf32>
  %p2 = linalg.matmul ins(%x, %w2 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1, %p2 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %a2: f32, %out: f32):
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %h = arith.select %is0, %c2, %c3 : f32
    %f0 = arith.mulf %a0, %h : f32
    %t0 = arith.select %is0, %f0, %zero : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %f1 = arith.mulf %a1, %h : f32
    %t1 = arith.select %is1, %f1, %zero : f32
    %is2 = arith.cmpi eq, %number, %n2 : i32
    %f2 = arith.mulf %a2, %h : f32
    %t2 = arith.select %is2, %f2, %zero : f32
    %s1 = arith.addf %t0, %t1 : f32
    %s2 = arith.addf %s1, %t2 : f32
    linalg.yield %s2 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// An argument of the function is the same in all terms.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-stack-experts=least-saved-operations=0
// CHECK-LABEL: func.func @scalar
// CHECK-SAME: %[[FACTOR:[^:]+]]: f32)
// CHECK-NOT: tensor<64x32xf32>, tensor<32x48xf32>
// CHECK: arith.mulf %{{.*}}, %[[FACTOR]]
// CHECK: return
func.func @scalar(%x: tensor<64x32xf32>, %g: tensor<64xi32>, %w: tensor<2x32x48xf32>, %sc: f32) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %empty = tensor.empty() : tensor<64x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<2x32x48xf32> to tensor<32x48xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 32, 48] [1, 1, 1] : tensor<2x32x48xf32> to tensor<32x48xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fill : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p0, %p1 : tensor<64xi32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%empty : tensor<64x48xf32>) {
  ^bb0(%number: i32, %a0: f32, %a1: f32, %out: f32):
    %is0 = arith.cmpi eq, %number, %n0 : i32
    %f0 = arith.mulf %a0, %sc : f32
    %t0 = arith.select %is0, %f0, %zero : f32
    %is1 = arith.cmpi eq, %number, %n1 : i32
    %f1 = arith.mulf %a1, %sc : f32
    %t1 = arith.select %is1, %f1, %zero : f32
    %s1 = arith.addf %t0, %t1 : f32
    linalg.yield %s1 : f32
  } -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
