// Depthwise convolutions and their gradients compute what their ops do as written: strides, odd extents, channels first and last, and several results of a channel.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --kernels
// REDEFINE: %{function} = nhwc
// RUN: %{simulate} 1 --as-written --chip sm_80,sm_90a -- --arg x=random:2x7x9x24 --arg w=random:3x3x24 --arg b=random:24 --arg result0=zeros:2x7x9x24 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = nhwc
// RUN: %{simulate} 1 --as-written -- --arg x=random:0x7x9x24 --arg w=random:3x3x24 --arg b=random:24 --arg result0=zeros:0x7x9x24 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = strided
// RUN: %{simulate} 1 --as-written --chip sm_90a -- --arg x=random:2x6x10x20 --arg w=random:3x3x20 --arg result0=zeros:2x3x5x20 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = odd
// RUN: %{simulate} 1 --as-written --chip sm_90a -- --arg x=random:2x7x9x8 --arg w=random:3x3x8 --arg result0=zeros:2x4x5x8 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = one_channel
// RUN: %{simulate} 2 --as-written --chip sm_90a -- --arg x=random:2x5x6x1 --arg w=random:3x3x1 --arg result0=zeros:2x5x6x1 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = several
// RUN: %{simulate} 1 --as-written --chip sm_90a -- --arg x=random:2x5x7x12 --arg w=random:3x3x12x3 --arg result0=zeros:2x5x7x12x3 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = nchw
// RUN: %{simulate} 2 --as-written --chip sm_90a -- --arg x=random:2x6x5x7 --arg w=random:6x3x3 --arg result0=zeros:2x6x5x7 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = halves
// RUN: %{simulate} 1 --chip sm_90a -- --arg x=random:2x8x8x64 --arg w=random:3x3x64 --arg result0=zeros:2x8x8x64 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{function} = weights
// RUN: %{simulate} 1 --as-written --chip sm_90a -- --arg x=random:3x7x9x12 --arg g=random:3x7x9x12 --arg result0=zeros:3x3x12 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = weights_strided
// RUN: %{simulate} 1 --as-written --chip sm_90a -- --arg x=random:2x6x10x8 --arg g=random:2x3x5x8 --arg result0=zeros:3x3x8 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = weights_of_many
// RUN: %{simulate} 1 --as-written --chip sm_90a -- --arg x=random:8x8x16x24 --arg g=random:8x8x16x24 --arg result0=zeros:3x3x24 --rtol 1e-4 --atol 1e-5 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#id = affine_map<(n, i, j, c) -> (n, i, j, c)>
#row = affine_map<(n, i, j, c) -> (c)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#g = #carousel.argument<"g", in>

func.func @nhwc(%x: tensor<?x7x9x24xf32> {carousel.argument = #x}, %w: tensor<3x3x24xf32> {carousel.argument = #w},
    %b: tensor<24xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?x7x9x24xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7x9x24xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x7x9x24xf32> to tensor<?x9x11x24xf32>
  %ef = tensor.empty(%n) : tensor<?x7x9x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<?x7x9x24xf32>) -> tensor<?x7x9x24xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<?x9x11x24xf32>, tensor<3x3x24xf32>)
      outs(%f : tensor<?x7x9x24xf32>) -> tensor<?x7x9x24xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %b : tensor<?x7x9x24xf32>, tensor<24xf32>) outs(%ef : tensor<?x7x9x24xf32>) {
  ^bb0(%in: f32, %bias: f32, %o: f32):
    %a = arith.addf %in, %bias : f32
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x7x9x24xf32>
  return %r : tensor<?x7x9x24xf32>
}

// The kernel sees remainders beside the channels.
func.func @strided(%x: tensor<2x6x10x20xf32> {carousel.argument = #x}, %w: tensor<3x3x20xf32> {carousel.argument = #w}) -> tensor<2x3x5x20xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x6x10x20xf32> to tensor<2x8x12x20xf32>
  %ef = tensor.empty() : tensor<2x3x5x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<2x3x5x20xf32>) -> tensor<2x3x5x20xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<2x8x12x20xf32>, tensor<3x3x20xf32>)
      outs(%f : tensor<2x3x5x20xf32>) -> tensor<2x3x5x20xf32>
  return %y : tensor<2x3x5x20xf32>
}

