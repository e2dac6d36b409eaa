// Gradients of convolutions, as front ends write them, compute what their ops do as written. None of them copies weights, or is a loop over elements.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a --kernels
// DEFINE: %{close} = --as-written -- --rtol 1e-4 --atol 1e-4
// REDEFINE: %{function} = weights
// RUN: %{simulate} 1 %{close} --arg x=random:3x7x9x12 --arg g=random:3x7x9x20 --arg result0=zeros:3x3x12x20 | FileCheck %s
// REDEFINE: %{function} = weights_of_many
// RUN: %{simulate} 1 %{close} --arg x=random:2x8x16x24 --arg g=random:2x8x16x16 --arg result0=zeros:3x3x24x16 | FileCheck %s
// REDEFINE: %{function} = weights_of_halves
// RUN: %{simulate} 1 -- --arg x=random:4x8x8x64 --arg g=random:4x8x8x64 --arg result0=zeros:3x3x64x64 --rtol 1e-2 --atol 4e-2 | FileCheck %s
// REDEFINE: %{function} = weights_strided
// RUN: %{simulate} 1 %{close} --arg x=random:2x7x9x12 --arg g=random:2x4x5x20 --arg result0=zeros:3x3x12x20 | FileCheck %s
// REDEFINE: %{function} = weights_nchw
// RUN: %{simulate} 3 %{close} --arg x=random:2x5x7x9 --arg g=random:2x6x7x9 --arg result0=zeros:6x5x3x3 | FileCheck %s
// REDEFINE: %{function} = weights_of_one
// RUN: %{simulate} 1 %{close} --arg x=random:7x9x12 --arg g=random:7x9x20 --arg result0=zeros:3x3x12x20 | FileCheck %s
// REDEFINE: %{function} = image
// RUN: %{simulate} 1 %{close} --arg w=random:3x3x12x20 --arg g=random:2x7x9x20 --arg result0=zeros:2x7x9x12 | FileCheck %s
// REDEFINE: %{function} = image_of_halves
// RUN: %{simulate} 1 -- --arg w=random:3x3x64x64 --arg g=random:2x8x8x64 --arg result0=zeros:2x8x8x64 --rtol 1e-2 --atol 4e-2 | FileCheck %s
// REDEFINE: %{function} = image_strided
// RUN: %{simulate} 4 %{close} --arg w=random:3x3x12x20 --arg g=random:2x4x5x20 --arg result0=zeros:2x7x9x12 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#id = affine_map<(a, b, c, f) -> (a, b, c, f)>
#from_end = affine_map<(a, b, c, f) -> (-a + 2, -b + 2, c, f)>
#of_image = affine_map<(n, f, a, i, b, j, c) -> (n, a + i, b + j, c)>
#of_gradient = affine_map<(n, f, a, i, b, j, c) -> (n, i, j, f)>
#of_weights = affine_map<(n, f, a, i, b, j, c) -> (a, b, c, f)>
#at_window = affine_map<(f, c, i, a, j, b, n) -> (n, i + a, j + b, f)>
#reversed = affine_map<(f, c, i, a, j, b, n) -> (a, b, c, f)>
#at_pixel = affine_map<(f, c, i, a, j, b, n) -> (n, i, j, c)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#g = #carousel.argument<"g", in>

