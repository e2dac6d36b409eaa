// Offsets by extents of memrefs of any elements: where their size isn't known, nothing is concluded from it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<256xf32, #ws>

gpu.module @extents {
  // CHECK-LABEL: gpu.func @of_indices
  // CHECK: memref.dim
  // CHECK: carousel.load {{.*}} engine<
  gpu.func @of_indices(%x: !v, %table: memref<?xindex, #gl>) workgroup(%tile: !t) kernel {
    %c0 = arith.constant 0 : index
    %extent = memref.dim %table, %c0 : memref<?xindex, #gl>
    carousel.load %x[%extent] to %tile : !v, !t
    gpu.return
  }

  // CHECK-LABEL: gpu.func @of_a_part
  // CHECK: carousel.load {{.*}} engine<
  gpu.func @of_a_part(%x: !v, %table: memref<?xvector<2xf32>, #gl>, %n: index) workgroup(%tile: !t) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %part = memref.subview %table[%c4] [%n] [1]
        : memref<?xvector<2xf32>, #gl> to memref<?xvector<2xf32>, strided<[1], offset: ?>, #gl>
    %extent = memref.dim %part, %c0 : memref<?xvector<2xf32>, strided<[1], offset: ?>, #gl>
    carousel.load %x[%extent] to %tile : !v, !t
    gpu.return
  }

  // CHECK-LABEL: gpu.func @of_unknown_rank
  // CHECK: carousel.load {{.*}} engine<
  gpu.func @of_unknown_rank(%x: !v, %any: memref<*xf32, #gl>) workgroup(%tile: !t) kernel {
    %c0 = arith.constant 0 : index
    %extent = memref.dim %any, %c0 : memref<*xf32, #gl>
    carousel.load %x[%extent] to %tile : !v, !t
    gpu.return
  }
}
