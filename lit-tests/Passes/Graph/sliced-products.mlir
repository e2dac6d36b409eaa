// A slice that is all that reads a product, or what ops on elements compute of one, is a product of slices where these are smaller.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --mlir-print-local-scope | FileCheck %s
// DEFINE: %{function} = loss
// DEFINE: %{x} = random:3x5x24:1
// DEFINE: %{result} = zeros:[]
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --function %{function} --chip sm_90a -- --arg arg0=%{x} --arg arg1=random:96x24:2 --arg arg2=iota:3x5:96 --arg result0=%{result} --rtol 1e-2 --atol 1e-2 | FileCheck %s --check-prefix=SIMULATED
// RUN: %{simulate}
// REDEFINE: %{function} = last
// REDEFINE: %{result} = zeros:3x1x96
// RUN: %{simulate}
// REDEFINE: %{x} = random:1x5x24:1
// REDEFINE: %{result} = zeros:1x1x96
// RUN: %{simulate}
// SIMULATED: block phase: right
// SIMULATED: sm_90a: right

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#wide = affine_map<(i, j, k) -> (i, j, k)>

// PyTorch's loss: the last token of each sequence has no label. Labels of -100 don't count, and one of another row is read.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[X:.*]]: tensor<3x5x24xbf16>, %[[W:.*]]: tensor<96x24xbf16>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][0, 0, 0] [3, 4, 24] [1, 1, 1]
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[PART]], %[[W]] : {{.*}} outs(%{{.*}} : tensor<3x4x96xf32>)
// CHECK-NOT: tensor.extract_slice {{.*}}x96x
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK-NOT: arith.remui
// CHECK: tensor.extract %[[P]][%[[I]], %[[J]], %{{.*}}] : tensor<3x4x96xf32>
func.func @loss(%x: tensor<3x5x24xbf16>, %w: tensor<96x24xbf16>,
                %labels: tensor<3x5xi64>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i64
  %ignored = arith.constant -100 : i64
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<3x5x24xbf16> into tensor<15x24xbf16>
  %et = tensor.empty() : tensor<24x96xbf16>
  %t = linalg.transpose ins(%w : tensor<96x24xbf16>) outs(%et : tensor<24x96xbf16>) permutation = [1, 0]
  %ep = tensor.empty() : tensor<15x96xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<15x96xf32>) -> tensor<15x96xf32>
  %p = linalg.matmul ins(%rows, %t : tensor<15x24xbf16>, tensor<24x96xbf16>) outs(%fp : tensor<15x96xf32>) -> tensor<15x96xf32>
  %eb = tensor.empty() : tensor<15x96xbf16>
  %b = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<15x96xf32>) outs(%eb : tensor<15x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<15x96xbf16>
  %logits = tensor.expand_shape %b [[0, 1], [2]] output_shape [3, 5, 96] : tensor<15x96xbf16> into tensor<3x5x96xbf16>
  %part = tensor.extract_slice %logits[0, 0, 0] [3, 4, 96] [1, 1, 1] : tensor<3x5x96xbf16> to tensor<3x4x96xbf16>
  %flat = tensor.collapse_shape %part [[0, 1], [2]] : tensor<3x4x96xbf16> into tensor<12x96xbf16>
  %next = tensor.extract_slice %labels[0, 1] [3, 4] [1, 1] : tensor<3x5xi64> to tensor<3x4xi64>
  %label = tensor.collapse_shape %next [[0, 1]] : tensor<3x4xi64> into tensor<12xi64>
  %ew = tensor.empty() : tensor<12x96xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%flat : tensor<12x96xbf16>) outs(%ew : tensor<12x96xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<12x96xf32>
  %er = tensor.empty() : tensor<12xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<12xf32>) -> tensor<12xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<12x96xf32>) outs(%fm : tensor<12xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<12xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<12xf32>) -> tensor<12xf32>
  %l = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<12x96xf32>, tensor<12xf32>) outs(%fl : tensor<12xf32>) {
  ^bb0(%in: f32, %max: f32, %out: f32):
    %0 = arith.subf %in, %max : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<12xf32>
  %losses = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%label, %m, %l : tensor<12xi64>, tensor<12xf32>, tensor<12xf32>) outs(%er : tensor<12xf32>) {
  ^bb0(%in: i64, %max: f32, %sum: f32, %out: f32):
    %counts = arith.cmpi ne, %in, %ignored : i64
    %own = arith.select %counts, %in, %c0 : i64
    %i = linalg.index 0 : index
    %j = arith.index_cast %own : i64 to index
    %picked = tensor.extract %s[%i, %j] : tensor<12x96xf32>
    %0 = arith.subf %picked, %max : f32
    %1 = math.log %sum : f32
    %2 = arith.subf %1, %0 : f32
    %3 = arith.select %counts, %2, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<12xf32>
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %total = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%losses : tensor<12xf32>) outs(%f0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %total : tensor<f32>
}

