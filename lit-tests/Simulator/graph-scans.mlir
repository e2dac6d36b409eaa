// Scans of graphs give what upstream's loops give, in their order: along rows and columns, of sums, products, extrema and linear
// recurrences, inclusive and exclusive, fused with producers and consumers.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_80,sm_90a --code llvm,nvrtc
// RUN: %{graph} --function rows --kernels 1 -- --arg arg0=random:3x5000 --arg arg1=random:3x5000:1 --arg arg2=random:3:2 --arg result0=empty:3x5000 --rtol 1e-4 --atol 1e-3 --again --arg arg0=random:1x1 --arg arg1=random:1x1 --arg arg2=random:1 --arg result0=empty:1x1 --again --arg arg0=empty:2x0 --arg arg1=empty:2x0 --arg arg2=random:2 --arg result0=empty:2x0 --again --arg arg0=empty:0x5 --arg arg1=empty:0x5 --arg arg2=empty:0 --arg result0=empty:0x5 | FileCheck %s
// RUN: %{graph} --function short --kernels 1 -- --arg arg0=random:2051x7 --arg result0=empty:2051x7 --arg result1=empty:2051x7 | FileCheck %s
// RUN: %{graph} --function columns --kernels 1 -- --arg arg0=random:2x300x33 --arg result0=empty:2x300x33 --rtol 1e-4 --atol 1e-3 | FileCheck %s
// RUN: %{graph} --function recurrence --kernels 1 -- --arg arg0=random:2x67x40 --arg arg1=random:2x67x40:1 --arg result0=empty:2x67x40 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// RUN: %{graph} --function same --kernels 1 -- --arg arg0=random:6x500 --arg arg1=random:6 --arg result0=empty:6x500 | FileCheck %s
// RUN: %{graph} --function product --kernels 1 -- --arg arg0=random:3x200 --arg arg1=random:3x200:1 --arg arg2=random:3:2 --arg result0=empty:3x200 --arg result1=empty:3x200 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// RUN: %{graph} --function expanded --kernels 1 -- --arg arg0=random:40x64 --arg result0=empty:8x5x64 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// RUN: %{graph} --function segments --kernels 1 -- --arg arg0=random:3x300 --arg arg1=random:3x300:1 --arg result0=empty:3x300 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// RUN: %{graph} --function states --kernels 1 -- --arg arg0=random:2x9x130 --arg arg1=random:2x9x130:1 --arg arg2=random:2x9x10:2 --arg arg3=random:130x10:3 --arg result0=empty:2x9x130 --arg result1=empty:2x9x130 --rtol 1e-4 --atol 1e-4 | FileCheck %s
// RUN: %{graph} --function largest --kernels 1 -- --arg arg0=random:7x3x300 --arg result0=empty:7x300 --rtol 1e-4 --atol 1e-3 | FileCheck %s
// RUN: %{graph} --function differences --kernels 1 -- --arg arg0=random:3x9x33 --arg result0=empty:3x9x33 --rtol 1e-4 --atol 1e-3 --again --arg arg0=empty:3x0x33 --arg result0=empty:3x0x33 | FileCheck %s
// CHECK: 1 kernels
// CHECK: block phase: right
// CHECK: sm_80: right
// CHECK: sm_80 as PTX by nvrtc: right
// CHECK: sm_90a: right
// CHECK: sm_90a as PTX by nvrtc: right

// The sum goes on from a start, and what follows is in the same kernel.
func.func @rows(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %start: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %a = arith.mulf %x, %y : tensor<?x?xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x?xf32>) outs(%start, %e : tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%own: f32, %before: f32, %o: f32):
    %sum = arith.addf %before, %own : f32
    linalg.yield %sum, %sum : f32, f32
  } -> (tensor<?xf32>, tensor<?x?xf32>)
  %b = arith.subf %r#1, %x : tensor<?x?xf32>
  return %b : tensor<?x?xf32>
}

// What comes before each element, and the largest up to it, of short rows.
func.func @short(%x: tensor<?x7xi32>) -> (tensor<?x7xi32>, tensor<?x7xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %least = arith.constant -2147483648 : i32
  %n = tensor.dim %x, %c0 : tensor<?x7xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %f = tensor.empty(%n) : tensor<?x7xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %leasts = linalg.fill ins(%least : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %r:4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x7xi32>) outs(%zeros, %leasts, %f, %f : tensor<?xi32>, tensor<?xi32>, tensor<?x7xi32>, tensor<?x7xi32>) {
  ^bb0(%own: i32, %before: i32, %most: i32, %o: i32, %p: i32):
    %sum = arith.addi %own, %before : i32
    %more = arith.maxsi %most, %own : i32
    linalg.yield %sum, %more, %before, %more : i32, i32, i32, i32
  } -> (tensor<?xi32>, tensor<?xi32>, tensor<?x7xi32>, tensor<?x7xi32>)
  return %r#2, %r#3 : tensor<?x7xi32>, tensor<?x7xi32>
}

