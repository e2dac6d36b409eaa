// Quotients of f32 may be approximate in kernels that multiply floating-point numbers of fewer bits, and whose numbers don't
// become whole ones.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: gpu.func @narrow_0
// CHECK: arith.divf %{{[^ ,]+}}, %{{[^ ,]+}} fastmath<arcp> : vector
// CHECK: gpu.return
func.func @narrow(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = tensor.empty() : tensor<64x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %d : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %r: f32):
    %0 = arith.divf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// CHECK-LABEL: gpu.func @exact_0
// CHECK: arith.divf %{{[^ ,]+}}, %{{[^ ,]+}} : vector
// CHECK: gpu.return
func.func @exact(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = tensor.empty() : tensor<64x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %d : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %r: f32):
    %0 = arith.divf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// CHECK-LABEL: gpu.func @integers_0
// CHECK: arith.divf %{{[^ ,]+}}, %{{[^ ,]+}} : vector
// CHECK: gpu.return
func.func @integers(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x64xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<64x64xi32>) -> tensor<64x64xi32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xi8>, tensor<64x64xi8>) outs(%i : tensor<64x64xi32>) -> tensor<64x64xi32>
  %o = tensor.empty() : tensor<64x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %d : tensor<64x64xi32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%x: i32, %y: f32, %r: f32):
    %f = arith.sitofp %x : i32 to f32
    %0 = arith.divf %f, %y : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// CHECK-LABEL: gpu.func @whole_0
// CHECK: arith.divf %{{[^ ,]+}}, %{{[^ ,]+}} : vector
// CHECK: gpu.return
func.func @whole(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = tensor.empty() : tensor<64x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %d : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %r: f32):
    %0 = arith.divf %x, %y : f32
    %1 = math.floor %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// CHECK-LABEL: gpu.func @alone_0
// CHECK: arith.divf %{{[^ ,]+}}, %{{[^ ,]+}} : vector
// CHECK: gpu.return
func.func @alone(%p: tensor<64x64xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %o = tensor.empty() : tensor<64x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %d : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %r: f32):
    %0 = arith.divf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}
