// Errors of views of global memory.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C300: a table of two dimensions.
func.func @table(%x: memref<?x?xf32, #gl>, %n: memref<?x?xi32, #gl>) {
  // expected-error @below {{expected a source of one dimension or more and a table of one, got 'memref<?x?xf32, #gpu.address_space<global>>' and 'memref<?x?xi32, #gpu.address_space<global>>'}}
  %rows = carousel.rows %x[%n] : memref<?x?xf32, #gl>, memref<?x?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C300: numbers of 16 bits.
func.func @numbers(%x: memref<?x?xf32, #gl>, %n: memref<?xi16, #gl>) {
  // expected-error @below {{expected a table of i32 or i64, got 'memref<?xi16, #gpu.address_space<global>>'}}
  %rows = carousel.rows %x[%n] : memref<?x?xf32, #gl>, memref<?xi16, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C300: rows with gaps.
func.func @gaps(%x: memref<?x?xf32, strided<[?, 2]>, #gl>, %n: memref<?xi32, #gl>) {
  // expected-error @below {{expected rows whose elements follow each other, got 'memref<?x?xf32, strided<[?, 2]>, #gpu.address_space<global>>'}}
  %rows = carousel.rows %x[%n] : memref<?x?xf32, strided<[?, 2]>, #gl>, memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C300: no strides.
func.func @no_strides(%x: memref<?x?xf32, affine_map<(i, j) -> (i, j mod 2)>, #gl>, %n: memref<?xi32, #gl>) {
  // expected-error @below {{expected a source with strides, got}}
  %rows = carousel.rows %x[%n] : memref<?x?xf32, affine_map<(i, j) -> (i, j mod 2)>, #gl>, memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C301: an access of an element.
func.func @element(%x: memref<?x?xf32, #gl>, %n: memref<?xi32, #gl>, %i: index) -> f32 {
  // expected-error @below {{expected that only memref.dim and transfers without a mask, a permutation or another reduction use rows, got memref.load}}
  %rows = carousel.rows %x[%n] : memref<?x?xf32, #gl>, memref<?xi32, #gl>
  %v = memref.load %rows[%i, %i] : memref<?x?xf32, #gl>
  return %v : f32
}

// -----

#gl = #gpu.address_space<global>

// C301: a read that permutes.
func.func @permuted(%x: memref<?x?xf32, #gl>, %n: memref<?xi32, #gl>, %i: index, %pad: f32) -> vector<4x8xf32> {
  // expected-error @below {{expected that only memref.dim and transfers without a mask, a permutation or another reduction use rows, got vector.transfer_read}}
  %rows = carousel.rows %x[%n] : memref<?x?xf32, #gl>, memref<?xi32, #gl>
  %v = vector.transfer_read %rows[%i, %i], %pad {permutation_map = affine_map<(i, j) -> (j, i)>} : memref<?x?xf32, #gl>, vector<4x8xf32>
  return %v : vector<4x8xf32>
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C301: a store that reduces.
func.func @reduced(%x: memref<?x?xf32, #gl>, %n: memref<?xi32, #gl>, %i: index, %tile: memref<4x8xf32, #ws>) {
  // expected-error @below {{expected that only memref.dim and transfers without a mask, a permutation or another reduction use rows, got carousel.store}}
  %rows = carousel.rows %x[%n] : memref<?x?xf32, #gl>, memref<?xi32, #gl>
  carousel.store %tile to %rows[%i, %i] reduce<add f32> : memref<4x8xf32, #ws>, memref<?x?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C301: a store in place of the addition that the rows say.
func.func @stored(%x: memref<?x?xf32, #gl>, %n: memref<?xi32, #gl>, %i: index, %tile: memref<4x8xf32, #ws>) {
  // expected-error @below {{expected that only memref.dim and transfers without a mask, a permutation or another reduction use rows, got carousel.store}}
  %rows = carousel.rows %x[%n] reduce<add f32> : memref<?x?xf32, #gl>, memref<?xi32, #gl>
  carousel.store %tile to %rows[%i, %i] : memref<4x8xf32, #ws>, memref<?x?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C306: a read of rows that others add to.
func.func @read(%x: memref<?x?xf32, #gl>, %n: memref<?xi32, #gl>, %i: index, %pad: f32) -> vector<4xf32> {
  // expected-error @below {{expected no reads of rows that reduce, got vector.transfer_read}}
  %rows = carousel.rows %x[%n] reduce<add f32> : memref<?x?xf32, #gl>, memref<?xi32, #gl>
  %v = vector.transfer_read %rows[%i, %i], %pad : memref<?x?xf32, #gl>, vector<4xf32>
  return %v : vector<4xf32>
}

// -----

#gl = #gpu.address_space<global>

// C306: bytes, which no instruction adds.
func.func @bytes(%x: memref<?x?xi8, #gl>, %n: memref<?xi32, #gl>) {
  // expected-error @below {{expected}}
  %rows = carousel.rows %x[%n] reduce<add u32> : memref<?x?xi8, #gl>, memref<?xi32, #gl>
  return
}
