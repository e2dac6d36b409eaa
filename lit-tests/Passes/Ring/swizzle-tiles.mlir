// Indices of swizzled tiles are permuted as the hardware permutes 16-byte chunks; tiles whose accesses can't be permuted aren't swizzled.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-swizzle-tiles,canonicalize))' | FileCheck %s
// RUN: carousel-sim %source_root/lit-tests/Passes/Ring/Inputs/transpose.mlir --kernel @transpose \
// RUN:   --arg x=random:64x128 --arg y=empty:128x64 --out y=%t.npy
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --chip sm_90a \
// RUN:   %source_root/lit-tests/Passes/Ring/Inputs/transpose.mlir -- --kernel @transpose \
// RUN:   --arg x=random:64x128 --arg y=empty:128x64 --expect y=%t.npy --policy all
// RUN: carousel-opt %source_root/lit-tests/Passes/Ring/Inputs/transpose.mlir \
// RUN:   --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: !carousel.tensor_map<32x32xf32, swizzle = b128

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!ring = !carousel.ring<2 x memref<16x32xf32, #ws>>
!halves = !carousel.ring<2 x memref<16x64xf16, #ws>>
!narrow = !carousel.ring<2 x memref<2x8x16xf32, #ws>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @rows_of_128_bytes
  gpu.func @rows_of_128_bytes(%x: memref<?x?xf32, #gl>, %map: !carousel.tensor_map<16x32xf32, swizzle = b128>,
                              %k: index, %r: index, %c: index) kernel {
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %slot = carousel.ring.tile %ring[%k], 0 : !ring -> memref<16x32xf32, #ws>
      carousel.ring.load %x[%r, %c] to %slot engine<tensor> map %map
          : memref<?x?xf32, #gl>, memref<16x32xf32, #ws>, !carousel.tensor_map<16x32xf32, swizzle = b128>
    }
    // CHECK: carousel.ring.load
    // CHECK: %[[TILE:.*]] = carousel.ring.tile
    // CHECK: %[[KEY:.*]] = arith.remui %[[ROW:.*]], %c8
    // CHECK: %[[PIECE:.*]] = arith.muli %[[KEY]], %c4
    // CHECK: %[[AT:.*]] = arith.xori %[[COLUMN:.*]], %[[PIECE]]
    // CHECK: memref.load %[[TILE]][%[[ROW]], %[[AT]]]
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> memref<16x32xf32, #ws>
    %v = memref.load %tile[%r, %c] : memref<16x32xf32, #ws>
    // CHECK: vector.store %{{.*}}, %[[TILE]][%[[ROW]], %{{.*}}] {alignment = 16
    %w = vector.broadcast %v : f32 to vector<4xf32>
    vector.store %w, %tile[%r, %c] {alignment = 16 : i64} : memref<16x32xf32, #ws>, vector<4xf32>
    gpu.return
  }

  // ldmatrix reads a piece at each address.
  // CHECK-LABEL: gpu.func @matrices
  // DOC-EXAMPLE: --carousel-swizzle-tiles
  gpu.func @matrices(%x: memref<?x?xf16, #gl>, %map: !carousel.tensor_map<16x64xf16, swizzle = b128>, %y: memref<2xf16, #gl>,
                     %k: index, %r: index, %c: index) kernel {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !halves
    carousel.ring.produce %ring[%k] : !halves {
      %slot = carousel.ring.tile %ring[%k], 0 : !halves -> memref<16x64xf16, #ws>
      carousel.ring.load %x[%r, %c] to %slot engine<tensor> map %map
          : memref<?x?xf16, #gl>, memref<16x64xf16, #ws>, !carousel.tensor_map<16x64xf16, swizzle = b128>
    }
    // CHECK: %[[KEY:.*]] = arith.remui %[[ROW:.*]], %c8
    // CHECK: %[[PIECE:.*]] = arith.muli %[[KEY]], %c8
    // CHECK: %[[AT:.*]] = arith.xori %[[COLUMN:.*]], %[[PIECE]]
    // CHECK: nvgpu.ldmatrix %{{.*}}[%[[ROW]], %[[AT]]]
    %tile = carousel.ring.tile %ring[%k], 0 : !halves -> memref<16x64xf16, #ws>
    %v = nvgpu.ldmatrix %tile[%r, %c] {numTiles = 1 : i32, transpose = true} : memref<16x64xf16, #ws> -> vector<1x2xf16>
    %row = vector.extract %v[0] : vector<2xf16> from vector<1x2xf16>
    vector.store %row, %y[%c0] : memref<2xf16, #gl>, vector<2xf16>
    gpu.return
  }

  // Two rows of 64 bytes share a key.
  // CHECK-LABEL: gpu.func @rows_of_64_bytes
  gpu.func @rows_of_64_bytes(%x: memref<?x?x?xf32, #gl>, %map: !carousel.tensor_map<2x8x16xf32, swizzle = b64>,
                             %k: index, %p: index, %r: index, %c: index) kernel {
    %ring = carousel.ring.create : !narrow
    carousel.ring.produce %ring[%k] : !narrow {
      %slot = carousel.ring.tile %ring[%k], 0 : !narrow -> memref<2x8x16xf32, #ws>
      carousel.ring.load %x[%p, %r, %c] to %slot engine<tensor> map %map
          : memref<?x?x?xf32, #gl>, memref<2x8x16xf32, #ws>, !carousel.tensor_map<2x8x16xf32, swizzle = b64>
    }
    // CHECK: arith.muli %{{.*}}, %c8
    // CHECK: %[[ROW:.*]] = arith.addi
    // CHECK: %[[PAIR:.*]] = arith.divui %[[ROW]], %c2
    // CHECK: arith.remui %[[PAIR]], %c4
    %tile = carousel.ring.tile %ring[%k], 0 : !narrow -> memref<2x8x16xf32, #ws>
    %v = memref.load %tile[%p, %r, %c] : memref<2x8x16xf32, #ws>
    memref.store %v, %tile[%p, %r, %c] : memref<2x8x16xf32, #ws>
    gpu.return
  }
}
