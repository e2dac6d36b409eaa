// Programs of graphs compute what their ops do: elements at indices and conditions, numbers of the host and of tensors,
// extents that no tensor has, and i1 in memory.
// DEFINE: %{function} =
// DEFINE: %{args} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --function %{function} --kernels
// REDEFINE: %{function} = concatenate
// RUN: %{graph} 1 -- --arg a=random:5x8 --arg b=random:5x3 --arg result0=zeros:5x11 --again --arg a=random:1x8 --arg b=random:1x3 --arg result0=zeros:1x11 | FileCheck %s
// REDEFINE: %{function} = roll
// RUN: %{graph} 1 -- --arg x=random:5x17 --arg result0=zeros:5x17 | FileCheck %s
// REDEFINE: %{function} = concat
// RUN: %{graph} 1 -- --arg a=random:3x5 --arg b=random:1x5 --arg c=random:7x5 --arg result0=zeros:11x5 --again --arg a=random:0x5 --arg b=random:1x5 --arg c=random:64x5 --arg result0=zeros:65x5 | FileCheck %s
// REDEFINE: %{function} = concat_many
// RUN: %{graph} 1 -- --arg a=random:3x5 --arg b=random:2x5 --arg result0=zeros:29x5 --rtol 1e-5 | FileCheck %s
// REDEFINE: %{function} = reshape
// RUN: %{graph} 1 -- --arg x=random:3x4x7x16 --arg result0=zeros:12x7x16 | FileCheck %s
// REDEFINE: %{function} = reshape_any
// RUN: %{graph} 1 -- --arg x=random:6x10 --arg n=15 --arg result0=zeros:4x15 | FileCheck %s
// REDEFINE: %{function} = rows_of_slice
// RUN: %{graph} 1 -- --arg x=random:16x16 --arg i=iota:7 --arg result0=zeros:7x8 | FileCheck %s
// REDEFINE: %{function} = mean
// RUN: %{graph} 1 -- --arg x=random:7x129 --arg result0=zeros:[] --rtol 1e-5 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = variance
// RUN: %{graph} 1 -- --arg x=random:7x129 --arg result0=zeros:129 --rtol 1e-5 --again --arg x=random:1x129 --arg result0=zeros:129 --rtol 1e-5 | FileCheck %s
// REDEFINE: %{function} = lengths
// RUN: %{graph} 1 -- --arg x=random:4x33 --arg n=iota:4 --arg result0=zeros:4 | FileCheck %s
// REDEFINE: %{function} = count
// RUN: %{graph} 1 -- --arg n=iota:4 --arg t=33 --arg result0=zeros:4 --again --arg n=iota:2 --arg t=70000 --arg result0=zeros:2 | FileCheck %s
// REDEFINE: %{function} = slice_at
// RUN: %{graph} 1 -- --arg x=random:9x16 --arg p=zeros:[] --arg result0=zeros:3x16 --again --arg x=random:9x16 --arg p=random:[]:0 --arg result0=zeros:3x16 --again --arg x=random:9x16 --arg p=random:[]:1 --arg result0=zeros:3x16 | FileCheck %s
// REDEFINE: %{function} = update_at
// RUN: %{graph} 1 -- --arg x=random:9x16 --arg y=random:3x16 --arg p=zeros:[] --arg result0=zeros:9x16 --again --arg x=random:9x16 --arg y=random:3x16 --arg p=random:[]:0 --arg result0=zeros:9x16 --again --arg x=random:9x16 --arg y=random:3x16 --arg p=random:[]:1 --arg result0=zeros:9x16 | FileCheck %s
// REDEFINE: %{function} = least
// RUN: %{graph} 1 -- --arg x=iota:7 --arg n=5 --arg result0=zeros:7 --again --arg x=iota:7 --arg n=9 --arg result0=zeros:7 | FileCheck %s
// RUN: not %{graph} 1 -- --arg x=iota:7 --arg n=4294967301 --arg result0=zeros:7 | FileCheck %s --check-prefix=WIDE
// WIDE: error: {{.*}}expected an index that fits 32 bits
// REDEFINE: %{function} = identity
// RUN: %{graph} 2 -- --arg x=random:9x16 --arg result0=zeros:9x16 --rtol 1e-6 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = masked
// RUN: %{graph} 1 -- --arg x=random:9x64 --arg m=random:9x64 --arg result0=zeros:9x64 --again --arg x=random:3x67 --arg m=random:3x67 --arg result0=zeros:3x67 | FileCheck %s
// REDEFINE: %{function} = all
// RUN: %{graph} 1 -- --arg x=random:3x2048 --arg result0=zeros:3 --arg result1=zeros:3x2048 | FileCheck %s
// REDEFINE: %{function} = many
// RUN: %{graph} 1 -- --arg x=random:67x64 --arg y=random:67x64 --arg result0=zeros:67x64 --arg result1=zeros:67x64 --arg result2=zeros:67x64 --arg result3=zeros:67x64 --arg result4=zeros:67x64 --arg result5=zeros:67x64 --arg result6=zeros:64 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#e = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (d1)>
#n = affine_map<(d0, d1) -> ()>
#v = affine_map<(d0) -> (d0)>
#s = affine_map<() -> ()>

