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
