// A stream corrects sums by the least score so far, and masks leave elements out of the sums that have a part in it: what is zero
// so far stays so where a factor is infinite, in the loop and where parts are combined.
// DEFINE: %{args} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function decode --chip sm_90a --kernels 1 -- %{args} --rtol 1e-2 --atol 1e-2 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

// REDEFINE: %{args} = --arg q=random:1x130x16:1 --arg k=random:1x700x16:2 --arg v=random:1x700x16:3 --arg result0=zeros:1x130x16 --arg result1=zeros:1x130
// RUN: %{simulate}
// Parts, the first of which has nothing that counts.
// REDEFINE: %{args} = --arg q=random:1x6x16:1 --arg k=random:1x1400x16:2 --arg v=random:1x1400x16:3 --arg result0=zeros:1x6x16 --arg result1=zeros:1x6
// RUN: %{simulate}

// Tiles whose results another kernel combines. Of row 1, nothing counts: its quotients are NaN.
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function sums --tiled-elements 1 -- --arg x=random:35x264:1 --arg w=random:320x264:2 --arg result0=zeros:35 --arg result1=zeros:35 --rtol 1e-4 --atol 1e-4 | FileCheck %s --check-prefix=TILES
// TILES: block phase: right

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (j, k)>
#z = affine_map<(i, j, k) -> (i, j)>
#tile = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i)>
#xa = #carousel.argument<"x", in>
#wa = #carousel.argument<"w", in>
#qd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#one = affine_map<(h, i) -> (h, i)>
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>

// Scores of the first 640 keys are larger by more than exponentials have room for, and have no part in the sums.
func.func @decode(%q: tensor<?x?x16xbf16> {carousel.argument = #q}, %k: tensor<?x?x16xbf16> {carousel.argument = #k}, %v: tensor<?x?x16xbf16> {carousel.argument = #v}) -> (tensor<?x?x16xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c640 = arith.constant 640 : index
  %big = arith.constant 200.0 : f32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %h = tensor.dim %q, %c0 : tensor<?x?x16xbf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x16xbf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x16xbf16>
  %es = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<?x?x16xbf16>, tensor<?x?x16xbf16>) outs(%fs : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 2 : index
    %early = arith.cmpi slt, %j, %c640 : index
    %add = arith.select %early, %big, %zero : f32
    %r = arith.addf %a, %add : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %er = tensor.empty(%h, %m) : tensor<?x?xf32>
  %fm = linalg.fill ins(%inf : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %min = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t : tensor<?x?x?xf32>) outs(%fm : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.minimumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %min : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %e = math.exp %x : f32
    %j = linalg.index 2 : index
    %c = arith.cmpi sge, %j, %c640 : index
    %r = arith.select %c, %e, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<?x?x?xf32>) outs(%fl : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %ew = tensor.empty(%h, %m, %n) : tensor<?x?x?xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ew : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?x?xbf16>
  %ey = tensor.empty(%h, %m) : tensor<?x?x16xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<?x?x?xbf16>, tensor<?x?x16xbf16>) outs(%fy : tensor<?x?x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %c = arith.mulf %x, %z : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x?x16xf32>
  %lse = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel", "parallel"]} ins(%min, %l : tensor<?x?xf32>, tensor<?x?xf32>) outs(%er : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = math.log %b : f32
    %r = arith.addf %a, %x : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y, %lse : tensor<?x?x16xf32>, tensor<?x?xf32>
}

func.func @sums(%x: tensor<?x264xbf16> {carousel.argument = #xa}, %w: tensor<320x264xbf16> {carousel.argument = #wa}) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %big = arith.constant 200.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x264xbf16>
  %ez = tensor.empty(%m) : tensor<?x320xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<?x320xf32>) -> tensor<?x320xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x264xbf16>, tensor<320x264xbf16>) outs(%zeros : tensor<?x320xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x320xf32>
  %t = linalg.generic {indexing_maps = [#tile, #tile], iterator_types = ["parallel", "parallel"]} ins(%z : tensor<?x320xf32>) outs(%ez : tensor<?x320xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 1 : index
    %early = arith.cmpi slt, %j, %c128 : index
    %add = arith.select %early, %big, %zero : f32
    %r = arith.addf %a, %add : f32
    linalg.yield %r : f32
  } -> tensor<?x320xf32>
  %fm = linalg.fill ins(%inf : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %min = linalg.generic {indexing_maps = [#tile, #first], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<?x320xf32>) outs(%fm : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.minimumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#tile, #first, #tile], iterator_types = ["parallel", "parallel"]} ins(%t, %min : tensor<?x320xf32>, tensor<?xf32>) outs(%ez : tensor<?x320xf32>) {
  ^bb0(%a: f32, %h: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %late = arith.cmpi sge, %j, %c128 : index
    %some = arith.cmpi ne, %i, %c1 : index
    %c = arith.andi %late, %some : i1
    %d = arith.subf %a, %h : f32
    %e = math.exp %d : f32
    %r = arith.select %c, %e, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x320xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %l = linalg.generic {indexing_maps = [#tile, #first], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<?x320xf32>) outs(%fl : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#tile, #first, #first], iterator_types = ["parallel", "reduction"]} ins(%p, %l : tensor<?x320xf32>, tensor<?xf32>) outs(%fl : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    %r = arith.addf %o, %d : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %l, %q : tensor<?xf32>, tensor<?xf32>
}
