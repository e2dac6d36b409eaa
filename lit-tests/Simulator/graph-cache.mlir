// Steps of decoding whose caches are donated, as JAX writes them: the rows of new keys and values are all that a kernel changes, and
// attention reads them, with others up to the position, in the same program. Four queries share a head of keys. The length of a
// request is 1, a tile, one off a tile, and full; results are right in the caches' memory, and in memory of their own.
// DEFINE: %{npy} = %python %S/../Tools/carousel-run/Inputs/npy.py
// DEFINE: %{function} =
// DEFINE: %{same} = --arg result1=same:arg3 --arg result2=same:arg4
// DEFINE: %{tensors} =
// DEFINE: %{args} =
// DEFINE: %{file} = %s
// DEFINE: %{traffic} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %{file} --function %{function} --chip sm_90a --kernels 2 %{traffic} -- %{args} --rtol 1e-2 --atol 1e-2 | FileCheck %s
// CHECK: 2 kernels
// CHECK: block phase: right
// CHECK: sm_90a: right

// RUN: rm -rf %t && mkdir %t && %{npy} write %t/0.npy "<i4" "" 0 && %{npy} write %t/125.npy "<i4" "" 125 && %{npy} write %t/126.npy "<i4" "" 126
// RUN: %{npy} write %t/last.npy "<i4" "" 2060 && %{npy} write %t/two.npy "<i4" 2 0 2060 && %{npy} write %t/more.npy "<i4" 2 127 128
// REDEFINE: %{function} = step
// REDEFINE: %{tensors} = --arg arg0=random:1x8x3x16:1 --arg arg1=random:1x2x3x16:2 --arg arg2=random:1x2x3x16:3 --arg arg3=random:1x2x2061x16:4 --arg arg4=random:1x2x2061x16:5 --arg result0=zeros:1x8x3x16
// REDEFINE: %{args} = %{tensors} %{same} --arg arg5=%t/0.npy --rtol 1e-2 --atol 1e-2 --again %{tensors} %{same} --arg arg5=%t/125.npy --rtol 1e-2 --atol 1e-2 \
// REDEFINE:   --again %{tensors} %{same} --arg arg5=%t/126.npy --rtol 1e-2 --atol 1e-2 --again %{tensors} --arg result1=zeros:1x2x2061x16 --arg result2=zeros:1x2x2061x16 --arg arg5=%t/last.npy
// RUN: %{simulate}
// REDEFINE: %{function} = many
// REDEFINE: %{tensors} = --arg arg0=random:2x8x1x16:1 --arg arg1=random:2x2x1x16:2 --arg arg2=random:2x2x1x16:3 --arg arg3=random:2x2x2061x16:4 --arg arg4=random:2x2x2061x16:5 --arg result0=zeros:2x8x1x16
// REDEFINE: %{args} = %{tensors} %{same} --arg arg5=%t/two.npy --rtol 1e-2 --atol 1e-2 --again %{tensors} %{same} --arg arg5=%t/more.npy
// RUN: %{simulate}

// Keys behind the positions aren't read: with copies to the same memory, which the simulated machine counts, all would be 0.78.
// RUN: %{npy} write %t/first.npy "<i4" 2 0 100
// REDEFINE: %{args} = %{tensors} %{same} --arg arg5=%t/first.npy
// REDEFINE: %{traffic} = --traffic 0.6
// RUN: %{simulate}
// REDEFINE: %{traffic} =

// A finite number excludes elements: a row that has none is an average of all.
// RUN: sed -e 's/\(arith.select .*, \)%%cst_0 : f32/\1%%never : f32/' -e 's/^  %%cst_0 = .*/&\n  %%never = arith.constant -1.0e30 : f32/' %s > %t/finite.mlir
// REDEFINE: %{file} = %t/finite.mlir
// RUN: %{npy} write %t/none.npy "<i4" 2 -5 700
// REDEFINE: %{args} = %{tensors} %{same} --arg arg5=%t/none.npy
// RUN: %{simulate}

