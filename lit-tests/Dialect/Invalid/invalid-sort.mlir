// Sorts whose operands or places don't fit.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C366: keys
func.func @key(%x: vector<8x16xf32>) {
  // expected-error @below {{expected keys of i8, i16, i32 or i64, got 'vector<8x16xf32>'}}
  carousel.sort %x dim(1) : vector<8x16xf32>
  return
}

// -----

// C366: one shape
func.func @shapes(%x: vector<8x16xi32>, %y: vector<16x8xf32>) {
  // expected-error @below {{expected vectors of one shape, got 'vector<8x16xi32>' and 'vector<16x8xf32>'}}
  carousel.sort %x, %y dim(1) : vector<8x16xi32>, vector<16x8xf32>
  return
}

// -----

// C367: a dimension
func.func @dim(%x: vector<8xi32>) {
  // expected-error @below {{expected dim to be a dimension of 'vector<8xi32>', got 1}}
  carousel.sort %x dim(1) : vector<8xi32>
  return
}

// -----

// C367: first elements
func.func @first(%x: vector<8xi32>) {
  // expected-error @below {{expected at most 8 first elements, got 9}}
  carousel.sort %x dim(0) first(9) : vector<8xi32>
  return
}

// -----

// C368
func.func @alone(%x: i32) {
  // expected-error @below {{expected to be in the body of a linalg.generic}}
  %p = carousel.sorted %x : i32
  return
}

// -----

// C368: one reduction loop
func.func @parallel(%x: tensor<8xi32>, %e: tensor<8xi32>) {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%k: i32, %o: i32):
    // expected-error @below {{expected a linalg.generic with one reduction loop, got 0}}
    %p = carousel.sorted %k : i32
    linalg.yield %p : i32
  } -> tensor<8xi32>
  return
}
