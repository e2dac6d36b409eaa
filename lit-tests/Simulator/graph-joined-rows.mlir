// Batches, tokens and choices together are rows that choose their matrices: of rows that all of them have, that the outer two
// have, and that others have in another order.
// The reference is of the ops as they are written, since the normal form joins them.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s
// DEFINE: %{values} = --arg arg1=iota:3x25x2 --arg arg2=random:4x96x64:1 --arg arg3=random:4x64x96:2 --arg result0=zeros:3x25x2x64 --rtol 1e-2 --atol 4e-2
// RUN: %{graph} --function all --as-written --chip sm_90a -- --arg arg0=random:3x25x2x64 %{values}
// RUN: %{graph} --function tokens --as-written --chip sm_90a -- --arg arg0=random:3x25x64 %{values}
// RUN: %{graph} --function others --as-written --chip sm_90a -- --arg arg0=random:2x3x64 %{values}
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s
// CHECK-COUNT-6: [Passed] Grouped {{.*}}150 rows choose one of 4 matrices

#btcx = affine_map<(b, t, c, n, k) -> (b, t, c)>
#btcnk = affine_map<(b, t, c, n, k) -> (b, t, c, n, k)>
#btcn = affine_map<(b, t, c, n, k) -> (b, t, c, n)>
#btck = affine_map<(b, t, c, n, k) -> (b, t, c, k)>
#btk = affine_map<(b, t, c, n, k) -> (b, t, k)>
#bck = affine_map<(b, t, c, n, k) -> (c, b, k)>
#all = affine_map<(b, t, c, n) -> (b, t, c, n)>

