// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// Errors of products of tiles.

// C330
#ws = #gpu.address_space<workgroup>
func.func @ranks(%a: memref<64xbf16, #ws>, %b: memref<64x64xbf16, #ws>,
                 %s: vector<1x8x2x2xf32>, %i: index) {
  // expected-error @+1 {{'carousel.multiply' op expected tiles of two or more static and contiguous dimensions, got 'memref<64xbf16, #gpu.address_space<workgroup>>'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64xbf16, #ws>, memref<64x64xbf16, #ws>, vector<1x8x2x2xf32>
  return
}

// -----

// C330
#ws = #gpu.address_space<workgroup>
func.func @strides(%a: memref<64x64xbf16, #ws>, %b: memref<64x64xbf16, strided<[80, 1]>, #ws>,
                   %s: vector<1x8x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected tiles of two or more static and contiguous dimensions, got 'memref<64x64xbf16, strided<[80, 1]>, #gpu.address_space<workgroup>>'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xbf16, #ws>, memref<64x64xbf16, strided<[80, 1]>, #ws>, vector<1x8x2x2xf32>
  return
}

// -----

// C316
#ws = #gpu.address_space<workgroup>
func.func @element(%a: memref<64x64xf64, #ws>, %b: memref<64x64xf64, #ws>,
                   %s: vector<1x8x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected tiles of f16, bf16, f32, f8E4M3FN, f8E5M2 or i8, got 'memref<64x64xf64, #gpu.address_space<workgroup>>'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xf64, #ws>, memref<64x64xf64, #ws>, vector<1x8x2x2xf32>
  return
}

// -----

// C317
#ws = #gpu.address_space<workgroup>
func.func @major(%a: memref<64x64xi8, #ws>, %b: memref<64x64xi8, #ws>,
                 %s: vector<1x8x2x2xi32>, %i: index) {
  // expected-error @+1 {{op expected elements of 16 bits in a tile that is contiguous along m or n, got 'memref<64x64xi8, #gpu.address_space<workgroup>>'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xi8, #ws>, memref<64x64xi8, #ws>, vector<1x8x2x2xi32>
  return
}

// -----

// C330
#ws = #gpu.address_space<workgroup>
func.func @rows(%a: memref<64x64xbf16, #ws>, %b: memref<64x64xbf16, #ws>,
                %s: vector<2x8x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected at least 128 rows of a, got 64}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xbf16, #ws>, memref<64x64xbf16, #ws>, vector<2x8x2x2xf32>
  return
}

// -----

// C330
#ws = #gpu.address_space<workgroup>
func.func @columns(%a: memref<64x64xbf16, #ws>, %b: memref<64x64xbf16, #ws>,
                   %s: vector<1x16x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected at least 128 columns of b, got 64}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xbf16, #ws>, memref<64x64xbf16, #ws>, vector<1x16x2x2xf32>
  return
}

// -----

// C330
#ws = #gpu.address_space<workgroup>
func.func @sums(%a: memref<64x64xbf16, #ws>, %b: memref<64x64xbf16, #ws>,
                %s: vector<8x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected sums of m / 64 x n / 8 x 2 x 2 elements, got 'vector<8x2x2xf32>'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xbf16, #ws>, memref<64x64xbf16, #ws>, vector<8x2x2xf32>
  return
}

// -----

// C330
#ws = #gpu.address_space<workgroup>
func.func @halves(%a: memref<64x64xf16, #ws>, %b: memref<64x64xf16, #ws>,
                  %s: vector<1x8x2x2xf16>, %i: index) {
  // expected-error @+1 {{op expected sums of f32 or i32, got 'vector<1x8x2x2xf16>'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xf16, #ws>, memref<64x64xf16, #ws>, vector<1x8x2x2xf16>
  return
}

// -----

// C324
#ws = #gpu.address_space<workgroup>
func.func @types(%a: memref<64x64xf16, #ws>, %b: memref<64x64xbf16, #ws>,
                 %s: vector<1x8x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected factors of one element type, or both of floats of 8 bits, got 'f16' and 'bf16'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xf16, #ws>, memref<64x64xbf16, #ws>, vector<1x8x2x2xf32>
  return
}

// -----

// C323
#ws = #gpu.address_space<workgroup>
func.func @shape(%a: memref<64x64xf16, #ws>, %b: memref<64x64xf16, #ws>,
                 %s: vector<1x8x4x1xf32>, %i: index) {
  // expected-error @+1 {{op expected sums of 1 to 32 times 2 x 2 elements, got 'vector<8x4x1xf32>'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xf16, #ws>, memref<64x64xf16, #ws>, vector<1x8x4x1xf32>
  return
}

// -----

