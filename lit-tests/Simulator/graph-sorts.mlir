// Sorts of graphs give what counts of the elements before each one give: rows and columns, in both orders, of floats with NaN
// and zeros of both signs, and fused with producers and consumers; the first elements alone, of short rows and of parts of long
// ones. Rows of which extents aren't known are counted.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_80,sm_90a --code llvm,nvrtc
// DEFINE: %{alone} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a
// RUN: %{graph} --function rows --kernels 1 -- --arg arg0=random:5x67 --arg arg1=random:5x67:1 --arg result0=empty:5x67 --arg result1=empty:5x67 --again --arg arg0=zeros:1x67 --arg arg1=iota:1x67 --arg result0=empty:1x67 --arg result1=empty:1x67 --again --arg arg0=empty:0x67 --arg arg1=empty:0x67 --arg result0=empty:0x67 --arg result1=empty:0x67 | FileCheck %s
// RUN: %{graph} --function short --kernels 1 -- --arg arg0=random:2051x7 --arg result0=empty:2051x7 | FileCheck %s
// RUN: %{graph} --function columns --kernels 1 -- --arg arg0=random:2x130x17 --arg result0=empty:2x130x17 | FileCheck %s
// RUN: %{graph} --function long --kernels 1 -- --arg arg0=random:2x200 --arg result0=empty:2x200 | FileCheck %s
// RUN: %{graph} --function rows_of_one --kernels 1 -- --arg arg0=random:67 --arg result0=empty:5x67 | FileCheck %s
// CHECK: 1 kernels
// CHECK: block phase: right
// CHECK: sm_80: right
// CHECK: sm_80 as PTX by nvrtc: right
// CHECK: sm_90a: right
// CHECK: sm_90a as PTX by nvrtc: right
// RUN: %{graph} --function top --kernels 1 -- --arg arg0=random:5x300 --arg result0=empty:5x5 --arg result1=empty:5x3 | FileCheck %s
// RUN: %{alone} --function parts -- --arg arg0=random:2x8209 --arg result0=empty:2x9 --arg result1=empty:2x9 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %{alone} --function unknown -- --arg arg0=random:3x33 --arg result0=empty:3x33 --again --arg arg0=random:3x1 --arg result0=empty:3x1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: block phase: right
// UNKNOWN: sm_90a: right

#rows = affine_map<(i, j) -> (i, j)>
#read = affine_map<(i, p, j) -> (i, j)>
#sorted = affine_map<(i, p, j) -> (i, p)>

// Numbers of f32 as integers in their order; the places and what is there, doubled.
func.func @rows(%x: tensor<?x67xf32>, %y: tensor<?x67xf32>) -> (tensor<?x67xi32>, tensor<?x67xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %most = arith.constant 0x7FFFFFFF : i32
  %none = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x67xf32>
  %e = tensor.empty(%n) : tensor<?x67xi32>
  %f = tensor.empty(%n) : tensor<?x67xf32>
  %key = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x67xf32>) outs(%e : tensor<?x67xi32>) {
  ^bb0(%own: f32, %o: i32):
    %bits = arith.bitcast %own : f32 to i32
    %shift = arith.constant 31 : i32
    %sign = arith.shrsi %bits, %shift : i32
    %mask = arith.andi %sign, %most : i32
    %number = arith.xori %bits, %mask : i32
    %isZero = arith.cmpf oeq, %own, %none : f32
    %isNone = arith.cmpf uno, %own, %own : f32
    %a = arith.select %isZero, %zero, %number : i32
    %b = arith.select %isNone, %most, %a : i32
    linalg.yield %b : i32
  } -> tensor<?x67xi32>
  %r:2 = linalg.generic {indexing_maps = [#read, #read, #sorted, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%key, %y : tensor<?x67xi32>, tensor<?x67xf32>) outs(%e, %f : tensor<?x67xi32>, tensor<?x67xf32>) {
  ^bb0(%k: i32, %own: f32, %o: i32, %p: f32):
    %place, %sorted = carousel.sorted %k, %own : i32, f32
    linalg.yield %place, %sorted : i32, f32
  } -> (tensor<?x67xi32>, tensor<?x67xf32>)
  %twice = arith.addf %r#1, %r#1 : tensor<?x67xf32>
  return %r#0, %twice : tensor<?x67xi32>, tensor<?x67xf32>
}

