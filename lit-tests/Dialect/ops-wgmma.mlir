// Round trip of a warpgroup's products in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>

!sums = !carousel.wgmma_registers<vector<32x2x2xf32>>

// CHECK-LABEL: func @descriptors
// DOC-EXAMPLE: carousel.wgmma.descriptor
func.func @descriptors(%tile: memref<4x128x64xbf16, #ws>, %narrow: memref<8x64x16xi8, #ws>,
                       %rows: memref<64x8xf32, strided<[16, 1], offset: ?>, #ws>, %slot: index, %k: index) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.wgmma.descriptor %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] swizzle(b128) : memref<4x128x64xbf16, #gpu.address_space<workgroup>> to !carousel.matrix_descriptor<bf16, k>
  %0 = carousel.wgmma.descriptor %tile[%slot, %c0, %k] swizzle(b128)
      : memref<4x128x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, k>
  // CHECK: to !carousel.matrix_descriptor<bf16, mn>
  %1 = carousel.wgmma.descriptor %tile[%slot, %c0, %k] swizzle(b128)
      : memref<4x128x64xbf16, #ws> to !carousel.matrix_descriptor<bf16, mn>
  // CHECK: carousel.wgmma.descriptor %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : memref<8x64x16xi8
  %2 = carousel.wgmma.descriptor %narrow[%slot, %c0, %c0]
      : memref<8x64x16xi8, #ws> to !carousel.matrix_descriptor<i8, k>
  // CHECK: swizzle(b64)
  %3 = carousel.wgmma.descriptor %rows[%c0, %c0] swizzle(b64)
      : memref<64x8xf32, strided<[16, 1], offset: ?>, #ws> to !carousel.matrix_descriptor<f32, k>
  return
}

// CHECK-LABEL: func @tiles
// DOC-EXAMPLE: carousel.multiply
func.func @tiles(%x: memref<128x64xbf16, #ws>, %w: memref<64x256xbf16, #ws>, %v: memref<64x128xbf16, #ws>,
                 %sums: vector<1x32x2x2xf32>, %row: index) -> vector<1x32x2x2xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.multiply %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x256xbf16, #gpu.address_space<workgroup>>, vector<1x32x2x2xf32>
  %0 = carousel.multiply %x[%row], %w[%c0], %sums
      : memref<128x64xbf16, #ws>, memref<64x256xbf16, #ws>, vector<1x32x2x2xf32>
  // CHECK: carousel.multiply %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} transpose_a {swizzle_a = #carousel.swizzle<b128>}
  %1 = carousel.multiply %v[%row], %w[%c0], %0 transpose_a {swizzle_a = #carousel.swizzle<b128>}
      : memref<64x128xbf16, #ws>, memref<64x256xbf16, #ws>, vector<1x32x2x2xf32>
  return %1 : vector<1x32x2x2xf32>
}

// Rows of a tile are those of all dimensions but the last.
// CHECK-LABEL: func @boxes
func.func @boxes(%x: memref<8x16x64xbf16, #ws>, %w: memref<4x16x256xbf16, #ws>, %sums: vector<1x32x2x2xf32>, %row: index)
    -> vector<1x32x2x2xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.multiply %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} : memref<8x16x64xbf16, #gpu.address_space<workgroup>>, memref<4x16x256xbf16, #gpu.address_space<workgroup>>, vector<1x32x2x2xf32>
  %0 = carousel.multiply %x[%row], %w[%c0], %sums
      : memref<8x16x64xbf16, #ws>, memref<4x16x256xbf16, #ws>, vector<1x32x2x2xf32>
  return %0 : vector<1x32x2x2xf32>
}

// CHECK-LABEL: func @fragments
func.func @fragments(%a: vector<1x4x4x2xbf16>, %w: memref<64x256xbf16, #ws>, %sums: vector<1x32x2x2xf32>)
    -> vector<1x32x2x2xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.multiply %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : vector<1x4x4x2xbf16>, memref<64x256xbf16, #gpu.address_space<workgroup>>, vector<1x32x2x2xf32>
  %0 = carousel.multiply %a, %w[%c0], %sums
      : vector<1x4x4x2xbf16>, memref<64x256xbf16, #ws>, vector<1x32x2x2xf32>
  return %0 : vector<1x32x2x2xf32>
}

// CHECK-LABEL: func @promoted
func.func @promoted(%x: memref<64x256xf8E4M3FN, #ws>, %w: memref<64x256xf8E5M2, #ws>, %sums: vector<1x8x2x2xf32>)
    -> vector<1x8x2x2xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.multiply %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} transpose_b promote(128) : memref<64x256xf8E4M3FN,
  %0 = carousel.multiply %x[%c0], %w[%c0], %sums transpose_b promote(128)
      : memref<64x256xf8E4M3FN, #ws>, memref<64x256xf8E5M2, #ws>, vector<1x8x2x2xf32>
  return %0 : vector<1x8x2x2xf32>
}

