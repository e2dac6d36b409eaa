// What one elementwise op does with a product is part of the library's call, if the library can do it.
// RUN: carousel-opt %s --carousel-select-libraries | FileCheck %s
// RUN: carousel-opt %s --carousel-select-libraries --remarks-filter=carousel-select-libraries --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#id3 = affine_map<(b, i, j) -> (b, i, j)>

// A GPU on which kernels are slower than the library's, so that there is something to select.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "gpu" = "h200", "kernel-tf32" = 85.0 : f64, "kernel-half" = 430.0 : f64>>} {

// A bias, a residual and gelu in f32, rounded once: one call, and nothing after it.
// CHECK-LABEL: func.func @bias_residual_gelu
// CHECK-SAME: (%[[X:.*]]: tensor<4096x4096xbf16>, %[[W:.*]]: tensor<4096x4096xbf16>, %[[B:.*]]: tensor<4096xbf16>, %[[R:.*]]: tensor<4096x4096xbf16>)
// CHECK: %[[Y:.*]] = carousel.library_matmul ins(%[[X]], %[[W]] : {{.*}}) bias(%[[B]] : tensor<4096xbf16>) residual(%[[R]] : tensor<4096x4096xbf16>) function(gelu) outs(%{{.*}} : tensor<4096x4096xbf16>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
// REMARK: Epilogue {{.*}} Function=bias_residual_gelu | Remark="cuBLASLt computes elementwise at {{[^ ]+}} with the product: bias, residual, gelu"
func.func @bias_residual_gelu(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %b: tensor<4096xbf16>, %r: tensor<4096x4096xbf16>)
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
  %y = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b, %r : tensor<4096x4096xf32>, tensor<4096xbf16>, tensor<4096x4096xbf16>) outs(%r0 : tensor<4096x4096xbf16>) {
  ^bb0(%v0: f32, %v1: bf16, %v2: bf16, %old: bf16):
    %wb = arith.extf %v1 : bf16 to f32
    %wr = arith.extf %v2 : bf16 to f32
    %s0 = arith.addf %v0, %wb : f32
    %s1 = arith.addf %wr, %s0 : f32
    %half = arith.constant 5.0e-1 : f32
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 4.471500e-02 : f32
    %c1 = arith.constant 0.797884583 : f32
    %g0 = arith.mulf %s1, %s1 : f32
    %g1 = arith.mulf %g0, %s1 : f32
    %g2 = arith.mulf %g1, %c0 : f32
    %g3 = arith.addf %s1, %g2 : f32
    %g4 = arith.mulf %g3, %c1 : f32
    %g5 = math.tanh %g4 : f32
    %g6 = arith.addf %g5, %one : f32
    %g7 = arith.mulf %g6, %half : f32
    %g = arith.mulf %s1, %g7 : f32
    %t = arith.truncf %g : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// Gelu as x / (1 + exp(-2u)), with its polynomial in another order.
// CHECK-LABEL: func.func @gelu_of_exp
// CHECK: carousel.library_matmul {{.*}} function(gelu) outs
// CHECK-NOT: linalg.generic
// REMARK: Epilogue {{.*}} Function=gelu_of_exp | Remark="cuBLASLt computes elementwise at {{[^ ]+}} with the product: gelu"
func.func @gelu_of_exp(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>)
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
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %c3 = arith.constant 0.0713548139 : f32
    %c1 = arith.constant 1.59576917 : f32
    %cube = math.powf %v0, %three : f32
    %q3 = arith.mulf %c3, %cube : f32
    %q1 = arith.mulf %c1, %v0 : f32
    %u = arith.addf %q3, %q1 : f32
    %n = arith.negf %u : f32
    %x1 = math.exp %n : f32
    %d = arith.addf %one, %x1 : f32
    %g = arith.divf %v0, %d : f32
    %t = arith.truncf %g : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// Relu keeps NaN, and may follow the rounding: it gives the same.
// CHECK-LABEL: func.func @relu_of_rounded
// CHECK: carousel.library_matmul {{.*}} function(relu) outs(%{{.*}} : tensor<4096x4096xbf16>)
// CHECK-NOT: linalg.generic
// REMARK: Epilogue {{.*}} Function=relu_of_rounded | Remark="cuBLASLt computes elementwise at {{[^ ]+}} with the product: relu"
func.func @relu_of_rounded(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>)
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
    %c0 = arith.constant 0.0 : bf16
    %t = arith.truncf %v0 : f32 to bf16
    %m = arith.maximumf %t, %c0 : bf16
    linalg.yield %m : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// A comparison that NaN passes is that relu, too. f32 has a bias of f32.
// CHECK-LABEL: func.func @bias_relu_f32
// CHECK: carousel.library_matmul {{.*}} bias(%{{.*}} : tensor<4096xf32>) function(relu) outs(%{{.*}} : tensor<4096x4096xf32>)
// CHECK-NOT: linalg.generic
// REMARK: Epilogue {{.*}} Function=bias_relu_f32 | Remark="cuBLASLt computes elementwise at {{[^ ]+}} with the product: bias, relu"
func.func @bias_relu_f32(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %b: tensor<4096xf32>)
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
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%r0 : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %v1: f32, %old: f32):
    %c0 = arith.constant 0.0 : f32
    %s0 = arith.addf %v1, %v0 : f32
    %k = arith.cmpf ugt, %s0, %c0 : f32
    %m = arith.select %k, %s0, %c0 : f32
    linalg.yield %m : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// A result that is transposed: the bias goes along m, and factors change places.
