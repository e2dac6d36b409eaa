// Attention of f32 as it is, by multiply-adds, is one kernel, whose sums and factors fit in the registers of threads: for heads
// of several sizes, with a causal mask, with groups of heads, and of few rows, which have parts. No library takes a product.
// REQUIRES: ptxas
// RUN: carousel-compile %s -o %t --chip sm_90a --no-libraries --werror=spills | FileCheck %s
// RUN: carousel-compile %s -o %t --chip sm_80 --werror=spills | FileCheck %s

// CHECK-DAG: plain_0 {{.*}} load arg1, arg2
// CHECK-DAG: heads_0 {{.*}} load arg1, arg2
// CHECK-DAG: wide_0 {{.*}} load arg1, arg2
// CHECK-DAG: few_0 {{.*}} load arg1, arg2

func.func @plain(%q: tensor<16x1024x128xf32>, %k: tensor<16x1024x128xf32>, %v: tensor<16x1024x128xf32>) -> tensor<16x1024x128xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<16x1024x1024xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<16x1024x1024xf32>) -> tensor<16x1024x1024xf32>
  %s0 = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<16x1024x128xf32>, tensor<16x1024x128xf32>) outs(%fs : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<16x1024x1024xf32>
  %scale = arith.constant 8.838835e-02 : f32
  %es1 = tensor.empty() : tensor<16x1024x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<16x1024x1024xf32>) outs(%es1 : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    linalg.yield %y9 : f32
  } -> tensor<16x1024x1024xf32>
  %er = tensor.empty() : tensor<16x1024xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<16x1024x1024xf32>) outs(%fm : tensor<16x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<16x1024xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<16x1024x1024xf32>, tensor<16x1024xf32>) outs(%es1 : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<16x1024x1024xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<16x1024x1024xf32>) outs(%fl : tensor<16x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<16x1024xf32>
  %ew = tensor.empty() : tensor<16x1024x1024xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %l : tensor<16x1024x1024xf32>, tensor<16x1024xf32>) outs(%ew : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.divf %a, %b2 : f32
    linalg.yield %x : f32
  } -> tensor<16x1024x1024xf32>
  %ey = tensor.empty() : tensor<16x1024x128xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<16x1024x128xf32>) -> tensor<16x1024x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<16x1024x1024xf32>, tensor<16x1024x128xf32>) outs(%fy : tensor<16x1024x128xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<16x1024x128xf32>
  return %y : tensor<16x1024x128xf32>
}

func.func @heads(%q: tensor<8x2x1024x64xf32>, %k: tensor<8x1024x64xf32>, %v: tensor<8x1024x64xf32>) -> tensor<8x2x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x2x1024x1024xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x2x1024x1024xf32>) -> tensor<8x2x1024x1024xf32>
  %s0 = linalg.generic {indexing_maps = [affine_map<(h, g, i, j, d) -> (h, g, i, d)>, affine_map<(h, g, i, j, d) -> (h, j, d)>, affine_map<(h, g, i, j, d) -> (h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<8x2x1024x64xf32>, tensor<8x1024x64xf32>) outs(%fs : tensor<8x2x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<8x2x1024x1024xf32>
  %scale = arith.constant 1.250000e-01 : f32
  %es1 = tensor.empty() : tensor<8x2x1024x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, g, i, j) -> (h, g, i, j)>, affine_map<(h, g, i, j) -> (h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s0 : tensor<8x2x1024x1024xf32>) outs(%es1 : tensor<8x2x1024x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi sge, %i, %j : index
    %y2 = arith.select %c, %y9, %low : f32
    linalg.yield %y2 : f32
  } -> tensor<8x2x1024x1024xf32>
  %er = tensor.empty() : tensor<8x2x1024xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<8x2x1024xf32>) -> tensor<8x2x1024xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(h, g, i, j) -> (h, g, i, j)>, affine_map<(h, g, i, j) -> (h, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s : tensor<8x2x1024x1024xf32>) outs(%fm : tensor<8x2x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x2x1024xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, g, i, j) -> (h, g, i, j)>, affine_map<(h, g, i, j) -> (h, g, i)>, affine_map<(h, g, i, j) -> (h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %max : tensor<8x2x1024x1024xf32>, tensor<8x2x1024xf32>) outs(%es1 : tensor<8x2x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8x2x1024x1024xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<8x2x1024xf32>) -> tensor<8x2x1024xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(h, g, i, j) -> (h, g, i, j)>, affine_map<(h, g, i, j) -> (h, g, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w : tensor<8x2x1024x1024xf32>) outs(%fl : tensor<8x2x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x2x1024xf32>
  %ew = tensor.empty() : tensor<8x2x1024x1024xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(h, g, i, j) -> (h, g, i, j)>, affine_map<(h, g, i, j) -> (h, g, i)>, affine_map<(h, g, i, j) -> (h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %l : tensor<8x2x1024x1024xf32>, tensor<8x2x1024xf32>) outs(%ew : tensor<8x2x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.divf %a, %b2 : f32
    linalg.yield %x : f32
  } -> tensor<8x2x1024x1024xf32>
  %ey = tensor.empty() : tensor<8x2x1024x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x2x1024x64xf32>) -> tensor<8x2x1024x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, g, i, d, j) -> (h, g, i, j)>, affine_map<(h, g, i, d, j) -> (h, j, d)>, affine_map<(h, g, i, d, j) -> (h, g, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<8x2x1024x1024xf32>, tensor<8x1024x64xf32>) outs(%fy : tensor<8x2x1024x64xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<8x2x1024x64xf32>
  return %y : tensor<8x2x1024x64xf32>
}

