// Elementwise ops after products that cuBLASLt does not compute with them.
// RUN: carousel-opt %s --carousel-select-libraries | FileCheck %s
// RUN: carousel-opt %s --carousel-select-libraries --remarks-filter=carousel-select-libraries --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>

// A GPU on which kernels are slower than the library's, so that there is something to select.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "gpu" = "h200", "kernel-tf32" = 85.0 : f64, "kernel-half" = 430.0 : f64>>} {

// The graph rounds the sums before it adds the bias: two roundings stay two.
// CHECK-LABEL: func.func @two_roundings
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=two_roundings | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it rounds the sums before it computes more"
func.func @two_roundings(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %b: tensor<4096xbf16>)
    -> tensor<4096x4096xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %wa = arith.extf %a : bf16 to f32
    %wc = arith.extf %c : bf16 to f32
    %q = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xbf16>) outs(%r0 : tensor<4096x4096xbf16>) {
  ^bb0(%v0: f32, %v1: bf16, %old: bf16):
    %t = arith.truncf %v0 : f32 to bf16
    %s0 = arith.addf %t, %v1 : bf16
    linalg.yield %s0 : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// Gelu of erf.
// CHECK-LABEL: func.func @gelu_of_erf
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=gelu_of_erf | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it has erf, and the library's gelu is that of tanh"
func.func @gelu_of_erf(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>)
    -> tensor<4096x4096xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %wa = arith.extf %a : bf16 to f32
    %wc = arith.extf %c : bf16 to f32
    %q = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4096x4096xf32>) outs(%r0 : tensor<4096x4096xbf16>) {
  ^bb0(%v0: f32, %old: bf16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 0.707106769 : f32
    %u = arith.mulf %v0, %c : f32
    %f = math.erf %u : f32
    %d = arith.addf %one, %f : f32
    %g0 = arith.mulf %v0, %d : f32
    %g = arith.mulf %g0, %half : f32
    %t = arith.truncf %g : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// A polynomial that is almost that of gelu.
// CHECK-LABEL: func.func @gelu_of_other_constants
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=gelu_of_other_constants | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it computes something else than a bias, a residual, relu or gelu"
func.func @gelu_of_other_constants(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>)
    -> tensor<4096x4096xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %wa = arith.extf %a : bf16 to f32
    %wc = arith.extf %c : bf16 to f32
    %q = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4096x4096xf32>) outs(%r0 : tensor<4096x4096xbf16>) {
  ^bb0(%v0: f32, %old: bf16):
    %half = arith.constant 5.0e-1 : f32
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 4.470000e-02 : f32
    %c1 = arith.constant 0.797884583 : f32
    %g0 = arith.mulf %v0, %v0 : f32
    %g1 = arith.mulf %g0, %v0 : f32
    %g2 = arith.mulf %g1, %c0 : f32
    %g3 = arith.addf %v0, %g2 : f32
    %g4 = arith.mulf %g3, %c1 : f32
    %g5 = math.tanh %g4 : f32
    %g6 = arith.addf %g5, %one : f32
    %g7 = arith.mulf %g6, %half : f32
    %g = arith.mulf %v0, %g7 : f32
    %t = arith.truncf %g : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// The library takes two kernels for gelu of f32.
// CHECK-LABEL: func.func @gelu_in_f32
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=gelu_in_f32 | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: the library applies gelu to f32 by a kernel, too"
func.func @gelu_in_f32(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4096x4096xf32>) outs(%r0 : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %old: f32):
    %half = arith.constant 5.0e-1 : f32
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 4.471500e-02 : f32
    %c1 = arith.constant 0.797884583 : f32
    %g0 = arith.mulf %v0, %v0 : f32
    %g1 = arith.mulf %g0, %v0 : f32
    %g2 = arith.mulf %g1, %c0 : f32
    %g3 = arith.addf %v0, %g2 : f32
    %g4 = arith.mulf %g3, %c1 : f32
    %g5 = math.tanh %g4 : f32
    %g6 = arith.addf %g5, %one : f32
    %g7 = arith.mulf %g6, %half : f32
    %g = arith.mulf %v0, %g7 : f32
    linalg.yield %g : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// This relu makes zero of NaN.
// CHECK-LABEL: func.func @relu_of_numbers
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=relu_of_numbers | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: its relu makes a number of NaN, which the library keeps"
func.func @relu_of_numbers(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>)
    -> tensor<4096x4096xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %wa = arith.extf %a : bf16 to f32
    %wc = arith.extf %c : bf16 to f32
    %q = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4096x4096xf32>) outs(%r0 : tensor<4096x4096xbf16>) {
  ^bb0(%v0: f32, %old: bf16):
    %c0 = arith.constant 0.0 : f32
    %k = arith.cmpf ogt, %v0, %c0 : f32
    %m = arith.select %k, %v0, %c0 : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// A bias of f32, and a result of bf16.
// CHECK-LABEL: func.func @bias_of_f32
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=bias_of_f32 | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it adds elements of f32 to a result of bf16, and the library adds those of the result's type"
func.func @bias_of_f32(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %b: tensor<4096xf32>)
    -> tensor<4096x4096xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %wa = arith.extf %a : bf16 to f32
    %wc = arith.extf %c : bf16 to f32
    %q = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%r0 : tensor<4096x4096xbf16>) {
  ^bb0(%v0: f32, %v1: f32, %old: bf16):
    %s0 = arith.addf %v0, %v1 : f32
    %t = arith.truncf %s0 : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// A bias along rows.
// CHECK-LABEL: func.func @bias_of_rows
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=bias_of_rows | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it adds what goes neither along all dimensions nor along those in which the result's elements are neighbours"
func.func @bias_of_rows(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %b: tensor<4096xf32>)
    -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%r0 : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %v1: f32, %old: f32):
    %s0 = arith.addf %v0, %v1 : f32
    linalg.yield %s0 : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// Two residuals.
// CHECK-LABEL: func.func @two_residuals
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=two_residuals | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it adds more than one bias and one residual"
func.func @two_residuals(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %r: tensor<4096x4096xf32>, %u: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %r, %u : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%r0 : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %v1: f32, %v2: f32, %old: f32):
    %s0 = arith.addf %v0, %v1 : f32
    %s1 = arith.addf %s0, %v2 : f32
    linalg.yield %s1 : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// Another function.
// CHECK-LABEL: func.func @scaled
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=scaled | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it computes something else than a bias, a residual, relu or gelu"
func.func @scaled(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4096x4096xf32>) outs(%r0 : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %old: f32):
    %s0 = arith.mulf %v0, %v0 : f32
    linalg.yield %s0 : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// The op writes its result in another order.
// CHECK-LABEL: func.func @transposed
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=transposed | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: its result has its elements in another order"
func.func @transposed(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %b: tensor<4096xf32>)
    -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%r0 : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %v1: f32, %old: f32):
    %s0 = arith.addf %v0, %v1 : f32
    linalg.yield %s0 : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// Two results.
// CHECK-LABEL: func.func @two_results
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK: Epilogue {{.*}} Function=two_results | Remark="cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: it has several results"
func.func @two_results(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %b: tensor<4096xf32>)
    -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %y:2 = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%e, %e : tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %v1: f32, %old: f32, %old1: f32):
    %s0 = arith.addf %v0, %v1 : f32
    %s1 = arith.mulf %s0, %s0 : f32
    linalg.yield %s0, %s1 : f32, f32
  } -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>)
  return %y#0, %y#1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>
}

// What the program returns, or two ops read, is in memory: no remark.
// CHECK-LABEL: func.func @returned
// CHECK: carousel.library_matmul ins(%{{[^()]*}}) outs(
// CHECK: linalg.generic
// REMARK-NOT: Epilogue {{.*}} Function=returned
func.func @returned(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %b: tensor<4096xf32>)
    -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %r0 = tensor.empty() : tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%r0 : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %v1: f32, %old: f32):
    %s0 = arith.addf %v0, %v1 : f32
    linalg.yield %s0 : f32
  } -> tensor<4096x4096xf32>
  return %y, %p : tensor<4096x4096xf32>, tensor<4096x4096xf32>
}
}
