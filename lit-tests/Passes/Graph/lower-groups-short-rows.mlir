// A program has several short rows, or several results of one: with one each, most of the time would be the programs' start.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The largest elements of 32 rows of 50, of which the last program has fewer.
// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: grid = [ceildiv(extent(0, 0), 32)]
// CHECK: vector.transfer_read {{.*}} vector<32x64xf32>
// CHECK: vector.multi_reduction <maximumf>, %{{.*}} [1] : vector<32x64xf32> to vector<32xf32>
// CHECK: vector.transfer_write %{{.*}} : vector<32xf32>
func.func @rows(%p0: tensor<?x50xf32>, %p1: tensor<?xf32>) -> tensor<?xf32> {
  %group = carousel.group "rows"(%p0, %p1) {
  ^bb0(%x: tensor<?x50xf32>, %y: tensor<?xf32>):
    %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x50xf32>) outs(%y : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.maximumf %o, %a : f32
      linalg.yield %0 : f32
    } -> tensor<?xf32>
    carousel.yield %m : tensor<?xf32>
  } : (tensor<?x50xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %group : tensor<?xf32>
}

// Sums of all earlier elements: a program reads a row once for 32 of them.
// CHECK-LABEL: gpu.func @sums
// CHECK-SAME: grid = [8192 * ceildiv(64, 32)]
// CHECK: vector.transfer_read {{.*}} vector<64xf32>
// CHECK: arith.cmpi sle, {{.*}} : vector<64x32xi32>
// CHECK: vector.multi_reduction <add>, %{{.*}} [0] : vector<64x32xf32> to vector<32xf32>
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<32xf32>
func.func @sums(%p0: tensor<8192x64xf32>, %p1: tensor<8192x64xf32>) -> tensor<8192x64xf32> {
  %group = carousel.group "sums"(%p0, %p1) {
  ^bb0(%x: tensor<8192x64xf32>, %y: tensor<8192x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%y : tensor<8192x64xf32>) -> tensor<8192x64xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(r, i, j) -> (r, j)>, affine_map<(r, i, j) -> (r, i)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<8192x64xf32>) outs(%f : tensor<8192x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 1 : index
      %j = linalg.index 2 : index
      %own = arith.index_cast %i : index to i32
      %at = arith.index_cast %j : index to i32
      %isBefore = arith.cmpi sle, %at, %own : i32
      %0 = arith.select %isBefore, %a, %zero : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<8192x64xf32>
    carousel.yield %s : tensor<8192x64xf32>
  } : (tensor<8192x64xf32>, tensor<8192x64xf32>) -> tensor<8192x64xf32>
  return %group : tensor<8192x64xf32>
}