func.func @wide(%q: tensor<16x1024x256xf32>, %k: tensor<16x1024x256xf32>, %v: tensor<16x1024x256xf32>) -> tensor<16x1024x256xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<16x1024x1024xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<16x1024x1024xf32>) -> tensor<16x1024x1024xf32>
  %s0 = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<16x1024x256xf32>, tensor<16x1024x256xf32>) outs(%fs : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<16x1024x1024xf32>
  %scale = arith.constant 6.250000e-02 : f32
  %es1 = tensor.empty() : tensor<16x1024x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<16x1024x1024xf32>) outs(%es1 : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    linalg.yield %y9 : f32
  } -> tensor<16x1024x1024xf32>
  %er = tensor.empty() : tensor<16x1024xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<16x1024x1024xf32>) outs(%fm : tensor<16x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<16x1024xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<16x1024x1024xf32>, tensor<16x1024xf32>) outs(%es1 : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<16x1024x1024xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<16x1024x1024xf32>) outs(%fl : tensor<16x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<16x1024xf32>
  %ew = tensor.empty() : tensor<16x1024x1024xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %l : tensor<16x1024x1024xf32>, tensor<16x1024xf32>) outs(%ew : tensor<16x1024x1024xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.divf %a, %b2 : f32
    linalg.yield %x : f32
  } -> tensor<16x1024x1024xf32>
  %ey = tensor.empty() : tensor<16x1024x256xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<16x1024x256xf32>) -> tensor<16x1024x256xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<16x1024x1024xf32>, tensor<16x1024x256xf32>) outs(%fy : tensor<16x1024x256xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<16x1024x256xf32>
  return %y : tensor<16x1024x256xf32>
}

func.func @few(%q: tensor<8x8x128xf32>, %k: tensor<8x4096x128xf32>, %v: tensor<8x4096x128xf32>) -> tensor<8x8x128xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8x4096xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8x4096xf32>) -> tensor<8x8x4096xf32>
  %s0 = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<8x8x128xf32>, tensor<8x4096x128xf32>) outs(%fs : tensor<8x8x4096xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<8x8x4096xf32>
  %scale = arith.constant 8.838835e-02 : f32
  %es1 = tensor.empty() : tensor<8x8x4096xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<8x8x4096xf32>) outs(%es1 : tensor<8x8x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    linalg.yield %y9 : f32
  } -> tensor<8x8x4096xf32>
  %er = tensor.empty() : tensor<8x8xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<8x8xf32>) -> tensor<8x8xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<8x8x4096xf32>) outs(%fm : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<8x8x4096xf32>, tensor<8x8xf32>) outs(%es1 : tensor<8x8x4096xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8x8x4096xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<8x8x4096xf32>) outs(%fl : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %ew = tensor.empty() : tensor<8x8x4096xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %l : tensor<8x8x4096xf32>, tensor<8x8xf32>) outs(%ew : tensor<8x8x4096xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.divf %a, %b2 : f32
    linalg.yield %x : f32
  } -> tensor<8x8x4096xf32>
  %ey = tensor.empty() : tensor<8x8x128xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x8x128xf32>) -> tensor<8x8x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<8x8x4096xf32>, tensor<8x4096x128xf32>) outs(%fy : tensor<8x8x128xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<8x8x128xf32>
  return %y : tensor<8x8x128xf32>
}
