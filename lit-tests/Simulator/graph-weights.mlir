// Weights of few bits become the factor of a product in its kernel, as front ends write them: a scale before or after the
// product, groups of k with zero points, two weights in a byte and eight in a word, also for few rows and an unknown k.
// DEFINE: %{function} =
// DEFINE: %{chips} = sm_90a
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip %{chips} --function %{function} --kernels 1 --
// REDEFINE: %{function} = float8
// RUN: %{graph} --arg x=random:70x128:1 --arg w=random:72x128:2 --arg s=random:72:3 --arg result0=zeros:70x72 --rtol 2e-2 --atol 0.1 | FileCheck %s
// REDEFINE: %{chips} = sm_80,sm_90a
// REDEFINE: %{function} = int8_groups
// RUN: %{graph} --arg x=random:70x256:1 --arg w=random:72x256:2 --arg s=random:72x2:3 --arg z=random:72x2:4 --arg result0=zeros:70x72 --rtol 2e-2 --atol 1 | FileCheck %s
// REDEFINE: %{function} = int4_groups
// RUN: %{graph} --arg x=random:70x256:1 --arg w=random:72x128:2 --arg s=random:72x2:3 --arg result0=zeros:70x72 --rtol 2e-2 --atol 1 | FileCheck %s
// REDEFINE: %{chips} = sm_90a
// RUN: %{graph} --arg x=random:5x256:1 --arg w=random:72x128:2 --arg s=random:72x2:3 --arg result0=zeros:5x72 --rtol 2e-2 --atol 1 | FileCheck %s
// REDEFINE: %{function} = few_rows
// RUN: %{graph} --arg x=random:16x1024:1 --arg w=random:64x512:2 --arg s=random:64x8:3 --arg result0=zeros:16x64 --rtol 2e-2 --atol 2 | FileCheck %s
// Rows of an unknown number: up to 16 of them have a variant in clusters.
// REDEFINE: %{function} = maybe_few
// RUN: %{graph} --arg x=random:5x1024:1 --arg w=random:72x1024:2 --arg s=random:72:3 --arg result0=zeros:5x72 --rtol 2e-2 --atol 2 --again --arg x=random:17x1024:1 --arg w=random:72x1024:2 --arg s=random:72:3 --arg result0=zeros:17x72 --rtol 2e-2 --atol 2 | FileCheck %s
// REDEFINE: %{function} = unknown_k
// RUN: %{graph} --arg x=random:20x96:1 --arg w=random:40x48:2 --arg s=random:40:3 --arg result0=zeros:20x40 --rtol 2e-2 --atol 1 | FileCheck %s
// REDEFINE: %{function} = words
// RUN: %{graph} --arg x=random:70x256:1 --arg w=random:32x72:2 --arg s=random:2x72:3 --arg z=random:2x72:4 --arg result0=zeros:70x72 --rtol 2e-2 --atol 1 | FileCheck %s
// REDEFINE: %{function} = unpacked
// RUN: %{graph} --arg w=random:70x36:2 --arg s=random:70:3 --arg result0=zeros:70x72 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#id3 = affine_map<(i, g, j) -> (i, g, j)>
#group = affine_map<(i, g, j) -> (i, g)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#s = #carousel.argument<"s", in>
#z = #carousel.argument<"z", in>

// The product is rounded, and scaled then.
func.func @float8(%x: tensor<70x128xbf16> {carousel.argument = #x}, %w: tensor<72x128xf8E4M3FN> {carousel.argument = #w}, %s: tensor<72xbf16> {carousel.argument = #s}) -> tensor<70x72xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<72x128xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<72x128xf8E4M3FN>) outs(%e : tensor<72x128xbf16>) {
  ^bb0(%a: f8E4M3FN, %o: bf16):
    %0 = arith.extf %a : f8E4M3FN to bf16
    linalg.yield %0 : bf16
  } -> tensor<72x128xbf16>
  %r = tensor.empty() : tensor<70x72xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%r : tensor<70x72xbf16>) -> tensor<70x72xbf16>
  %p = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %h : tensor<70x128xbf16>, tensor<72x128xbf16>) outs(%f : tensor<70x72xbf16>) -> tensor<70x72xbf16>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<70x72xbf16>, tensor<72xbf16>) outs(%r : tensor<70x72xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %0 = arith.mulf %a, %b : bf16
    linalg.yield %0 : bf16
  } -> tensor<70x72xbf16>
  return %y : tensor<70x72xbf16>
}

