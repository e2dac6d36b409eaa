// Terms that know to which result they belong, as tokens of experts and updates of scatters: results read runs of sorted terms.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{least-saved-operations=-1152921504606846976}))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{least-saved-operations=-1152921504606846976}))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id3 = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (i)>
#two = affine_map<(i, j, k) -> (i, j)>
#mask = affine_map<(e, p, d, t) -> (t, e, p)>
#token = affine_map<(e, p, d, t) -> (t, d)>
#row = affine_map<(e, p, d, t) -> (e, p, d)>

// A key for each token, how many keys are less, the keys in order, where those of each place begin, and sums of runs.
// REMARK: [Passed] OneHot {{.*}}Function=dispatch {{.*}}a factor is one-hot: terms are sorted by their places, in place of sums of 64 terms
// CHECK-LABEL: func.func @dispatch
// CHECK-SAME: (%[[X:.*]]: tensor<64x32xbf16>
// CHECK: %[[KEY:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} {{.*}} outs(%{{.*}} : tensor<64xi32>)
// CHECK: %[[RANK:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[KEY]], %[[KEY]] : tensor<64xi32>, tensor<64xi32>)
// CHECK: arith.cmpi slt
// CHECK: %[[ORDER:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[RANK]], %[[KEY]] : tensor<64xi32>, tensor<64xi32>)
// CHECK: arith.maxsi
// CHECK: %[[BEGIN:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<81xi32>)
// CHECK: scf.for
// CHECK: tensor.extract %[[ORDER]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} outs(%{{.*}} : tensor<4x20x32xf32>)
// CHECK: tensor.extract %[[BEGIN]]
// CHECK: tensor.extract %[[BEGIN]]
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK: scf.if
// CHECK: tensor.extract %[[ORDER]]
// CHECK: tensor.extract %[[X]][%{{.*}}, %{{.*}}]
// CHECK: arith.addf %[[SUM]]
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

// Two choices, of which a nonzero weight makes the mask: 128 keys, of which equal ones of a token count once. A weight of zero
// leaves the place free.
// REMARK: [Passed] OneHot {{.*}}Function=choices {{.*}}terms are sorted by their places, in place of sums of 64 terms
// CHECK-LABEL: func.func @choices
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<128xi32>)
// CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: arith.cmpi ne, %{{.*}}, %[[FIRST]] : index
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

// Sums of products of rows, as of gradients of matrices that rows choose.
// REMARK: [Missed] OneHot {{.*}}Function=gradient {{.*}}terms are products of rows: a product of matrices adds them
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

#hot = affine_map<(r, w, t) -> (t)>
#update = affine_map<(r, w, t) -> (t, w)>
#sum = affine_map<(r, w, t) -> (r, w)>

