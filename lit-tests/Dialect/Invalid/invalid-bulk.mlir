// Every message of the verifiers of bulk.*, st_async and red_async.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C6: a scope that the instruction doesn't have.
func.func @scope(%v: i32, %x: memref<?xi32, #gl>, %i: index) {
  // expected-error @below {{attribute 'scope' failed to satisfy constraint: set of threads that observes an operation whose value is gpu or sys}}
  carousel.st_async_global %v to %x[%i] scope(cta) : i32, memref<?xi32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C7: a load from a memref without a memory space.
func.func @source_space(%x: memref<?xf32>, %tile: memref<4xf32, #ws>,
                        %full: memref<!carousel.mbarrier, #ws>, %i: index) {
  // expected-error @below {{operand #0 must be memref in global memory, but got 'memref<?xf32>'}}
  carousel.bulk.load %x[%i] to %tile[%i], 16 signals %full[]
      : memref<?xf32>, memref<4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C7: a load into global memory.
func.func @load_destination_space(%x: memref<?xf32, #gl>, %full: memref<!carousel.mbarrier, #ws>,
                                  %i: index) {
  // expected-error @below {{operand #2 must be memref of data in the CTA's or the cluster's shared memory}}
  carousel.bulk.load %x[%i] to %x[%i], 16 signals %full[]
      : memref<?xf32, #gl>, memref<?xf32, #gl>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// C7: a store from another CTA's memory.
func.func @store_source_space(%peer: memref<4xf32, #cluster>, %y: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{operand #0 must be memref of data in the CTA's shared memory}}
  carousel.bulk.store %peer[%i] to %y[%i], 16 : memref<4xf32, #cluster>, memref<?xf32, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// C7: a copy to a peer whose destination isn't mapped into the cluster's window.
func.func @cluster_destination_space(%tile: memref<4xf32, #ws>,
                                     %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
  // expected-error @below {{operand #2 must be memref of data in the cluster's shared memory window}}
  carousel.bulk.copy_cluster %tile[%i] to %tile[%i], 16 signals %full[]
      : memref<4xf32, #ws>, memref<4xf32, #ws>, memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C7: barriers are no data.
func.func @barriers_as_data(%full: memref<4x!carousel.mbarrier, #ws>, %y: memref<?xi64, #gl>,
                            %i: index) {
  // expected-error @below {{operand #0 must be memref of data in the CTA's shared memory, but got 'memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>'}}
  carousel.bulk.store %full[%i] to %y[%i], 16
      : memref<4x!carousel.mbarrier, #ws>, memref<?xi64, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// C8: a copy to a peer that signals a barrier of its own CTA.
func.func @cluster_barrier_space(%tile: memref<4xf32, #ws>, %peer: memref<4xf32, #cluster>,
                                 %full: memref<!carousel.mbarrier, #ws>, %i: index) {
  // expected-error @below {{operand #4 must be memref of mbarriers in the cluster's shared memory window}}
  carousel.bulk.copy_cluster %tile[%i] to %peer[%i], 16 signals %full[]
      : memref<4xf32, #ws>, memref<4xf32, #cluster>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>

// C29: two indices into one dimension.
func.func @source_indices(%x: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected one index per dimension of the source, got 2 for rank 1}}
  carousel.bulk.prefetch %x[%i, %i], 16 : memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C29: a tile of two dimensions with one index.
func.func @destination_indices(%tile: memref<4xf32, #ws>, %y: memref<?x4xf32, #gl>, %i: index) {
  // expected-error @below {{expected one index per dimension of the destination, got 1 for rank 2}}
  carousel.bulk.store %tile[%i] to %y[%i], 16 : memref<4xf32, #ws>, memref<?x4xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C30: the size twice.
func.func @size_twice(%x: memref<f32, #gl>, %size: i32) {
  // expected-error @below {{expected the size as a value or a literal, got both}}
  "carousel.bulk.prefetch"(%x, %size)
      <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, static_size = 16 : i32}>
      : (memref<f32, #gl>, i32) -> ()
  return
}

// -----

#gl = #gpu.address_space<global>

// C30: no size.
func.func @no_size(%x: memref<f32, #gl>) {
  // expected-error @below {{expected the size as a value or a literal, got none}}
  "carousel.bulk.prefetch"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}>
      : (memref<f32, #gl>) -> ()
  return
}

// -----

#gl = #gpu.address_space<global>

// C40: not a multiple of 16.
func.func @size_granule(%x: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected a size that is a positive multiple of 16 bytes, got 24}}
  carousel.bulk.prefetch %x[%i], 24 : memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C40: nothing.
func.func @size_zero(%tile: memref<4xf32, #ws>, %y: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected a size that is a positive multiple of 16 bytes, got 0}}
  carousel.bulk.store %tile[%i] to %y[%i], 0 : memref<4xf32, #ws>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C40: a negative multiple of 16.
func.func @size_negative(%x: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected a size that is a positive multiple of 16 bytes, got -16}}
  carousel.bulk.prefetch %x[%i], -16 : memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C41: more than the tile holds.
func.func @destination_room(%x: memref<?xf32, #gl>, %tile: memref<4xf32, #ws>,
                            %full: memref<!carousel.mbarrier, #ws>, %i: index) {
  // expected-error @below {{expected at most the 16 bytes of 'memref<4xf32, #gpu.address_space<workgroup>>', got 32}}
  carousel.bulk.load %x[%i] to %tile[%i], 32 signals %full[]
      : memref<?xf32, #gl>, memref<4xf32, #ws>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C42: every second element.
func.func @stride(%tile: memref<8xf32, strided<[2]>, #ws>, %y: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected a contiguous innermost dimension, got stride 2 in 'memref<8xf32, strided<[2]>, #gpu.address_space<workgroup>>'}}
  carousel.bulk.store %tile[%i] to %y[%i], 16
      : memref<8xf32, strided<[2]>, #ws>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C42: a stride that only run time knows.
func.func @dynamic_stride(%x: memref<?xf32, strided<[?]>, #gl>, %i: index) {
  // expected-error @below {{expected a contiguous innermost dimension, got a dynamic stride in 'memref<?xf32, strided<[?]>, #gpu.address_space<global>>'}}
  carousel.bulk.prefetch %x[%i], 16 : memref<?xf32, strided<[?]>, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#halves = affine_map<(d0) -> (d0 floordiv 2)>

// C42: a layout without strides.
func.func @layout(%x: memref<8xf32, #halves, #gl>, %i: index) {
  // expected-error @below {{expected a strided layout, got 'memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>, #gpu.address_space<global>>'}}
  carousel.bulk.prefetch %x[%i], 16 : memref<8xf32, #halves, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// C43: a multicast to an address in another CTA.
func.func @multicast(%x: memref<?xf32, #gl>, %peer: memref<4xf32, #cluster>,
                     %full: memref<!carousel.mbarrier, #cluster>, %i: index, %mask: i16) {
  // expected-error @below {{expected a multicast to a destination in the CTA's own memory, got 'memref<4xf32, #nvvm.memory_space<shared_cluster>>'}}
  carousel.bulk.load %x[%i] to %peer[%i], 16 signals %full[] multicast %mask
      : memref<?xf32, #gl>, memref<4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// C44: a remote destination that signals a local barrier.
func.func @windows(%x: memref<?xf32, #gl>, %peer: memref<4xf32, #cluster>,
                   %full: memref<!carousel.mbarrier, #ws>, %i: index) {
  // expected-error @below {{expected the destination and its barrier both in the CTA's own memory or both in the cluster's window, got 'memref<4xf32, #nvvm.memory_space<shared_cluster>>' and 'memref<!carousel.mbarrier, #gpu.address_space<workgroup>>'}}
  carousel.bulk.load %x[%i] to %peer[%i], 16 signals %full[]
      : memref<?xf32, #gl>, memref<4xf32, #cluster>, memref<!carousel.mbarrier, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C45: global memory adds no s64.
func.func @reduce_type(%tile: memref<4xi64, #ws>, %y: memref<?xi64, #gl>, %i: index) {
  // expected-error @below {{expected one of the types u32, s32, u64, f16, bf16, f32, f64 for add, got s64}}
  carousel.bulk.reduce add s64 %tile[%i] to %y[%i], 16 : memref<4xi64, #ws>, memref<?xi64, #gl>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// C45: shared memory adds no floats.
func.func @reduce_cluster_type(%tile: memref<4xf32, #ws>, %peer: memref<4xf32, #cluster>,
                               %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
  // expected-error @below {{expected one of the types u32, s32, u64 for add, got f32}}
  carousel.bulk.reduce_cluster add f32 %tile[%i] to %peer[%i], 16 signals %full[]
      : memref<4xf32, #ws>, memref<4xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C45: inc wraps unsigned integers.
func.func @red_async_type(%v: i32, %peer: memref<4xi32, #cluster>,
                          %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
  // expected-error @below {{expected one of the types u32 for inc, got s32}}
  carousel.red_async inc s32 %v to %peer[%i] signals %full[]
      : i32, memref<4xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#gl = #gpu.address_space<global>

// C45: a value in global memory is added as an integer.
func.func @red_async_global_type(%v: i32, %x: memref<?xi32, #gl>, %i: index) {
  // expected-error @below {{expected one of the types u32, s32, u64, s64 for add, got b32}}
  carousel.red_async_global b32 %v to %x[%i] scope(gpu) : i32, memref<?xi32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C46: elements that aren't the reduction's.
func.func @reduce_elements(%tile: memref<4xi32, #ws>, %y: memref<?xf32, #gl>, %i: index) {
  // expected-error @below {{expected elements that hold f32, got 'i32'}}
  carousel.bulk.reduce add f32 %tile[%i] to %y[%i], 16 : memref<4xi32, #ws>, memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C46: a value narrower than the reduction.
func.func @red_async_value(%v: i32, %x: memref<?xi64, #gl>, %i: index) {
  // expected-error @below {{expected elements that hold u64, got 'i32'}}
  carousel.red_async_global u64 %v to %x[%i] scope(gpu) : i32, memref<?xi64, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C46: an integer that carries its sign; the reduction's type says it.
func.func @red_async_signed(%v: si32, %x: memref<?xi32, #gl>, %i: index) {
  // expected-error @below {{operand #0 must be signless integer, but got 'si32'}}
  carousel.red_async_global s32 %v to %x[%i] scope(gpu) : si32, memref<?xi32, #gl>
  return
}

// -----

// C47: fewer than no groups.
func.func @pending() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  carousel.bulk.wait_group read -1
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C48: 32 bytes at once.
func.func @st_async_value(%v: vector<4xf64>, %peer: memref<4xf64, #cluster>,
                          %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
  // expected-error @below {{expected a value of 32 or 64 bits, or a vector of 2, or of 4 with 32 bits, got 'vector<4xf64>'}}
  carousel.st_async %v to %peer[%i] signals %full[]
      : vector<4xf64>, memref<4xf64, #cluster>, memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#gl = #gpu.address_space<global>

// C48: a half.
func.func @st_async_global_value(%v: f16, %x: memref<?xf16, #gl>, %i: index) {
  // expected-error @below {{expected an integer of 8, 16, 32 or 64 bits, f32 or f64, got 'f16'}}
  carousel.st_async_global %v to %x[%i] scope(gpu) : f16, memref<?xf16, #gl>
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C49: a value into elements of another type.
func.func @stored_element(%v: f32, %peer: memref<4xi32, #cluster>,
                          %full: memref<!carousel.mbarrier, #cluster>, %i: index) {
  // expected-error @below {{expected a destination with elements of 'f32', got 'memref<4xi32, #nvvm.memory_space<shared_cluster>>'}}
  carousel.st_async %v to %peer[%i] signals %full[]
      : f32, memref<4xi32, #cluster>, memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// An unknown kind, which the parser refuses.
func.func @unknown_kind(%tile: memref<4xi32, #ws>, %y: memref<?xi32, #gl>, %i: index) {
  // expected-error @below {{expected one of [add, min, max, inc, dec, and, or, xor] for reduction, got: mul}}
  carousel.bulk.reduce mul u32 %tile[%i] to %y[%i], 16 : memref<4xi32, #ws>, memref<?xi32, #gl>
  return
}
