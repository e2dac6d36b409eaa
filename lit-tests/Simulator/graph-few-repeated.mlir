// A column that is repeated along the few last elements and along the dimension before it: each number stays in its own
// row, also after upstream's canonicalization of the kernels.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a
// REDEFINE: %{function} = repeated
// RUN: %{simulate} --kernels 1 -- --arg arg0=random:7 --arg result0=zeros:6x7x2 | FileCheck %s
// REDEFINE: %{function} = wide
// RUN: %{simulate} --kernels 1 -- --arg arg0=random:31 --arg result0=zeros:30x31x2 | FileCheck %s
// REDEFINE: %{function} = four
// RUN: %{simulate} --kernels 1 -- --arg arg0=random:5 --arg result0=zeros:6x5x4 | FileCheck %s
// REDEFINE: %{function} = halves
// RUN: %{simulate} --kernels 1 -- --arg arg0=random:7 --arg result0=zeros:6x7x2 | FileCheck %s
// RUN: carousel-opt %s --carousel-graph-to-block --canonicalize | FileCheck %s --check-prefix=FORM
// CHECK: block phase: right
// CHECK-NOT: wrong

// FORM-LABEL: gpu.func @repeated
// FORM: vector.broadcast {{.*}} : vector<8xf32> to vector<8x8xf32>
// FORM: vector.interleave

func.func @repeated(%x: tensor<7xf32>) -> tensor<6x7x2xf32> {
  %e = tensor.empty() : tensor<6x7x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<7xf32>) outs(%e : tensor<6x7x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.addf %p, %p : f32
    linalg.yield %q : f32
  } -> tensor<6x7x2xf32>
  return %y : tensor<6x7x2xf32>
}

func.func @wide(%x: tensor<31xf32>) -> tensor<30x31x2xf32> {
  %e = tensor.empty() : tensor<30x31x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<31xf32>) outs(%e : tensor<30x31x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.addf %p, %p : f32
    linalg.yield %q : f32
  } -> tensor<30x31x2xf32>
  return %y : tensor<30x31x2xf32>
}

func.func @four(%x: tensor<5xf32>) -> tensor<6x5x4xf32> {
  %e = tensor.empty() : tensor<6x5x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<5xf32>) outs(%e : tensor<6x5x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = arith.addf %p, %p : f32
    linalg.yield %q : f32
  } -> tensor<6x5x4xf32>
  return %y : tensor<6x5x4xf32>
}

func.func @halves(%x: tensor<7xf16>) -> tensor<6x7x2xf16> {
  %e = tensor.empty() : tensor<6x7x2xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<7xf16>) outs(%e : tensor<6x7x2xf16>) {
  ^bb0(%p: f16, %o: f16):
    %q = arith.addf %p, %p : f16
    linalg.yield %q : f16
  } -> tensor<6x7x2xf16>
  return %y : tensor<6x7x2xf16>
}