// What JAX writes: a distance from 0 to below 1 is an equality. Of 256 terms, chunks of 32 that have one row are added once.
// REMARK: [Passed] OneHot {{.*}}Function=scatter {{.*}}terms are sorted by their places, in place of sums of 256 terms
// CHECK-LABEL: func.func @scatter
// CHECK-SAME: (%[[X:.*]]: tensor<256x24xf32>, %{{.*}}: tensor<256xi32>, %[[T:.*]]: tensor<50x24xf32>)
// CHECK: %[[RANK:.*]] = linalg.generic {{.*}} "reduction"]} ins(%{{.*}} : tensor<256xi32>, tensor<256xi32>)
// CHECK: %[[ORDER:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[RANK]], %{{.*}} : tensor<256xi32>, tensor<256xi32>)
// CHECK: arith.maxsi
// CHECK: %[[CHUNKS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x24xf32>)
// CHECK: tensor.extract %[[ORDER]]
// CHECK: tensor.extract %[[ORDER]]
// CHECK: scf.for
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins({{.*}}%[[T]]{{.*}}) outs(%{{.*}} : tensor<50x24xf32>)
// CHECK: scf.for
// CHECK: tensor.extract %[[X]]
// CHECK: scf.for
// CHECK: tensor.extract %[[CHUNKS]]
// CHECK: scf.for
// CHECK: tensor.extract %[[X]]
// CHECK: return %[[Y]]
func.func @scatter(%x: tensor<256x24xf32>, %i: tensor<256xi32>, %t: tensor<50x24xf32>) -> tensor<50x24xf32> {
  %none = arith.constant 0.0 : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %y = linalg.generic {indexing_maps = [#hot, #update, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%i, %x : tensor<256xi32>, tensor<256x24xf32>) outs(%t : tensor<50x24xf32>) {
  ^bb0(%a: i32, %b: f32, %o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.subi %1, %a : i32
    %3 = arith.cmpi sge, %2, %zero : i32
    %4 = arith.cmpi slt, %2, %one : i32
    %5 = arith.andi %3, %4 : i1
    %6 = arith.select %5, %b, %none : f32
    %7 = arith.addf %o, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<50x24xf32>
  return %y : tensor<50x24xf32>
}

// What PyTorch writes. Of 8192 terms, two blocks are sorted, and merged.
// REMARK: [Passed] OneHot {{.*}}Function=merged {{.*}}terms are sorted by their places, in place of sums of 8192 terms
// CHECK-LABEL: func.func @merged
// CHECK: %[[RANK:.*]] = linalg.generic {{.*}} ["parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<2x4096xi32>, tensor<2x4096xi32>)
// CHECK: %[[BLOCKS:.*]] = linalg.generic {{.*}} ["parallel", "parallel", "reduction"]} ins(%[[RANK]], %{{.*}} : tensor<2x4096xi32>, tensor<2x4096xi32>)
// CHECK: arith.maxsi
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.*}} : tensor<8192xi32>)
// CHECK: scf.for
// CHECK: tensor.extract %[[BLOCKS]]
// CHECK: return
func.func @merged(%x: tensor<8192xf32>, %i: tensor<8192xi64>, %t: tensor<50xf32>) -> tensor<50xf32> {
  %none = arith.constant -1.0 : f32
  %one = arith.constant 1 : index
  %y = linalg.generic {indexing_maps = [affine_map<(r, t) -> (t)>, affine_map<(r, t) -> (t)>, affine_map<(r, t) -> (r)>],
      iterator_types = ["parallel", "reduction"]} ins(%i, %x : tensor<8192xi64>, tensor<8192xf32>) outs(%t : tensor<50xf32>) {
  ^bb0(%a: i64, %b: f32, %o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %a : i64 to index
    %2 = arith.subi %0, %1 : index
    %3 = arith.cmpi ult, %2, %one : index
    %4 = scf.if %3 -> (f32) {
      scf.yield %b : f32
    } else {
      scf.yield %none : f32
    }
    %5 = arith.maximumf %o, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<50xf32>
  return %y : tensor<50xf32>
}

// As many terms as the launch says: parts of 4096 are sorted, and a result adds the run of each.
// REMARK: [Passed] OneHot {{.*}}Function=unknown {{.*}}terms are sorted by their places, in place of sums of all terms
// CHECK-LABEL: func.func @unknown
// CHECK: %[[COUNT:.*]] = tensor.dim
// CHECK: %[[PARTS:.*]] = {{.*}} %[[COUNT]]
// CHECK: %[[KEY:.*]] = linalg.generic {{.*}} ["parallel", "parallel"]} {{.*}}outs(%{{.*}} : tensor<?x4096xi32>)
// CHECK: linalg.generic {{.*}} ["parallel", "parallel", "reduction"]} ins(%[[KEY]], %[[KEY]] : tensor<?x4096xi32>, tensor<?x4096xi32>)
// CHECK: %[[BEGINS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x51xi32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<50x24xf32>)
// CHECK: scf.for %[[PART:.*]] = %{{.*}} to %[[PARTS]]
// CHECK: tensor.extract %[[BEGINS]][%[[PART]], %{{.*}}]
// CHECK: scf.for
// CHECK: return
func.func @unknown(%x: tensor<?x24xf32>, %i: tensor<?xi32>) -> tensor<50x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<50x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<50x24xf32>) -> tensor<50x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(r, w, t) -> (t, w)>, affine_map<(r, w, t) -> (t)>, affine_map<(r, w, t) -> (r, w)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %i : tensor<?x24xf32>, tensor<?xi32>) outs(%f : tensor<50x24xf32>) {
  ^bb0(%a: f32, %b: i32, %o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %1, %b : i32
    %3 = arith.select %2, %a, %zero : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<50x24xf32>
  return %y : tensor<50x24xf32>
}

// What rows add is dear: it is computed once for each term, and not for each row.
// CHECK-LABEL: func.func @dear
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-NOT: math.exp
// CHECK: return
func.func @dear(%x: tensor<64xf32>, %i: tensor<64xi32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.tanh %a : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(r, t) -> (t)>, affine_map<(r, t) -> (t)>, affine_map<(r, t) -> (r)>],
      iterator_types = ["parallel", "reduction"]} ins(%g, %i : tensor<64xf32>, tensor<64xi32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %b: i32, %o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %1, %b : i32
    %3 = arith.select %2, %a, %zero : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}
