// Every message of the verifiers of signals and of memory of peers.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C2: a signal doesn't acquire.
func.func @signal_semantics(%c: memref<?xi64, #gl>, %i: index, %v: i64) {
  // expected-error @below {{attribute 'semantics' failed to satisfy constraint: memory ordering whose value is release or relaxed}}
  carousel.signal.release %c[%i] set %v semantics(acquire) : memref<?xi64, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C3: a wait doesn't release.
func.func @wait_semantics(%c: memref<?xi64, #gl>, %i: index, %v: i64) {
  // expected-error @below {{attribute 'semantics' failed to satisfy constraint: memory ordering whose value is acquire or relaxed}}
  carousel.signal.wait %c[%i] at_least %v semantics(release) : memref<?xi64, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C29: one index too many.
func.func @signal_indices(%c: memref<?xi64, #gl>, %i: index, %v: i64) {
  // expected-error @below {{expected one index per dimension of the counters, got 2 for rank 1}}
  carousel.signal %c[%i, %i] set %v : memref<?xi64, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C29: no index.
func.func @wait_indices(%c: memref<?xi64, #gl>, %v: i64) {
  // expected-error @below {{expected one index per dimension of the counters, got 0 for rank 1}}
  carousel.wait_signal %c[] at_least %v : memref<?xi64, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C231: counters of another type.
func.func @signal_type(%c: memref<?xf32, #gl>, %i: index, %v: f32) {
  // expected-error @below {{operand #2 must be 32-bit signless integer or 64-bit signless integer, but got 'f32'}}
  carousel.signal %c[%i] set %v : memref<?xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C231: a value of another type than the counters.
func.func @wait_type(%c: memref<?xi64, #gl>, %i: index, %v: i32) {
  // expected-error @below {{failed to verify that value has the type of the counters}}
  "carousel.wait_signal"(%c, %i, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (memref<?xi64, #gl>, index, i32) -> ()
  return
}

// -----

#gl = #gpu.address_space<global>

// C232: a timeout whose end is not observed.
func.func @timeout_only(%c: memref<?xi64, #gl>, %i: index, %v: i64, %ns: i64) {
  // expected-error @below {{expected a result if and only if there is a timeout, got a timeout only}}
  carousel.wait_signal %c[%i] at_least %v timeout %ns : memref<?xi64, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C232: a result that is always true.
func.func @result_only(%c: memref<?xi64, #gl>, %i: index, %v: i64) -> i1 {
  // expected-error @below {{expected a result if and only if there is a timeout, got a result only}}
  %reached = carousel.signal.wait %c[%i] at_least %v : memref<?xi64, #gl> -> i1
  return %reached : i1
}

// -----

gpu.module @kernels {
  // C230: a number.
  // expected-error @below {{expected carousel.peer without a value, on a memref in global memory that callers pass and without another such attribute, got kernel argument 0 of type 'i32'}}
  gpu.func @peer_number(%n: i32 {carousel.peer}) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
gpu.module @kernels {
  // C230: a value.
  // expected-error @below {{expected carousel.symmetric without a value, on a memref in global memory that callers pass and without another such attribute, got 1 : i64 on kernel argument 0}}
  gpu.func @symmetric_value(%x: memref<?xf32> {carousel.symmetric = 1}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C230: memory of one launch.
  // expected-error @below {{got kernel argument 0, a workspace}}
  gpu.func @peer_workspace(%x: memref<8xi64, #gl> {carousel.peer, carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C230: of this GPU and of a peer.
  // expected-error @below {{got carousel.symmetric on kernel argument 0}}
  gpu.func @both(%x: memref<8xi64, #gl> {carousel.peer, carousel.symmetric}) kernel {
    gpu.return
  }
}
