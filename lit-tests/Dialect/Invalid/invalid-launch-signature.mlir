// Launch attributes that don't fit the signature of their kernel.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an argument that the kernel has not, since tensor maps do not count.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.launch to name one of the kernel's 1 arguments, got 1}}
  gpu.func @k(%map: !map, %x: !matrix) kernel
      attributes {carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [32]>} {
    gpu.return
  }
}

// -----

// C117: the extent of a scalar.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.launch to name a memref argument, got argument 0 of type 'index'}}
  gpu.func @k(%n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1, 2 * extent(0, 0)], block = [32]>} {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: a dimension that the argument has not.
gpu.module @kernels {
  // expected-error @below {{expected stride in carousel.launch to name one of the 2 dimensions of argument 0, got 2}}
  gpu.func @k(%x: !matrix) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(stride(0, 2), 4)], block = [32]>} {
    gpu.return
  }
}

// -----

// C117: the value of a memref.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.launch to name an index or integer argument, got argument 0 of type 'memref<4xf32>'}}
  gpu.func @k(%x: memref<4xf32>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(0)], block = [32]>} {
    gpu.return
  }
}

// -----

// C117: the value of a floating-point number.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.variant to name an index or integer argument, got argument 0 of type 'f32'}}
  gpu.func @k(%x: f32) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy", guards = [divisible(scalar(0), 4)]>} {
    gpu.return
  }
}

// -----

// C117: a guard on the pointer of a scalar.
gpu.module @kernels {
  // expected-error @below {{expected aligned in carousel.variant to name a memref argument, got argument 0 of type 'i32'}}
  gpu.func @k(%n: i32) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy", guards = [capability(90), aligned(0, 16)]>} {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: a guard whose second value is wrong.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.variant to name one of the kernel's 1 arguments, got 1}}
  gpu.func @k(%x: !matrix) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy", guards = [equal(extent(0, 0), extent(1, 0))]>} {
    gpu.return
  }
}

// -----

// C118: another block than the kernel is compiled for.
gpu.module @kernels {
  // expected-error @below {{expected block dimension 1 of carousel.launch to be 2 as in known_block_size, got 1}}
  gpu.func @k() kernel
      attributes {known_block_size = array<i32: 64, 2, 1>, carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    gpu.return
  }
}

// -----

