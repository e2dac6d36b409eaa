// Attention whose divisors replace sums of nothing is one group: the divisors stay rows of their own, which have a correction. Keys
// that several heads share are computed once for all of these.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph),carousel-form-groups)' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --mlir-print-local-scope | FileCheck %s --check-prefix=NORMAL

#qd = affine_map<(h, g, i, j, d) -> (h, g, i, d)>
#kd = affine_map<(h, g, i, j, d) -> (h, g, j, d)>
#sj = affine_map<(h, g, i, j, d) -> (h, g, i, j)>
#pj = affine_map<(h, g, i, d, j) -> (h, g, i, j)>
#vj = affine_map<(h, g, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, g, i, d, j) -> (h, g, i, d)>
#all = affine_map<(h, g, i, j) -> (h, g, i, j)>
#mask = affine_map<(h, g, i, j) -> (i, j)>
#row = affine_map<(h, g, i, j) -> (h, g, i)>
#own = affine_map<(h, g, j, d) -> (h, j, d)>
#line = affine_map<(h, g, j, d) -> (d)>
#rows = affine_map<(h, g, i) -> (h, g, i)>

// CHECK-LABEL: func.func @masked
// CHECK: carousel.group "masked_0"
// CHECK: math.exp
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK: arith.divf
// CHECK-NOT: carousel.group
// CHECK: return

// NORMAL-LABEL: func.func @masked
// NORMAL: linalg.generic {{.*}} ins(%arg1, %arg4 : tensor<2x512x64xbf16>, tensor<64xbf16>) outs(%{{.+}} : tensor<2x512x64xbf16>)
// NORMAL: linalg.generic {{.*}}tensor<2x7x512x64xbf16>, tensor<2x512x64xbf16>) outs(%{{.+}} : tensor<2x7x512x512xf32>)
// NORMAL: math.exp
// NORMAL: %[[NONE:.+]] = arith.cmpf oeq
// NORMAL-NEXT: %[[DIVISOR:.+]] = arith.select %[[NONE]]
// NORMAL-NEXT: linalg.yield %[[DIVISOR]]
// NORMAL-NEXT: -> tensor<2x7x512xf32>
func.func @masked(%q: tensor<2x7x512x64xbf16>, %k: tensor<2x512x64xbf16>, %v: tensor<2x512x64xbf16>, %m: tensor<512x512xi1>, %c: tensor<64xbf16>) -> tensor<2x7x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %ek = tensor.empty() : tensor<2x7x512x64xbf16>
  %repeated = linalg.generic {indexing_maps = [#own, affine_map<(h, g, j, d) -> (h, g, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<2x512x64xbf16>) outs(%ek : tensor<2x7x512x64xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    linalg.yield %a : bf16
  } -> tensor<2x7x512x64xbf16>
  %keys = linalg.generic {indexing_maps = [affine_map<(h, g, j, d) -> (h, g, j, d)>, #line, affine_map<(h, g, j, d) -> (h, g, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%repeated, %c : tensor<2x7x512x64xbf16>, tensor<64xbf16>) outs(%ek : tensor<2x7x512x64xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %t = math.tanh %a : bf16
    %r = arith.mulf %t, %b : bf16
    linalg.yield %r : bf16
  } -> tensor<2x7x512x64xbf16>
  %es = tensor.empty() : tensor<2x7x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x7x512x512xf32>) -> tensor<2x7x512x512xf32>
  %s0 = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %keys : tensor<2x7x512x64xbf16>, tensor<2x7x512x64xbf16>) outs(%fs : tensor<2x7x512x512xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x7x512x512xf32>
  %s = linalg.generic {indexing_maps = [#all, #mask, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s0, %m : tensor<2x7x512x512xf32>, tensor<512x512xi1>) outs(%es : tensor<2x7x512x512xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %r = arith.select %b, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x7x512x512xf32>
  %er = tensor.empty() : tensor<2x7x512xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x7x512xf32>) -> tensor<2x7x512xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s : tensor<2x7x512x512xf32>) outs(%fm : tensor<2x7x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x7x512xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %largest : tensor<2x7x512x512xf32>, tensor<2x7x512xf32>) outs(%es : tensor<2x7x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %none = arith.cmpf oeq, %b, %low : f32
    %bound = arith.select %none, %zero, %b : f32
    %x = arith.subf %a, %bound : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x7x512x512xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<2x7x512xf32>) -> tensor<2x7x512xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w : tensor<2x7x512x512xf32>) outs(%fl : tensor<2x7x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x7x512xf32>
  %divisor = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%l : tensor<2x7x512xf32>) outs(%er : tensor<2x7x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %none = arith.cmpf oeq, %a, %zero : f32
    %r = arith.select %none, %one, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x7x512xf32>
  %ew = tensor.empty() : tensor<2x7x512x512xbf16>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %divisor : tensor<2x7x512x512xf32>, tensor<2x7x512xf32>) outs(%ew : tensor<2x7x512x512xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x7x512x512xbf16>
  %ey = tensor.empty() : tensor<2x7x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x7x512x64xf32>) -> tensor<2x7x512x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x7x512x512xbf16>, tensor<2x512x64xbf16>) outs(%fy : tensor<2x7x512x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %xz = arith.mulf %x, %z : f32
    %r = arith.addf %o, %xz : f32
    linalg.yield %r : f32
  } -> tensor<2x7x512x64xf32>
  return %y : tensor<2x7x512x64xf32>
}
