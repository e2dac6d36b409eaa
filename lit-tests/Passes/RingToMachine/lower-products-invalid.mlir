// RUN: carousel-opt %s --carousel-lower-products --verify-diagnostics

// C331
#ws = #gpu.address_space<workgroup>
gpu.module @m {
  gpu.func @plain(%s: vector<1x8x2x2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<64x64xbf16, #ws>
    // expected-error @+1 {{'carousel.multiply' op expected a tile that is swizzled by b32, b64 or b128, got none; load it with swizzle(b128)}}
    %r = carousel.multiply %a[%c0], %a[%c0], %s {swizzle_a = #carousel.swizzle<b128>}
        : memref<64x64xbf16, #ws>, memref<64x64xbf16, #ws>, vector<1x8x2x2xf32>
    gpu.return
  }
}

// C331
gpu.module @rows {
  gpu.func @narrow(%s: vector<1x8x2x2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<64x16xbf16, #ws>
    // expected-error @+1 {{op expected rows in multiples of 128 bytes with b128, got 32}}
    %r = carousel.multiply %a[%c0], %a[%c0], %s transpose_b {swizzle_a = #carousel.swizzle<b128>, swizzle_b = #carousel.swizzle<b128>}
        : memref<64x16xbf16, #ws>, memref<64x16xbf16, #ws>, vector<1x8x2x2xf32>
    gpu.return
  }
}
