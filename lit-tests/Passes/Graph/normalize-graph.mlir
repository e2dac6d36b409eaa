// What front ends write comes into few forms.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{accumulate=as-written}))' | FileCheck %s --check-prefix=WRITTEN
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph{accumulate=f16}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --accumulate option: Cannot find option named 'f16'!

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#first = affine_map<(i, j) -> (0, j)>
#turned = affine_map<(i, j) -> (j, i)>
#none = affine_map<(i, j) -> ()>

// A bias that is broadcast in two steps, a scalar of rank 0, and a chain of elementwise ops: one op.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<?x768xf32>, %[[B:.*]]: tensor<768xf32>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[B]] : tensor<?x768xf32>, tensor<768xf32>)
// CHECK: arith.addf
// CHECK: arith.mulf %{{.*}}, %cst
// CHECK: math.tanh
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]
func.func @chain(%x: tensor<?x768xf32>, %b: tensor<768xf32>) -> tensor<?x768xf32> {
  %c0 = arith.constant 0 : index
  %half = arith.constant dense<0.5> : tensor<f32>
  %n = tensor.dim %x, %c0 : tensor<?x768xf32>
  %e1 = tensor.empty() : tensor<1x768xf32>
  %b1 = linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<768xf32>) outs(%e1 : tensor<1x768xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x768xf32>
  %e = tensor.empty(%n) : tensor<?x768xf32>
  %b2 = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]} ins(%b1 : tensor<1x768xf32>) outs(%e : tensor<?x768xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x768xf32>
  %h = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel", "parallel"]} ins(%half : tensor<f32>) outs(%e : tensor<?x768xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x768xf32>
  %s = linalg.add ins(%x, %b2 : tensor<?x768xf32>, tensor<?x768xf32>) outs(%e : tensor<?x768xf32>) -> tensor<?x768xf32>
  %m = arith.mulf %s, %h : tensor<?x768xf32>
  %t = linalg.tanh ins(%m : tensor<?x768xf32>) outs(%e : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %t : tensor<?x768xf32>
}

// A value with two users is fused into neither, one that is only copied into both.
// CHECK-LABEL: func.func @users
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>)
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<8x16xf32>)
// CHECK: math.exp
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%[[E]] :
// CHECK: linalg.generic {{.*}} ins(%[[E]], %[[S]] : tensor<8x16xf32>, tensor<8xf32>)
// CHECK: arith.divf
// CHECK-NOT: linalg.generic
func.func @users(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %p = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce {arith.addf} ins(%p : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<8x16xf32>) dimensions = [1]
  %r = linalg.div ins(%p, %b : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Nothing but copies goes into a contraction: a transposed weight does.
// CHECK-LABEL: func.func @product
// CHECK-SAME: (%[[A:.*]]: tensor<32x64xf32>, %[[W:.*]]: tensor<48x64xf32>)
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<32x64xf32>)
// CHECK: math.tanh
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[G]], %[[W]] : tensor<32x64xf32>, tensor<48x64xf32>)
// CHECK: arith.mulf
func.func @product(%a: tensor<32x64xf32>, %w: tensor<48x64xf32>) -> tensor<32x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %g = linalg.tanh ins(%a : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e1 = tensor.empty() : tensor<64x48xf32>
  %t = linalg.transpose ins(%w : tensor<48x64xf32>) outs(%e1 : tensor<64x48xf32>) permutation = [1, 0]
  %e2 = tensor.empty() : tensor<32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%g, %t : tensor<32x64xf32>, tensor<64x48xf32>) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %p : tensor<32x48xf32>
}

// Sums of bf16 are added in f32 and rounded once, from zeros or from a tensor on.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<32x48xf32>)
// CHECK: %[[P:.*]] = linalg.generic {{.*}} outs(%[[F]] : tensor<32x48xf32>)
// CHECK: %[[L:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[R:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[M:.*]] = arith.mulf %[[L]], %[[R]] : f32
// CHECK: arith.addf %{{.*}}, %[[M]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<32x48xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: linalg.generic
// CHECK: arith.extf %{{.*}} : bf16 to f32
// WRITTEN-LABEL: func.func @narrow
// WRITTEN-NOT: f32
// WRITTEN: return
func.func @narrow(%a: tensor<32x64xbf16>, %b: tensor<64x48xbf16>, %c: tensor<32x48xbf16>) -> (tensor<32x48xbf16>, tensor<32x48xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<32x48xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<32x48xbf16>) -> tensor<32x48xbf16>
  %p = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x48xbf16>) outs(%f : tensor<32x48xbf16>) -> tensor<32x48xbf16>
  %q = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x48xbf16>) outs(%c : tensor<32x48xbf16>) -> tensor<32x48xbf16>
  return %p, %q : tensor<32x48xbf16>, tensor<32x48xbf16>
}

