// Numbers in memory and quotients of indices bound the tiles of a stream only if they are the same for all that a program has.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip "" --function %{function} --
// DEFINE: %{attention} = %{graph} --arg x=random:300x64:1 --arg w=random:300x64:2 --arg numbers=random:4:7 --arg result0=zeros:300x64 --rtol 1e-2 --atol 1e-2
// REDEFINE: %{function} = pages
// RUN: %{attention} | FileCheck %s
// REDEFINE: %{function} = lengths
// RUN: %{attention} | FileCheck %s
// REDEFINE: %{function} = wrapped
// RUN: %{attention} | FileCheck %s
// REDEFINE: %{function} = shifted
// RUN: %{attention} | FileCheck %s
// REDEFINE: %{function} = quotients
// RUN: %{graph} --arg x=random:8192:1 --arg result0=zeros:8192 | FileCheck %s
// REDEFINE: %{function} = documents
// RUN: %python -c "import struct, sys; from importlib.machinery import SourceFileLoader as L; from pathlib import Path; L('r', sys.argv[1]).load_module().write_numbers(Path(sys.argv[2]), [0] * 700 + [1] * 400)" %source_root/scripts/random-streams %t.npy
// RUN: %{graph} --arg x=random:1100x64:1 --arg w=random:1100x64:2 --arg numbers=%t.npy --arg result0=zeros:1100x64 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// CHECK: block phase: right

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (j, k)>
#z = affine_map<(i, j, k) -> (i, j)>
#pj = affine_map<(i, e, j) -> (i, j)>
#vj = affine_map<(i, e, j) -> (j, e)>
#ye = affine_map<(i, e, j) -> (i, e)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
#xa = #carousel.argument<"x", in>
#wa = #carousel.argument<"w", in>
#na = #carousel.argument<"numbers", in>

// Of each tile of the stream.
func.func @pages(%x: tensor<300x64xbf16> {carousel.argument = #xa}, %w: tensor<300x64xbf16> {carousel.argument = #wa}, %numbers: tensor<4xi32> {carousel.argument = #na}) -> tensor<300x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %er = tensor.empty() : tensor<300xf32>
  %ey = tensor.empty() : tensor<300x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<300x64xbf16>, tensor<300x64xbf16>) outs(%zeros : tensor<300x300xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %page = arith.divui %j, %c128 : index
    %number = tensor.extract %numbers[%page] : tensor<4xi32>
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %number : i32
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<300xf32>) -> tensor<300xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<300x300xf32>) outs(%lows : tensor<300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<300xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<300x300xf32>, tensor<300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %n = tensor.empty() : tensor<300x300xbf16>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<300x300xf32>) outs(%n : tensor<300x300xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<300x300xbf16>
  %none = linalg.fill ins(%zero : f32) outs(%ey : tensor<300x64xf32>) -> tensor<300x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #ye], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %w : tensor<300x300xbf16>, tensor<300x64xbf16>) outs(%none : tensor<300x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %m = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<300x64xf32>
  return %y : tensor<300x64xf32>
}

// Of each tile of rows: here they bound the loop.
func.func @lengths(%x: tensor<300x64xbf16> {carousel.argument = #xa}, %w: tensor<300x64xbf16> {carousel.argument = #wa}, %numbers: tensor<4xi32> {carousel.argument = #na}) -> tensor<300x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %er = tensor.empty() : tensor<300xf32>
  %ey = tensor.empty() : tensor<300x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<300x64xbf16>, tensor<300x64xbf16>) outs(%zeros : tensor<300x300xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %tile = arith.divui %i, %c128 : index
    %number = tensor.extract %numbers[%tile] : tensor<4xi32>
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %number : i32
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<300xf32>) -> tensor<300xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<300x300xf32>) outs(%lows : tensor<300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<300xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<300x300xf32>, tensor<300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %n = tensor.empty() : tensor<300x300xbf16>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<300x300xf32>) outs(%n : tensor<300x300xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<300x300xbf16>
  %none = linalg.fill ins(%zero : f32) outs(%ey : tensor<300x64xf32>) -> tensor<300x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #ye], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %w : tensor<300x300xbf16>, tensor<300x64xbf16>) outs(%none : tensor<300x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %m = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<300x64xf32>
  return %y : tensor<300x64xf32>
}

