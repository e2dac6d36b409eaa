// Every message of the verifiers of turns, accumulations and tickets.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C29: no index for the one dimension.
func.func @semaphore_indices(%s: memref<?xi32, #gl>, %n: index) {
  // expected-error @below {{expected one index per dimension of the semaphores, got 0 for rank 1}}
  carousel.serialize %s[] turn %n of %n (%first, %last) {
  } : memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C29: an index too many.
func.func @counter_indices(%c: memref<i32, #gl>, %n: index) {
  // expected-error @below {{expected one index per dimension of the counters, got 1 for rank 0}}
  %ticket = carousel.grid.ticket %c[%n] of %n : memref<i32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C29: an offset for one dimension of two.
func.func @accumulate_offsets(%tile: memref<4xf32, #ws>, %y: memref<?x?xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected one index per dimension of the global memref, got 1 for rank 2}}
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first)
      : memref<4xf32, #ws>, memref<?x?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C90: a semaphore of 64 bits.
func.func @semaphore_type(%s: memref<?xi64, #gl>, %n: index) {
  // expected-error @below {{expected semaphores of i32, got 'memref<?xi64, #gpu.address_space<global>>'}}
  carousel.serialize %s[%n] turn %n of %n (%first, %last) {
  } : memref<?xi64, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C90: a counter that isn't an integer.
func.func @counter_type(%c: memref<?xf32, #gl>, %n: index) {
  // expected-error @below {{expected counters of i32, got 'memref<?xf32, #gpu.address_space<global>>'}}
  %ticket = carousel.grid.ticket %c[%n] of %n : memref<?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C7: semaphores of the CTA, where others don't see them.
func.func @semaphore_space(%s: memref<?xi32, #ws>, %n: index) {
  // expected-error @below {{operand #0 must be memref in global memory}}
  carousel.serialize %s[%n] turn %n of %n (%first, %last) {
  } : memref<?xi32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C7: a counter of the CTA.
func.func @counter_space(%c: memref<?xi32, #ws>, %n: index) {
  // expected-error @below {{operand #0 must be memref in global memory}}
  %ticket = carousel.grid.ticket %c[%n] of %n : memref<?xi32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>

// C181: nothing says which turn is the last one.
func.func @one_argument(%s: memref<?xi32, #gl>, %n: index) {
  // expected-error @below {{expected a region of two arguments of type i1, got 'i1'}}
  carousel.serialize %s[%n] turn %n of %n (%first) {
  } : memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C181: turns in numbers.
func.func @argument_types(%s: memref<?xi32, #gl>, %n: index) {
  // expected-error @below {{expected a region of two arguments of type i1, got 'i1', 'i32'}}
  "carousel.serialize"(%s, %n, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^turn(%first: i1, %last: i32):
    "carousel.pass_turn"() : () -> ()
  }) : (memref<?xi32, #gl>, index, index, index) -> ()
  return
}

// -----

#gl = #gpu.address_space<global>

// C181: a result that nobody passes.
func.func @no_result(%s: memref<?xi32, #gl>, %n: index) {
  %r = carousel.serialize %s[%n] turn %n of %n (%first, %last) {
    // expected-error @below {{expected the types of the results of carousel.serialize, got none}}
    carousel.pass_turn
  } : memref<?xi32, #gl> -> f32
  return
}

// -----

#gl = #gpu.address_space<global>

// C181: another type than the result's.
func.func @result_type(%s: memref<?xi32, #gl>, %n: index) {
  %r = carousel.serialize %s[%n] turn %n of %n (%first, %last) {
    // expected-error @below {{expected the types of the results of carousel.serialize, got 'i1'}}
    carousel.pass_turn %first : i1
  } : memref<?xi32, #gl> -> f32
  return
}

// -----

// A turn is passed on by its region.
func.func @pass_turn_alone() {
  // expected-error @below {{expects parent op 'carousel.serialize'}}
  "carousel.pass_turn"() : () -> ()
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C45: PTX doesn't take the least of floating-point numbers of 32 bits.
func.func @reduction(%tile: memref<4xf32, #ws>, %y: memref<?xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected one of the types u32, s32, u64, s64, f16, bf16 for min, got f32}}
  carousel.accumulate %tile into %y[%i] reduce<min f32> first(%first)
      : memref<4xf32, #ws>, memref<?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C46: integers added as floating-point numbers.
func.func @reduction_elements(%tile: memref<4xi32, #ws>, %y: memref<?xi32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected elements that hold f32, got 'i32'}}
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first)
      : memref<4xi32, #ws>, memref<?xi32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C123: sums of another type than the tile's.
func.func @elements(%tile: memref<4xf16, #ws>, %y: memref<?xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected a tile with the global memref's elements 'f32', got 'f16'}}
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first)
      : memref<4xf16, #ws>, memref<?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C124: a tile of a higher rank.
func.func @rank(%tile: memref<4x4xf32, #ws>, %y: memref<?xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected a tile of rank 1 to the global memref's 1, got 2}}
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first)
      : memref<4x4xf32, #ws>, memref<?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C125: rows that overlap.
func.func @layout(%tile: memref<4x4xf32, strided<[2, 1]>, #ws>, %y: memref<?x?xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected a tile whose elements don't overlap, got 'memref<4x4xf32, strided<[2, 1]>, #gpu.address_space<workgroup>>'}}
  carousel.accumulate %tile into %y[%i, %i] reduce<add f32> first(%first)
      : memref<4x4xf32, strided<[2, 1]>, #ws>, memref<?x?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C127: a box in bounds that is wider than the global memref.
func.func @in_bounds(%tile: memref<8xf32, #ws>, %y: memref<4xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected a box in bounds to have at most extent 4 in dimension 0, got 8}}
  carousel.accumulate %tile into %y[%i] in_bounds reduce<add f32> first(%first)
      : memref<8xf32, #ws>, memref<4xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C128: rows narrower than the swizzle's span.
func.func @swizzle(%tile: memref<4x8xf32, #ws>, %y: memref<?x?xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected rows of the tile in multiples of the swizzle's 128 bytes, got 32}}
  carousel.accumulate %tile into %y[%i, %i] reduce<add f32> first(%first) swizzle(b128)
      : memref<4x8xf32, #ws>, memref<?x?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// Unknown schemes, which the parser refuses.
func.func @scheme(%tile: memref<4xf32, #ws>, %y: memref<?xf32, #gl>, %i: index, %first: i1) {
  // expected-error @below {{expected one of [transfers, registers] for accumulation scheme, got: atomics}}
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) scheme(atomics)
      : memref<4xf32, #ws>, memref<?xf32, #gl>
  return
}
