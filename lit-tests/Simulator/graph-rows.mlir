// Products whose factor has rows that a table names: of tables in i32 and i64, and rows of the second factor.
// Numbers that are clamped first are a table that a kernel writes.
// DEFINE: %{function} =
// DEFINE: %{chips} = sm_90a
// DEFINE: %{count} = 1
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip %{chips} --function %{function} --kernels %{count} --
// REDEFINE: %{chips} = sm_80,sm_90a
// REDEFINE: %{function} = rows
// RUN: %{graph} --arg x=random:300x136:1 --arg i=iota:70:23 --arg w=random:136x72:3 --arg result0=zeros:70x72 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{chips} = sm_90a
// RUN: %{graph} --arg x=random:30x51:1 --arg i=iota:70:29 --arg w=random:51x72:3 --arg result0=zeros:70x72 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{function} = vocabulary
// RUN: %{graph} --arg x=random:70x128:1 --arg i=iota:40:17 --arg w=random:200x128:3 --arg result0=zeros:70x40 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{count} = 2
// REDEFINE: %{function} = clamped
// RUN: %{graph} --arg x=random:30x128:1 --arg i=iota:70:40 --arg w=random:128x72:3 --arg result0=zeros:70x72 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{chips} = sm_80,sm_90a
// REDEFINE: %{count} = 1
// REDEFINE: %{function} = chosen
// RUN: %{graph} --arg x=random:300x128:1 --arg i=iota:6x128 --arg w=random:8x128x256:3 --arg g=iota:6 --arg result0=zeros:6x128x256 --rtol 1e-3 --atol 1e-3 | FileCheck %s
// REDEFINE: %{count} = 8
// REDEFINE: %{function} = choices
// RUN: %{graph} --arg x=random:20x16:1 --arg g=iota:20x2 --arg w=random:4x16x32:3 --arg result0=zeros:20x2x24 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#x = #carousel.argument<"x", in>
#i = #carousel.argument<"i", in>
#w = #carousel.argument<"w", in>
#g = #carousel.argument<"g", in>
#pik = affine_map<(p, i, k) -> (p, i, k)>
#pi = affine_map<(p, i, k) -> (p, i)>
#p0 = affine_map<(p, i, k) -> (p)>

// x[i] w, of unknown extents.
func.func @rows(%x: tensor<?x?xbf16> {carousel.argument = #x}, %i: tensor<?xi32> {carousel.argument = #i}, %w: tensor<?x?xbf16> {carousel.argument = #w}) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %i, %c0 : tensor<?xi32>
  %k = tensor.dim %w, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %k) : tensor<?x?xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi32>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %x[%0, %1] : tensor<?x?xbf16>
    linalg.yield %2 : bf16
  } -> tensor<?x?xbf16>
  %r = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%r : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %y = linalg.matmul ins(%g, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// x w[i]^T: logits of chosen words.
func.func @vocabulary(%x: tensor<70x128xbf16> {carousel.argument = #x}, %i: tensor<40xi64> {carousel.argument = #i}, %w: tensor<200x128xbf16> {carousel.argument = #w}) -> tensor<70x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x128xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<40xi64>) outs(%e : tensor<40x128xbf16>) {
  ^bb0(%a: i64, %o: bf16):
    %0 = arith.index_cast %a : i64 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %w[%0, %1] : tensor<200x128xbf16>
    linalg.yield %2 : bf16
  } -> tensor<40x128xbf16>
  %r = tensor.empty() : tensor<70x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<70x40xf32>) -> tensor<70x40xf32>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %g : tensor<70x128xbf16>, tensor<40x128xbf16>) outs(%f : tensor<70x40xf32>) -> tensor<70x40xf32>
  return %y : tensor<70x40xf32>
}

