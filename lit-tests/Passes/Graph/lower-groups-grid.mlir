// Rows of products have a dimension of the launch's grid of their own, so that the block phase can number tiles in groups that
// share factors in the L2, and let the CTAs of a cluster share a tile. A launch has at most 65535 CTAs along it.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-schedule-groups,carousel-lower-groups,gpu.module(carousel-attach-target{chip=sm_90a},carousel-vary-tiles))' | FileCheck %s --check-prefix=TILES

// CHECK: gpu.func @plain({{.*}}grid = [ceildiv(5000, 128), ceildiv(4096, 128)]
// CHECK-DAG: %[[X:.*]] = gpu.block_id x
// CHECK-DAG: %[[Y:.*]] = gpu.block_id y
// CHECK-DAG: %[[COLUMN:.*]] = arith.muli %[[X]], %{{.*}}
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[Y]], %{{.*}}
// CHECK: vector.transfer_read %{{.*}}[%[[ROW]], %{{.*}}]
// CHECK: vector.transfer_read %{{.*}}[%[[COLUMN]], %{{.*}}]
// TILES: gpu.func @plain_128x256_cluster2
func.func @plain(%p0: tensor<4096x768xbf16>, %p1: tensor<5000x768xbf16>, %p2: tensor<4096x5000xf32>) -> tensor<4096x5000xf32> {
  %group = carousel.group "plain"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<4096x768xbf16>, %b: tensor<5000x768xbf16>, %y: tensor<4096x5000xf32>):
    %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4096x768xbf16>, tensor<5000x768xbf16>) outs(%y : tensor<4096x5000xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %x = arith.extf %l : bf16 to f32
      %w = arith.extf %r : bf16 to f32
      %m = arith.mulf %x, %w : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<4096x5000xf32>
    carousel.yield %p : tensor<4096x5000xf32>
  } : (tensor<4096x768xbf16>, tensor<5000x768xbf16>, tensor<4096x5000xf32>) -> tensor<4096x5000xf32>
  return %group : tensor<4096x5000xf32>
}

// Batches go with the columns.
// CHECK: gpu.func @batches({{.*}}grid = [3 * ceildiv({{.*}}, 128), ceildiv({{.*}}, 128)]
func.func @batches(%p0: tensor<3x?x768xbf16>, %p1: tensor<3x?x768xbf16>, %p2: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {
  %group = carousel.group "batches"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<3x?x768xbf16>, %b: tensor<3x?x768xbf16>, %y: tensor<3x?x?xf32>):
    %p = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<3x?x768xbf16>, tensor<3x?x768xbf16>) outs(%y : tensor<3x?x?xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %x = arith.extf %l : bf16 to f32
      %w = arith.extf %r : bf16 to f32
      %m = arith.mulf %x, %w : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<3x?x?xf32>
    carousel.yield %p : tensor<3x?x?xf32>
  } : (tensor<3x?x768xbf16>, tensor<3x?x768xbf16>, tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
  return %group : tensor<3x?x?xf32>
}

// Programs that divide the sums of a tile have one dimension.
// CHECK: gpu.func @few({{.*}}grid = [ceildiv(64, 64) * ceildiv(4096, 64) * max(
func.func @few(%p0: tensor<64x768xbf16>, %p1: tensor<4096x768xbf16>, %p2: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %group = carousel.group "few"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<64x768xbf16>, %b: tensor<4096x768xbf16>, %y: tensor<64x4096xf32>):
    %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<64x768xbf16>, tensor<4096x768xbf16>) outs(%y : tensor<64x4096xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %x = arith.extf %l : bf16 to f32
      %w = arith.extf %r : bf16 to f32
      %m = arith.mulf %x, %w : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<64x4096xf32>
    carousel.yield %p : tensor<64x4096xf32>
  } : (tensor<64x768xbf16>, tensor<4096x768xbf16>, tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %group : tensor<64x4096xf32>
}

// CHECK: gpu.func @many({{.*}}grid = [ceildiv(9000000, 128) * ceildiv(512, 128)]>
func.func @many(%p0: tensor<9000000x64xbf16>, %p1: tensor<512x64xbf16>, %p2: tensor<9000000x512xf32>) -> tensor<9000000x512xf32> {
  %group = carousel.group "many"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<9000000x64xbf16>, %b: tensor<512x64xbf16>, %y: tensor<9000000x512xf32>):
    %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<9000000x64xbf16>, tensor<512x64xbf16>) outs(%y : tensor<9000000x512xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %x = arith.extf %l : bf16 to f32
      %w = arith.extf %r : bf16 to f32
      %m = arith.mulf %x, %w : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<9000000x512xf32>
    carousel.yield %p : tensor<9000000x512xf32>
  } : (tensor<9000000x64xbf16>, tensor<512x64xbf16>, tensor<9000000x512xf32>) -> tensor<9000000x512xf32>
  return %group : tensor<9000000x512xf32>
}
