// What has no form for vectors is refused at the op.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
func.func @repeat(%p0: tensor<8xf32>) -> tensor<8xf32> {
  %group = carousel.group "repeat"(%p0) {
  ^bb0(%x: tensor<8xf32>):
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
    carousel.yield %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %group : tensor<8xf32>
}

// -----

func.func @reshape(%p0: tensor<8xf32>) -> tensor<2x4xf32> {
  %group = carousel.group "reshape"(%p0) {
  ^bb0(%x: tensor<8xf32>):
    // expected-error @+1 {{expected structured ops in a group, got 'tensor.expand_shape'}}
    %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    carousel.yield %y : tensor<2x4xf32>
  } : (tensor<8xf32>) -> tensor<2x4xf32>
  return %group : tensor<2x4xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @both(%p0: tensor<8x8xf32>, %p1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error-re @+1 {{expected ops that can be one kernel: '{{[a-z]+}} at {{.*}}:{{[0-9]+}}' keeps a dimension that another op reduces}}
  %group:2 = carousel.group "both"(%p0, %p1) {
  ^bb0(%x: tensor<8x8xf32>, %y: tensor<8xf32>):
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
    carousel.yield %a, %b : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8x8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %group#0, %group#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @reinterpreted(%p0: tensor<8xf32>, %p1: tensor<8xf32>) -> tensor<8xf32> {
  %group = carousel.group "reinterpreted"(%p0, %p1) {
  ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>):
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
    carousel.yield %r : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %group : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @table(%p0: tensor<2xf32>) -> tensor<2xf32> {
  %group = carousel.group "table"(%p0) {
  ^bb0(%x: tensor<2xf32>):
    %e = tensor.empty() : tensor<2xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %i = linalg.index 0 : index
      // expected-error @+1 {{expected elementwise ops, linalg.index, scf.if, scf.for and tensor.extract in the body of a kernel's op, got 'arith.constant'}}
      %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %f = tensor.extract %t[%i] : tensor<2xf32>
      linalg.yield %f : f32
    } -> tensor<2xf32>
    carousel.yield %r : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %group : tensor<2xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @other_family(%p0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'carousel.group' op expected a schedule of family elementwise for 1 dimensions, got #carousel.group_schedule<row, [<[0], grid, 1>]>}}
  %group = carousel.group "other_family"(%p0) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>]>]} {
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    carousel.yield %r : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %group : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @reads(%p0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'carousel.group' op expected shared reads of its 1 structured ops, got #carousel.shared_read<op = 0, read = 0, with = 1>}}
  %group = carousel.group "reads"(%p0) attributes {shared_reads = [#carousel.shared_read<op = 0, read = 0, with = 1>]} {
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    carousel.yield %r : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %group : tensor<8xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @short_vector(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: a vector of 64 elements hasn't all of dimension 1, in #carousel.group_schedule<row}}
  %y = carousel.group "short_vector"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 64>]>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @grid_of_sums(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: the grid goes along dimension 1, which is reduced, in #carousel.group_schedule<row}}
  %y = carousel.group "grid_of_sums"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], grid, 64>]>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @loop_of_results(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: a loop goes along dimension 0, which isn't reduced, in #carousel.group_schedule<row}}
  %y = carousel.group "loop_of_results"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0], loop, 1>, <[1], none, 1024>]>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @joined(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: its dimensions aren't those of the group's tensors, in their order, in #carousel.group_schedule<row}}
  %y = carousel.group "joined"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0, 1], grid, 128>]>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @turned(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: its dimensions aren't those of the group's tensors, in their order, in #carousel.group_schedule<row}}
  %y = carousel.group "turned"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[1], none, 1024>, <[0], grid, 1>]>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @covers_results(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: the covered dimension isn't a reduced one that vectors have, in #carousel.group_schedule<row}}
  %y = carousel.group "covers_results"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 1024>] covered = 0>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @divides_nothing(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: no loop goes along the divided dimension, in #carousel.group_schedule<row}}
  %y = carousel.group "divides_nothing"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 1024>] division = <position = 1, least_length = 64, most_parts = 2, wanted_programs = 2>>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @few_sums(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a schedule that fits the group: the grid doesn't go along the dimension of few rows, in #carousel.group_schedule<row}}
  %y = carousel.group "few_sums"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 1024>] few_rows = 1>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @unchanged(%p: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected results that structured ops compute, got another value as result 0}}
  %y = carousel.group "unchanged"(%p) {
  ^bb0(%x: tensor<8xf32>):
    carousel.yield %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @one_name(%p: tensor<8xf32>) -> tensor<8xf32> {
  %y = carousel.group "k"(%p) {
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %in : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    carousel.yield %r : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @+1 {{expected a kernel's name once, as the group computes something else, got 'k' again}}
  %z = carousel.group "k"(%y) {
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    carousel.yield %r : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @carried(%p0: tensor<8x8xf32>, %p1: tensor<8xf32>) -> tensor<8x8xf32> {
  %group = carousel.group "carried"(%p0, %p1) {
  ^bb0(%x: tensor<8x8xf32>, %y: tensor<8xf32>):
    %e = tensor.empty() : tensor<8x8xf32>
    // The loop carries what no known operation combines.
    // expected-error @+1 {{expected results without reduced loops, but for those of scans}}
    %r:2 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%y, %e : tensor<8xf32>, tensor<8x8xf32>) {
    ^bb0(%in: f32, %before: f32, %out: f32):
      %t = math.tanh %before : f32
      %s = arith.addf %t, %in : f32
      linalg.yield %s, %s : f32, f32
    } -> (tensor<8xf32>, tensor<8x8xf32>)
    carousel.yield %r#1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %group : tensor<8x8xf32>
}
