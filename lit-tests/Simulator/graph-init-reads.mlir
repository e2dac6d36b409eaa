// Elementwise ops that read their inits, alone and fused into more loops. The results are those of the ops as written and of
// the normal form, whose ops mean the same; and an update is in place where its argument may be overwritten.
// DEFINE: %{words} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a %{words}
// REDEFINE: %{words} = --function rows --kernels 1 -- --arg x=random:3x5 --arg b=random:3 --arg result0=zeros:3x5
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function rows --kernels 1 --as-written -- --arg x=random:67x131 --arg b=random:67 --arg result0=zeros:67x131
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function rows --kernels 1 --as-written -- --arg x=random:0x5 --arg b=random:0 --arg result0=zeros:0x5
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function kept --as-written -- --arg x=random:7x5 --arg c=random:7 --arg b=random:7:1 --arg result0=zeros:7x5 --arg result1=zeros:7
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function kept -- --arg x=random:7x5 --arg c=random:7 --arg b=random:7:1 --arg result0=zeros:7x5 --arg result1=zeros:7
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function update --kernels 1 -- --arg p=random:67x131 --arg g=random:67x131:1 --arg new_p=same:p
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function update --kernels 1 --as-written -- --arg p=random:67x131 --arg g=random:67x131:1 --arg new_p=zeros:67x131
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function first --as-written -- --arg x=random:4x32 --arg result0=zeros:4x16
// RUN: %{graph} | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#v = affine_map<(i) -> (i)>
#pairs = affine_map<(b, j, i) -> (b, j * 2 + i)>
#window = affine_map<(b, j, i) -> (i)>
#result = affine_map<(b, j, i) -> (b, j)>

// The init is a fill, which is fused as well.
func.func @rows(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}, %b: tensor<?xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%b : tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %r = arith.mulf %a, %in : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @update(%p: tensor<?x?xf32> {carousel.argument = #carousel.argument<"p", in>}, %g: tensor<?x?xf32> {carousel.argument = #carousel.argument<"g", in>})
    -> (tensor<?x?xf32> {carousel.argument = #carousel.argument<"new_p", out, may_alias = 0>}) {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<?x?xf32>) outs(%p : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.subf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// Two ops use the value, so that it is a result of its own; the init is an argument that isn't written.
func.func @kept(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}, %c: tensor<?xf32> {carousel.argument = #carousel.argument<"c", in>}, %b: tensor<?xf32> {carousel.argument = #carousel.argument<"b", in>})
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%b : tensor<?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %r = arith.mulf %a, %in : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y, %s : tensor<?x?xf32>, tensor<?xf32>
}

// The best element of each pair begins as an empty one: which it is doesn't matter.
func.func @first(%x: tensor<4x32xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<4x16xi32> {
  %none = arith.constant -1 : i32
  %window = tensor.empty() : tensor<2xf32>
  %best = tensor.empty() : tensor<4x16xf32>
  %e = tensor.empty() : tensor<4x16xi32>
  %start = linalg.fill ins(%none : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r:2 = linalg.generic {indexing_maps = [#pairs, #window, #result, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %window : tensor<4x32xf32>, tensor<2xf32>) outs(%best, %start : tensor<4x16xf32>, tensor<4x16xi32>) {
  ^bb0(%in: f32, %size: f32, %out: f32, %index: i32):
    %larger = arith.cmpf oge, %in, %out : f32
    %is_first = arith.cmpi eq, %index, %none : i32
    %takes = arith.ori %larger, %is_first : i1
    %i = linalg.index 2 : index
    %number = arith.index_cast %i : index to i32
    %new = arith.select %takes, %number, %index : i32
    %value = arith.select %takes, %in, %out : f32
    linalg.yield %value, %new : f32, i32
  } -> (tensor<4x16xf32>, tensor<4x16xi32>)
  return %r#1 : tensor<4x16xi32>
}
