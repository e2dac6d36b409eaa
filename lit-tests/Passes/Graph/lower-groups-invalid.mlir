// What has no form for vectors is refused at the op.
// RUN: carousel-opt %s --carousel-lower-groups --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
func.func private @repeat(%x: tensor<8xf32>) -> tensor<8xf32> attributes {carousel.group} {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %own = linalg.index 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expected scf.for in the body of a kernel's op to have signed numbers, and one lower bound and step for all elements}}
    %r = scf.for %i = %own to %c3 step %c1 iter_args(%s = %in) -> f32 {
      %t = arith.addf %s, %in : f32
      scf.yield %t : f32
    }
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func private @reshape(%x: tensor<8xf32>) -> tensor<2x4xf32> attributes {carousel.group} {
  // expected-error @+1 {{expected structured ops in a group, got 'tensor.expand_shape'}}
  %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
// expected-error-re @+1 {{expected ops that can be one kernel: '{{[a-z]+}} at {{.*}}:{{[0-9]+}}' keeps a dimension that another op reduces}}
func.func private @both(%x: tensor<8x8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {carousel.group} {
  %a = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %out, %in : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#all, #row, #column], iterator_types = ["reduction", "parallel"]} ins(%x, %a : tensor<8x8xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %p = arith.mulf %in, %other : f32
    %r = arith.addf %out, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func private @reinterpreted(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> attributes {carousel.group} {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    // expected-error @+1 {{expected elementwise ops, linalg.index, scf.if, scf.for and tensor.extract in the body of a kernel's op, got 'tensor.bitcast'}}
    %bits = tensor.bitcast %y : tensor<8xf32> to tensor<8xi32>
    %b = tensor.extract %bits[%i] : tensor<8xi32>
    %f = arith.sitofp %b : i32 to f32
    linalg.yield %f : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func private @table(%x: tensor<2xf32>) -> tensor<2xf32> attributes {carousel.group} {
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    // expected-error @+1 {{expected elementwise ops, linalg.index, scf.if, scf.for and tensor.extract in the body of a kernel's op, got 'arith.constant'}}
    %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %f = tensor.extract %t[%i] : tensor<2xf32>
    linalg.yield %f : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
