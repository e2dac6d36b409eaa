// Reductions of a product's columns are in its kernel: by tiles, if there are many of them. A loss over a vocabulary takes the
// product of its logits, the sums of its tiles, and a sum for each label's logit.
// DEFINE: %{function} =
// DEFINE: %{flags} =
// DEFINE: %{chips} = --chip sm_90a
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s %{chips} --function %{function} --tiled-elements 1 %{flags} --
// REDEFINE: %{function} = loss
// REDEFINE: %{flags} = --kernels 4
// RUN: %{graph} --arg x=random:35x264:1 --arg w=random:320x264:2 --arg labels=iota:35:35 --arg result0=zeros:35 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{chips} =
// RUN: %{graph} --arg x=random:1x264:1 --arg w=random:320x264:2 --arg labels=iota:1:1 --arg result0=zeros:1 --rtol 1e-4 --atol 1e-4 | FileCheck %s --check-prefix=BLOCK
// RUN: %{graph} --arg x=random:0x264:1 --arg w=random:320x264:2 --arg labels=iota:0:1 --arg result0=zeros:0 --rtol 1e-4 --atol 1e-4 | FileCheck %s --check-prefix=BLOCK
// Columns that are no whole tile: 65 and one.
// DEFINE: %{rest} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %t.mlir %{chips} --function loss --tiled-elements 1 --kernels 6 --
// RUN: sed 's/320/321/g' %s > %t.mlir
// RUN: %{rest} --arg x=random:35x264:1 --arg w=random:321x264:2 --arg labels=iota:35:321 --arg result0=zeros:35 --rtol 1e-4 --atol 1e-4 | FileCheck %s --check-prefix=BLOCK
// REDEFINE: %{chips} = --chip sm_90a
// RUN: sed 's/320/257/g; s/%%c256 = arith.constant 256/%%c256 = arith.constant 257/' %s > %t.mlir
// RUN: %{rest} --arg x=random:35x264:1 --arg w=random:257x264:2 --arg labels=iota:35:257 --arg result0=zeros:35 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{chips} = --chip sm_80
// REDEFINE: %{function} = normalized
// REDEFINE: %{flags} = --kernels 1
// RUN: %{graph} --arg x=random:33x272:1 --arg w=random:128x272:2 --arg result0=zeros:33x128 --arg result1=zeros:33x128 --rtol 1e-3 --atol 1e-3 | FileCheck %s
// REDEFINE: %{function} = next
// REDEFINE: %{chips} =
// REDEFINE: %{flags} =
// RUN: %{graph} --arg x=random:34x264:1 --arg w=random:256x264:2 --arg labels=iota:33:256 --arg result0=zeros:33 --rtol 1e-4 --atol 1e-4 | FileCheck %s --check-prefix=BLOCK
// CHECK: block phase: right
// CHECK: sm_{{80|90a}}: right
// BLOCK: block phase: right

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (j, k)>
#z = affine_map<(i, j, k) -> (i, j)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
#xa = #carousel.argument<"x", in>
#wa = #carousel.argument<"w", in>
#la = #carousel.argument<"labels", in>

// The last columns don't count: a whole tile of 64 has none that does. All others are so far below zero that the exponential of
// their distance is infinite.
func.func @loss(%x: tensor<?x264xbf16> {carousel.argument = #xa}, %w: tensor<320x264xbf16> {carousel.argument = #wa}, %labels: tensor<?xi32> {carousel.argument = #la}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
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
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%z : tensor<?x320xf32>) outs(%ez : tensor<?x320xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 1 : index
    %is = arith.cmpi slt, %j, %c256 : index
    %far = arith.constant 200.0 : f32
    %b = arith.subf %a, %far : f32
    %r = arith.select %is, %b, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x320xf32>
  %stop = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<?x320xf32>) outs(%stop : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %ssum = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%t, %top : tensor<?x320xf32>, tensor<?xf32>) outs(%ssum : tensor<?xf32>) {
  ^bb0(%a: f32, %h: f32, %o: f32):
    %d = arith.subf %a, %h : f32
    %e = math.exp %d : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]} ins(%top, %sum, %labels : tensor<?xf32>, tensor<?xf32>, tensor<?xi32>) outs(%er : tensor<?xf32>) {
  ^bb0(%h: f32, %s: f32, %label: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %label : i32 to index
    %own = tensor.extract %z[%i, %j] : tensor<?x320xf32>
    %l = math.log %s : f32
    %lse = arith.addf %l, %h : f32
    %r = arith.subf %lse, %own : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A loss of next tokens: there are fewer labels than rows.
func.func @next(%x: tensor<34x264xbf16> {carousel.argument = #xa}, %w: tensor<256x264xbf16> {carousel.argument = #wa}, %labels: tensor<33xi32> {carousel.argument = #la}) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %ez = tensor.empty() : tensor<34x256xf32>
  %er = tensor.empty() : tensor<33xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<34x256xf32>) -> tensor<34x256xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<34x264xbf16>, tensor<256x264xbf16>) outs(%zeros : tensor<34x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<34x256xf32>
  %y = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%labels : tensor<33xi32>) outs(%er : tensor<33xf32>) {
  ^bb0(%label: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %label : i32 to index
    %own = tensor.extract %z[%i, %j] : tensor<34x256xf32>
    linalg.yield %own : f32
  } -> tensor<33xf32>
  return %y : tensor<33xf32>
}

// A normalization, of which nothing could be corrected, and the elements before it.
func.func @normalized(%x: tensor<?x272xbf16> {carousel.argument = #xa}, %w: tensor<128x272xbf16> {carousel.argument = #wa}) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-5 : f32
  %share = arith.constant 0.0078125 : f32
  %m = tensor.dim %x, %c0 : tensor<?x272xbf16>
  %ez = tensor.empty(%m) : tensor<?x128xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<?x128xf32>) -> tensor<?x128xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x272xbf16>, tensor<128x272xbf16>) outs(%zeros : tensor<?x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x128xf32>
  %smean = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %mean = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<?x128xf32>) outs(%smean : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %share : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %svariance = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %variance = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%z, %mean : tensor<?x128xf32>, tensor<?xf32>) outs(%svariance : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %p = arith.mulf %q, %share : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%z, %mean, %variance : tensor<?x128xf32>, tensor<?xf32>, tensor<?xf32>) outs(%ez : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %v: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.addf %v, %least : f32
    %q = math.rsqrt %s : f32
    %r = arith.mulf %d, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x128xf32>
  return %z, %y : tensor<?x128xf32>, tensor<?x128xf32>
}
