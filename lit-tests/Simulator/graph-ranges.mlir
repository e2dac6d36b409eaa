// Products along ranges of rows: of groups with no row, one, and more than a tile, ranges that begin before the first row, end behind
// the last one or before they begin, and rows of one factor that aren't finite in other groups, or in none.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --as-written --function
// DEFINE: %{write} = %python %source_root/lit-tests/Tools/carousel-run/Inputs/npy.py write
// DEFINE: %{x} = --arg x=random:210x72 --arg y=random:210x136:1
// RUN: mkdir -p %t
// RUN: %{write} %t/ends.npy '<i4' 4 0 1 131 208
// RUN: %{write} %t/begin.npy '<i4' 4 -5 100 207 40
// RUN: %{write} %t/end.npy '<i4' 4 65 100 1000 30
// RUN: %{graph} counted --kernels 3 -- %{x} --arg ends=%t/ends.npy --arg result0=zeros:4x72x136 --rtol 1e-3 --atol 1e-4 | FileCheck %s
// RUN: %{graph} given --kernels 1 -- %{x} --arg begin=%t/begin.npy --arg end=%t/end.npy --arg result0=zeros:4x72x136 --rtol 1e-3 --atol 1e-4 | FileCheck %s
// RUN: %python %S/Inputs/write_rows.py %t/x.npy 210,72 66 206
// RUN: %{graph} counted --kernels 3 -- --arg x=%t/x.npy --arg y=random:210x136:1 --arg ends=%t/ends.npy --arg result0=zeros:4x72x136 --rtol 1e-3 --atol 1e-3 | FileCheck %s
// RUN: %{graph} given --kernels 1 -- --arg x=%t/x.npy --arg y=random:210x136:1 --arg begin=%t/begin.npy --arg end=%t/end.npy --arg result0=zeros:4x72x136 --rtol 1e-3 --atol 1e-3 | FileCheck %s
// The same groups, whose rows choose matrices: a tile may have rows of the next group, and some have none.
// RUN: %{graph} ascending --kernels 7 -- --arg x=random:210x72 --arg w=random:5x72x136:1 --arg ends=%t/ends.npy --arg result0=zeros:210x136 --rtol 1e-2 --atol 1e-3 | FileCheck %s
// The program of a tile without rows multiplies nothing.
// RUN: carousel-opt %s --carousel-graph-to-block --mlir-print-local-scope | FileCheck %s --check-prefix=LOOP
// LOOP: %[[EXISTS:.+]] = arith.cmpi slt, %{{.+}}, %c210{{.*}} : index
// LOOP: %[[DEPTH:.+]] = arith.select %[[EXISTS]], %c72{{.*}}, %c0{{.*}} : index
// LOOP: scf.for %{{.+}} = %{{.+}} to %[[DEPTH]] step
// CHECK: block phase: right
// CHECK: sm_90a: right

#m = affine_map<(m, e) -> (m)>
#e = affine_map<(m, e) -> (e)>
#number = affine_map<(g, m, a) -> (m)>
#rows = affine_map<(g, m, a) -> (m, a)>
#all = affine_map<(g, m, a) -> (g, m, a)>
#x = affine_map<(g, a, b, m) -> (g, m, a)>
#y = affine_map<(g, a, b, m) -> (m, b)>
#z = affine_map<(g, a, b, m) -> (g, a, b)>
#bound = affine_map<(g, m, a) -> (g)>