func.func @all(%x: tensor<3x25x2x64xbf16>, %g: tensor<3x25x2xi64>, %w: tensor<4x96x64xbf16>, %v: tensor<4x64x96xbf16>) -> tensor<3x25x2x64xf32> {
  %zero = arith.constant 0.0 : f32
  %wse = tensor.empty() : tensor<3x25x2x96x64xbf16>
  %ws = linalg.generic {indexing_maps = [#btcx, #btcnk], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<3x25x2xi64>) outs(%wse : tensor<3x25x2x96x64xbf16>) {
  ^bb0(%number: i64, %out: bf16):
    %count = arith.constant 4 : i64
    %own = arith.remui %number, %count : i64
    %expert = arith.index_cast %own : i64 to index
    %n = linalg.index 3 : index
    %k = linalg.index 4 : index
    %0 = tensor.extract %w[%expert, %n, %k] : tensor<4x96x64xbf16>
    linalg.yield %0 : bf16
  } -> tensor<3x25x2x96x64xbf16>
  %pe = tensor.empty() : tensor<3x25x2x96xf32>
  %pz = linalg.fill ins(%zero : f32) outs(%pe : tensor<3x25x2x96xf32>) -> tensor<3x25x2x96xf32>
  %p = linalg.generic {indexing_maps = [#btcnk, #btck, #btcn], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%ws, %x : tensor<3x25x2x96x64xbf16>, tensor<3x25x2x64xbf16>) outs(%pz : tensor<3x25x2x96xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %e = arith.mulf %c, %d : f32
    %f = arith.addf %sum, %e : f32
    linalg.yield %f : f32
  } -> tensor<3x25x2x96xf32>
  %he = tensor.empty() : tensor<3x25x2x96xbf16>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<3x25x2x96xf32>) outs(%he : tensor<3x25x2x96xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %b = math.tanh %a : f32
    %c = arith.truncf %b : f32 to bf16
    linalg.yield %c : bf16
  } -> tensor<3x25x2x96xbf16>
  %vse = tensor.empty() : tensor<3x25x2x64x96xbf16>
  %vs = linalg.generic {indexing_maps = [#btcx, #btcnk], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<3x25x2xi64>) outs(%vse : tensor<3x25x2x64x96xbf16>) {
  ^bb0(%number: i64, %out: bf16):
    %count = arith.constant 4 : i64
    %own = arith.remui %number, %count : i64
    %expert = arith.index_cast %own : i64 to index
    %n = linalg.index 3 : index
    %k = linalg.index 4 : index
    %0 = tensor.extract %v[%expert, %n, %k] : tensor<4x64x96xbf16>
    linalg.yield %0 : bf16
  } -> tensor<3x25x2x64x96xbf16>
  %qe = tensor.empty() : tensor<3x25x2x64xf32>
  %qz = linalg.fill ins(%zero : f32) outs(%qe : tensor<3x25x2x64xf32>) -> tensor<3x25x2x64xf32>
  %q = linalg.generic {indexing_maps = [#btcnk, #btck, #btcn], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%vs, %h : tensor<3x25x2x64x96xbf16>, tensor<3x25x2x96xbf16>) outs(%qz : tensor<3x25x2x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %e = arith.mulf %c, %d : f32
    %f = arith.addf %sum, %e : f32
    linalg.yield %f : f32
  } -> tensor<3x25x2x64xf32>
  return %q : tensor<3x25x2x64xf32>
}

func.func @tokens(%x: tensor<3x25x64xbf16>, %g: tensor<3x25x2xi64>, %w: tensor<4x96x64xbf16>, %v: tensor<4x64x96xbf16>) -> tensor<3x25x2x64xf32> {
  %zero = arith.constant 0.0 : f32
  %wse = tensor.empty() : tensor<3x25x2x96x64xbf16>
  %ws = linalg.generic {indexing_maps = [#btcx, #btcnk], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<3x25x2xi64>) outs(%wse : tensor<3x25x2x96x64xbf16>) {
  ^bb0(%number: i64, %out: bf16):
    %count = arith.constant 4 : i64
    %own = arith.remui %number, %count : i64
    %expert = arith.index_cast %own : i64 to index
    %n = linalg.index 3 : index
    %k = linalg.index 4 : index
    %0 = tensor.extract %w[%expert, %n, %k] : tensor<4x96x64xbf16>
    linalg.yield %0 : bf16
  } -> tensor<3x25x2x96x64xbf16>
  %pe = tensor.empty() : tensor<3x25x2x96xf32>
  %pz = linalg.fill ins(%zero : f32) outs(%pe : tensor<3x25x2x96xf32>) -> tensor<3x25x2x96xf32>
  %p = linalg.generic {indexing_maps = [#btcnk, #btk, #btcn], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%ws, %x : tensor<3x25x2x96x64xbf16>, tensor<3x25x64xbf16>) outs(%pz : tensor<3x25x2x96xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %e = arith.mulf %c, %d : f32
    %f = arith.addf %sum, %e : f32
    linalg.yield %f : f32
  } -> tensor<3x25x2x96xf32>
  %he = tensor.empty() : tensor<3x25x2x96xbf16>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<3x25x2x96xf32>) outs(%he : tensor<3x25x2x96xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %b = math.tanh %a : f32
    %c = arith.truncf %b : f32 to bf16
    linalg.yield %c : bf16
  } -> tensor<3x25x2x96xbf16>
  %vse = tensor.empty() : tensor<3x25x2x64x96xbf16>
  %vs = linalg.generic {indexing_maps = [#btcx, #btcnk], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<3x25x2xi64>) outs(%vse : tensor<3x25x2x64x96xbf16>) {
  ^bb0(%number: i64, %out: bf16):
    %count = arith.constant 4 : i64
    %own = arith.remui %number, %count : i64
    %expert = arith.index_cast %own : i64 to index
    %n = linalg.index 3 : index
    %k = linalg.index 4 : index
    %0 = tensor.extract %v[%expert, %n, %k] : tensor<4x64x96xbf16>
    linalg.yield %0 : bf16
  } -> tensor<3x25x2x64x96xbf16>
  %qe = tensor.empty() : tensor<3x25x2x64xf32>
  %qz = linalg.fill ins(%zero : f32) outs(%qe : tensor<3x25x2x64xf32>) -> tensor<3x25x2x64xf32>
  %q = linalg.generic {indexing_maps = [#btcnk, #btck, #btcn], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%vs, %h : tensor<3x25x2x64x96xbf16>, tensor<3x25x2x96xbf16>) outs(%qz : tensor<3x25x2x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %e = arith.mulf %c, %d : f32
    %f = arith.addf %sum, %e : f32
    linalg.yield %f : f32
  } -> tensor<3x25x2x64xf32>
  return %q : tensor<3x25x2x64xf32>
}

func.func @others(%x: tensor<2x3x64xbf16>, %g: tensor<3x25x2xi64>, %w: tensor<4x96x64xbf16>, %v: tensor<4x64x96xbf16>) -> tensor<3x25x2x64xf32> {
  %zero = arith.constant 0.0 : f32
  %wse = tensor.empty() : tensor<3x25x2x96x64xbf16>
  %ws = linalg.generic {indexing_maps = [#btcx, #btcnk], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<3x25x2xi64>) outs(%wse : tensor<3x25x2x96x64xbf16>) {
  ^bb0(%number: i64, %out: bf16):
    %count = arith.constant 4 : i64
    %own = arith.remui %number, %count : i64
    %expert = arith.index_cast %own : i64 to index
    %n = linalg.index 3 : index
    %k = linalg.index 4 : index
    %0 = tensor.extract %w[%expert, %n, %k] : tensor<4x96x64xbf16>
    linalg.yield %0 : bf16
  } -> tensor<3x25x2x96x64xbf16>
  %pe = tensor.empty() : tensor<3x25x2x96xf32>
  %pz = linalg.fill ins(%zero : f32) outs(%pe : tensor<3x25x2x96xf32>) -> tensor<3x25x2x96xf32>
  %p = linalg.generic {indexing_maps = [#btcnk, #bck, #btcn], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%ws, %x : tensor<3x25x2x96x64xbf16>, tensor<2x3x64xbf16>) outs(%pz : tensor<3x25x2x96xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %e = arith.mulf %c, %d : f32
    %f = arith.addf %sum, %e : f32
    linalg.yield %f : f32
  } -> tensor<3x25x2x96xf32>
  %he = tensor.empty() : tensor<3x25x2x96xbf16>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<3x25x2x96xf32>) outs(%he : tensor<3x25x2x96xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %b = math.tanh %a : f32
    %c = arith.truncf %b : f32 to bf16
    linalg.yield %c : bf16
  } -> tensor<3x25x2x96xbf16>
  %vse = tensor.empty() : tensor<3x25x2x64x96xbf16>
  %vs = linalg.generic {indexing_maps = [#btcx, #btcnk], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<3x25x2xi64>) outs(%vse : tensor<3x25x2x64x96xbf16>) {
  ^bb0(%number: i64, %out: bf16):
    %count = arith.constant 4 : i64
    %own = arith.remui %number, %count : i64
    %expert = arith.index_cast %own : i64 to index
    %n = linalg.index 3 : index
    %k = linalg.index 4 : index
    %0 = tensor.extract %v[%expert, %n, %k] : tensor<4x64x96xbf16>
    linalg.yield %0 : bf16
  } -> tensor<3x25x2x64x96xbf16>
  %qe = tensor.empty() : tensor<3x25x2x64xf32>
  %qz = linalg.fill ins(%zero : f32) outs(%qe : tensor<3x25x2x64xf32>) -> tensor<3x25x2x64xf32>
  %q = linalg.generic {indexing_maps = [#btcnk, #btck, #btcn], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%vs, %h : tensor<3x25x2x64x96xbf16>, tensor<3x25x2x96xbf16>) outs(%qz : tensor<3x25x2x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %e = arith.mulf %c, %d : f32
    %f = arith.addf %sum, %e : f32
    linalg.yield %f : f32
  } -> tensor<3x25x2x64xf32>
  return %q : tensor<3x25x2x64xf32>
}
