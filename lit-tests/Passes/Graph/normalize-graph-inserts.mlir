// Tensors that are put together by tensor.insert_slice are computed where they are used.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The halves of rows, turned, as rotary embeddings have them: the rest of the row is the other half.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>)
// CHECK-NOT: tensor.extract_slice
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<?x8xf32>)
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[SECOND:.*]] = arith.cmpi uge, %[[J]], %c4
// CHECK: scf.if %[[SECOND]]
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[J]], %c4
// CHECK-NEXT: tensor.extract %[[X]][%[[I]], %[[LEFT]]]
// CHECK: } else {
// CHECK-NEXT: %[[RIGHT:.*]] = arith.addi %[[J]], %c4
// CHECK-NEXT: tensor.extract %[[X]][%[[I]], %[[RIGHT]]]
// CHECK-NEXT: arith.negf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @halves(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %h = tensor.empty(%m) : tensor<?x4xf32>
  %left = tensor.extract_slice %x[0, 0] [%m, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %right = tensor.extract_slice %x[0, 4] [%m, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %n = linalg.negf ins(%right : tensor<?x4xf32>) outs(%h : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = tensor.insert_slice %n into %e[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  %1 = tensor.insert_slice %left into %0[0, 4] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  %r = linalg.add ins(%x, %1 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Pairs are interleaved by steps, or in a dimension of their own. What is between the parts is the constant.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[REST:.*]] = arith.remui %[[I]], %c2
// CHECK: %[[ODD:.*]] = arith.cmpi eq, %[[REST]], %c1
// CHECK: scf.if %[[ODD]]
// CHECK: arith.divui
// CHECK: tensor.extract %[[B]]
// CHECK: } else {
// CHECK: tensor.extract %[[A]]
// CHECK: linalg.generic
// CHECK: arith.cmpi uge, %{{.*}}, %c2
// CHECK: arith.cmpi ule, %{{.*}}, %c5
// CHECK: tensor.extract %[[A]]
// CHECK: linalg.generic
// CHECK: scf.if
// CHECK: tensor.extract %[[B]]
// CHECK: tensor.extract %[[A]]
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @pairs(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>) {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %a into %e[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %b into %0[1] [4] [2] : tensor<4xf32> into tensor<8xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %2 = tensor.insert_slice %a into %f[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %r = linalg.exp ins(%2 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %g = tensor.empty() : tensor<4x2xf32>
  %3 = tensor.insert_slice %a into %g[0, 0] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x2xf32>
  %4 = tensor.insert_slice %b into %3[0, 1] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x2xf32>
  return %1, %r, %4 : tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>
}

// A product is written where it is wanted. A constant around a factor stays in memory, and so does one at an unknown place.
// CHECK-LABEL: func.func @products
// CHECK: tensor.insert_slice
// CHECK: linalg.generic
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
func.func @products(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %z: tensor<8x8xf32>, %at: index) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %g = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = linalg.fill ins(%zero : f32) outs(%g : tensor<8x16xf32>) -> tensor<8x16xf32>
  %pad = tensor.insert_slice %z into %c[0, 4] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x16xf32>
  %p = linalg.matmul ins(%pad, %w : tensor<8x16xf32>, tensor<16x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = tensor.insert_slice %p into %c[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x16xf32>
  %1 = tensor.insert_slice %z into %c[0, %at] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x16xf32>
  %r = linalg.exp ins(%1 : tensor<8x16xf32>) outs(%g : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %r : tensor<8x16xf32>, tensor<8x16xf32>
}

// Slices outside of their tensors stay, for the error of a later pass.
// CHECK-LABEL: func.func @outside
func.func @outside(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %numbers = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %far = arith.constant 2147483647 : index
  %e = tensor.empty() : tensor<8xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}] [4] [1]
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}] [4] [1]
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0] [4] [-2147483648]
  %0 = tensor.insert_slice %x into %c[%far] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %numbers into %c[%far] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %2 = tensor.insert_slice %numbers into %c[0] [4] [-2147483648] : tensor<4xf32> into tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Parts that are computed of the same elements, as the low and the high bits of a byte, are computed of one read.
// CHECK-LABEL: func.func @stack
// CHECK-SAME: (%[[W:.*]]: tensor<8x16xi8>)
// CHECK: linalg.generic {{.*}} ins(%[[W]]{{.*}} outs(%{{.*}} : tensor<8x16x2xi8>)
// CHECK-DAG: %[[LOW:.*]] = arith.andi
// CHECK-DAG: %[[HIGH:.*]] = arith.shrui
// CHECK: %[[PLACE:.*]] = linalg.index 2
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[PLACE]], %c1
// CHECK: arith.select %[[SECOND]], %[[HIGH]], %[[LOW]]
// CHECK-NOT: tensor.extract
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @stack(%w: tensor<8x16xi8>) -> tensor<8x32xi8> {
  %mask = arith.constant 15 : i8
  %four = arith.constant 4 : i8
  %e = tensor.empty() : tensor<8x16xi8>
  %low = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<8x16xi8>) outs(%e : tensor<8x16xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.andi %a, %mask : i8
    linalg.yield %0 : i8
  } -> tensor<8x16xi8>
  %high = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<8x16xi8>) outs(%e : tensor<8x16xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shrui %a, %four : i8
    linalg.yield %0 : i8
  } -> tensor<8x16xi8>
  %low1 = tensor.expand_shape %low [[0], [1, 2]] output_shape [8, 16, 1] : tensor<8x16xi8> into tensor<8x16x1xi8>
  %e2 = tensor.empty() : tensor<8x16x2xi8>
  %i0 = tensor.insert_slice %low1 into %e2[0, 0, 0] [8, 16, 1] [1, 1, 1] : tensor<8x16x1xi8> into tensor<8x16x2xi8>
  %i1 = tensor.insert_slice %high into %i0[0, 0, 1] [8, 16, 1] [1, 1, 1] : tensor<8x16xi8> into tensor<8x16x2xi8>
  %all = tensor.collapse_shape %i1 [[0], [1, 2]] : tensor<8x16x2xi8> into tensor<8x32xi8>
  return %all : tensor<8x32xi8>
}

// Front ends look for each element of a concatenation in which part it is. Parts for a product are inserted.
// CHECK-LABEL: func.func @found
// CHECK-SAME: (%[[A:.*]]: tensor<64x8xf32>, %[[B:.*]]: tensor<64x24xf32>, %[[C:.*]]: tensor<64x8xf32>
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [64, 8] [1, 1]
// CHECK: %[[SECOND:.*]] = tensor.insert_slice %[[B]] into %[[FIRST]][0, 8] [64, 24] [1, 1]
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[C]] into %[[SECOND]][0, 32] [64, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ALL]], %{{.*}} : tensor<64x40xf32>, tensor<40x16xf32>)
func.func @found(%a: tensor<64x8xf32>, %b: tensor<64x24xf32>, %c: tensor<64x8xf32>, %w: tensor<40x16xf32>) -> tensor<64x16xf32> {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x40xf32>
  %x = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x40xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %below = arith.cmpi ult, %j, %c8 : index
    %v = scf.if %below -> (f32) {
      %p = tensor.extract %a[%i, %j] : tensor<64x8xf32>
      scf.yield %p : f32
    } else {
      %next = arith.cmpi ult, %j, %c32 : index
      %u = scf.if %next -> (f32) {
        %l = arith.subi %j, %c8 : index
        %p = tensor.extract %b[%i, %l] : tensor<64x24xf32>
        scf.yield %p : f32
      } else {
        %l = arith.subi %j, %c32 : index
        %p = tensor.extract %c[%i, %l] : tensor<64x8xf32>
        scf.yield %p : f32
      }
      scf.yield %u : f32
    }
    linalg.yield %v : f32
  } -> tensor<64x40xf32>
  %o = tensor.empty() : tensor<64x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<64x16xf32>) -> tensor<64x16xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x40xf32>, tensor<40x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// Indices of places are joined from single elements, which stay where they are.
