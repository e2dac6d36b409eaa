// Descriptors of a loop that don't change in it, and differ by a constant, are computed where products need them, if they
// are many: each would need a register outside of the loop. Few of them leave the loop.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<9x128x16xbf16, #ws>
!y = memref<64x16xbf16, #ws>
!d = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<8x2x2xf32>>

gpu.module @m {
  // CHECK-LABEL: .entry many
  // CHECK: wgmma.fence
  // CHECK: wgmma.mma_async
  // CHECK: add.s32 %[[LOW:r[0-9]+]], %{{r[0-9]+}}, 256;
  // CHECK-NEXT: cvt.u64.u32 %[[WIDE:rd[0-9]+]], %[[LOW]];
  // CHECK-NEXT: or.b64 %[[ALL:rd[0-9]+]], %[[WIDE]],
  // CHECK: wgmma.mma_async{{.*}}, %[[ALL]], %
  gpu.func @many(%steps: index, %out: memref<?xf32, #gl>)
      workgroup(%x: !x {llvm.align = 1024 : i64}, %y: !y {llvm.align = 1024 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %b0 = arith.constant 0 : index
    %b1 = arith.constant 1 : index
    %b2 = arith.constant 2 : index
    %b3 = arith.constant 3 : index
    %b4 = arith.constant 4 : index
    %b5 = arith.constant 5 : index
    %b6 = arith.constant 6 : index
    %b7 = arith.constant 7 : index
    %b8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<8x2x2xf32>
    %thread = gpu.thread_id x
    %group = arith.divui %thread, %c128 : index
    %row = arith.muli %group, %c64 : index
    %start = carousel.wgmma.fence(%zero) : vector<8x2x2xf32>
    %end = scf.for %i = %c0 to %steps step %c1 iter_args(%s = %start) -> (!sums) {
      %w = carousel.wgmma.descriptor %y[%c0, %c0] swizzle(b32) : !y to !d
      %a0 = carousel.wgmma.descriptor %x[%b0, %row, %c0] swizzle(b32) : !x to !d
      %n0 = carousel.wgmma.mma %a0, %w, %s : !d, !d, !sums
      %a1 = carousel.wgmma.descriptor %x[%b1, %row, %c0] swizzle(b32) : !x to !d
      %n1 = carousel.wgmma.mma %a1, %w, %n0 : !d, !d, !sums
      %a2 = carousel.wgmma.descriptor %x[%b2, %row, %c0] swizzle(b32) : !x to !d
      %n2 = carousel.wgmma.mma %a2, %w, %n1 : !d, !d, !sums
      %a3 = carousel.wgmma.descriptor %x[%b3, %row, %c0] swizzle(b32) : !x to !d
      %n3 = carousel.wgmma.mma %a3, %w, %n2 : !d, !d, !sums
      %a4 = carousel.wgmma.descriptor %x[%b4, %row, %c0] swizzle(b32) : !x to !d
      %n4 = carousel.wgmma.mma %a4, %w, %n3 : !d, !d, !sums
      %a5 = carousel.wgmma.descriptor %x[%b5, %row, %c0] swizzle(b32) : !x to !d
      %n5 = carousel.wgmma.mma %a5, %w, %n4 : !d, !d, !sums
      %a6 = carousel.wgmma.descriptor %x[%b6, %row, %c0] swizzle(b32) : !x to !d
      %n6 = carousel.wgmma.mma %a6, %w, %n5 : !d, !d, !sums
      %a7 = carousel.wgmma.descriptor %x[%b7, %row, %c0] swizzle(b32) : !x to !d
      %n7 = carousel.wgmma.mma %a7, %w, %n6 : !d, !d, !sums
      %a8 = carousel.wgmma.descriptor %x[%b8, %row, %c0] swizzle(b32) : !x to !d
      %n8 = carousel.wgmma.mma %a8, %w, %n7 : !d, !d, !sums
      carousel.wgmma.commit
      carousel.wgmma.wait 1
      scf.yield %n8 : !sums
    }
    %p = carousel.wgmma.wait 0, %end : !sums
    %flat = vector.shape_cast %p : vector<8x2x2xf32> to vector<32xf32>
    vector.store %flat, %out[%c0] : memref<?xf32, #gl>, vector<32xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry few
  // CHECK: or.b64
  // CHECK: wgmma.mma_async
  // CHECK-NOT: or.b64
  // CHECK: wgmma.commit_group
  gpu.func @few(%steps: index, %out: memref<?xf32, #gl>)
      workgroup(%x: !x {llvm.align = 1024 : i64}, %y: !y {llvm.align = 1024 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %b0 = arith.constant 0 : index
    %b1 = arith.constant 1 : index
    %b2 = arith.constant 2 : index
    %b3 = arith.constant 3 : index
    %b4 = arith.constant 4 : index
    %b5 = arith.constant 5 : index
    %b6 = arith.constant 6 : index
    %b7 = arith.constant 7 : index
    %zero = arith.constant dense<0.0> : vector<8x2x2xf32>
    %thread = gpu.thread_id x
    %group = arith.divui %thread, %c128 : index
    %row = arith.muli %group, %c64 : index
    %start = carousel.wgmma.fence(%zero) : vector<8x2x2xf32>
    %end = scf.for %i = %c0 to %steps step %c1 iter_args(%s = %start) -> (!sums) {
      %w = carousel.wgmma.descriptor %y[%c0, %c0] swizzle(b32) : !y to !d
      %a0 = carousel.wgmma.descriptor %x[%b0, %row, %c0] swizzle(b32) : !x to !d
      %n0 = carousel.wgmma.mma %a0, %w, %s : !d, !d, !sums
      %a1 = carousel.wgmma.descriptor %x[%b1, %row, %c0] swizzle(b32) : !x to !d
      %n1 = carousel.wgmma.mma %a1, %w, %n0 : !d, !d, !sums
      %a2 = carousel.wgmma.descriptor %x[%b2, %row, %c0] swizzle(b32) : !x to !d
      %n2 = carousel.wgmma.mma %a2, %w, %n1 : !d, !d, !sums
      %a3 = carousel.wgmma.descriptor %x[%b3, %row, %c0] swizzle(b32) : !x to !d
      %n3 = carousel.wgmma.mma %a3, %w, %n2 : !d, !d, !sums
      %a4 = carousel.wgmma.descriptor %x[%b4, %row, %c0] swizzle(b32) : !x to !d
      %n4 = carousel.wgmma.mma %a4, %w, %n3 : !d, !d, !sums
      %a5 = carousel.wgmma.descriptor %x[%b5, %row, %c0] swizzle(b32) : !x to !d
      %n5 = carousel.wgmma.mma %a5, %w, %n4 : !d, !d, !sums
      %a6 = carousel.wgmma.descriptor %x[%b6, %row, %c0] swizzle(b32) : !x to !d
      %n6 = carousel.wgmma.mma %a6, %w, %n5 : !d, !d, !sums
      %a7 = carousel.wgmma.descriptor %x[%b7, %row, %c0] swizzle(b32) : !x to !d
      %n7 = carousel.wgmma.mma %a7, %w, %n6 : !d, !d, !sums
      carousel.wgmma.commit
      carousel.wgmma.wait 1
      scf.yield %n7 : !sums
    }
    %p = carousel.wgmma.wait 0, %end : !sums
    %flat = vector.shape_cast %p : vector<8x2x2xf32> to vector<32xf32>
    vector.store %flat, %out[%c0] : memref<?xf32, #gl>, vector<32xf32>
    gpu.return
  }
}
