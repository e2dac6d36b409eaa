// Errors of a warpgroup's products, of their types and their descriptors.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C316: 64 bits.
// expected-error @below {{expected elements of f16, bf16, f32, f8E4M3FN, f8E5M2 or i8, got 'f64'}}
func.func @elements(%a: !carousel.matrix_descriptor<f64, k>) {
  return
}

// -----

// C316: a sign belongs to the product.
// expected-error @below {{expected elements of f16, bf16, f32, f8E4M3FN, f8E5M2 or i8, got 'ui8'}}
func.func @unsigned(%a: !carousel.matrix_descriptor<ui8, k>) {
  return
}

// -----

// C317
// expected-error @below {{expected elements of 16 bits along mn, got 'f32'}}
func.func @transposed(%a: !carousel.matrix_descriptor<f32, mn>) {
  return
}

// -----

// C318
// expected-error @below {{expected a vector whose rows are powers of two of elements in whole registers of 32 bits, got 'vector<3xf16>'}}
func.func @half_a_register(%a: !carousel.wgmma_registers<vector<3xf16>>) {
  return
}

// -----

// C318: a row of three.
// expected-error @below {{expected a vector whose rows are powers of two of elements in whole registers of 32 bits, got 'vector<4x3xf32>'}}
func.func @rows_of_three(%a: !carousel.wgmma_registers<vector<4x3xf32>>) {
  return
}

// -----

// C318: bits.
// expected-error @below {{expected a vector whose rows are powers of two of elements in whole registers of 32 bits, got 'vector<32xi1>'}}
func.func @bits(%a: !carousel.wgmma_registers<vector<32xi1>>) {
  return
}

// -----

