// Errors of reductions of one thread.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C29
func.func @indices(%z: memref<?x?xf32, #gl>, %i: index, %v: vector<4xf32>) {
  // expected-error @below {{expected one index per dimension of the destination, got 1 for rank 2}}
  carousel.vector.reduce add f32 %v to %z[%i] : vector<4xf32>, memref<?x?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C308: PTX has vectors for additions only.
func.func @kind(%z: memref<?xf16, #gl>, %i: index, %v: vector<4xf16>) {
  // expected-error @below {{expected add of f16, bf16 or f32, got min of f16}}
  carousel.vector.reduce min f16 %v to %z[%i] : vector<4xf16>, memref<?xf16, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C308: integers are single numbers.
func.func @integers(%z: memref<?xi32, #gl>, %i: index, %v: vector<4xi32>) {
  // expected-error @below {{expected add of f16, bf16 or f32, got add of u32}}
  carousel.vector.reduce add u32 %v to %z[%i] : vector<4xi32>, memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C308: one lane is memref.atomic_rmw's.
func.func @lane(%z: memref<?xf32, #gl>, %i: index, %v: vector<1xf32>) {
  // expected-error @below {{expected a vector of one dimension in 8 or 16 bytes, got 'vector<1xf32>'}}
  carousel.vector.reduce add f32 %v to %z[%i] : vector<1xf32>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C308: 32 bytes.
func.func @wide(%z: memref<?xf32, #gl>, %i: index, %v: vector<8xf32>) {
  // expected-error @below {{expected a vector of one dimension in 8 or 16 bytes, got 'vector<8xf32>'}}
  carousel.vector.reduce add f32 %v to %z[%i] : vector<8xf32>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C308: other elements.
func.func @elements(%z: memref<?xf32, #gl>, %i: index, %v: vector<4xf16>) {
  // expected-error @below {{expected a destination with elements of 'f16', got 'memref<?xf32, #gpu.address_space<global>>'}}
  carousel.vector.reduce add f32 %v to %z[%i] : vector<4xf16>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C42: gaps between elements.
func.func @gaps(%z: memref<?xf32, strided<[2]>, #gl>, %i: index, %v: vector<4xf32>) {
  // expected-error @below {{expected}}
  carousel.vector.reduce add f32 %v to %z[%i] : vector<4xf32>, memref<?xf32, strided<[2]>, #gl>
  return
}
