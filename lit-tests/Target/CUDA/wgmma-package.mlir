// In a package, the text of a kernel has the functions of the products that it multiplies, and no others.
// RUN: carousel-compile %s --chip=sm_90a --emit=cuda -o %t --quiet
// RUN: FileCheck %s --check-prefix=FIRST --implicit-check-not=CAROUSEL_DEVICE --input-file %t/m.first.sm_90a.cu
// RUN: FileCheck %s --check-prefix=SECOND --implicit-check-not=CAROUSEL_DEVICE --input-file %t/m.second.sm_90a.cu
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=CAROUSEL_DEVICE --input-file %t/m.none.sm_90a.cu

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>

// FIRST: CAROUSEL_DEVICE {{.*}} wgmma_m64n8k16_f32_bf16_bf16_negate_b(
// FIRST: __launch_bounds__(128) first(
// SECOND: CAROUSEL_DEVICE {{.*}} wgmma_m64n8k16_f32_bf16_bf16(
// SECOND: __launch_bounds__(128) second(
// NONE: __launch_bounds__(128) none(
gpu.module @m {
  gpu.func @first(%y: memref<?xf32, #gl>) workgroup(%x: memref<64x64xbf16, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %undefined = ub.poison : vector<1x2x2xf32>
    %start = carousel.wgmma.fence(%undefined) : vector<1x2x2xf32>
    %a = carousel.wgmma.descriptor %x[%c0, %c0] swizzle(b128) : memref<64x64xbf16, #ws> to !matrix
    %0 = carousel.wgmma.mma %a, %a, %start negate_b : !matrix, !matrix, !sums
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %0 : !sums
    %element = vector.extract %product[0, 1, 0] : f32 from vector<1x2x2xf32>
    memref.store %element, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  gpu.func @second(%y: memref<?xf32, #gl>) workgroup(%x: memref<64x64xbf16, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %undefined = ub.poison : vector<1x2x2xf32>
    %start = carousel.wgmma.fence(%undefined) : vector<1x2x2xf32>
    %a = carousel.wgmma.descriptor %x[%c0, %c0] swizzle(b128) : memref<64x64xbf16, #ws> to !matrix
    %0 = carousel.wgmma.mma %a, %a, %start : !matrix, !matrix, !sums
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %0 : !sums
    %element = vector.extract %product[0, 1, 0] : f32 from vector<1x2x2xf32>
    memref.store %element, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  gpu.func @none(%y: memref<?xf32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
