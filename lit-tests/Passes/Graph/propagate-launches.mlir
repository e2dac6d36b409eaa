// Kernels of programs are told what all their launches agree on.
// RUN: carousel-opt %s --carousel-propagate-launches | FileCheck %s

#gl = #gpu.address_space<global>
!rows = memref<8x64xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-propagate-launches
  // CHECK-LABEL: gpu.func @agreed
  // CHECK-SAME: %[[X:.*]]: memref<8x64xf32, strided<[192, 1], offset: ?>, #gpu.address_space<global>> {carousel.argument = {{[^}]*}}, llvm.align = 256 : i64}
  // CHECK-SAME: %{{.*}}: memref<8x64xf32, #gpu.address_space<global>> {carousel.argument = {{[^}]*}}, llvm.align = 256 : i64}
  // CHECK: memref.cast %[[X]] : {{.*}} to memref<8x64xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>>
  gpu.func @agreed(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<8x64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.for_programs} {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0, %c0] : !rows
    memref.store %v, %y[%c0, %c0] : memref<8x64xf32, #gl>
    gpu.return
  }
  // Strides differ. Of the addresses one is at a multiple of 256 bytes, and one 16 behind.
  // CHECK-LABEL: gpu.func @different
  // CHECK-SAME: %{{.*}}: memref<8x64xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>> {carousel.argument = {{[^}]*}}, llvm.align = 16 : i64}
  gpu.func @different(%x: !rows {carousel.argument = #carousel.argument<"x", in>})
      kernel attributes {carousel.for_programs} {
    gpu.return
  }
  // Nothing is known of an offset that the launch computes.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK-SAME: (%{{.*}}: memref<8x64xf32, strided<[192, 1], offset: ?>, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x", in>})
  gpu.func @unknown(%x: !rows {carousel.argument = #carousel.argument<"x", in>})
      kernel attributes {carousel.for_programs} {
    gpu.return
  }
  // A launch of the program copies an argument that doesn't begin at a multiple of 16 bytes.
  // CHECK-LABEL: gpu.func @asked
  // CHECK-SAME: %{{.*}}: memref<8x64xf32, strided<[192, 1], offset: ?>, #gpu.address_space<global>> {carousel.argument = {{[^}]*}}, llvm.align = 16 : i64}
  gpu.func @asked(%x: !rows {carousel.argument = #carousel.argument<"x", in>})
      kernel attributes {carousel.for_programs} {
    gpu.return
  }
  // Others may launch this one.
  // CHECK-LABEL: gpu.func @public
  // CHECK-SAME: (%{{.*}}: memref<8x64xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x", in>})
  gpu.func @public(%x: !rows {carousel.argument = #carousel.argument<"x", in>}) kernel {
    gpu.return
  }
}

// An argument that may have gaps stays where it is.
// CHECK: func.func @main(%{{.*}}: memref<8x192xf32, #gpu.address_space<global>> {llvm.align = 16 : i64}, %{{.*}}: memref<8x64xf32, strided<[?, ?], offset: ?>, #gpu.address_space<global>>, %{{.*}}: index)
func.func @main(%a: memref<8x192xf32, #gl>, %strided: memref<8x64xf32, strided<[?, ?], offset: ?>, #gl>, %n: index)
    attributes {carousel.program} {
  %p = memref.alloc() {alignment = 256 : i64} : memref<8x192xf32, #gl>
  %q = memref.alloc() {alignment = 256 : i64} : memref<8x64xf32, #gl>
  %0 = memref.subview %p[0, 0] [8, 64] [1, 1] : memref<8x192xf32, #gl> to memref<8x64xf32, strided<[192, 1]>, #gl>
  %1 = memref.subview %p[0, 64] [8, 64] [1, 1] : memref<8x192xf32, #gl> to memref<8x64xf32, strided<[192, 1], offset: 64>, #gl>
  %2 = memref.subview %p[0, 4] [8, 64] [1, 1] : memref<8x192xf32, #gl> to memref<8x64xf32, strided<[192, 1], offset: 4>, #gl>
  %3 = memref.subview %a[0, 64] [8, 64] [1, 1] : memref<8x192xf32, #gl> to memref<8x64xf32, strided<[192, 1], offset: 64>, #gl>
  %4 = memref.subview %p[0, %n] [8, 64] [1, 1] : memref<8x192xf32, #gl> to memref<8x64xf32, strided<[192, 1], offset: ?>, #gl>
  carousel.launch_kernel @kernels::@agreed ins(%0 : memref<8x64xf32, strided<[192, 1]>, #gl>) outs(%q : memref<8x64xf32, #gl>)
  carousel.launch_kernel @kernels::@agreed ins(%1 : memref<8x64xf32, strided<[192, 1], offset: 64>, #gl>) outs(%q : memref<8x64xf32, #gl>)
  carousel.launch_kernel @kernels::@different ins(%2 : memref<8x64xf32, strided<[192, 1], offset: 4>, #gl>)
  carousel.launch_kernel @kernels::@different ins(%q : memref<8x64xf32, #gl>)
  carousel.launch_kernel @kernels::@unknown ins(%3 : memref<8x64xf32, strided<[192, 1], offset: 64>, #gl>)
  carousel.launch_kernel @kernels::@unknown ins(%4 : memref<8x64xf32, strided<[192, 1], offset: ?>, #gl>)
  carousel.launch_kernel @kernels::@asked ins(%3 : memref<8x64xf32, strided<[192, 1], offset: 64>, #gl>)
  carousel.launch_kernel @kernels::@public ins(%0 : memref<8x64xf32, strided<[192, 1]>, #gl>)
  return
}
