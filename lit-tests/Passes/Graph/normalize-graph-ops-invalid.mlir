// Ops and elements that MLIR verifies and no planner can count.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --verify-diagnostics

// C276
// expected-error @below {{expected tensors of indices, or of integers or floats of 1, 8, 16, 32 or 64 bits, got 'tensor<4xvector<2xf32>>'}}
func.func @vectors(%x: tensor<4xvector<2xf32>>) -> tensor<4xvector<2xf32>> {
  return %x : tensor<4xvector<2xf32>>
}

// -----

func.func @complex() {
  // C276
  // expected-error @below {{expected tensors of indices, or of integers or floats of 1, 8, 16, 32 or 64 bits, got 'tensor<4xcomplex<f32>>'}}
  %x = tensor.empty() : tensor<4xcomplex<f32>>
  return
}

// -----

#whole = affine_map<(i, j) -> (i, j)>

func.func @extents(%x: tensor<?x4xf32>, %y: tensor<?x8xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // C276
  // expected-error @below {{expected operands of the same extent along loop 1, got 4 and 8}}
  %r = linalg.generic {indexing_maps = [#whole, #whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x4xf32>, tensor<?x8xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

#whole = affine_map<(i, j) -> (i, j)>

func.func @reduced(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // C276
  // expected-error @below {{expected results without reduced loops, but for those of scans, got loop 1 in one}}
  %r = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

#whole = affine_map<(i) -> (i)>
#even = affine_map<(i) -> (2 * i)>

func.func @skipped(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // C276
  // expected-error @below {{expected results at loops, each at most once, got affine_map<(d0) -> (d0 * 2)>}}
  %r = linalg.generic {indexing_maps = [#whole, #even], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#whole = affine_map<(i, j) -> (i, j)>
#behind = affine_map<(i, j) -> (i, 7)>

func.func @constant(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // C276
  // expected-error @below {{expected results at loops, each at most once, got affine_map<(d0, d1) -> (d0, 7)>}}
  %r = linalg.generic {indexing_maps = [#whole, #behind], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

#whole = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i, 0)>

func.func @first(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // C276
  // expected-error @below {{expected an extent of 1 where a result has no loop, got 'tensor<?x4xf32>' at affine_map<(d0, d1) -> (d0, 0)>}}
  %r = linalg.generic {indexing_maps = [#whole, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

#whole = affine_map<(i) -> (i)>
#one = affine_map<(i) -> (0)>

func.func @again(%x: tensor<?xf32>, %o: tensor<1xf32>) -> tensor<1xf32> {
  // C276
  // expected-error @below {{expected results with all parallel loops, got affine_map<(d0) -> (0)> without loop 0}}
  %r = linalg.generic {indexing_maps = [#whole, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<1xf32>
  return %r : tensor<1xf32>
}

// -----

func.func @odd() {
  // C276
  // expected-error @below {{expected tensors of indices, or of integers or floats of 1, 8, 16, 32 or 64 bits, got 'tensor<4xi65>'}}
  %x = tensor.empty() : tensor<4xi65>
  return
}

// -----

// C276
// expected-error @below {{expected tensors of indices, or of integers or floats of 1, 8, 16, 32 or 64 bits, got 'tensor<4xf4E2M1FN>'}}
func.func @narrow(%x: tensor<4xf4E2M1FN>) -> tensor<4xf4E2M1FN> {
  return %x : tensor<4xf4E2M1FN>
}

// -----

func.func @empty_image(%x: tensor<1x0x0x4xf32>, %w: tensor<3x3x4x4xf32>, %o: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  // C276
  // expected-error @below {{expected indices inside of dimension 1 of 'tensor<1x0x0x4xf32>', got 0 to 4}}
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x0x0x4xf32>, tensor<3x3x4x4xf32>) outs(%o : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %r : tensor<1x2x2x4xf32>
}

// -----

#whole = affine_map<(i, j) -> (i, j)>
#behind = affine_map<(i, j) -> (i + 7)>

func.func @behind(%x: tensor<8xf32>, %o: tensor<8x?xf32>) -> tensor<8x?xf32> {
  // C276
  // expected-error @below {{expected indices inside of dimension 0 of 'tensor<8xf32>', got 7 to 14}}
  %r = linalg.generic {indexing_maps = [#behind, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%o : tensor<8x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}

// -----

#whole = affine_map<(i, j) -> (i, j)>
#before = affine_map<(i, j) -> (i - j + 7)>

func.func @before(%x: tensor<16xf32>, %o: tensor<8x9xf32>) -> tensor<8x9xf32> {
  // C276
  // expected-error @below {{expected indices inside of dimension 0 of 'tensor<16xf32>', got -1 to 14}}
  %r = linalg.generic {indexing_maps = [#before, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16xf32>) outs(%o : tensor<8x9xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x9xf32>
  return %r : tensor<8x9xf32>
}

// -----

#whole = affine_map<(i) -> (i)>
#rest = affine_map<(i) -> (i mod 4)>

func.func @rest(%x: tensor<0xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // C276
  // expected-error @below {{expected indices inside of dimension 0 of 'tensor<0xf32>', got 0 to 0}}
  %r = linalg.generic {indexing_maps = [#rest, #whole], iterator_types = ["parallel"]}
      ins(%x : tensor<0xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#whole = affine_map<(i) -> (i)>
#far = affine_map<(i) -> (i * 9223372036854775807 + 3)>

func.func @far(%x: tensor<4xf32>, %o: tensor<8xf32>, %n: tensor<?xf32>) -> tensor<8xf32> {
  // C276
  // expected-error @below {{expected indices inside of dimension 0 of 'tensor<4xf32>', got 3 to 9223372036854775807}}
  %r = linalg.generic {indexing_maps = [#far, #whole, #whole], iterator_types = ["parallel"]}
      ins(%x, %n : tensor<4xf32>, tensor<?xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
