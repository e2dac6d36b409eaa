// Windows with one result along a dimension: those of images that are longer than the window, padded images whose loop
// has no window left, and groups of few channels whose padding or dilation is in other dimensions.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a
// REDEFINE: %{function} = one_result
// RUN: %{simulate} -- --arg arg0=random:1x3x3 --arg result0=zeros:1x1x1 | FileCheck %s
// REDEFINE: %{function} = one_row
// RUN: %{simulate} -- --arg arg0=random:1x3x4 --arg result0=zeros:1x1x2 | FileCheck %s
// REDEFINE: %{function} = weights_gradient
// RUN: %{simulate} --as-written -- --arg arg0=random:16x2x16x6 --arg arg1=random:3x2x3x6 --arg arg2=random:16x1x15x6 --arg result0=zeros:3x2x3x6 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = padded_groups
// RUN: %{simulate} -- --arg arg0=random:4x2x8x32 --arg arg1=random:3x3x8x32 --arg result0=zeros:4x1x8x32 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = padded_narrow_groups
// RUN: %{simulate} --as-written -- --arg arg0=random:16x2x16x6 --arg arg1=random:3x2x3x6 --arg result0=zeros:16x1x15x6 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// REDEFINE: %{function} = transposed_groups
// RUN: %{simulate} --as-written -- --arg arg0=random:5x4x5x2 --arg arg1=random:1x8x3x4 --arg result0=zeros:5x13x1x8 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

func.func @one_result(%x: tensor<1x3x3xf32>) -> tensor<1x1x1xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x1x1xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, i, j, a, b) -> (c, i * 2 + a, j * 2 + b)>, affine_map<(c, i, j, a, b) -> (a, b)>, affine_map<(c, i, j, a, b) -> (c, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x3x3xf32>, tensor<2x2xf32>) outs(%i : tensor<1x1x1xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.maximumf %o, %p : f32
    linalg.yield %m : f32
  } -> tensor<1x1x1xf32>
  return %y : tensor<1x1x1xf32>
}

func.func @one_row(%x: tensor<1x3x4xf32>) -> tensor<1x1x2xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x1x2xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, i, j, a, b) -> (c, i * 2 + a, j * 2 + b)>, affine_map<(c, i, j, a, b) -> (a, b)>, affine_map<(c, i, j, a, b) -> (c, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x3x4xf32>, tensor<2x2xf32>) outs(%i : tensor<1x1x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.maximumf %o, %p : f32
    linalg.yield %m : f32
  } -> tensor<1x1x2xf32>
  return %y : tensor<1x1x2xf32>
}

func.func @weights_gradient(%arg0: tensor<16x2x16x6xf32>, %arg1: tensor<3x2x3x6xf32>, %arg2: tensor<16x1x15x6xf32>) -> tensor<3x2x3x6xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %padded = tensor.pad %arg0 low[0, 0, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
    tensor.yield %cst : f32
  } : tensor<16x2x16x6xf32> to tensor<16x3x16x6xf32>
  %expanded = tensor.expand_shape %padded [[0], [1], [2], [3, 4]] output_shape [16, 3, 16, 2, 3] : tensor<16x3x16x6xf32> into tensor<16x3x16x2x3xf32>
  %expanded_0 = tensor.expand_shape %arg2 [[0], [1], [2], [3, 4]] output_shape [16, 1, 15, 2, 3] : tensor<16x1x15x6xf32> into tensor<16x1x15x2x3xf32>
  %0 = tensor.empty() : tensor<3x2x3x2x3xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x2x3x2x3xf32>) -> tensor<3x2x3x2x3xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d3 + d4, d5 + d6, d0, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d4, d6, d0, d2)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d3, d5, d7, d0, d2)>], iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%expanded, %expanded_0 : tensor<16x3x16x2x3xf32>, tensor<16x1x15x2x3xf32>) outs(%1 : tensor<3x2x3x2x3xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.mulf %in, %in_1 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x2x3x2x3xf32>
  %collapsed = tensor.collapse_shape %2 [[0], [1], [2], [3, 4]] : tensor<3x2x3x2x3xf32> into tensor<3x2x3x6xf32>
  return %collapsed : tensor<3x2x3x6xf32>
}

