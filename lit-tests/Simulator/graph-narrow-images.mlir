// Convolutions of images with few channels, whose rows of the kernel are joined with these, compute what they do as written: strides, dilations, pads, channels first, batches of 0 and 1, weights of another type. So do gradients of their weights. That for a small batch of many channels is one kernel.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --as-written --kernels
// DEFINE: %{close} = --rtol 1e-4 --atol 1e-5
// REDEFINE: %{function} = stem
// RUN: %{graph} 3 --chip sm_80,sm_90a -- --arg x=random:2x10x24x3 --arg w=random:7x7x3x16 --arg result0=zeros:2x5x12x16 %{close} | FileCheck %s
// RUN: %{graph} 3 -- --arg x=random:1x10x24x3 --arg w=random:7x7x3x16 --arg result0=zeros:1x5x12x16 %{close} --again --arg x=random:0x10x24x3 --arg w=random:7x7x3x16 --arg result0=zeros:0x5x12x16 %{close} | FileCheck %s
// RUN: %{graph} 3 --products tf32 --chip sm_90a -- --arg x=random:2x10x24x3 --arg w=random:7x7x3x16 --arg result0=zeros:2x5x12x16 --rtol 1e-2 --atol 3e-2 | FileCheck %s
// REDEFINE: %{function} = odd
// RUN: %{graph} 3 --chip sm_90a -- --arg x=random:2x11x17x3 --arg w=random:5x5x3x7 --arg result0=zeros:2x6x9x7 %{close} | FileCheck %s
// REDEFINE: %{function} = nchw
// RUN: %{graph} 3 --chip sm_90a -- --arg x=random:2x3x9x13 --arg w=random:16x3x3x3 --arg result0=zeros:2x16x9x13 %{close} | FileCheck %s
// REDEFINE: %{function} = one
// RUN: %{graph} 3 --chip sm_90a -- --arg x=random:3x12x9x1 --arg w=random:5x5x1x17 --arg result0=zeros:3x8x5x17 %{close} | FileCheck %s
// REDEFINE: %{function} = rows
// RUN: %{graph} 3 --chip sm_90a -- --arg x=random:2x37x3 --arg w=random:4x3x32 --arg result0=zeros:2x34x32 %{close} | FileCheck %s
// REDEFINE: %{function} = reversed
// RUN: %{graph} 3 --chip sm_90a -- --arg x=random:2x8x9x3 --arg w=random:3x3x3x16 --arg result0=zeros:2x6x7x16 %{close} | FileCheck %s
// REDEFINE: %{function} = halves
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function halves --kernels 3 --chip sm_80,sm_90a -- --arg x=random:2x10x24x3 --arg w=random:7x7x3x16 --arg result0=zeros:2x5x12x16 --rtol 1e-2 --atol 3e-2 | FileCheck %s
// REDEFINE: %{function} = bytes
// RUN: %{graph} 3 --chip sm_80,sm_90a -- --arg x=random:2x10x24x3 --arg w=random:7x7x3x16 --arg result0=zeros:2x5x12x16 --rtol 1e-4 --atol 1e-3 | FileCheck %s
// REDEFINE: %{function} = wide_weights
// RUN: %{graph} 3 --chip sm_80,sm_90a -- --arg x=random:2x10x24x3 --arg w=random:7x7x3x16 --arg result0=zeros:2x5x12x16 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = gradient
// RUN: %{graph} 1 --chip sm_80,sm_90a -- --arg x=random:2x8x12x32 --arg g=random:2x6x10x32 --arg result0=zeros:3x3x32x32 --rtol 1e-3 --atol 1e-2 | FileCheck %s
// REDEFINE: %{function} = narrow_gradient
// RUN: %{graph} 2 --chip sm_80,sm_90a -- --arg x=random:2x9x24x3 --arg g=random:2x5x12x16 --arg result0=zeros:5x7x3x16 --rtol 1e-3 --atol 1e-2 | FileCheck %s
// REDEFINE: %{function} = narrow_gradient_of_first
// RUN: %{graph} 4 --chip sm_90a -- --arg x=random:3x2x9x13 --arg g=random:3x7x7x6 --arg result0=zeros:7x2x3x3 %{close} | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#g = #carousel.argument<"g", in>

func.func @stem(%x: tensor<?x10x24x3xf32> {carousel.argument = #x}, %w: tensor<7x7x3x16xf32> {carousel.argument = #w})
    -> tensor<?x5x12x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x10x24x3xf32>
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x10x24x3xf32> to tensor<?x16x30x3xf32>
  %e = tensor.empty(%n) : tensor<?x5x12x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x12x16xf32>) -> tensor<?x5x12x16xf32>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<?x16x30x3xf32>, tensor<7x7x3x16xf32>)
      outs(%f : tensor<?x5x12x16xf32>) -> tensor<?x5x12x16xf32>
  return %s : tensor<?x5x12x16xf32>
}

