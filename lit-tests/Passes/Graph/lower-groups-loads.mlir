// Launches that follow from parameters and constants run at load, and have rows and sums of their own in the table.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s
// RUN: carousel-compile %s --chip sm_90a --no-cubin --no-libraries --explain -o %t | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file %t/manifest.json

// EXPLAIN-NOT: at load
// EXPLAIN: weights_0 at load
// EXPLAIN-NEXT: weights_1 {{[0-9]}}
// EXPLAIN-NEXT: 1 steps at load
// EXPLAIN-NEXT: 1 steps {{[0-9]}}

// MANIFEST: "name": "weights"
// MANIFEST: {"name":"arg1",{{.*}}"parameter":true}
// MANIFEST: {"name":"loaded","kind":"workspace","element":"i8","extents":[131072]}
// MANIFEST: "kernel": "weights_0"
// MANIFEST: "at_load": true
// MANIFEST: "kernel": "weights_1"
// MANIFEST-NOT: "at_load"

#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func.func @weights
// CHECK-SAME: carousel.parameter
// CHECK: carousel.launch_kernel @kernels::@weights_0 {{.*}}carousel.at_load
// CHECK: carousel.launch_kernel @kernels::@weights_1
// CHECK-NOT: carousel.at_load
// CHECK: return
func.func @weights(%x: tensor<64x128xf32>, %w: tensor<128x256xf32> {carousel.parameter}) -> tensor<64x256xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<128x256xf32>) outs(%e : tensor<128x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x256xf32>
  %ze = tensor.empty() : tensor<64x256xf32>
  %z = linalg.fill ins(%c : f32) outs(%ze : tensor<64x256xf32>) -> tensor<64x256xf32>
  %p = linalg.matmul ins(%x, %a : tensor<64x128xf32>, tensor<128x256xf32>) outs(%z : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %p : tensor<64x256xf32>
}

// A launch of parameters whose second result is one of the program, and one of an argument that is no parameter.
// CHECK-LABEL: func.func @results
// CHECK-NOT: carousel.at_load
// CHECK: return
func.func @results(%x: tensor<64x128xf32>, %w: tensor<128x256xf32> {carousel.parameter}, %v: tensor<128x256xf32>)
    -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<256x128xf32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<128x256xf32>) outs(%e : tensor<128x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x256xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<128x256xf32>) outs(%e : tensor<128x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x256xf32>
  %ze = tensor.empty() : tensor<64x256xf32>
  %z = linalg.fill ins(%c : f32) outs(%ze : tensor<64x256xf32>) -> tensor<64x256xf32>
  %p = linalg.matmul ins(%x, %a : tensor<64x128xf32>, tensor<128x256xf32>) outs(%z : tensor<64x256xf32>) -> tensor<64x256xf32>
  %q = linalg.matmul ins(%x, %b : tensor<64x128xf32>, tensor<128x256xf32>) outs(%z : tensor<64x256xf32>) -> tensor<64x256xf32>
  %te = tensor.empty() : tensor<256x128xf32>
  %r = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<128x256xf32>) outs(%te : tensor<256x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<256x128xf32>
  return %p, %q, %r : tensor<64x256xf32>, tensor<64x256xf32>, tensor<256x128xf32>
}