// A reshape moves to the edges: the ops compute in more dimensions.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME: (%[[X:.*]]: tensor<4x320xf32>)
// CHECK: %[[W:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [4, 32, 10]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[W]] : tensor<4x32x10xf32>)
// CHECK: math.exp
func.func @reshape(%x: tensor<4x320xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x320xf32>
  %p = linalg.exp ins(%x : tensor<4x320xf32>) outs(%e : tensor<4x320xf32>) -> tensor<4x320xf32>
  %w = tensor.expand_shape %p [[0], [1, 2]] output_shape [4, 32, 10] : tensor<4x320xf32> into tensor<4x32x10xf32>
  %e1 = tensor.empty() : tensor<4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %s = linalg.reduce {arith.addf} ins(%w : tensor<4x32x10xf32>) outs(%f : tensor<4x32xf32>) dimensions = [2]
  return %s : tensor<4x32xf32>
}

// A row's maximum goes to a column of extent 1 and back to the row: the extent is gone, also where the value has two users.
// CHECK-LABEL: func.func @unit
// CHECK-NOT: x1xf32
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x16xf32>, tensor<?xf32>)
// CHECK: arith.subf
// CHECK-NOT: x1xf32
// CHECK: return
func.func @unit(%x: tensor<?x16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.reduce {arith.maximumf} ins(%x : tensor<?x16xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %c = tensor.expand_shape %m [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %e2 = tensor.empty(%n) : tensor<?x1xf32>
  %a = linalg.abs ins(%c : tensor<?x1xf32>) outs(%e2 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x1xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x16xf32>
  %d = linalg.sub ins(%x, %b : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %g = linalg.exp ins(%d : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %d, %g : tensor<?x16xf32>, tensor<?x16xf32>
}

// A softmax is five ops. Convolutions have windows in their maps.
// CHECK-LABEL: func.func @named
// CHECK-NOT: linalg.softmax
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {indexing_maps = [#[[WINDOWS:.*]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>)
func.func @named(%x: tensor<8x16xf32>, %i: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x8xf32>, %o: tensor<1x6x6x8xf32>) -> (tensor<8x16xf32>, tensor<1x6x6x8xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%i, %w : tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) outs(%o : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  return %s, %c : tensor<8x16xf32>, tensor<1x6x6x8xf32>
}

// An ordered comparison skips NaN.
// CHECK-LABEL: func.func @argmax_of_numbers
// CHECK: arith.maxnumf
// CHECK: arith.cmpf oeq
// CHECK-NOT: arith.cmpf
// CHECK: arith.minsi
func.func @argmax_of_numbers(%x: tensor<4x16xf32>, %v: tensor<4xf32>, %k: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x16xf32>) outs(%v, %k : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %own = arith.index_cast %i : index to i32
    %more = arith.cmpf ogt, %in, %best : f32
    %r = arith.select %more, %in, %best : f32
    %n = arith.select %more, %own, %at : i32
    linalg.yield %r, %n : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xi32>
}

// Of equal elements, the first one stays: here it has the largest index.
// DOC-EXAMPLE: --carousel-generalize-graph
// CHECK-LABEL: func.func @argmax_backwards
// CHECK: arith.cmpf ogt
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @argmax_backwards(%x: tensor<4x16xf32>, %v: tensor<4xf32>, %k: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %last = arith.constant 15 : i32
  %y:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x16xf32>) outs(%v, %k : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %forwards = arith.index_cast %i : index to i32
    %own = arith.subi %last, %forwards : i32
    %more = arith.cmpf ogt, %in, %best : f32
    %r = arith.select %more, %in, %best : f32
    %n = arith.select %more, %own, %at : i32
    linalg.yield %r, %n : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xi32>
}

// An elementwise op that reads its init: the init is an input, so that in more loops each iteration reads the same element.
// CHECK-LABEL: func.func @init_of_rows
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[B]] : tensor<8x16xf32>, tensor<8xf32>) outs(%[[E]] : tensor<8x16xf32>)
// CHECK: ^bb0(%{{.*}}: f32, %[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK: arith.addf %[[IN]], %cst
// CHECK-NOT: linalg.generic
func.func @init_of_rows(%x: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<8x16xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%b : tensor<8xf32>) outs(%ones : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x16xf32>, tensor<8xf32>) outs(%e2 : tensor<8x16xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %r = arith.mulf %a, %in : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// Of two inits, the one that is read; a reduction keeps its own.
// CHECK-LABEL: func.func @inits
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>, %[[Y:.*]]: tensor<8x16xf32>, %[[Z:.*]]: tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<8x16xf32>, tensor<8x16xf32>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: arith.subf %[[B]], %[[A]]
// CHECK: linalg.generic {{.*}} outs(%[[Z]] : tensor<8xf32>)
func.func @inits(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %z: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e, %y : tensor<8x16xf32>, tensor<8x16xf32>) {
  ^bb0(%in: f32, %out: f32, %old: f32):
    %n = arith.negf %in : f32
    %d = arith.subf %old, %in : f32
    linalg.yield %n, %d : f32, f32
  } -> (tensor<8x16xf32>, tensor<8x16xf32>)
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r#0, %r#1, %s : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xf32>
}

// Elements at the numbers of loops, of a table that is longer than the loops: its first part.
// CHECK-LABEL: func.func @table
// CHECK-SAME: (%[[X:.*]]: tensor<16x8xf32>, %[[N:.*]]: tensor<?x8xf32>, %[[T:.*]]: tensor<64x8xf32>)
// CHECK: %[[P:.*]] = tensor.extract_slice %[[T]][0, 0] [16, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[P]] : tensor<16x8xf32>, tensor<16x8xf32>)
// CHECK: tensor.empty(%{{.*}}) : tensor<?x8xf32>
// CHECK-NEXT: %[[M:.*]] = tensor.dim %[[N]], %{{.*}} : tensor<?x8xf32>
// CHECK-NEXT: %[[Q:.*]] = tensor.extract_slice %[[T]][0, 0] [%[[M]], 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[N]], %[[Q]] : tensor<?x8xf32>, tensor<?x8xf32>)
func.func @table(%x: tensor<16x8xf32>, %n: tensor<?x8xf32>, %t: tensor<64x8xf32>) -> (tensor<16x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<16x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = tensor.extract %t[%i, %j] : tensor<64x8xf32>
    %s = arith.addf %in, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %m = tensor.dim %n, %c0 : tensor<?x8xf32>
  %f = tensor.empty(%m) : tensor<?x8xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<?x8xf32>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = tensor.extract %t[%i, %j] : tensor<64x8xf32>
    %s = arith.addf %in, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r, %q : tensor<16x8xf32>, tensor<?x8xf32>
}

// Where extents are known at the launch only, a table has its first part if no op needs both to be equal.
// CHECK-LABEL: func.func @dynamic_table
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[L:.*]]: tensor<?xf32>, %[[N:.*]]: tensor<?xf32>)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[L]][0] [%{{.*}}] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[N]], %[[PART]] : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[N]] : tensor<?x?xf32>, tensor<?xf32>)
func.func @dynamic_table(%x: tensor<?x?xf32>, %long: tensor<?xf32>, %n: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %n : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %i = linalg.index 0 : index
    %p = tensor.extract %long[%i] : tensor<?xf32>
    %s = arith.addf %in, %p : f32
    %t = arith.mulf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %j = linalg.index 1 : index
    %p = tensor.extract %n[%j] : tensor<?xf32>
    %s = arith.subf %in, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r, %q : tensor<?x?xf32>, tensor<?x?xf32>
}

