// Buffers that have no place in a workspace.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics --carousel-plan-arena

#gl = #gpu.address_space<global>

// C225: contiguous
func.func @strided() attributes {carousel.program} {
  // expected-error @below {{expected a contiguous buffer, got 'memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<global>>'}}
  %a = memref.alloc() : memref<4x4xf32, strided<[8, 1]>, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C225: sizes
// expected-error @below {{expected buffers whose size a launch can compute, got 3 that are too many or too large}}
func.func @large(%n: index) attributes {carousel.program} {
  %a = memref.alloc(%n) : memref<?x4611686018427387904xf32, #gl>
  %b = memref.alloc() : memref<4611686018427387904xf32, #gl>
  %c = memref.alloc() : memref<4611686018427387904xf32, #gl>
  return
}

// -----

#gl = #gpu.address_space<global>

// C225: an extent that a launch has no expression for
func.func @selected(%n: index, %c: i1) attributes {carousel.program} {
  %c4 = arith.constant 4 : index
  %m = arith.select %c, %n, %c4 : index
  // expected-error @below {{expected extents that a launch can compute from the program's arguments}}
  %a = memref.alloc(%m) : memref<?xf32, #gl>
  return
}

// -----

// C225: the last argument
// expected-error @below {{expected carousel.workspace on a program's last argument, a memref<?xT>, and one extent, got #carousel.workspace<[4]> on argument 0 of type 'memref<?xi8>'}}
func.func @first(%w: memref<?xi8> {carousel.workspace = #carousel.workspace<[4]>}, %x: memref<4xf32>) attributes {carousel.program} {
  return
}

// -----

// C117: the workspace itself isn't passed
// expected-error @below {{expected extent in carousel.workspace to name one of the kernel's 1 arguments, got 1}}
func.func @itself(%x: memref<4xf32>, %w: memref<?xi8> {carousel.workspace = #carousel.workspace<[extent(1, 0)]>}) attributes {carousel.program} {
  return
}
