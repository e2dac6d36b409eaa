// Gradients of attention from the logarithms of sums: scores and dp = dy * v^T are products of a tile each, and their product with
// keys, or those with queries and dy, are computed in the same pass.
// DEFINE: %{args} =
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a --kernels 1 -- %{args} --rtol 2e-2 --atol 2e-2 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

// REDEFINE: %{function} = queries
// REDEFINE: %{args} = --arg arg0=random:2x130x64:1 --arg arg1=random:2x130x64:2 --arg arg2=random:2x130x64:3 --arg arg3=random:2x130x64:4 --arg arg4=random:2x130:5 --arg arg5=random:2x130:6 --arg result0=zeros:2x130x64
// RUN: %{simulate}
// REDEFINE: %{function} = keys_and_values
// REDEFINE: %{args} = --arg arg0=random:2x130x64:1 --arg arg1=random:2x130x64:2 --arg arg2=random:2x130x64:3 --arg arg3=random:2x130x64:4 --arg arg4=random:2x130:5 --arg arg5=random:2x130:6 --arg result0=zeros:2x130x64 --arg result1=zeros:2x130x64
// RUN: %{simulate}

// What front ends write of the forward pass and its gradients: four kernels, or six where keys have several heads of queries.
// DEFINE: %{simulate_all} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --function %{function} -- %{args} --rtol 2e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{function} = jax_causal --kernels 4
// REDEFINE: %{args} = --arg arg0=random:2x200x4x64:1 --arg arg1=random:2x200x4x64:2 --arg arg2=random:2x200x4x64:3 --arg arg3=random:2x200x4x64:4 --arg result0=zeros:2x200x4x64 --arg result1=zeros:2x200x4x64 --arg result2=zeros:2x200x4x64 --arg result3=zeros:2x200x4x64
// RUN: %{simulate_all}
// REDEFINE: %{function} = torch_causal --kernels 4
// REDEFINE: %{args} = --arg arg0=random:2x4x200x64:1 --arg arg1=random:2x4x200x64:2 --arg arg2=random:2x4x200x64:3 --arg arg3=random:2x4x200x64:4 --arg result0=zeros:2x4x200x64 --arg result1=zeros:2x4x200x64 --arg result2=zeros:2x4x200x64 --arg result3=zeros:2x4x200x64
// RUN: %{simulate_all}
// REDEFINE: %{function} = jax_shared --kernels 6
// REDEFINE: %{args} = --arg arg0=random:2x200x4x64:1 --arg arg1=random:2x200x2x64:2 --arg arg2=random:2x200x2x64:3 --arg arg3=random:2x200x4x64:4 --arg result0=zeros:2x200x4x64 --arg result1=zeros:2x200x4x64 --arg result2=zeros:2x200x2x64 --arg result3=zeros:2x200x2x64
// RUN: %{simulate_all}
// Dropped weights are factors of both sums. Their condition is a kernel of its own.
// REDEFINE: %{function} = jax_dropout --kernels 5
// REDEFINE: %{args} = --arg arg0=random:2x200x4x64:1 --arg arg1=random:2x200x4x64:2 --arg arg2=random:2x200x4x64:3 --arg arg3=random:2x4x200x200:7 --arg arg4=random:2x200x4x64:4 --arg result0=zeros:2x200x4x64 --arg result1=zeros:2x200x4x64 --arg result2=zeros:2x200x4x64 --arg result3=zeros:2x200x4x64
// RUN: %{simulate_all}
// Tiles have 64 keys or queries, since two products have sums.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s --check-prefix=TILES
// TILES-LABEL: gpu.func @queries
// TILES: vector.contract {{.*}} into vector<128x64xf32>
// TILES: vector.contract {{.*}} into vector<128x64xf32>
// TILES: vector.contract {{.*}} vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>

