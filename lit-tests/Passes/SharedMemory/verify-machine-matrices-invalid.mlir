// RUN: carousel-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))'

#ws = #gpu.address_space<workgroup>

gpu.module @types {
  gpu.func @elements(%tile: memref<8x16xf8E4M3FN, #ws>, %i: index) {
    // expected-error @+1 {{expected elements of f16, bf16, f32, i8, i16 or i32, got 'f8E4M3FN'}}
    %a = nvgpu.ldmatrix %tile[%i, %i] {numTiles = 1 : i32, transpose = false} : memref<8x16xf8E4M3FN, #ws> -> vector<1x4xf8E4M3FN>
    gpu.return
  }
  gpu.func @rank(%tile: memref<f16, #ws>) {
    // expected-error @+1 {{expected a memref with rows, got 'memref<f16, #gpu.address_space<workgroup>>'}}
    %a = nvgpu.ldmatrix %tile[] {numTiles = 1 : i32, transpose = false} : memref<f16, #ws> -> vector<1x2xf16>
    gpu.return
  }
  gpu.func @three(%tile: memref<64x8xf16, #ws>, %i: index) {
    // expected-error @+1 {{expected 1, 2 or 4 matrices, got 3}}
    %a = nvgpu.ldmatrix %tile[%i, %i] {numTiles = 3 : i32, transpose = false} : memref<64x8xf16, #ws> -> vector<3x2xf16>
    gpu.return
  }
  gpu.func @halves(%a: vector<2x8xi4>, %b: vector<1x8xi4>, %c: vector<2x2xi32>) {
    // expected-error @+1 {{expected a product of f16, bf16, f32 or i8, got 'i4'}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 32]} : (vector<2x8xi4>, vector<1x8xi4>, vector<2x2xi32>) -> vector<2x2xi32>
    gpu.return
  }
  gpu.func @shape(%a: vector<1x4xi8>, %b: vector<1x4xi8>, %c: vector<1x2xi32>) {
    // expected-error @+1 {{expected a product m16n8k16 or m16n8k32, got m8n8k16}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [8, 8, 16]} : (vector<1x4xi8>, vector<1x4xi8>, vector<1x2xi32>) -> vector<1x2xi32>
    gpu.return
  }
  gpu.func @words(%a: vector<4x1xf32>, %b: vector<2x1xf32>, %c: vector<2x2xf32>) {
    // expected-error @+1 {{expected tf32Enabled on a product of f32, got none}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8]} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    gpu.return
  }
  gpu.func @integer_sums(%a: vector<2x4xi8>, %b: vector<1x4xi8>, %c: vector<2x2xf32>) {
    // expected-error @+1 {{expected sums of i32 for products of 'i8', got 'f32'}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<2x4xi8>, vector<1x4xi8>, vector<2x2xf32>) -> vector<2x2xf32>
    gpu.return
  }
  gpu.func @sums(%a: vector<4x2xbf16>, %b: vector<2x2xbf16>, %c: vector<2x2xbf16>) {
    // expected-error @+1 {{expected sums of f32 for products of 'bf16', got 'bf16'}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xbf16>) -> vector<2x2xbf16>
    gpu.return
  }
  gpu.func @result(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>) {
    // expected-error @+1 {{expected a result of 'vector<2x2xf32>' as the sums have it, got 'vector<2x2xf16>'}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf16>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

gpu.module @rows {
  gpu.func @attribution(%i: index) workgroup(%odd: memref<33xf16, #ws>, %tile: memref<8x8xf16, #ws>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected rows of ldmatrix aligned to 16 bytes, got}}
    %a = nvgpu.ldmatrix %tile[%i, %c0] {numTiles = 1 : i32, transpose = false} : memref<8x8xf16, #ws> -> vector<1x2xf16>
    gpu.return
  }
  gpu.func @offset(%i: index) workgroup(%tile: memref<8x16xf16, #ws> {llvm.align = 16 : i64}) kernel {
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{expected rows of ldmatrix aligned to 16 bytes, got}}
    %a = nvgpu.ldmatrix %tile[%i, %c4] {numTiles = 1 : i32, transpose = false} : memref<8x16xf16, #ws> -> vector<1x2xf16>
    gpu.return
  }
  gpu.func @warps(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [20]>} {
    // expected-error @+1 {{expected whole warps, got a block of 20 threads}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    gpu.return
  }
}
