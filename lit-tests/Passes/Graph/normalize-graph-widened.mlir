// Sums and products along dimensions, scans and windows of narrow floats add in f32, and their results are rounded once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --mlir-print-local-scope | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// DOC-EXAMPLE: --carousel-generalize-graph --carousel-widen-sums
// CHECK-LABEL: func.func @sum(
// CHECK: ^bb0(%[[X:.*]]: bf16, %[[BEFORE:.*]]: f32):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK-NEXT: %[[AFTER:.*]] = arith.addf %[[WIDE]], %[[BEFORE]] : f32
// CHECK-NEXT: linalg.yield %[[AFTER]]
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @sum(%x: tensor<3x2000xbf16>) -> tensor<3xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<3xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<3xbf16>) -> tensor<3xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x2000xbf16>) outs(%f : tensor<3xbf16>) {
  ^bb0(%v: bf16, %o: bf16):
    %r = arith.addf %v, %o : bf16
    linalg.yield %r : bf16
  } -> tensor<3xbf16>
  return %y : tensor<3xbf16>
}

// The body's own f32 is rounded at each step.
// CHECK-LABEL: func.func @stepwise(
// CHECK: ^bb0(%[[X:.*]]: bf16, %[[BEFORE:.*]]: f32):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK-NEXT: %[[AFTER:.*]] = arith.addf %[[WIDE]], %[[BEFORE]] : f32
// CHECK-NEXT: linalg.yield %[[AFTER]]
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @stepwise(%x: tensor<3x2000xbf16>) -> tensor<3xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<3xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<3xbf16>) -> tensor<3xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x2000xbf16>) outs(%f : tensor<3xbf16>) {
  ^bb0(%v: bf16, %o: bf16):
    %ve = arith.extf %v : bf16 to f32
    %oe = arith.extf %o : bf16 to f32
    %r = arith.addf %ve, %oe : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3xbf16>
  return %y : tensor<3xbf16>
}

// CHECK-LABEL: func.func @scan(
// CHECK: ^bb0(%[[X:.*]]: bf16, %[[BEFORE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK-NEXT: %[[UPTO:.*]] = arith.mulf %[[BEFORE]], %[[WIDE]] : f32
// CHECK-NEXT: linalg.yield %[[UPTO]], %[[UPTO]]
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @scan(%x: tensor<2000xbf16>) -> tensor<2000xbf16> {
  %one = arith.constant 1.0 : bf16
  %e = tensor.empty() : tensor<2000xbf16>
  %f = linalg.fill ins(%one : bf16) outs(%e : tensor<2000xbf16>) -> tensor<2000xbf16>
  %y = linalg.generic {indexing_maps = [#column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2000xbf16>) outs(%f : tensor<2000xbf16>) {
  ^bb0(%v: bf16, %o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %is = arith.cmpi ule, %j, %i : index
    %w = arith.select %is, %v, %one : bf16
    %r = arith.mulf %o, %w : bf16
    linalg.yield %r : bf16
  } -> tensor<2000xbf16>
  return %y : tensor<2000xbf16>
}

// CHECK-LABEL: func.func @pool(
// CHECK: ^bb0(%[[X:.*]]: f16, %{{.*}}: f16, %[[BEFORE:.*]]: f32):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK-NEXT: arith.addf %[[BEFORE]], %[[WIDE]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @pool(%x: tensor<1x40x40x2xf16>) -> tensor<1x20x20x2xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x20x20x2xf16>
  %w = tensor.empty() : tensor<21x21xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x20x20x2xf16>) -> tensor<1x20x20x2xf16>
  %y = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x40x40x2xf16>, tensor<21x21xf16>) outs(%f : tensor<1x20x20x2xf16>) -> tensor<1x20x20x2xf16>
  return %y : tensor<1x20x20x2xf16>
}
