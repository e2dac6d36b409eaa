// Messages of #carousel.workspace: its place, its extents and its type.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C116: a workspace that is no memref.
gpu.module @kernels {
  // expected-error @below {{expected carousel.workspace on a memref argument of a kernel, got it on an argument that isn't a memref}}
  gpu.func @k(%n: index {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C116: a workspace that says nothing.
gpu.module @kernels {
  // expected-error @below {{expected #carousel.workspace<...> as carousel.workspace, got unit}}
  gpu.func @k(%x: memref<4xi32, #gl> {carousel.workspace}) kernel {
    gpu.return
  }
}

// -----

// C186: an extent below zero.
// expected-error @below {{expected extents of a workspace of 0 or more, got -1}}
func.func private @f() attributes {a = #carousel.workspace<[-1]>}

// -----

#gl = #gpu.address_space<global>

// C186: an extent too few.
gpu.module @kernels {
  // expected-error @below {{expected 2 extents in carousel.workspace of kernel argument 1, one for each dynamic one of 'memref<?x?x4xi32, #gpu.address_space<global>>', got 1}}
  gpu.func @k(%x: memref<?xf32, #gl>, %w: memref<?x?x4xi32, #gl> {carousel.workspace = #carousel.workspace<[4]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C117: an extent of an argument that isn't there.
gpu.module @kernels {
  // expected-error @below {{expected extent in carousel.workspace of kernel argument 1 to name one of the kernel's 2 arguments, got 2}}
  gpu.func @k(%x: memref<?xf32, #gl>, %w: memref<?xi32, #gl> {carousel.workspace = #carousel.workspace<[extent(2, 0)]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C186: an extent that is a workspace's.
gpu.module @kernels {
  // expected-error @below {{expected carousel.workspace of kernel argument 2 to name arguments that callers pass, got argument 1, a workspace}}
  gpu.func @k(%x: memref<?xf32, #gl>, %v: memref<?xi32, #gl> {carousel.workspace = #carousel.workspace<[4]>}, %w: memref<?xi32, #gl> {carousel.workspace = #carousel.workspace<[extent(0, 0) + extent(1, 0)]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: an argument behind a workspace.
gpu.module @kernels {
  // expected-error @below {{expected workspaces after all arguments that callers pass, got kernel argument 2 after the workspace 0}}
  gpu.func @k(%w: memref<4xi32, #gl> {carousel.workspace = #carousel.workspace<[]>}, %map: !carousel.tensor_map<64xf32>, %n: index) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: columns first.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type 'memref<4x8xi32, strided<[1, 4]>, #gpu.address_space<global>>'}}
  gpu.func @k(%w: memref<4x8xi32, strided<[1, 4]>, #gl> {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: a stride that an extent may contradict.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type}}
  gpu.func @k(%w: memref<4x?xi32, strided<[8, 1]>, #gl> {carousel.workspace = #carousel.workspace<[8]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: a place behind the first element.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type}}
  gpu.func @k(%w: memref<4xi32, strided<[1], offset: 4>, #gl> {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: shared memory.
gpu.module @kernels {
  // expected-error @below {{expected a workspace in global memory whose strides follow from its extents, got kernel argument 0 of type}}
  gpu.func @k(%w: memref<4xi32, #gpu.address_space<workgroup>> {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C187: a workspace that no op writes.
gpu.module @kernels {
  // expected-error @below {{expected a workspace that is read and written, got in for kernel argument 0}}
  gpu.func @k(%w: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"w", in>, carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
}