// Sums of 32 bits that wrap, with either number.
// REDEFINE: %{function} = step
// REDEFINE: %{tensors} = --arg arg0=random:1x8x3x16:1 --arg arg1=random:1x2x3x16:2 --arg arg2=random:1x2x3x16:3 --arg arg3=random:1x2x2061x16:4 --arg arg4=random:1x2x2061x16:5 --arg result0=zeros:1x8x3x16
// RUN: %{npy} write %t/wraps.npy "<i4" "" 2147483646
// REDEFINE: %{args} = %{tensors} %{same} --arg arg5=%t/wraps.npy
// RUN: %{simulate}
// REDEFINE: %{file} = %s
// RUN: %{simulate}

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>

// Three new tokens from one position on: a start that leaves no room for them moves back, as in JAX.
func.func @step(%arg0: tensor<1x8x3x16xbf16>, %arg1: tensor<1x2x3x16xbf16>, %arg2: tensor<1x2x3x16xbf16>, %arg3: tensor<1x2x2061x16xbf16> {tf.aliasing_output = 1 : i32}, %arg4: tensor<1x2x2061x16xbf16> {tf.aliasing_output = 2 : i32}, %arg5: tensor<i32>) -> (tensor<1x8x3x16xbf16>, tensor<1x2x2061x16xbf16>, tensor<1x2x2061x16xbf16>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %cst = arith.constant 2.500000e-01 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 0.000000e+00 : f32
  %c2058 = arith.constant 2058 : index
  %c0 = arith.constant 0 : index
  %c2061_i32 = arith.constant 2061 : i32
  %c0_i32 = arith.constant 0 : i32
  %collapsed = tensor.collapse_shape %arg3 [[0, 1], [2], [3]] : tensor<1x2x2061x16xbf16> into tensor<2x2061x16xbf16>
  %0 = tensor.empty() : tensor<2x2061x16xbf16>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed : tensor<2x2061x16xbf16>) outs(%0 : tensor<2x2061x16xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %extracted = tensor.extract %arg5[] : tensor<i32>
    %24 = arith.cmpi slt, %extracted, %c0_i32 : i32
    %extracted_8 = tensor.extract %arg5[] : tensor<i32>
    %25 = arith.addi %extracted_8, %c2061_i32 : i32
    %extracted_9 = tensor.extract %arg5[] : tensor<i32>
    %26 = arith.select %24, %25, %extracted_9 : i32
    %27 = arith.index_cast %26 : i32 to index
    %28 = arith.maxsi %27, %c0 : index
    %29 = arith.minsi %28, %c2058 : index
    %30 = linalg.index 2 : index
    %31 = linalg.index 0 : index
    %32 = linalg.index 1 : index
    %33 = arith.subi %32, %29 : index
    %34 = arith.cmpi ult, %33, %c3 : index
    %35 = scf.if %34 -> (bf16) {
      %36 = arith.remui %31, %c2 : index
      %37 = arith.divui %31, %c2 : index
      %extracted_10 = tensor.extract %arg1[%37, %36, %33, %30] : tensor<1x2x3x16xbf16>
      scf.yield %extracted_10 : bf16
    } else {
      scf.yield %in : bf16
    }
    linalg.yield %35 : bf16
  } -> tensor<2x2061x16xbf16>
  %expanded = tensor.expand_shape %1 [[0, 1], [2], [3]] output_shape [1, 2, 2061, 16] : tensor<2x2061x16xbf16> into tensor<1x2x2061x16xbf16>
  %collapsed_2 = tensor.collapse_shape %arg4 [[0, 1], [2], [3]] : tensor<1x2x2061x16xbf16> into tensor<2x2061x16xbf16>
  %2 = tensor.empty() : tensor<2x2061x16xbf16>
  %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_2 : tensor<2x2061x16xbf16>) outs(%2 : tensor<2x2061x16xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %extracted = tensor.extract %arg5[] : tensor<i32>
    %24 = arith.cmpi slt, %extracted, %c0_i32 : i32
    %extracted_8 = tensor.extract %arg5[] : tensor<i32>
    %25 = arith.addi %extracted_8, %c2061_i32 : i32
    %extracted_9 = tensor.extract %arg5[] : tensor<i32>
    %26 = arith.select %24, %25, %extracted_9 : i32
    %27 = arith.index_cast %26 : i32 to index
    %28 = arith.maxsi %27, %c0 : index
    %29 = arith.minsi %28, %c2058 : index
    %30 = linalg.index 2 : index
    %31 = linalg.index 0 : index
    %32 = linalg.index 1 : index
    %33 = arith.subi %32, %29 : index
    %34 = arith.cmpi ult, %33, %c3 : index
    %35 = scf.if %34 -> (bf16) {
      %36 = arith.remui %31, %c2 : index
      %37 = arith.divui %31, %c2 : index
      %extracted_10 = tensor.extract %arg2[%37, %36, %33, %30] : tensor<1x2x3x16xbf16>
      scf.yield %extracted_10 : bf16
    } else {
      scf.yield %in : bf16
    }
    linalg.yield %35 : bf16
  } -> tensor<2x2061x16xbf16>
  %expanded_3 = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [1, 2, 2061, 16] : tensor<2x2061x16xbf16> into tensor<1x2x2061x16xbf16>
  %expanded_4 = tensor.expand_shape %arg0 [[0], [1, 2], [3], [4]] output_shape [1, 2, 4, 3, 16] : tensor<1x8x3x16xbf16> into tensor<1x2x4x3x16xbf16>
  %collapsed_5 = tensor.collapse_shape %expanded_4 [[0, 1], [2], [3], [4]] : tensor<1x2x4x3x16xbf16> into tensor<2x4x3x16xbf16>
  %4 = tensor.empty() : tensor<2x4x3x2061xf32>
  %5 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<2x4x3x2061xf32>) -> tensor<2x4x3x2061xf32>
  %6 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed_5, %1 : tensor<2x4x3x16xbf16>, tensor<2x2061x16xbf16>) outs(%5 : tensor<2x4x3x2061xf32>) {
  ^bb0(%in: bf16, %in_8: bf16, %out: f32):
    %24 = arith.extf %in : bf16 to f32
    %25 = arith.extf %in_8 : bf16 to f32
    %26 = arith.mulf %24, %25 : f32
    %27 = arith.addf %out, %26 : f32
    linalg.yield %27 : f32
  } -> tensor<2x4x3x2061xf32>
  %7 = tensor.empty() : tensor<2x4x3x2061xf32>
  %8 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x4x3x2061xf32>) outs(%7 : tensor<2x4x3x2061xf32>) {
  ^bb0(%in: f32, %out: f32):
    %24 = arith.mulf %in, %cst : f32
    %25 = linalg.index 2 : index
    %26 = arith.index_cast %25 : index to i32
    %extracted = tensor.extract %arg5[] : tensor<i32>
    %27 = arith.addi %extracted, %26 : i32
    %28 = linalg.index 3 : index
    %29 = arith.index_cast %28 : index to i32
    %30 = arith.cmpi sle, %29, %27 : i32
    %31 = arith.select %30, %24, %cst_0 : f32
    linalg.yield %31 : f32
  } -> tensor<2x4x3x2061xf32>
  %9 = tensor.empty() : tensor<2x4x3xf32>
  %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %11 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x4x3x2061xf32>) outs(%10 : tensor<2x4x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %24 = arith.maximumf %out, %in : f32
    linalg.yield %24 : f32
  } -> tensor<2x4x3xf32>
  %12 = tensor.empty() : tensor<2x4x3x2061xf32>
  %13 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %11 : tensor<2x4x3x2061xf32>, tensor<2x4x3xf32>) outs(%12 : tensor<2x4x3x2061xf32>) {
  ^bb0(%in: f32, %in_8: f32, %out: f32):
    %24 = arith.subf %in, %in_8 : f32
    %25 = math.exp %24 : f32
    linalg.yield %25 : f32
  } -> tensor<2x4x3x2061xf32>
  %14 = tensor.empty() : tensor<2x4x3xf32>
  %15 = linalg.fill ins(%cst_1 : f32) outs(%14 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %16 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x4x3x2061xf32>) outs(%15 : tensor<2x4x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %24 = arith.addf %out, %in : f32
    linalg.yield %24 : f32
  } -> tensor<2x4x3xf32>
  %17 = tensor.empty() : tensor<2x4x3x2061xbf16>
  %18 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %16 : tensor<2x4x3x2061xf32>, tensor<2x4x3xf32>) outs(%17 : tensor<2x4x3x2061xbf16>) {
  ^bb0(%in: f32, %in_8: f32, %out: bf16):
    %24 = arith.divf %in, %in_8 : f32
    %25 = arith.truncf %24 : f32 to bf16
    linalg.yield %25 : bf16
  } -> tensor<2x4x3x2061xbf16>
  %19 = tensor.empty() : tensor<2x4x3x16xf32>
  %20 = linalg.fill ins(%cst_1 : f32) outs(%19 : tensor<2x4x3x16xf32>) -> tensor<2x4x3x16xf32>
  %21 = linalg.generic {indexing_maps = [#map1, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%18, %3 : tensor<2x4x3x2061xbf16>, tensor<2x2061x16xbf16>) outs(%20 : tensor<2x4x3x16xf32>) {
  ^bb0(%in: bf16, %in_8: bf16, %out: f32):
    %24 = arith.extf %in : bf16 to f32
    %25 = arith.extf %in_8 : bf16 to f32
    %26 = arith.mulf %24, %25 : f32
    %27 = arith.addf %out, %26 : f32
    linalg.yield %27 : f32
  } -> tensor<2x4x3x16xf32>
  %22 = tensor.empty() : tensor<2x4x3x16xbf16>
  %23 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x4x3x16xf32>) outs(%22 : tensor<2x4x3x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %24 = arith.truncf %in : f32 to bf16
    linalg.yield %24 : bf16
  } -> tensor<2x4x3x16xbf16>
  %expanded_6 = tensor.expand_shape %23 [[0, 1], [2], [3], [4]] output_shape [1, 2, 4, 3, 16] : tensor<2x4x3x16xbf16> into tensor<1x2x4x3x16xbf16>
  %collapsed_7 = tensor.collapse_shape %expanded_6 [[0], [1, 2], [3], [4]] : tensor<1x2x4x3x16xbf16> into tensor<1x8x3x16xbf16>
  return %collapsed_7, %expanded, %expanded_3 : tensor<1x8x3x16xbf16>, tensor<1x2x2061x16xbf16>, tensor<1x2x2061x16xbf16>
}

