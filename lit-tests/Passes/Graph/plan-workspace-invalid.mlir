// Buffers that have no place in a workspace.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics --carousel-plan-workspace

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
// expected-error @below {{expected buffers whose size a launch can compute, got 40 that are too many or too large}}
func.func @many(%n0: index, %n1: index, %n2: index, %n3: index, %n4: index, %n5: index, %n6: index, %n7: index,
                %n8: index, %n9: index, %n10: index, %n11: index, %n12: index, %n13: index, %n14: index, %n15: index,
                %n16: index, %n17: index, %n18: index, %n19: index, %n20: index, %n21: index, %n22: index, %n23: index,
                %n24: index, %n25: index, %n26: index, %n27: index, %n28: index, %n29: index, %n30: index, %n31: index,
                %n32: index, %n33: index, %n34: index, %n35: index, %n36: index, %n37: index, %n38: index, %n39: index) attributes {carousel.program} {
  %b0 = memref.alloc(%n0) : memref<?xf32, #gl>
  %b1 = memref.alloc(%n1) : memref<?xf32, #gl>
  %b2 = memref.alloc(%n2) : memref<?xf32, #gl>
  %b3 = memref.alloc(%n3) : memref<?xf32, #gl>
  %b4 = memref.alloc(%n4) : memref<?xf32, #gl>
  %b5 = memref.alloc(%n5) : memref<?xf32, #gl>
  %b6 = memref.alloc(%n6) : memref<?xf32, #gl>
  %b7 = memref.alloc(%n7) : memref<?xf32, #gl>
  %b8 = memref.alloc(%n8) : memref<?xf32, #gl>
  %b9 = memref.alloc(%n9) : memref<?xf32, #gl>
  %b10 = memref.alloc(%n10) : memref<?xf32, #gl>
  %b11 = memref.alloc(%n11) : memref<?xf32, #gl>
  %b12 = memref.alloc(%n12) : memref<?xf32, #gl>
  %b13 = memref.alloc(%n13) : memref<?xf32, #gl>
  %b14 = memref.alloc(%n14) : memref<?xf32, #gl>
  %b15 = memref.alloc(%n15) : memref<?xf32, #gl>
  %b16 = memref.alloc(%n16) : memref<?xf32, #gl>
  %b17 = memref.alloc(%n17) : memref<?xf32, #gl>
  %b18 = memref.alloc(%n18) : memref<?xf32, #gl>
  %b19 = memref.alloc(%n19) : memref<?xf32, #gl>
  %b20 = memref.alloc(%n20) : memref<?xf32, #gl>
  %b21 = memref.alloc(%n21) : memref<?xf32, #gl>
  %b22 = memref.alloc(%n22) : memref<?xf32, #gl>
  %b23 = memref.alloc(%n23) : memref<?xf32, #gl>
  %b24 = memref.alloc(%n24) : memref<?xf32, #gl>
  %b25 = memref.alloc(%n25) : memref<?xf32, #gl>
  %b26 = memref.alloc(%n26) : memref<?xf32, #gl>
  %b27 = memref.alloc(%n27) : memref<?xf32, #gl>
  %b28 = memref.alloc(%n28) : memref<?xf32, #gl>
  %b29 = memref.alloc(%n29) : memref<?xf32, #gl>
  %b30 = memref.alloc(%n30) : memref<?xf32, #gl>
  %b31 = memref.alloc(%n31) : memref<?xf32, #gl>
  %b32 = memref.alloc(%n32) : memref<?xf32, #gl>
  %b33 = memref.alloc(%n33) : memref<?xf32, #gl>
  %b34 = memref.alloc(%n34) : memref<?xf32, #gl>
  %b35 = memref.alloc(%n35) : memref<?xf32, #gl>
  %b36 = memref.alloc(%n36) : memref<?xf32, #gl>
  %b37 = memref.alloc(%n37) : memref<?xf32, #gl>
  %b38 = memref.alloc(%n38) : memref<?xf32, #gl>
  %b39 = memref.alloc(%n39) : memref<?xf32, #gl>
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
// expected-error @below {{expected carousel.workspace on a program's last arguments, each a memref<?xT>, and one extent, got #carousel.workspace<[4]> on argument 0 of type 'memref<?xi8>'}}
func.func @first(%w: memref<?xi8> {carousel.workspace = #carousel.workspace<[4]>}, %x: memref<4xf32>) attributes {carousel.program} {
  return
}

// -----

// C117: the workspace itself isn't passed
// expected-error @below {{expected extent in carousel.workspace to name one of the kernel's 1 arguments, got 1}}
func.func @itself(%x: memref<4xf32>, %w: memref<?xi8> {carousel.workspace = #carousel.workspace<[extent(1, 0)]>}) attributes {carousel.program} {
  return
}