func.func @concatenate(%a: tensor<?x8xf32> {carousel.argument = #carousel.argument<"a", in>}, %b: tensor<?x3xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?x11xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x11xf32>
  %y = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x11xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c8 : index
    %v = scf.if %first -> (f32) {
      %p = tensor.extract %a[%i, %j] : tensor<?x8xf32>
      scf.yield %p : f32
    } else {
      %k = arith.subi %j, %c8 : index
      %q = tensor.extract %b[%i, %k] : tensor<?x3xf32>
      %negated = arith.negf %q : f32
      scf.yield %negated : f32
    }
    linalg.yield %v : f32
  } -> tensor<?x11xf32>
  return %y : tensor<?x11xf32>
}

// Both parts are slices of one tensor, whose rows are longer.
func.func @roll(%x: tensor<?x17xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<?x17xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x17xf32>
  %a = tensor.extract_slice %x[0, 15] [%m, 2] [1, 1] : tensor<?x17xf32> to tensor<?x2xf32>
  %b = tensor.extract_slice %x[0, 0] [%m, 15] [1, 1] : tensor<?x17xf32> to tensor<?x15xf32>
  %e = tensor.empty(%m) : tensor<?x17xf32>
  %y = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x17xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %v = scf.if %first -> (f32) {
      %p = tensor.extract %a[%i, %j] : tensor<?x2xf32>
      scf.yield %p : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %q = tensor.extract %b[%i, %k] : tensor<?x15xf32>
      scf.yield %q : f32
    }
    linalg.yield %v : f32
  } -> tensor<?x17xf32>
  return %y : tensor<?x17xf32>
}

