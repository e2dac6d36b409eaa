// Products of a warpgroup in CUDA C++: functions of inline PTX, and calls of carousel/device/wgmma.h.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a %s | FileCheck %s --check-prefix=LOCATIONS

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = !carousel.matrix_descriptor<bf16, k>
!columns = !carousel.matrix_descriptor<bf16, mn>
!tf32 = !carousel.matrix_descriptor<f32, k>
!sums = !carousel.wgmma_registers<vector<2x2x2xf32>>
!few = !carousel.wgmma_registers<vector<1x2x2xf32>>
!offset = memref<64x64xbf16, strided<[64, 1], offset: 4096>, #ws>
!odd = memref<64x64xbf16, strided<[64, 1], offset: 4100>, #ws>
!view = memref<2x2x64x64xbf16, strided<[?, 4096, 64, 1]>, #ws>

// CHECK: #include <carousel/device/vector.h>
// CHECK-NEXT: #include <carousel/device/wgmma.h>

// CHECK: CAROUSEL_DEVICE carousel::vec<float, 8> wgmma_m64n16k16_f32_bf16_bf16(carousel::vec<float, 8> sums,
// CHECK-NEXT:     uint64_t a, uint64_t b, uint32_t scale) {
// CHECK-NEXT:   carousel::vec<float, 8> d = sums;
// CHECK-NEXT:   asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0; "
// CHECK-NEXT:       "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, "
// CHECK-NEXT:       "%4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0; }"
// CHECK-NEXT:       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
// CHECK-NEXT:           "+f"(d[7])
// CHECK-NEXT:       : "l"(a), "l"(b), "r"(scale)
// CHECK-NEXT:       : "memory");
// CHECK-NEXT:   return d;
// CHECK-NEXT: }
// LOCATIONS: CAROUSEL_DEVICE
// LOCATIONS-NOT: // wgmma.mlir
// LOCATIONS: extern "C"