// A position for each request.
func.func @many(%arg0: tensor<2x8x1x16xbf16>, %arg1: tensor<2x2x1x16xbf16>, %arg2: tensor<2x2x1x16xbf16>, %arg3: tensor<2x2x2061x16xbf16> {tf.aliasing_output = 1 : i32}, %arg4: tensor<2x2x2061x16xbf16> {tf.aliasing_output = 2 : i32}, %arg5: tensor<2xi32>) -> (tensor<2x8x1x16xbf16>, tensor<2x2x2061x16xbf16>, tensor<2x2x2061x16xbf16>) {
  %cst = arith.constant 2.500000e-01 : f32
  %c2060_i32 = arith.constant 2060 : i32
  %c2061_i32 = arith.constant 2061 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<2xi32>
  %1 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel"]} ins(%arg5 : tensor<2xi32>) outs(%0 : tensor<2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %26 = arith.cmpi slt, %in, %c0_i32 : i32
    %27 = arith.addi %in, %c2061_i32 : i32
    %28 = arith.select %26, %27, %in : i32
    linalg.yield %28 : i32
  } -> tensor<2xi32>
  %2 = tensor.empty() : tensor<2x2x2061x16xbf16>
  %3 = linalg.generic {indexing_maps = [#map8, #map8, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg5, %arg3 : tensor<2xi32>, tensor<2xi32>, tensor<2x2x2061x16xbf16>) outs(%2 : tensor<2x2x2061x16xbf16>) {
  ^bb0(%in: i32, %in_4: i32, %in_5: bf16, %out: bf16):
    %26 = arith.maxsi %in, %c0_i32 : i32
    %27 = arith.minsi %26, %c2060_i32 : i32
    %28 = linalg.index 2 : index
    %29 = arith.index_cast %28 : index to i32
    %30 = arith.subi %29, %27 : i32
    %31 = linalg.index 0 : index
    %32 = linalg.index 1 : index
    %33 = linalg.index 2 : index
    %34 = linalg.index 3 : index
    %35 = arith.index_cast %33 : index to i32
    %36 = arith.cmpi slt, %in_4, %c0_i32 : i32
    %37 = arith.addi %in_4, %c2061_i32 : i32
    %38 = arith.select %36, %37, %in_4 : i32
    %39 = arith.maxsi %38, %c0_i32 : i32
    %40 = arith.minsi %39, %c2060_i32 : i32
    %41 = arith.subi %35, %40 : i32
    %42 = arith.maxsi %41, %c0_i32 : i32
    %43 = arith.minsi %42, %c0_i32 : i32
    %44 = arith.index_cast %43 : i32 to index
    %45 = arith.maxsi %44, %c0 : index
    %46 = arith.minsi %45, %c0 : index
    %extracted = tensor.extract %arg1[%31, %32, %46, %34] : tensor<2x2x1x16xbf16>
    %47 = arith.cmpi eq, %29, %27 : i32
    %48 = arith.cmpi sge, %30, %c0_i32 : i32
    %49 = arith.cmpi sle, %27, %c2060_i32 : i32
    %50 = arith.cmpi sge, %27, %c0_i32 : i32
    %51 = arith.andi %50, %49 : i1
    %52 = arith.andi %51, %48 : i1
    %53 = arith.andi %52, %47 : i1
    %54 = arith.select %53, %extracted, %in_5 : bf16
    linalg.yield %54 : bf16
  } -> tensor<2x2x2061x16xbf16>
  %4 = tensor.empty() : tensor<2x2x2061x16xbf16>
  %5 = linalg.generic {indexing_maps = [#map8, #map8, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg5, %arg4 : tensor<2xi32>, tensor<2xi32>, tensor<2x2x2061x16xbf16>) outs(%4 : tensor<2x2x2061x16xbf16>) {
  ^bb0(%in: i32, %in_4: i32, %in_5: bf16, %out: bf16):
    %26 = arith.maxsi %in, %c0_i32 : i32
    %27 = arith.minsi %26, %c2060_i32 : i32
    %28 = linalg.index 2 : index
    %29 = arith.index_cast %28 : index to i32
    %30 = arith.subi %29, %27 : i32
    %31 = linalg.index 0 : index
    %32 = linalg.index 1 : index
    %33 = linalg.index 2 : index
    %34 = linalg.index 3 : index
    %35 = arith.index_cast %33 : index to i32
    %36 = arith.cmpi slt, %in_4, %c0_i32 : i32
    %37 = arith.addi %in_4, %c2061_i32 : i32
    %38 = arith.select %36, %37, %in_4 : i32
    %39 = arith.maxsi %38, %c0_i32 : i32
    %40 = arith.minsi %39, %c2060_i32 : i32
    %41 = arith.subi %35, %40 : i32
    %42 = arith.maxsi %41, %c0_i32 : i32
    %43 = arith.minsi %42, %c0_i32 : i32
    %44 = arith.index_cast %43 : i32 to index
    %45 = arith.maxsi %44, %c0 : index
    %46 = arith.minsi %45, %c0 : index
    %extracted = tensor.extract %arg2[%31, %32, %46, %34] : tensor<2x2x1x16xbf16>
    %47 = arith.cmpi eq, %29, %27 : i32
    %48 = arith.cmpi sge, %30, %c0_i32 : i32
    %49 = arith.cmpi sle, %27, %c2060_i32 : i32
    %50 = arith.cmpi sge, %27, %c0_i32 : i32
    %51 = arith.andi %50, %49 : i1
    %52 = arith.andi %51, %48 : i1
    %53 = arith.andi %52, %47 : i1
    %54 = arith.select %53, %extracted, %in_5 : bf16
    linalg.yield %54 : bf16
  } -> tensor<2x2x2061x16xbf16>
  %expanded = tensor.expand_shape %arg0 [[0], [1, 2], [3], [4]] output_shape [2, 2, 4, 1, 16] : tensor<2x8x1x16xbf16> into tensor<2x2x4x1x16xbf16>
  %collapsed = tensor.collapse_shape %expanded [[0], [1], [2, 3], [4]] : tensor<2x2x4x1x16xbf16> into tensor<2x2x4x16xbf16>
  %6 = tensor.empty() : tensor<2x2x4x2061xf32>
  %7 = linalg.fill ins(%cst_1 : f32) outs(%6 : tensor<2x2x4x2061xf32>) -> tensor<2x2x4x2061xf32>
  %8 = linalg.generic {indexing_maps = [#map1, #map9, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%collapsed, %3 : tensor<2x2x4x16xbf16>, tensor<2x2x2061x16xbf16>) outs(%7 : tensor<2x2x4x2061xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %26 = arith.extf %in : bf16 to f32
    %27 = arith.extf %in_4 : bf16 to f32
    %28 = arith.mulf %26, %27 : f32
    %29 = arith.addf %out, %28 : f32
    linalg.yield %29 : f32
  } -> tensor<2x2x4x2061xf32>
  %9 = tensor.empty() : tensor<2x2x4x2061xf32>
  %10 = linalg.generic {indexing_maps = [#map8, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg5, %8 : tensor<2xi32>, tensor<2x2x4x2061xf32>) outs(%9 : tensor<2x2x4x2061xf32>) {
  ^bb0(%in: i32, %in_4: f32, %out: f32):
    %26 = arith.mulf %in_4, %cst : f32
    %27 = linalg.index 3 : index
    %28 = arith.index_cast %27 : index to i32
    %29 = arith.cmpi sle, %28, %in : i32
    %30 = arith.select %29, %26, %cst_0 : f32
    linalg.yield %30 : f32
  } -> tensor<2x2x4x2061xf32>
  %11 = tensor.empty() : tensor<2x2x4xf32>
  %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %13 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<2x2x4x2061xf32>) outs(%12 : tensor<2x2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %26 = arith.maximumf %out, %in : f32
    linalg.yield %26 : f32
  } -> tensor<2x2x4xf32>
  %14 = tensor.empty() : tensor<2x2x4x2061xf32>
  %15 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<2x2x4x2061xf32>, tensor<2x2x4xf32>) outs(%14 : tensor<2x2x4x2061xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %26 = arith.subf %in, %in_4 : f32
    %27 = math.exp %26 : f32
    linalg.yield %27 : f32
  } -> tensor<2x2x4x2061xf32>
  %16 = tensor.empty() : tensor<2x2x4xf32>
  %17 = linalg.fill ins(%cst_1 : f32) outs(%16 : tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %18 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x2x4x2061xf32>) outs(%17 : tensor<2x2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %26 = arith.addf %out, %in : f32
    linalg.yield %26 : f32
  } -> tensor<2x2x4xf32>
  %19 = tensor.empty() : tensor<2x2x4x2061xbf16>
  %20 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %18 : tensor<2x2x4x2061xf32>, tensor<2x2x4xf32>) outs(%19 : tensor<2x2x4x2061xbf16>) {
  ^bb0(%in: f32, %in_4: f32, %out: bf16):
    %26 = arith.divf %in, %in_4 : f32
    %27 = arith.truncf %26 : f32 to bf16
    linalg.yield %27 : bf16
  } -> tensor<2x2x4x2061xbf16>
  %21 = tensor.empty() : tensor<2x2x4x16xf32>
  %22 = linalg.fill ins(%cst_1 : f32) outs(%21 : tensor<2x2x4x16xf32>) -> tensor<2x2x4x16xf32>
  %23 = linalg.generic {indexing_maps = [#map1, #map10, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%20, %5 : tensor<2x2x4x2061xbf16>, tensor<2x2x2061x16xbf16>) outs(%22 : tensor<2x2x4x16xf32>) {
  ^bb0(%in: bf16, %in_4: bf16, %out: f32):
    %26 = arith.extf %in : bf16 to f32
    %27 = arith.extf %in_4 : bf16 to f32
    %28 = arith.mulf %26, %27 : f32
    %29 = arith.addf %out, %28 : f32
    linalg.yield %29 : f32
  } -> tensor<2x2x4x16xf32>
  %24 = tensor.empty() : tensor<2x2x4x16xbf16>
  %25 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x2x4x16xf32>) outs(%24 : tensor<2x2x4x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %26 = arith.truncf %in : f32 to bf16
    linalg.yield %26 : bf16
  } -> tensor<2x2x4x16xbf16>
  %expanded_2 = tensor.expand_shape %25 [[0], [1], [2, 3], [4]] output_shape [2, 2, 4, 1, 16] : tensor<2x2x4x16xbf16> into tensor<2x2x4x1x16xbf16>
  %collapsed_3 = tensor.collapse_shape %expanded_2 [[0], [1, 2], [3], [4]] : tensor<2x2x4x1x16xbf16> into tensor<2x8x1x16xbf16>
  return %collapsed_3, %3, %5 : tensor<2x8x1x16xbf16>, tensor<2x2x2061x16xbf16>, tensor<2x2x2061x16xbf16>
}
