// Round trip of views of global memory, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// CHECK-LABEL: func @rows
// DOC-EXAMPLE: carousel.rows
func.func @rows(%x: memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>, %few: memref<4x8xf32, #gl>, %line: memref<?xf32, strided<[2]>, #gl>,
                %n: memref<?xi32, #gl>, %six: memref<6xi64, strided<[3]>, #gl>, %tile: memref<4x8xf32, #ws>, %i: index,
                %v: vector<4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // CHECK: %[[ROWS:.*]] = carousel.rows %{{.*}}[%{{.*}}] : memref<?x?xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>>, memref<?xi32, #gpu.address_space<global>>
  %rows = carousel.rows %x[%n] : memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>, memref<?xi32, #gl>
  // CHECK: carousel.load %[[ROWS]][%{{.*}}, %{{.*}}] to
  carousel.load %rows[%i, %c0] to %tile : memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>, memref<4x8xf32, #ws>
  // CHECK: carousel.store %{{.*}} to %[[ROWS]]
  carousel.store %tile to %rows[%i, %c0] : memref<4x8xf32, #ws>, memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
  // CHECK: vector.transfer_read %[[ROWS]]
  %w = vector.transfer_read %rows[%i, %c0], %pad : memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>, vector<4xf32>
  // The extent is the table's.
  // CHECK: carousel.rows %{{.*}}[%{{.*}}] : memref<4x8xf32, #gpu.address_space<global>>, memref<6xi64, strided<[3]>, #gpu.address_space<global>>
  // CHECK: vector.transfer_write %{{.*}} : vector<4xf32>, memref<6x8xf32, #gpu.address_space<global>>
  %more = carousel.rows %few[%six] : memref<4x8xf32, #gl>, memref<6xi64, strided<[3]>, #gl>
  vector.transfer_write %v, %more[%i, %c0] : vector<4xf32>, memref<6x8xf32, #gl>
  // Writes that add.
  // CHECK: %[[SUMS:.*]] = carousel.rows %{{.*}}[%{{.*}}] reduce<add f32> : memref<?x?xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>>, memref<?xi32, #gpu.address_space<global>>
  // CHECK: carousel.store %{{.*}} to %[[SUMS]][%{{.*}}, %{{.*}}] reduce<add f32>
  // CHECK: vector.transfer_write %{{.*}}, %[[SUMS]]
  %sums = carousel.rows %x[%n] reduce<add f32> : memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>, memref<?xi32, #gl>
  carousel.store %tile to %sums[%i, %c0] reduce<add f32> : memref<4x8xf32, #ws>, memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
  vector.transfer_write %v, %sums[%i, %c0] : vector<4xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
  // Elements of one dimension may have gaps.
  // CHECK: carousel.rows %{{.*}}[%{{.*}}] : memref<?xf32, strided<[2]>
  %elements = carousel.rows %line[%n] : memref<?xf32, strided<[2]>, #gl>, memref<?xi32, #gl>
  %count = memref.dim %elements, %c0 : memref<?xf32, strided<[2]>, #gl>
  return %count : index
}
