// Products that a library computes faster are calls of it.
// RUN: carousel-opt %s --carousel-select-libraries --canonicalize | FileCheck %s
// RUN: carousel-opt %s --carousel-select-libraries=products=tf32 | FileCheck %s --check-prefix=TF32
// RUN: carousel-opt %s --carousel-select-libraries --remarks-filter=carousel-select-libraries --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not carousel-opt %s --carousel-select-libraries=products=f16 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --products option: Cannot find option named 'f16'!

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>

// A GPU on which kernels are slower than the library's, so that there is something to select.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "gpu" = "h200", "kernel-tf32" = 85.0 : f64, "kernel-half" = 430.0 : f64>>} {

// CHECK: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// The result's extents are those of the factors, and so are checked.
// DOC-EXAMPLE: --carousel-select-libraries
// CHECK-LABEL: func.func @large
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32> {{.*}}, %[[W:.*]]: tensor<?x?xf32> {{.*}})
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq
// CHECK: cf.assert %[[EQUAL]], "expected dimension 0 of w to be as long as dimension 1 of x in a product"
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
// CHECK: %[[Y:.*]] = carousel.library_matmul ins(%[[X]], %[[W]] : tensor<?x?xf32>, tensor<?x?xf32>) outs(%[[E]] : tensor<?x?xf32>) {indexing_maps = [#[[MK]], #[[KN]], #[[MN]]]} -> tensor<?x?xf32>
// CHECK: return %[[Y]]
// TF32-LABEL: func.func @large
// TF32: carousel.library_matmul {{.*}}, tf32}
// REMARK: Library {{.*}} Function=large | Remark="cuBLASLt computes matmul at select-libraries.mlir:[[#]]: {{[0-9.]+}} us with calls: 1, further bytes through memory: 0; a kernel takes {{[0-9.]+}} us"
func.func @large(%x: tensor<?x?xf32> {carousel.argument = #x}, %w: tensor<?x?xf32> {carousel.argument = #w})
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A small product isn't worth a call.
// CHECK-LABEL: func.func @small
// CHECK-NOT: library_matmul
// CHECK: linalg.generic
// REMARK: Function=small | Remark="cuBLASLt doesn't compute matmul at select-libraries.mlir:[[#]]: {{[0-9.]+}} us with calls: 1, further bytes through memory: 4096; a kernel takes {{[0-9.]+}} us"
func.func @small(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%z : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = math.tanh %a : f32
    linalg.yield %t : f32
  } -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// All readers round to bf16 first, also behind a reshape: the library does. Two dimensions that are one in all tensors
// become one, and extents that types state aren't checked.
// CHECK-LABEL: func.func @rounded
// CHECK-SAME: (%[[X:.*]]: tensor<64x64x1024xbf16>, %[[W:.*]]: tensor<1024x4096xbf16>
// CHECK-NOT: cf.assert
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK: %[[P:.*]] = carousel.library_matmul ins(%[[ROWS]], %[[W]] : tensor<4096x1024xbf16>, tensor<1024x4096xbf16>) outs(%{{.*}} : tensor<4096x4096xbf16>) {{.*}} -> tensor<4096x4096xbf16>
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[P]]
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<4096x4096xbf16>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: arith.negf %[[A]] : bf16
// CHECK: linalg.generic {{.*}} ins(%[[SPLIT]] : tensor<64x64x4096xbf16>)
// CHECK-NEXT: ^bb0(%[[B:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: arith.addf %[[B]], %[[B]] : bf16
func.func @rounded(%x: tensor<64x64x1024xbf16>, %w: tensor<1024x4096xbf16>)
    -> (tensor<4096x4096xbf16>, tensor<64x64x4096xbf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64x4096xf32>) -> tensor<64x64x4096xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>,
      affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x64x1024xbf16>, tensor<1024x4096xbf16>) outs(%z : tensor<64x64x4096xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %wa = arith.extf %a : bf16 to f32
    %wb = arith.extf %b : bf16 to f32
    %p = arith.mulf %wa, %wb : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x64x4096xf32>
  %flat = tensor.collapse_shape %y [[0, 1], [2]] : tensor<64x64x4096xf32> into tensor<4096x4096xf32>
  %e1 = tensor.empty() : tensor<4096x4096xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%flat : tensor<4096x4096xf32>) outs(%e1 : tensor<4096x4096xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.truncf %a : f32 to bf16
    %n = arith.negf %t : bf16
    linalg.yield %n : bf16
  } -> tensor<4096x4096xbf16>
  %e2 = tensor.empty() : tensor<64x64x4096xbf16>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<64x64x4096xf32>) outs(%e2 : tensor<64x64x4096xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.truncf %a : f32 to bf16
    %d = arith.addf %t, %t : bf16
    linalg.yield %d : bf16
  } -> tensor<64x64x4096xbf16>
  return %r, %q : tensor<4096x4096xbf16>, tensor<64x64x4096xbf16>
}

