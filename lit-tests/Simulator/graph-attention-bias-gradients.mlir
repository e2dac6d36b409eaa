// Gradients of a bias that batches share: a program has a tile of rows and columns, computes the scores and their gradients of one batch after
// another, and adds these. No batch's scores are in memory.
// DEFINE: %{args} =
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --function %{function} -- %{args} | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

// REDEFINE: %{function} = bias --kernels 1
// REDEFINE: %{args} = --arg q=random:3x2x130x64:1 --arg k=random:3x2x130x64:2 --arg v=random:3x2x130x64:3 --arg dy=random:3x2x130x64:4 --arg lse=random:3x2x130:5 --arg delta=random:3x2x130:6 --arg bias=random:2x130x130:7 --arg result0=zeros:2x130x130 --rtol 2e-2 --atol 2e-2
// RUN: %{simulate}
// Factors of exact f32 are multiplied by threads.
// REDEFINE: %{function} = exact --kernels 1
// REDEFINE: %{args} = --arg q=random:2x2x67x24:1 --arg k=random:2x2x67x24:2 --arg v=random:2x2x67x24:3 --arg dy=random:2x2x67x24:4 --arg lse=random:2x2x67:5 --arg delta=random:2x2x67:6 --arg bias=random:2x67x67:7 --arg result0=zeros:2x67x67 --rtol 1e-4 --atol 1e-4
// RUN: %{simulate}
// A mask of rows and columns bounds no batches, and nor do lengths, which differ between batches.
// REDEFINE: %{function} = masked --kernels 1
// REDEFINE: %{args} = --arg q=random:3x2x130x64:1 --arg k=random:3x2x130x64:2 --arg v=random:3x2x130x64:3 --arg dy=random:3x2x130x64:4 --arg lse=random:3x2x130:5 --arg delta=random:3x2x130:6 --arg bias=random:2x130x130:7 --arg ends=iota:3 --arg result0=zeros:2x130x130 --rtol 2e-2 --atol 2e-2
// RUN: %{simulate}

// Sums over several dimensions are first along the longest one. Gradients of queries compute the
// scores again.
// REDEFINE: %{function} = keys --kernels 3
// REDEFINE: %{args} = --arg q=random:3x2x130x64:1 --arg k=random:3x2x130x64:2 --arg v=random:3x2x130x64:3 --arg dy=random:3x2x130x64:4 --arg lse=random:3x2x130:5 --arg delta=random:3x2x130:6 --arg bias=random:3x130:7 --arg result0=zeros:3x130 --arg result1=zeros:3x2x130x64 --rtol 3e-2 --atol 1e-1
// RUN: %{simulate}
// REDEFINE: %{function} = heads --kernels 3
// REDEFINE: %{args} = --arg q=random:3x2x130x64:1 --arg k=random:3x2x130x64:2 --arg v=random:3x2x130x64:3 --arg dy=random:3x2x130x64:4 --arg lse=random:3x2x130:5 --arg delta=random:3x2x130:6 --arg bias=random:130x130:7 --arg result0=zeros:130x130 --arg result1=zeros:3x2x130x64 --rtol 2e-2 --atol 2e-2
// RUN: %{simulate}

// A program goes along the batches.
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s --check-prefix=TILES
// TILES-LABEL: gpu.func @bias
// TILES: %[[SUMS:.*]] = scf.for {{.*}} = %c0 to %c3 step %c1
// TILES: vector.contract {{.*}} into vector<128x64xf32>
// TILES: vector.contract {{.*}} into vector<128x64xf32>
// TILES: scf.yield
// TILES: vector.transfer_write {{.*}} memref<2x130x130xf32

func.func @bias(%q: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"q", in>}, %k: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"k", in>}, %v: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"v", in>}, %dy: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"dy", in>}, %lse: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"lse", in>}, %delta: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"delta", in>}, %bias: tensor<2x130x130xf32> {carousel.argument = #carousel.argument<"bias", in>}) -> tensor<2x130x130xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x2x130x130xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2x130x130xf32>) -> tensor<3x2x130x130xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %ds = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %dp, %bias, %lse, %delta : tensor<3x2x130x130xf32>, tensor<3x2x130x130xf32>, tensor<2x130x130xf32>, tensor<3x2x130xf32>, tensor<3x2x130xf32>) outs(%e : tensor<3x2x130x130xf32>) {
  ^bb0(%a: f32, %g: f32, %c: f32, %l: f32, %u: f32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    %y = arith.addf %x, %c : f32
    %z = arith.subf %y, %l : f32
    %p = math.exp %z : f32
    %w = arith.subf %g, %u : f32
    %r = arith.mulf %p, %w : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %et = tensor.empty() : tensor<2x130x130xf32>
  %ft = linalg.fill ins(%zero : f32) outs(%et : tensor<2x130x130xf32>) -> tensor<2x130x130xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, i, j)>], iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%ds : tensor<3x2x130x130xf32>) outs(%ft : tensor<2x130x130xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x130x130xf32>
  return %db : tensor<2x130x130xf32>
}

