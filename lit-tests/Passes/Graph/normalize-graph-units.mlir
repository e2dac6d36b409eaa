// A sum of one term reads its init, like other ops without reductions: the init becomes an input before the op is fused
// with one of more loops.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#rows = affine_map<(i, k) -> (i)>
#all = affine_map<(i, k) -> (i, k)>

// CHECK-LABEL: func.func @sum_of_one(
// CHECK: linalg.generic
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %[[OUT:.*]]: f32):
// CHECK-NOT: %[[OUT]]
// CHECK: linalg.yield
func.func @sum_of_one(%x: tensor<?x1xf32>, %b: tensor<?xf32>, %z: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x1xf32>) outs(%b : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %sum = arith.addf %v, %acc : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]} ins(%z, %s : tensor<?x8xf32>, tensor<?xf32>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %product = arith.mulf %v, %w : f32
    linalg.yield %product : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// A table is read at a computed row and at a loop's own number. All extents of 1 go, and the results of the first op are
// numbers of loops.
// CHECK-LABEL: func.func @table(
// CHECK-SAME: %[[T:.*]]: tensor<16xi64>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[T]], %[[T]] : tensor<16xi64>, tensor<16xi64>)
// CHECK-NOT: affine.apply
// CHECK-NOT: tensor.extract
// CHECK: tensor.expand_shape
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @table(%t: tensor<16xi64>) -> tensor<16x1x16x1xi1> {
  %e = tensor.empty() : tensor<16x1xi64>
  %n = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<16x1xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    linalg.yield %k : i64
  } -> tensor<16x1xi64>
  %f = tensor.empty() : tensor<16x1x16x1xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (c, d)>, affine_map<(a, b, c, d) -> (a, b)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%n, %n : tensor<16x1xi64>, tensor<16x1xi64>) outs(%f : tensor<16x1x16x1xi1>) {
  ^bb0(%u: i64, %v: i64, %out: i1):
    %i = arith.index_cast %v : i64 to index
    %x = tensor.extract %t[%i] : tensor<16xi64>
    %j = linalg.index 2 : index
    %y = tensor.extract %t[%j] : tensor<16xi64>
    %equal = arith.cmpi eq, %x, %y : i64
    %before = arith.cmpi sle, %u, %v : i64
    %both = arith.andi %before, %equal : i1
    linalg.yield %both : i1
  } -> tensor<16x1x16x1xi1>
  return %r : tensor<16x1x16x1xi1>
}

// A result with more dimensions than there are loops.
// CHECK-LABEL: func.func @more_dimensions
// CHECK: linalg.generic
// CHECK: return
func.func @more_dimensions(%x: tensor<?xf32>, %o: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// Beside a window, whose extents of 1 stay, reshapes of extents of 1 move no further than its dimensions: the product and what
// reads it have none.
// CHECK-LABEL: func.func @beside_window(
// CHECK: %[[PRODUCT:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]], %{{.+}} : tensor<4x16x24xf32>, tensor<4x16xf32>) outs(%{{.+}} : tensor<4x16x24xf32>)
// CHECK: return
func.func @beside_window(%q: tensor<4x16x8xf32>, %k: tensor<4x24x8xf32>, %l: tensor<4x1x16x1x1xf32>, %i: tensor<1x16x16x8xf32>, %w: tensor<3x3x8x8xf32>) -> (tensor<4x1x16x1x24xf32>, tensor<1x14x14x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x24xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x24xf32>) -> tensor<4x16x24xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<4x16x8xf32>, tensor<4x24x8xf32>) outs(%fs : tensor<4x16x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x16x24xf32>
  %wide = tensor.expand_shape %s [[0, 1], [2, 3], [4]] output_shape [4, 1, 16, 1, 24] : tensor<4x16x24xf32> into tensor<4x1x16x1x24xf32>
  %ey = tensor.empty() : tensor<4x1x16x1x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>, affine_map<(a, b, c, d, e) -> (a, b, c, d, 0)>, affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%wide, %l : tensor<4x1x16x1x24xf32>, tensor<4x1x16x1x1xf32>) outs(%ey : tensor<4x1x16x1x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x1x16x1x24xf32>
  %ez = tensor.empty() : tensor<1x14x14x8xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<1x14x14x8xf32>) -> tensor<1x14x14x8xf32>
  %z = linalg.conv_2d_nhwc_hwcf ins(%i, %w : tensor<1x16x16x8xf32>, tensor<3x3x8x8xf32>) outs(%fz : tensor<1x14x14x8xf32>) -> tensor<1x14x14x8xf32>
  return %y, %z : tensor<4x1x16x1x24xf32>, tensor<1x14x14x8xf32>
}
