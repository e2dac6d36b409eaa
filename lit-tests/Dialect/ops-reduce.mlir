// Round trip of reductions of one thread, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#gl = #gpu.address_space<global>

// CHECK-LABEL: func @vector_reduce
// DOC-EXAMPLE: carousel.vector.reduce
func.func @vector_reduce(%z: memref<?x?xbf16, #gl>, %y: memref<?xf32, #gl>, %h: memref<16xf16, #gl>, %i: index, %j: index,
                         %v8: vector<8xbf16>, %v4: vector<4xbf16>, %f: vector<4xf32>, %g: vector<4xf16>) {
  // CHECK: carousel.vector.reduce add bf16 %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : vector<8xbf16>, memref<?x?xbf16, #gpu.address_space<global>>
  carousel.vector.reduce add bf16 %v8 to %z[%i, %j] : vector<8xbf16>, memref<?x?xbf16, #gl>
  // CHECK: carousel.vector.reduce add bf16 %{{.*}} : vector<4xbf16>
  carousel.vector.reduce add bf16 %v4 to %z[%i, %j] : vector<4xbf16>, memref<?x?xbf16, #gl>
  // CHECK: carousel.vector.reduce add f32 %{{.*}} to %{{.*}}[%{{.*}}] : vector<4xf32>, memref<?xf32, #gpu.address_space<global>>
  carousel.vector.reduce add f32 %f to %y[%i] : vector<4xf32>, memref<?xf32, #gl>
  // CHECK: carousel.vector.reduce add f16 %{{.*}} : vector<4xf16>, memref<16xf16
  carousel.vector.reduce add f16 %g to %h[%i] : vector<4xf16>, memref<16xf16, #gl>
  return
}
