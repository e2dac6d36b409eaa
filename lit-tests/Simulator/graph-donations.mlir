// A result that may have the memory of an argument is right there, and in memory of its own.
// DEFINE: %{args} =
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function steps --chip sm_80,sm_90a --
// REDEFINE: %{args} = --arg p=random:67x131 --arg g=random:67x131 --rtol 1e-6 --atol 1e-6
// RUN: %{graph} %{args} --arg new_p=same:p --arg norms=zeros:67 | FileCheck %s
// RUN: %{graph} %{args} --arg new_p=zeros:67x131 --arg norms=zeros:67 | FileCheck %s
// CHECK: block phase: right
// CHECK-NOT: wrong

// A reference that works in place would be wrong.
// RUN: carousel-opt %s --carousel-graph-to-block -o %t.mlir
// RUN: carousel-sim %t.mlir --program @turn --reference @turn_reference --arg p=iota:256x256 --arg result0=same:p
// RUN: carousel-sim %t.mlir --program @turn --reference @turn_reference --arg p=iota:256x256 --arg result0=zeros:256x256
// RUN: carousel-opt %t.mlir --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' -o %t.sm_90a.mlir
// DEFINE: %{two} = --program @two --reference @two_reference --rtol 1e-3 --atol 1e-2
// RUN: carousel-sim %t.mlir %{two} --arg p=iota:7x129 --arg new_p=same:p --arg result1=zeros:7x129
// RUN: carousel-sim %t.sm_90a.mlir %{two} --arg p=iota:7x129 --arg new_p=same:p --arg result1=zeros:7x129
// RUN: carousel-sim %t.sm_90a.mlir %{two} --arg p=iota:2x70000 --arg new_p=same:p --arg result1=zeros:2x70000
// RUN: carousel-sim %t.mlir --program @late --reference @late_reference --arg p=iota:64 --arg result0=same:p --arg result1=zeros:64

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// A row is reduced, and then gone over once more.
func.func @steps(%p: tensor<?x?xf32> {carousel.argument = #carousel.argument<"p", in>},
                 %g: tensor<?x?xf32> {carousel.argument = #carousel.argument<"g", in>})
    -> (tensor<?x?xf32> {carousel.argument = #carousel.argument<"new_p", out, may_alias = 0>},
        tensor<?xf32> {carousel.argument = #carousel.argument<"norms", out>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %p, %c0 : tensor<?x?xf32>
  %n = tensor.dim %p, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %o : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %g, %norm : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.mulf %b, %c : f32
    %t = arith.subf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %y, %norm : tensor<?x?xf32>, tensor<?xf32>
}

// Programs read what others write: a buffer, and a copy.
func.func @turn(%p: tensor<256x256xf32> {tf.aliasing_output = 0 : i32, carousel.argument = #carousel.argument<"p", in>})
    -> tensor<256x256xf32> {
  %e = tensor.empty() : tensor<256x256xf32>
  %y = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %p : tensor<256x256xf32>, tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}

func.func @turn_reference(%p: memref<256x256xf32>, %y: memref<256x256xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<256x256xf32>) {
  ^bb0(%o: f32):
    %c257 = arith.constant 257 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %product = arith.muli %sum, %c257 : index
    %integer = arith.index_cast %product : index to i32
    %float = arith.sitofp %integer : i32 to f32
    linalg.yield %float : f32
  }
  return
}

// A kernel after the one that writes the result reads the argument.
func.func @late(%p: tensor<64xf32> {carousel.argument = #carousel.argument<"p", in>})
    -> (tensor<64xf32> {carousel.argument = #carousel.argument<"result0", out, may_alias = 0>}, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %s = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%y : tensor<64xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %w = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %y, %sum : tensor<64xf32>, tensor<64xf32>, tensor<f32>) outs(%w : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %t = arith.addf %a, %c : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<64xf32>
  return %y, %q : tensor<64xf32>, tensor<64xf32>
}

func.func @late_reference(%p: memref<64xf32>, %y: memref<64xf32>, %q: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%y, %q : memref<64xf32>, memref<64xf32>) {
  ^bb0(%o: f32, %r: f32):
    %i = linalg.index 0 : index
    %integer = arith.index_cast %i : index to i32
    %float = arith.sitofp %integer : i32 to f32
    %twice = arith.addf %float, %float : f32
    %sum = arith.constant 4032.0 : f32
    %many = arith.constant 64.0 : f32
    %more = arith.addf %float, %sum : f32
    %all = arith.mulf %more, %many : f32
    linalg.yield %twice, %all : f32, f32
  }
  return
}

// One result is written before the row has been read for the other one: what both read, they read once, or again
// before it is written.
func.func @two(%p: tensor<?x?xf32> {carousel.argument = #carousel.argument<"p", in>})
    -> (tensor<?x?xf32> {carousel.argument = #carousel.argument<"new_p", out, may_alias = 0>}, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %p, %c0 : tensor<?x?xf32>
  %n = tensor.dim %p, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %norm : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %t = arith.subf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %y, %q : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @two_reference(%p: memref<?x?xf32>, %y: memref<?x?xf32>, %q: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %q, %c0 : memref<?x?xf32>
  %n = memref.dim %q, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
      %k = arith.muli %i, %n : index
      %l = arith.addi %k, %j : index
      %t = arith.index_cast %l : index to i32
      %f = arith.sitofp %t : i32 to f32
      %b = arith.addf %a, %f : f32
      scf.yield %b : f32
    }
    scf.for %j = %c0 to %n step %c1 {
      %k = arith.muli %i, %n : index
      %l = arith.addi %k, %j : index
      %t = arith.index_cast %l : index to i32
      %f = arith.sitofp %t : i32 to f32
      %b = arith.subf %f, %s : f32
      memref.store %b, %q[%i, %j] : memref<?x?xf32>
      %c = math.sin %f : f32
      memref.store %c, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