func.func @counted(%x: tensor<210x72xbf16> {carousel.argument = #carousel.argument<"x", in>}, %y: tensor<210x136xbf16> {carousel.argument = #carousel.argument<"y", in>}, %ends: tensor<4xi32> {carousel.argument = #carousel.argument<"ends", in>}) -> tensor<4x72x136xf32> {
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %en = tensor.empty() : tensor<210xi32>
  %fn = linalg.fill ins(%none : i32) outs(%en : tensor<210xi32>) -> tensor<210xi32>
  %number = linalg.generic {indexing_maps = [#e, #m], iterator_types = ["parallel", "reduction"]} ins(%ends : tensor<4xi32>) outs(%fn : tensor<210xi32>) {
  ^bb0(%end: i32, %o: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi sle, %end, %1 : i32
    %3 = arith.extui %2 : i1 to i32
    %4 = arith.addi %o, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<210xi32>
  %ex = tensor.empty() : tensor<4x210x72xbf16>
  %own = linalg.generic {indexing_maps = [#number, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%number, %x : tensor<210xi32>, tensor<210x72xbf16>) outs(%ex : tensor<4x210x72xbf16>) {
  ^bb0(%n: i32, %a: bf16, %o: bf16):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %n, %1 : i32
    %3 = arith.select %2, %a, %zero16 : bf16
    linalg.yield %3 : bf16
  } -> tensor<4x210x72xbf16>
  %ez = tensor.empty() : tensor<4x72x136xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<4x72x136xf32>) -> tensor<4x72x136xf32>
  %z = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %y : tensor<4x210x72xbf16>, tensor<210x136xbf16>) outs(%fz : tensor<4x72x136xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x72x136xf32>
  return %z : tensor<4x72x136xf32>
}

func.func @given(%x: tensor<210x72xbf16> {carousel.argument = #carousel.argument<"x", in>}, %begin: tensor<4xi32> {carousel.argument = #carousel.argument<"begin", in>}, %end: tensor<4xi32> {carousel.argument = #carousel.argument<"end", in>}, %y: tensor<210x136xbf16> {carousel.argument = #carousel.argument<"y", in>}) -> tensor<4x72x136xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %ex = tensor.empty() : tensor<4x210x72xbf16>
  %own = linalg.generic {indexing_maps = [#rows, #bound, #bound, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %begin, %end : tensor<210x72xbf16>, tensor<4xi32>, tensor<4xi32>) outs(%ex : tensor<4x210x72xbf16>) {
  ^bb0(%a: bf16, %f: i32, %l: i32, %o: bf16):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %f : i32 to index
    %2 = arith.index_cast %l : i32 to index
    %3 = arith.cmpi sge, %0, %1 : index
    %4 = arith.cmpi slt, %0, %2 : index
    %5 = arith.andi %3, %4 : i1
    %6 = arith.select %5, %a, %zero16 : bf16
    linalg.yield %6 : bf16
  } -> tensor<4x210x72xbf16>
  %ez = tensor.empty() : tensor<4x72x136xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<4x72x136xf32>) -> tensor<4x72x136xf32>
  %z = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %y : tensor<4x210x72xbf16>, tensor<210x136xbf16>) outs(%fz : tensor<4x72x136xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x72x136xf32>
  return %z : tensor<4x72x136xf32>
}

func.func @ascending(%x: tensor<210x72xbf16> {carousel.argument = #carousel.argument<"x", in>}, %ends: tensor<4xi32> {carousel.argument = #carousel.argument<"ends", in>}, %w: tensor<5x72x136xbf16> {carousel.argument = #carousel.argument<"w", in>}) -> tensor<210x136xbf16> {
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %en = tensor.empty() : tensor<210xi32>
  %fn = linalg.fill ins(%none : i32) outs(%en : tensor<210xi32>) -> tensor<210xi32>
  %count = linalg.generic {indexing_maps = [affine_map<(m, e) -> (e)>, affine_map<(m, e) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%ends : tensor<4xi32>) outs(%fn : tensor<210xi32>) {
  ^bb0(%end: i32, %o: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi sle, %end, %1 : i32
    %3 = arith.extui %2 : i1 to i32
    %4 = arith.addi %o, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<210xi32>
  %e = tensor.empty() : tensor<210x72x136xbf16>
  %own = linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m)>, affine_map<(m, k, n) -> (m, k, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%count : tensor<210xi32>) outs(%e : tensor<210x72x136xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %3 = tensor.extract %w[%0, %1, %2] : tensor<5x72x136xbf16>
    linalg.yield %3 : bf16
  } -> tensor<210x72x136xbf16>
  %ep = tensor.empty() : tensor<210x136xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<210x136xf32>) -> tensor<210x136xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %own : tensor<210x72xbf16>, tensor<210x72x136xbf16>) outs(%fp : tensor<210x136xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<210x136xf32>
  %er = tensor.empty() : tensor<210x136xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<210x136xf32>) outs(%er : tensor<210x136xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<210x136xbf16>
  return %r : tensor<210x136xbf16>
}
