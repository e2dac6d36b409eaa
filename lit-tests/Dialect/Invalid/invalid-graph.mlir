// Attributes of graphs' ops that don't fit.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C349: on an op that reads rows
// expected-error @below {{expected carousel.unread_tiles on a linalg.generic, got it on func.func}}
func.func private @function() attributes {carousel.unread_tiles}

// -----

// C349: without a value
func.func @value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected carousel.unread_tiles without a value, got true}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) attrs = {carousel.unread_tiles = true} {
  ^bb0(%a: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C362: on a copy of an op
// expected-error @below {{expected carousel.recomputed on a linalg.generic, got it on func.func}}
func.func private @function() attributes {carousel.recomputed = 0}

// -----

// C362: with a number
func.func @value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected carousel.recomputed with the number of a copy, of i64, got -1 : i64}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) attrs = {carousel.recomputed = -1} {
  ^bb0(%a: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
