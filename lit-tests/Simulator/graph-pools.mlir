// Pools read boxes of pixels inside their pads, and compute what their ops do as written: strides, dilations, pads that aren't neutral, images that others read, extents of 0 and primes.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --as-written --kernels
// REDEFINE: %{function} = max
// RUN: %{graph} 1 --chip sm_80,sm_90a -- --arg x=random:2x12x20x24 --arg result0=zeros:2x6x10x24 | FileCheck %s
// RUN: %{graph} 1 -- --arg x=random:0x12x20x24 --arg result0=zeros:0x6x10x24 | FileCheck %s
// REDEFINE: %{function} = mean
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:2x5x7x9 --arg result0=zeros:2x5x7x9 --rtol 1e-5 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = dilated
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:3x11x8 --arg y=random:3x11x8 --arg result0=zeros:3x11x8 | FileCheck %s
// REDEFINE: %{function} = shared
// RUN: %{graph} 3 --chip sm_90a -- --arg x=random:2x6x8x16 --arg result0=zeros:2x4x5x16 --arg result1=zeros:2x8x10x16 | FileCheck %s
// REDEFINE: %{function} = bodies
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:2x8x8x16 --arg result0=zeros:2x4x4x16 --rtol 1e-5 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = odd
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:2x7x9x16 --arg result0=zeros:2x3x4x16 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#x = #carousel.argument<"x", in>

func.func @max(%x: tensor<?x12x20x24xbf16> {carousel.argument = #x}) -> tensor<?x6x10x24xbf16> {
  %low = arith.constant 0xFF80 : bf16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x20x24xbf16>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : bf16
  } : tensor<?x12x20x24xbf16> to tensor<?x14x22x24xbf16>
  %e = tensor.empty(%n) : tensor<?x6x10x24xbf16>
  %f = linalg.fill ins(%low : bf16) outs(%e : tensor<?x6x10x24xbf16>) -> tensor<?x6x10x24xbf16>
  %window = tensor.empty() : tensor<3x3xbf16>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%p, %window : tensor<?x14x22x24xbf16>, tensor<3x3xbf16>) outs(%f : tensor<?x6x10x24xbf16>) -> tensor<?x6x10x24xbf16>
  return %y : tensor<?x6x10x24xbf16>
}

// Channels that no run of 16 bytes has.
#id = affine_map<(n, i, j, c) -> (n, i, j, c)>
func.func @mean(%x: tensor<?x5x7x9xf32> {carousel.argument = #x}) -> tensor<?x5x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %ninth = arith.constant 0.11111111 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5x7x9xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x5x7x9xf32> to tensor<?x7x9x9xf32>
  %e = tensor.empty(%n) : tensor<?x5x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x7x9xf32>) -> tensor<?x5x7x9xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %s = linalg.pooling_nhwc_sum ins(%p, %window : tensor<?x7x9x9xf32>, tensor<3x3xf32>)
      outs(%f : tensor<?x5x7x9xf32>) -> tensor<?x5x7x9xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<?x5x7x9xf32>) outs(%e : tensor<?x5x7x9xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %ninth : f32
    linalg.yield %m : f32
  } -> tensor<?x5x7x9xf32>
  return %y : tensor<?x5x7x9xf32>
}

// The result begins with another tensor, and the pad is smaller than it.
func.func @dilated(%x: tensor<?x11x8xf32> {carousel.argument = #x},
    %y: tensor<?x11x8xf32> {carousel.argument = #carousel.argument<"y", in>}) -> tensor<?x11x8xf32> {
  %half = arith.constant 0.5 : f32
  %p = tensor.pad %x low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %half : f32
  } : tensor<?x11x8xf32> to tensor<?x15x8xf32>
  %window = tensor.empty() : tensor<3xf32>
  %m = linalg.pooling_nwc_min {dilations = dense<2> : tensor<1xi64>}
      ins(%p, %window : tensor<?x15x8xf32>, tensor<3xf32>) outs(%y : tensor<?x11x8xf32>) -> tensor<?x11x8xf32>
  return %m : tensor<?x11x8xf32>
}

// The padded image is a result, too.
func.func @shared(%x: tensor<?x6x8x16xf32> {carousel.argument = #x}) -> (tensor<?x4x5x16xf32>, tensor<?x8x10x16xf32>) {
  %low = arith.constant -1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x8x16xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : f32
  } : tensor<?x6x8x16xf32> to tensor<?x8x10x16xf32>
  %e = tensor.empty(%n) : tensor<?x4x5x16xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?x4x5x16xf32>) -> tensor<?x4x5x16xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%p, %window : tensor<?x8x10x16xf32>, tensor<2x2xf32>) outs(%f : tensor<?x4x5x16xf32>) -> tensor<?x4x5x16xf32>
  return %y, %p : tensor<?x4x5x16xf32>, tensor<?x8x10x16xf32>
}

// What is computed of elements is computed of the pad, too.
func.func @bodies(%x: tensor<?x8x8x16xf32> {carousel.argument = #x}) -> tensor<?x4x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x8x16xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %two : f32
  } : tensor<?x8x8x16xf32> to tensor<?x10x10x16xf32>
  %e = tensor.empty(%n) : tensor<?x4x4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x4x16xf32>) -> tensor<?x4x4x16xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, i, j, c, a, b) -> (n, 2 * i + a, 2 * j + b, c)>,
        affine_map<(n, i, j, c, a, b) -> (a, b)>, affine_map<(n, i, j, c, a, b) -> (n, i, j, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %window : tensor<?x10x10x16xf32>, tensor<3x3xf32>) outs(%f : tensor<?x4x4x16xf32>) {
  ^bb0(%in: f32, %w: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    %s = arith.addf %out, %square : f32
    linalg.yield %s : f32
  } -> tensor<?x4x4x16xf32>
  return %y : tensor<?x4x4x16xf32>
}

func.func @odd(%x: tensor<?x7x9x16xf32> {carousel.argument = #x}) -> tensor<?x3x4x16xf32> {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7x9x16xf32>
  %e = tensor.empty(%n) : tensor<?x3x4x16xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?x3x4x16xf32>) -> tensor<?x3x4x16xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%x, %window : tensor<?x7x9x16xf32>, tensor<3x3xf32>) outs(%f : tensor<?x3x4x16xf32>) -> tensor<?x3x4x16xf32>
  return %y : tensor<?x3x4x16xf32>
}