// A product that wraps is no bound.
func.func @wrapped(%x: tensor<300x64xbf16> {carousel.argument = #xa}, %w: tensor<300x64xbf16> {carousel.argument = #wa}, %numbers: tensor<4xi32> {carousel.argument = #na}) -> tensor<300x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %er = tensor.empty() : tensor<300xf32>
  %ey = tensor.empty() : tensor<300x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<300x64xbf16>, tensor<300x64xbf16>) outs(%zeros : tensor<300x300xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %tile = arith.divui %i, %c128 : index
    %number = tensor.extract %numbers[%tile] : tensor<4xi32>
    %c128_i32 = arith.constant 128 : i32
    %product = arith.muli %number, %c128_i32 : i32
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %product : i32
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<300xf32>) -> tensor<300xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<300x300xf32>) outs(%lows : tensor<300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<300xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<300x300xf32>, tensor<300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %n = tensor.empty() : tensor<300x300xbf16>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<300x300xf32>) outs(%n : tensor<300x300xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<300x300xbf16>
  %none = linalg.fill ins(%zero : f32) outs(%ey : tensor<300x64xf32>) -> tensor<300x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #ye], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %w : tensor<300x300xbf16>, tensor<300x64xbf16>) outs(%none : tensor<300x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %m = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<300x64xf32>
  return %y : tensor<300x64xf32>
}

// Of numbers that aren't those of a loop.
func.func @shifted(%x: tensor<300x64xbf16> {carousel.argument = #xa}, %w: tensor<300x64xbf16> {carousel.argument = #wa}, %numbers: tensor<4xi32> {carousel.argument = #na}) -> tensor<300x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<300x300xf32>
  %er = tensor.empty() : tensor<300xf32>
  %ey = tensor.empty() : tensor<300x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<300x300xf32>) -> tensor<300x300xf32>
  %s = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<300x64xbf16>, tensor<300x64xbf16>) outs(%zeros : tensor<300x300xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<300x300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %next = arith.addi %j, %c1 : index
    %tile = arith.divui %next, %c128 : index
    %own = arith.divui %i, %c128 : index
    %is = arith.cmpi ule, %tile, %own : index
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<300xf32>) -> tensor<300xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<300x300xf32>) outs(%lows : tensor<300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<300xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<300x300xf32>, tensor<300xf32>) outs(%es : tensor<300x300xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<300x300xf32>
  %n = tensor.empty() : tensor<300x300xbf16>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<300x300xf32>) outs(%n : tensor<300x300xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<300x300xbf16>
  %none = linalg.fill ins(%zero : f32) outs(%ey : tensor<300x64xf32>) -> tensor<300x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #ye], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %w : tensor<300x300xbf16>, tensor<300x64xbf16>) outs(%none : tensor<300x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %m = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<300x64xf32>
  return %y : tensor<300x64xf32>
}

// The run of whole tiles of the first document ends before its last tile.
func.func @documents(%x: tensor<1100x64xbf16> {carousel.argument = #xa}, %w: tensor<1100x64xbf16> {carousel.argument = #wa}, %numbers: tensor<1100xi32> {carousel.argument = #na}) -> tensor<1100x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<1100x1100xf32>
  %er = tensor.empty() : tensor<1100xf32>
  %ey = tensor.empty() : tensor<1100x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<1100x1100xf32>) -> tensor<1100x1100xf32>
  %s = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1100x64xbf16>, tensor<1100x64xbf16>) outs(%zeros : tensor<1100x1100xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<1100x1100xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %numbers, %numbers : tensor<1100x1100xf32>, tensor<1100xi32>, tensor<1100xi32>) outs(%es : tensor<1100x1100xf32>) {
  ^bb0(%a: f32, %own: i32, %other: i32, %o: f32):
    %is = arith.cmpi eq, %own, %other : i32
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<1100x1100xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<1100xf32>) -> tensor<1100xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<1100x1100xf32>) outs(%lows : tensor<1100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<1100xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<1100x1100xf32>, tensor<1100xf32>) outs(%es : tensor<1100x1100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<1100x1100xf32>
  %n = tensor.empty() : tensor<1100x1100xbf16>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<1100x1100xf32>) outs(%n : tensor<1100x1100xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1100x1100xbf16>
  %none = linalg.fill ins(%zero : f32) outs(%ey : tensor<1100x64xf32>) -> tensor<1100x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #ye], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %w : tensor<1100x1100xbf16>, tensor<1100x64xbf16>) outs(%none : tensor<1100x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %m = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1100x64xf32>
  return %y : tensor<1100x64xf32>
}

// Quotients of 4096 neighbours, of numbers that are shifted.
func.func @quotients(%x: tensor<?xf32> {carousel.argument = #xa}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    %next = arith.addi %i, %c1 : index
    %before = arith.subi %i, %c4096 : index
    %q = arith.divui %next, %c4096 : index
    %p = arith.divsi %before, %c4096 : index
    %own = arith.divui %i, %c4096 : index
    %sum = arith.addi %q, %p : index
    %total = arith.addi %sum, %own : index
    %number = arith.index_cast %total : index to i32
    %f = arith.sitofp %number : i32 to f32
    %r = arith.addf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