func.func @int8_groups(%x: tensor<?x256xbf16> {carousel.argument = #x}, %w: tensor<72x256xi8> {carousel.argument = #w}, %s: tensor<72x2xbf16> {carousel.argument = #s}, %z: tensor<72x2xbf16> {carousel.argument = #z}) -> tensor<?x72xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %q = tensor.expand_shape %w [[0], [1, 2]] output_shape [72, 2, 128] : tensor<72x256xi8> into tensor<72x2x128xi8>
  %e = tensor.empty() : tensor<72x2x128xbf16>
  %h = linalg.generic {indexing_maps = [#id3, #group, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %s, %z : tensor<72x2x128xi8>, tensor<72x2xbf16>, tensor<72x2xbf16>) outs(%e : tensor<72x2x128xbf16>) {
  ^bb0(%a: i8, %b: bf16, %c: bf16, %o: bf16):
    %0 = arith.sitofp %a : i8 to bf16
    %1 = arith.subf %0, %c : bf16
    %2 = arith.mulf %1, %b : bf16
    linalg.yield %2 : bf16
  } -> tensor<72x2x128xbf16>
  %v = tensor.collapse_shape %h [[0], [1, 2]] : tensor<72x2x128xbf16> into tensor<72x256xbf16>
  %m = tensor.dim %x, %c0 : tensor<?x256xbf16>
  %r = tensor.empty(%m) : tensor<?x72xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%r : tensor<?x72xbf16>) -> tensor<?x72xbf16>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %v : tensor<?x256xbf16>, tensor<72x256xbf16>) outs(%f : tensor<?x72xbf16>) -> tensor<?x72xbf16>
  return %y : tensor<?x72xbf16>
}

// stack([w & 15, w >> 4], -1).view(n, k) - 8, times a scale for each 128 of k.
func.func @int4_groups(%x: tensor<?x256xbf16> {carousel.argument = #x}, %w: tensor<72x128xi8> {carousel.argument = #w}, %s: tensor<72x2xbf16> {carousel.argument = #s}) -> tensor<?x72xbf16> {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 15 : i8
  %four = arith.constant 4 : i8
  %eight = arith.constant 8 : i8
  %zero = arith.constant 0.0 : bf16
  %eb = tensor.empty() : tensor<72x128xi8>
  %low = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<72x128xi8>) outs(%eb : tensor<72x128xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.andi %a, %mask : i8
    linalg.yield %0 : i8
  } -> tensor<72x128xi8>
  %high = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<72x128xi8>) outs(%eb : tensor<72x128xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shrui %a, %four : i8
    linalg.yield %0 : i8
  } -> tensor<72x128xi8>
  %low1 = tensor.expand_shape %low [[0], [1, 2]] output_shape [72, 128, 1] : tensor<72x128xi8> into tensor<72x128x1xi8>
  %high1 = tensor.expand_shape %high [[0], [1, 2]] output_shape [72, 128, 1] : tensor<72x128xi8> into tensor<72x128x1xi8>
  %e2 = tensor.empty() : tensor<72x128x2xi8>
  %i0 = tensor.insert_slice %low1 into %e2[0, 0, 0] [72, 128, 1] [1, 1, 1] : tensor<72x128x1xi8> into tensor<72x128x2xi8>
  %i1 = tensor.insert_slice %high1 into %i0[0, 0, 1] [72, 128, 1] [1, 1, 1] : tensor<72x128x1xi8> into tensor<72x128x2xi8>
  %all = tensor.collapse_shape %i1 [[0], [1, 2]] : tensor<72x128x2xi8> into tensor<72x256xi8>
  %q = tensor.expand_shape %all [[0], [1, 2]] output_shape [72, 2, 128] : tensor<72x256xi8> into tensor<72x2x128xi8>
  %e = tensor.empty() : tensor<72x2x128xbf16>
  %h = linalg.generic {indexing_maps = [#id3, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %s : tensor<72x2x128xi8>, tensor<72x2xbf16>) outs(%e : tensor<72x2x128xbf16>) {
  ^bb0(%a: i8, %b: bf16, %o: bf16):
    %0 = arith.subi %a, %eight : i8
    %1 = arith.sitofp %0 : i8 to bf16
    %2 = arith.mulf %1, %b : bf16
    linalg.yield %2 : bf16
  } -> tensor<72x2x128xbf16>
  %v = tensor.collapse_shape %h [[0], [1, 2]] : tensor<72x2x128xbf16> into tensor<72x256xbf16>
  %m = tensor.dim %x, %c0 : tensor<?x256xbf16>
  %r = tensor.empty(%m) : tensor<?x72xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%r : tensor<?x72xbf16>) -> tensor<?x72xbf16>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %v : tensor<?x256xbf16>, tensor<72x256xbf16>) outs(%f : tensor<?x72xbf16>) -> tensor<?x72xbf16>
  return %y : tensor<?x72xbf16>
}

