// Every message of the mbarrier ops' verifiers.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>

// C1: nothing beyond the cluster observes an mbarrier.
func.func @scope(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{attribute 'scope' failed to satisfy constraint: set of threads that observes an operation whose value is cta or cluster}}
  carousel.mbarrier.expect_tx %full[], 16 scope(gpu) : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C2: an arrive releases, or is relaxed.
func.func @arrive_semantics(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{attribute 'semantics' failed to satisfy constraint: memory ordering whose value is release or relaxed}}
  carousel.mbarrier.arrive %full[] semantics(acquire) : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C3: a wait acquires, or is relaxed.
func.func @wait_semantics(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
  // expected-error @below {{attribute 'semantics' failed to satisfy constraint: memory ordering whose value is acquire or relaxed}}
  carousel.mbarrier.wait %full[] parity %parity semantics(release)
      : memref<!carousel.mbarrier, #ws>
  return
}

// -----

// C8: a barrier in global memory.
func.func @global(%full: memref<!carousel.mbarrier, #gpu.address_space<global>>) {
  // expected-error @below {{operand #0 must be memref of mbarriers in the CTA's shared memory, but got 'memref<!carousel.mbarrier, #gpu.address_space<global>>'}}
  carousel.mbarrier.init %full[], 1 : memref<!carousel.mbarrier, #gpu.address_space<global>>
  return
}

// -----

// C8: a barrier in no memory space.
func.func @no_space(%full: memref<!carousel.mbarrier>) {
  // expected-error @below {{operand #0 must be memref of mbarriers in the CTA's shared memory, but got 'memref<!carousel.mbarrier>'}}
  carousel.mbarrier.inval %full[] : memref<!carousel.mbarrier>
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C8: only the CTA's own barriers can be waited for.
func.func @remote_wait(%full: memref<!carousel.mbarrier, #cluster>, %parity: i1) {
  // expected-error @below {{operand #0 must be memref of mbarriers in the CTA's shared memory}}
  carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C8: 8 bytes of shared memory that are no barrier.
func.func @not_a_barrier(%full: memref<i64, #ws>) {
  // expected-error @below {{operand #0 must be memref of mbarriers in the CTA's or the cluster's shared memory, but got 'memref<i64, #gpu.address_space<workgroup>>'}}
  carousel.mbarrier.arrive %full[] : memref<i64, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C29: an array of barriers without an index.
func.func @indices(%full: memref<4x!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected one index per dimension of the barriers, got 0 for rank 1}}
  carousel.mbarrier.inval %full[] : memref<4x!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C30: the count twice.
func.func @count_twice(%full: memref<!carousel.mbarrier, #ws>, %count: i32) {
  // expected-error @below {{expected the count as a value or a literal, got both}}
  "carousel.mbarrier.init"(%full, %count)
      <{operandSegmentSizes = array<i32: 1, 0, 1>, static_count = 1 : i32}>
      : (memref<!carousel.mbarrier, #ws>, i32) -> ()
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C30: the bytes not at all.
func.func @no_bytes(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected the bytes as a value or a literal, got none}}
  "carousel.mbarrier.expect_tx"(%full) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (memref<!carousel.mbarrier, #ws>) -> ()
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C30: a literal of more than 32 bits, which the parser refuses.
func.func @wide_literal(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected an integer of 32 bits, got 4294967296}}
  carousel.mbarrier.expect_tx %full[], 4294967296 : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C31: no arrivals.
func.func @init_zero(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected a count of 1 to 1048575 arrivals, got 0}}
  carousel.mbarrier.init %full[], 0 : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C31: one arrival too many.
func.func @init_large(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected a count of 1 to 1048575 arrivals, got 1048576}}
  carousel.mbarrier.init %full[], 1048576 : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C32: one byte too many.
func.func @bytes_large(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected 0 to 1048575 transaction bytes, got 1048576}}
  carousel.mbarrier.arrive_expect_tx %full[], 1048576 : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C32: less than none.
func.func @bytes_negative(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected 0 to 1048575 transaction bytes, got -1}}
  carousel.mbarrier.complete_tx %full[], -1 : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C33: an arrive that arrives zero times.
func.func @arrive_zero(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected a count of 1 to 1048575 arrivals, got 0}}
  carousel.mbarrier.arrive %full[], 0 : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C33: a negative count.
func.func @arrive_negative(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected a count of 1 to 1048575 arrivals, got -1}}
  carousel.mbarrier.arrive_drop %full[], -1 : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C34: a state from another CTA's barrier.
func.func @remote_state(%full: memref<!carousel.mbarrier, #cluster>) {
  // expected-error @below {{expected no state from an arrive in the cluster's window, got a result of '!carousel.mbarrier_state'}}
  %state = carousel.mbarrier.arrive %full[]
      : memref<!carousel.mbarrier, #cluster> -> !carousel.mbarrier_state
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C34: the same of an arrive with bytes.
func.func @remote_state_with_bytes(%full: memref<!carousel.mbarrier, #cluster>) {
  // expected-error @below {{expected no state from an arrive in the cluster's window}}
  %state = carousel.mbarrier.arrive_expect_tx %full[], 16
      : memref<!carousel.mbarrier, #cluster> -> !carousel.mbarrier_state
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C35: no count.
func.func @no_complete_without_count(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected a count with no_complete, got none}}
  carousel.mbarrier.arrive %full[] no_complete : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C35: semantics and scope.
func.func @no_complete_relaxed(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected release semantics at CTA scope with no_complete, got relaxed at cluster scope}}
  carousel.mbarrier.arrive_drop %full[], 1 no_complete semantics(relaxed) scope(cluster)
      : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#cluster = #nvvm.memory_space<shared_cluster>

// C35: a barrier in another CTA.
func.func @no_complete_remote(%full: memref<!carousel.mbarrier, #cluster>) {
  // expected-error @below {{expected a barrier in the CTA's own memory with no_complete, got 'memref<!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>'}}
  carousel.mbarrier.arrive %full[], 1 no_complete : memref<!carousel.mbarrier, #cluster>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C36: two names of the phase.
func.func @state_and_parity(%full: memref<!carousel.mbarrier, #ws>,
                            %state: !carousel.mbarrier_state, %parity: i1) {
  // expected-error @below {{expected a state or a parity, got both}}
  %done = carousel.mbarrier.try_wait %full[] state %state parity %parity
      : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C36: no name of the phase.
func.func @no_phase(%full: memref<!carousel.mbarrier, #ws>) {
  // expected-error @below {{expected a state or a parity, got none}}
  carousel.mbarrier.wait %full[] : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C176
func.func @no_name(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
  // expected-error @below {{expected a barrier's name that is neither empty nor has control characters, got ''}}
  carousel.mbarrier.wait %full[] parity %parity label<barrier = "">
      : memref<!carousel.mbarrier, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// C176: a name stands in a line.
func.func @two_lines(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
  // expected-error @below {{expected a barrier's name that is neither empty nor has control characters, got 'x}}
  carousel.mbarrier.wait %full[] parity %parity label<barrier = "x\0Afull">
      : memref<!carousel.mbarrier, #ws>
  return
}
