// Where the warps of a large block have parts of many results, its threads share their sums: each adds as many parts,
// lanes exchange, and each thread reads results. The order of additions is that of each thread adding all parts.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks,carousel-distribute,canonicalize,cse))' | FileCheck %s
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{columns} = --kernel @columns --arg x=random:300x100 --arg sums=zeros:3x100 --arg most=zeros:3x100
// RUN: carousel-sim %s %{columns} --out sums=%t.sums.npy --out most=%t.most.npy --quiet
// RUN: %{lowered} %{columns} --expect sums=%t.sums.npy --expect most=%t.most.npy --quiet --rtol 1e-5 --atol 1e-5
// DEFINE: %{numbers} = --kernel @numbers --arg x=iota:60x256 --arg sums=zeros:256
// RUN: carousel-sim %s %{numbers} --out sums=%t.numbers.npy --quiet
// RUN: %{lowered} %{numbers} --expect sums=%t.numbers.npy --quiet
// DEFINE: %{narrow} = --kernel @narrow --arg x=random:250x8 --arg sums=zeros:8
// RUN: carousel-sim %s %{narrow} --out sums=%t.narrow.npy --quiet
// RUN: %{lowered} %{narrow} --expect sums=%t.narrow.npy --quiet --rtol 1e-5 --atol 1e-5
// DEFINE: %{few} = --kernel @few --arg x=random:128x8 --arg y=zeros:128x8
// RUN: carousel-sim %s %{few} --out y=%t.few.npy --quiet
// RUN: %{lowered} %{few} --expect y=%t.few.npy --quiet --rtol 1e-5 --atol 1e-5

#gl = #gpu.address_space<global>
!x = memref<?x?xf32, #gl>

gpu.module @m {
  // 32 warps have 4 rows each. A thread adds one part of one column, and exchanges with 31 lanes.
  // CHECK-LABEL: gpu.func @columns_aligned(
  // CHECK-DAG: %[[PARTS:.*]] = memref.alloc() {{.*}} : memref<1x32x33xf32,
  // CHECK-DAG: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<32xf32,
  // CHECK: scf.for
  // CHECK: memref.store %{{.*}}, %[[PARTS]]
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.shuffle
  // CHECK: memref.load %[[PARTS]]
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT: gpu.shuffle
  // CHECK: memref.store %{{.*}}, %[[SUMS]]
  // CHECK: gpu.barrier
  // CHECK-COUNT-4: memref.load %[[SUMS]]
  gpu.func @columns(
      %x: !x {carousel.argument = #carousel.argument<"x", in>},
      %sums: !x {carousel.argument = #carousel.argument<"sums", out>},
      %most: !x {carousel.argument = #carousel.argument<"most", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(0, 1), 32)], block = [1024]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32xf32>
    %least = arith.constant dense<0xFF800000> : vector<32xf32>
    %block = gpu.block_id x
    %j = arith.muli %block, %c32 overflow<nsw> : index
    %rows = memref.dim %x, %c0 : !x
    scf.for %i = %c0 to %rows step %c128 {
      %part = arith.divui %i, %c128 : index
      %v = vector.transfer_read %x[%i, %j], %zero : !x, vector<128x32xf32>
      %s = vector.multi_reduction <add>, %v, %zeros [0] : vector<128x32xf32> to vector<32xf32>
      vector.transfer_write %s, %sums[%part, %j] : vector<32xf32>, !x
      %m = vector.multi_reduction <maximumf>, %v, %least [0] : vector<128x32xf32> to vector<32xf32>
      vector.transfer_write %m, %most[%part, %j] : vector<32xf32>, !x
    }
    gpu.return
  }

  // More results than threads for all parts: a thread adds the parts of several.
  // CHECK-LABEL: gpu.func @numbers_aligned(
  // CHECK: memref.alloc() {{.*}} : memref<4x16x33xi32,
  // CHECK: gpu.barrier
  // CHECK-COUNT-4: memref.load %{{.*}} : memref<4x16x33xi32
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT: gpu.shuffle
  // CHECK: gpu.barrier
  gpu.func @numbers(
      %x: memref<?x256xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %sums: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"sums", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [1], block = [512]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : vector<256xi32>
    %v = vector.transfer_read %x[%c0, %c0], %zero : memref<?x256xi32, #gl>, vector<64x256xi32>
    %s = vector.multi_reduction <add>, %v, %zeros [0] : vector<64x256xi32> to vector<256xi32>
    vector.transfer_write %s, %sums[%c0] : vector<256xi32>, memref<?xi32, #gl>
    gpu.return
  }

  // Fewer results than threads: those behind the last one write nothing.
  // CHECK-LABEL: gpu.func @narrow_aligned(
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: memref.alloc() {{.*}} : memref<1x4x33xf32,
  // CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<8xf32,
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK: memref.store %{{.*}}, %[[SUMS]]
  // CHECK: gpu.barrier
  gpu.func @narrow(
      %x: memref<?x8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %sums: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"sums", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [1], block = [512]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %v = vector.transfer_read %x[%c0, %c0], %zero : memref<?x8xf32, #gl>, vector<256x8xf32>
    %s = vector.multi_reduction <add>, %v, %zeros [0] : vector<256x8xf32> to vector<8xf32>
    vector.transfer_write %s, %sums[%c0] : vector<8xf32>, memref<8xf32, #gl>
    gpu.return
  }

  // Few parts: each thread reads all of them behind the one barrier.
  // CHECK-LABEL: gpu.func @few_aligned(
  // CHECK-COUNT-1: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @few(
      %x: !x {carousel.argument = #carousel.argument<"x", in>},
      %y: !x {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %v = vector.transfer_read %x[%c0, %c0], %zero : !x, vector<128x8xf32>
    %s = vector.multi_reduction <add>, %v, %zeros [0] : vector<128x8xf32> to vector<8xf32>
    %b = vector.broadcast %s : vector<8xf32> to vector<128x8xf32>
    %r = arith.divf %v, %b : vector<128x8xf32>
    vector.transfer_write %r, %y[%c0, %c0] : vector<128x8xf32>, !x
    gpu.return
  }
}
