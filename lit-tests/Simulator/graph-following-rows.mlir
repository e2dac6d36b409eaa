// Products of rows that follow each other, behind a first one that an argument has: of i8, which hasn't the number of rows, and
// behind all rows. There, a graph multiplies zeros, also by what isn't finite.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --as-written --kernels 1 --function
// DEFINE: %{write} = %python %source_root/lit-tests/Tools/carousel-run/Inputs/npy.py write
// DEFINE: %{x} = --arg x=random:210x72 --arg mat=%t/mat.npy --arg result0=zeros:8x64x136 --rtol 1e-2 --atol 1e-3
// RUN: mkdir -p %t
// RUN: %{write} %t/mat.npy '<i4' 8 0 1 2 3 4 4 2 2
// RUN: %{write} %t/bytes.npy '|i1' 8 0 3 100 127 7 7 77 1
// RUN: %{write} %t/first.npy '<i4' 8 0 3 300 146 7 7 210 180
// RUN: %python %S/Inputs/write_rows.py %t/w.npy 5,72,136 144 216
// RUN: %{graph} bytes -- %{x} --arg w=random:5x72x136:1 --arg first=%t/bytes.npy | FileCheck %s
// RUN: %{graph} guarded -- %{x} --arg w=%t/w.npy --arg first=%t/first.npy | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#tile = affine_map<(t, m, k) -> (t)>
#rows = affine_map<(t, m, k) -> (t, m, k)>
#x = affine_map<(t, m, n, k) -> (t, m, k)>
#w = affine_map<(t, m, n, k) -> (t, k, n)>
#y = affine_map<(t, m, n, k) -> (t, m, n)>

func.func @bytes(%x: tensor<210x72xbf16> {carousel.argument = #carousel.argument<"x", in>}, %first: tensor<8xi8> {carousel.argument = #carousel.argument<"first", in>}, %mat: tensor<8xi32> {carousel.argument = #carousel.argument<"mat", in>}, %w: tensor<5x72x136xbf16> {carousel.argument = #carousel.argument<"w", in>}) -> tensor<8x64x136xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64x72xbf16>
  %own = linalg.generic {indexing_maps = [#tile, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%first : tensor<8xi8>) outs(%e : tensor<8x64x72xbf16>) {
  ^bb0(%a: i8, %o: bf16):
    %0 = arith.index_cast %a : i8 to index
    %r = linalg.index 1 : index
    %1 = linalg.index 2 : index
    %2 = arith.addi %0, %r : index
    %v = tensor.extract %x[%2, %1] : tensor<210x72xbf16>
    linalg.yield %v : bf16
  } -> tensor<8x64x72xbf16>
  %ew = tensor.empty() : tensor<8x72x136xbf16>
  %ow = linalg.generic {indexing_maps = [#tile, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%mat : tensor<8xi32>) outs(%ew : tensor<8x72x136xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %k = linalg.index 1 : index
    %1 = linalg.index 2 : index
    %v = tensor.extract %w[%0, %k, %1] : tensor<5x72x136xbf16>
    linalg.yield %v : bf16
  } -> tensor<8x72x136xbf16>
  %ep = tensor.empty() : tensor<8x64x136xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x64x136xf32>) -> tensor<8x64x136xf32>
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %ow : tensor<8x64x72xbf16>, tensor<8x72x136xbf16>) outs(%fp : tensor<8x64x136xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8x64x136xf32>
  return %p : tensor<8x64x136xf32>
}

func.func @guarded(%x: tensor<210x72xbf16> {carousel.argument = #carousel.argument<"x", in>}, %first: tensor<8xi32> {carousel.argument = #carousel.argument<"first", in>}, %mat: tensor<8xi32> {carousel.argument = #carousel.argument<"mat", in>}, %w: tensor<5x72x136xbf16> {carousel.argument = #carousel.argument<"w", in>}) -> tensor<8x64x136xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %rows = arith.constant 210 : index
  %e = tensor.empty() : tensor<8x64x72xbf16>
  %own = linalg.generic {indexing_maps = [#tile, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%first : tensor<8xi32>) outs(%e : tensor<8x64x72xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %r = linalg.index 1 : index
    %1 = linalg.index 2 : index
    %2 = arith.addi %0, %r : index
    %in = arith.cmpi ult, %2, %rows : index
    %v = scf.if %in -> bf16 {
      %3 = tensor.extract %x[%2, %1] : tensor<210x72xbf16>
      scf.yield %3 : bf16
    } else { scf.yield %zero16 : bf16 }
    linalg.yield %v : bf16
  } -> tensor<8x64x72xbf16>
  %ew = tensor.empty() : tensor<8x72x136xbf16>
  %ow = linalg.generic {indexing_maps = [#tile, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%mat : tensor<8xi32>) outs(%ew : tensor<8x72x136xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %k = linalg.index 1 : index
    %1 = linalg.index 2 : index
    %v = tensor.extract %w[%0, %k, %1] : tensor<5x72x136xbf16>
    linalg.yield %v : bf16
  } -> tensor<8x72x136xbf16>
  %ep = tensor.empty() : tensor<8x64x136xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x64x136xf32>) -> tensor<8x64x136xf32>
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %ow : tensor<8x64x72xbf16>, tensor<8x72x136xbf16>) outs(%fp : tensor<8x64x136xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8x64x136xf32>
  return %p : tensor<8x64x136xf32>
}
