// Gradients of depthwise weights, of which each element of the kernel is a sum of its own, compute what their ops do as written: odd extents, strides, kernels of 3 and 5, several results of a channel, batches of 0 and 1.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --kernels
// REDEFINE: %{function} = odd
// RUN: %{simulate} 2 --as-written --chip sm_80,sm_90a -- --arg x=random:3x7x9x40 --arg g=random:3x7x9x40 --arg result0=zeros:3x3x40 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// RUN: %{simulate} 2 --as-written -- --arg x=random:1x7x9x40 --arg g=random:1x7x9x40 --arg result0=zeros:3x3x40 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// RUN: %{simulate} 2 --as-written -- --arg x=random:0x7x9x40 --arg g=random:0x7x9x40 --arg result0=zeros:3x3x40 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = strided
// RUN: %{simulate} 2 --as-written --chip sm_90a -- --arg x=random:2x14x16x32 --arg g=random:2x7x8x32 --arg result0=zeros:3x3x32 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = divided
// RUN: %{simulate} 2 --as-written --chip sm_80,sm_90a -- --arg x=random:2x9x13x32 --arg g=random:2x5x5x32 --arg result0=zeros:3x3x32 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = first
// RUN: %{simulate} 3 --as-written --chip sm_80,sm_90a -- --arg x=random:2x32x7x9 --arg g=random:2x32x7x9 --arg result0=zeros:3x3x32 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = rectified
// RUN: %{simulate} 2 --as-written --chip sm_90a -- --arg x=random:2x7x9x40 --arg g=random:2x7x9x40 --arg result0=zeros:3x3x40 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = wide
// RUN: %{simulate} 4 --as-written --chip sm_90a -- --arg x=random:2x8x8x32 --arg g=random:2x8x8x32 --arg result0=zeros:5x5x32 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = several
// RUN: %{simulate} 2 --as-written --chip sm_90a -- --arg x=random:2x8x7x12 --arg g=random:2x8x7x12x2 --arg result0=zeros:3x3x12x2 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = halves
// RUN: %{simulate} 1 --chip sm_90a -- --arg x=random:2x8x8x64 --arg g=random:2x8x8x64 --arg result0=zeros:3x3x64 --rtol 1e-2 --atol 6e-2 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#x = #carousel.argument<"x", in>
#g = #carousel.argument<"g", in>

func.func @odd(%x: tensor<?x7x9x40xf32> {carousel.argument = #x}, %g: tensor<?x7x9x40xf32> {carousel.argument = #g}) -> tensor<3x3x40xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x7x9x40xf32> to tensor<?x9x11x40xf32>
  %ef = tensor.empty() : tensor<3x3x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x40xf32>) -> tensor<3x3x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<?x9x11x40xf32>, tensor<?x7x9x40xf32>) outs(%f : tensor<3x3x40xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x40xf32>
  return %y : tensor<3x3x40xf32>
}

func.func @strided(%x: tensor<?x14x16x32xf32> {carousel.argument = #x}, %g: tensor<?x7x8x32xf32> {carousel.argument = #g}) -> tensor<3x3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x14x16x32xf32> to tensor<?x16x18x32xf32>
  %ef = tensor.empty() : tensor<3x3x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x32xf32>) -> tensor<3x3x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i * 2, b + j * 2, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<?x16x18x32xf32>, tensor<?x7x8x32xf32>) outs(%f : tensor<3x3x32xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x32xf32>
  return %y : tensor<3x3x32xf32>
}

// The strides 2 and 3 divide no extent of the image: the pad of one pixel more is one of several.
func.func @divided(%x: tensor<?x9x13x32xf32> {carousel.argument = #x}, %g: tensor<?x5x5x32xf32> {carousel.argument = #g}) -> tensor<3x3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x9x13x32xf32> to tensor<?x11x15x32xf32>
  %ef = tensor.empty() : tensor<3x3x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x32xf32>) -> tensor<3x3x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i * 2, b + j * 3, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<?x11x15x32xf32>, tensor<?x5x5x32xf32>) outs(%f : tensor<3x3x32xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x32xf32>
  return %y : tensor<3x3x32xf32>
}

