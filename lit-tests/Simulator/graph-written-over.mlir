// Results that others begin as: a value and what is inserted into it, and two that begin as one value. Each has its own
// memory, in any order of the results. A sum over indices has an extent that no operand has.
// DEFINE: %{words} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a %{words}
// REDEFINE: %{words} = --function before -- --arg x=random:5x6 --arg result0=zeros:5x6 --arg result1=zeros:5x6
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function after -- --arg x=random:33x7 --arg result0=zeros:33x7 --arg result1=zeros:33x7
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function twice -- --arg x=random:5x6 --arg result0=zeros:5x6 --arg result1=zeros:5x6
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function part -- --arg x=random:5x6 --arg result0=zeros:5x6 --arg result1=zeros:2x6
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function fill -- --arg x=random:5x6 --arg result0=zeros:5x6 --arg result1=zeros:5x6 --arg result2=zeros:5x6
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{words} = --function indices -- --arg x=random:131 --arg result0=zeros:1
// RUN: %{graph} | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

func.func @before(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = arith.divui %n, %c2 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %odd = tensor.extract_slice %x[0, 1] [%m, %h] [1, 2] : tensor<?x?xf32> to tensor<?x?xf32>
  %even = tensor.extract_slice %x[0, 0] [%m, %h] [1, 2] : tensor<?x?xf32> to tensor<?x?xf32>
  %half = tensor.insert_slice %odd into %f[0, 0] [%m, %h] [1, 2] : tensor<?x?xf32> into tensor<?x?xf32>
  %all = tensor.insert_slice %even into %half[0, 1] [%m, %h] [1, 2] : tensor<?x?xf32> into tensor<?x?xf32>
  return %all, %half : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @after(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = arith.divui %n, %c2 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %odd = tensor.extract_slice %x[0, 1] [%m, %h] [1, 2] : tensor<?x?xf32> to tensor<?x?xf32>
  %even = tensor.extract_slice %x[0, 0] [%m, %h] [1, 2] : tensor<?x?xf32> to tensor<?x?xf32>
  %half = tensor.insert_slice %odd into %f[0, 0] [%m, %h] [1, 2] : tensor<?x?xf32> into tensor<?x?xf32>
  %all = tensor.insert_slice %even into %half[0, 1] [%m, %h] [1, 2] : tensor<?x?xf32> into tensor<?x?xf32>
  return %half, %all : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @twice(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %row = tensor.extract_slice %x[0, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
  %first = tensor.insert_slice %row into %f[0, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
  %second = tensor.insert_slice %row into %first[1, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
  %third = tensor.insert_slice %row into %first[2, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
  return %second, %third : tensor<?x?xf32>, tensor<?x?xf32>
}

// A result that is a slice of what is written over.
func.func @part(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?x?xf32>, tensor<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %row = tensor.extract_slice %x[0, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
  %first = tensor.insert_slice %row into %f[0, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
  %second = tensor.insert_slice %row into %first[1, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
  %slice = tensor.extract_slice %first[0, 0] [2, %n] [1, 1] : tensor<?x?xf32> to tensor<2x?xf32>
  return %second, %slice : tensor<?x?xf32>, tensor<2x?xf32>
}

func.func @fill(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %row = tensor.extract_slice %x[0, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
  %first = tensor.insert_slice %row into %f[1, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
  return %first, %f, %f : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @indices(%x: tensor<?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %extents = tensor.empty(%n) : tensor<?xf32>
  %e = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(o, i) -> (i)>, affine_map<(o, i) -> (o)>], iterator_types = ["parallel", "reduction"]}
      ins(%extents : tensor<?xf32>) outs(%f : tensor<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %number = arith.sitofp %j : i32 to f32
    %next = arith.addf %number, %out : f32
    linalg.yield %next : f32
  } -> tensor<1xf32>
  return %sum : tensor<1xf32>
}
