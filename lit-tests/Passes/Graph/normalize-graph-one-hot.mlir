// Sums with a one-hot factor read their only term, as front ends write gathers, and the experts of tokens.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// Products with zero of what isn't finite are kept where the graph's letter counts.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{accumulate=as-written}))' | FileCheck %s --check-prefix=WRITTEN
// WRITTEN-NOT: tensor.extract

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (i)>

// Rows of a table, of which a product is computed. A number that is none gives zeros.
// REMARK: [Passed] OneHot {{.*}}Function=rows {{.*}}a factor is one-hot: elements are read by their numbers, in place of sums of 30 terms
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-read-one-hots
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<30x128xbf16>, %[[I:.*]]: tensor<70xi32>
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[I]] : tensor<70xi32>) outs(%{{.*}} : tensor<70x128xbf16>)
// CHECK: %[[ROW:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[ROW]], %c30
// CHECK: %[[V:.*]] = scf.if %[[EXISTS]] -> (bf16)
// CHECK-NEXT: %[[E:.*]] = tensor.extract %[[X]][%[[ROW]],
// CHECK-NEXT: scf.yield %[[E]]
// CHECK-NEXT: else
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK: linalg.yield %[[V]]
// CHECK: linalg.generic {{.*}} "reduction"]} ins(%[[G]], %{{.*}} : tensor<70x128xbf16>, tensor<128x72xbf16>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rows(%x: tensor<30x128xbf16>, %i: tensor<70xi32>, %w: tensor<128x72xbf16>) -> tensor<70x72xf32> {
  %none = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x30xbf16>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<70xi32>) outs(%e : tensor<70x30xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %a, %1 : i32
    %3 = arith.uitofp %2 : i1 to bf16
    linalg.yield %3 : bf16
  } -> tensor<70x30xbf16>
  %r = tensor.empty() : tensor<70x128xbf16>
  %f = linalg.fill ins(%none : bf16) outs(%r : tensor<70x128xbf16>) -> tensor<70x128xbf16>
  %g = linalg.matmul ins(%hot, %x : tensor<70x30xbf16>, tensor<30x128xbf16>) outs(%f : tensor<70x128xbf16>) -> tensor<70x128xbf16>
  %s = tensor.empty() : tensor<70x72xf32>
  %t = linalg.fill ins(%zero : f32) outs(%s : tensor<70x72xf32>) -> tensor<70x72xf32>
  %y = linalg.matmul ins(%g, %w : tensor<70x128xbf16>, tensor<128x72xbf16>) outs(%t : tensor<70x72xf32>) -> tensor<70x72xf32>
  return %y : tensor<70x72xf32>
}

// The results of experts: those of token t are at expert e[t], place p[t], and count g[t].
// REMARK: [Passed] OneHot {{.*}}Function=combine {{.*}}in place of sums of 48 terms
// CHECK-LABEL: func.func @combine
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: arith.cmpi ult, %{{.*}}, %c4
// CHECK: arith.cmpi ult, %{{.*}}, %c12
// CHECK: arith.andi
// CHECK: scf.if
// CHECK: %[[V:.*]] = tensor.extract %{{.*}} : tensor<4x12x32xf32>
// CHECK: arith.mulf %{{.*}}, %[[V]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @combine(%y: tensor<4x12x32xf32>, %e: tensor<16xi32>, %p: tensor<16xi32>, %g: tensor<16xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<16x4x12xf32>
  %hot = linalg.generic {indexing_maps = [#first, #first, #first, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %p, %g : tensor<16xi32>, tensor<16xi32>, tensor<16xf32>) outs(%m : tensor<16x4x12xf32>) {
  ^bb0(%a: i32, %b: i32, %c: f32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = linalg.index 2 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.cmpi eq, %1, %a : i32
    %5 = arith.cmpi eq, %b, %3 : i32
    %6 = arith.uitofp %4 : i1 to f32
    %7 = arith.select %5, %c, %zero : f32
    %8 = arith.mulf %6, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<16x4x12xf32>
  %r = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16x32xf32>) -> tensor<16x32xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(t, d, e, p) -> (t, e, p)>, affine_map<(t, d, e, p) -> (e, p, d)>,
      affine_map<(t, d, e, p) -> (t, d)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%hot, %y : tensor<16x4x12xf32>, tensor<4x12x32xf32>) outs(%f : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x32xf32>
  return %z : tensor<16x32xf32>
}

// The losses of labels, by a selection. An index may have the low bits of a label alone, so labels are compared.
// REMARK: [Passed] OneHot {{.*}}Function=labels
// CHECK-LABEL: func.func @labels
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: arith.cmpi ult, %{{.*}}, %c100_i64 : i64
// CHECK: tensor.extract
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @labels(%x: tensor<16x100xf32>, %i: tensor<16xi64>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %i : tensor<16x100xf32>, tensor<16xi64>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %b: i64, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpi eq, %1, %b : i64
    %3 = arith.select %2, %a, %zero : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// Tokens of experts, which are few: a product adds them.
// REMARK: [Missed] OneHot {{.*}}Function=dispatch {{.*}}a factor may be one-hot, but sorting its 16 terms by their places saves too little
// CHECK-LABEL: func.func @dispatch
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @dispatch(%x: tensor<16x32xf32>, %i: tensor<16xi32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4xf32>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<16xi32>) outs(%e : tensor<16x4xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %a, %1 : i32
    %3 = arith.uitofp %2 : i1 to f32
    linalg.yield %3 : f32
  } -> tensor<16x4xf32>
  %r = tensor.empty() : tensor<4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<4x32xf32>) -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(e, d, t) -> (t, e)>, affine_map<(e, d, t) -> (t, d)>, affine_map<(e, d, t) -> (e, d)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%hot, %x : tensor<16x4xf32>, tensor<16x32xf32>) outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// REMARK: [Missed] OneHot {{.*}}Function=unknown {{.*}}but the extent of what it goes along isn't known
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @unknown(%x: tensor<16x?xf32>, %i: tensor<16xi64>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %i : tensor<16x?xf32>, tensor<16xi64>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %b: i64, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpi eq, %1, %b : i64
    %3 = arith.select %2, %a, %zero : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// 128 isn't among numbers of 8 bits: there, it is -128.
// REMARK: [Missed] OneHot {{.*}}Function=narrow {{.*}}a factor may be one-hot, but it compares numbers in a type that doesn't have all those of a loop
// CHECK-LABEL: func.func @narrow
// CHECK: arith.cmpi eq
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @narrow(%x: tensor<16x129xf32>, %i: tensor<16xi8>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %i : tensor<16x129xf32>, tensor<16xi8>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %b: i8, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i8
    %2 = arith.cmpi eq, %1, %b : i8
    %3 = arith.select %2, %a, %zero : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// The numbers up to 127 are, but not their count.
// REMARK: [Passed] OneHot {{.*}}Function=bytes {{.*}}in place of sums of 128 terms
// CHECK-LABEL: func.func @bytes
// CHECK: arith.cmpi ult, %{{.*}}, %c128 : index
// CHECK: tensor.extract
// CHECK: return
func.func @bytes(%x: tensor<16x128xf32>, %i: tensor<16xi8>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %i : tensor<16x128xf32>, tensor<16xi8>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %b: i8, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i8
    %2 = arith.cmpi eq, %1, %b : i8
    %3 = arith.select %2, %a, %zero : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// Terms that don't vanish where numbers differ: one for each.
// REMARK: [Missed] OneHot {{.*}}Function=others {{.*}}but it compares no number with those along which it is summed
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @others(%x: tensor<30x128xf32>, %i: tensor<70xi32>) -> tensor<70x128xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<70x30xf32>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<70xi32>) outs(%e : tensor<70x30xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %a, %1 : i32
    %3 = arith.select %2, %two, %one : f32
    linalg.yield %3 : f32
  } -> tensor<70x30xf32>
  %r = tensor.empty() : tensor<70x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<70x128xf32>) -> tensor<70x128xf32>
  %g = linalg.matmul ins(%hot, %x : tensor<70x30xf32>, tensor<30x128xf32>) outs(%f : tensor<70x128xf32>) -> tensor<70x128xf32>
  return %g : tensor<70x128xf32>
}