func.func @queries(%q: tensor<2x130x64xbf16>, %k: tensor<2x130x64xbf16>, %v: tensor<2x130x64xbf16>, %dy: tensor<2x130x64xbf16>, %lse: tensor<2x130xf32>, %delta: tensor<2x130xf32>) -> (tensor<2x130x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e0 = tensor.empty() : tensor<2x130x130xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x130x130xf32>) -> tensor<2x130x130xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x130x64xbf16>, tensor<2x130x64xbf16>) outs(%f0 : tensor<2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %acc: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x130x130xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<2x130x64xbf16>, tensor<2x130x64xbf16>) outs(%f0 : tensor<2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %acc: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x130x130xf32>
  %eb = tensor.empty() : tensor<2x130x130xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %lse : tensor<2x130x130xf32>, tensor<2x130xf32>) outs(%e0 : tensor<2x130x130xf32>) {
  ^bb0(%a: f32, %l: f32, %c: f32):
    %x = arith.mulf %a, %scale : f32
    %y = arith.subf %x, %l : f32
    %z = math.exp %y : f32
    linalg.yield %z : f32
  } -> tensor<2x130x130xf32>
  %ds = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %dp, %delta : tensor<2x130x130xf32>, tensor<2x130x130xf32>, tensor<2x130xf32>) outs(%eb : tensor<2x130x130xbf16>) {
  ^bb0(%a: f32, %g: f32, %l: f32, %c: bf16):
    %x = arith.subf %g, %l : f32
    %y = arith.mulf %a, %x : f32
    %z = arith.mulf %y, %scale : f32
    %t = arith.truncf %z : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x130x130xbf16>
  %p16 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x130x130xf32>) outs(%eb : tensor<2x130x130xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x130x130xbf16>
  %e4 = tensor.empty() : tensor<2x130x64xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x130x64xf32>) -> tensor<2x130x64xf32>
  %dq = linalg.generic {indexing_maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ds, %k : tensor<2x130x130xbf16>, tensor<2x130x64xbf16>) outs(%f4 : tensor<2x130x64xf32>) {
  ^bb0(%a: bf16, %c: bf16, %acc: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x130x64xf32>
  %dqe = tensor.empty() : tensor<2x130x64xbf16>
  %dqb = linalg.generic {indexing_maps = [affine_map<(h, j, d) -> (h, j, d)>, affine_map<(h, j, d) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dq : tensor<2x130x64xf32>) outs(%dqe : tensor<2x130x64xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x130x64xbf16>
  return %dqb : tensor<2x130x64xbf16>
}

func.func @keys_and_values(%q: tensor<2x130x64xbf16>, %k: tensor<2x130x64xbf16>, %v: tensor<2x130x64xbf16>, %dy: tensor<2x130x64xbf16>, %lse: tensor<2x130xf32>, %delta: tensor<2x130xf32>) -> (tensor<2x130x64xbf16>, tensor<2x130x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e0 = tensor.empty() : tensor<2x130x130xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x130x130xf32>) -> tensor<2x130x130xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x130x64xbf16>, tensor<2x130x64xbf16>) outs(%f0 : tensor<2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %acc: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x130x130xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<2x130x64xbf16>, tensor<2x130x64xbf16>) outs(%f0 : tensor<2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %acc: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x130x130xf32>
  %eb = tensor.empty() : tensor<2x130x130xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %lse : tensor<2x130x130xf32>, tensor<2x130xf32>) outs(%e0 : tensor<2x130x130xf32>) {
  ^bb0(%a: f32, %l: f32, %c: f32):
    %x = arith.mulf %a, %scale : f32
    %y = arith.subf %x, %l : f32
    %z = math.exp %y : f32
    linalg.yield %z : f32
  } -> tensor<2x130x130xf32>
  %ds = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %dp, %delta : tensor<2x130x130xf32>, tensor<2x130x130xf32>, tensor<2x130xf32>) outs(%eb : tensor<2x130x130xbf16>) {
  ^bb0(%a: f32, %g: f32, %l: f32, %c: bf16):
    %x = arith.subf %g, %l : f32
    %y = arith.mulf %a, %x : f32
    %z = arith.mulf %y, %scale : f32
    %t = arith.truncf %z : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x130x130xbf16>
  %p16 = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x130x130xf32>) outs(%eb : tensor<2x130x130xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x130x130xbf16>
  %e4 = tensor.empty() : tensor<2x130x64xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x130x64xf32>) -> tensor<2x130x64xf32>
  %dk = linalg.generic {indexing_maps = [affine_map<(h, j, d, i) -> (h, i, j)>, affine_map<(h, j, d, i) -> (h, i, d)>, affine_map<(h, j, d, i) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ds, %q : tensor<2x130x130xbf16>, tensor<2x130x64xbf16>) outs(%f4 : tensor<2x130x64xf32>) {
  ^bb0(%a: bf16, %c: bf16, %acc: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x130x64xf32>
  %dv = linalg.generic {indexing_maps = [affine_map<(h, j, d, i) -> (h, i, j)>, affine_map<(h, j, d, i) -> (h, i, d)>, affine_map<(h, j, d, i) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p16, %dy : tensor<2x130x130xbf16>, tensor<2x130x64xbf16>) outs(%f4 : tensor<2x130x64xf32>) {
  ^bb0(%a: bf16, %c: bf16, %acc: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x130x64xf32>
  %dke = tensor.empty() : tensor<2x130x64xbf16>
  %dkb = linalg.generic {indexing_maps = [affine_map<(h, j, d) -> (h, j, d)>, affine_map<(h, j, d) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dk : tensor<2x130x64xf32>) outs(%dke : tensor<2x130x64xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x130x64xbf16>
  %dve = tensor.empty() : tensor<2x130x64xbf16>
  %dvb = linalg.generic {indexing_maps = [affine_map<(h, j, d) -> (h, j, d)>, affine_map<(h, j, d) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dv : tensor<2x130x64xf32>) outs(%dve : tensor<2x130x64xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x130x64xbf16>
  return %dkb, %dvb : tensor<2x130x64xbf16>, tensor<2x130x64xbf16>
}

func.func @jax_causal(%arg0: tensor<2x200x4x64xbf16>, %arg1: tensor<2x200x4x64xbf16>, %arg2: tensor<2x200x4x64xbf16>, %arg3: tensor<2x200x4x64xbf16>) -> (tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>) {
  %cst = arith.constant 1.000000e+00 : f32
  %cst_0 = arith.constant -1.000000e+30 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %cst_3 = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<2x4x200x200xbf16>
  %1 = tensor.empty() : tensor<2x4x200x200xf32>
  %2 = linalg.fill ins(%cst_2 : f32) outs(%1 : tensor<2x4x200x200xf32>) -> tensor<2x4x200x200xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>) outs(%2 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x200x200xf32>
  %4 = tensor.empty() : tensor<2x4x200x200xf32>
  %5 = tensor.empty() : tensor<2x4x200x200xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<2x4x200x200xf32>) outs(%5 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = linalg.index 2 : index
    %39 = linalg.index 3 : index
    %40 = arith.index_cast %39 : index to i32
    %41 = arith.index_cast %38 : index to i32
    %42 = arith.cmpi sge, %41, %40 : i32
    %43 = arith.truncf %in : f32 to bf16
    %44 = arith.extf %43 : bf16 to f32
    %45 = arith.mulf %44, %cst_1 : f32
    %46 = arith.select %42, %45, %cst_0 : f32
    linalg.yield %46 : f32
  } -> tensor<2x4x200x200xf32>
  %7 = tensor.empty() : tensor<2x4x200xf32>
  %8 = linalg.fill ins(%cst_3 : f32) outs(%7 : tensor<2x4x200xf32>) -> tensor<2x4x200xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x4x200x200xf32>) outs(%8 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = arith.maximumf %out, %in : f32
    linalg.yield %38 : f32
  } -> tensor<2x4x200xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%4 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %38 = arith.subf %in, %in_4 : f32
    %39 = math.exp %38 : f32
    linalg.yield %39 : f32
  } -> tensor<2x4x200x200xf32>
  %11 = linalg.fill ins(%cst_2 : f32) outs(%7 : tensor<2x4x200xf32>) -> tensor<2x4x200xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x4x200x200xf32>) outs(%11 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = arith.addf %out, %in : f32
    linalg.yield %38 : f32
  } -> tensor<2x4x200xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %12 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%0 : tensor<2x4x200x200xbf16>) {
  ^bb0(%in: f32, %in_4: f32, %out: bf16):
    %38 = arith.divf %in, %in_4 : f32
    %39 = arith.truncf %38 : f32 to bf16
    linalg.yield %39 : bf16
  } -> tensor<2x4x200x200xbf16>
  %14 = tensor.empty() : tensor<2x4x64x200xf32>
  %15 = linalg.fill ins(%cst_2 : f32) outs(%14 : tensor<2x4x64x200xf32>) -> tensor<2x4x64x200xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %13 : tensor<2x200x4x64xbf16>, tensor<2x4x200x200xbf16>) outs(%15 : tensor<2x4x64x200xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x64x200xf32>
  %17 = tensor.empty() : tensor<2x200x4x64xbf16>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x4x64x200xf32>) outs(%17 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<2x200x4x64xbf16>
  %19 = tensor.empty() : tensor<2x4x200x200xf32>
  %20 = linalg.fill ins(%cst_2 : f32) outs(%19 : tensor<2x4x200x200xf32>) -> tensor<2x4x200x200xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg3, %arg2 : tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>) outs(%20 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x200x200xf32>
  %22 = tensor.empty() : tensor<2x4x64x200xf32>
  %23 = linalg.fill ins(%cst_2 : f32) outs(%22 : tensor<2x4x64x200xf32>) -> tensor<2x4x64x200xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg3, %13 : tensor<2x200x4x64xbf16>, tensor<2x4x200x200xbf16>) outs(%23 : tensor<2x4x64x200xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x64x200xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x4x64x200xf32>) outs(%17 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<2x200x4x64xbf16>
  %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x200x200xf32>) outs(%4 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %38 = arith.truncf %in : f32 to bf16
    %39 = arith.extf %38 : bf16 to f32
    linalg.yield %39 : f32
  } -> tensor<2x4x200x200xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %12 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%4 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %38 = arith.mulf %in_4, %in_4 : f32
    %39 = arith.divf %cst, %38 : f32
    %40 = arith.mulf %in, %39 : f32
    linalg.yield %40 : f32
  } -> tensor<2x4x200x200xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%27, %10 : tensor<2x4x200x200xf32>, tensor<2x4x200x200xf32>) outs(%11 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %38 = arith.mulf %in, %in_4 : f32
    %39 = arith.addf %out, %38 : f32
    linalg.yield %39 : f32
  } -> tensor<2x4x200xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %12, %28, %10 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>, tensor<2x4x200xf32>, tensor<2x4x200x200xf32>) outs(%0 : tensor<2x4x200x200xbf16>) {
  ^bb0(%in: f32, %in_4: f32, %in_5: f32, %in_6: f32, %out: bf16):
    %38 = linalg.index 2 : index
    %39 = linalg.index 3 : index
    %40 = arith.index_cast %39 : index to i32
    %41 = arith.index_cast %38 : index to i32
    %42 = arith.cmpi sge, %41, %40 : i32
    %43 = arith.negf %in_5 : f32
    %44 = arith.addf %43, %cst_2 : f32
    %45 = arith.divf %in, %in_4 : f32
    %46 = arith.addf %45, %44 : f32
    %47 = arith.mulf %46, %in_6 : f32
    %48 = arith.select %42, %47, %cst_2 : f32
    %49 = arith.mulf %48, %cst_1 : f32
    %50 = arith.truncf %49 : f32 to bf16
    linalg.yield %50 : bf16
  } -> tensor<2x4x200x200xbf16>
  %30 = tensor.empty() : tensor<2x4x200x64xf32>
  %31 = linalg.fill ins(%cst_2 : f32) outs(%30 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%29, %arg0 : tensor<2x4x200x200xbf16>, tensor<2x200x4x64xbf16>) outs(%31 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x200x64xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<2x4x200x64xf32>) outs(%17 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<2x200x4x64xbf16>
  %34 = tensor.empty() : tensor<2x4x200x64xf32>
  %35 = linalg.fill ins(%cst_2 : f32) outs(%34 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%29, %arg1 : tensor<2x4x200x200xbf16>, tensor<2x200x4x64xbf16>) outs(%35 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %38 = arith.extf %in : bf16 to f32
    %39 = arith.extf %in_4 : bf16 to f32
    %40 = arith.mulf %38, %39 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x200x64xf32>
  %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x4x200x64xf32>) outs(%17 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %38 = arith.truncf %in : f32 to bf16
    linalg.yield %38 : bf16
  } -> tensor<2x200x4x64xbf16>
  return %18, %37, %33, %25 : tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>
}


func.func @torch_causal(%arg0: tensor<2x4x200x64xbf16>, %arg1: tensor<2x4x200x64xbf16>, %arg2: tensor<2x4x200x64xbf16>, %arg3: tensor<2x4x200x64xbf16>) -> (tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>) {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %0 = tensor.empty() : tensor<2x4x200x200xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x4x200x200xf32>) -> tensor<2x4x200x200xf32>
  %2 = tensor.empty() : tensor<2x4x200x200xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<2x4x200x200xf32>) -> tensor<2x4x200x200xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>) outs(%3 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: f32):
    %43 = arith.extf %in : bf16 to f32
    %44 = arith.extf %in_2 : bf16 to f32
    %45 = arith.mulf %43, %44 : f32
    %46 = arith.addf %out, %45 : f32
    linalg.yield %46 : f32
  } -> tensor<2x4x200x200xf32>
  %5 = tensor.empty() : tensor<2x4x200x200xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x4x200x200xf32>) outs(%5 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %43 = arith.truncf %in : f32 to bf16
    %44 = linalg.index 2 : index
    %45 = linalg.index 3 : index
    %46 = arith.index_cast %45 : index to i64
    %47 = arith.index_cast %44 : index to i64
    %48 = arith.cmpi slt, %47, %46 : i64
    %49 = arith.extf %43 : bf16 to f32
    %50 = arith.mulf %49, %cst_1 : f32
    %51 = arith.select %48, %cst_0, %50 : f32
    linalg.yield %51 : f32
  } -> tensor<2x4x200x200xf32>
  %7 = tensor.empty() : tensor<2x4x200xf32>
  %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<2x4x200xf32>) -> tensor<2x4x200xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x4x200x200xf32>) outs(%8 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %43 = arith.maximumf %out, %in : f32
    linalg.yield %43 : f32
  } -> tensor<2x4x200xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%5 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %43 = arith.subf %in, %in_2 : f32
    %44 = math.exp %43 : f32
    linalg.yield %44 : f32
  } -> tensor<2x4x200x200xf32>
  %11 = tensor.empty() : tensor<2x4x200xf32>
  %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x4x200xf32>) -> tensor<2x4x200xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x4x200x200xf32>) outs(%12 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %43 = arith.addf %in, %out : f32
    linalg.yield %43 : f32
  } -> tensor<2x4x200xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%5 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %43 = arith.divf %in, %in_2 : f32
    linalg.yield %43 : f32
  } -> tensor<2x4x200x200xf32>
  %15 = tensor.empty() : tensor<2x4x200x200xbf16>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x4x200x200xf32>) outs(%15 : tensor<2x4x200x200xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %43 = arith.truncf %in : f32 to bf16
    linalg.yield %43 : bf16
  } -> tensor<2x4x200x200xbf16>
  %17 = tensor.empty() : tensor<2x4x200x64xf32>
  %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %19 = tensor.empty() : tensor<2x4x200x64xf32>
  %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %21 = tensor.empty() : tensor<2x4x200x64xf32>
  %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %23 = tensor.empty() : tensor<2x4x200x64xf32>
  %24 = linalg.fill ins(%cst : f32) outs(%23 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%16, %arg2 : tensor<2x4x200x200xbf16>, tensor<2x4x200x64xbf16>) outs(%24 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: f32):
    %43 = arith.extf %in : bf16 to f32
    %44 = arith.extf %in_2 : bf16 to f32
    %45 = arith.mulf %43, %44 : f32
    %46 = arith.addf %out, %45 : f32
    linalg.yield %46 : f32
  } -> tensor<2x4x200x64xf32>
  %26 = tensor.empty() : tensor<2x4x200x64xbf16>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<2x4x200x64xf32>) outs(%26 : tensor<2x4x200x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %43 = arith.truncf %in : f32 to bf16
    linalg.yield %43 : bf16
  } -> tensor<2x4x200x64xbf16>
  %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%16, %arg3 : tensor<2x4x200x200xbf16>, tensor<2x4x200x64xbf16>) outs(%22 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: f32):
    %43 = arith.extf %in : bf16 to f32
    %44 = arith.extf %in_2 : bf16 to f32
    %45 = arith.mulf %43, %44 : f32
    %46 = arith.addf %out, %45 : f32
    linalg.yield %46 : f32
  } -> tensor<2x4x200x64xf32>
  %29 = tensor.empty() : tensor<2x4x200x64xbf16>
  %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x4x200x64xf32>) outs(%29 : tensor<2x4x200x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %43 = arith.truncf %in : f32 to bf16
    linalg.yield %43 : bf16
  } -> tensor<2x4x200x64xbf16>
  %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg3, %arg2 : tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>) outs(%1 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: f32):
    %43 = arith.extf %in : bf16 to f32
    %44 = arith.extf %in_2 : bf16 to f32
    %45 = arith.mulf %43, %44 : f32
    %46 = arith.addf %out, %45 : f32
    linalg.yield %46 : f32
  } -> tensor<2x4x200x200xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %14 : tensor<2x4x200x200xf32>, tensor<2x4x200x200xf32>) outs(%5 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %43 = arith.truncf %in : f32 to bf16
    %44 = arith.extf %43 : bf16 to f32
    %45 = arith.mulf %44, %in_2 : f32
    linalg.yield %45 : f32
  } -> tensor<2x4x200x200xf32>
  %33 = tensor.empty() : tensor<2x4x200xf32>
  %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<2x4x200xf32>) -> tensor<2x4x200xf32>
  %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%32 : tensor<2x4x200x200xf32>) outs(%34 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %43 = arith.addf %in, %out : f32
    linalg.yield %43 : f32
  } -> tensor<2x4x200xf32>
  %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %14, %35 : tensor<2x4x200x200xf32>, tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%15 : tensor<2x4x200x200xbf16>) {
  ^bb0(%in: f32, %in_2: f32, %in_3: f32, %out: bf16):
    %43 = linalg.index 2 : index
    %44 = linalg.index 3 : index
    %45 = arith.index_cast %44 : index to i64
    %46 = arith.index_cast %43 : index to i64
    %47 = arith.cmpi slt, %46, %45 : i64
    %48 = arith.mulf %in_2, %in_3 : f32
    %49 = arith.subf %in, %48 : f32
    %50 = arith.select %47, %cst, %49 : f32
    %51 = arith.mulf %50, %cst_1 : f32
    %52 = arith.truncf %51 : f32 to bf16
    linalg.yield %52 : bf16
  } -> tensor<2x4x200x200xbf16>
  %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%36, %arg1 : tensor<2x4x200x200xbf16>, tensor<2x4x200x64xbf16>) outs(%20 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: f32):
    %43 = arith.extf %in : bf16 to f32
    %44 = arith.extf %in_2 : bf16 to f32
    %45 = arith.mulf %43, %44 : f32
    %46 = arith.addf %out, %45 : f32
    linalg.yield %46 : f32
  } -> tensor<2x4x200x64xf32>
  %38 = tensor.empty() : tensor<2x4x200x64xbf16>
  %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<2x4x200x64xf32>) outs(%38 : tensor<2x4x200x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %43 = arith.truncf %in : f32 to bf16
    linalg.yield %43 : bf16
  } -> tensor<2x4x200x64xbf16>
  %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%36, %arg0 : tensor<2x4x200x200xbf16>, tensor<2x4x200x64xbf16>) outs(%18 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: f32):
    %43 = arith.extf %in : bf16 to f32
    %44 = arith.extf %in_2 : bf16 to f32
    %45 = arith.mulf %43, %44 : f32
    %46 = arith.addf %out, %45 : f32
    linalg.yield %46 : f32
  } -> tensor<2x4x200x64xf32>
  %41 = tensor.empty() : tensor<2x4x200x64xbf16>
  %42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<2x4x200x64xf32>) outs(%41 : tensor<2x4x200x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %43 = arith.truncf %in : f32 to bf16
    linalg.yield %43 : bf16
  } -> tensor<2x4x200x64xbf16>
  return %27, %39, %42, %30 : tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>, tensor<2x4x200x64xbf16>
}


