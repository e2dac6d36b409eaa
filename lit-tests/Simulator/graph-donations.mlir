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
// DEFINE: %{apart} = --program @apart --reference @apart_reference
// RUN: carousel-sim %t.mlir %{apart} --arg p=iota:7x129 --arg new_p=same:p --arg result1=zeros:7x129
// RUN: carousel-sim %t.sm_90a.mlir %{apart} --arg p=iota:7x129 --arg new_p=same:p --arg result1=zeros:7x129
// RUN: carousel-sim %t.sm_90a.mlir %{apart} --arg p=iota:2x70001 --arg new_p=same:p --arg result1=zeros:2x70001
// DEFINE: %{wide} = --program @wide --reference @wide_reference --arg p=iota:3x20480 --arg x=iota:3x20480
// RUN: carousel-sim %t.mlir %{wide} --arg new_p=same:p --arg result1=zeros:3x20480
// RUN: carousel-sim %t.sm_90a.mlir %{wide} --arg new_p=same:p --arg result1=zeros:3x20480
// DEFINE: %{columns} = --program @columns --reference @columns_reference --arg p=iota:64 --arg x=iota:64
// RUN: carousel-sim %t.mlir %{columns} --arg m=iota:300x64 --arg new_p=same:p --arg result1=zeros:64
// RUN: carousel-sim %t.sm_90a.mlir %{columns} --arg m=iota:300x64 --arg new_p=same:p --arg result1=zeros:64
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

// One result could be written before the row has been read for the other one. It gets memory of its own.
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

// The same with numbers that are exact: a second pass that reads 2p for p is wrong in all elements.
func.func @apart(%p: tensor<?x?xf32> {carousel.argument = #carousel.argument<"p", in>})
    -> (tensor<?x?xf32> {carousel.argument = #carousel.argument<"new_p", out, may_alias = 0>}, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %m = tensor.dim %p, %c0 : tensor<?x?xf32>
  %n = tensor.dim %p, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%least : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %t = arith.subf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %y, %q : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @apart_reference(%p: memref<?x?xf32>, %y: memref<?x?xf32>, %q: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = memref.dim %q, %c1 : memref<?x?xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      outs(%y, %q : memref<?x?xf32>, memref<?x?xf32>) {
  ^bb0(%o: f32, %r: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %begin = arith.muli %i, %n : index
    %at = arith.addi %begin, %j : index
    %k = arith.index_cast %at : index to i32
    %f = arith.sitofp %k : i32 to f32
    %twice = arith.addf %f, %f : f32
    %end = arith.addi %begin, %n : index
    %last = arith.subi %end, %c1 : index
    %l = arith.index_cast %last : index to i32
    %g = arith.sitofp %l : i32 to f32
    %less = arith.subf %f, %g : f32
    linalg.yield %twice, %less : f32, f32
  }
  return
}

// The result is of another argument, and vectors are too long to be read ahead of its write.
func.func @wide(%p: tensor<3x20480xf32> {carousel.argument = #carousel.argument<"p", in>},
                %x: tensor<3x20480xf32> {carousel.argument = #carousel.argument<"x", in>})
    -> (tensor<3x20480xf32> {carousel.argument = #carousel.argument<"new_p", out, may_alias = 0>}, tensor<3x20480xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x20480xf32>
  %r = tensor.empty() : tensor<3xf32>
  %z = linalg.fill ins(%least : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x20480xf32>) outs(%z : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<3x20480xf32>, tensor<3xf32>) outs(%e : tensor<3x20480xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %t = arith.subf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x20480xf32>
  %q = linalg.add ins(%p, %y : tensor<3x20480xf32>, tensor<3x20480xf32>) outs(%e : tensor<3x20480xf32>) -> tensor<3x20480xf32>
  return %y, %q : tensor<3x20480xf32>, tensor<3x20480xf32>
}

func.func @wide_reference(%p: memref<3x20480xf32>, %x: memref<3x20480xf32>, %y: memref<3x20480xf32>,
                          %q: memref<3x20480xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      outs(%y, %q : memref<3x20480xf32>, memref<3x20480xf32>) {
  ^bb0(%o: f32, %r: f32):
    %c20479 = arith.constant 20479 : index
    %j = linalg.index 1 : index
    %less = arith.subi %j, %c20479 : index
    %k = arith.index_cast %less : index to i32
    %f = arith.sitofp %k : i32 to f32
    %c20480 = arith.constant 20480 : index
    %i = linalg.index 0 : index
    %begin = arith.muli %i, %c20480 : index
    %at = arith.addi %begin, %j : index
    %sum = arith.addi %at, %less : index
    %l = arith.index_cast %sum : index to i32
    %g = arith.sitofp %l : i32 to f32
    linalg.yield %f, %g : f32, f32
  }
  return
}

// The result needs no loop, and the loop reads the argument.
func.func @columns(%p: tensor<64xf32> {carousel.argument = #carousel.argument<"p", in>},
                   %x: tensor<64xf32> {carousel.argument = #carousel.argument<"x", in>},
                   %m: tensor<300x64xf32> {carousel.argument = #carousel.argument<"m", in>})
    -> (tensor<64xf32> {carousel.argument = #carousel.argument<"new_p", out, may_alias = 0>}, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %q = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%m, %p, %y : tensor<300x64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    %u = arith.addf %t, %o : f32
    linalg.yield %u : f32
  } -> tensor<64xf32>
  return %y, %q : tensor<64xf32>, tensor<64xf32>
}

// Column j has the sum of 64i + j + j + 2j.
func.func @columns_reference(%p: memref<64xf32>, %x: memref<64xf32>, %m: memref<300x64xf32>, %y: memref<64xf32>,
                             %q: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      outs(%y, %q : memref<64xf32>, memref<64xf32>) {
  ^bb0(%o: f32, %r: f32):
    %c1200 = arith.constant 1200 : i32
    %c2870400 = arith.constant 2870400 : i32
    %j = linalg.index 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %twice = arith.addf %f, %f : f32
    %product = arith.muli %k, %c1200 : i32
    %sum = arith.addi %product, %c2870400 : i32
    %g = arith.sitofp %sum : i32 to f32
    linalg.yield %twice, %g : f32, f32
  }
  return
}
