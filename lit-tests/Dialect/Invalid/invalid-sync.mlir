// Every message of the verifiers of fences, barriers, clusters and grids.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C2: an arrive doesn't acquire.
func.func @cluster_arrive_semantics() {
  // expected-error @below {{attribute 'semantics' failed to satisfy constraint: memory ordering whose value is release or relaxed}}
  carousel.cluster.arrive semantics(acquire)
  return
}

// -----

// C4: a fence in one direction.
func.func @sync_restrict_semantics() {
  // expected-error @below {{attribute 'semantics' failed to satisfy constraint: memory ordering whose value is acquire or release}}
  carousel.fence.sync_restrict acq_rel
  return
}

// -----

// C5: a fence that orders nothing.
func.func @fence_semantics() {
  // expected-error @below {{attribute 'semantics' failed to satisfy constraint: memory ordering whose value is acquire, release, acq_rel or sc}}
  carousel.fence.thread relaxed cta
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C7: a semaphore in shared memory.
func.func @semaphore_space(%semaphore: memref<i32, #ws>, %turn: i32) {
  // expected-error @below {{operand #0 must be memref in global memory}}
  carousel.grid.serial_wait %semaphore[], %turn : memref<i32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>

// C7: only shared memory has an owner.
func.func @rank_of_space(%x: memref<f32, #gl>) {
  // expected-error @below {{operand #0 must be memref in the CTA's or the cluster's shared memory}}
  %rank = carousel.cluster.rank_of %x : memref<f32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// C7: only shared memory is mapped.
func.func @map_source_space(%x: memref<f32, #gl>, %rank: i32) {
  // expected-error @below {{operand #0 must be memref in the CTA's shared memory}}
  %peer = carousel.cluster.map_shared %x, %rank : memref<f32, #gl> to memref<f32, #cluster>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C7: what is mapped lies in the cluster's window.
func.func @map_result_space(%tile: memref<f32, #ws>, %rank: i32) {
  // expected-error @below {{result #0 must be memref in the cluster's shared memory window}}
  %peer = carousel.cluster.map_shared %tile, %rank : memref<f32, #ws> to memref<f32, #ws>
  return
}

// -----

#gl = #gpu.address_space<global>

// C29: an array of semaphores without an index.
func.func @indices(%semaphores: memref<?xi32, #gl>, %turn: i32) {
  // expected-error @below {{expected one index per dimension of the semaphores, got 0 for rank 1}}
  carousel.grid.serial_release %semaphores[], %turn : memref<?xi32, #gl>
  return
}

// -----

// C30: the id twice.
func.func @id_twice(%id: i32) {
  // expected-error @below {{expected the barrier id as a value or a literal, got both}}
  "carousel.barrier.sync"(%id) <{static_id = 1 : i32}> : (i32) -> ()
  return
}

// -----

// C30: no id.
func.func @no_id() {
  // expected-error @below {{expected the barrier id as a value or a literal, got none}}
  "carousel.barrier.sync"() : () -> ()
  return
}

// -----

// C86: one barrier too many.
func.func @id_large() {
  // expected-error @below {{expected a barrier id of 0 to 15, got 16}}
  carousel.barrier.sync 16
  return
}

// -----

// C86: a negative id.
func.func @id_negative() {
  // expected-error @below {{expected a barrier id of 0 to 15, got -1}}
  carousel.barrier.arrive -1 threads(32)
  return
}

// -----

// C87: part of a warp.
func.func @threads_granule() {
  // expected-error @below {{expected threads in a positive multiple of 32 up to 1024, got 48}}
  carousel.barrier.sync 1 threads(48)
  return
}

// -----

// C87: nobody.
func.func @threads_zero() {
  // expected-error @below {{expected threads in a positive multiple of 32 up to 1024, got 0}}
  carousel.barrier.arrive 1 threads(0)
  return
}

// -----

// C87: more than a block has.
func.func @threads_large() {
  // expected-error @below {{expected threads in a positive multiple of 32 up to 1024, got 1056}}
  carousel.barrier.sync 1 threads(1056)
  return
}

// -----

// C88: between two steps.
func.func @registers_step() {
  // expected-error @below {{expected 24 to 256 registers in steps of 8, got 42}}
  carousel.set_max_registers dec 42
  return
}

// -----

// C88: too few.
func.func @registers_few() {
  // expected-error @below {{expected 24 to 256 registers in steps of 8, got 16}}
  carousel.set_max_registers dec 16
  return
}

// -----

// C88: too many.
func.func @registers_many() {
  // expected-error @below {{expected 24 to 256 registers in steps of 8, got 264}}
  carousel.set_max_registers inc 264
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// C89: another shape.
func.func @map_type(%tile: memref<4xf32, #ws>, %rank: i32) {
  // expected-error @below {{expected the source's shape, layout and elements in the result, got 'memref<4xf32, #gpu.address_space<workgroup>>' and 'memref<8xf32, #nvvm.memory_space<shared_cluster>>'}}
  %peer = carousel.cluster.map_shared %tile, %rank : memref<4xf32, #ws> to memref<8xf32, #cluster>
  return
}

// -----

#gl = #gpu.address_space<global>

// C90: a semaphore of 64 bits.
func.func @semaphore_type(%semaphore: memref<i64, #gl>, %turn: i32) {
  // expected-error @below {{expected semaphores of i32, got 'memref<i64, #gpu.address_space<global>>'}}
  carousel.grid.serial_wait %semaphore[], %turn : memref<i64, #gl>
  return
}

// -----

// Unknown semantics, which the parser refuses.
func.func @unknown_semantics() {
  // expected-error @below {{expected one of [relaxed, acquire, release, acq_rel, sc] for memory ordering, got: weak}}
  carousel.fence.thread weak cta
  return
}

// -----

// C213: words.
func.func @gather_of_half(%value: f16) {
  // expected-error @below {{expected a value of i32, i64, f32 or f64, got 'f16'}}
  %all = carousel.cluster.gather %value : f16 -> vector<4xf16>
  return
}

// -----

// C213: one for each CTA.
func.func @gather_of_many(%value: f32) {
  // expected-error @below {{expected a vector of 2 to 8 values of 'f32' as the result, got 'vector<16xf32>'}}
  %all = carousel.cluster.gather %value : f32 -> vector<16xf32>
  return
}

// -----

// C213: values of the same type.
func.func @gather_of_others(%value: f32) {
  // expected-error @below {{expected a vector of 2 to 8 values of 'f32' as the result, got 'vector<4xi32>'}}
  %all = carousel.cluster.gather %value : f32 -> vector<4xi32>
  return
}
