// Ops that become one kernel are in one function.
// RUN: carousel-opt %s --carousel-form-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-form-groups --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Two reductions of rows and what lies between them. The extent is an argument, since tensor.empty needs it.
// REMARK: Group {{.*}}Function=softmax | {{.*}}Remark="row of maximum at form-groups.mlir:[[#]], elementwise at form-groups.mlir:[[#]], sum at form-groups.mlir:[[#]], elementwise at form-groups.mlir:[[#]]"
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg
// CHECK: %[[Y:.*]] = carousel.group "softmax_0"
// CHECK-SAME: shared_reads = [#carousel.shared_read<op = 0, read = 0, with = 1>, #carousel.shared_read<op = 2, read = 0, with = 3>]
// CHECK-COUNT-4: linalg.generic
// CHECK: carousel.yield
// CHECK-NOT: linalg
// CHECK: return %[[Y]]
func.func @softmax(%x: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x768xf32>
  %e1 = tensor.empty(%rows) : tensor<?xf32>
  %e2 = tensor.empty(%rows) : tensor<?x768xf32>
  %f1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%f1 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<?x768xf32>, tensor<?xf32>) outs(%e2 : tensor<?x768xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %d = arith.subf %in, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x768xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<?x768xf32>) outs(%f2 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<?x768xf32>, tensor<?xf32>) outs(%e2 : tensor<?x768xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %r = arith.divf %in, %s : f32
    linalg.yield %r : f32
  } -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

// A cast is cheap: the sums of rows and those of columns read x, and each extends it.
// REMARK: Group {{.*}}Function=sums | {{.*}}Remark="row of elementwise at form-groups.mlir:[[#]], sum at form-groups.mlir:[[#]]"
// REMARK: Group {{.*}}Function=sums | {{.*}}Remark="column of elementwise at form-groups.mlir:[[#]] #2, sum at form-groups.mlir:[[#]]"
// CHECK-LABEL: func.func @sums
// CHECK: carousel.group "sums_0"
// CHECK: arith.extf
// CHECK: carousel.group "sums_1"
// CHECK: arith.extf
func.func @sums(%x: tensor<64x768xbf16>) -> (tensor<64xf32>, tensor<768xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x768xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %e2 = tensor.empty() : tensor<768xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<768xf32>) -> tensor<768xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x768xbf16>) outs(%e : tensor<64x768xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %r = arith.extf %in : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<64x768xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%w : tensor<64x768xf32>) outs(%f1 : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %b = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%w : tensor<64x768xf32>) outs(%f2 : tensor<768xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<768xf32>
  return %a, %b : tensor<64xf32>, tensor<768xf32>
}

// A product, and what follows it.
// REMARK: Group {{.*}}Function=scale | {{.*}}Remark="contraction of matmul at form-groups.mlir:[[#]], elementwise at form-groups.mlir:[[#]]"
// DOC-EXAMPLE: --carousel-form-groups
// CHECK-LABEL: func.func @scale
// CHECK: %[[D:.*]] = carousel.group "scale_0"
// CHECK: arith.addf
// CHECK: math.tanh
// CHECK: return %[[D]]
func.func @scale(%a: tensor<64x32xf32>, %b: tensor<32x96xf32>, %e: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %c = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = math.tanh %x : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
}

// The bias is added where the products are summed. The slice stands between two kernels, and the reason
// why the square isn't part of the product is the slice.
// REMARK: Group {{.*}}Function=slice | {{.*}}Remark="contraction of matmul at form-groups.mlir:[[#]], elementwise at form-groups.mlir:[[#]]"
// REMARK: Group {{.*}}Function=slice | {{.*}}Remark="elementwise of elementwise at form-groups.mlir:[[#]]"
// CHECK-LABEL: func.func @slice
// CHECK: %[[C:.*]] = carousel.group "slice_0"
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: %[[S:.*]] = tensor.extract_slice %[[C]]
// CHECK: carousel.group "slice_1"(%[[S]])
func.func @slice(%a: tensor<64x32xf32>, %b: tensor<32x96xf32>, %bias: tensor<96xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %c = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x96xf32>) outs(%f : tensor<64x96xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %d = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %bias : tensor<64x96xf32>, tensor<96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %s = tensor.extract_slice %d[0, 48] [64, 48] [1, 1] : tensor<64x96xf32> to tensor<64x48xf32>
  %e2 = tensor.empty() : tensor<64x48xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<64x48xf32>) outs(%e2 : tensor<64x48xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<64x48xf32>
  return %q : tensor<64x48xf32>
}

// Functions without tensors stay as they are.
// CHECK-LABEL: func.func @scalar
// CHECK-NEXT: arith.addi
func.func @scalar(%x: index) -> index {
  %y = arith.addi %x, %x : index
  return %y : index
}

// Tensors of constants are the caller's, numbers the group's.
// CHECK-LABEL: func.func @table
// CHECK: %[[T:.*]] = arith.constant dense<{{.*}}> : tensor<4xf32>
// CHECK: carousel.group "table_0"(%{{.*}}, %[[T]])
// CHECK: arith.constant 2.0
func.func @table(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %t : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.mulf %p, %two : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A constant that an op starts from is part of its kernel. Where an op reads one, such as for the extent of a sum of another
// constant, it is a tensor in memory.
// CHECK-LABEL: func.func @filled
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: carousel.group "filled_0"(%[[FILL]])
// CHECK-NEXT: ^bb0(%[[READ:.*]]: tensor<4xf32>):
// CHECK: %[[START:.*]] = linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%[[READ]] : tensor<4xf32>) outs(%[[START]] : tensor<4xf32>)
func.func @filled() -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#column, #row], iterator_types = ["parallel", "reduction"]} ins(%f : tensor<4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %one : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Of a pad, only the zeros are part of the kernel: what is inside is memory, also if one number fills it.
// CHECK-LABEL: func.func @padded_ones
// CHECK: %[[FILL:.*]] = linalg.fill {{.*}} -> tensor<2x4x4x4xf32>
// CHECK: carousel.group "padded_ones_0"(%[[FILL]],
// CHECK-NEXT: ^bb0(%[[ONES:.*]]: tensor<2x4x4x4xf32>, %[[WEIGHTS:.*]]: tensor<3x3x4x4xf32>, %{{.*}}: tensor<2x4x4x4xf32>):
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2x6x6x4xf32>
// CHECK-NOT: linalg.fill
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[ONES]] into %[[ZEROS]]
// CHECK: linalg.generic {{.*}} ins(%[[PADDED]], %[[WEIGHTS]] :
func.func @padded_ones(%w: tensor<3x3x4x4xf32>, %o: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x4x4x4xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %g = tensor.empty() : tensor<2x6x6x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%g : tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32>
  %p = tensor.insert_slice %ones into %zeros[0, 1, 1, 0] [2, 4, 4, 4] [1, 1, 1, 1] : tensor<2x4x4x4xf32> into tensor<2x6x6x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, i, j, f, k, l, c) -> (n, i + k, j + l, c)>, affine_map<(n, i, j, f, k, l, c) -> (k, l, c, f)>, affine_map<(n, i, j, f, k, l, c) -> (n, i, j, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<2x6x6x4xf32>, tensor<3x3x4x4xf32>) outs(%o : tensor<2x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x4x4x4xf32>
  return %y : tensor<2x4x4x4xf32>
}