// C318: as the fence infers it.
func.func @fenced(%v: vector<3xf16>) {
  // expected-error @below {{expected a vector whose rows are powers of two of elements in whole registers of 32 bits, got 'vector<3xf16>'}}
  %0 = carousel.wgmma.fence(%v) : vector<3xf16>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C29
func.func @indices(%tile: memref<64x64xbf16, #ws>, %i: index) {
  // expected-error @below {{expected one index per dimension of the source, got 1 for rank 2}}
  %0 = carousel.wgmma.descriptor %tile[%i] swizzle(b128) : memref<64x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C319
func.func @one_dimension(%tile: memref<64xbf16, #ws>, %i: index) {
  // expected-error @below {{expected a source of at least two dimensions, got 1}}
  %0 = carousel.wgmma.descriptor %tile[%i] : memref<64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C319
func.func @without_strides(%tile: memref<64x64xbf16, affine_map<(i, j) -> (i mod 4, j)>, #ws>, %i: index) {
  // expected-error @below {{expected a source with strides, got 'memref<64x64xbf16, affine_map<(d0, d1) -> (d0 mod 4, d1)>, #gpu.address_space<workgroup>>'}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i] : memref<64x64xbf16, affine_map<(i, j) -> (i mod 4, j)>, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C319
func.func @gaps(%tile: memref<64x64xbf16, strided<[64, 2]>, #ws>, %i: index) {
  // expected-error @below {{expected a contiguous innermost dimension, got a stride of 2}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i] : memref<64x64xbf16, strided<[64, 2]>, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C319: a row of two spans.
func.func @wide_rows(%tile: memref<64x128xbf16, #ws>, %i: index) {
  // expected-error @below {{expected rows of 64 elements with swizzle b128, got a stride of 128}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i] swizzle(b128) : memref<64x128xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C319: without a swizzle.
func.func @plain_rows(%tile: memref<2x64x?xbf16, #ws>, %i: index) {
  // expected-error @below {{expected rows of 8 elements with swizzle none, got a dynamic stride}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i, %i] : memref<2x64x?xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C319: a depth of 32 bytes is two blocks without a swizzle.
func.func @without_blocks(%tile: memref<64x8xbf16, #ws>, %i: index) {
  // expected-error @below {{expected a source of at least three dimensions without a swizzle, got 2}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i] : memref<64x8xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

!matrix = !carousel.matrix_descriptor<bf16, mn>
!sums = !carousel.wgmma_registers<vector<9x2x2xf32>>

// C319: 72 columns are two spans.
func.func @wider_than_a_block(%tile: memref<64x64xbf16, #ws>, %i: index, %sums: !sums) {
  // expected-note @below {{the matrix is described here}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i] swizzle(b128) : memref<64x64xbf16, #ws> to !matrix
  // expected-error @below {{expected a source of at least three dimensions for 72 elements along mn, got 2}}
  %1 = carousel.wgmma.mma %0, %0, %sums : !matrix, !matrix, !sums
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C319
func.func @far_blocks(%tile: memref<2x2048x64xbf16, #ws>, %i: index) {
  // expected-error @below {{expected blocks at multiples of 16 bytes below 262144, got a stride of 262144}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i, %i] swizzle(b128) : memref<2x2048x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, mn>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C320
func.func @other_elements(%tile: memref<64x64xf16, #ws>, %i: index) {
  // expected-error @below {{expected a source with elements of 'bf16', got 'memref<64x64xf16}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i] swizzle(b128) : memref<64x64xf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C321
func.func @atoms(%tile: memref<64x64xbf16, #ws>, %i: index) {
  // expected-error @below {{expected swizzle none, b32, b64 or b128, got b128_atom_32b}}
  %0 = carousel.wgmma.descriptor %tile[%i, %i] swizzle(b128_atom_32b) : memref<64x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C322
func.func @inside_a_group(%tile: memref<64x64xbf16, #ws>, %i: index) {
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected a row that is a multiple of 8 from 0 on, got 4}}
  %0 = carousel.wgmma.descriptor %tile[%c4, %i] swizzle(b128) : memref<64x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C322: before the tile.
func.func @before(%tile: memref<64x64xbf16, #ws>, %i: index) {
  %c = arith.constant -8 : index
  // expected-error @below {{expected a row that is a multiple of 8 from 0 on, got -8}}
  %0 = carousel.wgmma.descriptor %tile[%c, %i] swizzle(b128) : memref<64x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C322
func.func @inside_a_piece(%tile: memref<64x64xbf16, #ws>, %i: index) {
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected an innermost index at a multiple of 16 bytes from 0 on, got 4}}
  %0 = carousel.wgmma.descriptor %tile[%i, %c4] swizzle(b128) : memref<64x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  return
}

// -----

!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<33x2x2xf32>>

// C323
func.func @many_columns(%a: !matrix, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected sums of 1 to 32 times 2 x 2 elements, got 'vector<33x2x2xf32>'}}
  %0 = carousel.wgmma.mma %a, %b, %sums : !matrix, !matrix, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<128xf32>>

// C323
func.func @flat_sums(%a: !matrix, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected sums of 1 to 32 times 2 x 2 elements, got 'vector<128xf32>'}}
  %0 = carousel.wgmma.mma %a, %b, %sums : !matrix, !matrix, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<i8, k>
!sums = !carousel.wgmma_registers<vector<5x2x2xi32>>

// C323
func.func @odd_columns(%a: !matrix, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected columns in multiples of 16 for factors of i8 from 32 on, got 40}}
  %0 = carousel.wgmma.mma %a, %b, %sums : !matrix, !matrix, !sums
  return
}

// -----

!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>

// C324
func.func @two_types(%a: !carousel.matrix_descriptor<bf16, k>, %b: !carousel.matrix_descriptor<f16, k>, %sums: !sums) {
  // expected-error @below {{expected factors of one element type, or both of floats of 8 bits, got 'bf16' and 'f16'}}
  %0 = carousel.wgmma.mma %a, %b, %sums : !carousel.matrix_descriptor<bf16, k>, !carousel.matrix_descriptor<f16, k>, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf16>>

// C325
func.func @sums_of_f16(%a: !matrix, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected sums of f32 for factors of 'bf16', got 'f16'}}
  %0 = carousel.wgmma.mma %a, %b, %sums : !matrix, !matrix, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<i8, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>

// C325
func.func @float_sums(%a: !matrix, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected sums of i32 for factors of 'i8', got 'f32'}}
  %0 = carousel.wgmma.mma %a, %b, %sums : !matrix, !matrix, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>
!factor = !carousel.wgmma_registers<vector<2x2xbf16>>

// C326
func.func @two_registers(%a: !factor, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected four registers of elements that wgmma multiplies as the first factor, got 'vector<2x2xbf16>'}}
  %0 = carousel.wgmma.mma %a, %b, %sums : !factor, !matrix, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<f16, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf16>>
!factor = !carousel.wgmma_registers<vector<4x2xf16>>

// C326: bytes alone need a type.
func.func @type_of_halves(%a: !factor, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected a_type of a float of 8 bits for bytes in registers, or of a factor for words, got 'f8E5M2' for 'f16'}}
  %0 = carousel.wgmma.mma %a, %b, %sums {a_type = f8E5M2} : !factor, !matrix, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<i8, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xi32>>

// C327
func.func @negated(%a: !matrix, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected factors of floats to negate, got 'i8'}}
  %0 = carousel.wgmma.mma %a, %b, %sums negate_b : !matrix, !matrix, !sums
  return
}

// -----

!matrix = !carousel.matrix_descriptor<f16, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>

// C327
func.func @saturated(%a: !matrix, %b: !matrix, %sums: !sums) {
  // expected-error @below {{expected factors of i8 with unsigned or saturate, got 'f16'}}
  %0 = carousel.wgmma.mma %a, %b, %sums saturate : !matrix, !matrix, !sums
  return
}

// -----

// C328
func.func @many_groups() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 7}}
  carousel.wgmma.wait 8
  return
}
