// Stores to multicast addresses that would write less than whole units of 4 bytes, or by an engine.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))'

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C238: bytes at any address.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%all: memref<?xi8, #gl> {carousel.multicast}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<256xi8, #ws>
    // expected-error @below {{expected a store to multicast memory by whole units of 4 bytes, got an address of arg0 that isn't known to be a multiple of 4}}
    carousel.store %t to %all[%c0] in_bounds : memref<256xi8, #ws>, memref<?xi8, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C238: the memref may end within a unit.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%all: memref<?xf16, #gl> {carousel.multicast, llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<256xf16, #ws>
    // expected-error @below {{expected a store to multicast memory by whole units of 4 bytes, got extent 0 of arg0 not known to be a multiple of 2}}
    carousel.store %t to %all[%c0] by_threads : memref<256xf16, #ws>, memref<?xf16, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C238: a reduction, of rows that aren't whole units.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%all: memref<8x?xf16, #gl> {carousel.multicast, llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<8x3xf16, #ws>
    // expected-error @below {{expected a store to multicast memory by whole units of 4 bytes, got rows of 6 bytes, not a multiple of 4}}
    carousel.store %t to %all[%c0, %c0] reduce<add f16> : memref<8x3xf16, #ws>, memref<8x?xf16, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C238: a chip without multimem.
gpu.module @m [#nvvm.target<chip = "sm_80">] {
  gpu.func @k(%all: memref<?xf32, #gl> {carousel.multicast}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<256xf32, #ws>
    // expected-error @below {{expected a store to multicast memory by whole units of 4 bytes, got a target that lacks it: it needs sm_90 and PTX 8.1, the target is sm_80}}
    carousel.store %t to %all[%c0] : memref<256xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: a given engine.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%all: memref<?xf32, #gl> {carousel.multicast}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<256xf32, #ws>
    // expected-error @below {{expected a transfer that engine bulk can carry out, got a multicast address, to which PTX ISA 9.0 has no bulk copies}}
    carousel.store %t to %all[%c0] engine<bulk> : memref<256xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: a given width.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%all: memref<?xi32, #gl> {carousel.multicast, llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<256xi32, #ws>
    // expected-error @below {{expected a transfer that engine vector of width 8 can carry out, got pieces of 8 bytes, which multimem doesn't have}}
    carousel.store %t to %all[%c0] reduce<add u32> engine<vector, width = 8> : memref<256xi32, #ws>, memref<?xi32, #gl>
    gpu.return
  }
}