func.func @maybe_few(%x: tensor<?x1024xbf16> {carousel.argument = #x}, %w: tensor<72x1024xi8> {carousel.argument = #w}, %s: tensor<72xbf16> {carousel.argument = #s}) -> tensor<?x72xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<72x1024xbf16>
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<72x1024xi8>, tensor<72xbf16>) outs(%e : tensor<72x1024xbf16>) {
  ^bb0(%a: i8, %b: bf16, %o: bf16):
    %0 = arith.sitofp %a : i8 to bf16
    %1 = arith.mulf %0, %b : bf16
    linalg.yield %1 : bf16
  } -> tensor<72x1024xbf16>
  %m = tensor.dim %x, %c0 : tensor<?x1024xbf16>
  %r = tensor.empty(%m) : tensor<?x72xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%r : tensor<?x72xbf16>) -> tensor<?x72xbf16>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %h : tensor<?x1024xbf16>, tensor<72x1024xbf16>) outs(%f : tensor<?x72xbf16>) -> tensor<?x72xbf16>
  return %y : tensor<?x72xbf16>
}

// One tile: parts divide the loop over groups and what is in them.
func.func @few_rows(%x: tensor<16x1024xbf16> {carousel.argument = #x}, %w: tensor<64x512xi8> {carousel.argument = #w}, %s: tensor<64x8xbf16> {carousel.argument = #s}) -> tensor<16x64xf32> {
  %four = arith.constant 4 : i8
  %zero = arith.constant 0.0 : f32
  %eb = tensor.empty() : tensor<64x512xi8>
  %low = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<64x512xi8>) outs(%eb : tensor<64x512xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shli %a, %four : i8
    %1 = arith.shrsi %0, %four : i8
    linalg.yield %1 : i8
  } -> tensor<64x512xi8>
  %high = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<64x512xi8>) outs(%eb : tensor<64x512xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shrsi %a, %four : i8
    linalg.yield %0 : i8
  } -> tensor<64x512xi8>
  %e2 = tensor.empty() : tensor<64x512x2xi8>
  %i0 = tensor.insert_slice %high into %e2[0, 0, 1] [64, 512, 1] [1, 1, 1] : tensor<64x512xi8> into tensor<64x512x2xi8>
  %i1 = tensor.insert_slice %low into %i0[0, 0, 0] [64, 512, 1] [1, 1, 1] : tensor<64x512xi8> into tensor<64x512x2xi8>
  %all = tensor.collapse_shape %i1 [[0], [1, 2]] : tensor<64x512x2xi8> into tensor<64x1024xi8>
  %q = tensor.expand_shape %all [[0], [1, 2]] output_shape [64, 8, 128] : tensor<64x1024xi8> into tensor<64x8x128xi8>
  %e = tensor.empty() : tensor<64x8x128xbf16>
  %h = linalg.generic {indexing_maps = [#id3, #group, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %s : tensor<64x8x128xi8>, tensor<64x8xbf16>) outs(%e : tensor<64x8x128xbf16>) {
  ^bb0(%a: i8, %b: bf16, %o: bf16):
    %0 = arith.sitofp %a : i8 to bf16
    %1 = arith.mulf %0, %b : bf16
    linalg.yield %1 : bf16
  } -> tensor<64x8x128xbf16>
  %v = tensor.collapse_shape %h [[0], [1, 2]] : tensor<64x8x128xbf16> into tensor<64x1024xbf16>
  %r = tensor.empty() : tensor<16x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16x64xf32>) -> tensor<16x64xf32>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %v : tensor<16x1024xbf16>, tensor<64x1024xbf16>) outs(%f : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

func.func @unknown_k(%x: tensor<?x?xbf16> {carousel.argument = #x}, %w: tensor<?x?xi8> {carousel.argument = #w}, %s: tensor<?xbf16> {carousel.argument = #s}) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mask = arith.constant 15 : i8
  %four = arith.constant 4 : i8
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %w, %c0 : tensor<?x?xi8>
  %bytes = tensor.dim %w, %c1 : tensor<?x?xi8>
  %k = arith.muli %bytes, %c2 : index
  %eb = tensor.empty(%n, %bytes) : tensor<?x?xi8>
  %low = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<?x?xi8>) outs(%eb : tensor<?x?xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.andi %a, %mask : i8
    linalg.yield %0 : i8
  } -> tensor<?x?xi8>
  %high = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<?x?xi8>) outs(%eb : tensor<?x?xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shrui %a, %four : i8
    linalg.yield %0 : i8
  } -> tensor<?x?xi8>
  %e2 = tensor.empty(%n, %bytes) : tensor<?x?x2xi8>
  %i0 = tensor.insert_slice %low into %e2[0, 0, 0] [%n, %bytes, 1] [1, 1, 1] : tensor<?x?xi8> into tensor<?x?x2xi8>
  %i1 = tensor.insert_slice %high into %i0[0, 0, 1] [%n, %bytes, 1] [1, 1, 1] : tensor<?x?xi8> into tensor<?x?x2xi8>
  %q = tensor.collapse_shape %i1 [[0], [1, 2]] : tensor<?x?x2xi8> into tensor<?x?xi8>
  %e = tensor.empty(%n, %k) : tensor<?x?xbf16>
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %s : tensor<?x?xi8>, tensor<?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%a: i8, %b: bf16, %o: bf16):
    %0 = arith.uitofp %a : i8 to bf16
    %1 = arith.mulf %0, %b : bf16
    linalg.yield %1 : bf16
  } -> tensor<?x?xbf16>
  %r = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%r : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %h : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// Eight weights in a word, whose neighbours are of other columns, as GPTQ has them.