// A result that the program returns stays f32. Sums that begin with something else, or along two dimensions apart, and
// products of more than two elements stay kernels.
// CHECK-LABEL: func.func @kept
// CHECK: carousel.library_matmul {{.*}} -> tensor<4096x4096xf32>
// CHECK-NOT: library_matmul
// CHECK-LABEL: func.func private
// REMARK: Function=kept | Remark="no library computes matmul at select-libraries.mlir:[[#]]: its sums go along dimensions that aren't next to each other"
func.func @kept(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>, %b: tensor<4096x4096xf32>,
                %u: tensor<64x4096x64xf32>, %v: tensor<64x64x4096xf32>)
    -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f16, %c: f16, %o: f32):
    %wa = arith.extf %a : f16 to f32
    %wc = arith.extf %c : f16 to f32
    %p = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %biased = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%b : tensor<4096x4096xf32>) {
  ^bb0(%a: f16, %c: f16, %o: f32):
    %wa = arith.extf %a : f16 to f32
    %wc = arith.extf %c : f16 to f32
    %p = arith.mulf %wa, %wc : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  %split = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (k, m, l)>,
      affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%u, %v : tensor<64x4096x64xf32>, tensor<64x64x4096xf32>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  return %y, %biased, %split : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
}

// Not a program.
func.func private @called(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  return %x : tensor<4096x4096xf32>
}

// Heads are between rows and their elements. Copies have them beside the batches: one call goes along both.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: (%[[Q:.*]]: tensor<?x16x12x64xf32>, %[[K:.*]]: tensor<?x16x12x64xf32>)
// CHECK: %[[A:.*]] = linalg.generic {indexing_maps = [#[[TURNED:.*]], #{{.*}}], {{.*}} ins(%[[Q]] : tensor<?x16x12x64xf32>) outs(%{{.*}} : tensor<?x12x16x64xf32>)
// CHECK: %[[B:.*]] = linalg.generic {indexing_maps = [#[[TURNED]], #{{.*}}], {{.*}} ins(%[[K]] : tensor<?x16x12x64xf32>) outs(%{{.*}} : tensor<?x12x16x64xf32>)
// CHECK: %[[LHS:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2], [3]]
// CHECK: %[[RHS:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2], [3]]
// CHECK: carousel.library_matmul ins(%[[LHS]], %[[RHS]] : tensor<?x16x64xf32>, tensor<?x16x64xf32>)
// REMARK: Function=heads | Remark="cuBLASLt computes matmul at select-libraries.mlir:[[#]]: {{[0-9.]+}} us with calls: 1, copies of factors: 2, further bytes
func.func @heads(%q: tensor<?x16x12x64xf32>, %k: tensor<?x16x12x64xf32>) -> tensor<?x12x16x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %q, %c0 : tensor<?x16x12x64xf32>
  %e = tensor.empty(%b) : tensor<?x12x16x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x12x16x16xf32>) -> tensor<?x12x16x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, s, t, d) -> (b, s, h, d)>, affine_map<(b, h, s, t, d) -> (b, t, h, d)>,
      affine_map<(b, h, s, t, d) -> (b, h, s, t)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x16x12x64xf32>, tensor<?x16x12x64xf32>) outs(%z : tensor<?x12x16x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %n = arith.addf %o, %p : f32
    linalg.yield %n : f32
  } -> tensor<?x12x16x16xf32>
  return %y : tensor<?x12x16x16xf32>
}
}