// One kernel writes the image with channels last, and the kernel of all sums reads the other factor as it is.
func.func @first(%x: tensor<?x32x7x9xf32> {carousel.argument = #x}, %g: tensor<?x32x7x9xf32> {carousel.argument = #g}) -> tensor<3x3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x32x7x9xf32> to tensor<?x32x9x11xf32>
  %ef = tensor.empty() : tensor<3x3x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x32xf32>) -> tensor<3x3x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, c, a + i, b + j)>,
        affine_map<(a, b, c, n, i, j) -> (n, c, i, j)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<?x32x9x11xf32>, tensor<?x32x7x9xf32>) outs(%f : tensor<3x3x32xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x32xf32>
  return %y : tensor<3x3x32xf32>
}

// What all sums read is computed in their kernel, once.
func.func @rectified(%x: tensor<?x7x9x40xf32> {carousel.argument = #x}, %g: tensor<?x7x9x40xf32> {carousel.argument = #g}) -> tensor<3x3x40xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %g, %c0 : tensor<?x7x9x40xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x7x9x40xf32> to tensor<?x9x11x40xf32>
  %er = tensor.empty(%n) : tensor<?x7x9x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, i, j, c) -> (n, i, j, c)>, affine_map<(n, i, j, c) -> (n, i, j, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<?x7x9x40xf32>) outs(%er : tensor<?x7x9x40xf32>) {
  ^bb0(%in: f32, %o: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x7x9x40xf32>
  %ef = tensor.empty() : tensor<3x3x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x40xf32>) -> tensor<3x3x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %r : tensor<?x9x11x40xf32>, tensor<?x7x9x40xf32>) outs(%f : tensor<3x3x40xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x40xf32>
  return %y : tensor<3x3x40xf32>
}

// Nine of the 25 sums are of one kernel.
func.func @wide(%x: tensor<?x8x8x32xf32> {carousel.argument = #x}, %g: tensor<?x8x8x32xf32> {carousel.argument = #g}) -> tensor<5x5x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x8x8x32xf32> to tensor<?x12x12x32xf32>
  %ef = tensor.empty() : tensor<5x5x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<5x5x32xf32>) -> tensor<5x5x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<?x12x12x32xf32>, tensor<?x8x8x32xf32>) outs(%f : tensor<5x5x32xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x5x32xf32>
  return %y : tensor<5x5x32xf32>
}

func.func @several(%x: tensor<?x8x7x12xf32> {carousel.argument = #x}, %g: tensor<?x8x7x12x2xf32> {carousel.argument = #g}) -> tensor<3x3x12x2xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<?x8x7x12xf32> to tensor<?x10x9x12xf32>
  %ef = tensor.empty() : tensor<3x3x12x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x12x2xf32>) -> tensor<3x3x12x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, m, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, m, n, i, j) -> (n, i, j, c, m)>, affine_map<(a, b, c, m, n, i, j) -> (a, b, c, m)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<?x10x9x12xf32>, tensor<?x8x7x12x2xf32>) outs(%f : tensor<3x3x12x2xf32>) {
  ^bb0(%in: f32, %weight: f32, %o: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x12x2xf32>
  return %y : tensor<3x3x12x2xf32>
}

func.func @halves(%x: tensor<?x8x8x64xbf16> {carousel.argument = #x}, %g: tensor<?x8x8x64xbf16> {carousel.argument = #g}) -> tensor<3x3x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : bf16
  } : tensor<?x8x8x64xbf16> to tensor<?x10x10x64xbf16>
  %ef = tensor.empty() : tensor<3x3x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%ef : tensor<3x3x64xbf16>) -> tensor<3x3x64xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, n, i, j) -> (n, a + i, b + j, c)>,
        affine_map<(a, b, c, n, i, j) -> (n, i, j, c)>, affine_map<(a, b, c, n, i, j) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %g : tensor<?x10x10x64xbf16>, tensor<?x8x8x64xbf16>) outs(%f : tensor<3x3x64xbf16>) {
  ^bb0(%in: bf16, %weight: bf16, %o: bf16):
    %m = arith.mulf %in, %weight : bf16
    %s = arith.addf %o, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<3x3x64xbf16>
  return %y : tensor<3x3x64xbf16>
}
