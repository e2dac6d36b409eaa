// Programs of products compute what their ops do: factors that threads compute and multiply themselves, in shorter
// vectors where a thread lacks registers, and a table's rows beside sums, in larger blocks; what bodies make of factors; a
// product that is written in the order of the one that reads it.
// DEFINE: %{function} =
// DEFINE: %{count} = 1
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --kernels %{count} --function %{function}
// REDEFINE: %{function} = relu
// RUN: %{graph} -- --arg x=random:128x17 --arg w=random:17x64 --arg result0=zeros:128x64 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = weights
// RUN: %{graph} -- --arg x=random:33x40 --arg w=random:40x67 --arg result0=zeros:33x67 --rtol 1e-4 --atol 1e-3 | FileCheck %s
// REDEFINE: %{function} = rows
// RUN: %{graph} -- --arg x=random:128x16 --arg w=random:16x128 --arg t=random:3x128 --arg i=iota:128:3 --arg result0=zeros:128x128 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{function} = exponents
// RUN: %{graph} -- --arg x=random:33x17 --arg w=random:17x67 --arg result0=zeros:33x67 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{count} = 2
// REDEFINE: %{function} = projected
// RUN: %{graph} -- --arg v=random:2x8x3x16 --arg p=random:2x3x8x8 --arg w=random:3x16x24 --arg result0=zeros:2x8x24 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>

func.func @relu(%x: tensor<128x17xf32> {carousel.argument = #x}, %w: tensor<17x64xf32> {carousel.argument = #w}) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x17xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x17xf32>) outs(%e : tensor<128x17xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.maximumf %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<128x17xf32>
  %f = tensor.empty() : tensor<128x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<128x64xf32>) -> tensor<128x64xf32>
  %y = linalg.matmul ins(%h, %w : tensor<128x17xf32>, tensor<17x64xf32>) outs(%z : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

func.func @weights(%x: tensor<?x?xf32> {carousel.argument = #x}, %w: tensor<?x?xi8> {carousel.argument = #w}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xi8>
  %f = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x?xf32>, tensor<?x?xi8>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: i8, %o: f32):
    %c = arith.sitofp %b : i8 to f32
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @rows(%x: tensor<128x16xbf16> {carousel.argument = #x}, %w: tensor<16x128xbf16> {carousel.argument = #w},
    %t: tensor<3x128xbf16> {carousel.argument = #carousel.argument<"t", in>},
    %i: tensor<128xi32> {carousel.argument = #carousel.argument<"i", in>}) -> tensor<128x128xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<128x128xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<128x128xbf16>) -> tensor<128x128xbf16>
  %p = linalg.matmul ins(%x, %w : tensor<128x16xbf16>, tensor<16x128xbf16>) outs(%z : tensor<128x128xbf16>) -> tensor<128x128xbf16>
  %y = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i, %p : tensor<128xi32>, tensor<128x128xbf16>) outs(%e : tensor<128x128xbf16>) {
  ^bb0(%at: i32, %v: bf16, %o: bf16):
    %column = linalg.index 1 : index
    %row = arith.index_cast %at : i32 to index
    %r = tensor.extract %t[%row, %column] : tensor<3x128xbf16>
    %s = arith.addf %v, %r : bf16
    linalg.yield %s : bf16
  } -> tensor<128x128xbf16>
  return %y : tensor<128x128xbf16>
}

// Of what is behind the matrices, exponents aren't zero.
func.func @exponents(%x: tensor<?x?xf32> {carousel.argument = #x}, %w: tensor<?x?xf32> {carousel.argument = #w}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %f = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = math.exp %a : f32
    %d = math.exp %b : f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

#v = affine_map<(b, h, d, s, t) -> (b, t, h, d)>
#p = affine_map<(b, h, d, s, t) -> (b, h, s, t)>
#o = affine_map<(b, h, d, s, t) -> (b, h, d, s)>
#of = affine_map<(b, s, n, h, d) -> (b, h, d, s)>
#wf = affine_map<(b, s, n, h, d) -> (h, d, n)>
#yf = affine_map<(b, s, n, h, d) -> (b, s, n)>
func.func @projected(%v: tensor<2x8x3x16xf32> {carousel.argument = #carousel.argument<"v", in>},
                     %p: tensor<2x3x8x8xf32> {carousel.argument = #carousel.argument<"p", in>},
                     %w: tensor<3x16x24xf32> {carousel.argument = #w}) -> tensor<2x8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x16x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x16x8xf32>) -> tensor<2x3x16x8xf32>
  %o = linalg.generic {indexing_maps = [#v, #p, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%v, %p : tensor<2x8x3x16xf32>, tensor<2x3x8x8xf32>) outs(%z : tensor<2x3x16x8xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3x16x8xf32>
  %ye = tensor.empty() : tensor<2x8x24xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x8x24xf32>) -> tensor<2x8x24xf32>
  %y = linalg.generic {indexing_maps = [#of, #wf, #yf], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%o, %w : tensor<2x3x16x8xf32>, tensor<3x16x24xf32>) outs(%yz : tensor<2x8x24xf32>) {
  ^bb0(%l: f32, %r: f32, %a: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x8x24xf32>
  return %y : tensor<2x8x24xf32>
}
