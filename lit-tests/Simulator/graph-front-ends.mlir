// What front ends write beside structured ops, compared with the graph as it is written: loops and conditions around ops,
// largest elements and their indices, checks of elements, and divisors behind the end.
// DEFINE: %{function} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --chip sm_90a --function %{function} --kernels
// REDEFINE: %{function} = scan
// RUN: %{graph} 3 -- --arg x=random:3x17 --arg h=random:17 --arg result0=zeros:3x17 --arg result1=zeros:17 --rtol 1e-5 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = condition
// RUN: %{graph} 1 -- --arg x=random:67 --arg c=zeros:[] --arg result0=zeros:67 --rtol 1e-5 --again --arg x=random:67 --arg c=random:[] --arg result0=zeros:67 --rtol 1e-5 | FileCheck %s
// REDEFINE: %{function} = argmax_jax
// RUN: %{graph} 1 -- --arg x=random:5x67 --arg result0=zeros:5 --arg result1=zeros:5 --again --arg x=zeros:5x67 --arg result0=zeros:5 --arg result1=zeros:5 --again --arg x=random:1x1 --arg result0=zeros:1 --arg result1=zeros:1 --again --arg x=random:3x0 --arg result0=zeros:3 --arg result1=zeros:3 | FileCheck %s
// REDEFINE: %{function} = argmax_of_numbers
// RUN: %{graph} 2 -- --arg x=random:5x67 --arg result0=zeros:5 --arg result1=zeros:5 | FileCheck %s
// REDEFINE: %{function} = argmin_torch
// RUN: %{graph} 2 -- --arg x=random:67x5 --arg result0=zeros:5 --arg result1=zeros:5 | FileCheck %s
// REDEFINE: %{function} = divide
// RUN: %{graph} 1 -- --arg x=random:3x9 --arg y=random:3x9 --arg result0=zeros:3x9 --arg result1=zeros:3 | FileCheck %s
// REDEFINE: %{function} = checked
// RUN: %{graph} 1 -- --arg x=random:3x9 --arg result0=zeros:3x9 --rtol 1e-6 | FileCheck %s
// REDEFINE: %{function} = pairs
// RUN: %{graph} 1 -- --arg x=random:9x16 --arg i=iota:7 --arg j=iota:7:5 --arg result0=zeros:7 | FileCheck %s
// REDEFINE: %{function} = shifted
// RUN: %{graph} 1 -- --arg x=random:9x64 --arg p=zeros:[] --arg result0=zeros:7x58 --again --arg x=random:9x64 --arg p=random:[]:0 --arg result0=zeros:7x58 --again --arg x=random:9x64 --arg p=random:[]:1 --arg result0=zeros:7x58 | FileCheck %s
// REDEFINE: %{function} = kept_and_reduced
// RUN: %{graph} 1 -- --arg x=random:5x4 --arg result0=zeros:5x4 --arg result1=zeros:5 --rtol 1e-5 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = two_pads
// RUN: %{graph} 1 -- --arg x=random:7x5 --arg y=random:7x5 --arg result0=zeros:7x8 --arg result1=zeros:7x8 --rtol 1e-6 | FileCheck %s
// REDEFINE: %{function} = table
// RUN: %{graph} 1 -- --arg x=random:6x8 --arg i=iota:6x8:6 --arg result0=zeros:6x8 --rtol 1e-6 | FileCheck %s
// REDEFINE: %{function} = layers
// RUN: %{graph} 3 -- --arg x=random:3x8 --arg w=random:8x8 --arg v=random:8x8:1 --arg result0=zeros:3x8 --arg result1=zeros:2 --rtol 1e-5 --atol 1e-6 | FileCheck %s
// REDEFINE: %{function} = regrouped
// RUN: %{graph} 1 -- --arg x=random:2x6x2x3 --arg scale=random:6 --arg result0=zeros:2x6x2x3 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = joined_jax
// RUN: %{graph} 1 -- --arg a=random:16x8 --arg b=random:16x24 --arg w=random:32x16 --arg result0=zeros:16x16 --rtol 1e-5 --atol 1e-5 | FileCheck %s
// REDEFINE: %{function} = slices_of_pad
// RUN: %{graph} 1 -- --arg x=random:8x6 --arg result0=zeros:4x6 --rtol 1e-5 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#e = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (d1)>
#n = affine_map<(d0, d1) -> ()>
#v = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>

