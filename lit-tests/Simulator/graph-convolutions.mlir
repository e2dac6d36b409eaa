// Convolutions as products compute what their ops do as written: strides, dilations, pads, channels first and last, odd channels, extents of 0 and 1 and primes.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --as-written --kernels
// DEFINE: %{close} = --rtol 1e-4 --atol 1e-5
// REDEFINE: %{function} = nhwc
// RUN: %{graph} 1 --chip sm_80,sm_90a -- --arg x=random:3x7x9x12 --arg w=random:3x3x12x20 --arg b=random:20 --arg result0=zeros:3x7x9x20 %{close} | FileCheck %s
// RUN: %{graph} 1 -- --arg x=random:1x7x9x12 --arg w=random:3x3x12x20 --arg b=random:20 --arg result0=zeros:1x7x9x20 %{close} | FileCheck %s
// RUN: %{graph} 1 -- --arg x=random:0x7x9x12 --arg w=random:3x3x12x20 --arg b=random:20 --arg result0=zeros:0x7x9x20 %{close} | FileCheck %s
// REDEFINE: %{function} = strided
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:2x10x12x9 --arg w=random:3x3x9x17 --arg result0=zeros:2x5x6x17 %{close} | FileCheck %s
// REDEFINE: %{function} = odd
// RUN: %{graph} 1 --chip sm_80 -- --arg x=random:2x7x11x16 --arg w=random:3x3x16x16 --arg result0=zeros:2x4x6x16 %{close} | FileCheck %s
// REDEFINE: %{function} = nchw
// RUN: %{graph} 3 --chip sm_90a -- --arg x=random:2x9x13x17 --arg w=random:7x9x3x3 --arg r=random:2x7x13x17 --arg result0=zeros:2x7x13x17 %{close} | FileCheck %s
// REDEFINE: %{function} = downsample
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:2x6x8x32 --arg w=random:1x1x32x24 --arg result0=zeros:2x3x4x24 %{close} | FileCheck %s
// REDEFINE: %{function} = rows
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:3x37x8 --arg w=random:5x8x6 --arg result0=zeros:3x35x6 %{close} | FileCheck %s
// RUN: %{graph} 1 -- --arg x=random:3x5x8 --arg w=random:5x8x6 --arg result0=zeros:3x3x6 %{close} | FileCheck %s
// REDEFINE: %{function} = chain
// RUN: %{graph} 2 --chip sm_90a -- --arg x=random:1x6x6x8 --arg v=random:3x3x8x16 --arg w=random:3x3x16x8 --arg result0=zeros:1x6x6x8 %{close} | FileCheck %s
// REDEFINE: %{function} = nhwc
// RUN: %{graph} 1 --products tf32 --chip sm_80,sm_90a -- --arg x=random:2x7x9x12 --arg w=random:3x3x12x20 --arg b=random:20 --arg result0=zeros:2x7x9x20 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// REDEFINE: %{function} = halves
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function halves --kernels 1 --chip sm_80,sm_90a -- --arg x=random:2x8x8x64 --arg w=random:3x3x64x32 --arg result0=zeros:2x4x4x32 --rtol 1e-2 --atol 1e-2 | FileCheck %s
// DEFINE: %{any} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --as-written
// REDEFINE: %{function} = nchw_in_ones
// RUN: %{any} -- --arg x=random:1x3x2x2 --arg w=random:5x3x3x3 --arg result0=zeros:1x5x2x2 %{close} | FileCheck %s
// REDEFINE: %{function} = returns_pad
// RUN: %{any} -- --arg x=random:2x6x8x16 --arg w=random:3x3x16x16 --arg result0=zeros:2x6x8x16 --arg result1=zeros:2x8x10x16 %{close} | FileCheck %s
// REDEFINE: %{function} = odd_in_ones
// RUN: %{any} -- --arg x=random:1x3x3x4 --arg w=random:3x3x4x4 --arg result0=zeros:1x2x2x4 %{close} | FileCheck %s
// REDEFINE: %{function} = odd_dilated
// RUN: %{any} -- --arg x=random:1x2x2x4 --arg w=random:3x3x4x4 --arg result0=zeros:1x2x2x4 %{close} | FileCheck %s
// REDEFINE: %{function} = far_pixels
// RUN: %{any} -- --arg x=random:3x3x3x3x4 --arg w=random:2x2x2x4x5 --arg result0=zeros:3x5 %{close} | FileCheck %s
// REDEFINE: %{function} = ones_in_zeros
// RUN: %{any} -- --arg w=random:3x3x4x4 --arg result0=zeros:2x4x4x4 %{close} | FileCheck %s
// REDEFINE: %{function} = images
// RUN: %{any} --chip sm_90a -- --arg x=random:3x4x9x9 --arg v=random:4x4x3x3 --arg w=random:2x4x4x2x2 --arg result0=zeros:3x72 --arg result1=zeros:3x2x4x2x2 %{close} | FileCheck %s
// REDEFINE: %{function} = mixed
// RUN: %{any} -- --arg x=random:2x4x8x10 --arg f=random:4x8x8x3 --arg g=random:6x4x3x3 --arg result0=zeros:2x4x8x8 --arg result1=zeros:2x6x4x6 %{close} | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#id = affine_map<(n, i, j, c) -> (n, i, j, c)>
#row = affine_map<(n, i, j, c) -> (c)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>

