// A tile that an engine reads has the layout of its swizzle, which bulk copies don't make. Without a tensor map threads
// copy it, where one bulk copy could bring all of it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!rows = memref<?x64xbf16, #gl>
!tile = memref<64x64xbf16, #ws>
!sums = vector<1x8x2x2xf32>

gpu.module @m {
  // CHECK-LABEL: gpu.func @products_tma
  // CHECK: carousel.load {{.*}} swizzle(b128) engine<tensor>
  // CHECK-LABEL: gpu.func @products(
  // CHECK: carousel.load {{.*}} swizzle(b128) engine<cp_async
  gpu.func @products(%x: !rows {carousel.argument = #carousel.argument<"x", in>, llvm.align = 16 : i64}, %n: index {carousel.argument = #carousel.argument<"n", in>},
      %s: !sums) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : !tile
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%a = %s) -> (!sums) {
      carousel.load %x[%k, %c0] to %t swizzle(b128) : !rows, !tile
      %next = carousel.multiply %t[%c0], %t[%c0], %a transpose_b : !tile, !tile, !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}
