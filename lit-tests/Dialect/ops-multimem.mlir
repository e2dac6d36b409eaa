// Round trip of stores and reductions to multicast addresses in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// CHECK-LABEL: func @multimem_store
// DOC-EXAMPLE: carousel.multimem.store
func.func @multimem_store(%all: memref<?xf32, #gl>, %bytes: memref<4x?xi8, #gl>, %one: memref<i64, #gl>, %i: index,
                          %v: vector<4xf32>, %f: f32, %b: vector<4xi8>, %n: i64) {
  // CHECK: carousel.multimem.store %{{.*}} to %{{.*}}[%{{.*}}] : vector<4xf32>, memref<?xf32, #gpu.address_space<global>>
  carousel.multimem.store %v to %all[%i] : vector<4xf32>, memref<?xf32, #gl>
  // CHECK: carousel.multimem.store %{{.*}} to %{{.*}}[%{{.*}}] : f32, memref<?xf32
  carousel.multimem.store %f to %all[%i] : f32, memref<?xf32, #gl>
  // CHECK: carousel.multimem.store %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : vector<4xi8>, memref<4x?xi8
  carousel.multimem.store %b to %bytes[%i, %i] : vector<4xi8>, memref<4x?xi8, #gl>
  // CHECK: carousel.multimem.store %{{.*}} to %{{.*}}[] : i64, memref<i64
  carousel.multimem.store %n to %one[] : i64, memref<i64, #gl>
  return
}

// CHECK-LABEL: func @multimem_reduce
// DOC-EXAMPLE: carousel.multimem.reduce
func.func @multimem_reduce(%all: memref<?xf16, #gl>, %words: memref<?xi32, #gl>, %i: index, %v: vector<8xf16>,
                           %n: i32) {
  // CHECK: carousel.multimem.reduce add f16 %{{.*}} to %{{.*}}[%{{.*}}] : vector<8xf16>, memref<?xf16, #gpu.address_space<global>>
  carousel.multimem.reduce add f16 %v to %all[%i] : vector<8xf16>, memref<?xf16, #gl>
  // CHECK: carousel.multimem.reduce max s32 %{{.*}} to %{{.*}}[%{{.*}}] : i32, memref<?xi32
  carousel.multimem.reduce max s32 %n to %words[%i] : i32, memref<?xi32, #gl>
  return
}

gpu.module @kernels {
  // What a kernel does with a multicast address: views, extents, and stores of both phases.
  // CHECK-LABEL: gpu.func @multicast(
  // CHECK-SAME: {carousel.multicast}
  gpu.func @multicast(%all: memref<?x64xf32, #gl> {carousel.multicast}, %v: f32) workgroup(%tile: memref<64xf32, #ws>)
      kernel {
    %c0 = arith.constant 0 : index
    %n = memref.dim %all, %c0 : memref<?x64xf32, #gl>
    %row = memref.subview %all[%n, 0] [1, 64] [1, 1]
        : memref<?x64xf32, #gl> to memref<64xf32, strided<[1], offset: ?>, #gl>
    carousel.store %tile to %all[%c0, %c0] : memref<64xf32, #ws>, memref<?x64xf32, #gl>
    carousel.store %tile to %row[%c0] reduce<add f32>
        : memref<64xf32, #ws>, memref<64xf32, strided<[1], offset: ?>, #gl>
    carousel.multimem.store %v to %row[%c0] : f32, memref<64xf32, strided<[1], offset: ?>, #gl>
    gpu.return
  }
}