// A loop goes along rows of memory.
func.func @columns(%x: tensor<?x300x33xf32>) -> tensor<?x300x33xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x300x33xf32>
  %e = tensor.empty(%n) : tensor<?x33xf32>
  %f = tensor.empty(%n) : tensor<?x300x33xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?x33xf32>) -> tensor<?x33xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, j)>, affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<?x300x33xf32>) outs(%ones, %f : tensor<?x33xf32>, tensor<?x300x33xf32>) {
  ^bb0(%own: f32, %before: f32, %o: f32):
    %sum = arith.addf %before, %own : f32
    linalg.yield %sum, %sum : f32, f32
  } -> (tensor<?x33xf32>, tensor<?x300x33xf32>)
  return %r#1 : tensor<?x300x33xf32>
}

// h = exp(-a) h + x, along the middle.
func.func @recurrence(%a: tensor<?x67x40xf32>, %x: tensor<?x67x40xf32>) -> tensor<?x67x40xf32> {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?x67x40xf32>
  %e = tensor.empty(%n) : tensor<?x40xf32>
  %f = tensor.empty(%n) : tensor<?x67x40xf32>
  %starts = linalg.fill ins(%half : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>,
      affine_map<(b, i, j) -> (b, j)>, affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%a, %x : tensor<?x67x40xf32>, tensor<?x67x40xf32>)
      outs(%starts, %f : tensor<?x40xf32>, tensor<?x67x40xf32>) {
  ^bb0(%decay: f32, %own: f32, %before: f32, %o: f32):
    %positive = math.absf %decay : f32
    %negative = arith.negf %positive : f32
    %factor = math.exp %negative : f32
    %kept = arith.mulf %factor, %before : f32
    %sum = arith.addf %kept, %own : f32
    linalg.yield %sum, %sum : f32, f32
  } -> (tensor<?x40xf32>, tensor<?x67x40xf32>)
  return %r#1 : tensor<?x67x40xf32>
}

// The factor is the element.
func.func @same(%x: tensor<6x500xi32>, %s: tensor<6xi32>) -> (tensor<6x500xi32>) {
  %e = tensor.empty() : tensor<6x500xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<6x500xi32>) outs(%s, %e : tensor<6xi32>, tensor<6x500xi32>) {
  ^bb0(%own: i32, %before: i32, %o: i32):
    %k = arith.muli %own, %before : i32
    %h = arith.addi %k, %own : i32
    linalg.yield %h, %h : i32, i32
  } -> (tensor<6xi32>, tensor<6x500xi32>)
  return %r#1 : tensor<6x500xi32>
}

// A result needs what a step multiplies.
func.func @product(%a: tensor<3x200xf32>, %x: tensor<3x200xf32>, %s: tensor<3xf32>) -> (tensor<3x200xf32>, tensor<3x200xf32>) {
  %e = tensor.empty() : tensor<3x200xf32>
  %r:3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
    ins(%a, %x : tensor<3x200xf32>, tensor<3x200xf32>) outs(%s, %e, %e : tensor<3xf32>, tensor<3x200xf32>, tensor<3x200xf32>) {
  ^bb0(%f: f32, %own: f32, %before: f32, %o: f32, %o2: f32):
    %k = arith.mulf %f, %before : f32
    %y = arith.addf %k, %own : f32
    linalg.yield %y, %y, %k : f32, f32, f32
  } -> (tensor<3xf32>, tensor<3x200xf32>, tensor<3x200xf32>)
  return %r#1, %r#2 : tensor<3x200xf32>, tensor<3x200xf32>
}

// A reshape along the scan.
func.func @expanded(%x: tensor<40x64xf32>) -> tensor<8x5x64xf32> {
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %e = tensor.empty() : tensor<40x64xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["reduction", "parallel"]}
    ins(%x : tensor<40x64xf32>) outs(%f, %e : tensor<64xf32>, tensor<40x64xf32>) {
  ^bb0(%own: f32, %before: f32, %o: f32):
    %k = arith.addf %own, %before : f32
    linalg.yield %k, %before : f32, f32
  } -> (tensor<64xf32>, tensor<40x64xf32>)
  %c = tensor.expand_shape %r#1 [[0, 1], [2]] output_shape [8, 5, 64] : tensor<40x64xf32> into tensor<8x5x64xf32>
  return %c : tensor<8x5x64xf32>
}

