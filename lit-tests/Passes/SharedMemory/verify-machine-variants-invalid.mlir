// Variants of one kernel whose arguments differ, and those that agree.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))' --split-input-file --verify-diagnostics

// C121: a variant without the second argument; tensor maps don't count.
gpu.module @kernels {
  // expected-note @below {{the other variant}}
  gpu.func @a(%x: memref<?xf32>, %n: index) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  // expected-error @below {{expected 2 arguments as in the other variant of kernel 'copy', got 1}}
  gpu.func @b(%x: memref<?xf32>, %map: !carousel.tensor_map<64xf32>) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  gpu.func @other(%y: memref<?xf16>) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "scale">} {
    gpu.return
  }
}

// -----

// C121: an argument of another type, in a variant that has the kernel's own name.
gpu.module @kernels {
  // expected-note @below {{the other variant}}
  gpu.func @wide(%x: memref<?xf32>) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  // expected-error @below {{expected argument 0 to be 'memref<?xf32>' as in the other variant of kernel 'copy', got 'memref<64xf32>'}}
  gpu.func @copy(%x: memref<64xf32>) kernel {
    gpu.return
  }
}

// -----

// C121: another name.
gpu.module @kernels {
  // expected-note @below {{the other variant}}
  gpu.func @a(%x: index, %y: index) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  // expected-error @below {{expected argument 1 to be 'arg1' as in the other variant of kernel 'copy', got 'rows'}}
  gpu.func @b(%x: index, %y: index {carousel.argument = #carousel.argument<"rows">}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
}

// -----

// C121: another access, in each variant that differs from the first.
gpu.module @kernels {
  // expected-note @below {{the other variant}}
  gpu.func @a(%x: memref<?xf32> {carousel.argument = #carousel.argument<"x", in>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  // expected-error @below {{expected argument 0 to be in as in the other variant of kernel 'copy', got inout}}
  gpu.func @b(%x: memref<?xf32> {carousel.argument = #carousel.argument<"x">}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  // expected-error @below {{expected argument 0 to be in as in the other variant of kernel 'copy', got out}}
  gpu.func @c(%x: memref<?xf32> {carousel.argument = #carousel.argument<"x", out>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
}

// -----

// Same arguments, with tensor maps in other places; device functions don't count.
gpu.module @kernels {
  gpu.func @copy(%n: index {carousel.argument = #carousel.argument<"n">}, %x: memref<?xf32>) kernel {
    gpu.return
  }
  gpu.func @mapped(%map: !carousel.tensor_map<64xf32>, %n: index {carousel.argument = #carousel.argument<"n">},
                   %x: memref<?xf32> {carousel.argument = #carousel.argument<"arg1", inout>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  gpu.func @scale(%x: memref<?xf32>) {
    gpu.return
  }
  gpu.func @other(%x: memref<?xf16>) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "scale">} {
    gpu.return
  }
}

// -----

// C121: the runtime's in one variant, the caller's in the other one.
gpu.module @kernels {
  // expected-note @below {{the other variant}}
  gpu.func @a(%x: memref<?xf32>, %w: memref<?xi32> {carousel.workspace = #carousel.workspace<[4]>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  // expected-error @below {{expected argument 1 to be #carousel.workspace<[4]> as in the other variant of kernel 'copy', got passed by callers}}
  gpu.func @b(%x: memref<?xf32>, %w: memref<?xi32>) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
}

// -----

!v = memref<?xf32, #gpu.address_space<global>>

// C121: one variant was compiled for arguments that are the same.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-note @below {{the other variant}}
  gpu.func @first(%x: !v, %y: !v {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
  // expected-error @below {{expected argument 1 to be one that may alias argument 0 as in the other variant of kernel 'copy', got one without may_alias}}
  gpu.func @second(%x: !v, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy">} {
    gpu.return
  }
}

// -----

!v = memref<?xf32, #gpu.address_space<global>>

// C121: one variant puts, the other one doesn't leave the GPU.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-note @below {{the other variant}}
  gpu.func @first(%x: !v {carousel.symmetric}, %y: !v {carousel.peer}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "put">} {
    gpu.return
  }
  // expected-error @below {{expected argument 1 to be carousel.peer as in the other variant of kernel 'put', got in memory of this GPU only}}
  gpu.func @second(%x: !v {carousel.symmetric}, %y: !v) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "put">} {
    gpu.return
  }
}

// -----

!v = memref<?xf32, #gpu.address_space<global>>

gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-note @below {{the other variant}}
  gpu.func @first(%x: !v {carousel.symmetric}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "put">} {
    gpu.return
  }
  // expected-error @below {{expected argument 0 to be carousel.symmetric as in the other variant of kernel 'put', got carousel.peer}}
  gpu.func @second(%x: !v {carousel.peer}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "put">} {
    gpu.return
  }
  // expected-error @below {{expected argument 0 to be carousel.symmetric as in the other variant of kernel 'put', got carousel.multicast}}
  gpu.func @third(%x: !v {carousel.multicast}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "put">} {
    gpu.return
  }
}