// What is between slices is read, and zero. Slices that may be all of a tensor need no zeros.
// CHECK-LABEL: func.func @corners
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[A:.*]] = tensor.insert_slice %{{.*}} into %[[ZEROS]]
// CHECK-NEXT: tensor.insert_slice %{{.*}} into %[[A]]
// CHECK-NOT: tensor.extract_slice
// CHECK-NOT: linalg.fill
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: return
func.func @corners(%x: tensor<4x3xf32>, %y: tensor<4x8xf32>, %n: index) -> (tensor<8x8xf32>, tensor<4xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %a = tensor.insert_slice %x into %e[0, 0] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<8x8xf32>
  %b = tensor.insert_slice %x into %a[4, 5] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<8x8xf32>
  %r = linalg.exp ins(%b : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v = tensor.empty() : tensor<4xf32>
  %w = tensor.empty(%n) : tensor<?xf32>
  %c = tensor.extract_slice %w[2] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %s = linalg.exp ins(%c : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %d = tensor.insert_slice %y into %e[%n, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  %f = tensor.insert_slice %y into %d[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  %t = linalg.exp ins(%f : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r, %s, %t : tensor<8x8xf32>, tensor<4xf32>, tensor<8x8xf32>
}

// A table that is shorter than the loops is read at numbers: others are never selected.
// CHECK-LABEL: func.func @short
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<3xf32>
func.func @short(%x: tensor<5xf32>, %t: tensor<3xf32>) -> tensor<5xf32> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %has = arith.cmpi ult, %i, %c3 : index
    %p = tensor.extract %t[%i] : tensor<3xf32>
    %s = arith.addf %in, %p : f32
    %q = arith.select %has, %s, %in : f32
    linalg.yield %q : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// Constants are transposed once, by the compiler, also through reshapes. Broadcasts stay: they would take more memory.
// DOC-EXAMPLE: --carousel-generalize-graph --carousel-fuse-graph --carousel-fold-constant-copies
// CHECK-LABEL: func.func @constants
// CHECK-DAG: arith.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK-DAG: arith.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x3x2xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @constants() -> (tensor<3x2xf32>, tensor<2x2xi32>, tensor<4x3x2xf32>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %r = arith.constant dense_resource<weights> : tensor<4xi32>
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%c : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %s = tensor.expand_shape %r [[0, 1]] output_shape [2, 2] : tensor<4xi32> into tensor<2x2xi32>
  %f = tensor.empty() : tensor<2x2xi32>
  %u = linalg.transpose ins(%s : tensor<2x2xi32>) outs(%f : tensor<2x2xi32>) permutation = [1, 0]
  %g = tensor.empty() : tensor<4x3x2xf32>
  %b = linalg.broadcast ins(%t : tensor<3x2xf32>) outs(%g : tensor<4x3x2xf32>) dimensions = [0]
  return %t, %u, %b : tensor<3x2xf32>, tensor<2x2xi32>, tensor<4x3x2xf32>
}

// An extent that is squared again and again has 2^28 factors; the compiler doesn't list them.
// CHECK-LABEL: func.func @squares
// CHECK: return
func.func @squares(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x2xf32>
  %d1 = arith.muli %d0, %d0 : index
  %d2 = arith.muli %d1, %d1 : index
  %d3 = arith.muli %d2, %d2 : index
  %d4 = arith.muli %d3, %d3 : index
  %d5 = arith.muli %d4, %d4 : index
  %d6 = arith.muli %d5, %d5 : index
  %d7 = arith.muli %d6, %d6 : index
  %d8 = arith.muli %d7, %d7 : index
  %d9 = arith.muli %d8, %d8 : index
  %d10 = arith.muli %d9, %d9 : index
  %d11 = arith.muli %d10, %d10 : index
  %d12 = arith.muli %d11, %d11 : index
  %d13 = arith.muli %d12, %d12 : index
  %d14 = arith.muli %d13, %d13 : index
  %d15 = arith.muli %d14, %d14 : index
  %d16 = arith.muli %d15, %d15 : index
  %d17 = arith.muli %d16, %d16 : index
  %d18 = arith.muli %d17, %d17 : index
  %d19 = arith.muli %d18, %d18 : index
  %d20 = arith.muli %d19, %d19 : index
  %d21 = arith.muli %d20, %d20 : index
  %d22 = arith.muli %d21, %d21 : index
  %d23 = arith.muli %d22, %d22 : index
  %d24 = arith.muli %d23, %d23 : index
  %d25 = arith.muli %d24, %d24 : index
  %d26 = arith.muli %d25, %d25 : index
  %d27 = arith.muli %d26, %d26 : index
  %d28 = arith.muli %d27, %d27 : index
  %s = tensor.from_elements %d28 : tensor<1xindex>
  %r = tensor.reshape %x(%s) : (tensor<?x2xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x0400000001000000020000000300000004000000"
    }
  }
#-}

// Where an extent is 0, the result is the init.
// CHECK-LABEL: func.func @empty_rows
// CHECK: %[[ONES:.*]] = linalg.fill
// CHECK-NOT: linalg
// CHECK: return %[[ONES]]
func.func @empty_rows(%x: tensor<64x0xf32>) -> tensor<64xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x0xf32>) outs(%ones : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// So is one that isn't read. What then reads it, such as a product, reads zeros.
// CHECK-LABEL: func.func @no_steps
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<16x8xf32>) outs(%arg2 : tensor<8x8xf32>)
// CHECK: arith.mulf %{{.*}}, %[[ZERO]]
func.func @no_steps(%x: tensor<8x16x0xf32>, %w: tensor<16x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<8x16x0xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %y = linalg.matmul ins(%r, %w : tensor<8x16xf32>, tensor<16x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// A fill doesn't follow the op that made its init.
// CHECK-LABEL: func.func @fill_of_result
// CHECK: %[[EXP:.*]] = linalg.generic
// CHECK: linalg.fill {{.*}} outs(%{{[0-9]+}} : tensor<?xf32>)
// CHECK-NOT: outs(%[[EXP]]
// CHECK: return
func.func @fill_of_result(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = math.exp %x : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %e, %r : tensor<?xf32>, tensor<?xf32>
}

// A constant that is broadcast for a sum to start from is a fill.
// CHECK-LABEL: func.func @start
// CHECK: %[[Z:.*]] = linalg.fill {{.*}} -> tensor<?xf32>
// CHECK: linalg.generic {{.*}} outs(%[[Z]] : tensor<?xf32>)
func.func @start(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%zero : tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
