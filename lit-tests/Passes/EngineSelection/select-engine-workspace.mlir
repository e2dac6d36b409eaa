// A box of a workspace is aligned by construction: no guard for its address, neither for tensor copies nor for bulk copies.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @row
  // CHECK-NOT: aligned(
  // CHECK: carousel.store %{{.+}} to %{{.+}} engine<{{tensor|bulk}}
  // CHECK: gpu.return
  gpu.func @row(%n: index, %w: memref<?x1024xf32, #gl> {carousel.workspace = #carousel.workspace<[scalar(0)]>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() {alignment = 128 : i64} : memref<1024xf32, #ws>
    %block = gpu.block_id x
    carousel.store %tile to %w[%block, %c0] : memref<1024xf32, #ws>, memref<?x1024xf32, #gl>
    gpu.return
  }

  // The caller's: it depends on the address.
  // CHECK-LABEL: gpu.func @passed
  // CHECK-SAME: aligned(1, 16)
  gpu.func @passed(%n: index, %w: memref<?x1024xf32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() {alignment = 128 : i64} : memref<1024xf32, #ws>
    %block = gpu.block_id x
    carousel.store %tile to %w[%block, %c0] : memref<1024xf32, #ws>, memref<?x1024xf32, #gl>
    gpu.return
  }
}
