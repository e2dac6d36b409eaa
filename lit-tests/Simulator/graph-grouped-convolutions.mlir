// Convolutions in groups of channels compute what their ops do as written: groups that are joined, and groups that are wide enough, odd numbers of both, strides, channels first and last.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a
// REDEFINE: %{function} = narrow
// RUN: %{simulate} --kernels 2 --as-written -- --arg x=random:2x5x7x28 --arg w=random:3x3x4x28 --arg result0=zeros:2x5x7x28 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = narrow_strided
// RUN: %{simulate} --kernels 2 --as-written -- --arg x=random:2x6x10x32 --arg w=random:3x3x8x16 --arg result0=zeros:2x3x5x16 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = narrow_halves
// RUN: %{simulate} --kernels 2 -- --arg x=random:2x8x8x16x4 --arg w=random:16x4x3x3x4 --arg result0=zeros:2x8x8x16x4 --rtol 1e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{function} = wide
// RUN: %{simulate} --kernels 1 --as-written -- --arg x=random:2x5x7x108 --arg w=random:3x3x36x99 --arg result0=zeros:2x5x7x99 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = wide_strided
// RUN: %{simulate} --kernels 1 --as-written -- --arg x=random:2x6x10x64 --arg w=random:3x3x32x64 --arg result0=zeros:2x3x5x64 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = wide_halves
// RUN: %{simulate} --kernels 1 -- --arg x=random:2x8x8x128 --arg w=random:3x3x64x64 --arg result0=zeros:2x8x8x64 --rtol 1e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{function} = groups_first
// RUN: %{simulate} --as-written -- --arg x=random:1x8x5x6 --arg w=random:12x4x3x3 --arg result0=zeros:1x12x5x6 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>

// Groups of 4 channels become groups of 28.
func.func @narrow(%x: tensor<2x5x7x28xf32> {carousel.argument = #x}, %k: tensor<3x3x4x28xf32> {carousel.argument = #w}) -> tensor<2x5x7x28xf32> {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0_2: index, %i1_2: index, %i2_2: index, %i3_2: index):
    tensor.yield %v1 : f32
  } : tensor<2x5x7x28xf32> to tensor<2x7x9x28xf32>
  %v3 = tensor.expand_shape %v2 [[0], [1], [2], [3, 4]] output_shape [2, 7, 9, 7, 4] : tensor<2x7x9x28xf32> into tensor<2x7x9x7x4xf32>
  %v4 = tensor.expand_shape %k [[0], [1], [2], [3, 4]] output_shape [3, 3, 4, 7, 4] : tensor<3x3x4x28xf32> into tensor<3x3x4x7x4xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<2x5x7x7x4xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<2x5x7x7x4xf32>) -> tensor<2x5x7x7x4xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(n, i, j, g, f, a, b, c) -> (n, i * 1 + a, j * 1 + b, g, c)>, affine_map<(n, i, j, g, f, a, b, c) -> (a, b, c, g, f)>, affine_map<(n, i, j, g, f, a, b, c) -> (n, i, j, g, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%v3, %v4 : tensor<2x7x9x7x4xf32>, tensor<3x3x4x7x4xf32>) outs(%v7 : tensor<2x5x7x7x4xf32>) {
    ^bb0(%in: f32, %w: f32, %o: f32):
      %m8 = arith.mulf %in, %w : f32
      %s8 = arith.addf %o, %m8 : f32
      linalg.yield %s8 : f32
    } -> tensor<2x5x7x7x4xf32>
  %v9 = tensor.collapse_shape %v8 [[0], [1], [2], [3, 4]] : tensor<2x5x7x7x4xf32> into tensor<2x5x7x28xf32>
  return %v9 : tensor<2x5x7x28xf32>
}

func.func @narrow_strided(%x: tensor<2x6x10x32xf32> {carousel.argument = #x}, %k: tensor<3x3x8x16xf32> {carousel.argument = #w}) -> tensor<2x3x5x16xf32> {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0_2: index, %i1_2: index, %i2_2: index, %i3_2: index):
    tensor.yield %v1 : f32
  } : tensor<2x6x10x32xf32> to tensor<2x8x12x32xf32>
  %v3 = tensor.expand_shape %v2 [[0], [1], [2], [3, 4]] output_shape [2, 8, 12, 4, 8] : tensor<2x8x12x32xf32> into tensor<2x8x12x4x8xf32>
  %v4 = tensor.expand_shape %k [[0], [1], [2], [3, 4]] output_shape [3, 3, 8, 4, 4] : tensor<3x3x8x16xf32> into tensor<3x3x8x4x4xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<2x3x5x4x4xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<2x3x5x4x4xf32>) -> tensor<2x3x5x4x4xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(n, i, j, g, f, a, b, c) -> (n, i * 2 + a, j * 2 + b, g, c)>, affine_map<(n, i, j, g, f, a, b, c) -> (a, b, c, g, f)>, affine_map<(n, i, j, g, f, a, b, c) -> (n, i, j, g, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%v3, %v4 : tensor<2x8x12x4x8xf32>, tensor<3x3x8x4x4xf32>) outs(%v7 : tensor<2x3x5x4x4xf32>) {
    ^bb0(%in: f32, %w: f32, %o: f32):
      %m8 = arith.mulf %in, %w : f32
      %s8 = arith.addf %o, %m8 : f32
      linalg.yield %s8 : f32
    } -> tensor<2x3x5x4x4xf32>
  %v9 = tensor.collapse_shape %v8 [[0], [1], [2], [3, 4]] : tensor<2x3x5x4x4xf32> into tensor<2x3x5x16xf32>
  return %v9 : tensor<2x3x5x16xf32>
}