// Sums that begin with 0 where another number is below a bound.
func.func @segments(%x: tensor<?x300xf32>, %y: tensor<?x300xf32>) -> tensor<?x300xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant -0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?x300xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?x300xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<?x300xf32>, tensor<?x300xf32>) outs(%zeros, %f : tensor<?xf32>, tensor<?x300xf32>) {
  ^bb0(%own: f32, %bound: f32, %before: f32, %o: f32):
    %goesOn = arith.cmpf ogt, %bound, %least : f32
    %sum = arith.addf %before, %own : f32
    %upTo = arith.select %goesOn, %sum, %zero : f32
    linalg.yield %upTo, %upTo : f32, f32
  } -> (tensor<?xf32>, tensor<?x300xf32>)
  return %r#1 : tensor<?x300xf32>
}

// A state-space model: ten states of each channel, their weighted sum, and what follows from it.
func.func @states(%x: tensor<?x9x130xf32>, %y: tensor<?x9x130xf32>, %w: tensor<?x9x10xf32>, %a: tensor<130x10xf32>) -> (tensor<?x9x130xf32>, tensor<?x9x130xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x9x130xf32>
  %e = tensor.empty(%n) : tensor<?x130x10xf32>
  %f = tensor.empty(%n) : tensor<?x9x130x10xf32>
  %g = tensor.empty(%n) : tensor<?x9x130xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x130x10xf32>) -> tensor<?x130x10xf32>
  %none = linalg.fill ins(%zero : f32) outs(%g : tensor<?x9x130xf32>) -> tensor<?x9x130xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(b, t, d, s) -> (b, t, d)>, affine_map<(b, t, d, s) -> (d, s)>, affine_map<(b, t, d, s) -> (b, d, s)>, affine_map<(b, t, d, s) -> (b, t, d, s)>],
      iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%x, %a : tensor<?x9x130xf32>, tensor<130x10xf32>) outs(%zeros, %f : tensor<?x130x10xf32>, tensor<?x9x130x10xf32>) {
  ^bb0(%own: f32, %factor: f32, %before: f32, %o: f32):
    %product = arith.mulf %factor, %before : f32
    %upTo = arith.addf %product, %own : f32
    linalg.yield %upTo, %upTo : f32, f32
  } -> (tensor<?x130x10xf32>, tensor<?x9x130x10xf32>)
  %s = linalg.generic {indexing_maps = [affine_map<(b, t, d, s) -> (b, t, d, s)>, affine_map<(b, t, d, s) -> (b, t, s)>, affine_map<(b, t, d, s) -> (b, t, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%r#1, %w : tensor<?x9x130x10xf32>, tensor<?x9x10xf32>) outs(%none : tensor<?x9x130xf32>) {
  ^bb0(%state: f32, %weight: f32, %sum: f32):
    %product = arith.mulf %state, %weight : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<?x9x130xf32>
  %z = arith.mulf %s, %y : tensor<?x9x130xf32>
  return %s, %z : tensor<?x9x130xf32>, tensor<?x9x130xf32>
}

// Rows: each element is the largest of three sums up to it.
func.func @largest(%x: tensor<?x3x300xf32>) -> tensor<?x300xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3x300xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = tensor.empty(%n) : tensor<?x3x300xf32>
  %g = tensor.empty(%n) : tensor<?x300xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%g : tensor<?x300xf32>) -> tensor<?x300xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(b, k, j) -> (b, k, j)>, affine_map<(b, k, j) -> (b, k)>, affine_map<(b, k, j) -> (b, k, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x3x300xf32>) outs(%zeros, %f : tensor<?x3xf32>, tensor<?x3x300xf32>) {
  ^bb0(%own: f32, %before: f32, %o: f32):
    %sum = arith.addf %before, %own : f32
    linalg.yield %sum, %sum : f32, f32
  } -> (tensor<?x3xf32>, tensor<?x3x300xf32>)
  %s = linalg.generic {indexing_maps = [affine_map<(b, j, k) -> (b, k, j)>, affine_map<(b, j, k) -> (b, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%r#1 : tensor<?x3x300xf32>) outs(%leasts : tensor<?x300xf32>) {
  ^bb0(%own: f32, %most: f32):
    %more = arith.maximumf %most, %own : f32
    linalg.yield %more : f32
  } -> tensor<?x300xf32>
  return %s : tensor<?x300xf32>
}

// Sums of differences from the first element, which there may not be.
func.func @differences(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%b, %t, %d) : tensor<?x?x?xf32>
  %f = tensor.empty(%b, %d) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, 0, d)>, affine_map<(b, t, d) -> (b, t, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%own: f32, %first: f32, %o: f32):
    %difference = arith.subf %own, %first : f32
    linalg.yield %difference : f32
  } -> tensor<?x?x?xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, d)>, affine_map<(b, t, d) -> (b, t, d)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%y : tensor<?x?x?xf32>) outs(%zeros, %e : tensor<?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%own: f32, %before: f32, %o: f32):
    %sum = arith.addf %before, %own : f32
    linalg.yield %sum, %sum : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?x?xf32>)
  return %r#1 : tensor<?x?x?xf32>
}
