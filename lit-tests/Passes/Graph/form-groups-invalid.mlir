// What isn't a graph is refused at the op.
// RUN: carousel-opt %s --carousel-form-groups --split-input-file --verify-diagnostics

func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected ops of linalg, tensor and arith in a graph, or ops with carousel::DistributionOpInterface (inline calls first), got 'func.call'}}
  %y = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a graph to have one block, got 2}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

// C299
func.func @again(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected an op that a kernel can have: several programs would write the result of 'loops at}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