// Matrix instructions multiply tiles of joined groups.
func.func @narrow_halves(%x: tensor<2x8x8x16x4xbf16> {carousel.argument = #x}, %k: tensor<16x4x3x3x4xbf16> {carousel.argument = #w}) -> tensor<2x8x8x16x4xbf16> {
  %v1 = arith.constant 0.0 : bf16
  %v2 = tensor.pad %x low[0, 1, 1, 0, 0] high[0, 1, 1, 0, 0] {
  ^bb0(%i0_2: index, %i1_2: index, %i2_2: index, %i3_2: index, %i4_2: index):
    tensor.yield %v1 : bf16
  } : tensor<2x8x8x16x4xbf16> to tensor<2x10x10x16x4xbf16>
  %v3 = arith.constant 0.0 : bf16
  %v4 = tensor.empty() : tensor<2x8x8x16x4xbf16>
  %v5 = linalg.fill ins(%v3 : bf16) outs(%v4 : tensor<2x8x8x16x4xbf16>) -> tensor<2x8x8x16x4xbf16>
  %v6 = linalg.conv_2d_nhwgc_gfhwc {strides = dense<1> : tensor<2xi64>} ins(%v2, %k : tensor<2x10x10x16x4xbf16>, tensor<16x4x3x3x4xbf16>) outs(%v5 : tensor<2x8x8x16x4xbf16>) -> tensor<2x8x8x16x4xbf16>
  return %v6 : tensor<2x8x8x16x4xbf16>
}

// Groups that are no multiple of a tile: the image goes on behind their channels.
func.func @wide(%x: tensor<2x5x7x108xf32> {carousel.argument = #x}, %k: tensor<3x3x36x99xf32> {carousel.argument = #w}) -> tensor<2x5x7x99xf32> {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0_2: index, %i1_2: index, %i2_2: index, %i3_2: index):
    tensor.yield %v1 : f32
  } : tensor<2x5x7x108xf32> to tensor<2x7x9x108xf32>
  %v3 = tensor.expand_shape %v2 [[0], [1], [2], [3, 4]] output_shape [2, 7, 9, 3, 36] : tensor<2x7x9x108xf32> into tensor<2x7x9x3x36xf32>
  %v4 = tensor.expand_shape %k [[0], [1], [2], [3, 4]] output_shape [3, 3, 36, 3, 33] : tensor<3x3x36x99xf32> into tensor<3x3x36x3x33xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<2x5x7x3x33xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<2x5x7x3x33xf32>) -> tensor<2x5x7x3x33xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(n, i, j, g, f, a, b, c) -> (n, i * 1 + a, j * 1 + b, g, c)>, affine_map<(n, i, j, g, f, a, b, c) -> (a, b, c, g, f)>, affine_map<(n, i, j, g, f, a, b, c) -> (n, i, j, g, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%v3, %v4 : tensor<2x7x9x3x36xf32>, tensor<3x3x36x3x33xf32>) outs(%v7 : tensor<2x5x7x3x33xf32>) {
    ^bb0(%in: f32, %w: f32, %o: f32):
      %m8 = arith.mulf %in, %w : f32
      %s8 = arith.addf %o, %m8 : f32
      linalg.yield %s8 : f32
    } -> tensor<2x5x7x3x33xf32>
  %v9 = tensor.collapse_shape %v8 [[0], [1], [2], [3, 4]] : tensor<2x5x7x3x33xf32> into tensor<2x5x7x99xf32>
  return %v9 : tensor<2x5x7x99xf32>
}

