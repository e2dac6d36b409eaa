// A product whose halves meet in an elementwise op is two products, by halves of the factor.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// What stands between the product and the slices is computed of each half.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-split-gates
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[X:.+]]: tensor<?x128xbf16>, %[[W:.+]]: tensor<128x144xbf16>
// CHECK-DAG: %[[V:.+]] = tensor.extract_slice %[[W]][0, 0] [128, 72] [1, 1]
// CHECK-DAG: %[[U:.+]] = tensor.extract_slice %[[W]][0, 72] [128, 72] [1, 1]
// CHECK-DAG: %[[P:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[V]] : tensor<?x128xbf16>, tensor<128x72xbf16>) outs(%{{.+}} : tensor<?x72xf32>)
// CHECK-DAG: %[[Q:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[U]] : tensor<?x128xbf16>, tensor<128x72xbf16>) outs(%{{.+}} : tensor<?x72xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[Q]] : tensor<?x72xf32>, tensor<?x72xf32>)
// CHECK-COUNT-2: arith.truncf
// CHECK: arith.mulf
func.func @columns(%x: tensor<?x128xbf16>, %w: tensor<128x144xbf16>) -> tensor<?x72xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x128xbf16>
  %e = tensor.empty(%m) : tensor<?x144xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x144xbf16>) -> tensor<?x144xbf16>
  %h = linalg.matmul ins(%x, %w : tensor<?x128xbf16>, tensor<128x144xbf16>) outs(%f : tensor<?x144xbf16>) -> tensor<?x144xbf16>
  %p = tensor.extract_slice %h[0, 0] [%m, 72] [1, 1] : tensor<?x144xbf16> to tensor<?x72xbf16>
  %q = tensor.extract_slice %h[0, 72] [%m, 72] [1, 1] : tensor<?x144xbf16> to tensor<?x72xbf16>
  %r = tensor.empty(%m) : tensor<?x72xbf16>
  %y = linalg.mul ins(%p, %q : tensor<?x72xbf16>, tensor<?x72xbf16>) outs(%r : tensor<?x72xbf16>) -> tensor<?x72xbf16>
  return %y : tensor<?x72xbf16>
}

// Rows of the second half begin at no multiple of 16 bytes. Slices that don't meet, of which one leaves the function, and
// factors of f32 stay slices of one product.
// CHECK-LABEL: func.func @unaligned
// CHECK: tensor<64x140xf32>
// CHECK: tensor.extract_slice %{{.+}}[0, 70]
func.func @unaligned(%x: tensor<64x128xbf16>, %w: tensor<128x140xbf16>) -> tensor<64x70xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x140xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x140xf32>) -> tensor<64x140xf32>
  %h = linalg.matmul ins(%x, %w : tensor<64x128xbf16>, tensor<128x140xbf16>) outs(%f : tensor<64x140xf32>) -> tensor<64x140xf32>
  %p = tensor.extract_slice %h[0, 0] [64, 70] [1, 1] : tensor<64x140xf32> to tensor<64x70xf32>
  %q = tensor.extract_slice %h[0, 70] [64, 70] [1, 1] : tensor<64x140xf32> to tensor<64x70xf32>
  %r = tensor.empty() : tensor<64x70xf32>
  %y = linalg.mul ins(%p, %q : tensor<64x70xf32>, tensor<64x70xf32>) outs(%r : tensor<64x70xf32>) -> tensor<64x70xf32>
  return %y : tensor<64x70xf32>
}

// CHECK-LABEL: func.func @apart
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<64x144xf32>)
func.func @apart(%x: tensor<64x128xbf16>, %w: tensor<128x144xbf16>) -> (tensor<64x72xf32>, tensor<64x72xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x144xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x144xf32>) -> tensor<64x144xf32>
  %h = linalg.matmul ins(%x, %w : tensor<64x128xbf16>, tensor<128x144xbf16>) outs(%f : tensor<64x144xf32>) -> tensor<64x144xf32>
  %p = tensor.extract_slice %h[0, 0] [64, 72] [1, 1] : tensor<64x144xf32> to tensor<64x72xf32>
  %q = tensor.extract_slice %h[0, 72] [64, 72] [1, 1] : tensor<64x144xf32> to tensor<64x72xf32>
  %r = tensor.empty() : tensor<64x72xf32>
  %y = linalg.mul ins(%p, %q : tensor<64x72xf32>, tensor<64x72xf32>) outs(%r : tensor<64x72xf32>) -> tensor<64x72xf32>
  return %y, %q : tensor<64x72xf32>, tensor<64x72xf32>
}

// CHECK-LABEL: func.func @of_f32
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<64x144xf32>)
func.func @of_f32(%x: tensor<64x128xf32>, %w: tensor<128x144xf32>) -> tensor<64x72xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x144xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x144xf32>) -> tensor<64x144xf32>
  %h = linalg.matmul ins(%x, %w : tensor<64x128xf32>, tensor<128x144xf32>) outs(%f : tensor<64x144xf32>) -> tensor<64x144xf32>
  %p = tensor.extract_slice %h[0, 0] [64, 72] [1, 1] : tensor<64x144xf32> to tensor<64x72xf32>
  %q = tensor.extract_slice %h[0, 72] [64, 72] [1, 1] : tensor<64x144xf32> to tensor<64x72xf32>
  %r = tensor.empty() : tensor<64x72xf32>
  %y = linalg.mul ins(%p, %q : tensor<64x72xf32>, tensor<64x72xf32>) outs(%r : tensor<64x72xf32>) -> tensor<64x72xf32>
  return %y : tensor<64x72xf32>
}

// A factor whose elements a table says is cut as one of an argument.
// CHECK-LABEL: func.func @looked_up
// CHECK-COUNT-2: linalg.generic {{.*}} "reduction"]} ins(%{{.+}}, %{{.+}} : tensor<64x128xbf16>, tensor<72x128xbf16>) outs(%{{.+}} : tensor<64x72xf32>)
func.func @looked_up(%x: tensor<64x128xbf16>, %q: tensor<144x128xi8>, %book: tensor<16xbf16>) -> tensor<64x72xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %ew = tensor.empty() : tensor<144x128xbf16>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<144x128xi8>) outs(%ew : tensor<144x128xbf16>) {
  ^bb0(%n: i8, %o: bf16):
    %0 = arith.index_cast %n : i8 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c15 : index
    %3 = tensor.extract %book[%2] : tensor<16xbf16>
    linalg.yield %3 : bf16
  } -> tensor<144x128xbf16>
  %e = tensor.empty() : tensor<64x144xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x144xf32>) -> tensor<64x144xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x128xbf16>, tensor<144x128xbf16>) outs(%f : tensor<64x144xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x144xf32>
  %p = tensor.extract_slice %h[0, 0] [64, 72] [1, 1] : tensor<64x144xf32> to tensor<64x72xf32>
  %s = tensor.extract_slice %h[0, 72] [64, 72] [1, 1] : tensor<64x144xf32> to tensor<64x72xf32>
  %r = tensor.empty() : tensor<64x72xf32>
  %y = linalg.mul ins(%p, %s : tensor<64x72xf32>, tensor<64x72xf32>) outs(%r : tensor<64x72xf32>) -> tensor<64x72xf32>
  return %y : tensor<64x72xf32>
}
