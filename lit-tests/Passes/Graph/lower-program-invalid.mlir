// Functions on tensors that aren't programs.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics --carousel-lower-program

// C224: ops
func.func @generic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected ops that a program has (launches of kernels, library_matmul, tensor.empty, dim, cast, reshapes and slices, constants, linalg.fill and copy, cf.assert, and arith on numbers), got 'linalg.exp'}}
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C224: memory of the device isn't read on the host
func.func @extract(%x: tensor<4xindex>, %n: index) -> tensor<?xf32> {
  // expected-error @below {{got 'tensor.extract'}}
  %i = tensor.extract %x[%n] : tensor<4xindex>
  %0 = tensor.empty(%i) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C224: control flow
func.func @branch(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error @below {{got 'scf.if'}}
  %0 = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// C224: blocks
// expected-error @below {{expected a program of one block, got 2}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

// C224: calls, which are inlined before
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{got 'func.call'}}
  %0 = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// C224: arguments
// expected-error @below {{expected arguments of a program that are ranked tensors or numbers, got 'memref<4xf32>'}}
func.func @memref(%x: tensor<4xf32>, %y: memref<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// C224: results
// expected-error @below {{expected results of a program that are ranked tensors, got 'index'}}
func.func @number(%x: tensor<4xf32>) -> index {
  %c4 = arith.constant 4 : index
  return %c4 : index
}

// -----

// C229: arguments
// expected-error @below {{expected may_alias of result 0 to name an argument below 1, got 1}}
func.func @donor(%x: tensor<4xf32>)
    -> (tensor<4xf32> {carousel.argument = #carousel.argument<"y", out, may_alias = 1>}) {
  return %x : tensor<4xf32>
}

// -----

// C229: types
// expected-error @below {{expected result 0 to have the type of argument 0, whose memory it may have, got 'tensor<?xf32>' and 'tensor<4xf32>'}}
func.func @types(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<?xf32> {
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// C229: one result
// expected-error @below {{expected one result that may have the memory of argument 0, got results 0 and 1}}
func.func @twice(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32})
    -> (tensor<4xf32>, tensor<4xf32> {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// C229: results
// expected-error @below {{expected tf.aliasing_output below the number of results, 1, got 1}}
func.func @output(%x: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// C294: the verifier compares no operands, also if they are constants
func.func @beyond(%x: tensor<10x8xf32>) -> tensor<4x4xf32> {
  %c6 = arith.constant 6 : index
  // expected-error @below {{expected a slice inside of dimension 1 of arg0, got 3 above 1}}
  %0 = tensor.extract_slice %x[0, %c6] [4, 4] [1, 1] : tensor<10x8xf32> to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// C294: backwards
func.func @reversed(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a slice inside of dimension 0 of arg0, got 1 above -1}}
  %0 = tensor.extract_slice %x[7] [8] [-1] : tensor<8xf32> to tensor<8xf32>
  return %0 : tensor<8xf32>
}