// Nothing else says how long the sum is: it stays.
// CHECK-LABEL: func.func @alone
// CHECK: arith.cmpi eq
// CHECK: arith.addf
func.func @alone(%index: tensor<16xi32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %hot = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%index : tensor<16xi32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%a: i32, %o: f32):
    %j = linalg.index 1 : index
    %c = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %a, %c : i32
    %r = arith.select %is, %one, %zero : f32
    linalg.yield %r : f32
  } -> tensor<16x8xf32>
  %es = tensor.empty() : tensor<16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%hot : tensor<16x8xf32>) outs(%fs : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// A window doesn't say how long the sum along it is.
// REMARK: [Missed] OneHot {{.*}}Function=window {{.*}}a factor may be one-hot, but no operand that is left says how long a loop is
// CHECK-LABEL: func.func @window
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @window(%x: tensor<36xf32>, %g: tensor<32xi32>, %w: tensor<64x5xf32>) -> tensor<32xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<32xf32>) -> tensor<32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, k, v) -> (i + k)>, affine_map<(i, k, v) -> (i)>, affine_map<(i, k, v) -> (v, k)>,
      affine_map<(i, k, v) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %g, %w : tensor<36xf32>, tensor<32xi32>, tensor<64x5xf32>) outs(%f : tensor<32xf32>) {
  ^bb0(%a: f32, %b: i32, %c: f32, %o: f32):
    %0 = linalg.index 2 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %b, %1 : i32
    %3 = arith.uitofp %2 : i1 to f32
    %4 = arith.mulf %3, %c : f32
    %5 = arith.mulf %4, %a : f32
    %6 = arith.addf %o, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// The indices come from a tensor, as nothing else has the extent of the loop: the gradient of a loss adds up a row.
// REMARK: [Passed] OneHot {{.*}}Function=row {{.*}}a factor is one-hot: elements are read by their numbers, in place of sums of 640 terms
// CHECK-LABEL: func.func @row
// CHECK-SAME: (%[[LABELS:.*]]: tensor<16xi64>, %[[G:.*]]: tensor<16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[LABELS]], %[[G]] :
// CHECK-NOT: reduction
// CHECK: return
func.func @row(%labels: tensor<16xi64>, %g: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %en = tensor.empty() : tensor<640xi64>
  %n = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%en : tensor<640xi64>) {
  ^bb0(%o: i64):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    linalg.yield %1 : i64
  } -> tensor<640xi64>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%n, %labels, %g : tensor<640xi64>, tensor<16xi64>, tensor<16xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%j: i64, %label: i64, %own: f32, %o: f32):
    %0 = arith.cmpi eq, %j, %label : i64
    %1 = arith.select %0, %own, %zero : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
