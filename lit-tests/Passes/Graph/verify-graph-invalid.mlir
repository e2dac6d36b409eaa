// What isn't in the normal form of graphs is named.
// RUN: carousel-opt %s --split-input-file --carousel-verify-graph --verify-diagnostics

// DOC-EXAMPLE: --carousel-verify-graph
func.func @named(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected the normal form of graphs, with linalg.generic, linalg.fill, linalg.transpose or a pooling}}
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @pad(%x: tensor<8xf32>, %zero: f32) -> tensor<10xf32> {
  // expected-error @+1 {{expected the normal form of graphs, with fills and copies in place of pads and concatenations}}
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<10xf32>
  return %y : tensor<10xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @init(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected the normal form of graphs, with inputs in place of inits that an op without reductions reads}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @check(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected the normal form of graphs, with no checks of elements}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %ok = arith.cmpf ogt, %in, %zero : f32
    cf.assert %ok, "expected positive elements"
    linalg.yield %in : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
