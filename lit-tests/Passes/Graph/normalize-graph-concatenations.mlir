// Concatenations of a tensor and single elements, along whose axis ops reduce: each part is computed apart.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A softmax whose weights leave out the last column, as attention with a sink has it: the column is a number of the row.
// CHECK-LABEL: func.func @sink
// CHECK-SAME: (%[[S:.*]]: tensor<8x64xf32>, %[[SINK:.*]]: tensor<8x1xf32>)
// CHECK-NOT: x65x
// CHECK: %[[OF_S:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<8x64xf32>) outs({{.*}} : tensor<8xf32>)
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[SINK]]
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} ins(%[[ROW]], %[[OF_S]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: arith.maximumf
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[MAX]] :
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]], %[[SUM]] :
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[ALL]] :
func.func @sink(%s: tensor<8x64xf32>, %sink: tensor<8x1xf32>) -> tensor<8x64xf32> {
  %x = tensor.concat dim(1) %s, %sink : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x65xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty() : tensor<8xf32>
  %ex = tensor.empty() : tensor<8x65xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x65xf32>) outs(%fm : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<8x65xf32>, tensor<8xf32>) outs(%ex : tensor<8x65xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x65xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<8x65xf32>) outs(%fz : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %l : tensor<8x65xf32>, tensor<8xf32>) outs(%ex : tensor<8x65xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x65xf32>
  %y = tensor.extract_slice %w[0, 0] [8, 64] [1, 1] : tensor<8x65xf32> to tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// The same with the column first, by insertions. Numbers of loops count from the part's start.
// CHECK-LABEL: func.func @inserted
// CHECK-SAME: (%[[S:.*]]: tensor<8x64xf32>, %[[FIRST:.*]]: tensor<8x1xf32>)
// CHECK-NOT: x65x
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<8x64xf32>)
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[PLACE:.*]] = arith.addi %[[J]], %c1
// CHECK: arith.addf
// CHECK: return
func.func @inserted(%s: tensor<8x64xf32>, %first: tensor<8x1xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<8xf32>
  %ex = tensor.empty() : tensor<8x65xf32>
  %0 = tensor.insert_slice %first into %ex[0, 0] [8, 1] [1, 1] : tensor<8x1xf32> into tensor<8x65xf32>
  %x = tensor.insert_slice %s into %0[0, 1] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<8x65xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x65xf32>) outs(%fz : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %n = arith.sitofp %i : i32 to f32
    %t = arith.mulf %a, %n : f32
    %r = arith.addf %t, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %l : tensor<8xf32>
}

// The result has elements of both parts.
// CHECK-LABEL: func.func @kept
// CHECK: tensor<8x65xf32>
// CHECK: return
func.func @kept(%s: tensor<8x64xf32>, %sink: tensor<8x1xf32>) -> (tensor<8xf32>, tensor<8x65xf32>) {
  %x = tensor.concat dim(1) %s, %sink : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x65xf32>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<8xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x65xf32>) outs(%fz : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %l, %x : tensor<8xf32>, tensor<8x65xf32>
}