func.func @wide_strided(%x: tensor<2x6x10x64xf32> {carousel.argument = #x}, %k: tensor<3x3x32x64xf32> {carousel.argument = #w}) -> tensor<2x3x5x64xf32> {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0_2: index, %i1_2: index, %i2_2: index, %i3_2: index):
    tensor.yield %v1 : f32
  } : tensor<2x6x10x64xf32> to tensor<2x8x12x64xf32>
  %v3 = tensor.expand_shape %v2 [[0], [1], [2], [3, 4]] output_shape [2, 8, 12, 2, 32] : tensor<2x8x12x64xf32> into tensor<2x8x12x2x32xf32>
  %v4 = tensor.expand_shape %k [[0], [1], [2], [3, 4]] output_shape [3, 3, 32, 2, 32] : tensor<3x3x32x64xf32> into tensor<3x3x32x2x32xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<2x3x5x2x32xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<2x3x5x2x32xf32>) -> tensor<2x3x5x2x32xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(n, i, j, g, f, a, b, c) -> (n, i * 2 + a, j * 2 + b, g, c)>, affine_map<(n, i, j, g, f, a, b, c) -> (a, b, c, g, f)>, affine_map<(n, i, j, g, f, a, b, c) -> (n, i, j, g, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%v3, %v4 : tensor<2x8x12x2x32xf32>, tensor<3x3x32x2x32xf32>) outs(%v7 : tensor<2x3x5x2x32xf32>) {
    ^bb0(%in: f32, %w: f32, %o: f32):
      %m8 = arith.mulf %in, %w : f32
      %s8 = arith.addf %o, %m8 : f32
      linalg.yield %s8 : f32
    } -> tensor<2x3x5x2x32xf32>
  %v9 = tensor.collapse_shape %v8 [[0], [1], [2], [3, 4]] : tensor<2x3x5x2x32xf32> into tensor<2x3x5x64xf32>
  return %v9 : tensor<2x3x5x64xf32>
}

func.func @wide_halves(%x: tensor<2x8x8x128xbf16> {carousel.argument = #x}, %k: tensor<3x3x64x64xbf16> {carousel.argument = #w}) -> tensor<2x8x8x64xbf16> {
  %v1 = arith.constant 0.0 : bf16
  %v2 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0_2: index, %i1_2: index, %i2_2: index, %i3_2: index):
    tensor.yield %v1 : bf16
  } : tensor<2x8x8x128xbf16> to tensor<2x10x10x128xbf16>
  %v3 = tensor.expand_shape %v2 [[0], [1], [2], [3, 4]] output_shape [2, 10, 10, 2, 64] : tensor<2x10x10x128xbf16> into tensor<2x10x10x2x64xbf16>
  %v4 = tensor.expand_shape %k [[0], [1], [2], [3, 4]] output_shape [3, 3, 64, 2, 32] : tensor<3x3x64x64xbf16> into tensor<3x3x64x2x32xbf16>
  %v5 = arith.constant 0.0 : bf16
  %v6 = tensor.empty() : tensor<2x8x8x2x32xbf16>
  %v7 = linalg.fill ins(%v5 : bf16) outs(%v6 : tensor<2x8x8x2x32xbf16>) -> tensor<2x8x8x2x32xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(n, i, j, g, f, a, b, c) -> (n, i * 1 + a, j * 1 + b, g, c)>, affine_map<(n, i, j, g, f, a, b, c) -> (a, b, c, g, f)>, affine_map<(n, i, j, g, f, a, b, c) -> (n, i, j, g, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%v3, %v4 : tensor<2x10x10x2x64xbf16>, tensor<3x3x64x2x32xbf16>) outs(%v7 : tensor<2x8x8x2x32xbf16>) {
    ^bb0(%in: bf16, %w: bf16, %o: bf16):
      %m8 = arith.mulf %in, %w : bf16
      %s8 = arith.addf %o, %m8 : bf16
      linalg.yield %s8 : bf16
    } -> tensor<2x8x8x2x32xbf16>
  %v9 = tensor.collapse_shape %v8 [[0], [1], [2], [3, 4]] : tensor<2x8x8x2x32xbf16> into tensor<2x8x8x64xbf16>
  return %v9 : tensor<2x8x8x64xbf16>
}

// As PyTorch has it: kernels transpose images and weights.
func.func @groups_first(%x: tensor<1x8x5x6xf32> {carousel.argument = #x}, %k: tensor<12x4x3x3xf32> {carousel.argument = #w}) -> tensor<1x12x5x6xf32> {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0_2: index, %i1_2: index, %i2_2: index, %i3_2: index):
    tensor.yield %v1 : f32
  } : tensor<1x8x5x6xf32> to tensor<1x8x7x8xf32>
  %v3 = tensor.expand_shape %v2 [[0], [1, 2], [3], [4]] output_shape [1, 2, 4, 7, 8] : tensor<1x8x7x8xf32> into tensor<1x2x4x7x8xf32>
  %v4 = tensor.expand_shape %k [[0, 1], [2], [3], [4]] output_shape [2, 6, 4, 3, 3] : tensor<12x4x3x3xf32> into tensor<2x6x4x3x3xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<1x2x6x5x6xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<1x2x6x5x6xf32>) -> tensor<1x2x6x5x6xf32>
  %v8 = linalg.conv_2d_ngchw_gfchw {strides = dense<1> : tensor<2xi64>} ins(%v3, %v4 : tensor<1x2x4x7x8xf32>, tensor<2x6x4x3x3xf32>) outs(%v7 : tensor<1x2x6x5x6xf32>) -> tensor<1x2x6x5x6xf32>
  %v9 = tensor.collapse_shape %v8 [[0], [1, 2], [3], [4]] : tensor<1x2x6x5x6xf32> into tensor<1x12x5x6xf32>
  return %v9 : tensor<1x12x5x6xf32>
}