func.func @jax_shared(%arg0: tensor<2x200x4x64xbf16>, %arg1: tensor<2x200x2x64xbf16>, %arg2: tensor<2x200x2x64xbf16>, %arg3: tensor<2x200x4x64xbf16>) -> (tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x2x64xbf16>, tensor<2x200x2x64xbf16>) {
  %cst = arith.constant 1.000000e+00 : f32
  %cst_0 = arith.constant -2.38197633E+38 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0xFF800000 : f32
  %cst_3 = arith.constant 0.000000e+00 : f32
  %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3], [4]] output_shape [2, 200, 2, 2, 64] : tensor<2x200x4x64xbf16> into tensor<2x200x2x2x64xbf16>
  %0 = tensor.empty() : tensor<2x2x200x2x200xf32>
  %1 = linalg.fill ins(%cst_3 : f32) outs(%0 : tensor<2x2x200x2x200xf32>) -> tensor<2x2x200x2x200xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded, %arg1 : tensor<2x200x2x2x64xbf16>, tensor<2x200x2x64xbf16>) outs(%1 : tensor<2x2x200x2x200xf32>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: f32):
    %40 = arith.extf %in : bf16 to f32
    %41 = arith.extf %in_6 : bf16 to f32
    %42 = arith.mulf %40, %41 : f32
    %43 = arith.addf %out, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<2x2x200x2x200xf32>
  %3 = tensor.empty() : tensor<2x2x2x200x200xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d3, d0, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x2x200x2x200xf32>) outs(%3 : tensor<2x2x2x200x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %40 = linalg.index 3 : index
    %41 = linalg.index 4 : index
    %42 = arith.index_cast %41 : index to i32
    %43 = arith.index_cast %40 : index to i32
    %44 = arith.cmpi sge, %43, %42 : i32
    %45 = arith.mulf %in, %cst_1 : f32
    %46 = arith.select %44, %45, %cst_0 : f32
    linalg.yield %46 : f32
  } -> tensor<2x2x2x200x200xf32>
  %5 = tensor.empty() : tensor<2x2x2x200xf32>
  %6 = linalg.fill ins(%cst_2 : f32) outs(%5 : tensor<2x2x2x200xf32>) -> tensor<2x2x2x200xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%4 : tensor<2x2x2x200x200xf32>) outs(%6 : tensor<2x2x2x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %40 = arith.maximumf %out, %in : f32
    linalg.yield %40 : f32
  } -> tensor<2x2x2x200xf32>
  %8 = tensor.empty() : tensor<2x2x2x200x200xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4, %7 : tensor<2x2x2x200x200xf32>, tensor<2x2x2x200xf32>) outs(%8 : tensor<2x2x2x200x200xf32>) {
  ^bb0(%in: f32, %in_6: f32, %out: f32):
    %40 = arith.subf %in, %in_6 : f32
    %41 = math.exp %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x2x2x200x200xf32>
  %10 = linalg.fill ins(%cst_3 : f32) outs(%5 : tensor<2x2x2x200xf32>) -> tensor<2x2x2x200xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<2x2x2x200x200xf32>) outs(%10 : tensor<2x2x2x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %40 = arith.addf %out, %in : f32
    linalg.yield %40 : f32
  } -> tensor<2x2x2x200xf32>
  %12 = tensor.empty() : tensor<2x2x2x200x200xbf16>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%9, %11 : tensor<2x2x2x200x200xf32>, tensor<2x2x2x200xf32>) outs(%12 : tensor<2x2x2x200x200xbf16>) {
  ^bb0(%in: f32, %in_6: f32, %out: bf16):
    %40 = arith.divf %in, %in_6 : f32
    %41 = arith.truncf %40 : f32 to bf16
    linalg.yield %41 : bf16
  } -> tensor<2x2x2x200x200xbf16>
  %14 = tensor.empty() : tensor<2x2x64x2x200xf32>
  %15 = linalg.fill ins(%cst_3 : f32) outs(%14 : tensor<2x2x64x2x200xf32>) -> tensor<2x2x64x2x200xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d0, d1, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %13 : tensor<2x200x2x64xbf16>, tensor<2x2x2x200x200xbf16>) outs(%15 : tensor<2x2x64x2x200xf32>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: f32):
    %40 = arith.extf %in : bf16 to f32
    %41 = arith.extf %in_6 : bf16 to f32
    %42 = arith.mulf %40, %41 : f32
    %43 = arith.addf %out, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<2x2x64x2x200xf32>
  %17 = tensor.empty() : tensor<2x200x2x2x64xbf16>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4, d3, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<2x2x64x2x200xf32>) outs(%17 : tensor<2x200x2x2x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %40 = arith.truncf %in : f32 to bf16
    linalg.yield %40 : bf16
  } -> tensor<2x200x2x2x64xbf16>
  %collapsed = tensor.collapse_shape %18 [[0], [1], [2, 3], [4]] : tensor<2x200x2x2x64xbf16> into tensor<2x200x4x64xbf16>
  %expanded_4 = tensor.expand_shape %arg3 [[0], [1], [2, 3], [4]] output_shape [2, 200, 2, 2, 64] : tensor<2x200x4x64xbf16> into tensor<2x200x2x2x64xbf16>
  %19 = tensor.empty() : tensor<2x2x2x200x200xf32>
  %20 = linalg.fill ins(%cst_3 : f32) outs(%19 : tensor<2x2x2x200x200xf32>) -> tensor<2x2x2x200x200xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%expanded_4, %arg2 : tensor<2x200x2x2x64xbf16>, tensor<2x200x2x64xbf16>) outs(%20 : tensor<2x2x2x200x200xf32>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: f32):
    %40 = arith.extf %in : bf16 to f32
    %41 = arith.extf %in_6 : bf16 to f32
    %42 = arith.mulf %40, %41 : f32
    %43 = arith.addf %out, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<2x2x2x200x200xf32>
  %22 = tensor.empty() : tensor<2x2x64x200xf32>
  %23 = linalg.fill ins(%cst_3 : f32) outs(%22 : tensor<2x2x64x200xf32>) -> tensor<2x2x64x200xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d4, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d0, d1, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%expanded_4, %13 : tensor<2x200x2x2x64xbf16>, tensor<2x2x2x200x200xbf16>) outs(%23 : tensor<2x2x64x200xf32>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: f32):
    %40 = arith.extf %in : bf16 to f32
    %41 = arith.extf %in_6 : bf16 to f32
    %42 = arith.mulf %40, %41 : f32
    %43 = arith.addf %out, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<2x2x64x200xf32>
  %25 = tensor.empty() : tensor<2x200x2x64xbf16>
  %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x2x64x200xf32>) outs(%25 : tensor<2x200x2x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %40 = arith.truncf %in : f32 to bf16
    linalg.yield %40 : bf16
  } -> tensor<2x200x2x64xbf16>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x2x2x200x200xf32>) outs(%8 : tensor<2x2x2x200x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %40 = arith.truncf %in : f32 to bf16
    %41 = arith.extf %40 : bf16 to f32
    linalg.yield %41 : f32
  } -> tensor<2x2x2x200x200xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%27, %11 : tensor<2x2x2x200x200xf32>, tensor<2x2x2x200xf32>) outs(%8 : tensor<2x2x2x200x200xf32>) {
  ^bb0(%in: f32, %in_6: f32, %out: f32):
    %40 = arith.mulf %in_6, %in_6 : f32
    %41 = arith.divf %cst, %40 : f32
    %42 = arith.mulf %in, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<2x2x2x200x200xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%28, %9 : tensor<2x2x2x200x200xf32>, tensor<2x2x2x200x200xf32>) outs(%10 : tensor<2x2x2x200xf32>) {
  ^bb0(%in: f32, %in_6: f32, %out: f32):
    %40 = arith.mulf %in, %in_6 : f32
    %41 = arith.addf %out, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x2x2x200xf32>
  %30 = tensor.empty() : tensor<2x2x200x2x200xbf16>
  %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%27, %11, %29, %9 : tensor<2x2x2x200x200xf32>, tensor<2x2x2x200xf32>, tensor<2x2x2x200xf32>, tensor<2x2x2x200x200xf32>) outs(%30 : tensor<2x2x200x2x200xbf16>) {
  ^bb0(%in: f32, %in_6: f32, %in_7: f32, %in_8: f32, %out: bf16):
    %40 = linalg.index 2 : index
    %41 = linalg.index 4 : index
    %42 = arith.index_cast %41 : index to i32
    %43 = arith.index_cast %40 : index to i32
    %44 = arith.cmpi sge, %43, %42 : i32
    %45 = arith.negf %in_7 : f32
    %46 = arith.addf %45, %cst_3 : f32
    %47 = arith.divf %in, %in_6 : f32
    %48 = arith.addf %47, %46 : f32
    %49 = arith.mulf %48, %in_8 : f32
    %50 = arith.select %44, %49, %cst_3 : f32
    %51 = arith.mulf %50, %cst_1 : f32
    %52 = arith.truncf %51 : f32 to bf16
    linalg.yield %52 : bf16
  } -> tensor<2x2x200x2x200xbf16>
  %32 = tensor.empty() : tensor<2x2x200x64xf32>
  %33 = linalg.fill ins(%cst_3 : f32) outs(%32 : tensor<2x2x200x64xf32>) -> tensor<2x2x200x64xf32>
  %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%31, %expanded : tensor<2x2x200x2x200xbf16>, tensor<2x200x2x2x64xbf16>) outs(%33 : tensor<2x2x200x64xf32>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: f32):
    %40 = arith.extf %in : bf16 to f32
    %41 = arith.extf %in_6 : bf16 to f32
    %42 = arith.mulf %40, %41 : f32
    %43 = arith.addf %out, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<2x2x200x64xf32>
  %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<2x2x200x64xf32>) outs(%25 : tensor<2x200x2x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %40 = arith.truncf %in : f32 to bf16
    linalg.yield %40 : bf16
  } -> tensor<2x200x2x64xbf16>
  %36 = tensor.empty() : tensor<2x2x200x2x64xf32>
  %37 = linalg.fill ins(%cst_3 : f32) outs(%36 : tensor<2x2x200x2x64xf32>) -> tensor<2x2x200x2x64xf32>
  %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d5, d1, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%31, %arg1 : tensor<2x2x200x2x200xbf16>, tensor<2x200x2x64xbf16>) outs(%37 : tensor<2x2x200x2x64xf32>) {
  ^bb0(%in: bf16, %in_6: bf16, %out: f32):
    %40 = arith.extf %in : bf16 to f32
    %41 = arith.extf %in_6 : bf16 to f32
    %42 = arith.mulf %40, %41 : f32
    %43 = arith.addf %out, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<2x2x200x2x64xf32>
  %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%38 : tensor<2x2x200x2x64xf32>) outs(%17 : tensor<2x200x2x2x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %40 = arith.truncf %in : f32 to bf16
    linalg.yield %40 : bf16
  } -> tensor<2x200x2x2x64xbf16>
  %collapsed_5 = tensor.collapse_shape %39 [[0], [1], [2, 3], [4]] : tensor<2x200x2x2x64xbf16> into tensor<2x200x4x64xbf16>
  return %collapsed, %collapsed_5, %35, %26 : tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x2x64xbf16>, tensor<2x200x2x64xbf16>
}

