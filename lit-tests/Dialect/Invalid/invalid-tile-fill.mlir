// Messages of the verifiers of tile transfers about what fills and rounds elements.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// A number that no integer of 64 bits is.
func.func @large_fill(%x: memref<?x?xf32, #gl>, %tile: memref<4x4xf32, #ws>, %i: index) {
  // expected-error @below {{expected an integer of 64 bits, or a number with a point}}
  carousel.load %x[%i, %i] to %tile fill(9223372036854775808) : memref<?x?xf32, #gl>, memref<4x4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: NaN in integers.
func.func @nan(%x: memref<?xi32, #gl>, %tile: memref<4xi32, #ws>, %i: index) {
  // expected-error @below {{expected floating-point elements for NaN fill, got 'i32'}}
  carousel.load %x[%i] to %tile fill(nan)
      : memref<?xi32, #gl>, memref<4xi32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// A fill that there isn't.
func.func @no_fill(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected zero, nan, inf, -inf or a number}}
  carousel.load %x[%i] to %tile fill(-nan)
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: a number that isn't an integer, in integers.
func.func @fraction(%x: memref<?xi32, #gl>, %tile: memref<4xi32, #ws>, %i: index) {
  // expected-error @below {{expected a fill that elements of 'i32' can hold, got -inf}}
  carousel.load %x[%i] to %tile fill(-inf)
      : memref<?xi32, #gl>, memref<4xi32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: an integer that is too large.
func.func @large(%x: memref<?xi8, #gl>, %tile: memref<4xi8, #ws>, %i: index) {
  // expected-error @below {{expected a fill that elements of 'i8' can hold, got 256}}
  carousel.load %x[%i] to %tile fill(256)
      : memref<?xi8, #gl>, memref<4xi8, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: a number that would become infinite.
func.func @overflow(%x: memref<?xf16, #gl>, %tile: memref<4xf16, #ws>, %i: index) {
  // expected-error @below {{expected a fill that elements of 'f16' can hold, got -1.0E+30}}
  carousel.load %x[%i] to %tile fill(-1.0e30)
      : memref<?xf16, #gl>, memref<4xf16, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: an infinity in a format without.
func.func @no_infinity(%x: memref<?xf8E4M3FN, #gl>, %tile: memref<4xf8E4M3FN, #ws>, %i: index) {
  // expected-error @below {{expected a fill that elements of 'f8E4M3FN' can hold, got inf}}
  carousel.load %x[%i] to %tile fill(inf)
      : memref<?xf8E4M3FN, #gl>, memref<4xf8E4M3FN, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: a number where there is nothing to fill.
func.func @number_in_bounds(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected no fill in bounds, got -inf}}
  carousel.load %x[%i] to %tile in_bounds fill(-inf)
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: two fills.
func.func @two_fills(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected one fill, got nan and -1.0}}
  "carousel.load"(%x, %i, %tile) <{fill = #carousel.fill<nan>, fill_value = -1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (memref<?xf32, #gl>, index, memref<4xf32, #ws>) -> ()
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C126: a fill where there is nothing to fill.
func.func @nan_in_bounds(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected no fill in bounds, got nan}}
  carousel.load %x[%i] to %tile in_bounds fill(nan)
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C333: elements
func.func @rounded_halves(%x: memref<?xf16, #gl>, %tile: memref<8xf16, #ws>, %i: index) {
  // expected-error @below {{expected elements of f32 with round_tf32, got 'f16'}}
  carousel.load %x[%i] to %tile round_tf32
      : memref<?xf16, #gl>, memref<8xf16, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C333: a reduction
func.func @rounded_sums(%x: memref<?xf32, #gl>, %tile: memref<8xf32, #ws>, %i: index) {
  // expected-error @below {{expected no reduction with round_tf32, got #carousel.reduction<add f32>}}
  carousel.load %x[%i] to %tile by_threads reduce<add f32> round_tf32
      : memref<?xf32, #gl>, memref<8xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C333: a fill
func.func @rounded_fill(%x: memref<?xf32, #gl>, %tile: memref<8xf32, #ws>, %i: index) {
  // expected-error @below {{expected a fill of zero with round_tf32, got nan}}
  carousel.load %x[%i] to %tile fill(nan) round_tf32
      : memref<?xf32, #gl>, memref<8xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C333: an engine
func.func @rounded_by_bulk(%x: memref<?xf32, #gl>, %tile: memref<8xf32, #ws>, %i: index) {
  // expected-error @below {{expected an engine that rounds, tensor or vector, with round_tf32, got bulk}}
  carousel.load %x[%i] to %tile round_tf32 engine<bulk>
      : memref<?xf32, #gl>, memref<8xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C333: a map that doesn't round
func.func @map_of_f32(%x: memref<?xf32, #gl>, %tile: memref<8xf32, #ws>, %i: index, %map: !carousel.tensor_map<8xf32>) {
  // expected-error @below {{expected a map of tf32 with round_tf32, got '!carousel.tensor_map<8xf32>'}}
  carousel.load %x[%i] to %tile round_tf32 engine<tensor> map %map
      : memref<?xf32, #gl>, memref<8xf32, #ws>, !carousel.tensor_map<8xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C333: a map that rounds
func.func @map_of_tf32(%x: memref<?xf32, #gl>, %tile: memref<8xf32, #ws>, %i: index, %map: !carousel.tensor_map<8xtf32>) {
  // expected-error @below {{expected round_tf32 with a map of tf32, got none}}
  carousel.load %x[%i] to %tile engine<tensor> map %map
      : memref<?xf32, #gl>, memref<8xf32, #ws>, !carousel.tensor_map<8xtf32>
  return
}