func.func @exact(%q: tensor<2x2x67x24xf32> {carousel.argument = #carousel.argument<"q", in>}, %k: tensor<2x2x67x24xf32> {carousel.argument = #carousel.argument<"k", in>}, %v: tensor<2x2x67x24xf32> {carousel.argument = #carousel.argument<"v", in>}, %dy: tensor<2x2x67x24xf32> {carousel.argument = #carousel.argument<"dy", in>}, %lse: tensor<2x2x67xf32> {carousel.argument = #carousel.argument<"lse", in>}, %delta: tensor<2x2x67xf32> {carousel.argument = #carousel.argument<"delta", in>}, %bias: tensor<2x67x67xf32> {carousel.argument = #carousel.argument<"bias", in>}) -> tensor<2x67x67xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x2x67x67xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2x67x67xf32>) -> tensor<2x2x67x67xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x2x67x24xf32>, tensor<2x2x67x24xf32>) outs(%f : tensor<2x2x67x67xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x2x67x67xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<2x2x67x24xf32>, tensor<2x2x67x24xf32>) outs(%f : tensor<2x2x67x67xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x2x67x67xf32>
  %ds = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %dp, %bias, %lse, %delta : tensor<2x2x67x67xf32>, tensor<2x2x67x67xf32>, tensor<2x67x67xf32>, tensor<2x2x67xf32>, tensor<2x2x67xf32>) outs(%e : tensor<2x2x67x67xf32>) {
  ^bb0(%a: f32, %g: f32, %c: f32, %l: f32, %u: f32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    %y = arith.addf %x, %c : f32
    %z = arith.subf %y, %l : f32
    %p = math.exp %z : f32
    %w = arith.subf %g, %u : f32
    %r = arith.mulf %p, %w : f32
    linalg.yield %r : f32
  } -> tensor<2x2x67x67xf32>
  %et = tensor.empty() : tensor<2x67x67xf32>
  %ft = linalg.fill ins(%zero : f32) outs(%et : tensor<2x67x67xf32>) -> tensor<2x67x67xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, i, j)>], iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%ds : tensor<2x2x67x67xf32>) outs(%ft : tensor<2x67x67xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x67x67xf32>
  return %db : tensor<2x67x67xf32>
}

func.func @masked(%q: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"q", in>}, %k: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"k", in>}, %v: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"v", in>}, %dy: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"dy", in>}, %lse: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"lse", in>}, %delta: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"delta", in>}, %bias: tensor<2x130x130xf32> {carousel.argument = #carousel.argument<"bias", in>}, %ends: tensor<3xi32> {carousel.argument = #carousel.argument<"ends", in>}) -> tensor<2x130x130xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x2x130x130xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2x130x130xf32>) -> tensor<3x2x130x130xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %ds = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %dp, %bias, %lse, %delta, %ends : tensor<3x2x130x130xf32>, tensor<3x2x130x130xf32>, tensor<2x130x130xf32>, tensor<3x2x130xf32>, tensor<3x2x130xf32>, tensor<3xi32>) outs(%e : tensor<3x2x130x130xf32>) {
  ^bb0(%a: f32, %g: f32, %c: f32, %l: f32, %u: f32, %end: i32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    %y = arith.addf %x, %c : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %isBefore = arith.cmpi sge, %i, %j : index
    %rows = arith.constant 64 : i32
    %last = arith.muli %end, %rows : i32
    %at = arith.index_cast %j : index to i32
    %isIn = arith.cmpi slt, %at, %last : i32
    %is = arith.andi %isBefore, %isIn : i1
    %t = arith.select %is, %y, %low : f32
    %z = arith.subf %t, %l : f32
    %p = math.exp %z : f32
    %w = arith.subf %g, %u : f32
    %r = arith.mulf %p, %w : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %et = tensor.empty() : tensor<2x130x130xf32>
  %ft = linalg.fill ins(%zero : f32) outs(%et : tensor<2x130x130xf32>) -> tensor<2x130x130xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, i, j)>], iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%ds : tensor<3x2x130x130xf32>) outs(%ft : tensor<2x130x130xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x130x130xf32>
  return %db : tensor<2x130x130xf32>
}