func.func @words(%x: tensor<70x256xbf16> {carousel.argument = #x}, %w: tensor<32x72xi32> {carousel.argument = #w}, %s: tensor<2x72xbf16> {carousel.argument = #s}, %z: tensor<2x72xbf16> {carousel.argument = #z}) -> tensor<70x72xbf16> {
  %shifts = arith.constant dense<[0, 4, 8, 12, 16, 20, 24, 28]> : tensor<8xi32>
  %mask = arith.constant 15 : i32
  %zero = arith.constant 0.0 : bf16
  %ei = tensor.empty() : tensor<32x8x72xi32>
  %q = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, c)>, affine_map<(a, b, c) -> (b)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %shifts : tensor<32x72xi32>, tensor<8xi32>) outs(%ei : tensor<32x8x72xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %0 = arith.shrsi %a, %b : i32
    %1 = arith.andi %0, %mask : i32
    linalg.yield %1 : i32
  } -> tensor<32x8x72xi32>
  %all = tensor.collapse_shape %q [[0, 1], [2]] : tensor<32x8x72xi32> into tensor<256x72xi32>
  %g = tensor.expand_shape %all [[0, 1], [2]] output_shape [2, 128, 72] : tensor<256x72xi32> into tensor<2x128x72xi32>
  %e = tensor.empty() : tensor<2x128x72xbf16>
  %h = linalg.generic {indexing_maps = [#id3, affine_map<(g, i, j) -> (g, j)>, affine_map<(g, i, j) -> (g, j)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%g, %s, %z : tensor<2x128x72xi32>, tensor<2x72xbf16>, tensor<2x72xbf16>) outs(%e : tensor<2x128x72xbf16>) {
  ^bb0(%a: i32, %b: bf16, %c: bf16, %o: bf16):
    %0 = arith.sitofp %a : i32 to bf16
    %1 = arith.subf %0, %c : bf16
    %2 = arith.mulf %1, %b : bf16
    linalg.yield %2 : bf16
  } -> tensor<2x128x72xbf16>
  %v = tensor.collapse_shape %h [[0, 1], [2]] : tensor<2x128x72xbf16> into tensor<256x72xbf16>
  %r = tensor.empty() : tensor<70x72xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%r : tensor<70x72xbf16>) -> tensor<70x72xbf16>
  %y = linalg.matmul ins(%x, %v : tensor<70x256xbf16>, tensor<256x72xbf16>) outs(%f : tensor<70x72xbf16>) -> tensor<70x72xbf16>
  return %y : tensor<70x72xbf16>
}