// A decoder wants the logits of the last token, of any number of sequences.
// CHECK-LABEL: func.func @last(
// CHECK-SAME: %[[X:.*]]: tensor<?x5x24xbf16>, %[[W:.*]]: tensor<96x24xbf16>
// CHECK: %[[LAST:.*]] = tensor.extract_slice %[[X]][0, 4, 0] [%{{.*}}, 1, 24] [1, 1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x{{(1x)?}}96xf32>)
// CHECK-NOT: tensor<?x5x96
func.func @last(%x: tensor<?x5x24xbf16>, %w: tensor<96x24xbf16>,
                %labels: tensor<3x5xi64>) -> tensor<?x1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5x24xbf16>
  %e = tensor.empty(%n) : tensor<?x5x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x96xf32>) -> tensor<?x5x96xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (j, k)>, affine_map<(n, i, j, k) -> (n, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x5x24xbf16>, tensor<96x24xbf16>) outs(%f : tensor<?x5x96xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x5x96xf32>
  %last = tensor.extract_slice %p[0, 4, 0] [%n, 1, 96] [1, 1, 1] : tensor<?x5x96xf32> to tensor<?x1x96xf32>
  return %last : tensor<?x1x96xf32>
}

// The factors' parts would be larger than the result's.
// CHECK-LABEL: func.func @dear(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x4xf32>)
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [7, 4] [1, 1]
func.func @dear(%x: tensor<8x24xf32>, %w: tensor<24x4xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = tensor.extract_slice %p[0, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  return %s : tensor<7x4xf32>
}

// Others read all of it.
// CHECK-LABEL: func.func @kept(
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x64xf32>)
// CHECK: tensor.extract_slice %[[P]][1, 0] [7, 64] [1, 1]
func.func @kept(%x: tensor<8x4xf32>, %w: tensor<4x64xf32>) -> (tensor<7x64xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s = tensor.extract_slice %p[1, 0] [7, 64] [1, 1] : tensor<8x64xf32> to tensor<7x64xf32>
  return %s, %p : tensor<7x64xf32>, tensor<8x64xf32>
}

// Several ops read the slice.
// CHECK-LABEL: func.func @readers(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][1, 0] [7, 4] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[PART]], %{{.*}} : tensor<7x4xf32>, tensor<4x64xf32>) outs(%{{.*}} : tensor<7x64xf32>)
func.func @readers(%x: tensor<8x4xf32>, %w: tensor<4x64xf32>) -> (tensor<7x64xf32>, tensor<7x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %s = tensor.extract_slice %p[1, 0] [7, 64] [1, 1] : tensor<8x64xf32> to tensor<7x64xf32>
  %es = tensor.empty() : tensor<7x64xf32>
  %a = linalg.abs ins(%s : tensor<7x64xf32>) outs(%es : tensor<7x64xf32>) -> tensor<7x64xf32>
  %n = linalg.negf ins(%s : tensor<7x64xf32>) outs(%es : tensor<7x64xf32>) -> tensor<7x64xf32>
  return %a, %n : tensor<7x64xf32>, tensor<7x64xf32>
}
