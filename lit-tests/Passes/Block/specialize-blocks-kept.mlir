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
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 32768), aligned(0, 16), divisible(extent(0, 1), 8), aligned(1, 16), divisible(extent(1, 1), 8)]
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
  // CHECK-SAME: width = 4096, covers = extent(0, 1), programs = 1, keeps = 16384>
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
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 65536),
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

  // A kernel that says what it keeps does so on each chip.
  // CHECK-LABEL: gpu.func @given_aligned
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), programs = 1, keeps = 256>
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 256), aligned(0, 16),
  // CHECK-LABEL: gpu.func @given(
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), programs = 1, keeps = 256>
  // CHECK-SAME: block = [64]
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 256)]
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