// The stride divides neither extent: rows of the copy are copied with more zeros.
func.func @odd(%x: tensor<?x11x17x3xf32> {carousel.argument = #x}, %w: tensor<5x5x3x7xf32> {carousel.argument = #w})
    -> tensor<?x6x9x7xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x11x17x3xf32>
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x11x17x3xf32> to tensor<?x15x21x3xf32>
  %e = tensor.empty(%n) : tensor<?x6x9x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6x9x7xf32>) -> tensor<?x6x9x7xf32>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<?x15x21x3xf32>, tensor<5x5x3x7xf32>)
      outs(%f : tensor<?x6x9x7xf32>) -> tensor<?x6x9x7xf32>
  return %s : tensor<?x6x9x7xf32>
}

// The copy has channels last, and elements of the kernel two pixels apart.
func.func @nchw(%x: tensor<?x3x9x13xf32> {carousel.argument = #x}, %w: tensor<16x3x3x3xf32> {carousel.argument = #w})
    -> tensor<?x16x9x13xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x9x13xf32>
  %p = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x3x9x13xf32> to tensor<?x3x13x17xf32>
  %e = tensor.empty(%n) : tensor<?x16x9x13xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16x9x13xf32>) -> tensor<?x16x9x13xf32>
  %s = linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<?x3x13x17xf32>, tensor<16x3x3x3xf32>)
      outs(%f : tensor<?x16x9x13xf32>) -> tensor<?x16x9x13xf32>
  return %s : tensor<?x16x9x13xf32>
}

// No pad, and one channel.
func.func @one(%x: tensor<?x12x9x1xf32> {carousel.argument = #x}, %w: tensor<5x5x1x17xf32> {carousel.argument = #w})
    -> tensor<?x8x5x17xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x9x1xf32>
  %e = tensor.empty(%n) : tensor<?x8x5x17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x5x17xf32>) -> tensor<?x8x5x17xf32>
  %s = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x12x9x1xf32>, tensor<5x5x1x17xf32>)
      outs(%f : tensor<?x8x5x17xf32>) -> tensor<?x8x5x17xf32>
  return %s : tensor<?x8x5x17xf32>
}

// What is left is a product.
func.func @rows(%x: tensor<?x37x3xf32> {carousel.argument = #x}, %w: tensor<4x3x32xf32> {carousel.argument = #w})
    -> tensor<?x34x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x37x3xf32>
  %e = tensor.empty(%n) : tensor<?x34x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x34x32xf32>) -> tensor<?x34x32xf32>
  %s = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<?x37x3xf32>, tensor<4x3x32xf32>)
      outs(%f : tensor<?x34x32xf32>) -> tensor<?x34x32xf32>
  return %s : tensor<?x34x32xf32>
}

// As the gradient of an image, whose kernel is reversed.
func.func @reversed(%x: tensor<?x8x9x3xf32> {carousel.argument = #x}, %w: tensor<3x3x3x16xf32> {carousel.argument = #w})
    -> tensor<?x6x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x9x3xf32>
  %e = tensor.empty(%n) : tensor<?x6x7x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6x7x16xf32>) -> tensor<?x6x7x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, i, j, f, a, b, c) -> (n, i - a + 2, j - b + 2, c)>,
                                        affine_map<(n, i, j, f, a, b, c) -> (a, b, c, f)>, affine_map<(n, i, j, f, a, b, c) -> (n, i, j, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x8x9x3xf32>, tensor<3x3x3x16xf32>) outs(%f : tensor<?x6x7x16xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %a = arith.addf %out, %m : f32
    linalg.yield %a : f32
  } -> tensor<?x6x7x16xf32>
  return %s : tensor<?x6x7x16xf32>
}

func.func @halves(%x: tensor<?x10x24x3xbf16> {carousel.argument = #x}, %w: tensor<7x7x3x16xbf16> {carousel.argument = #w})
    -> tensor<?x5x12x16xbf16> {
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x10x24x3xbf16>
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<?x10x24x3xbf16> to tensor<?x16x30x3xbf16>
  %e = tensor.empty(%n) : tensor<?x5x12x16xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x5x12x16xbf16>) -> tensor<?x5x12x16xbf16>
  %s = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<?x16x30x3xbf16>, tensor<7x7x3x16xbf16>)
      outs(%f : tensor<?x5x12x16xbf16>) -> tensor<?x5x12x16xbf16>
  return %s : tensor<?x5x12x16xbf16>
}

