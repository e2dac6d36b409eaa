// Long scans of few rows are divided: totals of parts, a scan of these, and a scan of each part, and of what is behind the last.
// RUN: carousel-opt %s --carousel-split-scans | FileCheck %s
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --chip sm_90a
// RUN: %{graph} --function flat --kernels 3 -- --arg arg0=random:16384 --arg arg1=random:[]:3 --arg result0=empty:16384 --rtol 1e-3 --atol 1e-3
// RUN: %{graph} --function rest --kernels 4 -- --arg arg0=random:2x16411 --arg result0=empty:2x16411
// RUN: %{graph} --function numbered --kernels 4 -- --arg result0=empty:20000x3

// CHECK-LABEL: func.func @flat
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<4x4096xf32>
// CHECK: %[[TOTALS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[PARTS]]
// CHECK: %[[BEFORE:.*]]:3 = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[TOTALS]] : tensor<4xf32>) outs(%arg1,
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: outs(%[[BEFORE]]#1,
// CHECK: tensor.collapse_shape {{.*}} into tensor<16384xf32>
// DOC-EXAMPLE: --carousel-split-scans
func.func @flat(%x: tensor<16384xf32>, %start: tensor<f32>) -> tensor<16384xf32> {
  %e = tensor.empty() : tensor<16384xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["reduction"]}
      ins(%x : tensor<16384xf32>) outs(%start, %e : tensor<f32>, tensor<16384xf32>) {
  ^bb0(%own: f32, %before: f32, %out: f32):
    %s = arith.addf %before, %own : f32
    linalg.yield %s, %s : f32, f32
  } -> (tensor<f32>, tensor<16384xf32>)
  return %r#1 : tensor<16384xf32>
}

// 27 elements of each row are behind the parts.
// CHECK-LABEL: func.func @rest
// CHECK: tensor<2x4x4096xi32>
// CHECK: tensor.extract_slice %arg0[0, 16384] [2, 27]
// CHECK: tensor.insert_slice {{.*}}[0, 16384] [2, 27]
func.func @rest(%x: tensor<2x16411xi32>) -> tensor<2x16411xi32> {
  %least = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<2x16411xi32>
  %t = tensor.empty() : tensor<2xi32>
  %f = linalg.fill ins(%least : i32) outs(%t : tensor<2xi32>) -> tensor<2xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(b, i) -> (b, i)>, affine_map<(b, i) -> (b)>, affine_map<(b, i) -> (b, i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x16411xi32>) outs(%f, %e : tensor<2xi32>, tensor<2x16411xi32>) {
  ^bb0(%own: i32, %before: i32, %out: i32):
    %s = arith.maxsi %before, %own : i32
    %d = arith.subi %s, %own : i32
    linalg.yield %s, %d : i32, i32
  } -> (tensor<2xi32>, tensor<2x16411xi32>)
  return %r#1 : tensor<2x16411xi32>
}

// Indices are those of the whole, and what is before an element its result.
// CHECK-LABEL: func.func @numbered
// CHECK: %[[PART:.*]] = linalg.index 0
// CHECK: %[[ALONG:.*]] = linalg.index 1
// CHECK: %[[FIRST:.*]] = arith.muli %[[PART]], %{{.*}} : index
// CHECK: arith.addi %[[FIRST]], %[[ALONG]] : index
func.func @numbered() -> tensor<20000x3xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<20000x3xi32>
  %t = tensor.empty() : tensor<3xi32>
  %f = linalg.fill ins(%zero : i32) outs(%t : tensor<3xi32>) -> tensor<3xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["reduction", "parallel"]}
      outs(%f, %e : tensor<3xi32>, tensor<20000x3xi32>) {
  ^bb0(%before: i32, %out: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %j : index
    %own = arith.index_cast %k : index to i32
    %s = arith.addi %before, %own : i32
    linalg.yield %s, %before : i32, i32
  } -> (tensor<3xi32>, tensor<20000x3xi32>)
  return %r#1 : tensor<20000x3xi32>
}
