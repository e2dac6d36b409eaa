// Products of f32 whose factors are rounded to tf32, if asked for; those of other types are as always.
// RUN: carousel-opt %s --carousel-graph-to-block=products=tf32 -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: carousel-opt %s --carousel-graph-to-block -o %t.exact.mlir
// RUN: FileCheck %s --input-file %t.exact.mlir --check-prefix=EXACT
// RUN: not carousel-opt %s --carousel-graph-to-block=products=fast 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --products option: Cannot find option named 'fast'!
// EXACT-LABEL: gpu.func @wide_0
// EXACT-NOT: carousel.round_tf32
// EXACT: vector.contract

// The same bits as machine code.
// RUN: carousel-sim %t.mlir --program @wide --arg arg0=random:67x40 --arg arg1=random:40x24 --arg result0=empty:67x24 --out result0=%t.npy --quiet
// RUN: carousel-opt %t.mlir --pass-pipeline='builtin.module(carousel-lower{chip=sm_80})' | carousel-sim - --program @wide --arg arg0=random:67x40 --arg arg1=random:40x24 --arg result0=empty:67x24 --expect result0=%t.npy --rtol 1e-6 --atol 1e-6

// So has a body that rounds the factors itself.
// RUN: carousel-sim %t.exact.mlir --program @asked --arg arg0=random:67x40 --arg arg1=random:40x24 --arg result0=empty:67x24 --expect result0=%t.npy --quiet

func.func @wide(%a: tensor<?x40xf32>, %b: tensor<40x24xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x24xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x40xf32>, tensor<40x24xf32>) outs(%i : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %p : tensor<?x24xf32>
}

func.func @narrow(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
// CHECK-LABEL: gpu.func @wide_0
// CHECK-COUNT-2: carousel.round_tf32
// CHECK: vector.contract
// CHECK-LABEL: gpu.func @narrow_0
// CHECK-NOT: carousel.round_tf32

func.func @asked(%a: tensor<?x40xf32>, %b: tensor<40x24xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x24xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x40xf32>, tensor<40x24xf32>) outs(%i : tensor<?x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = carousel.round_tf32 %x : f32
    %s = carousel.round_tf32 %y : f32
    %q = arith.mulf %r, %s : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x24xf32>
  return %p : tensor<?x24xf32>
}
// CHECK-LABEL: gpu.func @asked_0
// CHECK-COUNT-2: carousel.round_tf32
// CHECK-NOT: carousel.round_tf32
// CHECK: vector.contract
// EXACT-LABEL: gpu.func @asked_0
// EXACT-COUNT-2: carousel.round_tf32
// EXACT: vector.contract