gpu.module @m {
  // The constant parts of descriptors are added last.
  // CHECK-LABEL: void loop(
  // CHECK:        carousel::vec<float, 8> start = carousel::wgmma_fence(undefined);
  // CHECK-NEXT:   carousel::vec<float, 8> s = start;
  // CHECK-NEXT: #pragma unroll 1
  // CHECK-NEXT:   for (
  // CHECK-NEXT:     bool accumulate = k != 0;
  // CHECK-NEXT:     carousel::wgmma_fence();
  // CHECK-NEXT:     uint64_t a = carousel::wgmma_descriptor<0x4000004002000000u>(x, slot * 512 + row * 8);
  // CHECK-NEXT:     uint64_t b = carousel::wgmma_descriptor<0x4000004002000000u>(x, slot * 512);
  // CHECK-NEXT:     carousel::vec<float, 8> first = wgmma_m64n16k16_f32_bf16_bf16(s, a, b, uint32_t(accumulate));
  // CHECK-NEXT:     uint64_t a_next = carousel::wgmma_descriptor<0x4000004002000000u>(x, slot * 512 + row * 8 + 2);
  // CHECK-NEXT:     uint64_t b_next = carousel::wgmma_descriptor<0x4000004002000000u>(x, slot * 512 + 2);
  // CHECK-NEXT:     carousel::vec<float, 8> next = wgmma_m64n16k16_f32_bf16_bf16(first, a_next, b_next, 1);
  // CHECK-NEXT:     carousel::wgmma_commit();
  // CHECK-NEXT:     carousel::wgmma_wait<1>();
  // CHECK-NEXT:     s = next;
  // CHECK-NEXT:   }
  // CHECK-NEXT:   carousel::vec<float, 8> product = carousel::wgmma_wait<0>(s);
  gpu.func @loop(%y: memref<?xf32, #gl> loc("y"), %blocks: index loc("blocks"), %slot: index loc("slot"),
                 %row: index loc("row"))
      workgroup(%x: memref<4x64x64xbf16, #ws> {llvm.align = 1024 : i64} loc("x")) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %undefined = ub.poison : vector<2x2x2xf32>
    %start = carousel.wgmma.fence(%undefined) : vector<2x2x2xf32>
    %sums = scf.for %k = %c0 to %blocks step %c1 iter_args(%s = %start) -> (!sums) {
      %accumulate = arith.cmpi ne, %k, %c0 : index
      carousel.wgmma.fence
      %a = carousel.wgmma.descriptor %x[%slot, %row, %c0] swizzle(b128) : memref<4x64x64xbf16, #ws> to !matrix
      %b = carousel.wgmma.descriptor %x[%slot, %c0, %c0] swizzle(b128) : memref<4x64x64xbf16, #ws> to !matrix
      %first = carousel.wgmma.mma %a, %b, %s scale(%accumulate) : !matrix, !matrix, !sums
      %a_next = carousel.wgmma.descriptor %x[%slot, %row, %c16] swizzle(b128) : memref<4x64x64xbf16, #ws> to !matrix
      %b_next = carousel.wgmma.descriptor %x[%slot, %c0, %c16] swizzle(b128) : memref<4x64x64xbf16, #ws> to !matrix
      %next = carousel.wgmma.mma %a_next, %b_next, %first : !matrix, !matrix, !sums
      carousel.wgmma.commit
      carousel.wgmma.wait 1
      scf.yield %next : !sums
    }
    %product = carousel.wgmma.wait 0, %sums : !sums
    %element = vector.extract %product[0, 1, 0] : f32 from vector<2x2x2xf32>
    memref.store %element, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  // Of views: static and dynamic offsets, strides that only the run knows, and indices that aren't whole pieces. Without
  // a swizzle, the strides of an mn-major matrix change places.
  // CHECK-LABEL: void descriptors(
  // CHECK-DAG: carousel::wgmma_descriptor<0x4000004000010000u>(x, row * 8 + (k >> 3) + 512);
  // CHECK-DAG: carousel::wgmma_descriptor<0x4000004000010000u>(x, (k + 4 >> 3) + 512);
  // CHECK-DAG: carousel::wgmma_descriptor<0x4000004002000000u>(x, (slot * stride >> 3) + 64);
  // CHECK-DAG: carousel::wgmma_descriptor<0x8000002000010000u>(narrow, row * 4 + 2);
  // CHECK-DAG: carousel::wgmma_descriptor<0x8000002000010000u>(narrow, 34);
  // CHECK-DAG: carousel::wgmma_descriptor<0x800400000u>(blocks);
  // CHECK-DAG: carousel::wgmma_descriptor<0x4000080000u>(blocks, 8);
  gpu.func @descriptors(%y: memref<?xf32, #gl>, %slot: index loc("slot"), %row: index loc("row"), %k: index loc("k"),
                        %stride: index loc("stride"))
      workgroup(%x: memref<4x64x64xbf16, #ws> {llvm.align = 1024 : i64} loc("x"),
                %narrow: memref<64x16xf32, #ws> {llvm.align = 1024 : i64} loc("narrow"),
                %blocks: memref<2x64x8xbf16, #ws> {llvm.align = 1024 : i64} loc("blocks")) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %offset = memref.reinterpret_cast %x to offset: [4096], sizes: [64, 64], strides: [64, 1]
        : memref<4x64x64xbf16, #ws> to !offset
    %odd = memref.reinterpret_cast %x to offset: [4100], sizes: [64, 64], strides: [64, 1]
        : memref<4x64x64xbf16, #ws> to !odd
    %view = memref.reinterpret_cast %x to offset: [0], sizes: [2, 2, 64, 64], strides: [%stride, 4096, 64, 1]
        : memref<4x64x64xbf16, #ws> to !view
    %a0 = carousel.wgmma.descriptor %offset[%row, %k] swizzle(b128) : !offset to !matrix
    %b0 = carousel.wgmma.descriptor %odd[%c0, %k] swizzle(b128) : !odd to !matrix
    %a3 = carousel.wgmma.descriptor %view[%slot, %c0, %c8, %c0] swizzle(b128) : !view to !matrix
    %a1 = carousel.wgmma.descriptor %narrow[%row, %c8] swizzle(b64) : memref<64x16xf32, #ws> to !tf32
    %b1 = carousel.wgmma.descriptor %narrow[%c8, %c8] swizzle(b64) : memref<64x16xf32, #ws> to !tf32
    %a2 = carousel.wgmma.descriptor %blocks[%c0, %c0, %c0] : memref<2x64x8xbf16, #ws> to !matrix
    %b2 = carousel.wgmma.descriptor %blocks[%c0, %c8, %c0] : memref<2x64x8xbf16, #ws> to !columns
    %zero = ub.poison : vector<1x2x2xf32>
    %s = carousel.wgmma.fence(%zero) : vector<1x2x2xf32>
    %0 = carousel.wgmma.mma %a0, %b0, %s : !matrix, !matrix, !few
    %1 = carousel.wgmma.mma %a1, %b1, %0 : !tf32, !tf32, !few
    %2 = carousel.wgmma.mma %a2, %b2, %1 : !matrix, !columns, !few
    %3 = carousel.wgmma.mma %a3, %b0, %2 : !matrix, !matrix, !few
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %3 : !few
    %element = vector.extract %product[0, 1, 0] : f32 from vector<1x2x2xf32>
    memref.store %element, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