func.func @jax_dropout(%arg0: tensor<2x200x4x64xbf16>, %arg1: tensor<2x200x4x64xbf16>, %arg2: tensor<2x200x4x64xbf16>, %arg3: tensor<2x4x200x200xf32>, %arg4: tensor<2x200x4x64xbf16>) -> (tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>) {
  %cst = arith.constant 0.899999976 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant -8.000000e-01 : f32
  %cst_3 = arith.constant 0.000000e+00 : f32
  %cst_4 = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<2x4x200x200xf32>
  %1 = tensor.empty() : tensor<2x4x200x200xi1>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3 : tensor<2x4x200x200xf32>) outs(%1 : tensor<2x4x200x200xi1>) {
  ^bb0(%in: f32, %out: i1):
    %39 = arith.cmpf ogt, %in, %cst_2 : f32
    linalg.yield %39 : i1
  } -> tensor<2x4x200x200xi1>
  %3 = tensor.empty() : tensor<2x4x200x200xbf16>
  %4 = tensor.empty() : tensor<2x4x200x200xf32>
  %5 = linalg.fill ins(%cst_3 : f32) outs(%4 : tensor<2x4x200x200xf32>) -> tensor<2x4x200x200xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>) outs(%5 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %39 = arith.extf %in : bf16 to f32
    %40 = arith.extf %in_5 : bf16 to f32
    %41 = arith.mulf %39, %40 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<2x4x200x200xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x4x200x200xf32>) outs(%0 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %39 = arith.truncf %in : f32 to bf16
    %40 = arith.extf %39 : bf16 to f32
    %41 = arith.mulf %40, %cst_1 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x200x200xf32>
  %8 = tensor.empty() : tensor<2x4x200xf32>
  %9 = linalg.fill ins(%cst_4 : f32) outs(%8 : tensor<2x4x200xf32>) -> tensor<2x4x200xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7 : tensor<2x4x200x200xf32>) outs(%9 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %39 = arith.maximumf %out, %in : f32
    linalg.yield %39 : f32
  } -> tensor<2x4x200xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %10 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%0 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %39 = arith.subf %in, %in_5 : f32
    %40 = math.exp %39 : f32
    linalg.yield %40 : f32
  } -> tensor<2x4x200x200xf32>
  %12 = linalg.fill ins(%cst_3 : f32) outs(%8 : tensor<2x4x200xf32>) -> tensor<2x4x200xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%11 : tensor<2x4x200x200xf32>) outs(%12 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %39 = arith.addf %out, %in : f32
    linalg.yield %39 : f32
  } -> tensor<2x4x200xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %11, %13 : tensor<2x4x200x200xi1>, tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%3 : tensor<2x4x200x200xbf16>) {
  ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: bf16):
    %39 = arith.divf %in_5, %in_6 : f32
    %40 = arith.divf %39, %cst : f32
    %41 = arith.select %in, %40, %cst_3 : f32
    %42 = arith.truncf %41 : f32 to bf16
    linalg.yield %42 : bf16
  } -> tensor<2x4x200x200xbf16>
  %15 = tensor.empty() : tensor<2x4x64x200xf32>
  %16 = linalg.fill ins(%cst_3 : f32) outs(%15 : tensor<2x4x64x200xf32>) -> tensor<2x4x64x200xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg2, %14 : tensor<2x200x4x64xbf16>, tensor<2x4x200x200xbf16>) outs(%16 : tensor<2x4x64x200xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %39 = arith.extf %in : bf16 to f32
    %40 = arith.extf %in_5 : bf16 to f32
    %41 = arith.mulf %39, %40 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<2x4x64x200xf32>
  %18 = tensor.empty() : tensor<2x200x4x64xbf16>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x4x64x200xf32>) outs(%18 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %39 = arith.truncf %in : f32 to bf16
    linalg.yield %39 : bf16
  } -> tensor<2x200x4x64xbf16>
  %20 = tensor.empty() : tensor<2x4x200x200xf32>
  %21 = linalg.fill ins(%cst_3 : f32) outs(%20 : tensor<2x4x200x200xf32>) -> tensor<2x4x200x200xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg4, %arg2 : tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>) outs(%21 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %39 = arith.extf %in : bf16 to f32
    %40 = arith.extf %in_5 : bf16 to f32
    %41 = arith.mulf %39, %40 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<2x4x200x200xf32>
  %23 = tensor.empty() : tensor<2x4x64x200xf32>
  %24 = linalg.fill ins(%cst_3 : f32) outs(%23 : tensor<2x4x64x200xf32>) -> tensor<2x4x64x200xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg4, %14 : tensor<2x200x4x64xbf16>, tensor<2x4x200x200xbf16>) outs(%24 : tensor<2x4x64x200xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %39 = arith.extf %in : bf16 to f32
    %40 = arith.extf %in_5 : bf16 to f32
    %41 = arith.mulf %39, %40 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<2x4x64x200xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<2x4x64x200xf32>) outs(%18 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %39 = arith.truncf %in : f32 to bf16
    linalg.yield %39 : bf16
  } -> tensor<2x200x4x64xbf16>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %22 : tensor<2x4x200x200xi1>, tensor<2x4x200x200xf32>) outs(%0 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: i1, %in_5: f32, %out: f32):
    %39 = arith.truncf %in_5 : f32 to bf16
    %40 = arith.extf %39 : bf16 to f32
    %41 = arith.select %in, %40, %cst_3 : f32
    %42 = arith.divf %41, %cst : f32
    linalg.yield %42 : f32
  } -> tensor<2x4x200x200xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %13 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>) outs(%0 : tensor<2x4x200x200xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %39 = arith.mulf %in_5, %in_5 : f32
    %40 = arith.divf %cst_0, %39 : f32
    %41 = arith.mulf %in, %40 : f32
    linalg.yield %41 : f32
  } -> tensor<2x4x200x200xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%28, %11 : tensor<2x4x200x200xf32>, tensor<2x4x200x200xf32>) outs(%12 : tensor<2x4x200xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %39 = arith.mulf %in, %in_5 : f32
    %40 = arith.addf %out, %39 : f32
    linalg.yield %40 : f32
  } -> tensor<2x4x200xf32>
  %30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %13, %29, %11 : tensor<2x4x200x200xf32>, tensor<2x4x200xf32>, tensor<2x4x200xf32>, tensor<2x4x200x200xf32>) outs(%3 : tensor<2x4x200x200xbf16>) {
  ^bb0(%in: f32, %in_5: f32, %in_6: f32, %in_7: f32, %out: bf16):
    %39 = arith.negf %in_6 : f32
    %40 = arith.addf %39, %cst_3 : f32
    %41 = arith.divf %in, %in_5 : f32
    %42 = arith.addf %41, %40 : f32
    %43 = arith.mulf %42, %in_7 : f32
    %44 = arith.mulf %43, %cst_1 : f32
    %45 = arith.truncf %44 : f32 to bf16
    linalg.yield %45 : bf16
  } -> tensor<2x4x200x200xbf16>
  %31 = tensor.empty() : tensor<2x4x200x64xf32>
  %32 = linalg.fill ins(%cst_3 : f32) outs(%31 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%30, %arg0 : tensor<2x4x200x200xbf16>, tensor<2x200x4x64xbf16>) outs(%32 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %39 = arith.extf %in : bf16 to f32
    %40 = arith.extf %in_5 : bf16 to f32
    %41 = arith.mulf %39, %40 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<2x4x200x64xf32>
  %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<2x4x200x64xf32>) outs(%18 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %39 = arith.truncf %in : f32 to bf16
    linalg.yield %39 : bf16
  } -> tensor<2x200x4x64xbf16>
  %35 = tensor.empty() : tensor<2x4x200x64xf32>
  %36 = linalg.fill ins(%cst_3 : f32) outs(%35 : tensor<2x4x200x64xf32>) -> tensor<2x4x200x64xf32>
  %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%30, %arg1 : tensor<2x4x200x200xbf16>, tensor<2x200x4x64xbf16>) outs(%36 : tensor<2x4x200x64xf32>) {
  ^bb0(%in: bf16, %in_5: bf16, %out: f32):
    %39 = arith.extf %in : bf16 to f32
    %40 = arith.extf %in_5 : bf16 to f32
    %41 = arith.mulf %39, %40 : f32
    %42 = arith.addf %out, %41 : f32
    linalg.yield %42 : f32
  } -> tensor<2x4x200x64xf32>
  %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<2x4x200x64xf32>) outs(%18 : tensor<2x200x4x64xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %39 = arith.truncf %in : f32 to bf16
    linalg.yield %39 : bf16
  } -> tensor<2x200x4x64xbf16>
  return %19, %38, %34, %26 : tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>, tensor<2x200x4x64xbf16>
}