// C330
#ws = #gpu.address_space<workgroup>
func.func @depths(%a: memref<64x64xbf16, #ws>, %b: memref<32x64xbf16, #ws>,
                  %s: vector<1x8x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected tiles of one k, got 64 and 32}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x64xbf16, #ws>, memref<32x64xbf16, #ws>, vector<1x8x2x2xf32>
  return
}

// -----

// C330
#ws = #gpu.address_space<workgroup>
func.func @multiple(%a: memref<64x24xbf16, #ws>, %b: memref<24x64xbf16, #ws>,
                    %s: vector<1x8x2x2xf32>, %i: index) {
  // expected-error @+1 {{op expected a k in multiples of 32 bytes, got 24 of 'bf16'}}
  %r = carousel.multiply %a[%i], %b[%i], %s : memref<64x24xbf16, #ws>, memref<24x64xbf16, #ws>, vector<1x8x2x2xf32>
  return
}

// -----

// C334
func.func @row_of_registers(%a: vector<1x4x4x2xbf16>, %w: memref<64x8xbf16, #gpu.address_space<workgroup>>,
                            %sums: vector<1x1x2x2xf32>, %i: index) {
  // expected-error @below {{expected no row, transposition or swizzle of a in registers, got a row}}
  %0 = carousel.multiply %a[%i], %w[%i], %sums
      : vector<1x4x4x2xbf16>, memref<64x8xbf16, #gpu.address_space<workgroup>>, vector<1x1x2x2xf32>
  return
}

// -----

// C334
func.func @transposed_registers(%a: vector<1x4x4x2xbf16>, %w: memref<64x8xbf16, #gpu.address_space<workgroup>>,
                                %sums: vector<1x1x2x2xf32>, %i: index) {
  // expected-error @below {{expected no row, transposition or swizzle of a in registers, got transpose_a}}
  %0 = carousel.multiply %a, %w[%i], %sums transpose_a
      : vector<1x4x4x2xbf16>, memref<64x8xbf16, #gpu.address_space<workgroup>>, vector<1x1x2x2xf32>
  return
}

// -----

// C334
func.func @wide_registers(%a: vector<1x4x4x1xf64>, %w: memref<64x8xbf16, #gpu.address_space<workgroup>>,
                          %sums: vector<1x1x2x2xf32>, %i: index) {
  // expected-error @below {{expected registers of f16, bf16, f32, f8E4M3FN, f8E5M2 or i8, got 'vector<1x4x4x1xf64>'}}
  %0 = carousel.multiply %a, %w[%i], %sums
      : vector<1x4x4x1xf64>, memref<64x8xbf16, #gpu.address_space<workgroup>>, vector<1x1x2x2xf32>
  return
}

// -----

// C334
func.func @registers_of_less(%a: vector<1x2x4x2xbf16>, %w: memref<64x8xbf16, #gpu.address_space<workgroup>>,
                             %sums: vector<1x1x2x2xf32>, %i: index) {
  // expected-error @below {{expected a of 'vector<1x4x4x2xbf16>', got 'vector<1x2x4x2xbf16>'}}
  %0 = carousel.multiply %a, %w[%i], %sums
      : vector<1x2x4x2xbf16>, memref<64x8xbf16, #gpu.address_space<workgroup>>, vector<1x1x2x2xf32>
  return
}

// -----

// C334
func.func @tile_without_row(%x: memref<64x64xbf16, #gpu.address_space<workgroup>>,
                            %w: memref<64x8xbf16, #gpu.address_space<workgroup>>, %sums: vector<1x1x2x2xf32>, %i: index) {
  // expected-error @below {{expected a row of a tile, got none}}
  %0 = carousel.multiply %x, %w[%i], %sums
      : memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x8xbf16, #gpu.address_space<workgroup>>,
        vector<1x1x2x2xf32>
  return
}

// -----

// C338
func.func @promote_part(%a: memref<64x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<8x128xf8E4M3FN, #gpu.address_space<workgroup>>,
                        %sums: vector<1x1x2x2xf32>, %i: index) {
  // expected-error @below {{expected promote to be a multiple of 32 that divides a k of 128, got 96}}
  %0 = carousel.multiply %a[%i], %b[%i], %sums transpose_b promote(96)
      : memref<64x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<8x128xf8E4M3FN, #gpu.address_space<workgroup>>, vector<1x1x2x2xf32>
  return
}

// -----

// C338
func.func @promote_integers(%a: memref<64x128xi8, #gpu.address_space<workgroup>>, %b: memref<8x128xi8, #gpu.address_space<workgroup>>,
                            %sums: vector<1x1x2x2xi32>, %i: index) {
  // expected-error @below {{expected sums of f32 to promote, got 'vector<1x1x2x2xi32>'}}
  %0 = carousel.multiply %a[%i], %b[%i], %sums transpose_b promote(64)
      : memref<64x128xi8, #gpu.address_space<workgroup>>, memref<8x128xi8, #gpu.address_space<workgroup>>, vector<1x1x2x2xi32>
  return
}
