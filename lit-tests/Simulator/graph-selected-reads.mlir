// What an arith.select discards may be outside of its tensor. No launch refuses that, and no kernel
// reads it. Extents are known or not, smaller and larger than vectors.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --function %{function} --kernels 1 --
// REDEFINE: %{function} = known
// RUN: %{graph} --arg a=random:8 --arg b=random:56:1 --arg result0=zeros:64 | FileCheck %s
// REDEFINE: %{function} = unknown
// RUN: %{graph} --arg a=random:8 --arg b=random:56:1 --arg result0=zeros:64 --again --arg a=random:300 --arg b=random:5:1 --arg result0=zeros:305 --again --arg a=random:0 --arg b=random:4100:1 --arg result0=zeros:4100 | FileCheck %s
// REDEFINE: %{function} = rows
// RUN: %{graph} --arg a=random:5x33 --arg x=random:9x64:1 --arg k=7 --arg result0=zeros:9x64 --again --arg a=random:20x64 --arg x=random:9x64:1 --arg k=0 --arg result0=zeros:9x64 | FileCheck %s
// REDEFINE: %{function} = table
// RUN: %{graph} --arg t=random:5 --arg i=iota:37 --arg result0=zeros:37 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#v = affine_map<(d0) -> (d0)>
#e = affine_map<(d0, d1) -> (d0, d1)>

func.func @known(%a: tensor<8xf32> {carousel.argument = #carousel.argument<"a", in>}, %b: tensor<56xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<64xf32> {
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<64xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 0 : index
    %first = arith.cmpi ult, %j, %c8 : index
    %p = tensor.extract %a[%j] : tensor<8xf32>
    %k = arith.subi %j, %c8 : index
    %q = tensor.extract %b[%k] : tensor<56xf32>
    %v = arith.select %first, %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

func.func @unknown(%a: tensor<?xf32> {carousel.argument = #carousel.argument<"a", in>}, %b: tensor<?xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %t = arith.addi %n, %m : index
  %e = tensor.empty(%t) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 0 : index
    %first = arith.cmpi ult, %j, %n : index
    %p = tensor.extract %a[%j] : tensor<?xf32>
    %k = arith.subi %j, %n : index
    %q = tensor.extract %b[%k] : tensor<?xf32>
    %v = arith.select %first, %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Two conditions, of the row and of the column, and one more that the host knows.
func.func @rows(%a: tensor<?x?xf32> {carousel.argument = #carousel.argument<"a", in>}, %x: tensor<?x64xf32> {carousel.argument = #carousel.argument<"x", in>}, %k: index {carousel.argument = #carousel.argument<"k", in>}) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %w = tensor.dim %a, %c1 : tensor<?x?xf32>
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%b: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %isRow = arith.cmpi ult, %i, %n : index
    %isColumn = arith.cmpi ult, %j, %w : index
    %isAny = arith.cmpi ne, %k, %c0 : index
    %p = tensor.extract %a[%i, %j] : tensor<?x?xf32>
    %more = arith.addf %p, %b : f32
    %u = arith.select %isRow, %more, %zero : f32
    %v = arith.select %isColumn, %u, %b : f32
    %r = arith.select %isAny, %v, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Indices of a tensor that the selection limits.
func.func @table(%t: tensor<?xf32> {carousel.argument = #carousel.argument<"t", in>}, %i: tensor<?xi32> {carousel.argument = #carousel.argument<"i", in>}) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %m = tensor.dim %i, %c0 : tensor<?xi32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%i : tensor<?xi32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: i32, %o: f32):
    %at = arith.index_cast %a : i32 to index
    %isThere = arith.cmpi ult, %at, %n : index
    %p = tensor.extract %t[%at] : tensor<?xf32>
    %v = arith.select %isThere, %p, %zero : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
