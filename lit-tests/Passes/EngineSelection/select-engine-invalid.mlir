// Transfers with a given engine or map that can't carry them out.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))'

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: the copy would begin anywhere.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<?xf32, #gl>) kernel {
    %block = gpu.block_id x
    %t = memref.alloc() : memref<1024xf32, #ws>
    // expected-error @below {{expected a transfer that engine bulk can carry out, got offset 0 known to be a multiple of 4 bytes only, not of 16}}
    carousel.load %x[%block] to %t engine<bulk> : memref<?xf32, #gl>, memref<1024xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: the chip lacks it.
gpu.module @m [#nvvm.target<chip = "sm_80">] {
  gpu.func @k(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<1024xf32, #ws>
    // expected-error @below {{expected a transfer that engine bulk can carry out, got a target that lacks it: it needs sm_90 and PTX 8.0, the target is sm_80 with PTX 8.8}}
    carousel.load %x[%c0] to %t engine<bulk> : memref<?xf32, #gl>, memref<1024xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: cp.async has one direction, and one fill.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<1024xf32, #ws>
    // expected-error @below {{expected a transfer that engine cp_async of width 16 can carry out, got a store}}
    carousel.store %t to %x[%c0] engine<cp_async, width = 16> : memref<1024xf32, #ws>, memref<?xf32, #gl>
    // expected-error @below {{expected a transfer that engine cp_async of width 16 can carry out, got a fill of NaN}}
    carousel.load %x[%c0] to %t fill(nan) engine<cp_async, width = 16> : memref<?xf32, #gl>, memref<1024xf32, #ws>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: an atomic operation for each element.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<?xi32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<1024xi32, #ws>
    // expected-error @below {{expected a transfer that engine vector of width 16 can carry out, got a reduction of elements of 4 bytes}}
    carousel.store %t to %x[%c0] reduce<max s32> engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: a box that divides the tile isn't enough; two of 64x32 side by side are not its rows.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<64x64xf32, #gl>, %map: !carousel.tensor_map<64x32xf32>
      {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<64x64xf32, #ws>
    // expected-error @below {{expected a transfer that engine tensor can carry out, got boxes that don't follow each other in row-major order in the tile}}
    carousel.load %x[%c0, %c0] to %t engine<tensor> map %map : memref<64x64xf32, #gl>, memref<64x64xf32, #ws>, !carousel.tensor_map<64x32xf32>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: another argument's map.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<64x64xf32, #gl>, %y: memref<64x64xf32, #gl>,
      %map: !carousel.tensor_map<64x64xf32> {carousel.encode = #carousel.encode<argument = 1>}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<64x64xf32, #ws>
    // expected-error @below {{expected a transfer that engine tensor can carry out, got a map of argument 1, not of 0}}
    carousel.load %x[%c0, %c0] to %t engine<tensor> map %map : memref<64x64xf32, #gl>, memref<64x64xf32, #ws>, !carousel.tensor_map<64x64xf32>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C157: a map that fills with something else.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<64x64xf32, #gl>, %map: !carousel.tensor_map<64x64xf32>
      {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<64x64xf32, #ws>
    // expected-error @below {{expected a transfer that engine tensor can carry out, got a map that fills with zero}}
    carousel.load %x[%c0, %c0] to %t fill(nan) engine<tensor> map %map : memref<64x64xf32, #gl>, memref<64x64xf32, #ws>, !carousel.tensor_map<64x64xf32>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C158: a swizzled tile, read as if it weren't.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<64x32xf32, #gl>, %map: !carousel.tensor_map<64x32xf32, swizzle = b128>
      {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<64x32xf32, #ws>
    // expected-note @below {{the other transfer}}
    carousel.load %x[%c0, %c0] to %t engine<tensor> map %map : memref<64x32xf32, #gl>, memref<64x32xf32, #ws>, !carousel.tensor_map<64x32xf32, swizzle = b128>
    // expected-error @below {{expected a transfer with swizzle b128, as the map of the tile's other transfer has, got engine bulk}}
    carousel.store %t to %x[%c0, %c0] engine<bulk> : memref<64x32xf32, #ws>, memref<64x32xf32, #gl>
    gpu.return
  }
}

// -----

// expected-error @below {{expected one #nvvm.target on the gpu.module, got 0}}
gpu.module @no_target {
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C190: PTX promises no atomicity between engines and threads.
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"x", inout>}, %i: i32) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<1024xi32, #ws>
    // expected-error @below {{expected reductions into x all by engines or all by threads, got engine bulk beside 'memref.atomic_rmw'}}
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> engine<bulk> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    // expected-note @below {{the atomic}}
    %old = memref.atomic_rmw addi %i, %x[%c0] : (i32, memref<?xi32, #gl>) -> i32
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
// C190
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"x", inout>}) kernel {
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<1024xi32, #ws>
    // expected-error @below {{expected reductions into x all by engines or all by threads, got engine bulk beside a transfer that no engine can carry out (offset 0 known to be a multiple of 4 bytes only, not of 16)}}
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> engine<bulk> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    // expected-note @below {{the other transfer}}
    carousel.store %t to %x[%b] in_bounds reduce<add u32> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    gpu.return
  }
}
