// Two products of one factor whose results meet are one group, if threads can have the sums of both.
// RUN: carousel-opt %s --carousel-form-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-form-groups --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i, j) -> (i, j)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}

// REMARK: Group {{.*}}Function=gate | {{.*}}Remark="contraction of matmul at form-groups-gates.mlir:[[#]], matmul at form-groups-gates.mlir:[[#]], elementwise at form-groups-gates.mlir:[[#]]"
// CHECK-LABEL: func.func @gate
// CHECK: carousel.group "gate_0"
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: carousel.group
func.func @gate(%x: tensor<?x768xbf16>, %v: tensor<768x3072xbf16>, %w: tensor<768x3072xbf16>) -> tensor<?x3072xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x768xbf16>
  %e = tensor.empty(%m) : tensor<?x3072xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3072xf32>) -> tensor<?x3072xf32>
  %p = linalg.generic #product ins(%x, %v : tensor<?x768xbf16>, tensor<768x3072xbf16>) outs(%f : tensor<?x3072xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x3072xf32>
  %q = linalg.generic #product ins(%x, %w : tensor<?x768xbf16>, tensor<768x3072xbf16>) outs(%f : tensor<?x3072xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x3072xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<?x3072xf32>, tensor<?x3072xf32>) outs(%e : tensor<?x3072xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x3072xf32>
  return %y : tensor<?x3072xf32>
}

// Threads that multiply and add f32 would have too many registers.
// REMARK: Boundary {{.*}}Function=of_f32 | {{.*}}whose factors have more than 2 bytes: 4
// CHECK-LABEL: func.func @of_f32
// CHECK-COUNT-2: carousel.group
func.func @of_f32(%x: tensor<64x768xf32>, %v: tensor<768x96xf32>, %w: tensor<768x96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %p = linalg.generic #product ins(%x, %v : tensor<64x768xf32>, tensor<768x96xf32>) outs(%f : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x96xf32>
  %q = linalg.generic #product ins(%x, %w : tensor<64x768xf32>, tensor<768x96xf32>) outs(%f : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x96xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}