func.func @nhwc(%x: tensor<?x7x9x12xf32> {carousel.argument = #x}, %w: tensor<3x3x12x20xf32> {carousel.argument = #w},
    %b: tensor<20xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?x7x9x20xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7x9x12xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x7x9x12xf32> to tensor<?x9x11x12xf32>
  %e = tensor.empty(%n) : tensor<?x7x9x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7x9x20xf32>) -> tensor<?x7x9x20xf32>
  %s = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<?x9x11x12xf32>, tensor<3x3x12x20xf32>)
      outs(%f : tensor<?x7x9x20xf32>) -> tensor<?x7x9x20xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<?x7x9x20xf32>, tensor<20xf32>) outs(%e : tensor<?x7x9x20xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %a = arith.addf %in, %bias : f32
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x7x9x20xf32>
  return %y : tensor<?x7x9x20xf32>
}

// As XLA pads for the same extent: at the end only. Channels that no run of 16 bytes has.
func.func @strided(%x: tensor<?x10x12x9xf32> {carousel.argument = #x}, %w: tensor<3x3x9x17xf32> {carousel.argument = #w})
    -> tensor<?x5x6x17xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x10x12x9xf32>
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x10x12x9xf32> to tensor<?x11x13x9xf32>
  %e = tensor.empty(%n) : tensor<?x5x6x17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x6x17xf32>) -> tensor<?x5x6x17xf32>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<?x11x13x9xf32>, tensor<3x3x9x17xf32>)
      outs(%f : tensor<?x5x6x17xf32>) -> tensor<?x5x6x17xf32>
  return %s : tensor<?x5x6x17xf32>
}

// The stride divides no extent: the image is copied with more zeros.
func.func @odd(%x: tensor<2x7x11x16xf32> {carousel.argument = #x}, %w: tensor<3x3x16x16xf32> {carousel.argument = #w})
    -> tensor<2x4x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x7x11x16xf32> to tensor<2x9x13x16xf32>
  %e = tensor.empty() : tensor<2x4x6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6x16xf32>) -> tensor<2x4x6x16xf32>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<2x9x13x16xf32>, tensor<3x3x16x16xf32>)
      outs(%f : tensor<2x4x6x16xf32>) -> tensor<2x4x6x16xf32>
  return %s : tensor<2x4x6x16xf32>
}

// As PyTorch has it. Kernels transpose the image and the weights first.
func.func @nchw(%x: tensor<?x9x13x17xf32> {carousel.argument = #x}, %w: tensor<7x9x3x3xf32> {carousel.argument = #w},
    %r: tensor<?x7x13x17xf32> {carousel.argument = #carousel.argument<"r", in>}) -> tensor<?x7x13x17xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x9x13x17xf32>
  %p = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x9x13x17xf32> to tensor<?x9x17x21xf32>
  %e = tensor.empty(%n) : tensor<?x7x13x17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7x13x17xf32>) -> tensor<?x7x13x17xf32>
  %s = linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<?x9x17x21xf32>, tensor<7x9x3x3xf32>)
      outs(%f : tensor<?x7x13x17xf32>) -> tensor<?x7x13x17xf32>
  %y = linalg.add ins(%s, %r : tensor<?x7x13x17xf32>, tensor<?x7x13x17xf32>)
      outs(%e : tensor<?x7x13x17xf32>) -> tensor<?x7x13x17xf32>
  return %y : tensor<?x7x13x17xf32>
}