// The stride divides no extent: the image is copied with more zeros.
func.func @odd(%x: tensor<2x7x9x8xf32> {carousel.argument = #x}, %w: tensor<3x3x8xf32> {carousel.argument = #w}) -> tensor<2x4x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x7x9x8xf32> to tensor<2x9x11x8xf32>
  %ef = tensor.empty() : tensor<2x4x5x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<2x9x11x8xf32>, tensor<3x3x8xf32>)
      outs(%f : tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %y : tensor<2x4x5x8xf32>
}

func.func @one_channel(%x: tensor<2x5x6x1xf32> {carousel.argument = #x}, %w: tensor<3x3x1xf32> {carousel.argument = #w}) -> tensor<2x5x6x1xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x5x6x1xf32> to tensor<2x7x8x1xf32>
  %ef = tensor.empty() : tensor<2x5x6x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<2x5x6x1xf32>) -> tensor<2x5x6x1xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<2x7x8x1xf32>, tensor<3x3x1xf32>)
      outs(%f : tensor<2x5x6x1xf32>) -> tensor<2x5x6x1xf32>
  return %y : tensor<2x5x6x1xf32>
}

// Each channel has several results.
func.func @several(%x: tensor<2x5x7x12xf32> {carousel.argument = #x}, %w: tensor<3x3x12x3xf32> {carousel.argument = #w}) -> tensor<2x5x7x12x3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x5x7x12xf32> to tensor<2x7x9x12xf32>
  %ef = tensor.empty() : tensor<2x5x7x12x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<2x5x7x12x3xf32>) -> tensor<2x5x7x12x3xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<2x7x9x12xf32>, tensor<3x3x12x3xf32>)
      outs(%f : tensor<2x5x7x12x3xf32>) -> tensor<2x5x7x12x3xf32>
  return %y : tensor<2x5x7x12x3xf32>
}

// As PyTorch has it: a kernel transposes the image, and the convolution the weights.
func.func @nchw(%x: tensor<2x6x5x7xf32> {carousel.argument = #x}, %w: tensor<6x3x3xf32> {carousel.argument = #w}) -> tensor<2x6x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x6x5x7xf32> to tensor<2x6x7x9xf32>
  %ef = tensor.empty() : tensor<2x6x5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<2x6x5x7xf32>) -> tensor<2x6x5x7xf32>
  %y = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<2x6x7x9xf32>, tensor<6x3x3xf32>)
      outs(%f : tensor<2x6x5x7xf32>) -> tensor<2x6x5x7xf32>
  return %y : tensor<2x6x5x7xf32>
}

func.func @halves(%x: tensor<2x8x8x64xbf16> {carousel.argument = #x}, %w: tensor<3x3x64xbf16> {carousel.argument = #w}) -> tensor<2x8x8x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : bf16
  } : tensor<2x8x8x64xbf16> to tensor<2x10x10x64xbf16>
  %ef = tensor.empty() : tensor<2x8x8x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%ef : tensor<2x8x8x64xbf16>) -> tensor<2x8x8x64xbf16>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<2x10x10x64xbf16>, tensor<3x3x64xbf16>)
      outs(%f : tensor<2x8x8x64xbf16>) -> tensor<2x8x8x64xbf16>
  return %y : tensor<2x8x8x64xbf16>
}

// The gradient of weights: a sum along pixels for each of their elements.
func.func @weights(%x: tensor<3x7x9x12xf32> {carousel.argument = #x}, %g: tensor<3x7x9x12xf32> {carousel.argument = #g}) -> tensor<3x3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<3x7x9x12xf32> to tensor<3x9x11x12xf32>
  %ef = tensor.empty() : tensor<3x3x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x12xf32>) -> tensor<3x3x12xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<3x9x11x12xf32>, tensor<3x7x9x12xf32>) outs(%f : tensor<3x3x12xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x12xf32>
  return %y : tensor<3x3x12xf32>
}

func.func @weights_strided(%x: tensor<2x6x10x8xf32> {carousel.argument = #x}, %g: tensor<2x3x5x8xf32> {carousel.argument = #g}) -> tensor<3x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x6x10x8xf32> to tensor<2x8x12x8xf32>
  %ef = tensor.empty() : tensor<3x3x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x8xf32>) -> tensor<3x3x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i * 2, b + j * 2, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<2x8x12x8xf32>, tensor<2x3x5x8xf32>) outs(%f : tensor<3x3x8xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x8xf32>
  return %y : tensor<3x3x8xf32>
}

// Programs add up parts.
func.func @weights_of_many(%x: tensor<8x8x16x24xf32> {carousel.argument = #x}, %g: tensor<8x8x16x24xf32> {carousel.argument = #g}) -> tensor<3x3x24xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<8x8x16x24xf32> to tensor<8x10x18x24xf32>
  %ef = tensor.empty() : tensor<3x3x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x24xf32>) -> tensor<3x3x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<8x10x18x24xf32>, tensor<8x8x16x24xf32>) outs(%f : tensor<3x3x24xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x24xf32>
  return %y : tensor<3x3x24xf32>
}