// Numbers behind the last row are that row, as JAX clamps them.
func.func @clamped(%x: tensor<30x128xbf16> {carousel.argument = #x}, %i: tensor<70xi32> {carousel.argument = #i}, %w: tensor<128x72xbf16> {carousel.argument = #w}) -> tensor<70x72xf32> {
  %c0 = arith.constant 0 : index
  %c29 = arith.constant 29 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x128xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<70xi32>) outs(%e : tensor<70x128xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c29 : index
    %3 = linalg.index 1 : index
    %4 = tensor.extract %x[%2, %3] : tensor<30x128xbf16>
    linalg.yield %4 : bf16
  } -> tensor<70x128xbf16>
  %r = tensor.empty() : tensor<70x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<70x72xf32>) -> tensor<70x72xf32>
  %y = linalg.matmul ins(%g, %w : tensor<70x128xbf16>, tensor<128x72xbf16>) outs(%f : tensor<70x72xf32>) -> tensor<70x72xf32>
  return %y : tensor<70x72xf32>
}

// Tiles of rows by a table of each, of which some numbers are no row, by the matrix that a number chooses.
func.func @chosen(%x: tensor<300x128xbf16> {carousel.argument = #x}, %w: tensor<8x128x256xbf16> {carousel.argument = #w}, %row: tensor<6x128xi32> {carousel.argument = #i}, %ex: tensor<6xi32> {carousel.argument = #g}) -> tensor<6x128x256xf32> {
  %c300 = arith.constant 300 : index
  %none = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x128x128xbf16>
  %xt = linalg.generic {indexing_maps = [#pi, #pik], iterator_types = ["parallel", "parallel", "parallel"]} ins(%row : tensor<6x128xi32>) outs(%e : tensor<6x128x128xbf16>) {
  ^bb0(%r: i32, %o: bf16):
    %k = linalg.index 2 : index
    %0 = arith.index_cast %r : i32 to index
    %1 = arith.cmpi ult, %0, %c300 : index
    %2 = scf.if %1 -> bf16 {
      %3 = tensor.extract %x[%0, %k] : tensor<300x128xbf16>
      scf.yield %3 : bf16
    } else {
      scf.yield %none : bf16
    }
    linalg.yield %2 : bf16
  } -> tensor<6x128x128xbf16>
  %ew = tensor.empty() : tensor<6x128x256xbf16>
  %wt = linalg.generic {indexing_maps = [#p0, #pik], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ex : tensor<6xi32>) outs(%ew : tensor<6x128x256xbf16>) {
  ^bb0(%r: i32, %o: bf16):
    %k = linalg.index 1 : index
    %n = linalg.index 2 : index
    %0 = arith.index_cast %r : i32 to index
    %3 = tensor.extract %w[%0, %k, %n] : tensor<8x128x256xbf16>
    linalg.yield %3 : bf16
  } -> tensor<6x128x256xbf16>
  %ey = tensor.empty() : tensor<6x128x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ey : tensor<6x128x256xf32>) -> tensor<6x128x256xf32>
  %y = linalg.batch_matmul ins(%xt, %wt : tensor<6x128x128xbf16>, tensor<6x128x256xbf16>) outs(%f : tensor<6x128x256xf32>) -> tensor<6x128x256xf32>
  return %y : tensor<6x128x256xf32>
}

// Two matrices for each row, of which columns are a part.
func.func @choices(%x: tensor<20x16xf32> {carousel.argument = #x}, %w: tensor<4x16x32xf32> {carousel.argument = #w}, %g: tensor<20x2xi32> {carousel.argument = #g}) -> tensor<20x2x24xf32> {
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x2x16x24xf32>
  %own = linalg.generic {indexing_maps = [affine_map<(t, c, k, n) -> (t, c)>, affine_map<(t, c, k, n) -> (t, c, k, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%g : tensor<20x2xi32>) outs(%e : tensor<20x2x16x24xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.remui %a, %c4 : i32
    %1 = arith.index_cast %0 : i32 to index
    %2 = linalg.index 2 : index
    %3 = linalg.index 3 : index
    %4 = tensor.extract %w[%1, %2, %3] : tensor<4x16x32xf32>
    linalg.yield %4 : f32
  } -> tensor<20x2x16x24xf32>
  %r = tensor.empty() : tensor<20x2x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<20x2x24xf32>) -> tensor<20x2x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(t, c, n, k) -> (t, k)>, affine_map<(t, c, n, k) -> (t, c, k, n)>, affine_map<(t, c, n, k) -> (t, c, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %own : tensor<20x16xf32>, tensor<20x2x16x24xf32>) outs(%f : tensor<20x2x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<20x2x24xf32>
  return %y : tensor<20x2x24xf32>
}
