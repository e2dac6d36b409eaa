// carousel-mark-occupancy says how many CTAs shared memory leaves room for, where they may have 128
// registers a thread.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-mark-occupancy))' | FileCheck %s
// Twice is as good as once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-mark-occupancy,carousel-mark-occupancy))' | FileCheck %s

#ws = #gpu.address_space<workgroup>

// CHECK-LABEL: gpu.module @newer
gpu.module @newer [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // 228 KB hold two of 96 KB and what each takes besides.
  // CHECK: gpu.func @two
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  // DOC-EXAMPLE: --carousel-mark-occupancy
  gpu.func @two() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [256], shared = 98304>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    gpu.return
  }
  // CHECK: gpu.func @one
  // CHECK-SAME: nvvm.minctasm = 1 : i32
  gpu.func @one() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [512], shared = 120000>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    gpu.return
  }
  // Small blocks have more of them; static shared memory counts, as do views without a launch.
  // CHECK: gpu.func @small
  // CHECK-SAME: nvvm.minctasm = 6 : i32
  gpu.func @small() workgroup(%a: memref<8192xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 60, 1, 1>} {
    gpu.return
  }
  // CHECK: gpu.func @viewed
  // CHECK-SAME: nvvm.minctasm = 3 : i32
  gpu.func @viewed() kernel attributes {known_block_size = array<i32: 64, 2, 1>} {
    %c1024 = arith.constant 1024 : index
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %v = memref.view %shared[%c1024][] : memref<?xi8, #ws> to memref<16384xf32, #ws>
    gpu.return
  }
  // Six of 256 threads need their registers; eight are all of an SM's threads.
  // CHECK: gpu.func @six
  // CHECK-NOT: minctasm
  gpu.func @six() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [256], shared = 32928>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    gpu.return
  }
  // Three of 128 threads leave 170 registers to each, and 128 sums alone take most of these.
  // CHECK: gpu.func @sums
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  gpu.func @sums(%n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [128], shared = 65568>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : vector<128xf32>
    %sums = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros) -> (vector<128xf32>) {
      %b = arith.addf %a, %a : vector<128xf32>
      scf.yield %b : vector<128xf32>
    }
    gpu.return
  }
  // Three of 160 threads leave 136: too few for the 44 sums of products that no loop carries, and factors.
  // CHECK: gpu.func @sums_of_products
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  gpu.func @sums_of_products(%a: vector<4x2xbf16>, %b: vector<2x2xbf16>) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160], shared = 65568>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %zeros = arith.constant dense<0.0> : vector<2x2xf32>
    %s0 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s1 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s2 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s3 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s4 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s5 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s6 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s7 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s8 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s9 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s10 = nvgpu.mma.sync (%a, %b, %zeros) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    gpu.return
  }
  // A product that goes on with the sums of another one has no others.
  // CHECK: gpu.func @sums_of_chain
  // CHECK-SAME: nvvm.minctasm = 3 : i32
  gpu.func @sums_of_chain(%a: vector<4x2xbf16>, %b: vector<2x2xbf16>) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160], shared = 65568>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %s = arith.constant dense<0.0> : vector<2x2xf32>
    %s0 = nvgpu.mma.sync (%a, %b, %s) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s1 = nvgpu.mma.sync (%a, %b, %s0) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s2 = nvgpu.mma.sync (%a, %b, %s1) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s3 = nvgpu.mma.sync (%a, %b, %s2) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s4 = nvgpu.mma.sync (%a, %b, %s3) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s5 = nvgpu.mma.sync (%a, %b, %s4) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s6 = nvgpu.mma.sync (%a, %b, %s5) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s7 = nvgpu.mma.sync (%a, %b, %s6) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s8 = nvgpu.mma.sync (%a, %b, %s7) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s9 = nvgpu.mma.sync (%a, %b, %s8) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %s10 = nvgpu.mma.sync (%a, %b, %s9) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    gpu.return
  }
  // Of a warpgroup, in integers: three CTAs would leave each thread 128 registers, which have to hold 128 sums.
  // CHECK: gpu.func @sums_of_warpgroup
  // CHECK-SAME: nvvm.minctasm = 1 : i32
  gpu.func @sums_of_warpgroup(%n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [160], shared = 65568>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0> : vector<32x2x2xi32>
    %first = carousel.wgmma.fence(%zeros) : vector<32x2x2xi32>
    %sums = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> (!carousel.wgmma_registers<vector<32x2x2xi32>>) {
      scf.yield %a : !carousel.wgmma_registers<vector<32x2x2xi32>>
    }
    %result = carousel.wgmma.wait 0, %sums : !carousel.wgmma_registers<vector<32x2x2xi32>>
    gpu.return
  }
  // Three of 128 threads leave 170 registers to each: too few for 32 sums that the loop carries, 64 that its products
  // overwrite, and factors.
  // CHECK: gpu.func @sums_of_iterations
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  gpu.func @sums_of_iterations(%n: index) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [128], shared = 65568>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : vector<32xf32>
    %unread = ub.poison : vector<16x2x2xf32>
    %sums = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros) -> (vector<32xf32>) {
      %registers = carousel.wgmma.fence(%unread) : vector<16x2x2xf32>
      %own = carousel.wgmma.wait 0, %registers : !carousel.wgmma_registers<vector<16x2x2xf32>>
      %flat = vector.shape_cast %own : vector<16x2x2xf32> to vector<64xf32>
      %part = vector.extract_strided_slice %flat {offsets = [0], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
      %b = arith.addf %a, %part : vector<32xf32>
      scf.yield %b : vector<32xf32>
    }
    gpu.return
  }
  // CHECK: gpu.func @none
  // CHECK-NOT: minctasm
  gpu.func @none() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    gpu.return
  }
  // Nobody knows the block, or the shared memory; or the kernel has said it; or it is no kernel.
  // CHECK: gpu.func @unknown_block
  // CHECK-NOT: minctasm
  gpu.func @unknown_block() workgroup(%a: memref<8192xf32, #ws>) kernel {
    gpu.return
  }
  // CHECK: gpu.func @unknown_shared
  // CHECK-NOT: minctasm
  gpu.func @unknown_shared(%i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %v = memref.view %shared[%i][] : memref<?xi8, #ws> to memref<4xf32, #ws>
    gpu.return
  }
  // CHECK: gpu.func @said
  // CHECK-SAME: nvvm.minctasm = 4 : i32
  gpu.func @said() workgroup(%a: memref<8192xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 4 : i32} {
    gpu.return
  }
  // CHECK: gpu.func @registers
  // CHECK-NOT: minctasm
  gpu.func @registers() workgroup(%a: memref<8192xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, nvvm.maxnreg = 168 : i32} {
    gpu.return
  }
  // CHECK: gpu.func @helper
  // CHECK-NOT: minctasm
  gpu.func @helper() attributes {known_block_size = array<i32: 128, 1, 1>} {
    gpu.return
  }
}

// An older SM has less.
// CHECK-LABEL: gpu.module @older
gpu.module @older [#nvvm.target<chip = "sm_80", features = "+ptx88">] {
  // CHECK: gpu.func @two
  // CHECK-SAME: nvvm.minctasm = 1 : i32
  gpu.func @two() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [256], shared = 98304>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    gpu.return
  }
}
