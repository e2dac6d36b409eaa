// A product whose depth is one step, which a convolution of 1 x 1 pixels is, and whose result is also written transposed: its
// sums are read behind the wait alone, so that ptxas lets the product be asynchronous (C329), from LLVM's PTX and NVRTC's.
// REQUIRES: ptxas, nvrtc
// RUN: carousel-compile %s -o %t.pkg --chip=sm_90a --assembler=ptxas --cuda-root=%cuda_root --no-libraries --emit=cubin,cuda --quiet
// RUN: %python %source_root/scripts/cuda/nvrtc-compile --chip sm_90a --cubin %t.cubin %t.pkg/*.cu 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: serialized
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-graph-to-block,carousel-lower{chip=sm_90a})' | FileCheck %s --check-prefix=WAIT
// WAIT: carousel.wgmma.wait 0 renews_sums

func.func @main(%x: tensor<8x1024x16xbf16>, %w: tensor<96x16xbf16>) -> (tensor<8x1024x96xbf16>, tensor<8x96x1024xbf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x1024x96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x1024x96xf32>) -> tensor<8x1024x96xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x1024x16xbf16>, tensor<96x16xbf16>) outs(%init : tensor<8x1024x96xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8x1024x96xf32>
  %h = tensor.empty() : tensor<8x1024x96xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sum : tensor<8x1024x96xf32>) outs(%h : tensor<8x1024x96xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8x1024x96xbf16>
  %t = tensor.empty() : tensor<8x96x1024xbf16>
  %z = linalg.transpose ins(%y : tensor<8x1024x96xbf16>) outs(%t : tensor<8x96x1024xbf16>) permutation = [0, 2, 1]
  return %y, %z : tensor<8x1024x96xbf16>, tensor<8x96x1024xbf16>
}