func.func @keys(%q: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"q", in>}, %k: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"k", in>}, %v: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"v", in>}, %dy: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"dy", in>}, %lse: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"lse", in>}, %delta: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"delta", in>}, %bias: tensor<3x130xf32> {carousel.argument = #carousel.argument<"bias", in>}) -> (tensor<3x130xf32>, tensor<3x2x130x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x2x130x130xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2x130x130xf32>) -> tensor<3x2x130x130xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %ds = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %dp, %bias, %lse, %delta : tensor<3x2x130x130xf32>, tensor<3x2x130x130xf32>, tensor<3x130xf32>, tensor<3x2x130xf32>, tensor<3x2x130xf32>) outs(%e : tensor<3x2x130x130xf32>) {
  ^bb0(%a: f32, %g: f32, %c: f32, %l: f32, %u: f32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    %y = arith.addf %x, %c : f32
    %z = arith.subf %y, %l : f32
    %p = math.exp %z : f32
    %w = arith.subf %g, %u : f32
    %r = arith.mulf %p, %w : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %et = tensor.empty() : tensor<3x130xf32>
  %ft = linalg.fill ins(%zero : f32) outs(%et : tensor<3x130xf32>) -> tensor<3x130xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%ds : tensor<3x2x130x130xf32>) outs(%ft : tensor<3x130xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<3x130xf32>
  %e16 = tensor.empty() : tensor<3x2x130x130xbf16>
  %d16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ds : tensor<3x2x130x130xf32>) outs(%e16 : tensor<3x2x130x130xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x2x130x130xbf16>
  %eq = tensor.empty() : tensor<3x2x130x64xf32>
  %fq = linalg.fill ins(%zero : f32) outs(%eq : tensor<3x2x130x64xf32>) -> tensor<3x2x130x64xf32>
  %dq = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, j)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%d16, %k : tensor<3x2x130x130xbf16>, tensor<3x2x130x64xbf16>) outs(%fq : tensor<3x2x130x64xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x64xf32>
  %eb = tensor.empty() : tensor<3x2x130x64xbf16>
  %qb = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dq : tensor<3x2x130x64xf32>) outs(%eb : tensor<3x2x130x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x2x130x64xbf16>
  return %db, %qb : tensor<3x130xf32>, tensor<3x2x130x64xbf16>
}

func.func @heads(%q: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"q", in>}, %k: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"k", in>}, %v: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"v", in>}, %dy: tensor<3x2x130x64xbf16> {carousel.argument = #carousel.argument<"dy", in>}, %lse: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"lse", in>}, %delta: tensor<3x2x130xf32> {carousel.argument = #carousel.argument<"delta", in>}, %bias: tensor<130x130xf32> {carousel.argument = #carousel.argument<"bias", in>}) -> (tensor<130x130xf32>, tensor<3x2x130x64xbf16>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x2x130x130xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2x130x130xf32>) -> tensor<3x2x130x130xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%dy, %v : tensor<3x2x130x64xbf16>, tensor<3x2x130x64xbf16>) outs(%f : tensor<3x2x130x130xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %ds = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (i, j)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %dp, %bias, %lse, %delta : tensor<3x2x130x130xf32>, tensor<3x2x130x130xf32>, tensor<130x130xf32>, tensor<3x2x130xf32>, tensor<3x2x130xf32>) outs(%e : tensor<3x2x130x130xf32>) {
  ^bb0(%a: f32, %g: f32, %c: f32, %l: f32, %u: f32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    %y = arith.addf %x, %c : f32
    %z = arith.subf %y, %l : f32
    %p = math.exp %z : f32
    %w = arith.subf %g, %u : f32
    %r = arith.mulf %p, %w : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x130xf32>
  %et = tensor.empty() : tensor<130x130xf32>
  %ft = linalg.fill ins(%zero : f32) outs(%et : tensor<130x130xf32>) -> tensor<130x130xf32>
  %db = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (i, j)>], iterator_types = ["reduction", "reduction", "parallel", "parallel"]} ins(%ds : tensor<3x2x130x130xf32>) outs(%ft : tensor<130x130xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<130x130xf32>
  %e16 = tensor.empty() : tensor<3x2x130x130xbf16>
  %d16 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ds : tensor<3x2x130x130xf32>) outs(%e16 : tensor<3x2x130x130xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x2x130x130xbf16>
  %eq = tensor.empty() : tensor<3x2x130x64xf32>
  %fq = linalg.fill ins(%zero : f32) outs(%eq : tensor<3x2x130x64xf32>) -> tensor<3x2x130x64xf32>
  %dq = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, j)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%d16, %k : tensor<3x2x130x130xbf16>, tensor<3x2x130x64xbf16>) outs(%fq : tensor<3x2x130x64xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %c : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x2x130x64xf32>
  %eb = tensor.empty() : tensor<3x2x130x64xbf16>
  %qb = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dq : tensor<3x2x130x64xf32>) outs(%eb : tensor<3x2x130x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x2x130x64xbf16>
  return %db, %qb : tensor<130x130xf32>, tensor<3x2x130x64xbf16>
}
