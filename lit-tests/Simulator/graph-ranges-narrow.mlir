// Rows are numbered in i8, which has no numbers for the last ones: from row 128 on, they are negative. Rows of a group are in
// several places, and no product goes along a range.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --as-written --function
// DEFINE: %{write} = %python %source_root/lit-tests/Tools/carousel-run/Inputs/npy.py write
// DEFINE: %{x} = --arg x=random:210x72 --arg y=random:210x136:1 --arg result0=zeros:4x72x136 --rtol 1e-3 --atol 1e-3
// RUN: mkdir -p %t
// RUN: %{write} %t/ends.npy '|i1' 4 0 1 90 120
// RUN: %{write} %t/begin.npy '|i1' 4 -100 0 10 100
// RUN: %{write} %t/end.npy '|i1' 4 -20 60 20 127
// RUN: %{graph} counted -- %{x} --arg ends=%t/ends.npy | FileCheck %s
// RUN: %{graph} given -- %{x} --arg begin=%t/begin.npy --arg end=%t/end.npy | FileCheck %s
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

func.func @counted(%x: tensor<210x72xbf16> {carousel.argument = #carousel.argument<"x", in>}, %y: tensor<210x136xbf16> {carousel.argument = #carousel.argument<"y", in>}, %ends: tensor<4xi8> {carousel.argument = #carousel.argument<"ends", in>}) -> tensor<4x72x136xf32> {
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %en = tensor.empty() : tensor<210xi32>
  %fn = linalg.fill ins(%none : i32) outs(%en : tensor<210xi32>) -> tensor<210xi32>
  %number = linalg.generic {indexing_maps = [#e, #m], iterator_types = ["parallel", "reduction"]} ins(%ends : tensor<4xi8>) outs(%fn : tensor<210xi32>) {
  ^bb0(%end: i8, %o: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i8
    %2 = arith.cmpi sle, %end, %1 : i8
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

func.func @given(%x: tensor<210x72xbf16> {carousel.argument = #carousel.argument<"x", in>}, %begin: tensor<4xi8> {carousel.argument = #carousel.argument<"begin", in>}, %end: tensor<4xi8> {carousel.argument = #carousel.argument<"end", in>}, %y: tensor<210x136xbf16> {carousel.argument = #carousel.argument<"y", in>}) -> tensor<4x72x136xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : bf16
  %ex = tensor.empty() : tensor<4x210x72xbf16>
  %own = linalg.generic {indexing_maps = [#rows, #bound, #bound, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %begin, %end : tensor<210x72xbf16>, tensor<4xi8>, tensor<4xi8>) outs(%ex : tensor<4x210x72xbf16>) {
  ^bb0(%a: bf16, %f: i8, %l: i8, %o: bf16):
    %row = linalg.index 1 : index
    %0 = arith.index_cast %row : index to i8
    %3 = arith.cmpi sge, %0, %f : i8
    %4 = arith.cmpi slt, %0, %l : i8
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
