// Rows that ops read of a batch of products, by the number of a matrix for each, are products of their own: of the matrices that rows
// choose, in tiles. What these products read are rows of an earlier batch, and so on.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{least-saved-operations=0}))' --mlir-print-local-scope | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{least-saved-operations=0}))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// A few operations aren't worth the tables.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: [Missed] PickedRows {{.*}}Function=chain {{.*}}all rows are multiplied by all matrices: of 800 rows, 100 are read, which saves less than the tables cost
// FEW-NOT: [Passed]

#left = affine_map<(e, t, n, k) -> (t, k)>
#own = affine_map<(e, t, n, k) -> (e, t, k)>
#right = affine_map<(e, t, n, k) -> (e, k, n)>
#made = affine_map<(e, t, n, k) -> (e, t, n)>
#id = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// REMARK: [Passed] PickedRows {{.*}}Function=chain {{.*}}multiplies the 100 rows that are read by their matrices, in place of 800
// REMARK: [Passed] PickedRows {{.*}}Function=chain {{.*}}multiplies the 100 rows that are read by their matrices, in place of 800
// REMARK: [Passed] Grouped {{.*}}Function=chain {{.*}}100 rows choose one of 8 matrices: at most 13 tiles of 16 rows have one each
// CHECK-LABEL: func.func @chain
// CHECK-NOT: tensor<8x100x
// CHECK: linalg.generic {{.*}} "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<13x16x32xf32>, tensor<13x32x48xf32>) outs(%{{.*}} : tensor<13x16x48xf32>)
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<13x16x48xf32>, tensor<13x48x40xf32>) outs(%{{.*}} : tensor<13x16x40xf32>)
// CHECK-NOT: tensor<8x100x
// CHECK: return
func.func @chain(%x: tensor<100x32xf32>, %w: tensor<8x32x48xf32>, %v: tensor<8x48x40xf32>, %g: tensor<100xi32>) -> tensor<100x40xf32> {
  %zero = arith.constant 0.0 : f32
  %c8 = arith.constant 8 : index
  %e1 = tensor.empty() : tensor<8x100x48xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x100x48xf32>) -> tensor<8x100x48xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #made], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<100x32xf32>, tensor<8x32x48xf32>) outs(%f1 : tensor<8x100x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x100x48xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<8x100x48xf32>) outs(%e1 : tensor<8x100x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<8x100x48xf32>
  %e2 = tensor.empty() : tensor<8x100x40xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x100x40xf32>) -> tensor<8x100x40xf32>
  %q = linalg.generic {indexing_maps = [#own, #right, #made], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %v : tensor<8x100x48xf32>, tensor<8x48x40xf32>) outs(%f2 : tensor<8x100x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x100x40xf32>
  %ez = tensor.empty() : tensor<100x40xf32>
  %z = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<100xi32>) outs(%ez : tensor<100x40xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 0 : index
    %2 = linalg.index 1 : index
    %3 = arith.cmpi ult, %0, %c8 : index
    %4 = scf.if %3 -> f32 {
      %5 = tensor.extract %q[%0, %1, %2] : tensor<8x100x40xf32>
      scf.yield %5 : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %4 : f32
  } -> tensor<100x40xf32>
  return %z : tensor<100x40xf32>
}

// What is in memory anyway is read there.
// REMARK: [Missed] PickedRows {{.*}}Function=returned {{.*}}all rows are multiplied by all matrices: other ops read it, too
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-multiply-gathered-rows=least-saved-operations=0
// CHECK-LABEL: func.func @returned
// CHECK: tensor.extract %{{.*}} : tensor<8x100x48xf32>
// CHECK: return
func.func @returned(%x: tensor<100x32xf32>, %w: tensor<8x32x48xf32>, %g: tensor<100xi32>) -> (tensor<100x48xf32>, tensor<8x100x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x100x48xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x100x48xf32>) -> tensor<8x100x48xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #made], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<100x32xf32>, tensor<8x32x48xf32>) outs(%f1 : tensor<8x100x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x100x48xf32>
  %ez = tensor.empty() : tensor<100x48xf32>
  %z = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<100xi32>) outs(%ez : tensor<100x48xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 0 : index
    %2 = linalg.index 1 : index
    %3 = tensor.extract %p[%0, %1, %2] : tensor<8x100x48xf32>
    linalg.yield %3 : f32
  } -> tensor<100x48xf32>
  return %z, %p : tensor<100x48xf32>, tensor<8x100x48xf32>
}

// Of 128 rows, the first 64 are read.
// REMARK: [Missed] PickedRows {{.*}}Function=first {{.*}}all rows are multiplied by all matrices: a loop of an op isn't as long as its rows or columns
// CHECK-LABEL: func.func @first
// CHECK: tensor.extract %{{.*}} : tensor<8x128x48xf32>
// CHECK: return
func.func @first(%x: tensor<128x32xf32>, %w: tensor<8x32x48xf32>, %g: tensor<64xi32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x128x48xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x128x48xf32>) -> tensor<8x128x48xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #made], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<128x32xf32>, tensor<8x32x48xf32>) outs(%f1 : tensor<8x128x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x128x48xf32>
  %ez = tensor.empty() : tensor<64x48xf32>
  %z = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<64xi32>) outs(%ez : tensor<64x48xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 0 : index
    %2 = linalg.index 1 : index
    %3 = tensor.extract %p[%0, %1, %2] : tensor<8x128x48xf32>
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  return %z : tensor<64x48xf32>
}

// REMARK: [Missed] PickedRows {{.*}}Function=sums {{.*}}all rows are multiplied by all matrices: a loop of an op isn't as long as its rows or columns
// CHECK-LABEL: func.func @sums
// CHECK: tensor.extract %{{.*}} : tensor<8x128x48xf32>
// CHECK: return
func.func @sums(%x: tensor<128x32xf32>, %w: tensor<8x32x48xf32>, %g: tensor<64xi32>, %s: tensor<48xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x128x48xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x128x48xf32>) -> tensor<8x128x48xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #made], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<128x32xf32>, tensor<8x32x48xf32>) outs(%f1 : tensor<8x128x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x128x48xf32>
  %ez = tensor.empty() : tensor<64xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<64xf32>) -> tensor<64xf32>
  %z = linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (j)>, #row], iterator_types = ["parallel", "reduction"]} ins(%g, %s : tensor<64xi32>, tensor<48xf32>) outs(%fz : tensor<64xf32>) {
  ^bb0(%a: i32, %b: f32, %o: f32):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 0 : index
    %2 = linalg.index 1 : index
    %3 = tensor.extract %p[%0, %1, %2] : tensor<8x128x48xf32>
    %4 = arith.mulf %3, %b : f32
    %5 = arith.addf %o, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<64xf32>
  return %z : tensor<64xf32>
}
