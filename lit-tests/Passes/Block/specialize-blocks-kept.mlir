// Wide rows that loops over chunks would read again: CTAs of chips with bulk copies keep them in tiles.
// DEFINE: %{chip} =
// DEFINE: %{variants} = carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=%{chip}},carousel-specialize-blocks))'
// REDEFINE: %{chip} = sm_90a
// RUN: %{variants} | FileCheck %s
// REDEFINE: %{chip} = sm_100a
// RUN: %{variants} | FileCheck %s
// No bulk copies, or too little shared memory for three rows.
// REDEFINE: %{chip} = sm_80
// RUN: %{variants} | FileCheck %s --check-prefix=NONE
// REDEFINE: %{chip} = sm_120a
// RUN: %{variants} | FileCheck %s --check-prefix=NONE
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90 ptx-version=78},carousel-specialize-blocks))' | FileCheck %s --check-prefix=NONE
// No chip, no variants.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks))' | FileCheck %s --check-prefix=NONE
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks{variants=false}))' | FileCheck %s --check-prefix=NONE
// One bulk copy loads the tile, whether the row ends in it or not. Threads read it in runs of 16 bytes.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks,carousel-stream-rows,carousel-batch-programs,carousel-distribute,carousel-select-engine))' | FileCheck %s --check-prefix=ENGINE

#gl = #gpu.address_space<global>
!m = memref<?x?xbf16, #gl>
!v = memref<?xbf16, #gl>
!row = vector<32768xbf16>

