// Factors for which threads have no registers are left in shared memory, in each iteration of a loop.
// DEFINE: %{function} =
// DEFINE: %{args} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_80,sm_90a --kernels 1 --function %{function} -- %{args} --arg result0=zeros:33 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = between
// REDEFINE: %{args} = --arg a=random:33x9x7:1 --arg b=random:9x70x7:2
// RUN: %{graph}
// REDEFINE: %{function} = computed
// REDEFINE: %{args} = --arg a=random:33x251:1 --arg b=random:70x251:2
// RUN: %{graph}
// CHECK: block phase: right
// CHECK: sm_80: right
// CHECK: sm_90a: right

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#a = #carousel.argument<"a", in>
#b = #carousel.argument<"b", in>

// Factors along two dimensions, between which the second one has its columns: a loop reads them, and writes them as a matrix.
func.func @between(%a: tensor<33x9x7xf32> {carousel.argument = #a}, %b: tensor<9x70x7xf32> {carousel.argument = #b}) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x70xf32>) -> tensor<33x70xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k1, k2) -> (m, k1, k2)>, affine_map<(m, n, k1, k2) -> (k1, n, k2)>, affine_map<(m, n, k1, k2) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<33x9x7xf32>, tensor<9x70x7xf32>) outs(%f : tensor<33x70xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<33x70xf32>
  %er = tensor.empty() : tensor<33xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<33xf32>) -> tensor<33xf32>
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<33x70xf32>) outs(%fr : tensor<33xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}

// Rows that the group computes, masked behind their ends in each iteration.
func.func @computed(%a: tensor<33x251xf32> {carousel.argument = #a}, %b: tensor<70x251xf32> {carousel.argument = #b}) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<33x251xf32>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<33x251xf32>) outs(%ea : tensor<33x251xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<33x251xf32>
  %e = tensor.empty() : tensor<33x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x70xf32>) -> tensor<33x70xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%n, %b : tensor<33x251xf32>, tensor<70x251xf32>) outs(%f : tensor<33x70xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<33x70xf32>
  %er = tensor.empty() : tensor<33xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<33xf32>) -> tensor<33xf32>
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<33x70xf32>) outs(%fr : tensor<33xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}
