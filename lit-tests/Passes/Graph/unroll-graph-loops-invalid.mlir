// Control flow that depends on data, and loops that are too long.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(carousel-unroll-graph-loops))' --verify-diagnostics

func.func @unknown_trip_count(%x: tensor<4xf32>, %n: index, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected loops of a graph to have a trip count that is a constant, got bounds that depend on data or on unknown extents; compute the loop in the caller}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %e = linalg.exp ins(%v : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @too_long(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 129 : index
  // expected-error @below {{expected loops of a graph to have at most 128 iterations, and 4096 structured ops when unrolled, got 129 iterations of 1; compute fewer iterations in each call}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %e = linalg.exp ins(%v : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Each loop is short enough, and both together aren't.
func.func @nested(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 128 : index
  // expected-error @below {{expected loops of a graph to have at most 128 iterations, and 4096 structured ops when unrolled, got 128 iterations of 128; compute fewer iterations in each call}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %w = scf.for %j = %c0 to %n step %c1 iter_args(%u = %v) -> (tensor<4xf32>) {
      %e = linalg.exp ins(%u : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    scf.yield %w : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// 64 * 64 iterations are in bounds, twice as many aren't.
func.func @one_after_another(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  // expected-error @below {{expected the loops of a graph to add at most 4096 structured ops when unrolled, got 8190; compute fewer iterations in each call}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %w = scf.for %j = %c0 to %n step %c1 iter_args(%u = %v) -> (tensor<4xf32>) {
      %e = linalg.exp ins(%u : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    scf.yield %w : tensor<4xf32>
  }
  %z = scf.for %i = %c0 to %n step %c1 iter_args(%v = %y) -> (tensor<4xf32>) {
    %w = scf.for %j = %c0 to %n step %c1 iter_args(%u = %v) -> (tensor<4xf32>) {
      %e = linalg.exp ins(%u : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    scf.yield %w : tensor<4xf32>
  }
  return %z : tensor<4xf32>
}

// -----

func.func @while_data(%x: tensor<f32>, %o: tensor<f32>) -> tensor<f32> {
  %most = arith.constant 100.0 : f32
  // expected-error @below {{expected loops of a graph to count to a constant, and conditions to be scf.if, got 'scf.while'; compute it in the caller}}
  %y = scf.while (%v = %x) : (tensor<f32>) -> tensor<f32> {
    %e = tensor.extract %v[] : tensor<f32>
    %more = arith.cmpf olt, %e, %most : f32
    scf.condition(%more) %v : tensor<f32>
  } do {
  ^bb0(%v: tensor<f32>):
    %e = linalg.exp ins(%v : tensor<f32>) outs(%o : tensor<f32>) -> tensor<f32>
    scf.yield %e : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

func.func @branch_reads(%c: i1, %x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected branches that can both be computed (their ops may neither read elements or slices, nor divide by what may be 0, nor have effects)}}
  %r = scf.if %c -> (tensor<4xf32>) {
    // expected-note @below {{got 'tensor.extract_slice'}}
    %s = tensor.extract_slice %x[8] [4] [1] : tensor<?xf32> to tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @branch_gathers(%c: i1, %x: tensor<?xf32>, %at: tensor<4xindex>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected branches that can both be computed}}
  %r = scf.if %c -> (tensor<4xf32>) {
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%at : tensor<4xindex>) outs(%y : tensor<4xf32>) {
    ^bb0(%i: index, %out: f32):
      // expected-note @below {{got 'tensor.extract'}}
      %e = tensor.extract %x[%i] : tensor<?xf32>
      linalg.yield %e : f32
    } -> tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @branch_loops(%c: i1, %x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{expected branches that can both be computed}}
  %r = scf.if %c -> (tensor<4xf32>) {
    %l = scf.for %i = %c0 to %c8 step %c2 iter_args(%v = %y) -> (tensor<4xf32>) {
      // expected-note @below {{got 'tensor.extract_slice'}}
      %s = tensor.extract_slice %x[%i] [4] [1] : tensor<?xf32> to tensor<4xf32>
      %a = linalg.add ins(%s, %v : tensor<4xf32>, tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %l : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @branch_divides(%c: i1, %a: i32, %b: i32, %y: tensor<4xi32>) -> i32 {
  // expected-error @below {{expected branches that can both be computed}}
  %r = scf.if %c -> (i32) {
    // expected-note @below {{got 'arith.divsi'}}
    %q = arith.divsi %a, %b : i32
    scf.yield %q : i32
  } else {
    scf.yield %a : i32
  }
  return %r : i32
}

// -----

func.func @branch_without_results(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %true = arith.constant true
  // expected-error @below {{expected conditions of a graph to have results, got none}}
  scf.if %c {
    cf.assert %true, "no"
  }
  return %x : tensor<4xf32>
}
