// Sums with a one-hot factor, compared with the graph as it is written. Some numbers are those of no row. A product of such rows reads
// them by their numbers, as tiles.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --chip sm_80,sm_90a --function %{function} --kernels
// REDEFINE: %{function} = rows
// RUN: %{graph} 1 -- --arg arg0=random:30x128 --arg arg1=iota:70 --arg arg2=random:128x72:1 --arg result0=zeros:70x72 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = combine
// RUN: %{graph} 1 -- --arg arg0=random:4x12x32 --arg arg1=iota:16 --arg arg2=iota:16 --arg arg3=random:16:1 --arg result0=zeros:16x32 | FileCheck %s
// REDEFINE: %{function} = labels
// RUN: %{graph} 1 -- --arg arg0=random:16x100 --arg arg1=iota:16 --arg result0=zeros:16 | FileCheck %s
// REDEFINE: %{function} = dispatch
// RUN: %{graph} 2 -- --arg arg0=random:16x32 --arg arg1=iota:16 --arg result0=zeros:4x32 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// Numbers of more than 32 bits: all but the first are those of no row.
// REDEFINE: %{function} = long
// RUN: %{graph} 2 -- --arg arg0=random:30x128 --arg arg1=iota:70 --arg arg2=random:128x72:1 --arg result0=zeros:70x72 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_80: right
// CHECK: sm_90a: right
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s --check-prefix=ROWS
// ROWS: carousel.rows %{{.*}}[%{{.*}}] : memref<30x128xbf16
// ROWS: vector.contract

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (i)>

func.func @rows(%x: tensor<30x128xbf16> , %i: tensor<70xi32> , %w: tensor<128x72xbf16> ) -> tensor<70x72xf32> {
  %none = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x30xbf16>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<70xi32>) outs(%e : tensor<70x30xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %a, %1 : i32
    %3 = arith.uitofp %2 : i1 to bf16
    linalg.yield %3 : bf16
  } -> tensor<70x30xbf16>
  %r = tensor.empty() : tensor<70x128xbf16>
  %f = linalg.fill ins(%none : bf16) outs(%r : tensor<70x128xbf16>) -> tensor<70x128xbf16>
  %g = linalg.matmul ins(%hot, %x : tensor<70x30xbf16>, tensor<30x128xbf16>) outs(%f : tensor<70x128xbf16>) -> tensor<70x128xbf16>
  %s = tensor.empty() : tensor<70x72xf32>
  %t = linalg.fill ins(%zero : f32) outs(%s : tensor<70x72xf32>) -> tensor<70x72xf32>
  %y = linalg.matmul ins(%g, %w : tensor<70x128xbf16>, tensor<128x72xbf16>) outs(%t : tensor<70x72xf32>) -> tensor<70x72xf32>
  return %y : tensor<70x72xf32>
}

func.func @combine(%y: tensor<4x12x32xf32>, %e: tensor<16xi32>, %p: tensor<16xi32>, %g: tensor<16xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<16x4x12xf32>
  %hot = linalg.generic {indexing_maps = [#first, #first, #first, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %p, %g : tensor<16xi32>, tensor<16xi32>, tensor<16xf32>) outs(%m : tensor<16x4x12xf32>) {
  ^bb0(%a: i32, %b: i32, %c: f32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = linalg.index 2 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.cmpi eq, %1, %a : i32
    %5 = arith.cmpi eq, %b, %3 : i32
    %6 = arith.uitofp %4 : i1 to f32
    %7 = arith.select %5, %c, %zero : f32
    %8 = arith.mulf %6, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<16x4x12xf32>
  %r = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16x32xf32>) -> tensor<16x32xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(t, d, e, p) -> (t, e, p)>, affine_map<(t, d, e, p) -> (e, p, d)>,
      affine_map<(t, d, e, p) -> (t, d)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%hot, %y : tensor<16x4x12xf32>, tensor<4x12x32xf32>) outs(%f : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x32xf32>
  return %z : tensor<16x32xf32>
}

func.func @labels(%x: tensor<16x100xf32>, %i: tensor<16xi64>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %i : tensor<16x100xf32>, tensor<16xi64>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %b: i64, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpi eq, %1, %b : i64
    %3 = arith.select %2, %a, %zero : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

func.func @dispatch(%x: tensor<16x32xf32>, %i: tensor<16xi32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4xf32>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<16xi32>) outs(%e : tensor<16x4xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi eq, %a, %1 : i32
    %3 = arith.uitofp %2 : i1 to f32
    linalg.yield %3 : f32
  } -> tensor<16x4xf32>
  %r = tensor.empty() : tensor<4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<4x32xf32>) -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(e, d, t) -> (t, e)>, affine_map<(e, d, t) -> (t, d)>, affine_map<(e, d, t) -> (e, d)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%hot, %x : tensor<16x4xf32>, tensor<16x32xf32>) outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

func.func @long(%x: tensor<30x128xbf16>, %i: tensor<70xi64>, %w: tensor<128x72xbf16>) -> tensor<70x72xf32> {
  %none = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %many = arith.constant 4294967297 : i64
  %e = tensor.empty() : tensor<70x30xbf16>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<70xi64>) outs(%e : tensor<70x30xbf16>) {
  ^bb0(%a: i64, %o: bf16):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %m = arith.muli %a, %many : i64
    %2 = arith.cmpi eq, %m, %1 : i64
    %3 = arith.uitofp %2 : i1 to bf16
    linalg.yield %3 : bf16
  } -> tensor<70x30xbf16>
  %r = tensor.empty() : tensor<70x128xbf16>
  %f = linalg.fill ins(%none : bf16) outs(%r : tensor<70x128xbf16>) -> tensor<70x128xbf16>
  %g = linalg.matmul ins(%hot, %x : tensor<70x30xbf16>, tensor<30x128xbf16>) outs(%f : tensor<70x128xbf16>) -> tensor<70x128xbf16>
  %s = tensor.empty() : tensor<70x72xf32>
  %t = linalg.fill ins(%zero : f32) outs(%s : tensor<70x72xf32>) -> tensor<70x72xf32>
  %y = linalg.matmul ins(%g, %w : tensor<70x128xbf16>, tensor<128x72xbf16>) outs(%t : tensor<70x72xf32>) -> tensor<70x72xf32>
  return %y : tensor<70x72xf32>
}
