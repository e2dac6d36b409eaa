// Messages of the verifiers of tile transfers, but those about what fills and rounds elements.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C7: a load from shared memory.
func.func @global_space(%x: memref<?xf32, #ws>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{operand #0 must be memref in global memory}}
  carousel.load %x[%i] to %tile
      : memref<?xf32, #ws>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C7: a load into global memory.
func.func @tile_space(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #gl>, %i: index) {
  // expected-error @below {{operand #2 must be memref of data in the CTA's shared memory}}
  carousel.load %x[%i] to %tile
      : memref<?xf32, #gl>, memref<4xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C7: a load of barriers.
func.func @barriers(%x: memref<?xf32, #gl>, %tile: memref<4x!carousel.mbarrier, #ws>, %i: index) {
  // expected-error @below {{operand #2 must be memref of data in the CTA's shared memory}}
  carousel.load %x[%i] to %tile
      : memref<?xf32, #gl>, memref<4x!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C7: a store into a memref without a memory space.
func.func @store_space(%tile: memref<4xf32, #ws>, %y: memref<?xf32>, %i: index) {
  // expected-error @below {{operand #1 must be memref in global memory}}
  carousel.store %tile to %y[%i]
      : memref<4xf32, #ws>, memref<?xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C29: an offset for one dimension of two.
func.func @offsets(%x: memref<?x?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected one index per dimension of the global memref, got 1 for rank 2}}
  carousel.load %x[%i] to %tile
      : memref<?x?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C45: PTX doesn't add 64 bits with a sign.
func.func @reduce_type(%tile: memref<4xi64, #ws>, %y: memref<?xi64, #gl>, %i: index) {
  // expected-error @below {{expected one of the types u32, s32, u64, f16, bf16, f32, f64 for add, got s64}}
  carousel.store %tile to %y[%i] reduce<add s64>
      : memref<4xi64, #ws>, memref<?xi64, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C46: integers added as floating-point numbers.
func.func @reduce_elements(%tile: memref<4xi32, #ws>, %y: memref<?xi32, #gl>, %i: index) {
  // expected-error @below {{expected elements that hold f32, got 'i32'}}
  carousel.store %tile to %y[%i] reduce<add f32>
      : memref<4xi32, #ws>, memref<?xi32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C182: a load that reduces, by whoever can.
func.func @load_reduction(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected by_threads with a load's reduction, got none}}
  carousel.load %x[%i] to %tile reduce<add f32>
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C182: a store by threads, with an engine.
func.func @threads_engine(%tile: memref<4xf32, #ws>, %y: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected engine vector for a transfer by threads, got bulk}}
  carousel.store %tile to %y[%i] by_threads engine<bulk>
      : memref<4xf32, #ws>, memref<?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C182: a load by threads, with cp.async.
func.func @threads_cp_async(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected engine vector for a transfer by threads, got cp_async}}
  carousel.load %x[%i] to %tile by_threads engine<cp_async, width = 4>
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C45, C182: a load that takes the least of floating-point numbers of 32 bits, which no reduction of PTX does.
func.func @load_reduction_type(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected one of the types u32, s32, u64, s64, f16, bf16 for min, got f32}}
  carousel.load %x[%i] to %tile by_threads reduce<min f32>
      : memref<?xf32, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C46: a load that adds floating-point numbers to integers.
func.func @load_reduction_elements(%x: memref<?xi32, #gl>, %tile: memref<4xi32, #ws>, %i: index) {
  // expected-error @below {{expected elements that hold f32, got 'i32'}}
  carousel.load %x[%i] to %tile by_threads reduce<add f32>
      : memref<?xi32, #gl>, memref<4xi32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C123: a load that would convert.
func.func @converts(%x: memref<?xf16, #gl>, %tile: memref<4xbf16, #ws>, %i: index) {
  // expected-error @below {{expected a tile with the global memref's elements 'f16', got 'bf16'}}
  carousel.load %x[%i] to %tile
      : memref<?xf16, #gl>, memref<4xbf16, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C123: elements smaller than a byte.
func.func @narrow(%x: memref<?xi4, #gl>, %tile: memref<32xi4, #ws>, %i: index) {
  // expected-error @below {{expected integers or floating-point numbers of 8, 16, 32 or 64 bits, got elements of 'i4'}}
  carousel.load %x[%i] to %tile
      : memref<?xi4, #gl>, memref<32xi4, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C123: integers that arith has no constants of, to fill with.
func.func @unsigned(%x: memref<?xui8, #gl>, %tile: memref<32xui8, #ws>, %i: index) {
  // expected-error @below {{expected signless integers, got elements of 'ui8'}}
  carousel.load %x[%i] to %tile
      : memref<?xui8, #gl>, memref<32xui8, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C123: elements without a width.
func.func @indices(%x: memref<?xindex, #gl>, %tile: memref<32xindex, #ws>, %i: index) {
  // expected-error @below {{expected integers or floating-point numbers of 8, 16, 32 or 64 bits, got elements of 'index'}}
  carousel.load %x[%i] to %tile
      : memref<?xindex, #gl>, memref<32xindex, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C123: tensor maps.
func.func @maps(%x: memref<?x!carousel.tensor_map<16xf32>, #gl>, %tile: memref<2x!carousel.tensor_map<16xf32>, #ws>, %i: index) {
  // expected-error @below {{expected integers or floating-point numbers of 8, 16, 32 or 64 bits, got elements of '!carousel.tensor_map<16xf32>'}}
  carousel.load %x[%i] to %tile
      : memref<?x!carousel.tensor_map<16xf32>, #gl>, memref<2x!carousel.tensor_map<16xf32>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C124: a tile of a higher rank.
func.func @rank(%x: memref<?xf32, #gl>, %tile: memref<1x4xf32, #ws>, %i: index) {
  // expected-error @below {{expected a tile of rank 1 to the global memref's 1, got 2}}
  carousel.load %x[%i] to %tile
      : memref<?xf32, #gl>, memref<1x4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C124: a tile of rank 0.
func.func @rank_0(%x: memref<?xf32, #gl>, %tile: memref<f32, #ws>, %i: index) {
  // expected-error @below {{expected a tile of rank 1 to the global memref's 1, got 0}}
  carousel.load %x[%i] to %tile
      : memref<?xf32, #gl>, memref<f32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C124: a tile of unknown size.
func.func @dynamic(%x: memref<?xf32, #gl>, %tile: memref<?xf32, #ws>, %i: index) {
  // expected-error @below {{expected a tile of static extents above 0 and of at most 2147483647 bytes, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
  carousel.load %x[%i] to %tile
      : memref<?xf32, #gl>, memref<?xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C124: an empty tile.
func.func @empty(%x: memref<?xf32, #gl>, %tile: memref<0xf32, #ws>, %i: index) {
  // expected-error @below {{expected a tile of static extents above 0 and of at most 2147483647 bytes, got 'memref<0xf32}}
  carousel.load %x[%i] to %tile
      : memref<?xf32, #gl>, memref<0xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C124: a tile of 2^64 bytes.
func.func @huge(%tile: memref<4294967296x4294967296xi8, #ws>, %y: memref<?x?xi8, #gl>, %i: index) {
  // expected-error @below {{expected a tile of static extents above 0 and of at most 2147483647 bytes, got}}
  carousel.store %tile to %y[%i, %i]
      : memref<4294967296x4294967296xi8, #ws>, memref<?x?xi8, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C125: a global memref whose layout isn't strided.
func.func @global_layout(%x: memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>, #gl>, %tile: memref<4xf32, #ws>, %i: index) {
  // expected-error @below {{expected a strided layout, got 'memref<?x?xf32, affine_map<}}
  carousel.load %x[%i, %i] to %tile
      : memref<?x?xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>, #gl>, memref<4xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C125: a tile with a stride that isn't known.
func.func @tile_stride(%x: memref<?x?xf32, #gl>, %tile: memref<4x4xf32, strided<[?, 1]>, #ws>, %i: index) {
  // expected-error @below {{expected static strides of the tile, got 'memref<4x4xf32, strided<[?, 1]>}}
  carousel.load %x[%i, %i] to %tile
      : memref<?x?xf32, #gl>, memref<4x4xf32, strided<[?, 1]>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C125: rows that overlap.
func.func @overlap(%x: memref<?x?xf32, #gl>, %tile: memref<4x4xf32, strided<[3, 1]>, #ws>, %i: index) {
  // expected-error @below {{expected a tile whose elements don't overlap, got 'memref<4x4xf32, strided<[3, 1]>}}
  carousel.load %x[%i, %i] to %tile
      : memref<?x?xf32, #gl>, memref<4x4xf32, strided<[3, 1]>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C125: one row for all.
func.func @broadcast(%x: memref<?x?xf32, #gl>, %tile: memref<4x4xf32, strided<[0, 1]>, #ws>, %i: index) {
  // expected-error @below {{expected a tile whose elements don't overlap, got 'memref<4x4xf32, strided<[0, 1]>}}
  carousel.load %x[%i, %i] to %tile
      : memref<?x?xf32, #gl>, memref<4x4xf32, strided<[0, 1]>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C127: a box wider than the global memref.
func.func @in_bounds(%x: memref<?x32xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index) {
  // expected-error @below {{expected a box in bounds to have at most extent 32 in dimension 1, got 64}}
  carousel.load %x[%i, %i] to %tile in_bounds
      : memref<?x32xf32, #gl>, memref<64xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C127: a leading dimension without elements.
func.func @in_bounds_leading(%tile: memref<64xf32, #ws>, %y: memref<0x?xf32, #gl>, %i: index) {
  // expected-error @below {{expected a box in bounds to have at most extent 0 in dimension 0, got 1}}
  carousel.store %tile to %y[%i, %i] in_bounds
      : memref<64xf32, #ws>, memref<0x?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C128: rows narrower than the swizzle's span.
func.func @swizzle_row(%x: memref<?x?xbf16, #gl>, %tile: memref<64x32xbf16, #ws>, %i: index) {
  // expected-error @below {{expected rows of the tile in multiples of the swizzle's 128 bytes, got 64}}
  carousel.load %x[%i, %i] to %tile swizzle(b128)
      : memref<?x?xbf16, #gl>, memref<64x32xbf16, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C128: padded rows.
func.func @swizzle_padding(%tile: memref<8x32xf32, strided<[36, 1]>, #ws>, %y: memref<?x?xf32, #gl>, %i: index) {
  // expected-error @below {{expected a contiguous tile with a swizzle, got 'memref<8x32xf32, strided<[36, 1]>}}
  carousel.store %tile to %y[%i, %i] swizzle(b32)
      : memref<8x32xf32, strided<[36, 1]>, #ws>, memref<?x?xf32, #gl>
  return
}
