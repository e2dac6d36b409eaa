// Kernels that can't be made asynchronous.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

// C174: nobody has decided about an engine.
gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @engine(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-error @below {{expected an engine before transfers are made asynchronous, got none}}
    carousel.load %x[%c0] to %t : !global, !tile
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

// C174: a running index can't be carried through a parallel loop.
gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @parallel(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.parallel (%i) = (%c0) to (%n) step (%c1024) {
      // expected-error @below {{expected scf.for, scf.while, scf.if, scf.index_switch or scf.execute_region around a transfer, got 'scf.parallel'}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

// C175: nobody says how many threads there are.
gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected carousel.launch or known_block_size on a kernel with transfers, got neither}}
  gpu.func @block(%x: !global) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    carousel.load %x[%c0] to %t engine<bulk> : !global, !tile
    gpu.return
  }
}

// -----

// A module without a target.
// expected-error @below {{expected one #nvvm.target}}
gpu.module @m {
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C183: stages for one load more than there are.
gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @listed(%x: memref<?xf32, #gl>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.alloc() : memref<1024xf32, #ws>
    // expected-error @below {{expected a number of stages for each of the 1 loads of scope cta, got 2}}
    scf.for %i = %n to %n step %n {
      carousel.load %x[%i] to %t engine<bulk> : memref<?xf32, #gl>, memref<1024xf32, #ws>
    } {carousel.pipeline = #carousel.pipeline<stages = [2, 2]>}
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

// C179: said before slots are made one by one.
gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @deep(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-error @below {{expected slots of at most 232448 bytes in all on sm_90a, got 409600000}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 100000>}
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

// C179: the product of stages and bytes doesn't fit into 64 bits.
gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @deepest(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    %u = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %u engine<bulk> : !global, !tile
      %v = memref.load %u[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 8>}
    // expected-error @below {{expected slots of at most 232448 bytes in all on sm_90a, got 281474976710656}}
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 9223372036854775807>}
    gpu.return
  }
}