gpu.module @m {
  // CHECK-LABEL: gpu.func @center_8192_aligned
  // CHECK-NOT: keeps
  // CHECK-LABEL: gpu.func @center_16384_aligned
  // CHECK-SAME: keeps = 16384>
  // CHECK-LABEL: gpu.func @center_32768_aligned
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 4096, covers = extent(0, 1), programs = 1, keeps = 32768>
  // CHECK-SAME: block = [256]
  // CHECK-SAME: guards = [{{.*}}range(extent(0, 1), 0, 32768), aligned(0, 16), divisible(extent(0, 1), 8), aligned(1, 16), divisible(extent(1, 1), 8)]
  // CHECK: vector<4096xbf16>
  // CHECK-LABEL: gpu.func @center_streamed_aligned
  // CHECK-NOT: keeps
  // NONE-NOT: keeps = {{16384|32768}}
  // NONE-LABEL: gpu.func @wider(
  // ENGINE-LABEL: gpu.func @center_32768_aligned
  // ENGINE: carousel.load {{.*}} fill(-inf) engine<bulk> : {{.*}}, memref<1x32768xbf16
  // ENGINE: vector.load {{.*}} memref<1x32768xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
  // ENGINE-LABEL: gpu.func @center_streamed_aligned
  gpu.func @center(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 32768, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !m, !row
    %most = vector.multi_reduction <maxnumf>, %v, %lowest [0] : !row to bf16
    %mosts = vector.broadcast %most : bf16 to !row
    %d = arith.subf %v, %mosts : !row
    vector.transfer_write %d, %y[%row, %c0] : !row, !m
    gpu.return
  }

  // As many weights: larger chunks.
  // CHECK-LABEL: gpu.func @weights_16384_aligned
  // CHECK-SAME: width = 8192, covers = extent(0, 1), programs = 1, keeps = 16384>
  // CHECK-LABEL: gpu.func @weights_32768_aligned
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 8192, covers = extent(0, 1), programs = 1, keeps = 32768>
  // CHECK-LABEL: gpu.func @weights(
  gpu.func @weights(%x: !m, %w: !v, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 32768, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !row
    %sum = vector.multi_reduction <add>, %v, %zero [0] : !row to bf16
    %sums = vector.broadcast %sum : bf16 to !row
    %ws = vector.transfer_read %w[%c0], %zero : !v, !row
    %d = arith.mulf %v, %sums : !row
    %e = arith.mulf %d, %ws : !row
    vector.transfer_write %e, %y[%row, %c0] : !row, !m
    gpu.return
  }

  // Clusters share wider rows.
  // CHECK-LABEL: gpu.func @wider_32768_aligned
  // CHECK-NOT: cluster
  // CHECK-LABEL: gpu.func @wider_65536_aligned
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 4096, covers = extent(0, 1), programs = 1, keeps = 65536>
  // CHECK-SAME: block = [256], cluster = [2]
  // CHECK-SAME: guards = [{{.*}}range(extent(0, 1), 0, 65536),
  // CHECK-LABEL: gpu.func @wider_131072_aligned
  // CHECK-SAME: keeps = 131072>
  // CHECK-SAME: block = [256], cluster = [4]
  // CHECK-LABEL: gpu.func @wider_262144_aligned
  // CHECK-SAME: keeps = 262144>
  // CHECK-SAME: block = [256], cluster = [8]
  // CHECK-LABEL: gpu.func @wider(
  // ENGINE-LABEL: gpu.func @wider_65536_aligned
  // ENGINE: carousel.load {{.*}} fill(-inf) engine<bulk> : {{.*}}, memref<1x32768xbf16
  // ENGINE: vector.load {{.*}} memref<1x32768xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
  // ENGINE: carousel.cluster.gather
  gpu.func @wider(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !m, vector<262144xbf16>
    %most = vector.multi_reduction <maxnumf>, %v, %lowest [0] : vector<262144xbf16> to bf16
    %mosts = vector.broadcast %most : bf16 to vector<262144xbf16>
    %d = arith.subf %v, %mosts : vector<262144xbf16>
    vector.transfer_write %d, %y[%row, %c0] : vector<262144xbf16>, !m
    gpu.return
  }

  // With weights of 32 bits, CTAs of a cluster keep their parts of them, and go through the rows. Each has the programs of its
  // cluster, gathers the results of reductions, and one of them writes what isn't a part of a row.
  // CHECK-LABEL: gpu.func @large_weights_8192_aligned
  // CHECK-SAME: grid = [min(extent(0, 0), resident)], block = [256]>
  // CHECK-LABEL: gpu.func @large_weights_16384_aligned
  // CHECK-SAME: carousel.block_program = #carousel.block_program<programs = 1>
  // CHECK-SAME: grid = [min(extent(0, 0), ceildiv(resident, 2)) * 2], block = [256], cluster = [2]>
  // CHECK-SAME: guards = [{{.*}}range(extent(0, 1), 0, 16384),
  // CHECK-SAME: nvvm.maxnreg = 128
  // CHECK: %[[ID:.*]] = gpu.block_id x
  // CHECK: %[[RANK:.*]] = arith.andi %[[ID]], %c1
  // CHECK: %[[BEGIN:.*]] = arith.muli %[[RANK]], %c8192
  // CHECK: %[[REST:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
  // CHECK: vector.create_mask %[[REST]] : vector<8192xi1>
  // CHECK: %[[AT_W:.*]] = arith.addi %{{.*}}, %[[BEGIN]]
  // CHECK: vector.transfer_read %{{.*}}[%[[AT_W]]], %{{.*}} vector<8192xf32>
  // CHECK: %[[FIRST:.*]] = arith.shrui %{{.*}}, %c1
  // CHECK: %[[STEP:.*]] = arith.shrui %{{.*}}, %c1
  // CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %{{.*}} step %[[STEP]]
  // CHECK:   %[[AT:.*]] = arith.addi %{{.*}}, %[[BEGIN]]
  // CHECK:   vector.transfer_read %{{.*}}[%[[ROW]], %[[AT]]], %{{.*}} vector<8192xbf16>
  // CHECK:   %[[PART:.*]] = vector.multi_reduction <add>
  // CHECK:   %[[PARTS:.*]] = carousel.cluster.gather %[[PART]] : f32 -> vector<2xf32>
  // CHECK:   %[[SUM:.*]] = vector.multi_reduction <add>, %[[PARTS]]
  // CHECK:   vector.transfer_write %{{.*}}[%[[ROW]],
  // CHECK:   %[[WRITES:.*]] = arith.cmpi eq, %[[RANK]], %c0
  // CHECK:   scf.if %[[WRITES]] {
  // CHECK-NEXT: memref.store %[[SUM]], %{{.*}}[%[[ROW]]]
  // CHECK: } {carousel.pipeline = #carousel.pipeline<>}
  // CHECK-LABEL: gpu.func @large_weights(
  gpu.func @large_weights(%x: !m, %w: memref<?xf32, #gl>, %b: memref<?xf32, #gl>, %y: !m, %sums: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 16384, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<16384xf32>
    %row = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %v = vector.transfer_read %x[%row, %c0], %pad : !m, vector<16384xbf16>
    %e = arith.extf %v : vector<16384xbf16> to vector<16384xf32>
    %mask = vector.create_mask %n : vector<16384xi1>
    %p = arith.select %mask, %e, %zeros : vector<16384xi1>, vector<16384xf32>
    %sum = vector.multi_reduction <add>, %p, %zero [0] : vector<16384xf32> to f32
    %all = vector.broadcast %sum : f32 to vector<16384xf32>
    %ws = vector.transfer_read %w[%c0], %zero : memref<?xf32, #gl>, vector<16384xf32>
    %bs = vector.transfer_read %b[%c0], %zero : memref<?xf32, #gl>, vector<16384xf32>
    %d = arith.mulf %p, %ws : vector<16384xf32>
    %f = arith.addf %d, %bs : vector<16384xf32>
    %g = arith.addf %f, %all : vector<16384xf32>
    %o = arith.truncf %g : vector<16384xf32> to vector<16384xbf16>
    vector.transfer_write %o, %y[%row, %c0] : vector<16384xbf16>, !m
    memref.store %sum, %sums[%row] : memref<?xf32, #gl>
    gpu.return
  }

  // A kernel that says what it keeps does so on each chip.
  // CHECK-LABEL: gpu.func @given_aligned
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), programs = 1, keeps = 256>
  // CHECK-SAME: guards = [{{.*}}range(extent(0, 1), 0, 256), aligned(0, 16),
  // CHECK-LABEL: gpu.func @given(
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), programs = 1, keeps = 256>
  // CHECK-SAME: block = [64]
  // CHECK-SAME: guards = [{{.*}}range(extent(0, 1), 0, 256)]
  // NONE-LABEL: gpu.func @given(
  // NONE-SAME: keeps = 256
  // NONE-NOT: gpu.func
  gpu.func @given(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xbf16>
    %sum = vector.multi_reduction <add>, %v, %zero [0] : vector<64xbf16> to bf16
    %sums = vector.broadcast %sum : bf16 to vector<64xbf16>
    %d = arith.mulf %v, %sums : vector<64xbf16>
    vector.transfer_write %d, %y[%row, %c0] : vector<64xbf16>, !m
    gpu.return
  }
}
