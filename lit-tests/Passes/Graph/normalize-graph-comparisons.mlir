// Widened floats are compared as what they were before, with constants that are exact there.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#all = affine_map<(i) -> (i)>

// A front end's clamp of bf16, as relu6 is: limits are f64. 0.1 is between two numbers of bf16.
// CHECK-LABEL: func.func @clamp(
// CHECK: ^bb0(%[[X:.+]]: bf16, %{{.+}}: bf16):
// CHECK-DAG: arith.cmpf olt, %[[X]], %{{.+}} : bf16
// CHECK-DAG: %[[WIDE:.+]] = arith.extf %{{.+}} : bf16 to f64
// CHECK-DAG: arith.cmpf ogt, %[[WIDE]], %{{.+}} : f64
func.func @clamp(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %low = arith.constant 0.0 : f64
  %high = arith.constant 0.1 : f64
  %zero = arith.constant 0.0 : bf16
  %tenth = arith.constant 0.1 : bf16
  %e = tensor.empty() : tensor<64xbf16>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%x : tensor<64xbf16>) outs(%e : tensor<64xbf16>) {
  ^bb0(%v: bf16, %o: bf16):
    %wide = arith.extf %v : bf16 to f64
    %isLow = arith.cmpf olt, %wide, %low : f64
    %first = arith.select %isLow, %zero, %v : bf16
    %wider = arith.extf %first : bf16 to f64
    %isHigh = arith.cmpf ogt, %wider, %high : f64
    %r = arith.select %isHigh, %tenth, %first : bf16
    linalg.yield %r : bf16
  } -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// CHECK-LABEL: func.func @same(
// CHECK: arith.cmpf uno, %{{.+}}, %{{.+}} : f16
// CHECK: arith.cmpf ueq, %{{.+}}, %{{.+}} : f32
func.func @same(%x: tensor<64xf16>, %y: tensor<64xf16>, %z: tensor<64xbf16>) -> (tensor<64xi1>, tensor<64xi1>) {
  %e = tensor.empty() : tensor<64xi1>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all], iterator_types = ["parallel"]}
      ins(%x, %y, %z : tensor<64xf16>, tensor<64xf16>, tensor<64xbf16>) outs(%e, %e : tensor<64xi1>, tensor<64xi1>) {
  ^bb0(%v: f16, %w: f16, %u: bf16, %o: i1, %q: i1):
    %a = arith.extf %v : f16 to f32
    %b = arith.extf %w : f16 to f32
    %c = arith.extf %u : bf16 to f32
    %s = arith.cmpf uno, %a, %b : f32
    %t = arith.cmpf ueq, %a, %c : f32
    linalg.yield %s, %t : i1, i1
  } -> (tensor<64xi1>, tensor<64xi1>)
  return %r#0, %r#1 : tensor<64xi1>, tensor<64xi1>
}
