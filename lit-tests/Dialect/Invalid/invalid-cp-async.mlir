// Every message of the verifiers of cp.async, cache policies and prefetches.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C7: a copy from shared memory.
func.func @source_space(%tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{operand #0 must be memref in global memory}}
  carousel.cp_async.copy ca %tile[%i] to %tile[%i], 4 : memref<4xf32, #ws>, memref<4xf32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// C7: a copy into another CTA.
func.func @destination_space(%x: memref<?xf32, #gl>, %peer: memref<4xf32, #cluster>, %i: index) {
  // expected-error @below {{operand #2 must be memref of data in the CTA's shared memory}}
  carousel.cp_async.copy ca %x[%i] to %peer[%i], 4 : memref<?xf32, #gl>, memref<4xf32, #cluster>
  return
}

// -----

#gl = #gpu.address_space<global>

// C29: an index too many.
func.func @indices(%x: memref<?xf32, #gl>, %i: index, %bytes: i32) {
  // expected-error @below {{expected one index per dimension of the base, got 2 for rank 1}}
  %policy = carousel.cache_policy.range evict_last %x[%i, %i], %bytes, %bytes
      : memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C41: more than the tile holds.
func.func @room(%x: memref<?xf32, #gl>, %tile: memref<2xf32, #ws>, %i: index) {
  // expected-error @below {{expected at most the 8 bytes of 'memref<2xf32, #gpu.address_space<workgroup>>', got 16}}
  carousel.cp_async.copy ca %x[%i] to %tile[%i], 16 : memref<?xf32, #gl>, memref<2xf32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C41: more than a row has, without valid bytes.
func.func @row(%x: memref<8x2xf32, strided<[4, 1]>, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected at most the 8 consecutive bytes of 'memref<8x2xf32, strided<[4, 1]>}}
  carousel.cp_async.copy cg %x[%i, %i] to %tile[%i], 16
      : memref<8x2xf32, strided<[4, 1]>, #gl>, memref<4xf32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C42: every second element.
func.func @stride(%x: memref<?xf32, strided<[2]>, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected a contiguous innermost dimension, got stride 2 in}}
  carousel.cp_async.copy ca %x[%i] to %tile[%i], 8
      : memref<?xf32, strided<[2]>, #gl>, memref<4xf32, #ws>
  return
}

// -----

// C47: fewer than no groups.
func.func @pending() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  carousel.cp_async.wait_group -1
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C80: a size that the instruction doesn't have.
func.func @size(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected a size of 4, 8 or 16 bytes, got 12}}
  carousel.cp_async.copy ca %x[%i] to %tile[%i], 12 : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C81: cg with 8 bytes.
func.func @bypass_size(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected a size of 16 bytes with cg, got 8}}
  carousel.cp_async.copy cg %x[%i] to %tile[%i], 8 : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C82: two ways to fill with zero.
func.func @valid_and_ignore(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index, %n: i32,
                            %skip: i1) {
  // expected-error @below {{expected valid bytes or an ignore predicate, got both}}
  carousel.cp_async.copy ca %x[%i] to %tile[%i], 4 valid %n ignore %skip
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C83: a prefetch size that the instruction doesn't have.
func.func @l2_prefetch(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected an L2 prefetch of 64, 128 or 256 bytes, got 32}}
  carousel.cp_async.copy ca %x[%i] to %tile[%i], 4 l2_prefetch(32)
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

// C84: all of it and more.
func.func @fraction_large() {
  // expected-error @below {{expected a fraction above 0 and at most 1, got 1.5}}
  %policy = carousel.cache_policy.fractional evict_last fraction(1.5)
  return
}

// -----

// C84: none of it.
func.func @fraction_zero() {
  // expected-error @below {{expected a fraction above 0 and at most 1, got 0}}
  %policy = carousel.cache_policy.fractional evict_last fraction(0.0)
  return
}

// -----

// C85: a second priority that the instruction doesn't have.
func.func @otherwise() {
  // expected-error @below {{expected evict_first or evict_unchanged as the other priority, got evict_last}}
  %policy = carousel.cache_policy.fractional evict_first otherwise evict_last
  return
}

// -----

#gl = #gpu.address_space<global>

// C85: the same of a range.
func.func @range_otherwise(%x: memref<?xf32, #gl>, %i: index, %bytes: i32) {
  // expected-error @below {{expected evict_first or evict_unchanged as the other priority, got evict_normal}}
  %policy = carousel.cache_policy.range evict_last otherwise evict_normal %x[%i], %bytes, %bytes
      : memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// An unknown cache level, which the parser refuses.
func.func @unknown_level(%x: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected one of [l1, l2, l2_evict_last, l2_evict_normal, uniform_l1] for cache that a prefetch fills, got: l3}}
  carousel.prefetch l3 %x[%i] : memref<?xf32, #gl>
  return
}

// -----

// C79: local memory has no eviction priority.
func.func @local(%x: memref<64xf32, #nvvm.memory_space<local>>, %i: index) {
  // expected-error @below {{expected level l1 or l2 for local memory, got l2_evict_last}}
  carousel.prefetch l2_evict_last %x[%i] : memref<64xf32, #nvvm.memory_space<local>>
  return
}
