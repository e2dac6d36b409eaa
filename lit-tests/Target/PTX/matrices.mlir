// Matrix instructions of a warp, as PTX and as CUDA C++; bf16 by a pattern of our own.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_80 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-cuda --chip=sm_80 %s | FileCheck %s --check-prefix=CUDA

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @matrices {
  // CHECK-LABEL: .entry bf16_products(
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
  // CUDA: #include <carousel/device/matrix.h>
  // CUDA-LABEL: bf16_products
  // CUDA: carousel::ldmatrix<4, false>(
  // CUDA: carousel::ldmatrix<2, true>(
  // CUDA: carousel::vec<float, 4> {{.*}}carousel::mma_sync(
  gpu.func @bf16_products(%x: memref<4xf32, #gl>)
      workgroup(%as: memref<16x16xbf16, #ws> {llvm.align = 16 : i64}, %bs: memref<16x8xbf16, #ws> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %lane = gpu.lane_id
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %a = nvgpu.ldmatrix %as[%lane, %c0] {numTiles = 4 : i32, transpose = false} : memref<16x16xbf16, #ws> -> vector<4x2xbf16>
    %b = nvgpu.ldmatrix %bs[%lane, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x8xbf16, #ws> -> vector<2x2xbf16>
    %d = nvgpu.mma.sync (%a, %b, %zero) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %row = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %row, %x[%c0] : memref<4xf32, #gl>, vector<2xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry f16_products(
  // CHECK: ldmatrix.sync.aligned.m8n8.x2.shared.b16
  // CHECK: ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16
  // CHECK: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16
  // CUDA-LABEL: f16_products
  // CUDA: carousel::ldmatrix<2, false>(
  // CUDA: carousel::ldmatrix<1, true>(
  // CUDA: carousel::vec<carousel::f16, 4> {{.*}}carousel::mma_sync(
  gpu.func @f16_products(%x: memref<4xf16, #gl>)
      workgroup(%as: memref<16x8xf16, #ws> {llvm.align = 16 : i64}, %bs: memref<8x8xf16, #ws> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %lane = gpu.lane_id
    %zero = arith.constant dense<0.0> : vector<2x2xf16>
    %a = nvgpu.ldmatrix %as[%lane, %c0] {numTiles = 2 : i32, transpose = false} : memref<16x8xf16, #ws> -> vector<2x2xf16>
    %b = nvgpu.ldmatrix %bs[%lane, %c0] {numTiles = 1 : i32, transpose = true} : memref<8x8xf16, #ws> -> vector<1x2xf16>
    %d = nvgpu.mma.sync (%a, %b, %zero) {mmaShape = [16, 8, 8]} : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    %row = vector.extract %d[0] : vector<2xf16> from vector<2x2xf16>
    vector.store %row, %x[%c0] : memref<4xf16, #gl>, vector<2xf16>
    gpu.return
  }
}