// CHECK-LABEL: func.func @places
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @places(%i: tensor<64x1xi32>, %j: tensor<64x1xi32>, %x: tensor<16x16xf32>) -> tensor<64xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64x2xi32>
  %p = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x2xi32>) {
  ^bb0(%out: i32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %below = arith.cmpi ult, %n, %c1 : index
    %v = scf.if %below -> (i32) {
      %a = tensor.extract %i[%m, %n] : tensor<64x1xi32>
      scf.yield %a : i32
    } else {
      %l = arith.subi %n, %c1 : index
      %a = tensor.extract %j[%m, %l] : tensor<64x1xi32>
      scf.yield %a : i32
    }
    linalg.yield %v : i32
  } -> tensor<64x2xi32>
  %o = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>], iterator_types = ["parallel"]} outs(%o : tensor<64xf32>) {
  ^bb0(%out: f32):
    %m = linalg.index 0 : index
    %c0 = arith.constant 0 : index
    %a = tensor.extract %p[%m, %c0] : tensor<64x2xi32>
    %b = tensor.extract %p[%m, %c1] : tensor<64x2xi32>
    %r = arith.index_cast %a : i32 to index
    %s = arith.index_cast %b : i32 to index
    %v = tensor.extract %x[%r, %s] : tensor<16x16xf32>
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// What lies inside of a pad is a slice of what it surrounds, and the pad ends where the other slices do.
// CHECK-LABEL: func.func @slices_of_pad
// CHECK-SAME: (%[[X:.*]]: tensor<8x6xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<8x7xf32>
// CHECK: %[[PAD:.*]] = tensor.insert_slice %[[X]] into %[[ZEROS]][0, 0] [8, 6] [1, 1] : tensor<8x6xf32> into tensor<8x7xf32>
// CHECK-DAG: tensor.extract_slice %[[X]][1, 0] [4, 6] [2, 1]
// CHECK-DAG: tensor.extract_slice %[[PAD]][0, 1] [4, 6] [2, 1]
func.func @slices_of_pad(%x: tensor<8x6xf32>, %w: tensor<6x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 2] high[1, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x6xf32> to tensor<10x11xf32>
  %a = tensor.extract_slice %p[2, 2] [4, 6] [2, 1] : tensor<10x11xf32> to tensor<4x6xf32>
  %b = tensor.extract_slice %p[1, 3] [4, 6] [2, 1] : tensor<10x11xf32> to tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %u = linalg.matmul ins(%a, %w : tensor<4x6xf32>, tensor<6x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %v = linalg.matmul ins(%b, %w : tensor<4x6xf32>, tensor<6x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %u, %v : tensor<4x16xf32>, tensor<4x16xf32>
}

// Of rows whose number isn't known, a slice has all. One that has all of what is left of the pad is the pad.
// CHECK-LABEL: func.func @slice_of_rows
// CHECK-SAME: (%[[X:.*]]: tensor<?x128xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<?x130xf32>
// CHECK: %[[PAD:.*]] = tensor.insert_slice %[[X]] into %[[ZEROS]][0, 2] [%{{.*}}, 128] [1, 1] : tensor<?x128xf32> into tensor<?x130xf32>
// CHECK-NEXT: return %[[PAD]]
func.func @slice_of_rows(%x: tensor<?x128xf32>) -> tensor<?x130xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %p = tensor.pad %x low[0, 3] high[0, 5] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x128xf32> to tensor<?x136xf32>
  %rows = tensor.dim %x, %c0 : tensor<?x128xf32>
  %s = tensor.extract_slice %p[0, 1] [%rows, 130] [1, 1] : tensor<?x136xf32> to tensor<?x130xf32>
  return %s : tensor<?x130xf32>
}

// Kernels write parts in place that they have multiplied, if products read all of them: gradients of queries, keys and values.
// CHECK-LABEL: func.func @gradients
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [16, 8] [1, 1]
// CHECK: %[[ALL:.*]] = tensor.insert_slice %{{.*}} into %[[FIRST]][0, 8] [16, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ALL]], %{{.*}} : tensor<16x16xf32>, tensor<16x4xf32>)
func.func @gradients(%x: tensor<16x32xf32>, %v: tensor<32x8xf32>, %w: tensor<32x8xf32>, %u: tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = linalg.matmul ins(%x, %v : tensor<16x32xf32>, tensor<32x8xf32>) outs(%f : tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x8xf32>) outs(%f : tensor<16x8xf32>) -> tensor<16x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %half : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %all = tensor.concat dim(1) %2, %1 : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x16xf32>
  %ey = tensor.empty() : tensor<16x4xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<16x4xf32>) -> tensor<16x4xf32>
  %y = linalg.matmul ins(%all, %u : tensor<16x16xf32>, tensor<16x4xf32>) outs(%fy : tensor<16x4xf32>) -> tensor<16x4xf32>
  %eb = tensor.empty() : tensor<16xf32>
  %fb = linalg.fill ins(%zero : f32) outs(%eb : tensor<16xf32>) -> tensor<16xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%all : tensor<16x16xf32>) outs(%fb : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %y, %b : tensor<16x4xf32>, tensor<16xf32>
}

// The type of the concatenation knows less than those of its parts.
// CHECK-LABEL: func.func @unknown
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<8x4x16xf32> into tensor<16x4x16xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<16x4x16xf32> into tensor<64x16xf32>
func.func @unknown(%x: tensor<8x4xf32>, %w: tensor<4x64xf32>, %v: tensor<4x64xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %q = linalg.matmul ins(%x, %v : tensor<8x4xf32>, tensor<4x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %pe = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf32> into tensor<8x4x16xf32>
  %qe = tensor.expand_shape %q [[0], [1, 2]] output_shape [8, 4, 16] : tensor<8x64xf32> into tensor<8x4x16xf32>
  %pc = tensor.collapse_shape %pe [[0, 1], [2]] : tensor<8x4x16xf32> into tensor<32x16xf32>
  %qc = tensor.collapse_shape %qe [[0, 1], [2]] : tensor<8x4x16xf32> into tensor<32x16xf32>
  %c = tensor.concat dim(0) %pc, %qc : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<?x16xf32>
  return %c : tensor<?x16xf32>
}
