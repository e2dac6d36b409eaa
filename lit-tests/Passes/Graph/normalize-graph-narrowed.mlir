// Products of floats that were widened read the narrow ones: what widens them may move and choose elements, and numbers
// that multiply all of a factor multiply the result.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --mlir-print-local-scope | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{accumulate=as-written}))' --mlir-print-local-scope | FileCheck %s --check-prefix=WRITTEN

#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#column = affine_map<(i, j) -> (j)>

// torch's addmm of bf16, as nn.Linear has it.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[X:.*]]: tensor<64x96xbf16>, %[[W:.*]]: tensor<32x96xbf16>, %[[B:.*]]: tensor<32xbf16>)
// CHECK: %[[PRODUCT:.*]] = linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-SAME: ins(%[[X]], %[[W]] : tensor<64x96xbf16>, tensor<32x96xbf16>)
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]], %[[B]] : tensor<64x32xf32>, tensor<32xbf16>)
// WRITTEN-LABEL: func.func @linear(
// WRITTEN: ins(%{{.*}}, %{{.*}} : tensor<64x96xbf16>, tensor<32x96xbf16>)
func.func @linear(%x: tensor<64x96xbf16>, %w: tensor<32x96xbf16>, %b: tensor<32xbf16>) -> tensor<64x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x96xbf16>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %r = arith.extf %v : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %we = tensor.empty() : tensor<32x96xf32>
  %ww = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<32x96xbf16>) outs(%we : tensor<32x96xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %r = arith.extf %v : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<32x96xf32>
  %te = tensor.empty() : tensor<96x32xf32>
  %t = linalg.transpose ins(%ww : tensor<32x96xf32>) outs(%te : tensor<96x32xf32>) permutation = [1, 0]
  %pe = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%wide, %t : tensor<64x96xf32>, tensor<96x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  %ye = tensor.empty() : tensor<64x32xbf16>
  %y = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<64x32xf32>, tensor<32xbf16>) outs(%ye : tensor<64x32xbf16>) {
  ^bb0(%v: f32, %c: bf16, %o: bf16):
    %cw = arith.extf %c : bf16 to f32
    %s = arith.addf %v, %cw : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64x32xbf16>
  return %y : tensor<64x32xbf16>
}

// Queries times a number, as in scaled_dot_product_attention, and keys divided by another one.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: %[[Q:.*]]: tensor<64x96xf16>, %[[K:.*]]: tensor<32x96xf16>, %[[D:.*]]: f32)
// CHECK: %[[SCALE:.*]] = arith.constant 0.353553385 : f32
// CHECK: %[[MINUS:.*]] = linalg.generic {{.*}} ins(%[[K]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.negf %{{.*}} : f16
// CHECK: %[[PRODUCT:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[MINUS]] : tensor<64x96xf16>, tensor<32x96xf16>)
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]]
// CHECK: %[[BY:.*]] = arith.divf %{{.*}}, %[[D]] : f32
// CHECK: arith.mulf %[[BY]], %[[SCALE]] : f32
// WRITTEN-LABEL: func.func @scaled(
// WRITTEN: ins(%{{.*}}, %{{.*}} : tensor<64x96xf32>, tensor<32x96xf32>)
func.func @scaled(%q: tensor<64x96xf16>, %k: tensor<32x96xf16>, %d: f32) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.35355339059327379 : f64
  %e = tensor.empty() : tensor<64x96xf32>
  %qs = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<64x96xf16>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%v: f16, %o: f32):
    %w = arith.extf %v : f16 to f32
    %s = arith.truncf %scale : f64 to f32
    %r = arith.mulf %w, %s : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %ke = tensor.empty() : tensor<32x96xf32>
  %ks = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<32x96xf16>) outs(%ke : tensor<32x96xf32>) {
  ^bb0(%v: f16, %o: f32):
    %w = arith.extf %v : f16 to f32
    %n = arith.negf %w : f32
    %r = arith.divf %n, %d : f32
    linalg.yield %r : f32
  } -> tensor<32x96xf32>
  %pe = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%qs, %ks : tensor<64x96xf32>, tensor<32x96xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}

// A sum that doesn't begin at zero isn't multiplied.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-narrow-factors
// CHECK-LABEL: func.func @begun(
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x96xf32>, tensor<96x32xf32>)
func.func @begun(%q: tensor<64x96xbf16>, %k: tensor<96x32xbf16>, %b: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %scale = arith.constant 0.3 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %qs = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<64x96xbf16>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%v: bf16, %o: f32):
    %w = arith.extf %v : bf16 to f32
    %r = arith.mulf %w, %scale : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %kw = arith.extf %k : tensor<96x32xbf16> to tensor<96x32xf32>
  %p = linalg.matmul ins(%qs, %kw : tensor<64x96xf32>, tensor<96x32xf32>) outs(%b : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}

