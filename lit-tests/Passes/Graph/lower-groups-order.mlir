// Layers have one kernel, wherever initial values stand: the first layer has them between its ops, and others share those of
// the program, which come first.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: carousel.launch_kernel @kernels::@between
// CHECK: gpu.func @between
// CHECK-NOT: gpu.func
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%p0: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = carousel.group "between"(%p0) attributes {shared_reads = [#carousel.shared_read<op = 0, read = 0, with = 1>]} {
  ^bb0(%x: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %s = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%s : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x64xf32>) outs(%f : tensor<64xf32>) {
    ^bb0(%v: f32, %out: f32):
      %n = arith.addf %v, %out : f32
      linalg.yield %n : f32
    } -> tensor<64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%v: f32, %all: f32, %out: f32):
      %n = arith.divf %v, %all : f32
      linalg.yield %n : f32
    } -> tensor<64x64xf32>
    carousel.yield %y : tensor<64x64xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = carousel.group "before"(%0) attributes {shared_reads = [#carousel.shared_read<op = 0, read = 0, with = 1>]} {
  ^bb0(%x: tensor<64x64xf32>):
    %e = tensor.empty() : tensor<64x64xf32>
    %s = tensor.empty() : tensor<64xf32>
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%s : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x64xf32>) outs(%f : tensor<64xf32>) {
    ^bb0(%v: f32, %out: f32):
      %n = arith.addf %v, %out : f32
      linalg.yield %n : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%v: f32, %all: f32, %out: f32):
      %n = arith.divf %v, %all : f32
      linalg.yield %n : f32
    } -> tensor<64x64xf32>
    carousel.yield %y : tensor<64x64xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