// Weights that other programs read: rows of pairs are written whole.
func.func @unpacked(%w: tensor<70x36xi8> {carousel.argument = #w}, %s: tensor<70xbf16> {carousel.argument = #s}) -> tensor<70x72xbf16> {
  %mask = arith.constant 15 : i8
  %four = arith.constant 4 : i8
  %eb = tensor.empty() : tensor<70x36xi8>
  %low = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<70x36xi8>) outs(%eb : tensor<70x36xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.andi %a, %mask : i8
    linalg.yield %0 : i8
  } -> tensor<70x36xi8>
  %high = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<70x36xi8>) outs(%eb : tensor<70x36xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.shrui %a, %four : i8
    linalg.yield %0 : i8
  } -> tensor<70x36xi8>
  %e2 = tensor.empty() : tensor<70x36x2xi8>
  %i0 = tensor.insert_slice %low into %e2[0, 0, 0] [70, 36, 1] [1, 1, 1] : tensor<70x36xi8> into tensor<70x36x2xi8>
  %i1 = tensor.insert_slice %high into %i0[0, 0, 1] [70, 36, 1] [1, 1, 1] : tensor<70x36xi8> into tensor<70x36x2xi8>
  %q = tensor.collapse_shape %i1 [[0], [1, 2]] : tensor<70x36x2xi8> into tensor<70x72xi8>
  %e = tensor.empty() : tensor<70x72xbf16>
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %s : tensor<70x72xi8>, tensor<70xbf16>) outs(%e : tensor<70x72xbf16>) {
  ^bb0(%a: i8, %b: bf16, %o: bf16):
    %0 = arith.uitofp %a : i8 to bf16
    %1 = arith.mulf %0, %b : bf16
    linalg.yield %1 : bf16
  } -> tensor<70x72xbf16>
  return %h : tensor<70x72xbf16>
}