// C118: another cluster than the kernel is compiled for.
gpu.module @kernels {
  // expected-error @below {{expected cluster dimension 0 of carousel.launch to be 2 as in known_cluster_size, got 1}}
  gpu.func @k() kernel
      attributes {known_cluster_size = array<i32: 2, 1, 1>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}

// -----

// C118: another grid than the kernel is compiled for.
gpu.module @kernels {
  // expected-error @below {{expected grid dimension 1 of carousel.launch to be 8 as in known_grid_size, got 4}}
  gpu.func @k() kernel
      attributes {known_grid_size = array<i32: 16, 8, 1>, carousel.launch = #carousel.launch<grid = [sms, 4], block = [32]>} {
    gpu.return
  }
}

// -----

// C119: one name twice.
gpu.module @kernels {
  // expected-error @below {{expected the kernel's arguments to have different names, got 'x' twice}}
  gpu.func @k(%x: index {carousel.argument = #carousel.argument<"x">},
      %y: index {carousel.argument = #carousel.argument<"x">}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C119: the name that another argument has without saying so.
gpu.module @kernels {
  // expected-error @below {{expected the kernel's arguments to have different names, got 'arg0' twice}}
  gpu.func @k(%x: index, %map: !map, %y: index {carousel.argument = #carousel.argument<"arg0">}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C119: a scalar that is written.
gpu.module @kernels {
  // expected-error @below {{expected a memref for an argument that is written, got out for kernel argument 1 of type 'f32'}}
  gpu.func @k(%map: !map, %x: f32 {carousel.argument = #carousel.argument<"x", out>}) kernel {
    gpu.return
  }
}

// -----

!v = memref<?xf32>

// C204: an argument that comes later, or is the argument itself.
gpu.module @kernels {
  // expected-error @below {{expected may_alias of kernel argument 0 to name an earlier argument, got 0 for argument 0}}
  gpu.func @k(%x: !v {carousel.argument = #carousel.argument<"x", may_alias = 0>}, %y: !v) kernel {
    gpu.return
  }
}

// -----

!v = memref<?xf32>
!map = !carousel.tensor_map<64x64xf32>

// C204: tensor maps have no number.
gpu.module @kernels {
  // expected-error @below {{expected may_alias of kernel argument 2 to name an earlier argument, got 1 for argument 1}}
  gpu.func @k(%x: !v, %map: !map, %y: !v {carousel.argument = #carousel.argument<"y", may_alias = 1>}) kernel {
    gpu.return
  }
}

// -----

!v = memref<?xf32>

// C204: another type.
gpu.module @kernels {
  // expected-error @below {{expected arguments that may alias to be memrefs of one type, got 'memref<?xf16>' and 'memref<?xf32>'}}
  gpu.func @k(%x: memref<?xf16>, %y: !v {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}) kernel {
    gpu.return
  }
}

// -----

// C204: numbers.
gpu.module @kernels {
  // expected-error @below {{expected arguments that may alias to be memrefs of one type, got 'f32' and 'f32'}}
  gpu.func @k(%x: f32, %y: f32 {carousel.argument = #carousel.argument<"y", in, may_alias = 0>}) kernel {
    gpu.return
  }
}

// -----

!v = memref<8xf32>

// C204: memory that callers don't pass.
gpu.module @kernels {
  // expected-error @below {{expected arguments that may alias to be passed by callers, got kernel argument 1, a workspace}}
  gpu.func @k(%x: !v, %y: !v {carousel.argument = #carousel.argument<"y", may_alias = 0>, carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

!v = memref<?xf32>

// C204: an argument that may alias another one itself.
gpu.module @kernels {
  // expected-error @below {{expected may_alias of kernel argument 2 to name an argument without may_alias, got 1, which may alias 0}}
  gpu.func @k(%x: !v, %y: !v {carousel.argument = #carousel.argument<"y", may_alias = 0>},
      %z: !v {carousel.argument = #carousel.argument<"z", out, may_alias = 1>}) kernel {
    gpu.return
  }
}

// -----

!v = memref<?xf32>

// C204: a launch compares all of them with each other.
gpu.module @kernels {
  // expected-error @below {{expected at most 16 arguments that may alias kernel argument 0, got more}}
  gpu.func @k(%x: !v,
      %a0: !v {carousel.argument = #carousel.argument<"a0", out, may_alias = 0>},
      %a1: !v {carousel.argument = #carousel.argument<"a1", out, may_alias = 0>},
      %a2: !v {carousel.argument = #carousel.argument<"a2", out, may_alias = 0>},
      %a3: !v {carousel.argument = #carousel.argument<"a3", out, may_alias = 0>},
      %a4: !v {carousel.argument = #carousel.argument<"a4", out, may_alias = 0>},
      %a5: !v {carousel.argument = #carousel.argument<"a5", out, may_alias = 0>},
      %a6: !v {carousel.argument = #carousel.argument<"a6", out, may_alias = 0>},
      %a7: !v {carousel.argument = #carousel.argument<"a7", out, may_alias = 0>},
      %a8: !v {carousel.argument = #carousel.argument<"a8", out, may_alias = 0>},
      %a9: !v {carousel.argument = #carousel.argument<"a9", out, may_alias = 0>},
      %a10: !v {carousel.argument = #carousel.argument<"a10", out, may_alias = 0>},
      %a11: !v {carousel.argument = #carousel.argument<"a11", out, may_alias = 0>},
      %a12: !v {carousel.argument = #carousel.argument<"a12", out, may_alias = 0>},
      %a13: !v {carousel.argument = #carousel.argument<"a13", out, may_alias = 0>},
      %a14: !v {carousel.argument = #carousel.argument<"a14", out, may_alias = 0>},
      %a15: !v {carousel.argument = #carousel.argument<"a15", out, may_alias = 0>},
      %a16: !v {carousel.argument = #carousel.argument<"a16", out, may_alias = 0>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C339: bits in elements of another size than a byte, and a value.
gpu.module @kernels {
  // expected-error @below {{expected carousel.bits without a value, on a memref argument of i8, got unit on kernel argument 0 of type 'memref<?xi16, #gpu.address_space<global>>'}}
  gpu.func @k(%x: memref<?xi16, #gl> {carousel.bits}) kernel {
    gpu.return
  }
  // expected-error @below {{expected carousel.bits without a value, on a memref argument of i8, got 1 : i64 on kernel argument 0 of type 'memref<?xi8, #gpu.address_space<global>>'}}
  gpu.func @value(%x: memref<?xi8, #gl> {carousel.bits = 1}) kernel {
    gpu.return
  }
}