func.func @downsample(%x: tensor<?x6x8x32xf32> {carousel.argument = #x}, %w: tensor<1x1x32x24xf32> {carousel.argument = #w})
    -> tensor<?x3x4x24xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x8x32xf32>
  %e = tensor.empty(%n) : tensor<?x3x4x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3x4x24xf32>) -> tensor<?x3x4x24xf32>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<?x6x8x32xf32>, tensor<1x1x32x24xf32>)
      outs(%f : tensor<?x3x4x24xf32>) -> tensor<?x3x4x24xf32>
  return %s : tensor<?x3x4x24xf32>
}

// Rows whose length the launch says.
func.func @rows(%x: tensor<?x?x8xf32> {carousel.argument = #x}, %w: tensor<5x8x6xf32> {carousel.argument = #w})
    -> tensor<?x?x6xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %l = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x8xf32> to tensor<?x?x8xf32>
  %m = arith.subi %l, %c2 : index
  %e = tensor.empty(%n, %m) : tensor<?x?x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x6xf32>) -> tensor<?x?x6xf32>
  %s = linalg.conv_1d_nwc_wcf ins(%p, %w : tensor<?x?x8xf32>, tensor<5x8x6xf32>)
      outs(%f : tensor<?x?x6xf32>) -> tensor<?x?x6xf32>
  return %s : tensor<?x?x6xf32>
}

