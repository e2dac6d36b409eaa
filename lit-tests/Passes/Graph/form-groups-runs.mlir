// An op whose elements take loops of lengths that data says is no part of a product's kernel: tiles would wait for their longest loop.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-form-groups)' --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// CHECK: Boundary {{.*}}Function=runs | {{.*}}a whole tile of the product would go on as long as an element of {{.*}} needs its loop
func.func @runs(%a: tensor<256x64xbf16>, %b: tensor<64x128xbf16>, %x: tensor<256x128xf32>, %n: tensor<256xi32>) -> tensor<256x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xbf16>, tensor<64x128xbf16>) outs(%f : tensor<256x128xf32>) {
  ^bb0(%u: bf16, %v: bf16, %o: f32):
    %0 = arith.extf %u : bf16 to f32
    %1 = arith.extf %v : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<256x128xf32>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %n : tensor<256x128xf32>, tensor<256xi32>) outs(%e : tensor<256x128xf32>) {
  ^bb0(%u: f32, %m: i32, %o: f32):
    %j = linalg.index 1 : index
    %end = arith.index_cast %m : i32 to index
    %s = scf.for %k = %c0 to %end step %c1 iter_args(%t = %u) -> (f32) {
      %q = tensor.extract %x[%k, %j] : tensor<256x128xf32>
      %w = arith.addf %t, %q : f32
      scf.yield %w : f32
    }
    linalg.yield %s : f32
  } -> tensor<256x128xf32>
  return %y : tensor<256x128xf32>
}
