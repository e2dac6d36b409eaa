// Programs of graphs compute what their ops do: extents of 1, primes, one off a vector, and each schedule family.
// DEFINE: %{function} =
// DEFINE: %{args} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --kernels
// REDEFINE: %{function} = softmax
// RUN: %{graph} 1 -- --arg x=random:7x129 --arg result0=zeros:7x129 --rtol 1e-6 --again --arg x=random:1x1 --arg result0=zeros:1x1 --rtol 1e-6 | FileCheck %s
// RUN: %{graph} 1 --traffic 1 -- --arg x=random:3x1023 --arg result0=zeros:3x1023 --rtol 1e-6 | FileCheck %s --check-prefix=TRAFFIC
// TRAFFIC: block phase: right
// TRAFFIC: graph-shapes.mlir: 24552 bytes moved, 1.000 times those of the launches' tensors
// RUN: %{graph} 1 --chip sm_80,sm_90a -- --arg x=random:5x67 --arg result0=zeros:5x67 --rtol 1e-5 | FileCheck %s
// REDEFINE: %{function} = three
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:7x129 --arg result0=zeros:7x129 --arg result1=zeros:7x129 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = sums
// RUN: %{graph} 2 --chip sm_90a -- --arg x=random:67x131 --arg result0=zeros:67 --arg result1=zeros:131 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// RUN: %{graph} 2 -- --arg x=random:1x1 --arg result0=zeros:1 --arg result1=zeros:1 | FileCheck %s
// REDEFINE: %{function} = argmax
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:67x131 --arg result0=zeros:131 --arg result1=zeros:131 | FileCheck %s
// REDEFINE: %{function} = embed
// RUN: %{graph} 1 --chip sm_80 -- --arg w=random:50x65 --arg i=iota:7 --arg result0=zeros:7x65 | FileCheck %s
// REDEFINE: %{function} = window
// RUN: %{graph} 1 --chip sm_80 -- --arg x=random:67 --arg w=random:3 --arg result0=zeros:33 --rtol 1e-6 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = turn
// RUN: %{graph} 1 --chip sm_90a -- --arg x=random:67x131 --arg b=random:67 --arg result0=zeros:131x67 | FileCheck %s
// RUN: not %{graph} 1 --traffic 1 -- --arg x=random:67x131 --arg b=random:67 --arg result0=zeros:131x67 | FileCheck %s --check-prefix=MORE
// MORE: graph-shapes.mlir: expected at most 1.0 times
// RUN: not %{graph} 1 -- --arg x=random:67x131 --arg b=random:66 --arg result0=zeros:131x67 | FileCheck %s --check-prefix=EXTENT
// EXTENT: expected dimension 0 of b to be as long as dimension 0 of x in @turn_0
// REDEFINE: %{function} = product
// RUN: %{graph} 1 --chip sm_80,sm_90a -- --arg a=random:2x67x40 --arg b=random:40x24 --arg result0=zeros:2x67x24 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// RUN: %{graph} 1 -- --arg a=random:1x1x40 --arg b=random:40x24 --arg result0=zeros:1x1x24 --rtol 1e-6 --atol 1e-6 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>

func.func @softmax(%x: tensor<?x?xf32> {carousel.argument = #x}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sums(%x: tensor<?x?xf32> {carousel.argument = #x}) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %em = tensor.empty(%m) : tensor<?xf32>
  %en = tensor.empty(%n) : tensor<?xf32>
  %fm = linalg.fill ins(%zero : f32) outs(%em : tensor<?xf32>) -> tensor<?xf32>
  %fn = linalg.fill ins(%zero : f32) outs(%en : tensor<?xf32>) -> tensor<?xf32>
  %rows = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%fm : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %columns = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%fn : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %rows, %columns : tensor<?xf32>, tensor<?xf32>
}

func.func @argmax(%x: tensor<?x?xf32> {carousel.argument = #x}) -> (tensor<?xf32>, tensor<?xi32>) {
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %e2 = tensor.empty(%n) : tensor<?xi32>
  %f1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %f2 = linalg.fill ins(%none : i32) outs(%e2 : tensor<?xi32>) -> tensor<?xi32>
  %max:2 = linalg.generic {indexing_maps = [#id, #column, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%f1, %f2 : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 0 : index
    %i32 = arith.index_cast %i : index to i32
    %more = arith.cmpf ogt, %in, %best : f32
    %r = arith.select %more, %in, %best : f32
    %k = arith.select %more, %i32, %at : i32
    linalg.yield %r, %k : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %max#0, %max#1 : tensor<?xf32>, tensor<?xi32>
}

// Rows of a table, by an index that the op clamps.
func.func @embed(%w: tensor<50x?xf32> {carousel.argument = #w}, %i: tensor<?xi32> {carousel.argument = #carousel.argument<"i", in>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c49 = arith.constant 49 : index
  %m = tensor.dim %i, %c0 : tensor<?xi32>
  %n = tensor.dim %w, %c1 : tensor<50x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: i32, %out: f32):
    %t = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = arith.index_cast %in : i32 to index
    %seven = arith.constant 7 : index
    %moved = arith.muli %t, %seven : index
    %sum = arith.addi %at, %moved : index
    %row = arith.minsi %sum, %c49 : index
    %v = tensor.extract %w[%row, %j] : tensor<50x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Windows by steps of two: no vector goes along the input.
func.func @window(%x: tensor<67xf32> {carousel.argument = #x}, %w: tensor<3xf32> {carousel.argument = #w}) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<67xf32>, tensor<3xf32>) outs(%f : tensor<33xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  return %y : tensor<33xf32>
}

func.func @turn(%x: tensor<?x?xf32> {carousel.argument = #x}, %b: tensor<?xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#turned, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %a: f32, %out: f32):
    %r = arith.addf %v, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// The rows of two dimensions are one, and what is behind the depth's end doesn't count.
func.func @product(%a: tensor<?x?x40xf32> {carousel.argument = #carousel.argument<"a", in>}, %b: tensor<40x24xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?x?x24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?x40xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?x40xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, o, k) -> (m, n, k)>, affine_map<(m, n, o, k) -> (k, o)>, affine_map<(m, n, o, k) -> (m, n, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x?x40xf32>, tensor<40x24xf32>) outs(%f : tensor<?x?x24xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

// Three ops read x. Two of them are one row program, which the third one joins along what all read.
func.func @three(%x: tensor<?x?xf32> {carousel.argument = #x}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %norm : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %t = arith.subf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %y, %q : tensor<?x?xf32>, tensor<?x?xf32>
}
