// Variants with costs: the first one also serves launches without the best engines. That without any engine has no cost,
// and comes last.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s --implicit-check-not=gpu.func

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  // CHECK: gpu.func @small_tma{{.*}} #carousel.variant<kernel = "k", guards = [capability(90), {{.*}}], cost = 5>
  // CHECK: gpu.func @small_tma_ragged{{.*}} cost = 5>
  gpu.func @small(%x: !matrix, %y: !matrix) kernel attributes {
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 16)], block = [128]>,
      carousel.variant = #carousel.variant<kernel = "k", cost = 5>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %block = gpu.block_id x
    %row = arith.muli %block, %c16 : index
    %t = memref.alloc() : memref<16x64xf32, #ws>
    carousel.load %x[%row, %c0] to %t : !matrix, memref<16x64xf32, #ws>
    carousel.store %t to %y[%row, %c0] : memref<16x64xf32, #ws>, !matrix
    gpu.return
  }

  // CHECK: gpu.func @large_tma{{.*}} cost = extent(0, 0) * 3>
  gpu.func @large(%x: !matrix, %y: !matrix) kernel attributes {
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 32)], block = [128]>,
      carousel.variant = #carousel.variant<kernel = "k", cost = extent(0, 0) * 3>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %row = arith.muli %block, %c32 : index
    %t = memref.alloc() : memref<32x64xf32, #ws>
    carousel.load %x[%row, %c0] to %t : !matrix, memref<32x64xf32, #ws>
    carousel.store %t to %y[%row, %c0] : memref<32x64xf32, #ws>, !matrix
    gpu.return
  }

  // Under more guards, too.
  // CHECK: gpu.func @guarded_tma{{.*}} guards = [equal(extent(0, 1), 64), capability(90), {{.*}} cost = 7>
  gpu.func @guarded(%x: !matrix, %y: !matrix) kernel attributes {
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 16)], block = [128]>,
      carousel.variant = #carousel.variant<kernel = "k", guards = [equal(extent(0, 1), 64)], cost = 7>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %block = gpu.block_id x
    %row = arith.muli %block, %c16 : index
    %t = memref.alloc() : memref<16x64xf32, #ws>
    carousel.load %x[%row, %c0] to %t : !matrix, memref<16x64xf32, #ws>
    carousel.store %t to %y[%row, %c0] : memref<16x64xf32, #ws>, !matrix
    gpu.return
  }

  // Without its guards, a variant serves launches that the first one doesn't.
  // CHECK: gpu.func @narrow_tma{{.*}} cost = 7>
  // CHECK: gpu.func @narrow_tma_ragged{{.*}} cost = 7>
  gpu.func @narrow(%x: !matrix, %y: !matrix) kernel attributes {
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 16)], block = [128]>,
      carousel.variant = #carousel.variant<kernel = "q", guards = [equal(extent(0, 1), 64)], cost = 7>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %block = gpu.block_id x
    %row = arith.muli %block, %c16 : index
    %t = memref.alloc() : memref<16x64xf32, #ws>
    carousel.load %x[%row, %c0] to %t : !matrix, memref<16x64xf32, #ws>
    carousel.store %t to %y[%row, %c0] : memref<16x64xf32, #ws>, !matrix
    gpu.return
  }

  // CHECK: gpu.func @wide_tma{{.*}} cost = 7>
  // CHECK: gpu.func @wide_tma_ragged{{.*}} cost = 7>
  // CHECK: gpu.func @small({{.*}} #carousel.variant<kernel = "k">}
  // CHECK: gpu.func @narrow({{.*}} #carousel.variant<kernel = "q", guards = [equal(extent(0, 1), 64)]>}
  // CHECK: gpu.func @wide({{.*}} #carousel.variant<kernel = "q">}
  gpu.func @wide(%x: !matrix, %y: !matrix) kernel attributes {
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 16)], block = [128]>,
      carousel.variant = #carousel.variant<kernel = "q", cost = 7>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %block = gpu.block_id x
    %row = arith.muli %block, %c16 : index
    %t = memref.alloc() : memref<16x64xf32, #ws>
    carousel.load %x[%row, %c0] to %t : !matrix, memref<16x64xf32, #ws>
    carousel.store %t to %y[%row, %c0] : memref<16x64xf32, #ws>, !matrix
    gpu.return
  }
}
