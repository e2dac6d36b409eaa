// Every kind of product that a warpgroup has: factors, sums, signs, layouts, widths.
// wgmma-compile.test compiles the text.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!f16 = !carousel.matrix_descriptor<f16, k>
!f16_mn = !carousel.matrix_descriptor<f16, mn>
!bf16 = !carousel.matrix_descriptor<bf16, k>
!bf16_mn = !carousel.matrix_descriptor<bf16, mn>
!tf32 = !carousel.matrix_descriptor<f32, k>
!e4m3 = !carousel.matrix_descriptor<f8E4M3FN, k>
!e5m2 = !carousel.matrix_descriptor<f8E5M2, k>
!i8 = !carousel.matrix_descriptor<i8, k>
!f16_rows = !carousel.wgmma_registers<vector<4x2xf16>>
!bf16_rows = !carousel.wgmma_registers<vector<4x2xbf16>>
!tf32_rows = !carousel.wgmma_registers<vector<4x1xf32>>
!e5m2_rows = !carousel.wgmma_registers<vector<4x4xf8E5M2>>
!i8_rows = !carousel.wgmma_registers<vector<4x4xi8>>

gpu.module @forms {
  // Floats, with sums of f32.
  // CHECK-LABEL: void sums_f32(
  gpu.func @sums_f32(%y: memref<?xf32, #gl>, %more: i1)
      workgroup(%f16_tile: memref<2x256x8xf16, #ws> {llvm.align = 128 : i64}, %bf16_tile: memref<2x256x8xbf16, #ws> {llvm.align = 128 : i64}, %tf32_tile: memref<2x256x4xf32, #ws> {llvm.align = 128 : i64}, %e4m3_tile: memref<2x256x16xf8E4M3FN, #ws> {llvm.align = 128 : i64}, %e5m2_tile: memref<2x256x16xf8E5M2, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %f16 = carousel.wgmma.descriptor %f16_tile[%c0, %c0, %c0] : memref<2x256x8xf16, #ws> to !f16
    %f16_mn = carousel.wgmma.descriptor %f16_tile[%c0, %c0, %c0] : memref<2x256x8xf16, #ws> to !f16_mn
    %bf16 = carousel.wgmma.descriptor %bf16_tile[%c0, %c0, %c0] : memref<2x256x8xbf16, #ws> to !bf16
    %bf16_mn = carousel.wgmma.descriptor %bf16_tile[%c0, %c0, %c0] : memref<2x256x8xbf16, #ws> to !bf16_mn
    %tf32 = carousel.wgmma.descriptor %tf32_tile[%c0, %c0, %c0] : memref<2x256x4xf32, #ws> to !tf32
    %e4m3 = carousel.wgmma.descriptor %e4m3_tile[%c0, %c0, %c0] : memref<2x256x16xf8E4M3FN, #ws> to !e4m3
    %e5m2 = carousel.wgmma.descriptor %e5m2_tile[%c0, %c0, %c0] : memref<2x256x16xf8E5M2, #ws> to !e5m2
    %undefined0 = ub.poison : vector<1x2x2xf32>
    %s0 = carousel.wgmma.fence(%undefined0) : vector<1x2x2xf32>
    %s1 = carousel.wgmma.mma %f16, %f16, %s0 scale(%more) : !f16, !f16, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s2 = carousel.wgmma.mma %f16_mn, %f16, %s1 : !f16_mn, !f16, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s3 = carousel.wgmma.mma %f16, %f16_mn, %s2 : !f16, !f16_mn, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s4 = carousel.wgmma.mma %f16_mn, %f16_mn, %s3 negate_a : !f16_mn, !f16_mn, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s5 = carousel.wgmma.mma %bf16, %bf16, %s4 negate_b : !bf16, !bf16, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s6 = carousel.wgmma.mma %bf16_mn, %bf16_mn, %s5 negate_a negate_b : !bf16_mn, !bf16_mn, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s7 = carousel.wgmma.mma %tf32, %tf32, %s6 scale(%more) : !tf32, !tf32, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s8 = carousel.wgmma.mma %tf32, %tf32, %s7 negate_b : !tf32, !tf32, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s9 = carousel.wgmma.mma %e4m3, %e4m3, %s8 : !e4m3, !e4m3, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s10 = carousel.wgmma.mma %e4m3, %e5m2, %s9 : !e4m3, !e5m2, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s11 = carousel.wgmma.mma %e5m2, %e4m3, %s10 negate_a : !e5m2, !e4m3, !carousel.wgmma_registers<vector<1x2x2xf32>>
    %s12 = carousel.wgmma.mma %e5m2, %e5m2, %s11 : !e5m2, !e5m2, !carousel.wgmma_registers<vector<1x2x2xf32>>
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %s12 : !carousel.wgmma_registers<vector<1x2x2xf32>>
    %element = vector.extract %product[0, 1, 0] : f32 from vector<1x2x2xf32>
    memref.store %element, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  // The first factor in registers.
  // CHECK-LABEL: void rows_f32(
  gpu.func @rows_f32(%y: memref<?xf32, #gl>, %more: i1)
      workgroup(%f16_tile: memref<2x256x8xf16, #ws> {llvm.align = 128 : i64}, %bf16_tile: memref<2x256x8xbf16, #ws> {llvm.align = 128 : i64}, %tf32_tile: memref<2x256x4xf32, #ws> {llvm.align = 128 : i64}, %e4m3_tile: memref<2x256x16xf8E4M3FN, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %f16 = carousel.wgmma.descriptor %f16_tile[%c0, %c0, %c0] : memref<2x256x8xf16, #ws> to !f16
    %f16_mn = carousel.wgmma.descriptor %f16_tile[%c0, %c0, %c0] : memref<2x256x8xf16, #ws> to !f16_mn
    %bf16_mn = carousel.wgmma.descriptor %bf16_tile[%c0, %c0, %c0] : memref<2x256x8xbf16, #ws> to !bf16_mn
    %tf32 = carousel.wgmma.descriptor %tf32_tile[%c0, %c0, %c0] : memref<2x256x4xf32, #ws> to !tf32
    %e4m3 = carousel.wgmma.descriptor %e4m3_tile[%c0, %c0, %c0] : memref<2x256x16xf8E4M3FN, #ws> to !e4m3
    %undefined0 = ub.poison : vector<3x2x2xf32>
    %undefined1 = ub.poison : vector<4x2xf16>
    %undefined2 = ub.poison : vector<4x2xbf16>
    %undefined3 = ub.poison : vector<4x1xf32>
    %undefined4 = ub.poison : vector<4x4xf8E5M2>
    %s0, %f16_rows, %bf16_rows, %tf32_rows, %e5m2_rows = carousel.wgmma.fence(%undefined0, %undefined1, %undefined2, %undefined3, %undefined4) : vector<3x2x2xf32>, vector<4x2xf16>, vector<4x2xbf16>, vector<4x1xf32>, vector<4x4xf8E5M2>
    %s1 = carousel.wgmma.mma %f16_rows, %f16, %s0 scale(%more) : !f16_rows, !f16, !carousel.wgmma_registers<vector<3x2x2xf32>>
    %s2 = carousel.wgmma.mma %f16_rows, %f16_mn, %s1 negate_a : !f16_rows, !f16_mn, !carousel.wgmma_registers<vector<3x2x2xf32>>
    %s3 = carousel.wgmma.mma %bf16_rows, %bf16_mn, %s2 : !bf16_rows, !bf16_mn, !carousel.wgmma_registers<vector<3x2x2xf32>>
    %s4 = carousel.wgmma.mma %tf32_rows, %tf32, %s3 : !tf32_rows, !tf32, !carousel.wgmma_registers<vector<3x2x2xf32>>
    %s5 = carousel.wgmma.mma %e5m2_rows, %e4m3, %s4 negate_b : !e5m2_rows, !e4m3, !carousel.wgmma_registers<vector<3x2x2xf32>>
    carousel.wgmma.commit
    carousel.wgmma.wait 0, %f16_rows, %bf16_rows, %tf32_rows, %e5m2_rows : !f16_rows, !bf16_rows, !tf32_rows, !e5m2_rows
    %product = carousel.wgmma.wait 0, %s5 : !carousel.wgmma_registers<vector<3x2x2xf32>>
    %element = vector.extract %product[0, 1, 0] : f32 from vector<3x2x2xf32>
    memref.store %element, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  // Sums of f16 are two in a register.
  // CHECK-LABEL: void sums_f16(
  gpu.func @sums_f16(%y: memref<?xf16, #gl>, %more: i1)
      workgroup(%f16_tile: memref<2x256x8xf16, #ws> {llvm.align = 128 : i64}, %e4m3_tile: memref<2x256x16xf8E4M3FN, #ws> {llvm.align = 128 : i64}, %e5m2_tile: memref<2x256x16xf8E5M2, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %f16 = carousel.wgmma.descriptor %f16_tile[%c0, %c0, %c0] : memref<2x256x8xf16, #ws> to !f16
    %f16_mn = carousel.wgmma.descriptor %f16_tile[%c0, %c0, %c0] : memref<2x256x8xf16, #ws> to !f16_mn
    %e4m3 = carousel.wgmma.descriptor %e4m3_tile[%c0, %c0, %c0] : memref<2x256x16xf8E4M3FN, #ws> to !e4m3
    %e5m2 = carousel.wgmma.descriptor %e5m2_tile[%c0, %c0, %c0] : memref<2x256x16xf8E5M2, #ws> to !e5m2
    %undefined0 = ub.poison : vector<3x2x2xf16>
    %undefined1 = ub.poison : vector<4x2xf16>
    %undefined2 = ub.poison : vector<4x4xf8E5M2>
    %s0, %f16_rows, %e5m2_rows = carousel.wgmma.fence(%undefined0, %undefined1, %undefined2) : vector<3x2x2xf16>, vector<4x2xf16>, vector<4x4xf8E5M2>
    %s1 = carousel.wgmma.mma %f16, %f16, %s0 scale(%more) : !f16, !f16, !carousel.wgmma_registers<vector<3x2x2xf16>>
    %s2 = carousel.wgmma.mma %f16_mn, %f16_mn, %s1 negate_b : !f16_mn, !f16_mn, !carousel.wgmma_registers<vector<3x2x2xf16>>
    %s3 = carousel.wgmma.mma %e4m3, %e4m3, %s2 : !e4m3, !e4m3, !carousel.wgmma_registers<vector<3x2x2xf16>>
    %s4 = carousel.wgmma.mma %e4m3, %e5m2, %s3 : !e4m3, !e5m2, !carousel.wgmma_registers<vector<3x2x2xf16>>
    %s5 = carousel.wgmma.mma %e5m2, %e4m3, %s4 : !e5m2, !e4m3, !carousel.wgmma_registers<vector<3x2x2xf16>>
    %s6 = carousel.wgmma.mma %e5m2, %e5m2, %s5 : !e5m2, !e5m2, !carousel.wgmma_registers<vector<3x2x2xf16>>
    %s7 = carousel.wgmma.mma %f16_rows, %f16_mn, %s6 : !f16_rows, !f16_mn, !carousel.wgmma_registers<vector<3x2x2xf16>>
    %s8 = carousel.wgmma.mma %e5m2_rows, %e5m2, %s7 negate_a : !e5m2_rows, !e5m2, !carousel.wgmma_registers<vector<3x2x2xf16>>
    carousel.wgmma.commit
    carousel.wgmma.wait 0, %f16_rows, %e5m2_rows : !f16_rows, !e5m2_rows
    %product = carousel.wgmma.wait 0, %s8 : !carousel.wgmma_registers<vector<3x2x2xf16>>
    %element = vector.extract %product[0, 1, 0] : f16 from vector<3x2x2xf16>
    memref.store %element, %y[%c0] : memref<?xf16, #gl>
    gpu.return
  }

  // Integers, signed or not, whose sums wrap or saturate.
  // CHECK-LABEL: void sums_i32(
  gpu.func @sums_i32(%y: memref<?xi32, #gl>, %more: i1)
      workgroup(%i8_tile: memref<2x256x16xi8, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %i8 = carousel.wgmma.descriptor %i8_tile[%c0, %c0, %c0] : memref<2x256x16xi8, #ws> to !i8
    %undefined0 = ub.poison : vector<1x2x2xi32>
    %undefined1 = ub.poison : vector<4x4xi8>
    %s0, %i8_rows = carousel.wgmma.fence(%undefined0, %undefined1) : vector<1x2x2xi32>, vector<4x4xi8>
    %s1 = carousel.wgmma.mma %i8, %i8, %s0 scale(%more) : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s2 = carousel.wgmma.mma %i8, %i8, %s1 unsigned_a : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s3 = carousel.wgmma.mma %i8, %i8, %s2 unsigned_b : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s4 = carousel.wgmma.mma %i8, %i8, %s3 unsigned_a unsigned_b : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s5 = carousel.wgmma.mma %i8, %i8, %s4 saturate : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s6 = carousel.wgmma.mma %i8, %i8, %s5 unsigned_a saturate : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s7 = carousel.wgmma.mma %i8, %i8, %s6 unsigned_b saturate : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s8 = carousel.wgmma.mma %i8, %i8, %s7 unsigned_a unsigned_b saturate : !i8, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s9 = carousel.wgmma.mma %i8_rows, %i8, %s8 : !i8_rows, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    %s10 = carousel.wgmma.mma %i8_rows, %i8, %s9 unsigned_a saturate : !i8_rows, !i8, !carousel.wgmma_registers<vector<1x2x2xi32>>
    carousel.wgmma.commit
    carousel.wgmma.wait 0, %i8_rows : !i8_rows
    %product = carousel.wgmma.wait 0, %s10 : !carousel.wgmma_registers<vector<1x2x2xi32>>
    %element = vector.extract %product[0, 1, 0] : i32 from vector<1x2x2xi32>
    memref.store %element, %y[%c0] : memref<?xi32, #gl>
    gpu.return
  }

  // The widest ones.
  // CHECK-LABEL: void wide_f32(
  gpu.func @wide_f32(%y: memref<?xf32, #gl>, %more: i1)
      workgroup(%bf16_tile: memref<2x256x8xbf16, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %bf16 = carousel.wgmma.descriptor %bf16_tile[%c0, %c0, %c0] : memref<2x256x8xbf16, #ws> to !bf16
    %undefined0 = ub.poison : vector<32x2x2xf32>
    %undefined1 = ub.poison : vector<4x2xbf16>
    %s0, %bf16_rows = carousel.wgmma.fence(%undefined0, %undefined1) : vector<32x2x2xf32>, vector<4x2xbf16>
    %s1 = carousel.wgmma.mma %bf16, %bf16, %s0 scale(%more) : !bf16, !bf16, !carousel.wgmma_registers<vector<32x2x2xf32>>
    %s2 = carousel.wgmma.mma %bf16_rows, %bf16, %s1 : !bf16_rows, !bf16, !carousel.wgmma_registers<vector<32x2x2xf32>>
    carousel.wgmma.commit
    carousel.wgmma.wait 0, %bf16_rows : !bf16_rows
    %product = carousel.wgmma.wait 0, %s2 : !carousel.wgmma_registers<vector<32x2x2xf32>>
    %element = vector.extract %product[0, 1, 0] : f32 from vector<32x2x2xf32>
    memref.store %element, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  // The same with sums of f16.
  // CHECK-LABEL: void wide_f16(
  gpu.func @wide_f16(%y: memref<?xf16, #gl>, %more: i1)
      workgroup(%f16_tile: memref<2x256x8xf16, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %f16 = carousel.wgmma.descriptor %f16_tile[%c0, %c0, %c0] : memref<2x256x8xf16, #ws> to !f16
    %undefined0 = ub.poison : vector<32x2x2xf16>
    %s0 = carousel.wgmma.fence(%undefined0) : vector<32x2x2xf16>
    %s1 = carousel.wgmma.mma %f16, %f16, %s0 : !f16, !f16, !carousel.wgmma_registers<vector<32x2x2xf16>>
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %s1 : !carousel.wgmma_registers<vector<32x2x2xf16>>
    %element = vector.extract %product[0, 1, 0] : f16 from vector<32x2x2xf16>
    memref.store %element, %y[%c0] : memref<?xf16, #gl>
    gpu.return
  }

  // The same of integers.
  // CHECK-LABEL: void wide_i32(
  gpu.func @wide_i32(%y: memref<?xi32, #gl>, %more: i1)
      workgroup(%i8_tile: memref<2x256x16xi8, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %i8 = carousel.wgmma.descriptor %i8_tile[%c0, %c0, %c0] : memref<2x256x16xi8, #ws> to !i8
    %undefined0 = ub.poison : vector<32x2x2xi32>
    %s0 = carousel.wgmma.fence(%undefined0) : vector<32x2x2xi32>
    %s1 = carousel.wgmma.mma %i8, %i8, %s0 : !i8, !i8, !carousel.wgmma_registers<vector<32x2x2xi32>>
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %s1 : !carousel.wgmma_registers<vector<32x2x2xi32>>
    %element = vector.extract %product[0, 1, 0] : i32 from vector<32x2x2xi32>
    memref.store %element, %y[%c0] : memref<?xi32, #gl>
    gpu.return
  }

  // Integers of 24 columns; there are none of 40.
  // CHECK-LABEL: void wider_i32(
  gpu.func @wider_i32(%y: memref<?xi32, #gl>, %more: i1)
      workgroup(%i8_tile: memref<2x256x16xi8, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %i8 = carousel.wgmma.descriptor %i8_tile[%c0, %c0, %c0] : memref<2x256x16xi8, #ws> to !i8
    %undefined0 = ub.poison : vector<3x2x2xi32>
    %s0 = carousel.wgmma.fence(%undefined0) : vector<3x2x2xi32>
    %s1 = carousel.wgmma.mma %i8, %i8, %s0 : !i8, !i8, !carousel.wgmma_registers<vector<3x2x2xi32>>
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %s1 : !carousel.wgmma_registers<vector<3x2x2xi32>>
    %element = vector.extract %product[0, 1, 0] : i32 from vector<3x2x2xi32>
    memref.store %element, %y[%c0] : memref<?xi32, #gl>
    gpu.return
  }
}
