// A transposition is a product's own only if the product is what it copies, and if both know the same extents.
// RUN: carousel-opt %s --carousel-order-products | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#plain = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#nm = affine_map<(m, n) -> (n, m)>
#id = affine_map<(m, n) -> (m, n)>
#transpose = {indexing_maps = [#nm, #id], iterator_types = ["parallel", "parallel"]}

// The product is where another tensor is copied to.
// CHECK-LABEL: func.func @overwritten
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<32x32xf32>)
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%arg2 : tensor<32x32xf32>) outs(%[[P]]
// CHECK: return %[[T]]
func.func @overwritten(%x: tensor<32x64xf32>, %v: tensor<64x32xf32>, %o: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.generic #plain ins(%x, %v : tensor<32x64xf32>, tensor<64x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %t = linalg.generic #transpose ins(%o : tensor<32x32xf32>) outs(%p : tensor<32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x32xf32>
  return %t : tensor<32x32xf32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
// CHECK: %[[T:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x16xf32>)
// CHECK: return %[[T]]
func.func @dynamic(%x: tensor<?x64xf32>, %v: tensor<64x8xf32>, %rows: index) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.generic #plain ins(%x, %v : tensor<?x64xf32>, tensor<64x8xf32>) outs(%z : tensor<?x8xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %te = tensor.empty() : tensor<8x16xf32>
  %t = linalg.generic #transpose ins(%p : tensor<?x8xf32>) outs(%te : tensor<8x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}

// The users of both first want (batch, head, row, element). A product without batches keeps its rows, (batch, row),
// and its columns, (head, element), together: its result is one matrix. The other one has batches and heads anyway.
#bskx = affine_map<(b, s, h, d, k) -> (b, s, k)>
#kw = affine_map<(b, s, h, d, k) -> (k, h, d)>
#bhkx = affine_map<(b, s, h, d, k) -> (b, h, s, k)>
#bhkw = affine_map<(b, s, h, d, k) -> (b, h, k, d)>
#bshd = affine_map<(b, s, h, d, k) -> (b, s, h, d)>
#own = affine_map<(b, h, s, t, d) -> (b, s, h, d)>
#keys = affine_map<(b, h, s, t, d) -> (b, h, t, d)>
#scores = affine_map<(b, h, s, t, d) -> (b, h, s, t)>
#project = {indexing_maps = [#bskx, #kw, #bshd],
            iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
#batched = {indexing_maps = [#bhkx, #bhkw, #bshd],
            iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
#multiply = {indexing_maps = [#own, #keys, #scores],
             iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}

// CHECK-LABEL: func.func @heads
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 {{.*}} outs(%{{.*}} : tensor<2x64x12x8xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg2, %arg3 {{.*}} outs(%{{.*}} : tensor<2x12x64x8xf32>)
func.func @heads(%x: tensor<2x64x96xf32>, %w: tensor<96x12x8xf32>, %y: tensor<2x12x64x96xf32>,
                 %v: tensor<2x12x96x8xf32>, %keys: tensor<2x12x32x8xf32>)
    -> (tensor<2x12x64x32xf32>, tensor<2x12x64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x12x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x12x8xf32>) -> tensor<2x64x12x8xf32>
  %e2 = tensor.empty() : tensor<2x12x64x32xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x12x64x32xf32>) -> tensor<2x12x64x32xf32>
  %p = linalg.generic #project ins(%x, %w : tensor<2x64x96xf32>, tensor<96x12x8xf32>)
      outs(%z : tensor<2x64x12x8xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x64x12x8xf32>
  %q = linalg.generic #batched ins(%y, %v : tensor<2x12x64x96xf32>, tensor<2x12x96x8xf32>)
      outs(%z : tensor<2x64x12x8xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x64x12x8xf32>
  %r0 = linalg.generic #multiply ins(%p, %keys : tensor<2x64x12x8xf32>, tensor<2x12x32x8xf32>)
      outs(%z2 : tensor<2x12x64x32xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x12x64x32xf32>
  %r1 = linalg.generic #multiply ins(%q, %keys : tensor<2x64x12x8xf32>, tensor<2x12x32x8xf32>)
      outs(%z2 : tensor<2x12x64x32xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x12x64x32xf32>
  return %r0, %r1 : tensor<2x12x64x32xf32>, tensor<2x12x64x32xf32>
}