func.func @concat(%a: tensor<?x5xf32> {carousel.argument = #carousel.argument<"a", in>}, %b: tensor<1x5xf32> {carousel.argument = #carousel.argument<"b", in>}, %c: tensor<?x5xf32> {carousel.argument = #carousel.argument<"c", in>}) -> tensor<?x5xf32> {
  %y = tensor.concat dim(0) %a, %b, %c : (tensor<?x5xf32>, tensor<1x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// Parts are copied to the result, and what is computed is written there.
func.func @concat_many(%a: tensor<?x5xf32> {carousel.argument = #carousel.argument<"a", in>}, %b: tensor<2x5xf32> {carousel.argument = #carousel.argument<"b", in>}) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%m) : tensor<?x5xf32>
  %x = linalg.exp ins(%a : tensor<?x5xf32>) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %y = tensor.concat dim(0) %a, %b, %a, %b, %x, %a, %a, %a, %b, %b, %a : (tensor<?x5xf32>, tensor<2x5xf32>, tensor<?x5xf32>, tensor<2x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// As PyTorch computes the extents of a reshape, in i64, with questions that extents answer.
func.func @reshape(%x: tensor<?x4x?x16xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %sixteen = arith.constant 16 : i64
  %b = tensor.dim %x, %c0 : tensor<?x4x?x16xf32>
  %t = tensor.dim %x, %c2 : tensor<?x4x?x16xf32>
  %bi = arith.index_cast %b : index to i64
  %ti = arith.index_cast %t : index to i64
  %rows = arith.muli %bi, %four : i64
  %isInferred = arith.cmpi slt, %rows, %zero : i64
  %known = arith.select %isInferred, %one, %rows : i64
  %all = arith.muli %rows, %ti : i64
  %inferred = arith.divsi %all, %known : i64
  %first = arith.select %isInferred, %inferred, %rows : i64
  %float = arith.sitofp %ti : i64 to f64
  %added = arith.constant 1.0 : f64
  %more = arith.addf %float, %added : f64
  %enough = arith.cmpf uge, %more, %added : f64
  cf.assert %enough, "expected more elements"
  %e = tensor.empty(%b, %t) : tensor<?x4x?x16xf32>
  %s = linalg.exp ins(%x : tensor<?x4x?x16xf32>) outs(%e : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %shape = tensor.from_elements %first, %ti, %sixteen : tensor<3xi64>
  %y = tensor.reshape %s(%shape) : (tensor<?x4x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// Nothing says that the extents fit but the reshape.
func.func @reshape_any(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>}) -> tensor<?x?xf32> {
  %c4 = arith.constant 4 : index
  %shape = tensor.from_elements %c4, %n : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A reshape is between the slice and what is read at computed indices.
func.func @rows_of_slice(%x: tensor<?x16xf32> {carousel.argument = #carousel.argument<"x", in>}, %i: tensor<?xi32> {carousel.argument = #carousel.argument<"i", in>}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %k = arith.divui %m, %c2 : index
  %t = tensor.dim %i, %c0 : tensor<?xi32>
  %s = tensor.extract_slice %x[0, 4] [%m, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
  %h = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, %k, 8] : tensor<?x8xf32> into tensor<2x?x8xf32>
  %e = tensor.empty(%t) : tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#r, #e], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%row: i32, %o: f32):
    %at = arith.index_cast %row : i32 to index
    %c1 = arith.constant 1 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %h[%c1, %at, %j] : tensor<2x?x8xf32>
    linalg.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The host counts the elements.
func.func @mean(%x: tensor<?x129xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %c129 = arith.constant 129 : i32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x129xf32>
  %m32 = arith.index_cast %m : index to i32
  %count = arith.muli %m32, %c129 : i32
  %counts = tensor.from_elements %count : tensor<i32>
  %e = tensor.empty() : tensor<f32>
  %f = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%counts : tensor<i32>) outs(%e : tensor<f32>) {
  ^bb0(%a: i32, %o: f32):
    %r = arith.sitofp %a : i32 to f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#e, #n], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x129xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %mean = linalg.generic {indexing_maps = [#s, #s, #s], iterator_types = []} ins(%sum, %f : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %mean : tensor<f32>
}

// Not a number if there is one row or none: a condition of the host's.
func.func @variance(%x: tensor<?x129xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<129xf32> {
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant -1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %m = tensor.dim %x, %c0 : tensor<?x129xf32>
  %m32 = arith.index_cast %m : index to i32
  %several = arith.cmpi sgt, %m32, %c1 : i32
  %less = arith.subi %m32, %c1 : i32
  %e = tensor.empty() : tensor<129xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<129xf32>) -> tensor<129xf32>
  %sum = linalg.generic {indexing_maps = [#e, #c], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x129xf32>) outs(%start : tensor<129xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %o, %q : f32
    linalg.yield %r : f32
  } -> tensor<129xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%sum : tensor<129xf32>) outs(%e : tensor<129xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.sitofp %less : i32 to f32
    %q = arith.divf %a, %d : f32
    %r = arith.select %several, %q, %nan : f32
    linalg.yield %r : f32
  } -> tensor<129xf32>
  return %y : tensor<129xf32>
}

func.func @lengths(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}, %n: tensor<?xi32> {carousel.argument = #carousel.argument<"n", in>}) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = func.call @count_all(%n, %t) : (tensor<?xi32>, index) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @count(%n: tensor<?xi32> {carousel.argument = #carousel.argument<"n", in>}, %t: index {carousel.argument = #carousel.argument<"t", in>}) -> tensor<?xi32> {
  %y = func.call @count_all(%n, %t) : (tensor<?xi32>, index) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// No tensor in memory has the extent that is reduced.
func.func private @count_all(%n: tensor<?xi32>, %t: index) -> tensor<?xi32> {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %b = tensor.dim %n, %c0 : tensor<?xi32>
  %e = tensor.empty(%b, %t) : tensor<?x?xi1>
  %m = linalg.generic {indexing_maps = [#r, #e], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<?xi32>) outs(%e : tensor<?x?xi1>) {
  ^bb0(%a: i32, %o: i1):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %r = arith.cmpi sge, %k, %a : i32
    linalg.yield %r : i1
  } -> tensor<?x?xi1>
  %s = tensor.empty(%b) : tensor<?xi32>
  %start = linalg.fill ins(%zero : i32) outs(%s : tensor<?xi32>) -> tensor<?xi32>
  %y = linalg.generic {indexing_maps = [#e, #r], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<?x?xi1>) outs(%start : tensor<?xi32>) {
  ^bb0(%a: i1, %o: i32):
    %w = arith.extui %a : i1 to i32
    %r = arith.addi %o, %w : i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// The host doesn't read the offset.
func.func @slice_at(%x: tensor<9x16xf32> {carousel.argument = #carousel.argument<"x", in>}, %p: tensor<i32> {carousel.argument = #carousel.argument<"p", in>}) -> tensor<3x16xf32> {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c5 = arith.constant 5 : i32
  %at = tensor.extract %p[] : tensor<i32>
  %more = arith.addi %at, %c5 : i32
  %i = arith.index_cast %more : i32 to index
  %low = arith.maxsi %i, %c0 : index
  %first = arith.minsi %low, %c6 : index
  %y = tensor.extract_slice %x[%first, 0] [3, 16] [1, 1] : tensor<9x16xf32> to tensor<3x16xf32>
  return %y : tensor<3x16xf32>
}

func.func @update_at(%x: tensor<9x16xf32> {carousel.argument = #carousel.argument<"x", in>}, %y: tensor<3x16xf32> {carousel.argument = #carousel.argument<"y", in>}, %p: tensor<i32> {carousel.argument = #carousel.argument<"p", in>}) -> tensor<9x16xf32> {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c4 = arith.constant 4 : i32
  %at = tensor.extract %p[] : tensor<i32>
  %more = arith.addi %at, %c4 : i32
  %i = arith.index_cast %more : i32 to index
  %low = arith.maxsi %i, %c0 : index
  %first = arith.minsi %low, %c6 : index
  %z = tensor.insert_slice %y into %x[%first, 0] [3, 16] [1, 1] : tensor<3x16xf32> into tensor<9x16xf32>
  return %z : tensor<9x16xf32>
}

// An integer of 32 bits has the low bits of the index: 5 of 2^32 + 5.
func.func @least(%x: tensor<?xi32> {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>}) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %m = tensor.dim %x, %c0 : tensor<?xi32>
  %small = arith.index_cast %n : index to i32
  %least = arith.minsi %small, %c7 : i32
  %e = tensor.empty(%m) : tensor<?xi32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %r = arith.addi %a, %least : i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// The numbers of rows and columns are those of both factors' dimensions.
func.func @identity(%x: tensor<9x16xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<9x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x9xi32>
  %rows = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<9x9xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %r = arith.index_cast %i : index to i32
    linalg.yield %r : i32
  } -> tensor<9x9xi32>
  %columns = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<9x9xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 1 : index
    %r = arith.index_cast %i : index to i32
    linalg.yield %r : i32
  } -> tensor<9x9xi32>
  %f = tensor.empty() : tensor<9x9xf32>
  %eye = linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = ["parallel", "parallel"]} ins(%rows, %columns : tensor<9x9xi32>, tensor<9x9xi32>) outs(%f : tensor<9x9xf32>) {
  ^bb0(%a: i32, %b: i32, %o: f32):
    %same = arith.cmpi eq, %a, %b : i32
    %r = arith.uitofp %same : i1 to f32
    linalg.yield %r : f32
  } -> tensor<9x9xf32>
  %w = tensor.empty() : tensor<9x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%w : tensor<9x16xf32>) -> tensor<9x16xf32>
  %y = linalg.matmul ins(%eye, %x : tensor<9x9xf32>, tensor<9x16xf32>) outs(%start : tensor<9x16xf32>) -> tensor<9x16xf32>
  return %y : tensor<9x16xf32>
}

func.func @masked(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}, %m: tensor<?x?xi1> {carousel.argument = #carousel.argument<"m", in>}) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<?x?xf32>, tensor<?x?xi1>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %r = arith.select %b, %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @all(%x: tensor<3x2048xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<3xi1>, tensor<3x2048xi1>) {
  %true = arith.constant true
  %limit = arith.constant -9.0 : f32
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<3x2048xi1>
  %positive = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2048xf32>) outs(%w : tensor<3x2048xi1>) {
  ^bb0(%a: f32, %o: i1):
    %r = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %r : i1
  } -> tensor<3x2048xi1>
  %e = tensor.empty() : tensor<3xi1>
  %start = linalg.fill ins(%true : i1) outs(%e : tensor<3xi1>) -> tensor<3xi1>
  %y = linalg.generic {indexing_maps = [#e, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x2048xf32>) outs(%start : tensor<3xi1>) {
  ^bb0(%a: f32, %o: i1):
    %q = arith.cmpf ogt, %a, %limit : f32
    %r = arith.andi %o, %q : i1
    linalg.yield %r : i1
  } -> tensor<3xi1>
  return %y, %positive : tensor<3xi1>, tensor<3x2048xi1>
}

// Tiles of all results don't fit shared memory.
func.func @many(%x: tensor<?x64xf32> {carousel.argument = #carousel.argument<"x", in>}, %y: tensor<?x64xf32> {carousel.argument = #carousel.argument<"y", in>})
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %p:6 = linalg.generic {indexing_maps = [#e, #e, #e, #e, #e, #e, #e, #e], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
      outs(%e, %e, %e, %e, %e, %e : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.subf %a, %b : f32
    %2 = arith.mulf %a, %b : f32
    %3 = arith.maximumf %a, %b : f32
    %4 = arith.minimumf %a, %b : f32
    %5 = arith.mulf %0, %1 : f32
    linalg.yield %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
  } -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
  %f = tensor.empty() : tensor<64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#e, #c], iterator_types = ["reduction", "parallel"]} ins(%p#5 : tensor<?x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %p#0, %p#1, %p#2, %p#3, %p#4, %p#5, %sum : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<64xf32>
}
