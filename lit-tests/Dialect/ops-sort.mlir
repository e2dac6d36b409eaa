// Round trip of sorts, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

// CHECK-LABEL: func @sorts
// DOC-EXAMPLE: carousel.sort
func.func @sorts(%key: vector<8x256xi32>, %x: vector<8x256xf32>, %bits: vector<64xi8>) {
  // CHECK: %{{.*}}, %{{.*}} = carousel.sort %{{.*}}, %{{.*}} dim(1) : vector<8x256xi32>, vector<8x256xf32>
  %order, %y = carousel.sort %key, %x dim(1) : vector<8x256xi32>, vector<8x256xf32>
  // CHECK: %{{.*}}, %{{.*}} = carousel.sort %{{.*}}, %{{.*}} dim(1) first(5) : vector<8x256xi32>, vector<8x256xf32>
  %places, %first = carousel.sort %key, %x dim(1) first(5) : vector<8x256xi32>, vector<8x256xf32>
  %sum = arith.addf %first, %first : vector<8x5xf32>
  // CHECK: %{{.*}} = carousel.sort %{{.*}} dim(0) : vector<64xi8>
  %at = carousel.sort %bits dim(0) : vector<64xi8>
  return
}

// CHECK-LABEL: func @sorted
// DOC-EXAMPLE: carousel.sorted
func.func @sorted(%key: tensor<8x256xi32>, %x: tensor<8x256xf32>, %e: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, p, j) -> (i, j)>, affine_map<(i, p, j) -> (i, j)>, affine_map<(i, p, j) -> (i, p)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%key, %x : tensor<8x256xi32>, tensor<8x256xf32>)
      outs(%e : tensor<8x256xf32>) {
  ^bb0(%k: i32, %own: f32, %o: f32):
    // CHECK: %{{.*}}, %{{.*}} = carousel.sorted %{{.*}}, %{{.*}} : i32, f32
    %place, %sorted = carousel.sorted %k, %own : i32, f32
    linalg.yield %sorted : f32
  } -> tensor<8x256xf32>
  return %y : tensor<8x256xf32>
}
