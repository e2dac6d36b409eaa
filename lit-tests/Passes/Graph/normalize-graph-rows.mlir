// Numbers of rows that a factor gathers are a tensor, where they are computed: a product reads rows by a table.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph),carousel-form-groups)' --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i, j) -> (i, j)>
#first = affine_map<(t, m, k) -> (t)>
#rows = affine_map<(t, m, k) -> (t, m, k)>
#row = affine_map<(i, j) -> (i)>

// PyTorch wraps negative numbers.
// CHECK-LABEL: func.func @wrapped
// CHECK-SAME: (%[[X:.*]]: tensor<30x128xbf16>, %[[I:.*]]: tensor<?xi64>
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} ins(%[[I]] : tensor<?xi64>) outs(%{{.*}} : tensor<?xi64>)
// CHECK: arith.select
// CHECK: linalg.generic {{.*}} ins(%[[TABLE]] : tensor<?xi64>) outs(%{{.*}} : tensor<?x128xbf16>)
// CHECK-NOT: arith.select
// CHECK: tensor.extract %[[X]]
// CHECK: linalg.generic {{.*}} "reduction"]
// REMARK: Boundary {{.*}}Function=wrapped | {{.*}}producers find the rows of 'elementwise {{.*}}' by a table in memory
func.func @wrapped(%x: tensor<30x128xbf16>, %i: tensor<?xi64>, %w: tensor<128x72xbf16>) -> tensor<?x72xf32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i64
  %rows = arith.constant 30 : i64
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %i, %c0 : tensor<?xi64>
  %e = tensor.empty(%m) : tensor<?x128xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi64>) outs(%e : tensor<?x128xbf16>) {
  ^bb0(%a: i64, %o: bf16):
    %below = arith.cmpi slt, %a, %none : i64
    %0 = arith.addi %a, %rows : i64
    %1 = arith.select %below, %0, %a : i64
    %2 = arith.index_cast %1 : i64 to index
    %3 = linalg.index 1 : index
    %4 = tensor.extract %x[%2, %3] : tensor<30x128xbf16>
    linalg.yield %4 : bf16
  } -> tensor<?x128xbf16>
  %r = tensor.empty(%m) : tensor<?x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<?x72xf32>) -> tensor<?x72xf32>
  %y = linalg.matmul ins(%g, %w : tensor<?x128xbf16>, tensor<128x72xbf16>) outs(%f : tensor<?x72xf32>) -> tensor<?x72xf32>
  return %y : tensor<?x72xf32>
}

// Numbers that follow from columns, too, are elements, and those of a table stay there.
// CHECK-LABEL: func.func @shifted
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @table
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
func.func @shifted(%x: tensor<200x128xbf16>, %i: tensor<70xi64>, %w: tensor<128x72xbf16>) -> tensor<70x72xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x128xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<70xi64>) outs(%e : tensor<70x128xbf16>) {
  ^bb0(%a: i64, %o: bf16):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %a : i64 to index
    %2 = arith.addi %1, %0 : index
    %3 = tensor.extract %x[%2, %0] : tensor<200x128xbf16>
    linalg.yield %3 : bf16
  } -> tensor<70x128xbf16>
  %r = tensor.empty() : tensor<70x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<70x72xf32>) -> tensor<70x72xf32>
  %y = linalg.matmul ins(%g, %w : tensor<70x128xbf16>, tensor<128x72xbf16>) outs(%f : tensor<70x72xf32>) -> tensor<70x72xf32>
  return %y : tensor<70x72xf32>
}

func.func @table(%x: tensor<200x128xbf16>, %i: tensor<70xi64>, %w: tensor<128x72xbf16>) -> tensor<70x72xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x128xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<70xi64>) outs(%e : tensor<70x128xbf16>) {
  ^bb0(%a: i64, %o: bf16):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %a : i64 to index
    %2 = tensor.extract %x[%1, %0] : tensor<200x128xbf16>
    linalg.yield %2 : bf16
  } -> tensor<70x128xbf16>
  %r = tensor.empty() : tensor<70x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<70x72xf32>) -> tensor<70x72xf32>
  %y = linalg.matmul ins(%g, %w : tensor<70x128xbf16>, tensor<128x72xbf16>) outs(%f : tensor<70x72xf32>) -> tensor<70x72xf32>
  return %y : tensor<70x72xf32>
}

// Rows that follow each other have no table: kernels read boxes of them. They don't of a matrix whose extents aren't known.
// CHECK-LABEL: func.func @following
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @unknown
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x64xi64>)
// CHECK: linalg.generic {{.*}} ins(%[[TABLE]] : tensor<8x64xi64>) outs(%{{.*}} : tensor<8x64x72xbf16>)
func.func @following(%x: tensor<210x72xbf16>, %first: tensor<8xi32>, %w: tensor<8x72x136xbf16>) -> tensor<8x64x136xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64x72xbf16>
  %g = linalg.generic {indexing_maps = [#first, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%first : tensor<8xi32>) outs(%e : tensor<8x64x72xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %3 = arith.addi %0, %1 : index
    %4 = tensor.extract %x[%3, %2] : tensor<210x72xbf16>
    linalg.yield %4 : bf16
  } -> tensor<8x64x72xbf16>
  %r = tensor.empty() : tensor<8x64x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8x64x136xf32>) -> tensor<8x64x136xf32>
  %y = linalg.batch_matmul ins(%g, %w : tensor<8x64x72xbf16>, tensor<8x72x136xbf16>) outs(%f : tensor<8x64x136xf32>) -> tensor<8x64x136xf32>
  return %y : tensor<8x64x136xf32>
}

func.func @unknown(%x: tensor<?x72xbf16>, %first: tensor<8xi32>, %w: tensor<8x72x136xbf16>) -> tensor<8x64x136xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64x72xbf16>
  %g = linalg.generic {indexing_maps = [#first, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%first : tensor<8xi32>) outs(%e : tensor<8x64x72xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %3 = arith.addi %0, %1 : index
    %4 = tensor.extract %x[%3, %2] : tensor<?x72xbf16>
    linalg.yield %4 : bf16
  } -> tensor<8x64x72xbf16>
  %r = tensor.empty() : tensor<8x64x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8x64x136xf32>) -> tensor<8x64x136xf32>
  %y = linalg.batch_matmul ins(%g, %w : tensor<8x64x72xbf16>, tensor<8x72x136xbf16>) outs(%f : tensor<8x64x136xf32>) -> tensor<8x64x136xf32>
  return %y : tensor<8x64x136xf32>
}
