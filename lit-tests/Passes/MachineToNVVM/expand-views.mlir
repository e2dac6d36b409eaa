// carousel-expand-views: views become arithmetic on offsets, extents and strides of their sources; affine loops stay.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-expand-views)))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
!tile = memref<16x64xf32, #ws>
!row = memref<64xf32, strided<[1], offset: ?>, #ws>

gpu.module @views {
  // CHECK-LABEL: gpu.func @subview
  // CHECK-SAME: %[[TILE:[^:]*]]: memref<16x64xf32, {{[^,]*}}, %[[I:[^:]*]]: index
  // CHECK-NOT: memref.subview
  // CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[TILE]]
  // CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %{{.*}} : index
  // CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[FIRST]]], sizes: [64], strides: [1]
  // CHECK-NOT: affine
  // CHECK: gpu.return
  // DOC-EXAMPLE: --carousel-expand-views
  gpu.func @subview(%tile: !tile, %i: index, %v: f32) kernel {
    %row = memref.subview %tile[%i, 0] [1, 64] [1, 1] : !tile to !row
    memref.store %v, %row[%i] : !row
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reshapes
  // CHECK-NOT: memref.collapse_shape
  // CHECK-NOT: memref.expand_shape
  // CHECK: memref.reinterpret_cast %{{.*}} sizes: [1024], strides: [1]
  // CHECK: memref.reinterpret_cast %{{.*}} sizes: [4, 256], strides: [256, 1]
  gpu.func @reshapes(%tile: !tile, %i: index, %v: f32) kernel {
    %flat = memref.collapse_shape %tile [[0, 1]] : !tile into memref<1024xf32, #ws>
    %rows = memref.expand_shape %flat [[0, 1]] output_shape [4, 256] : memref<1024xf32, #ws> into memref<4x256xf32, #ws>
    memref.store %v, %flat[%i] : memref<1024xf32, #ws>
    memref.store %v, %rows[%i, %i] : memref<4x256xf32, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @maps
  // CHECK: affine.for
  // CHECK-NOT: affine.apply
  // CHECK-NOT: affine.min
  // CHECK: arith.muli
  // CHECK: arith.addi
  // CHECK: arith.minsi
  // CHECK: affine.store
  gpu.func @maps(%x: memref<?xindex, #ws>, %n: index) kernel {
    affine.for %i = 0 to 8 {
      %at = affine.apply affine_map<(d0) -> (d0 * 4 + 1)>(%i)
      %least = affine.min affine_map<(d0)[s0] -> (d0, s0)>(%at)[%n]
      affine.store %least, %x[%i] : memref<?xindex, #ws>
    }
    gpu.return
  }
}
