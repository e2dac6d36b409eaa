// Terms that know to which sum they belong, as the tokens of experts: sums read them from where tables say.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id3 = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (i)>
#two = affine_map<(i, j, k) -> (i, j)>
#mask = affine_map<(e, p, d, t) -> (t, e, p)>
#token = affine_map<(e, p, d, t) -> (t, d)>
#row = affine_map<(e, p, d, t) -> (e, p, d)>

// A token's place, the first and the last token of each place, and a row that goes on from the one to the other.
// REMARK: [Passed] OneHot {{.*}}Function=dispatch {{.*}}a factor is one-hot: terms are read where they have their places, in place of sums of 64 terms
// CHECK-LABEL: func.func @dispatch
// CHECK-SAME: (%[[X:.*]]: tensor<64x32xbf16>
// CHECK: %[[AT:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} {{.*}} outs(%{{.*}} : tensor<64xi32>)
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[AT]] : tensor<64xi32>) outs(%{{.*}} : tensor<4x20xi32>)
// CHECK: arith.minsi
// CHECK: %[[LAST:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[AT]] : tensor<64xi32>) outs(%{{.*}} : tensor<4x20xi32>)
// CHECK: arith.maxsi
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[FIRST]], %[[LAST]] : tensor<4x20xi32>, tensor<4x20xi32>)
// CHECK: ^bb0(%[[BEGIN:.*]]: i32, %[[END:.*]]: i32
// CHECK: %[[T:.*]] = arith.index_cast %[[BEGIN]]
// CHECK: %[[ANY:.*]] = scf.if
// CHECK-NEXT: tensor.extract %[[X]][%[[T]], %{{.*}}]
// CHECK-NEXT: arith.extf
// CHECK-NEXT: scf.yield
// CHECK: arith.subi %[[END]], %[[BEGIN]]
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %[[ANY]])
// CHECK: %[[OTHER:.*]] = scf.if
// CHECK: arith.addf %[[SUM]], %[[OTHER]]
// CHECK-NOT: tensor<64x4x20
// CHECK: return
func.func @dispatch(%x: tensor<64x32xbf16>, %e: tensor<64xi32>, %p: tensor<64xi32>) -> tensor<4x20x32xf32> {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<64x4x20xbf16>
  %hot = linalg.generic {indexing_maps = [#first, #first, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %p : tensor<64xi32>, tensor<64xi32>) outs(%m : tensor<64x4x20xbf16>) {
  ^bb0(%a: i32, %b: i32, %o: bf16):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = linalg.index 2 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.cmpi eq, %a, %1 : i32
    %5 = arith.cmpi eq, %b, %3 : i32
    %6 = arith.andi %4, %5 : i1
    %7 = arith.uitofp %6 : i1 to bf16
    linalg.yield %7 : bf16
  } -> tensor<64x4x20xbf16>
  %r = tensor.empty() : tensor<4x20x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<4x20x32xf32>) -> tensor<4x20x32xf32>
  %z = linalg.generic {indexing_maps = [#mask, #token, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%hot, %x : tensor<64x4x20xbf16>, tensor<64x32xbf16>) outs(%f : tensor<4x20x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x20x32xf32>
  return %z : tensor<4x20x32xf32>
}

// Two choices, of which a nonzero weight makes the mask: a table of each. A weight of zero leaves the place free.
// REMARK: [Passed] OneHot {{.*}}Function=choices {{.*}}terms are read where they have their places, in place of sums of 64 terms
// CHECK-LABEL: func.func @choices
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<64xi32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<64xi32>)
// CHECK: linalg.generic {{.*}} "reduction"]} {{.*}} outs(%{{.*}} : tensor<4x40xi32>)
// CHECK: arith.ori
// CHECK: arith.minsi
// CHECK-NOT: tensor<64x4x40
// CHECK: return
func.func @choices(%x: tensor<64x32xf32>, %e: tensor<64xi32>, %p: tensor<64xi32>, %g: tensor<64xf32>, %e1: tensor<64xi32>, %p1: tensor<64xi32>, %g1: tensor<64xf32>) -> tensor<4x40x32xf32> {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<64x4x40xf32>
  %hot = linalg.generic {indexing_maps = [#first, #first, #first, #first, #first, #first, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %p, %g, %e1, %p1, %g1 : tensor<64xi32>, tensor<64xi32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi32>, tensor<64xf32>) outs(%m : tensor<64x4x40xf32>) {
  ^bb0(%a: i32, %b: i32, %c: f32, %a1: i32, %b1: i32, %c1: f32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = linalg.index 2 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.cmpi eq, %a, %1 : i32
    %5 = arith.cmpi eq, %b, %3 : i32
    %6 = arith.uitofp %4 : i1 to f32
    %7 = arith.mulf %6, %c : f32
    %8 = arith.select %5, %7, %zero : f32
    %9 = arith.cmpi eq, %a1, %1 : i32
    %10 = arith.cmpi eq, %b1, %3 : i32
    %11 = arith.andi %9, %10 : i1
    %12 = arith.uitofp %11 : i1 to f32
    %13 = arith.mulf %12, %c1 : f32
    %14 = arith.addf %8, %13 : f32
    %15 = arith.cmpf une, %14, %zero : f32
    %16 = arith.uitofp %15 : i1 to f32
    linalg.yield %16 : f32
  } -> tensor<64x4x40xf32>
  %r = tensor.empty() : tensor<4x40x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<4x40x32xf32>) -> tensor<4x40x32xf32>
  %z = linalg.generic {indexing_maps = [#mask, #token, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%hot, %x : tensor<64x4x40xf32>, tensor<64x32xf32>) outs(%f : tensor<4x40x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x40x32xf32>
  return %z : tensor<4x40x32xf32>
}

// A place in each expert, and results of the experts that have one: terms at points of their own.
// REMARK: [Passed] OneHot {{.*}}Function=table {{.*}}elements are read by their numbers, in place of sums of 100 terms
// CHECK-LABEL: func.func @table
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<64x32xi32>)
// CHECK: tensor.extract %{{.*}} : tensor<32x100x8xf32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @table(%y: tensor<32x100x8xf32>, %p: tensor<64x32xi32>) -> tensor<64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<64x32x100xf32>
  %hot = linalg.generic {indexing_maps = [#two, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<64x32xi32>) outs(%m : tensor<64x32x100xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = linalg.index 2 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %a, %1 : i32
    %3 = arith.uitofp %2 : i1 to f32
    linalg.yield %3 : f32
  } -> tensor<64x32x100xf32>
  %r = tensor.empty() : tensor<64x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<64x8xf32>) -> tensor<64x8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(t, d, e, p) -> (t, e, p)>, affine_map<(t, d, e, p) -> (e, p, d)>,
      affine_map<(t, d, e, p) -> (t, d)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%hot, %y : tensor<64x32x100xf32>, tensor<32x100x8xf32>) outs(%f : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x8xf32>
  return %z : tensor<64x8xf32>
}

// A place for each number and column, in which a term is or isn't for all columns: 16 terms of each, as of gradients of matrices
// that rows choose. A product adds them.
// REMARK: [Missed] OneHot {{.*}}Function=gradient {{.*}}2048 terms have 128 places: several belong to each
// CHECK-LABEL: func.func @gradient
// CHECK: linalg.generic {{.*}} "reduction"]}
// CHECK-NOT: scf.for
// CHECK: return
func.func @gradient(%x: tensor<64x32xf32>, %dy: tensor<64x40xf32>, %g: tensor<64xi32>) -> tensor<4x32x40xf32> {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<64x4x32xf32>
  %own = linalg.generic {indexing_maps = [#first, affine_map<(i, j, k) -> (i, k)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g, %x : tensor<64xi32>, tensor<64x32xf32>) outs(%m : tensor<64x4x32xf32>) {
  ^bb0(%a: i32, %b: f32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %a, %1 : i32
    %3 = arith.select %2, %b, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<64x4x32xf32>
  %r = tensor.empty() : tensor<4x32x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<4x32x40xf32>) -> tensor<4x32x40xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(e, k, n, t) -> (t, e, k)>, affine_map<(e, k, n, t) -> (t, n)>,
      affine_map<(e, k, n, t) -> (e, k, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%own, %dy : tensor<64x4x32xf32>, tensor<64x40xf32>) outs(%f : tensor<4x32x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x32x40xf32>
  return %z : tensor<4x32x40xf32>
}