// A residual: the image is read in boxes, and element by element.
func.func @chain(%x: tensor<1x6x6x8xf32> {carousel.argument = #x},
    %v: tensor<3x3x8x16xf32> {carousel.argument = #carousel.argument<"v", in>}, %w: tensor<3x3x16x8xf32> {carousel.argument = #w})
    -> tensor<1x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x6x6x8xf32> to tensor<1x8x8x8xf32>
  %e = tensor.empty() : tensor<1x6x6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %s = linalg.conv_2d_nhwc_hwcf ins(%p, %v : tensor<1x8x8x8xf32>, tensor<3x3x8x16xf32>)
      outs(%f : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  %h = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x6x6x16xf32>) outs(%e : tensor<1x6x6x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x6x6x16xf32>
  %q = tensor.pad %h low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x6x6x16xf32> to tensor<1x8x8x16xf32>
  %ey = tensor.empty() : tensor<1x6x6x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %t = linalg.conv_2d_nhwc_hwcf ins(%q, %w : tensor<1x8x8x16xf32>, tensor<3x3x16x8xf32>)
      outs(%fy : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %y = linalg.add ins(%t, %x : tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>)
      outs(%ey : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  return %y : tensor<1x6x6x8xf32>
}

// Matrix instructions read the tile of a box.
func.func @halves(%x: tensor<?x8x8x64xbf16> {carousel.argument = #x}, %w: tensor<3x3x64x32xbf16> {carousel.argument = #w})
    -> tensor<?x4x4x32xbf16> {
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x8x64xbf16>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<?x8x8x64xbf16> to tensor<?x10x10x64xbf16>
  %e = tensor.empty(%n) : tensor<?x4x4x32xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x4x4x32xbf16>) -> tensor<?x4x4x32xbf16>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<?x10x10x64xbf16>, tensor<3x3x64x32xbf16>)
      outs(%f : tensor<?x4x4x32xbf16>) -> tensor<?x4x4x32xbf16>
  return %s : tensor<?x4x4x32xbf16>
}

// Pads of other values than zero.
func.func @nchw_in_ones(%x: tensor<1x3x2x2xf32> {carousel.argument = #x}, %w: tensor<5x3x3x3xf32> {carousel.argument = #w})
    -> tensor<1x5x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x3x2x2xf32> to tensor<1x3x4x4xf32>
  %e = tensor.empty() : tensor<1x5x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x2x2xf32>) -> tensor<1x5x2x2xf32>
  %s = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x3x4x4xf32>, tensor<5x3x3x3xf32>)
      outs(%f : tensor<1x5x2x2xf32>) -> tensor<1x5x2x2xf32>
  return %s : tensor<1x5x2x2xf32>
}

func.func @odd_in_ones(%x: tensor<1x3x3x4xf32> {carousel.argument = #x}, %w: tensor<3x3x4x4xf32> {carousel.argument = #w})
    -> tensor<1x2x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x3x3x4xf32> to tensor<1x5x5x4xf32>
  %e = tensor.empty() : tensor<1x2x2x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x5x5x4xf32>, tensor<3x3x4x4xf32>)
      outs(%f : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %s : tensor<1x2x2x4xf32>
}

// The image of a transposed convolution, of which every second pixel is read.
func.func @odd_dilated(%x: tensor<1x2x2x4xf32> {carousel.argument = #x}, %w: tensor<3x3x4x4xf32> {carousel.argument = #w})
    -> tensor<1x2x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<1x5x5x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%a : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
  %p = tensor.insert_slice %x into %z[0, 1, 1, 0] [1, 2, 2, 4] [1, 2, 2, 1]
      : tensor<1x2x2x4xf32> into tensor<1x5x5x4xf32>
  %e = tensor.empty() : tensor<1x2x2x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x5x5x4xf32>, tensor<3x3x4x4xf32>)
      outs(%f : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %s : tensor<1x2x2x4xf32>
}

// One pixel of each image: no dimension of pixels is among the last four.
func.func @far_pixels(%x: tensor<3x3x3x3x4xf32> {carousel.argument = #x}, %w: tensor<2x2x2x4x5xf32> {carousel.argument = #w})
    -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, f, a, b, d, c) -> (n, a * 2, b * 2, d * 2, c)>,
        affine_map<(n, f, a, b, d, c) -> (a, b, d, c, f)>, affine_map<(n, f, a, b, d, c) -> (n, f)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<3x3x3x3x4xf32>, tensor<2x2x2x4x5xf32>) outs(%f : tensor<3x5xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %a = arith.addf %out, %m : f32
    linalg.yield %a : f32
  } -> tensor<3x5xf32>
  return %s : tensor<3x5xf32>
}

// How much of each kernel is inside of the image.
func.func @ones_in_zeros(%w: tensor<3x3x4x4xf32> {carousel.argument = #w}) -> tensor<2x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x4x4x4xf32>
  %x = linalg.fill ins(%one : f32) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x4x4x4xf32> to tensor<2x6x6x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %s = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x6x6x4xf32>, tensor<3x3x4x4xf32>)
      outs(%f : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %s : tensor<2x4x4x4xf32>
}

// Images that convolutions read, and that other ops read otherwise.
func.func @images(%x: tensor<?x4x9x9xf32> {carousel.argument = #x},
     %v: tensor<4x4x3x3xf32> {carousel.argument = #carousel.argument<"v", in>},
     %w: tensor<2x4x4x2x2xf32> {carousel.argument = #w})
    -> (tensor<?x72xf32>, tensor<?x2x4x2x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x9x9xf32>
  %e = tensor.empty(%n) : tensor<?x4x7x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x7x7xf32>) -> tensor<?x4x7x7xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<?x4x9x9xf32>, tensor<4x4x3x3xf32>)
      outs(%f : tensor<?x4x7x7xf32>) -> tensor<?x4x7x7xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %m = tensor.dim %0, %c0 : tensor<?x4x7x7xf32>
  %pe = tensor.empty(%m) : tensor<?x4x3x3xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<?x4x3x3xf32>) -> tensor<?x4x3x3xf32>
  %1 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%0, %window : tensor<?x4x7x7xf32>, tensor<3x3xf32>)
      outs(%pf : tensor<?x4x3x3xf32>) -> tensor<?x4x3x3xf32>
  %2 = tensor.extract_slice %0[0, 0, 2, 3] [%n, 4, 3, 3] [1, 1, 1, 1] : tensor<?x4x7x7xf32> to tensor<?x4x3x3xf32>
  %3 = tensor.concat dim(1) %1, %2 : (tensor<?x4x3x3xf32>, tensor<?x4x3x3xf32>) -> tensor<?x8x3x3xf32>
  %flat = tensor.collapse_shape %3 [[0], [1, 2, 3]] : tensor<?x8x3x3xf32> into tensor<?x72xf32>
  %4 = tensor.expand_shape %3 [[0], [1, 2], [3], [4]] output_shape [%n, 2, 4, 3, 3] : tensor<?x8x3x3xf32> into tensor<?x2x4x3x3xf32>
  %ge = tensor.empty(%n) : tensor<?x2x4x2x2xf32>
  %gf = linalg.fill ins(%zero : f32) outs(%ge : tensor<?x2x4x2x2xf32>) -> tensor<?x2x4x2x2xf32>
  %5 = linalg.conv_2d_ngchw_gfchw ins(%4, %w : tensor<?x2x4x3x3xf32>, tensor<2x4x4x2x2xf32>)
      outs(%gf : tensor<?x2x4x2x2xf32>) -> tensor<?x2x4x2x2xf32>
  return %flat, %5 : tensor<?x72xf32>, tensor<?x2x4x2x2xf32>
}

// Channels of one convolution are pixels of the other one, which reads a part.
#mixed_rows = affine_map<(n, g, o, w, c, k) -> (n, g, c, w + k)>
#mixed_row_weights = affine_map<(n, g, o, w, c, k) -> (g, o, c, k)>
#mixed_row_results = affine_map<(n, g, o, w, c, k) -> (n, g, o, w)>
#mixed_image = affine_map<(n, o, h, w, c, i, j) -> (n, c, h + i, w + j)>
#mixed_weights = affine_map<(n, o, h, w, c, i, j) -> (o, c, i, j)>
#mixed_results = affine_map<(n, o, h, w, c, i, j) -> (n, o, h, w)>
#mixed_all = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @mixed(%x: tensor<2x4x8x10xf32> {carousel.argument = #carousel.argument<"x", in>}, %f: tensor<4x8x8x3xf32> {carousel.argument = #carousel.argument<"f", in>}, %g: tensor<6x4x3x3xf32> {carousel.argument = #carousel.argument<"g", in>}) -> (tensor<2x4x8x8xf32>, tensor<2x6x4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x8x10xf32>
  %y = linalg.generic {indexing_maps = [#mixed_all, #mixed_all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<2x4x8x10xf32>) outs(%e : tensor<2x4x8x10xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8x10xf32>
  %e1 = tensor.empty() : tensor<2x4x8x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r1 = linalg.generic {indexing_maps = [#mixed_rows, #mixed_row_weights, #mixed_row_results], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%y, %f : tensor<2x4x8x10xf32>, tensor<4x8x8x3xf32>) outs(%f1 : tensor<2x4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x8x8xf32>
  %part = tensor.extract_slice %y[0, 0, 1, 2] [2, 4, 6, 8] [1, 1, 1, 1] : tensor<2x4x8x10xf32> to tensor<2x4x6x8xf32>
  %e2 = tensor.empty() : tensor<2x6x4x6xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x6x4x6xf32>) -> tensor<2x6x4x6xf32>
  %r2 = linalg.generic {indexing_maps = [#mixed_image, #mixed_weights, #mixed_results], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%part, %g : tensor<2x4x6x8xf32>, tensor<6x4x3x3xf32>) outs(%f2 : tensor<2x6x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x6x4x6xf32>
  return %r1, %r2 : tensor<2x4x8x8xf32>, tensor<2x6x4x6xf32>
}

// A pad that is a result has memory, and the convolution reads inside of it all the same.
func.func @returns_pad(%x: tensor<2x6x8x16xf32> {carousel.argument = #x}, %w: tensor<3x3x16x16xf32> {carousel.argument = #w})
    -> (tensor<2x6x8x16xf32>, tensor<2x8x10x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x6x8x16xf32> to tensor<2x8x10x16xf32>
  %e = tensor.empty() : tensor<2x6x8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x8x16xf32>) -> tensor<2x6x8x16xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x8x10x16xf32>, tensor<3x3x16x16xf32>)
      outs(%f : tensor<2x6x8x16xf32>) -> tensor<2x6x8x16xf32>
  return %y, %p : tensor<2x6x8x16xf32>, tensor<2x8x10x16xf32>
}