// Equal keys keep their order, from the largest one on.
func.func @short(%x: tensor<?x7xi16>) -> tensor<?x7xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xi16>
  %e = tensor.empty(%n) : tensor<?x7xi32>
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x7xi16>) outs(%e : tensor<?x7xi32>) {
  ^bb0(%k: i16, %o: i32):
    %three = arith.constant 3 : i16
    %few = arith.andi %k, %three : i16
    %all = arith.constant -1 : i16
    %falls = arith.xori %few, %all : i16
    %place = carousel.sorted %falls : i16
    linalg.yield %place : i32
  } -> tensor<?x7xi32>
  return %r : tensor<?x7xi32>
}

func.func @columns(%x: tensor<?x130x17xi32>) -> tensor<?x130x17xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x130x17xi32>
  %e = tensor.empty(%n) : tensor<?x130x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, p, k, j) -> (i, j, k)>, affine_map<(i, p, k, j) -> (i, p, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x : tensor<?x130x17xi32>) outs(%e : tensor<?x130x17xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place, %sorted = carousel.sorted %k, %k : i32, i32
    linalg.yield %sorted : i32
  } -> tensor<?x130x17xi32>
  return %r : tensor<?x130x17xi32>
}

func.func @long(%x: tensor<?x200xi64>) -> tensor<?x200xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x200xi64>
  %e = tensor.empty(%n) : tensor<?x200xi64>
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x200xi64>) outs(%e : tensor<?x200xi64>) {
  ^bb0(%k: i64, %o: i64):
    %place, %sorted = carousel.sorted %k, %k : i64, i64
    linalg.yield %sorted : i64
  } -> tensor<?x200xi64>
  return %r : tensor<?x200xi64>
}

// The first five in order, and the places of the first three.
func.func @top(%x: tensor<?x300xi32>) -> (tensor<?x5xi32>, tensor<?x3xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x300xi32>
  %e = tensor.empty(%n) : tensor<?x300xi32>
  %r:2 = linalg.generic {indexing_maps = [#read, #sorted, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x300xi32>) outs(%e, %e : tensor<?x300xi32>, tensor<?x300xi32>) {
  ^bb0(%k: i32, %o: i32, %p: i32):
    %place, %sorted = carousel.sorted %k, %k : i32, i32
    linalg.yield %sorted, %place : i32, i32
  } -> (tensor<?x300xi32>, tensor<?x300xi32>)
  %a = tensor.extract_slice %r#0[0, 0] [%n, 5] [1, 1] : tensor<?x300xi32> to tensor<?x5xi32>
  %b = tensor.extract_slice %r#1[0, 0] [%n, 3] [1, 1] : tensor<?x300xi32> to tensor<?x3xi32>
  return %a, %b : tensor<?x5xi32>, tensor<?x3xi32>
}

// Many keys are equal.
func.func @parts(%x: tensor<2x8209xi32>) -> (tensor<2x9xi32>, tensor<2x9xi32>) {
  %e = tensor.empty() : tensor<2x8209xi32>
  %r:2 = linalg.generic {indexing_maps = [#read, #sorted, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x8209xi32>) outs(%e, %e : tensor<2x8209xi32>, tensor<2x8209xi32>) {
  ^bb0(%k: i32, %o: i32, %p: i32):
    %mask = arith.constant 4095 : i32
    %few = arith.andi %k, %mask : i32
    %place, %sorted = carousel.sorted %few, %k : i32, i32
    linalg.yield %sorted, %place : i32, i32
  } -> (tensor<2x8209xi32>, tensor<2x8209xi32>)
  %a = tensor.extract_slice %r#0[0, 0] [2, 9] [1, 1] : tensor<2x8209xi32> to tensor<2x9xi32>
  %b = tensor.extract_slice %r#1[0, 0] [2, 9] [1, 1] : tensor<2x8209xi32> to tensor<2x9xi32>
  return %a, %b : tensor<2x9xi32>, tensor<2x9xi32>
}

// All rows are the same, but for a mask.
func.func @rows_of_one(%x: tensor<67xi32>) -> tensor<5x67xi32> {
  %e = tensor.empty() : tensor<5x67xi32>
  %key = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<67xi32>) outs(%e : tensor<5x67xi32>) {
  ^bb0(%own: i32, %o: i32):
    linalg.yield %own : i32
  } -> tensor<5x67xi32>
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%key : tensor<5x67xi32>) outs(%e : tensor<5x67xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place, %sorted = carousel.sorted %k, %k : i32, i32
    linalg.yield %sorted : i32
  } -> tensor<5x67xi32>
  return %r : tensor<5x67xi32>
}

func.func @unknown(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %m = tensor.dim %x, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%n, %m) : tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?xi32>) outs(%e : tensor<?x?xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place, %sorted = carousel.sorted %k, %k : i32, i32
    linalg.yield %sorted : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