// As JAX has it: the sum is along all pixels, which are the elements of the kernel.
func.func @weights(%x: tensor<3x7x9x12xf32> {carousel.argument = #x},
    %g: tensor<3x7x9x20xf32> {carousel.argument = #g}) -> tensor<3x3x12x20xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<3x7x9x12xf32> to tensor<3x9x11x12xf32>
  %ef = tensor.empty() : tensor<3x3x12x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x12x20xf32>) -> tensor<3x3x12x20xf32>
  %y = linalg.generic {indexing_maps = [#of_image, #of_gradient, #of_weights],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %g : tensor<3x9x11x12xf32>, tensor<3x7x9x20xf32>) outs(%f : tensor<3x3x12x20xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x12x20xf32>
  return %y : tensor<3x3x12x20xf32>
}

// Boxes of pixels fill the image, and several programs add up parts.
func.func @weights_of_many(%x: tensor<2x8x16x24xf32> {carousel.argument = #x},
    %g: tensor<2x8x16x16xf32> {carousel.argument = #g}) -> tensor<3x3x24x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x8x16x24xf32> to tensor<2x10x18x24xf32>
  %ef = tensor.empty() : tensor<3x3x24x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x24x16xf32>) -> tensor<3x3x24x16xf32>
  %y = linalg.generic {indexing_maps = [#of_image, #of_gradient, #of_weights],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %g : tensor<2x10x18x24xf32>, tensor<2x8x16x16xf32>) outs(%f : tensor<3x3x24x16xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x24x16xf32>
  return %y : tensor<3x3x24x16xf32>
}

// Matrix instructions read both factors' tiles across pixels.
func.func @weights_of_halves(%x: tensor<4x8x8x64xbf16> {carousel.argument = #x},
    %g: tensor<4x8x8x64xbf16> {carousel.argument = #g}) -> tensor<3x3x64x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : bf16
  } : tensor<4x8x8x64xbf16> to tensor<4x10x10x64xbf16>
  %ef = tensor.empty() : tensor<3x3x64x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%ef : tensor<3x3x64x64xbf16>) -> tensor<3x3x64x64xbf16>
  %y = linalg.generic {indexing_maps = [#of_image, #of_gradient, #of_weights],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %g : tensor<4x10x10x64xbf16>, tensor<4x8x8x64xbf16>) outs(%f : tensor<3x3x64x64xbf16>) {
  ^bb0(%in: bf16, %weight: bf16, %out: bf16):
    %m = arith.mulf %in, %weight : bf16
    %s = arith.addf %out, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<3x3x64x64xbf16>
  return %y : tensor<3x3x64x64xbf16>
}

// Of a stride of 2: JAX has zeros between the pixels of the gradient.
func.func @weights_strided(%x: tensor<2x7x9x12xf32> {carousel.argument = #x},
    %g: tensor<2x4x5x20xf32> {carousel.argument = #g}) -> tensor<3x3x12x20xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x7x9x12xf32> to tensor<2x9x11x12xf32>
  %ez = tensor.empty() : tensor<2x7x9x20xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ez : tensor<2x7x9x20xf32>) -> tensor<2x7x9x20xf32>
  %d = tensor.insert_slice %g into %z[0, 0, 0, 0] [2, 4, 5, 20] [1, 2, 2, 1] : tensor<2x4x5x20xf32> into tensor<2x7x9x20xf32>
  %ef = tensor.empty() : tensor<3x3x12x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x12x20xf32>) -> tensor<3x3x12x20xf32>
  %y = linalg.generic {indexing_maps = [#of_image, #of_gradient, #of_weights],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %d : tensor<2x9x11x12xf32>, tensor<2x7x9x20xf32>) outs(%f : tensor<3x3x12x20xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x12x20xf32>
  return %y : tensor<3x3x12x20xf32>
}

// Channels first: kernels transpose both images.
func.func @weights_nchw(%x: tensor<2x5x7x9xf32> {carousel.argument = #x},
    %g: tensor<2x6x7x9xf32> {carousel.argument = #g}) -> tensor<6x5x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x5x7x9xf32> to tensor<2x5x9x11xf32>
  %ef = tensor.empty() : tensor<6x5x3x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<6x5x3x3xf32>) -> tensor<6x5x3x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, f, a, b, c, i, j) -> (n, c, a + i, b + j)>, affine_map<(n, f, a, b, c, i, j) -> (n, f, i, j)>, affine_map<(n, f, a, b, c, i, j) -> (f, c, a, b)>],
      iterator_types = ["reduction", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %g : tensor<2x5x9x11xf32>, tensor<2x6x7x9xf32>) outs(%f : tensor<6x5x3x3xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<6x5x3x3xf32>
  return %y : tensor<6x5x3x3xf32>
}

// One image, whose dimension is gone.
func.func @weights_of_one(%x: tensor<7x9x12xf32> {carousel.argument = #x},
    %g: tensor<7x9x20xf32> {carousel.argument = #g}) -> tensor<3x3x12x20xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %zero : f32
  } : tensor<7x9x12xf32> to tensor<9x11x12xf32>
  %ef = tensor.empty() : tensor<3x3x12x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<3x3x12x20xf32>) -> tensor<3x3x12x20xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(f, a, i, b, j, c) -> (a + i, b + j, c)>, affine_map<(f, a, i, b, j, c) -> (i, j, f)>, affine_map<(f, a, i, b, j, c) -> (a, b, c, f)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %g : tensor<9x11x12xf32>, tensor<7x9x20xf32>) outs(%f : tensor<3x3x12x20xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x3x12x20xf32>
  return %y : tensor<3x3x12x20xf32>
}

// The kernel is read from its end on, and as it is in memory.
func.func @image(%w: tensor<3x3x12x20xf32> {carousel.argument = #w},
    %g: tensor<2x7x9x20xf32> {carousel.argument = #g}) -> tensor<2x7x9x12xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<3x3x12x20xf32>
  %r = linalg.generic {indexing_maps = [#from_end, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<3x3x12x20xf32>) outs(%er : tensor<3x3x12x20xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x3x12x20xf32>
  %p = tensor.pad %g low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x7x9x20xf32> to tensor<2x9x11x20xf32>
  %ef = tensor.empty() : tensor<2x7x9x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<2x7x9x12xf32>) -> tensor<2x7x9x12xf32>
  %y = linalg.generic {indexing_maps = [#at_window, #reversed, #at_pixel],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %r : tensor<2x9x11x20xf32>, tensor<3x3x12x20xf32>) outs(%f : tensor<2x7x9x12xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x7x9x12xf32>
  return %y : tensor<2x7x9x12xf32>
}

func.func @image_of_halves(%w: tensor<3x3x64x64xbf16> {carousel.argument = #w},
    %g: tensor<2x8x8x64xbf16> {carousel.argument = #g}) -> tensor<2x8x8x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %er = tensor.empty() : tensor<3x3x64x64xbf16>
  %r = linalg.generic {indexing_maps = [#from_end, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<3x3x64x64xbf16>) outs(%er : tensor<3x3x64x64xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<3x3x64x64xbf16>
  %p = tensor.pad %g low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : bf16
  } : tensor<2x8x8x64xbf16> to tensor<2x10x10x64xbf16>
  %ef = tensor.empty() : tensor<2x8x8x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%ef : tensor<2x8x8x64xbf16>) -> tensor<2x8x8x64xbf16>
  %y = linalg.generic {indexing_maps = [#at_window, #reversed, #at_pixel],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %r : tensor<2x10x10x64xbf16>, tensor<3x3x64x64xbf16>) outs(%f : tensor<2x8x8x64xbf16>) {
  ^bb0(%in: bf16, %weight: bf16, %out: bf16):
    %m = arith.mulf %in, %weight : bf16
    %s = arith.addf %out, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<2x8x8x64xbf16>
  return %y : tensor<2x8x8x64xbf16>
}

// Of a stride of 2: zeros are between the pixels of the gradient.
func.func @image_strided(%w: tensor<3x3x12x20xf32> {carousel.argument = #w},
    %g: tensor<2x4x5x20xf32> {carousel.argument = #g}) -> tensor<2x7x9x12xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<3x3x12x20xf32>
  %r = linalg.generic {indexing_maps = [#from_end, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<3x3x12x20xf32>) outs(%er : tensor<3x3x12x20xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x3x12x20xf32>
  %ez = tensor.empty() : tensor<2x9x11x20xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ez : tensor<2x9x11x20xf32>) -> tensor<2x9x11x20xf32>
  %p = tensor.insert_slice %g into %z[0, 1, 1, 0] [2, 4, 5, 20] [1, 2, 2, 1] : tensor<2x4x5x20xf32> into tensor<2x9x11x20xf32>
  %ef = tensor.empty() : tensor<2x7x9x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<2x7x9x12xf32>) -> tensor<2x7x9x12xf32>
  %y = linalg.generic {indexing_maps = [#at_window, #reversed, #at_pixel],
      iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
      ins(%p, %r : tensor<2x9x11x20xf32>, tensor<3x3x12x20xf32>) outs(%f : tensor<2x7x9x12xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %m = arith.mulf %in, %weight : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x7x9x12xf32>
  return %y : tensor<2x7x9x12xf32>
}