// CHECK-LABEL: func.func @bias_of_transposed
// CHECK-SAME: (%[[X:.*]]: tensor<4096x4096xf32>, %[[W:.*]]: tensor<4096x4096xf32>, %[[B:.*]]: tensor<4096xf32>)
// CHECK: carousel.library_matmul ins(%[[W]], %[[X]] : {{.*}}) bias(%[[B]] : tensor<4096xf32>)
// CHECK-NOT: linalg.generic
// REMARK: Epilogue {{.*}} Function=bias_of_transposed | Remark="cuBLASLt computes elementwise at {{[^ ]+}} with the product: bias"
func.func @bias_of_transposed(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %b: tensor<4096xf32>)
    -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #nm], iterator_types = ["parallel", "parallel", "reduction"]}
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
    %s0 = arith.addf %v1, %v0 : f32
    linalg.yield %s0 : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// The sum of two products is part of the first one's call, which reads the other's result.
// CHECK-LABEL: func.func @sum_of_products
// CHECK: %[[B:.*]] = carousel.library_matmul ins(%arg2, %arg3 : {{[^)]*}}) outs(
// CHECK: %[[Y:.*]] = carousel.library_matmul ins(%arg0, %arg1 : {{[^)]*}}) residual(%[[B]] : tensor<4096x4096xf32>) outs(
// CHECK-NEXT: return %[[Y]]
// REMARK: Epilogue {{.*}} Function=sum_of_products | Remark="cuBLASLt computes elementwise at {{[^ ]+}} with the product: residual"
// REMARK: Epilogue {{.*}} Function=sum_of_products | {{.*}}"cuBLASLt doesn't compute elementwise at {{[^ ]+}} with the product: another product's call does"
func.func @sum_of_products(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>, %u: tensor<4096x4096xf32>, %v: tensor<4096x4096xf32>)
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
  %t = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%u, %v : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %t : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%e : tensor<4096x4096xf32>) {
  ^bb0(%v0: f32, %v1: f32, %old: f32):
    %s0 = arith.addf %v0, %v1 : f32
    linalg.yield %s0 : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// Behind a reshape, which the residual is taken back through. Readers round what is added, and then the call does.
// CHECK-LABEL: func.func @reshaped
// CHECK-SAME: , %[[R:[^ ]*]]: tensor<64x64x4096xbf16>)
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1], [2]]
// CHECK: %[[P:.*]] = carousel.library_matmul {{.*}} residual(%[[FLAT]] : tensor<4096x4096xbf16>) outs(%{{.*}} : tensor<4096x4096xbf16>)
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[P]] {{.*}} into tensor<64x64x4096xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[SPLIT]] : tensor<64x64x4096xbf16>)
// CHECK-NEXT: ^bb0(%[[V:.*]]: bf16,
// CHECK-NEXT: arith.negf %[[V]]
// REMARK: Epilogue {{.*}} Function=reshaped | Remark="cuBLASLt computes elementwise at {{[^ ]+}} with the product: residual"
func.func @reshaped(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %r: tensor<64x64x4096xbf16>)
    -> tensor<64x64x4096xbf16> {
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
  %split = tensor.expand_shape %p [[0, 1], [2]] output_shape [64, 64, 4096] : tensor<4096x4096xf32> into tensor<64x64x4096xf32>
  %r0 = tensor.empty() : tensor<64x64x4096xf32>
  %h = linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%split, %r : tensor<64x64x4096xf32>, tensor<64x64x4096xbf16>) outs(%r0 : tensor<64x64x4096xf32>) {
  ^bb0(%v0: f32, %v1: bf16, %old: f32):
    %wr = arith.extf %v1 : bf16 to f32
    %s0 = arith.addf %v0, %wr : f32
    linalg.yield %s0 : f32
  } -> tensor<64x64x4096xf32>
  %r1 = tensor.empty() : tensor<64x64x4096xbf16>
  %y = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h : tensor<64x64x4096xf32>) outs(%r1 : tensor<64x64x4096xbf16>) {
  ^bb0(%v0: f32, %old: bf16):
    %t = arith.truncf %v0 : f32 to bf16
    %n = arith.negf %t : bf16
    linalg.yield %n : bf16
  } -> tensor<64x64x4096xbf16>
  return %y : tensor<64x64x4096xbf16>
}
}
