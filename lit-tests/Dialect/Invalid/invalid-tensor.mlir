// Every message of the verifiers of tensor copies and tensor maps.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C7: a tile in global memory.
func.func @tile_space(%tile: memref<4x4xf32, #gl>, %map: !carousel.tensor_map<4x4xf32>, %c: i32,
                      %i: index) {
  // expected-error @below {{operand #0 must be memref of data in the CTA's shared memory}}
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xf32, #gl>, !carousel.tensor_map<4x4xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C7: a descriptor in shared memory is no operand of a copy.
func.func @get_space(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>) {
  // expected-error @below {{operand #0 must be memref in global memory}}
  %map = carousel.tensor_map.get %maps[]
      : memref<!carousel.tensor_map<4x4xf32>, #ws> -> !carousel.tensor_map<4x4xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C9: 128 bytes that are no tensor map.
func.func @replace_element(%bytes: memref<128xi8, #ws>, %rows: i32, %i: index) {
  // expected-error @below {{operand #0 must be memref of tensor maps in global or the CTA's shared memory, but got 'memref<128xi8, #gpu.address_space<workgroup>>'}}
  carousel.tensor_map.replace rank of %bytes[%i] with %rows : memref<128xi8, #ws>, i32
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C9: a tensor map in another CTA.
func.func @replace_space(%maps: memref<!carousel.tensor_map<4x4xf32>, #cluster>, %rows: i32) {
  // expected-error @below {{operand #0 must be memref of tensor maps in global or the CTA's shared memory}}
  carousel.tensor_map.replace rank of %maps[] with %rows
      : memref<!carousel.tensor_map<4x4xf32>, #cluster>, i32
  return
}

// -----

#gl = #gpu.address_space<global>

// C29: an array of descriptors without an index.
func.func @descriptor_indices(%maps: memref<?x!carousel.tensor_map<4x4xf32>, #gl>) {
  // expected-error @below {{expected one index per dimension of the descriptors, got 0 for rank 1}}
  %map = carousel.tensor_map.get %maps[]
      : memref<?x!carousel.tensor_map<4x4xf32>, #gl> -> !carousel.tensor_map<4x4xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C42: a tile in columns.
func.func @tile_stride(%tile: memref<4x4xf32, strided<[1, 4]>, #ws>,
                       %map: !carousel.tensor_map<4x4xf32>, %c: i32, %i: index) {
  // expected-error @below {{expected a contiguous innermost dimension, got stride 4 in}}
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xf32, strided<[1, 4]>, #ws>, !carousel.tensor_map<4x4xf32>
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C43: a multicast to an address in another CTA.
func.func @multicast(%map: !carousel.tensor_map<4x4xf32>, %peer: memref<4x4xf32, #cluster>,
                     %full: memref<!carousel.mbarrier, #cluster>, %c: i32, %i: index, %mask: i16) {
  // expected-error @below {{expected a multicast to a destination in the CTA's own memory}}
  carousel.tensor.load %map[%c, %c] to %peer[%i, %i] signals %full[] multicast %mask
      : !carousel.tensor_map<4x4xf32>, memref<4x4xf32, #cluster>,
        memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// C44: a local destination that signals a remote barrier.
func.func @windows(%map: !carousel.tensor_map<4x4xf32>, %tile: memref<4x4xf32, #ws>,
                   %full: memref<!carousel.mbarrier, #cluster>, %c: i32, %i: index) {
  // expected-error @below {{expected the destination and its barrier both in the CTA's own memory or both in the cluster's window}}
  carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
      : !carousel.tensor_map<4x4xf32>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #cluster>
  return
}

// -----

// C60: one coordinate for two dimensions.
func.func @coordinates(%map: !carousel.tensor_map<4x4xf32>, %c: i32) {
  // expected-error @below {{expected 2 coordinates, got 1}}
  carousel.tensor.prefetch %map[%c] : !carousel.tensor_map<4x4xf32>
  return
}

// -----

// C60: gather4 takes four rows and a column.
func.func @gather_coordinates(%map: !carousel.tensor_map<1x4xf32>, %c: i32) {
  // expected-error @below {{expected 5 coordinates, got 2}}
  carousel.tensor.prefetch %map[%c, %c] mode(gather4) : !carousel.tensor_map<1x4xf32>
  return
}

// -----

// C61: an offset per spatial dimension.
!im2col = !carousel.tensor_map<8x4xf32, mode = im2col, rank = 4, lower = [0, 0], upper = [0, 0]>
func.func @offsets(%map: !im2col, %c: i32, %offset: i16) {
  // expected-error @below {{expected 2 offsets in mode im2col, got 1}}
  carousel.tensor.prefetch %map[%c, %c, %c, %c] mode(im2col) offsets [%offset] : !im2col
  return
}

// -----

// C61: tiles have no offsets.
func.func @tile_offsets(%map: !carousel.tensor_map<4x4xf32>, %c: i32, %offset: i16) {
  // expected-error @below {{expected 0 offsets in mode tile, got 1}}
  carousel.tensor.prefetch %map[%c, %c] offsets [%offset] : !carousel.tensor_map<4x4xf32>
  return
}

// -----

// C62: im2col with the map of a tile.
func.func @map_mode(%map: !carousel.tensor_map<4x4xf32>, %c: i32) {
  // expected-error @below {{expected a tensor map of mode im2col, got tiled}}
  carousel.tensor.prefetch %map[%c, %c] mode(im2col) : !carousel.tensor_map<4x4xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C62: a tile stored with the map of im2col.
!im2col = !carousel.tensor_map<8x4xf32, mode = im2col, rank = 3, lower = [0], upper = [0]>
func.func @store_map_mode(%tile: memref<8x4xf32, #ws>, %map: !im2col, %c: i32, %i: index) {
  // expected-error @below {{expected a tensor map of mode tiled, got im2col}}
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c, %c] : memref<8x4xf32, #ws>, !im2col
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C63: half of the box.
func.func @room(%map: !carousel.tensor_map<4x4xf32>, %tile: memref<2x4xf32, #ws>,
                %full: memref<!carousel.mbarrier, #ws>, %c: i32, %i: index) {
  // expected-error @below {{expected a tile of at least the box's 64 bytes, got 32 in 'memref<2x4xf32, #gpu.address_space<workgroup>>'}}
  carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[]
      : !carousel.tensor_map<4x4xf32>, memref<2x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C63: four rows make four boxes.
func.func @gather_room(%map: !carousel.tensor_map<1x4xf32>, %tile: memref<3x4xf32, #ws>,
                       %full: memref<!carousel.mbarrier, #ws>, %c: i32, %i: index) {
  // expected-error @below {{expected a tile of at least the box's 64 bytes, got 48}}
  carousel.tensor.load %map[%c, %c, %c, %c, %c] mode(gather4) to %tile[%i, %i] signals %full[]
      : !carousel.tensor_map<1x4xf32>, memref<3x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C64: halves for floats.
func.func @element_width(%tile: memref<4x8xf16, #ws>, %map: !carousel.tensor_map<4x4xf32>, %c: i32,
                         %i: index) {
  // expected-error @below {{expected a tile with elements of 32 bits, as the tensor map's, got 'memref<4x8xf16, #gpu.address_space<workgroup>>'}}
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c]
      : memref<4x8xf16, #ws>, !carousel.tensor_map<4x4xf32>
  return
}

// -----

// C65: rows of three dimensions.
func.func @gather_rank(%map: !carousel.tensor_map<1x1x4xf32>, %c: i32) {
  // expected-error @below {{expected a tensor map of rank 2 for four rows, got rank 3}}
  carousel.tensor.prefetch %map[%c, %c, %c, %c, %c] mode(gather4) : !carousel.tensor_map<1x1x4xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C65: four times four rows.
func.func @scatter_box(%tile: memref<16x4xf32, #ws>, %map: !carousel.tensor_map<4x4xf32>, %c: i32,
                       %i: index) {
  // expected-error @below {{expected a box of one row for four rows, got 4}}
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c, %c, %c, %c] mode(scatter4)
      : memref<16x4xf32, #ws>, !carousel.tensor_map<4x4xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C66: CTAs come in pairs.
func.func @cta_group(%map: !carousel.tensor_map<4x4xf32>, %tile: memref<4x4xf32, #ws>,
                     %full: memref<!carousel.mbarrier, #ws>, %c: i32, %i: index) {
  // expected-error @below {{attribute 'cta_group' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 2}}
  carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %full[] cta_group(3)
      : !carousel.tensor_map<4x4xf32>, memref<4x4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C67: a reduction of four rows.
func.func @reduce_scatter(%tile: memref<4x4xf32, #ws>, %map: !carousel.tensor_map<1x4xf32>,
                          %c: i32, %i: index) {
  // expected-error @below {{expected mode tile or im2col_no_offs, got scatter4}}
  carousel.tensor.reduce add %tile[%i, %i] to %map[%c, %c, %c, %c, %c] mode(scatter4)
      : memref<4x4xf32, #ws>, !carousel.tensor_map<1x4xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C68: bits of signed numbers of 64 bits.
func.func @reduce_bits(%tile: memref<4x4xi64, #ws>, %map: !carousel.tensor_map<4x4xs64>,
                       %c: i32, %i: index) {
  // expected-error @below {{expected a tensor map of one of u32, s32, u64 for xor, got s64}}
  carousel.tensor.reduce xor %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xi64, #ws>, !carousel.tensor_map<4x4xs64>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C68: a minimum of floats.
func.func @reduce_element(%tile: memref<4x4xf32, #ws>, %map: !carousel.tensor_map<4x4xf32>,
                          %c: i32, %i: index) {
  // expected-error @below {{expected a tensor map of one of u32, s32, u64, s64, f16, bf16 for min, got f32}}
  carousel.tensor.reduce min %tile[%i, %i] to %map[%c, %c]
      : memref<4x4xf32, #ws>, !carousel.tensor_map<4x4xf32>
  return
}

// -----

#gl = #gpu.address_space<global>

// C69: a reference of another type.
func.func @get_type(%maps: memref<!carousel.tensor_map<4x4xf32>, #gl>) {
  // expected-error @below {{expected descriptors of '!carousel.tensor_map<8x4xf32>', got 'memref<!carousel.tensor_map<4x4xf32>, #gpu.address_space<global>>'}}
  %map = carousel.tensor_map.get %maps[]
      : memref<!carousel.tensor_map<4x4xf32>, #gl> -> !carousel.tensor_map<8x4xf32>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C69: a copy to descriptors of another type.
func.func @copy_type(%local: memref<!carousel.tensor_map<4x4xf32>, #ws>,
                     %maps: memref<!carousel.tensor_map<8x4xf32>, #gl>) {
  // expected-error @below {{expected memrefs of one type of tensor map, got 'memref<!carousel.tensor_map<4x4xf32>, #gpu.address_space<workgroup>>' and 'memref<!carousel.tensor_map<8x4xf32>, #gpu.address_space<global>>'}}
  carousel.tensor_map.copy_fence %local[] to %maps[] scope(gpu)
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, memref<!carousel.tensor_map<8x4xf32>, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C70: which extent?
func.func @replace_without_dim(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>, %rows: i32) {
  // expected-error @below {{expected a dimension for global_dim, got none}}
  carousel.tensor_map.replace global_dim of %maps[] with %rows
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i32
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C70: there is one address.
func.func @replace_with_dim(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>, %address: i64) {
  // expected-error @below {{expected no dimension for global_address, got one}}
  carousel.tensor_map.replace global_address dim(0) of %maps[] with %address
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i64
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C70: a sixth dimension.
func.func @replace_dim_range(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>, %rows: i32) {
  // expected-error @below {{attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 4}}
  carousel.tensor_map.replace global_dim dim(5) of %maps[] with %rows
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i32
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C71: a literal for a value.
func.func @replace_literal(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>) {
  // expected-error @below {{expected a value for rank, got a literal}}
  carousel.tensor_map.replace rank of %maps[] literal 1
      : memref<!carousel.tensor_map<4x4xf32>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C71: a value for a literal.
func.func @replace_value(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>, %mode: i32) {
  // expected-error @below {{expected a literal for swizzle_mode, got a value}}
  carousel.tensor_map.replace swizzle_mode of %maps[] with %mode
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i32
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C71: both.
func.func @replace_twice(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>, %rank: i32) {
  // expected-error @below {{expected a value for rank, got both}}
  carousel.tensor_map.replace rank of %maps[] with %rank literal 1
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i32
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C71: neither.
func.func @replace_by_nothing(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>) {
  // expected-error @below {{expected a literal for fill_mode, got none}}
  carousel.tensor_map.replace fill_mode of %maps[]
      : memref<!carousel.tensor_map<4x4xf32>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C72: a stride of 32 bits.
func.func @replace_value_width(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>, %stride: i32) {
  // expected-error @below {{expected a value of 64 bits for global_stride, got 'i32'}}
  carousel.tensor_map.replace global_stride dim(0) of %maps[] with %stride
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i32
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C72: a stride of 16 bits.
func.func @replace_value_type(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>, %stride: i16) {
  // expected-error @below {{operand #1 must be 32-bit signless integer or 64-bit signless integer, but got 'i16'}}
  carousel.tensor_map.replace global_stride dim(0) of %maps[] with %stride
      : memref<!carousel.tensor_map<4x4xf32>, #ws>, i16
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C73: a mode that isn't in the table.
func.func @replace_literal_range(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>) {
  // expected-error @below {{expected a literal of 0 to 2 for interleave_layout, got 3}}
  carousel.tensor_map.replace interleave_layout of %maps[] literal 3
      : memref<!carousel.tensor_map<4x4xf32>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C73: a negative one.
func.func @replace_literal_negative(%maps: memref<!carousel.tensor_map<4x4xf32>, #ws>) {
  // expected-error @below {{expected a literal of 0 to 15 for elemtype, got -1}}
  carousel.tensor_map.replace elemtype of %maps[] literal -1
      : memref<!carousel.tensor_map<4x4xf32>, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C74: a load-only format is stored.
func.func @load_only(%tile: memref<8x128xi8, #ws>, %map: !carousel.tensor_map<8x128xb4x16_p64>, %i: index, %c: i32) {
  // expected-error @below {{expected a format that can be stored, got the load-only b4x16_p64}}
  carousel.tensor.store %tile[%i, %i] to %map[%c, %c]
      : memref<8x128xi8, #ws>, !carousel.tensor_map<8x128xb4x16_p64>
  return
}

// -----

// C74: a store-only swizzle is loaded with.
func.func @store_only(%map: !carousel.tensor_map<8x128xb6x16_p32, swizzle = b128_atom_64b>, %c: i32) {
  // expected-error @below {{expected a swizzle that b6x16_p32 can be loaded with, got the store-only b128_atom_64b}}
  carousel.tensor.prefetch %map[%c, %c] : !carousel.tensor_map<8x128xb6x16_p32, swizzle = b128_atom_64b>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C41: a tile whose rows don't follow each other.
func.func @rows(%map: !carousel.tensor_map<64x64xbf16>, %tile: memref<64x64xbf16, strided<[128, 1]>, #ws>,
                %bar: memref<!carousel.mbarrier, #ws>, %i: index, %c: i32) {
  // expected-error @below {{expected at most the 128 consecutive bytes of}}
  carousel.tensor.load %map[%c, %c] to %tile[%i, %i] signals %bar[]
      : !carousel.tensor_map<64x64xbf16>, memref<64x64xbf16, strided<[128, 1]>, #ws>, memref<!carousel.mbarrier, #ws>
  return
}
