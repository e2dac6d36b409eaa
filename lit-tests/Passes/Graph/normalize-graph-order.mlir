// A product that only products read has its dimensions in the order of the first one whose first factor it is: those of the
// result, and then those that are summed over. One that is only transposed writes that.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#v = affine_map<(b, h, d, s, t) -> (b, t, h, d)>
#p = affine_map<(b, h, d, s, t) -> (b, h, s, t)>
#o = affine_map<(b, h, d, s, t) -> (b, h, d, s)>
#x = affine_map<(b, s, n, h, d) -> (b, h, d, s)>
#w = affine_map<(b, s, n, h, d) -> (h, d, n)>
#y = affine_map<(b, s, n, h, d) -> (b, s, n)>
#products = {indexing_maps = [#v, #p, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
#projection = {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}

// Attention's result, and the product that reads it: (b, h, d, s) becomes (b, s, h, d).
// CHECK-DAG: #[[ORDER:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d2)>
// CHECK-DAG: #[[FACTOR:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-order-products
// CHECK-LABEL: func.func @attention
// CHECK: %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<?x128x12x64xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]] :
// CHECK: %[[O:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[ORDER]]], {{.*}} outs(%[[ZEROS]] : tensor<?x128x12x64xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[FACTOR]], {{.*}} ins(%[[O]], %{{.*}} : tensor<?x128x12x64xf32>, tensor<12x64x768xf32>)
func.func @attention(%v: tensor<?x128x12x64xf32>, %p: tensor<?x12x128x128xf32>, %w: tensor<12x64x768xf32>) -> tensor<?x128x768xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %v, %c0 : tensor<?x128x12x64xf32>
  %e = tensor.empty(%b) : tensor<?x12x64x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x12x64x128xf32>) -> tensor<?x12x64x128xf32>
  %o = linalg.generic #products ins(%v, %p : tensor<?x128x12x64xf32>, tensor<?x12x128x128xf32>) outs(%z : tensor<?x12x64x128xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x12x64x128xf32>
  %ye = tensor.empty(%b) : tensor<?x128x768xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<?x128x768xf32>) -> tensor<?x128x768xf32>
  %y = linalg.generic #projection ins(%o, %w : tensor<?x12x64x128xf32>, tensor<12x64x768xf32>) outs(%yz : tensor<?x128x768xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x128x768xf32>
  return %y : tensor<?x128x768xf32>
}

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#plain = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#transposed = {indexing_maps = [#km, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}

// A result that the function returns, too, keeps its order.
// CHECK-LABEL: func.func @returned
// CHECK: %[[H:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<16x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[H]], %{{.*}} : tensor<16x32xf32>, tensor<16x8xf32>)
func.func @returned(%x: tensor<16x64xf32>, %v: tensor<64x32xf32>, %w: tensor<16x8xf32>) -> (tensor<16x32xf32>, tensor<32x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %h = linalg.generic #plain ins(%x, %v : tensor<16x64xf32>, tensor<64x32xf32>) outs(%z : tensor<16x32xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %ye = tensor.empty() : tensor<32x8xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<32x8xf32>) -> tensor<32x8xf32>
  %y = linalg.generic #transposed ins(%h, %w : tensor<16x32xf32>, tensor<16x8xf32>) outs(%yz : tensor<32x8xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x8xf32>
  return %h, %y : tensor<16x32xf32>, tensor<32x8xf32>
}

#nm = affine_map<(m, n) -> (n, m)>
#id = affine_map<(m, n) -> (m, n)>

// A product whose only user transposes its result writes that.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<32x16xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]] :
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%[[ZEROS]] : tensor<32x16xf32>)
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @gradient(%x: tensor<16x64xf32>, %v: tensor<64x32xf32>) -> tensor<32x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %h = linalg.generic #plain ins(%x, %v : tensor<16x64xf32>, tensor<64x32xf32>) outs(%z : tensor<16x32xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %te = tensor.empty() : tensor<32x16xf32>
  %t = linalg.generic {indexing_maps = [#nm, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<16x32xf32>) outs(%te : tensor<32x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x16xf32>
  return %t : tensor<32x16xf32>
}

// Two products read a result: the first one, whose first factor it is, chooses the order.
// CHECK-LABEL: func.func @both
// CHECK: %[[H:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<32x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[H]], %{{.*}} : tensor<32x16xf32>, tensor<16x8xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[H]] : tensor<16x8xf32>, tensor<32x16xf32>)
func.func @both(%x: tensor<16x64xf32>, %v: tensor<64x32xf32>, %w: tensor<16x8xf32>) -> (tensor<32x8xf32>, tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %h = linalg.generic #plain ins(%x, %v : tensor<16x64xf32>, tensor<64x32xf32>) outs(%z : tensor<16x32xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %ye = tensor.empty() : tensor<32x8xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<32x8xf32>) -> tensor<32x8xf32>
  %y = linalg.generic #transposed ins(%h, %w : tensor<16x32xf32>, tensor<16x8xf32>) outs(%yz : tensor<32x8xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x8xf32>
  %ge = tensor.empty() : tensor<8x32xf32>
  %gz = linalg.fill ins(%zero : f32) outs(%ge : tensor<8x32xf32>) -> tensor<8x32xf32>
  %g = linalg.generic #transposed ins(%w, %h : tensor<16x8xf32>, tensor<16x32xf32>) outs(%gz : tensor<8x32xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %y, %g : tensor<32x8xf32>, tensor<8x32xf32>
}