// CHECK-LABEL: func @products
// DOC-EXAMPLE: carousel.wgmma.mma
// DOC-EXAMPLE: carousel.wgmma.fence
// DOC-EXAMPLE: carousel.wgmma.wait
// DOC-EXAMPLE: carousel.wgmma.commit
func.func @products(%a: !carousel.matrix_descriptor<bf16, k>, %b: !carousel.matrix_descriptor<bf16, mn>,
                    %zero: vector<32x2x2xf32>, %factor: vector<4x2xbf16>, %accumulate: i1) -> vector<32x2x2xf32> {
  // CHECK: %[[SUMS:.*]] = carousel.wgmma.fence(%{{.*}}) : vector<32x2x2xf32>
  %sums = carousel.wgmma.fence(%zero) : vector<32x2x2xf32>
  // CHECK: %{{.*}} = carousel.wgmma.fence(%{{.*}}) : vector<4x2xbf16>
  %registers = carousel.wgmma.fence(%factor) : vector<4x2xbf16>
  // CHECK: carousel.wgmma.fence{{$}}
  carousel.wgmma.fence
  // CHECK: carousel.wgmma.mma %{{.*}}, %{{.*}}, %[[SUMS]] scale(%{{.*}}) : !carousel.matrix_descriptor<bf16, k>, !carousel.matrix_descriptor<bf16, mn>, !carousel.wgmma_registers<vector<32x2x2xf32>>
  %0 = carousel.wgmma.mma %a, %b, %sums scale(%accumulate)
      : !carousel.matrix_descriptor<bf16, k>, !carousel.matrix_descriptor<bf16, mn>, !sums
  // CHECK: carousel.wgmma.mma %{{.*}}, %{{.*}}, %{{.*}} negate_a negate_b : !carousel.wgmma_registers<vector<4x2xbf16>>
  %1 = carousel.wgmma.mma %registers, %b, %0 negate_a negate_b
      : !carousel.wgmma_registers<vector<4x2xbf16>>, !carousel.matrix_descriptor<bf16, mn>, !sums
  // CHECK: carousel.wgmma.commit
  carousel.wgmma.commit
  // CHECK: carousel.wgmma.wait 1{{$}}
  carousel.wgmma.wait 1
  // CHECK: carousel.wgmma.wait 0, %{{.*}} : !carousel.wgmma_registers<vector<32x2x2xf32>>
  %product = carousel.wgmma.wait 0, %1 : !sums
  return %product : vector<32x2x2xf32>
}

// CHECK-LABEL: func @integers
func.func @integers(%a: !carousel.matrix_descriptor<i8, k>, %b: !carousel.matrix_descriptor<i8, k>,
                    %sums: !carousel.wgmma_registers<vector<1x2x2xi32>>) {
  // CHECK: carousel.wgmma.mma %{{.*}}, %{{.*}}, %{{.*}} unsigned_a unsigned_b saturate :
  %0 = carousel.wgmma.mma %a, %b, %sums unsigned_a unsigned_b saturate
      : !carousel.matrix_descriptor<i8, k>, !carousel.matrix_descriptor<i8, k>,
        !carousel.wgmma_registers<vector<1x2x2xi32>>
  return
}

// CHECK-LABEL: func @float8
func.func @float8(%a: !carousel.matrix_descriptor<f8E4M3FN, k>, %b: !carousel.matrix_descriptor<f8E5M2, k>,
                  %sums: !carousel.wgmma_registers<vector<3x2x2xf16>>) {
  // CHECK: carousel.wgmma.mma %{{.*}} : !carousel.matrix_descriptor<f8E4M3FN, k>, !carousel.matrix_descriptor<f8E5M2, k>
  %0 = carousel.wgmma.mma %a, %b, %sums
      : !carousel.matrix_descriptor<f8E4M3FN, k>, !carousel.matrix_descriptor<f8E5M2, k>,
        !carousel.wgmma_registers<vector<3x2x2xf16>>
  return
}

// Bytes hold floats.
// CHECK-LABEL: func @bytes
func.func @bytes(%tile: memref<64x128xi8, #ws>, %a: !carousel.wgmma_registers<vector<4x4xi8>>,
                 %sums: !carousel.wgmma_registers<vector<1x2x2xf32>>) {
  %c0 = arith.constant 0 : index
  %b = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128)
      : memref<64x128xi8, #ws> to !carousel.matrix_descriptor<f8E4M3FN, k>
  // CHECK: carousel.wgmma.mma %{{.*}} {a_type = f8E5M2} : !carousel.wgmma_registers<vector<4x4xi8>>
  %0 = carousel.wgmma.mma %a, %b, %sums {a_type = f8E5M2}
      : !carousel.wgmma_registers<vector<4x4xi8>>, !carousel.matrix_descriptor<f8E4M3FN, k>,
        !carousel.wgmma_registers<vector<1x2x2xf32>>
  return
}