// Elements that are chosen, put together and turned, of an op that others read in f32.
// CHECK-LABEL: func.func @chosen(
// CHECK: arith.select {{.*}} : bf16
// CHECK: %[[ROUNDED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<32x64xbf16>)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x32xbf16>, tensor<32x64xbf16>)
// CHECK: linalg.generic {{.*}} ins(%[[ROUNDED]]
// CHECK: arith.extf
func.func @chosen(%x: tensor<32x32xbf16>, %z: tensor<32x32xi1>, %w: tensor<32x64xf32>) -> (tensor<64x64xf32>, tensor<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %xw = arith.extf %x : tensor<32x32xbf16> to tensor<32x32xf32>
  %e = tensor.empty() : tensor<32x32xf32>
  %part = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xw, %z : tensor<32x32xf32>, tensor<32x32xi1>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%v: f32, %c: i1, %o: f32):
    %n = arith.negf %v : f32
    %a = arith.maximumf %n, %half : f32
    %r = arith.select %c, %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<32x32xf32>
  %ae = tensor.empty() : tensor<64x32xf32>
  %first = tensor.insert_slice %part into %ae[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<64x32xf32>
  %both = tensor.insert_slice %xw into %first[32, 0] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<64x32xf32>
  %we = tensor.empty() : tensor<32x64xf32>
  %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<32x64xf32>) outs(%we : tensor<32x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.sin %v : f32
    %t = arith.truncf %s : f32 to bf16
    %r = arith.extf %t : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<32x64xf32>
  %pe = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%both, %rounded : tensor<64x32xf32>, tensor<32x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = math.tanh %rounded : tensor<32x64xf32>
  return %p, %t : tensor<64x64xf32>, tensor<32x64xf32>
}

// No type has the elements of both, or a number that is computed.
// CHECK-LABEL: func.func @others(
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<64x96xf32>, tensor<96x32xf32>)
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<64x96xf32>, tensor<96x32xf32>)
func.func @others(%x: tensor<64x96xbf16>, %y: tensor<64x96xf32>, %w: tensor<96x32xf16>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %third = arith.constant 0.333333343 : f32
  %xw = arith.extf %x : tensor<64x96xbf16> to tensor<64x96xf32>
  %ww = arith.extf %w : tensor<96x32xf16> to tensor<96x32xf32>
  %e = tensor.empty() : tensor<64x96xf32>
  %bounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%xw : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.maximumf %v, %third : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %pe = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%bounded, %ww : tensor<64x96xf32>, tensor<96x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  %q = linalg.matmul ins(%y, %ww : tensor<64x96xf32>, tensor<96x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p, %q : tensor<64x32xf32>, tensor<64x32xf32>
}

// CHECK-LABEL: func.func @convolution(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x9x9x32xbf16>, tensor<3x3x32x64xbf16>)
func.func @convolution(%x: tensor<2x9x9x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x7x7x64xf32> {
  %zero = arith.constant 0.0 : f32
  %xw = arith.extf %x : tensor<2x9x9x32xbf16> to tensor<2x9x9x32xf32>
  %ww = arith.extf %w : tensor<3x3x32x64xbf16> to tensor<3x3x32x64xf32>
  %e = tensor.empty() : tensor<2x7x7x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x7x64xf32>) -> tensor<2x7x7x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%xw, %ww : tensor<2x9x9x32xf32>, tensor<3x3x32x64xf32>) outs(%f : tensor<2x7x7x64xf32>) -> tensor<2x7x7x64xf32>
  return %y : tensor<2x7x7x64xf32>
}

// Each value is read twice.
// CHECK-LABEL: func.func @shared(
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} : tensor<32x32xbf16>, tensor<32x32xbf16>)
func.func @shared(%x: tensor<32x32xbf16>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %v0 = arith.extf %x : tensor<32x32xbf16> to tensor<32x32xf32>
  %v1 = arith.maximumf %v0, %v0 : tensor<32x32xf32>
  %v2 = arith.minimumf %v1, %v1 : tensor<32x32xf32>
  %n2 = arith.negf %v2 : tensor<32x32xf32>
  %v3 = arith.maximumf %v2, %n2 : tensor<32x32xf32>
  %n3 = arith.negf %v3 : tensor<32x32xf32>
  %v4 = arith.minimumf %v3, %n3 : tensor<32x32xf32>
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.matmul ins(%v4, %v4 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %p : tensor<32x32xf32>
}

// Branches choose which narrow element is widened, as a front end's roll of a window does.
// CHECK-LABEL: func.func @rolled(
// CHECK: scf.if {{.*}} -> (bf16)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} : tensor<64x96xbf16>, tensor<96x32xbf16>)
func.func @rolled(%x: tensor<64x96xbf16>, %w: tensor<96x32xbf16>) -> tensor<64x32xf32> {
  %c3 = arith.constant 3 : index
  %c61 = arith.constant 61 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x96xf32>
  %rolled = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x96xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %isFirst = arith.cmpi ult, %i, %c61 : index
    %r = scf.if %isFirst -> (f32) {
      %at = arith.addi %i, %c3 : index
      %v = tensor.extract %x[%at, %j] : tensor<64x96xbf16>
      %wide = arith.extf %v : bf16 to f32
      scf.yield %wide : f32
    } else {
      %at = arith.subi %i, %c61 : index
      %v = tensor.extract %x[%at, %j] : tensor<64x96xbf16>
      %wide = arith.extf %v : bf16 to f32
      scf.yield %wide : f32
    }
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %ww = arith.extf %w : tensor<96x32xbf16> to tensor<96x32xf32>
  %pe = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%pe : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%rolled, %ww : tensor<64x96xf32>, tensor<96x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}