func.func @padded_groups(%arg0: tensor<4x2x8x32xbf16>, %arg1: tensor<3x3x8x32xbf16>) -> tensor<4x1x8x32xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0.000000e+00 : bf16
  %padded = tensor.pad %arg0 low[0, 0, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
    tensor.yield %cst_0 : bf16
  } : tensor<4x2x8x32xbf16> to tensor<4x3x10x32xbf16>
  %expanded = tensor.expand_shape %padded [[0], [1], [2], [3, 4]] output_shape [4, 3, 10, 4, 8] : tensor<4x3x10x32xbf16> into tensor<4x3x10x4x8xbf16>
  %expanded_1 = tensor.expand_shape %arg1 [[0], [1], [2], [3, 4]] output_shape [3, 3, 8, 4, 8] : tensor<3x3x8x32xbf16> into tensor<3x3x8x4x8xbf16>
  %0 = tensor.empty() : tensor<4x1x8x4x8xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x1x8x4x8xf32>) -> tensor<4x1x8x4x8xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d3 + d4, d5 + d6, d0, d1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d4, d6, d1, d0, d2)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d3, d5, d0, d2)>], iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%expanded, %expanded_1 : tensor<4x3x10x4x8xbf16>, tensor<3x3x8x4x8xbf16>) outs(%1 : tensor<4x1x8x4x8xf32>) {
  ^bb0(%in: bf16, %in_2: bf16, %out: f32):
    %3 = arith.extf %in : bf16 to f32
    %4 = arith.extf %in_2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<4x1x8x4x8xf32>
  %collapsed = tensor.collapse_shape %2 [[0], [1], [2], [3, 4]] : tensor<4x1x8x4x8xf32> into tensor<4x1x8x32xf32>
  return %collapsed : tensor<4x1x8x32xf32>
}

func.func @padded_narrow_groups(%arg0: tensor<16x2x16x6xf32>, %arg1: tensor<3x2x3x6xf32>) -> tensor<16x1x15x6xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %padded = tensor.pad %arg0 low[0, 0, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
    tensor.yield %cst : f32
  } : tensor<16x2x16x6xf32> to tensor<16x3x16x6xf32>
  %expanded = tensor.expand_shape %padded [[0], [1], [2], [3, 4]] output_shape [16, 3, 16, 2, 3] : tensor<16x3x16x6xf32> into tensor<16x3x16x2x3xf32>
  %expanded_0 = tensor.expand_shape %arg1 [[0], [1], [2], [3, 4]] output_shape [3, 2, 3, 2, 3] : tensor<3x2x3x6xf32> into tensor<3x2x3x2x3xf32>
  %0 = tensor.empty() : tensor<16x1x15x2x3xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x1x15x2x3xf32>) -> tensor<16x1x15x2x3xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d3 + d4, d5 + d6, d0, d1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d4, d6, d1, d0, d2)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d3, d5, d0, d2)>], iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%expanded, %expanded_0 : tensor<16x3x16x2x3xf32>, tensor<3x2x3x2x3xf32>) outs(%1 : tensor<16x1x15x2x3xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.mulf %in, %in_1 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16x1x15x2x3xf32>
  %collapsed = tensor.collapse_shape %2 [[0], [1], [2], [3, 4]] : tensor<16x1x15x2x3xf32> into tensor<16x1x15x6xf32>
  return %collapsed : tensor<16x1x15x6xf32>
}

func.func @transposed_groups(%arg0: tensor<5x4x5x2xf32>, %arg1: tensor<1x8x3x4xf32>) -> tensor<5x13x1x8xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<5x4x15x4xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5x4x15x4xf32>) -> tensor<5x4x15x4xf32>
  %inserted_slice = tensor.insert_slice %arg0 into %1[0, 0, 2, 0] [5, 4, 5, 2] [1, 1, 3, 3] : tensor<5x4x5x2xf32> into tensor<5x4x15x4xf32>
  %expanded = tensor.expand_shape %inserted_slice [[0], [1], [2, 3], [4]] output_shape [5, 4, 1, 15, 4] : tensor<5x4x15x4xf32> into tensor<5x4x1x15x4xf32>
  %expanded_0 = tensor.expand_shape %arg1 [[0], [1, 2], [3], [4]] output_shape [1, 4, 2, 3, 4] : tensor<1x8x3x4xf32> into tensor<1x4x2x3x4xf32>
  %2 = tensor.empty() : tensor<5x13x1x4x2xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5x13x1x4x2xf32>) -> tensor<5x13x1x4x2xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d0, d1, d3 + d4, d5 + d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d0, d2, d4, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d3, d5, d0, d2)>], iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%expanded, %expanded_0 : tensor<5x4x1x15x4xf32>, tensor<1x4x2x3x4xf32>) outs(%3 : tensor<5x13x1x4x2xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.mulf %in, %in_1 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<5x13x1x4x2xf32>
  %collapsed = tensor.collapse_shape %4 [[0], [1], [2], [3, 4]] : tensor<5x13x1x4x2xf32> into tensor<5x13x1x8xf32>
  return %collapsed : tensor<5x13x1x8xf32>
}
