// Tiles whose rows aren't granules of 16 bytes become wider, so that engines load them.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-pad-tiles))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-pad-tiles,carousel-pad-tiles))' | FileCheck %s
// RUN: carousel-opt %S/Inputs/stencil.mlir --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' | FileCheck %s --check-prefix=LOWERED
// LOWERED: !carousel.tensor_map<18x72xf32
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-pad-tiles))' \
// RUN:   --remarks-filter=carousel-pad-tiles --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: rows of 264 bytes padded to 288, 12 of them before
// REMARK: rows of 36 bytes padded to 48, 0 of them before
// REMARK: rows of 264 bytes padded to 288, 12 of them before
// REMARK: not padded: loads that begin 3 and 0 elements past a multiple of 4
// REMARK: not padded: a store of the tile, which would write the padding
// REMARK: not padded: a load from memory that the kernel may write
// REMARK: not padded: a load of whole rows, which may be one piece
// REMARK: not padded: an access aligned to 16 bytes, where rows begin 0 bytes later and are 8 bytes further apart
// REMARK: not padded: a use by memref.collapse_shape

// The same sums before and after, at all edges.
// RUN: carousel-sim %S/Inputs/stencil.mlir --kernel @stencil --arg x=random:40x140 --arg y=empty:40x140 --out y=%t.npy
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %S/Inputs/stencil.mlir \
// RUN:   -- --kernel @stencil --arg x=random:40x140 --arg y=empty:40x140 --expect y=%t.npy --policy all --schedules 1
// RUN: carousel-sim %S/Inputs/stencil.mlir --kernel @stencil --arg x=random:33x127@128x1 --arg y=empty:33x127 --out y=%t.odd.npy
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %S/Inputs/stencil.mlir \
// RUN:   -- --kernel @stencil --arg x=random:33x127@128x1 --arg y=empty:33x127 --expect y=%t.odd.npy --policy all --schedules 1

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!halo = memref<18x66xf32, #ws>

gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  // From an element before a multiple of 16 bytes: three more elements on the left, three on the right.
  // CHECK-LABEL: gpu.func @both_ends
  // DOC-EXAMPLE: --carousel-pad-tiles
  gpu.func @both_ends(%x: !matrix, %k: index, %r: index, %c: index) kernel {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %column = arith.muli %k, %c64 : index
    // CHECK: %[[COLUMN:.*]] = arith.muli
    %left = arith.subi %column, %c1 : index
    // CHECK: %[[TILE:.*]] = memref.alloc() : memref<18x72xf32
    %t = memref.alloc() : !halo
    // CHECK: %[[MINUS:.*]] = arith.constant -4
    // CHECK: %[[BEGIN:.*]] = arith.addi %[[COLUMN]], %[[MINUS]]
    // CHECK: carousel.load %{{.*}}[%{{.*}}, %[[BEGIN]]] to %[[TILE]] :
    carousel.load %x[%r, %left] to %t in_bounds : !matrix, !halo
    // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %c3
    // CHECK: memref.load %[[TILE]][%{{.*}}, %[[AT]]]
    %v = memref.load %t[%r, %c] : !halo
    // CHECK: memref.store %{{.*}}, %[[TILE]][%{{.*}}, %{{.*}}]
    memref.store %v, %t[%r, %c] : !halo
    gpu.return
  }

  // At the end only: the load's begin isn't known to be near a multiple.
  // CHECK-LABEL: gpu.func @end
  gpu.func @end(%x: memref<?x?xbf16, #gl>, %r: index, %c: index) kernel {
    // CHECK: memref.alloc() : memref<4x24xbf16
    // CHECK: carousel.load %{{.*}}[%[[ROW:.*]], %[[COLUMN:.*]]] to
    // CHECK: vector.load %{{.*}}[%[[ROW]], %[[COLUMN]]] {alignment = 4
    %t = memref.alloc() : memref<4x18xbf16, #ws>
    carousel.load %x[%r, %c] to %t : memref<?x?xbf16, #gl>, memref<4x18xbf16, #ws>
    %v = vector.load %t[%r, %c] {alignment = 4 : i64} : memref<4x18xbf16, #ws>, vector<2xbf16>
    vector.store %v, %t[%r, %c] {alignment = 4 : i64} : memref<4x18xbf16, #ws>, vector<2xbf16>
    gpu.return
  }

  // Parts of the tile stay the same elements.
  // CHECK-LABEL: gpu.func @parts
  gpu.func @parts(%x: !matrix, %k: index, %r: index, %c: index) kernel {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %column = arith.muli %k, %c64 : index
    %left = arith.subi %column, %c1 : index
    %t = memref.alloc() : !halo
    carousel.load %x[%r, %left] to %t : !matrix, !halo
    // CHECK: %[[AT:.*]] = arith.addi %[[C:.*]], %c3
    // CHECK: %[[PART:.*]] = memref.subview %{{.*}}[%{{.*}}, %[[AT]]] [2, 32] [1, 1] : memref<18x72xf32, {{.*}} to memref<2x32xf32, strided<[72, 1], offset: ?>
    %part = memref.subview %t[%r, %c] [2, 32] [1, 1] : !halo to memref<2x32xf32, strided<[66, 1], offset: ?>, #ws>
    // CHECK: %[[COLUMN:.*]] = memref.subview %[[PART]][0, 5] [2, 1] [1, 1] : {{.*}} to memref<2xf32, strided<[72], offset: ?>
    %second = memref.subview %part[0, 5] [2, 1] [1, 1] : memref<2x32xf32, strided<[66, 1], offset: ?>, #ws> to memref<2xf32, strided<[66], offset: ?>, #ws>
    // CHECK: memref.load %[[COLUMN]][%[[ROW:[a-z0-9]+]]]
    %v = memref.load %second[%r] : memref<2xf32, strided<[66], offset: ?>, #ws>
    // CHECK: memref.store %{{.*}}, %[[PART]][%[[ROW]], %[[C]]]
    memref.store %v, %part[%r, %c] : memref<2x32xf32, strided<[66, 1], offset: ?>, #ws>
    // CHECK: memref.subview %{{.*}}[0, 5] [18, 1] [1, 1] : {{.*}} to memref<18xf32, strided<[72], offset: 5>
    %first = memref.subview %t[0, 2] [18, 1] [1, 1] : !halo to memref<18xf32, strided<[66], offset: 2>, #ws>
    memref.store %v, %first[%r] : memref<18xf32, strided<[66], offset: 2>, #ws>
    gpu.return
  }

  // Two loads of one tile begin at different places in a granule.
  // CHECK-LABEL: gpu.func @different
  // CHECK: memref.alloc() : memref<18x66xf32
  gpu.func @different(%x: !matrix, %r: index) kernel {
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %t = memref.alloc() : !halo
    carousel.load %x[%r, %c3] to %t : !matrix, !halo
    carousel.load %x[%r, %c8] to %t : !matrix, !halo
    gpu.return
  }

  // A store would write the padding.
  // CHECK-LABEL: gpu.func @stored
  // CHECK: memref.alloc() : memref<18x66xf32
  gpu.func @stored(%x: !matrix, %y: !matrix, %r: index) kernel {
    %t = memref.alloc() : !halo
    carousel.load %x[%r, %r] to %t : !matrix, !halo
    carousel.store %t to %y[%r, %r] : !halo, !matrix
    gpu.return
  }

  // Other threads may write what the padding holds.
  // CHECK-LABEL: gpu.func @written
  // CHECK: memref.alloc() : memref<18x66xf32
  gpu.func @written(%x: !matrix, %r: index, %v: f32) kernel {
    %t = memref.alloc() : !halo
    carousel.load %x[%r, %r] to %t : !matrix, !halo
    memref.store %v, %x[%r, %r] : !matrix
    gpu.return
  }

  // Whole rows of the memref are one piece.
  // CHECK-LABEL: gpu.func @whole_rows
  // CHECK: memref.alloc() : memref<18x66xf32
  gpu.func @whole_rows(%x: memref<?x66xf32, #gl>, %r: index) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !halo
    carousel.load %x[%r, %c0] to %t : memref<?x66xf32, #gl>, !halo
    gpu.return
  }

  // An access whose alignment depends on the distance of rows, and one that can't be moved.
  // CHECK-LABEL: gpu.func @accesses
  // CHECK: memref.alloc() : memref<18x66xf32
  // CHECK: memref.alloc() : memref<18x66xf32
  gpu.func @accesses(%x: !matrix, %r: index) kernel {
    %t = memref.alloc() : !halo
    %u = memref.alloc() : !halo
    carousel.load %x[%r, %r] to %t : !matrix, !halo
    carousel.load %x[%r, %r] to %u : !matrix, !halo
    %v = vector.load %t[%r, %r] {alignment = 16 : i64} : !halo, vector<4xf32>
    vector.store %v, %t[%r, %r] {alignment = 16 : i64} : !halo, vector<4xf32>
    %flat = memref.collapse_shape %u [[0, 1]] : !halo into memref<1188xf32, #ws>
    gpu.return
  }

  // Rows of whole granules stay.
  // CHECK-LABEL: gpu.func @granules
  // CHECK: memref.alloc() : memref<18x68xf32
  gpu.func @granules(%x: !matrix, %r: index) kernel {
    %c3 = arith.constant 3 : index
    %t = memref.alloc() : memref<18x68xf32, #ws>
    carousel.load %x[%r, %c3] to %t : !matrix, memref<18x68xf32, #ws>
    gpu.return
  }
}
