// What a program reads is read before its first write, so that threads wait once.
// RUN: carousel-opt %s --carousel-graph-to-block -o %t
// RUN: FileCheck %s --input-file %t
// RUN: FileCheck %s --input-file %t --check-prefix=LAUNCH

// CHECK-LABEL: gpu.func @two_results_0
// CHECK: vector.transfer_read %arg0
// CHECK: vector.transfer_read %arg1
// CHECK-NOT: vector.transfer_read
// CHECK: vector.transfer_write
// CHECK: vector.transfer_write
// CHECK-NOT: vector.transfer_read
// CHECK: gpu.return
func.func @two_results(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.add ins(%a, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// What reads the same elements goes along them together, also where it has others at computed indices in common.
// CHECK-LABEL: gpu.func @gathers_0
// CHECK-COUNT-1: vector.transfer_read %arg0
// CHECK-NOT: vector.transfer_read %arg0
// CHECK-COUNT-3: vector.transfer_write
// CHECK: gpu.return
func.func @gathers(%x: tensor<64xf32>, %t: tensor<8xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.tanh ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = tensor.extract %t[%c0] : tensor<8xf32>
    %r = arith.addf %in, %p : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = tensor.extract %t[%c0] : tensor<8xf32>
    %q = tensor.extract %t[%c1] : tensor<8xf32>
    %s = arith.addf %p, %q : f32
    %r = arith.subf %in, %s : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %a, %b, %c : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// A cheap op is copied for each of its users. Two of these go along its loops together, and the sum doesn't.
// CHECK-LABEL: gpu.func @copies_0
// CHECK-COUNT-3: memref.store
// CHECK-NOT: gpu.func @copies_1
func.func @copies(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %r = arith.subf %in, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.tanh %in : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %p = arith.cmpi ne, %k, %j : index
    %v = arith.select %p, %in, %zero : f32
    %r = arith.addf %out, %v : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %r = arith.addf %in, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %t, %s, %u : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// A kernel reads gates and heads where they are: rows of a slice aren't one with its columns. Whole rows are.
// CHECK-LABEL: gpu.func @gates_0
// CHECK-SAME: (%arg0: memref<12x16xf32, strided<[48, 1], offset: ?>, {{[^)]*}}, %arg1: memref<12x16xf32, strided<[48, 1], offset: ?>,
// CHECK: gpu.func @gates_1
// CHECK-SAME: (%arg0: memref<576xf32, #gpu.address_space<global>>
// LAUNCH-LABEL: func.func @gates
// LAUNCH-NOT: memref.copy
// LAUNCH: gpu.module
func.func @gates(%x: tensor<20x48xf32>) -> (tensor<12x16xf32>, tensor<12x48xf32>) {
  %a = tensor.extract_slice %x[4, 0] [12, 16] [1, 1] : tensor<20x48xf32> to tensor<12x16xf32>
  %b = tensor.extract_slice %x[4, 16] [12, 16] [1, 1] : tensor<20x48xf32> to tensor<12x16xf32>
  %e = tensor.empty() : tensor<12x16xf32>
  %p = linalg.mul ins(%a, %b : tensor<12x16xf32>, tensor<12x16xf32>) outs(%e : tensor<12x16xf32>) -> tensor<12x16xf32>
  %w = tensor.extract_slice %x[4, 0] [12, 48] [1, 1] : tensor<20x48xf32> to tensor<12x48xf32>
  %f = tensor.empty() : tensor<12x48xf32>
  %q = linalg.tanh ins(%w : tensor<12x48xf32>) outs(%f : tensor<12x48xf32>) -> tensor<12x48xf32>
  return %p, %q : tensor<12x16xf32>, tensor<12x48xf32>
}