func.func @bytes(%x: tensor<?x10x24x3xbf16> {carousel.argument = #x}, %w: tensor<7x7x3x16xi8> {carousel.argument = #w})
    -> tensor<?x5x12x16xf32> {
  %zero = arith.constant 0.0 : bf16
  %zeros = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x10x24x3xbf16>
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<?x10x24x3xbf16> to tensor<?x16x30x3xbf16>
  %e = tensor.empty(%n) : tensor<?x5x12x16xf32>
  %f = linalg.fill ins(%zeros : f32) outs(%e : tensor<?x5x12x16xf32>) -> tensor<?x5x12x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, i, j, f, a, b, c) -> (n, i * 2 + a, j * 2 + b, c)>,
                                        affine_map<(n, i, j, f, a, b, c) -> (a, b, c, f)>, affine_map<(n, i, j, f, a, b, c) -> (n, i, j, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<?x16x30x3xbf16>, tensor<7x7x3x16xi8>) outs(%f : tensor<?x5x12x16xf32>) {
  ^bb0(%in: bf16, %by: i8, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.sitofp %by : i8 to f32
    %m = arith.mulf %0, %1 : f32
    %a = arith.addf %out, %m : f32
    linalg.yield %a : f32
  } -> tensor<?x5x12x16xf32>
  return %s : tensor<?x5x12x16xf32>
}

func.func @wide_weights(%x: tensor<?x10x24x3xbf16> {carousel.argument = #x}, %w: tensor<7x7x3x16xf32> {carousel.argument = #w})
    -> tensor<?x5x12x16xf32> {
  %zero = arith.constant 0.0 : bf16
  %zeros = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x10x24x3xbf16>
  %p = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : bf16
  } : tensor<?x10x24x3xbf16> to tensor<?x16x30x3xbf16>
  %e = tensor.empty(%n) : tensor<?x5x12x16xf32>
  %f = linalg.fill ins(%zeros : f32) outs(%e : tensor<?x5x12x16xf32>) -> tensor<?x5x12x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, i, j, f, a, b, c) -> (n, i * 2 + a, j * 2 + b, c)>,
                                        affine_map<(n, i, j, f, a, b, c) -> (a, b, c, f)>, affine_map<(n, i, j, f, a, b, c) -> (n, i, j, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<?x16x30x3xbf16>, tensor<7x7x3x16xf32>) outs(%f : tensor<?x5x12x16xf32>) {
  ^bb0(%in: bf16, %by: f32, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %m = arith.mulf %0, %by : f32
    %a = arith.addf %out, %m : f32
    linalg.yield %a : f32
  } -> tensor<?x5x12x16xf32>
  return %s : tensor<?x5x12x16xf32>
}

// The gradient of weights sums along a batch of 2, which is no image of two channels.
func.func @gradient(%x: tensor<2x?x12x32xbf16> {carousel.argument = #x}, %g: tensor<2x?x10x32xbf16> {carousel.argument = #g})
    -> tensor<3x3x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3x32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3x32x32xf32>) -> tensor<3x3x32x32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c, f, n, i, j) -> (n, a + i, b + j, c)>,
                                        affine_map<(a, b, c, f, n, i, j) -> (n, i, j, f)>, affine_map<(a, b, c, f, n, i, j) -> (a, b, c, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<2x?x12x32xbf16>, tensor<2x?x10x32xbf16>) outs(%f : tensor<3x3x32x32xf32>) {
  ^bb0(%in: bf16, %by: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.extf %by : bf16 to f32
    %m = arith.mulf %0, %1 : f32
    %a = arith.addf %out, %m : f32
    linalg.yield %a : f32
  } -> tensor<3x3x32x32xf32>
  return %s : tensor<3x3x32x32xf32>
}

func.func @narrow_gradient(%x: tensor<2x?x24x3xbf16> {carousel.argument = #x}, %g: tensor<2x?x12x16xbf16> {carousel.argument = #g})
    -> tensor<5x7x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 2, 3, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : bf16
  } : tensor<2x?x24x3xbf16> to tensor<2x?x29x3xbf16>
  %e = tensor.empty() : tensor<5x7x3x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x7x3x16xf32>) -> tensor<5x7x3x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, f, a, i, b, j, c) -> (n, i * 2 + a, j * 2 + b, c)>,
        affine_map<(n, f, a, i, b, j, c) -> (n, i, j, f)>, affine_map<(n, f, a, i, b, j, c) -> (a, b, c, f)>],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %g : tensor<2x?x29x3xbf16>, tensor<2x?x12x16xbf16>) outs(%f : tensor<5x7x3x16xf32>) {
  ^bb0(%in: bf16, %by: bf16, %out: f32):
    %u = arith.extf %in : bf16 to f32
    %v = arith.extf %by : bf16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x7x3x16xf32>
  return %y : tensor<5x7x3x16xf32>
}

func.func @narrow_gradient_of_first(%x: tensor<?x2x?x13xf32> {carousel.argument = #x}, %g: tensor<?x7x?x6xf32> {carousel.argument = #g})
    -> tensor<7x2x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x2x3x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x2x3x3xf32>) -> tensor<7x2x3x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(f, c, a, b, n, i, j) -> (n, c, a + i, b * 2 + j)>,
        affine_map<(f, c, a, b, n, i, j) -> (n, f, i, j)>, affine_map<(f, c, a, b, n, i, j) -> (f, c, a, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<?x2x?x13xf32>, tensor<?x7x?x6xf32>) outs(%f : tensor<7x2x3x3xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %m = arith.mulf %in, %by : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<7x2x3x3xf32>
  return %y : tensor<7x2x3x3xf32>
}
