// Numbers that arithmetic can't hold, or that MLIR's folders would follow out of a type, are refused before any pass.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics --canonicalize

// C270
// expected-error @below {{expected extents of at most 2^48 bytes in all, got 'tensor<1099511627776x9223372036854775807xf32>'}}
func.func @tensor(%a: tensor<1099511627776x9223372036854775807xf32>) {
  return
}

// -----

// C270: an extent of 0 doesn't hide the others, of which strides are made
// expected-error @below {{expected extents of at most 2^48 bytes in all, got 'tensor<0x4611686018427387904x4xf32>'}}
func.func @empty(%a: tensor<0x4611686018427387904x4xf32>) {
  return
}

// -----

// C270: what is allowed
func.func @largest(%a: tensor<281474976710656xi8>, %b: tensor<?x70368744177664xf32>, %c: memref<*xf32>) {
  return
}

// -----

// C270: a type in an attribute
// expected-error @below {{expected extents of at most 2^48 bytes in all, got 'memref<9223372036854775807xf32>'}}
memref.global "private" @g : memref<9223372036854775807xf32>

// -----

// C270
func.func @strides(%a: memref<?xf32>) {
  // expected-error @below {{expected offsets and strides of at most 2^48 elements, got 'memref<4x4xf32, strided<[9223372036854775807, 1]>>'}}
  %r = memref.reinterpret_cast %a to offset: [0], sizes: [4, 4], strides: [9223372036854775807, 1]
      : memref<?xf32> to memref<4x4xf32, strided<[9223372036854775807, 1]>>
  return
}

// -----

// C270: the last element of a dimension
// expected-error @below {{expected offsets and strides of at most 2^48 elements, got 'memref<1073741824x1xf32, strided<[1073741824, 1]>>'}}
func.func @last(%a: memref<1073741824x1xf32, strided<[1073741824, 1]>>) {
  return
}

// -----

// C271
func.func @dim(%a: tensor<?xf32>) -> index {
  %c = arith.constant -1 : index
  // expected-error @below {{expected one of the 1 dimensions of 'tensor<?xf32>', got -1}}
  %n = tensor.dim %a, %c : tensor<?xf32>
  return %n : index
}

// -----

// C271
func.func @beyond(%a: memref<?x4xf32>) -> index {
  %c = arith.constant 2 : index
  // expected-error @below {{expected one of the 2 dimensions of 'memref<?x4xf32>', got 2}}
  %n = memref.dim %a, %c : memref<?x4xf32>
  return %n : index
}

// -----

// C271: MLIR would write behind a mask of the dimensions
func.func @reduced(%v: vector<32x64xf32>, %a: vector<32xf32>) -> vector<32xf32> {
  // expected-error @below {{expected one of the 2 dimensions of 'vector<32x64xf32>', got 2305843009213693952}}
  %s = vector.multi_reduction <add>, %v, %a [1, 2305843009213693952] : vector<32x64xf32> to vector<32xf32>
  return %s : vector<32xf32>
}

// -----

// C271
func.func @reduced_before(%v: vector<32x64xf32>, %a: vector<32xf32>) -> vector<32xf32> {
  // expected-error @below {{expected one of the 2 dimensions of 'vector<32x64xf32>', got -1}}
  %s = vector.multi_reduction <add>, %v, %a [-1, 1] : vector<32x64xf32> to vector<32xf32>
  return %s : vector<32xf32>
}

// -----

// C271: sums of constants are constants
func.func @computed(%a: memref<?xf32>) -> (index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.subi %c1, %c1 : index
  %m = memref.dim %a, %zero : memref<?xf32>
  %c = arith.subi %c1, %c2 : index
  // expected-error @below {{expected one of the 1 dimensions of 'memref<?xf32>', got -1}}
  %n = memref.dim %a, %c : memref<?xf32>
  return %m, %n : index, index
}

// -----

// C271: folders may make any constant of it
func.func @unknown(%a: memref<?xf32>, %i: i32) -> index {
  %c = arith.index_cast %i : i32 to index
  // expected-error @below {{expected a constant as the dimension, got the result of 'arith.index_cast'}}
  %n = memref.dim %a, %c : memref<?xf32>
  return %n : index
}

// -----

// C272: as MLIR writes an operand
func.func @operands(%a: tensor<?xf32>, %z: f32) -> tensor<?xf32> {
  // expected-error @below {{expected an operand for each padding that isn't constant, got 0 for 1}}
  %p = tensor.pad %a low[-9223372036854775808] high[0] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

// C272
func.func @negative(%a: tensor<?xf32>, %z: f32) -> tensor<?xf32> {
  // expected-error @below {{expected paddings of 0 to 2^48 elements, got -1}}
  %p = tensor.pad %a low[0] high[-1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

// C272
func.func @below() -> tensor<?xf32> {
  %n = arith.constant -1 : index
  // expected-error @below {{expected extents of 0 to 2^48 elements, got -1}}
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @bits() -> f32 {
  // C273
  // expected-error @below {{expected integers of at least one bit, got 'i0'}}
  %c = arith.constant 0 : i0
  %f = arith.sitofp %c : i0 to f32
  return %f : f32
}

// -----

// C274
func.func @slice(%a: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected offsets of at most 2^48 elements, got 9223372036854775807}}
  %s = tensor.extract_slice %a[9223372036854775807] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// C275
func.func @loops(%a: tensor<1099511627776x1xf32>, %b: tensor<1x1099511627776xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected loops of at most 2^60 iterations in all, got more}}
  %r = linalg.matmul ins(%a, %b : tensor<1099511627776x1xf32>, tensor<1x1099511627776xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// C275
func.func @windows(%a: tensor<1x8x8x4xf32>, %w: tensor<1x1x4x4xf32>, %c: tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32> {
  // expected-error @below {{expected strides of 1 to 2147483647, got -1}}
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<-1> : tensor<2xi64>}
      ins(%a, %w : tensor<1x8x8x4xf32>, tensor<1x1x4x4xf32>) outs(%c : tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>
  return %r : tensor<?x?x?x4xf32>
}

// -----

// C274
func.func @divisor(%i: index) -> index {
  // expected-error @below {{expected positive divisors in affine maps, got 'affine_map<(d0) -> (d0 ceildiv -2)>'}}
  %r = affine.apply affine_map<(d) -> (d ceildiv -2)>(%i)
  return %r : index
}

// -----

func.func @reassociation(%x: tensor<2x32x3xf32>) -> tensor<2x96xf32> {
  // C298
  // expected-error @below {{expected dimension 0 next in the reassociation, got 4294967296}}
  %y = tensor.collapse_shape %x [[4294967296], [1, 2]] : tensor<2x32x3xf32> into tensor<2x96xf32>
  return %y : tensor<2x96xf32>
}