// h = tanh(h + x[i]); y[i] = h
func.func @scan(%x: tensor<3x?xf32> {carousel.argument = #carousel.argument<"x", in>}, %h: tensor<?xf32> {carousel.argument = #carousel.argument<"h", in>}) -> (tensor<3x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %h, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%ys = %e, %v = %h) -> (tensor<3x?xf32>, tensor<?xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<3x?xf32> to tensor<?xf32>
    %w = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%row, %v : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32, %d: f32):
      %sum = arith.addf %a, %b : f32
      %t = math.tanh %sum : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %z = tensor.insert_slice %w into %ys[%i, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<3x?xf32>
    scf.yield %z, %w : tensor<3x?xf32>, tensor<?xf32>
  }
  return %y#0, %y#1 : tensor<3x?xf32>, tensor<?xf32>
}

func.func @condition(%x: tensor<?xf32> {carousel.argument = #carousel.argument<"x", in>}, %c: tensor<i32> {carousel.argument = #carousel.argument<"c", in>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %number = tensor.extract %c[] : tensor<i32>
  %which = arith.cmpi ne, %number, %zero : i32
  %y = scf.if %which -> (tensor<?xf32>) {
    %e = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// As JAX writes it: of equal elements the first, and of elements that aren't numbers.
func.func @argmax_jax(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?xf32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %ei = tensor.empty(%m, %n) : tensor<?x?xi32>
  %i = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<?x?xi32>) {
  ^bb0(%o: i32):
    %at = linalg.index 1 : index
    %k = arith.index_cast %at : index to i32
    linalg.yield %k : i32
  } -> tensor<?x?xi32>
  %ev = tensor.empty(%m) : tensor<?xf32>
  %fv = linalg.fill ins(%least : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>
  %ek = tensor.empty(%m) : tensor<?xi32>
  %fk = linalg.fill ins(%zero : i32) outs(%ek : tensor<?xi32>) -> tensor<?xi32>
  %y:2 = linalg.generic {indexing_maps = [#e, #e, #r, #r], iterator_types = ["parallel", "reduction"]} ins(%x, %i : tensor<?x?xf32>, tensor<?x?xi32>) outs(%fv, %fk : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%a: f32, %k: i32, %b: f32, %l: i32):
    %more = arith.cmpf ogt, %b, %a : f32
    %nan = arith.cmpf une, %b, %b : f32
    %keeps = arith.ori %more, %nan : i1
    %equal = arith.cmpf oeq, %b, %a : f32
    %less = arith.cmpi slt, %l, %k : i32
    %first = arith.andi %equal, %less : i1
    %before = arith.ori %keeps, %first : i1
    %v = arith.select %keeps, %b, %a : f32
    %w = arith.select %before, %l, %k : i32
    linalg.yield %v, %w : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xi32>
}

// Elements that aren't numbers are never larger.
func.func @argmax_of_numbers(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?xf32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %least = arith.constant 0xFF800000 : f32
  %limit = arith.constant 0.5 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant 0 : i32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %ev = tensor.empty(%m) : tensor<?xf32>
  %fv = linalg.fill ins(%least : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>
  %ek = tensor.empty(%m) : tensor<?xi32>
  %fk = linalg.fill ins(%zero : i32) outs(%ek : tensor<?xi32>) -> tensor<?xi32>
  %y:2 = linalg.generic {indexing_maps = [#e, #r, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%fv, %fk : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%in: f32, %b: f32, %l: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %large = arith.cmpf ogt, %in, %limit : f32
    %a = arith.select %large, %nan, %in : f32
    %more = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %more, %a, %b : f32
    %w = arith.select %more, %k, %l : i32
    linalg.yield %v, %w : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xi32>
}

func.func @argmin_torch(%x: tensor<?x5xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<5xf32>, tensor<5xi64>) {
  %most = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0 : i64
  %ev = tensor.empty() : tensor<5xf32>
  %fv = linalg.fill ins(%most : f32) outs(%ev : tensor<5xf32>) -> tensor<5xf32>
  %ek = tensor.empty() : tensor<5xi64>
  %fk = linalg.fill ins(%zero : i64) outs(%ek : tensor<5xi64>) -> tensor<5xi64>
  %y:2 = linalg.generic {indexing_maps = [#e, #c, #c], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x5xf32>) outs(%fv, %fk : tensor<5xf32>, tensor<5xi64>) {
  ^bb0(%a: f32, %b: f32, %l: i64):
    %at = linalg.index 0 : index
    %k = arith.index_cast %at : index to i64
    %v = arith.minimumf %a, %b : f32
    %less = arith.cmpf olt, %a, %b : f32
    %w = arith.select %less, %k, %l : i64
    linalg.yield %v, %w : f32, i64
  } -> (tensor<5xf32>, tensor<5xi64>)
  return %y#0, %y#1 : tensor<5xf32>, tensor<5xi64>
}

// Vectors are longer than rows, and what lies behind the end is zero.
func.func @divide(%x: tensor<?x9xi32> {carousel.argument = #carousel.argument<"x", in>}, %y: tensor<?x9xi32> {carousel.argument = #carousel.argument<"y", in>}) -> (tensor<?x9xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %x, %c0 : tensor<?x9xi32>
  %e = tensor.empty(%m) : tensor<?x9xi32>
  %z = linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x9xi32>, tensor<?x9xi32>) outs(%e : tensor<?x9xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %q = arith.divsi %a, %b : i32
    %rest = arith.remsi %q, %b : i32
    linalg.yield %rest : i32
  } -> tensor<?x9xi32>
  %er = tensor.empty(%m) : tensor<?xi32>
  %fr = linalg.fill ins(%zero : i32) outs(%er : tensor<?xi32>) -> tensor<?xi32>
  %s = linalg.generic {indexing_maps = [#e, #r], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<?x9xi32>) outs(%fr : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    linalg.yield %sum : i32
  } -> tensor<?xi32>
  return %z, %s : tensor<?x9xi32>, tensor<?xi32>
}

func.func @checked(%x: tensor<?x9xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<?x9xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x9xf32>
  %e = tensor.empty(%m) : tensor<?x9xf32>
  %y = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x9xf32>) outs(%e : tensor<?x9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %some = arith.cmpf one, %a, %zero : f32
    cf.assert %some, "expected elements that aren't zero"
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// Indices of two dimensions are one tensor, as JAX gathers: conditions on constants choose.
func.func @pairs(%x: tensor<9x16xf32> {carousel.argument = #carousel.argument<"x", in>}, %i: tensor<7xi32> {carousel.argument = #carousel.argument<"i", in>}, %j: tensor<7xi32> {carousel.argument = #carousel.argument<"j", in>}) -> tensor<7xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ep = tensor.empty() : tensor<7x2xi32>
  %p = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%ep : tensor<7x2xi32>) {
  ^bb0(%o: i32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %isFirst = arith.cmpi ult, %b, %c1 : index
    %k = scf.if %isFirst -> (i32) {
      %f = tensor.extract %i[%a] : tensor<7xi32>
      scf.yield %f : i32
    } else {
      %g = tensor.extract %j[%a] : tensor<7xi32>
      scf.yield %g : i32
    }
    linalg.yield %k : i32
  } -> tensor<7x2xi32>
  %e = tensor.empty() : tensor<7xf32>
  %y = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<7xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %k = tensor.extract %p[%a, %c0] : tensor<7x2xi32>
    %l = tensor.extract %p[%a, %c1] : tensor<7x2xi32>
    %ki = arith.index_cast %k : i32 to index
    %li = arith.index_cast %l : i32 to index
    %r = tensor.extract %x[%ki, %li] : tensor<9x16xf32>
    linalg.yield %r : f32
  } -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// Neighbours in memory, from numbers that the graph and a tensor have.
func.func @shifted(%x: tensor<?x64xf32> {carousel.argument = #carousel.argument<"x", in>}, %p: tensor<i32> {carousel.argument = #carousel.argument<"p", in>}) -> tensor<?x58xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %three = arith.constant 3 : i32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %n = arith.subi %m, %c2 : index
  %e = tensor.empty(%n) : tensor<?x58xf32>
  %y = linalg.generic {indexing_maps = [#n, #e], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<i32>) outs(%e : tensor<?x58xf32>) {
  ^bb0(%number: i32, %o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %few = arith.andi %number, %three : i32
    %from = arith.index_cast %few : i32 to index
    %row = arith.addi %a, %c2 : index
    %shifted = arith.addi %b, %from : index
    %column = arith.addi %shifted, %c3 : index
    %r = tensor.extract %x[%row, %column] : tensor<?x64xf32>
    linalg.yield %r : f32
  } -> tensor<?x58xf32>
  return %y : tensor<?x58xf32>
}

// What is reduced by loops leaves the kernel, too. No schedule has a reduction to a sum and what was added last.
func.func @kept_and_reduced(%x: tensor<?x4xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %t = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  %ev = tensor.empty(%m) : tensor<?xf32>
  %fv = linalg.fill ins(%zero : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>
  %y:2 = linalg.generic {indexing_maps = [#e, #r, #r], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<?x4xf32>) outs(%fv, %fv : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %l: f32):
    %v = arith.addf %a, %b : f32
    %w = arith.subf %v, %l : f32
    linalg.yield %v, %w : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %t, %y#1 : tensor<?x4xf32>, tensor<?xf32>
}

// Two results start from equal zeros, and have memory of their own.
func.func @two_pads(%x: tensor<?x?xf32> {carousel.argument = #carousel.argument<"x", in>}, %y: tensor<?x?xf32> {carousel.argument = #carousel.argument<"y", in>}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %w = arith.addi %n, %c3 : index
  %ez = tensor.empty(%m, %w) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ez : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = tensor.insert_slice %x into %z[0, 1] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %q = tensor.insert_slice %s into %z[0, 2] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %p, %q : tensor<?x?xf32>, tensor<?x?xf32>
}

// A tensor that is read along its dimensions and at computed indices keeps its shape in the kernel.
func.func @table(%x: tensor<6x8xf32> {carousel.argument = #carousel.argument<"x", in>}, %i: tensor<6x8xi64> {carousel.argument = #carousel.argument<"i", in>}) -> tensor<6x8xf32> {
  %c7 = arith.constant 7 : index
  %e = tensor.empty() : tensor<6x8xf32>
  %y = linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = ["parallel", "parallel"]} ins(%x, %i : tensor<6x8xf32>, tensor<6x8xi64>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %n: i64, %o: f32):
    %row = arith.index_cast %n : i64 to index
    %b = tensor.extract %x[%row, %c7] : tensor<6x8xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// Two layers launch one kernel with their own weights. The extents are a result, too.
func.func @layers(%x: tensor<?x8xf32> {carousel.argument = #carousel.argument<"x", in>}, %w: tensor<8x8xf32> {carousel.argument = #carousel.argument<"w", in>},
    %v: tensor<8x8xf32> {carousel.argument = #carousel.argument<"v", in>}) -> (tensor<?x8xf32>, tensor<2xi64>) {
  %y = call @layer(%x, %w) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %z = call @layer(%y, %v) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %m = arith.index_cast %n : index to i64
  %eight = arith.constant 8 : i64
  %extents = tensor.from_elements %m, %eight : tensor<2xi64>
  return %z, %extents : tensor<?x8xf32>, tensor<2xi64>
}
func.func private @layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.tanh ins(%p : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Groups of channels with all of their pixels, and each channel's scale.
func.func @regrouped(%x: tensor<2x6x2x3xf32> {carousel.argument = #carousel.argument<"x", in>}, %scale: tensor<6xf32> {carousel.argument = #carousel.argument<"scale", in>}) -> tensor<2x6x2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<2x6x2x3xf32> into tensor<2x36xf32>
  %groups = tensor.expand_shape %flat [[0], [1, 2]] output_shape [2, 2, 18] : tensor<2x36xf32> into tensor<2x2x18xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(n, g, m) -> (n, g, m)>, affine_map<(n, g, m) -> (n, g)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%groups : tensor<2x2x18xf32>) outs(%f : tensor<2x2xf32>) {
  ^bb0(%v: f32, %a: f32):
    %s = arith.addf %a, %v : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %h = tensor.empty() : tensor<2x2x18xf32>
  %shifted = linalg.generic {indexing_maps = [affine_map<(n, g, m) -> (n, g, m)>, affine_map<(n, g, m) -> (n, g)>, affine_map<(n, g, m) -> (n, g, m)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%groups, %sums : tensor<2x2x18xf32>, tensor<2x2xf32>) outs(%h : tensor<2x2x18xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %d = arith.subf %v, %m : f32
    linalg.yield %d : f32
  } -> tensor<2x2x18xf32>
  %again = tensor.collapse_shape %shifted [[0], [1, 2]] : tensor<2x2x18xf32> into tensor<2x36xf32>
  %channels = tensor.expand_shape %again [[0], [1, 2, 3]] output_shape [2, 6, 2, 3] : tensor<2x36xf32> into tensor<2x6x2x3xf32>
  %k = tensor.empty() : tensor<2x6x2x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, i, j) -> (n, c, i, j)>, affine_map<(n, c, i, j) -> (c)>, affine_map<(n, c, i, j) -> (n, c, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%channels, %scale : tensor<2x6x2x3xf32>, tensor<6xf32>) outs(%k : tensor<2x6x2x3xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %r = arith.mulf %v, %s : f32
    linalg.yield %r : f32
  } -> tensor<2x6x2x3xf32>
  return %y : tensor<2x6x2x3xf32>
}

func.func @joined_jax(%a: tensor<16x8xf32> {carousel.argument = #carousel.argument<"a", in>}, %b: tensor<16x24xf32> {carousel.argument = #carousel.argument<"b", in>}, %w: tensor<32x16xf32> {carousel.argument = #carousel.argument<"w", in>})
    -> tensor<16x16xf32> {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<16x32xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %below = arith.cmpi ult, %j, %c8 : index
    %v = scf.if %below -> (f32) {
      %p = tensor.extract %a[%i, %j] : tensor<16x8xf32>
      scf.yield %p : f32
    } else {
      %l = arith.subi %j, %c8 : index
      %p = tensor.extract %b[%i, %l] : tensor<16x24xf32>
      scf.yield %p : f32
    }
    linalg.yield %v : f32
  } -> tensor<16x32xf32>
  %o = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

func.func @slices_of_pad(%x: tensor<8x6xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<4x6xf32> {
  %low = arith.constant -7.0 : f32
  %p = tensor.pad %x low[1, 2] high[1, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %low : f32
  } : tensor<8x6xf32> to tensor<10x11xf32>
  %a = tensor.extract_slice %p[2, 2] [4, 6] [2, 1] : tensor<10x11xf32> to tensor<4x6xf32>
  %b = tensor.extract_slice %p[1, 3] [4, 6] [2, 1] : tensor<10x11xf32> to tensor<4x6xf32>
  %c = tensor.extract_slice %p[0, 5] [4, 6] [3, 1] : tensor<10x11xf32> to tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %m = linalg.mul ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %y = linalg.sub ins(%m, %c : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
