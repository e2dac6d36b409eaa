// Variants by width and alignment. Vectors of the covered extent become narrower, and each variant has its own block.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks))' --remarks-filter=carousel-specialize-blocks --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks{variants=false}))' | FileCheck %s --check-prefix=ONE

#gl = #gpu.address_space<global>
!m = memref<?x?xbf16, #gl>
!f = memref<?x?xf32, #gl>
!row = vector<65536xf32>
!v = memref<?xf32, #gl>

gpu.module @m {
  // DOC-EXAMPLE: --carousel-specialize-blocks
  // CHECK-LABEL: gpu.func @rows_64_aligned
  // CHECK-SAME: carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), programs = 16>
  // CHECK-SAME: block = [64]
  // CHECK-SAME: guards = [range(extent(0, 1) - extent(1, 1), 0, 9223372036854775807), range(extent(0, 1), 0, 64), aligned(0, 16), divisible(extent(0, 1), 8), aligned(1, 16), divisible(extent(1, 1), 8)]
  // CHECK: vector.transfer_read {{.*}} vector<64xbf16>
  // CHECK: arith.constant dense<2.000000e+00> : vector<64xbf16>
  // CHECK-LABEL: gpu.func @rows_128_aligned
  // CHECK: vector<128xbf16>
  // CHECK-LABEL: gpu.func @rows_streamed_aligned
  // CHECK-SAME: guards = [{{.*}}7), aligned(0, 16), divisible(extent(0, 1), 8), aligned(1, 16), divisible(extent(1, 1), 8)]
  // CHECK-LABEL: gpu.func @rows_128
  // CHECK-SAME: guards = [{{.*}}7), range(extent(0, 1), 0, 128)]
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME: carousel.variant = #carousel.variant<kernel = "rows", guards = [range(extent(0, 1) - extent(1, 1), 0, 9223372036854775807)]>
  // ONE-LABEL: gpu.func @rows
  // ONE-SAME: block = [64]
  // ONE-NOT: gpu.func @rows_
  // expected-remark @below {{64_aligned: width 64, 64 threads, 16 programs, 16-byte accesses}}
  // expected-remark @below {{128_aligned: width 128, 64 threads, 8 programs, 16-byte accesses}}
  // expected-remark @below {{streamed_aligned: chunks of 128, 64 threads, 8 programs, 16-byte accesses}}
  // expected-remark @below {{64: width 64, 64 threads, 16 programs}}
  // expected-remark @below {{128: width 128, 64 threads, 8 programs}}
  // expected-remark @below {{last: chunks of 128, 64 threads, 8 programs}}
  gpu.func @rows(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 128, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %pad : !m, vector<128xbf16>
    %two = arith.constant dense<2.0> : vector<128xbf16>
    %w = arith.mulf %v, %two : vector<128xbf16>
    vector.transfer_write %w, %y[%row, %c0] : vector<128xbf16>, !m
    gpu.return
  }

  // Four vectors of 4 bytes are live across the reduction: %a, %b, %w and the sum. Wider ones don't fit, and the loop
  // goes over chunks.
  // CHECK-LABEL: gpu.func @loop_8192_aligned
  // CHECK-NOT: gpu.func @loop_16384_aligned
  // CHECK-LABEL: gpu.func @loop_streamed_aligned(
  // CHECK-SAME: guards = [{{.*}}7), aligned(0, 16), divisible(extent(0, 1), 4), aligned(1, 16), divisible(extent(1, 1), 4)]
  // CHECK-LABEL: gpu.func @loop(
  // CHECK-SAME: carousel.variant = #carousel.variant<kernel = "loop", guards = [range(extent(0, 1) - extent(1, 1), 0, 9223372036854775807)]>
  // expected-remark @below {{64_aligned: width 64, 64 threads, 16 programs, 16-byte accesses}}
  // expected-remark @below {{128_aligned: width 128, 64 threads, 8 programs, 16-byte accesses}}
  // expected-remark @below {{256_aligned: width 256, 64 threads, 4 programs, 16-byte accesses}}
  // expected-remark @below {{512_aligned: width 512, 64 threads, 2 programs, 16-byte accesses}}
  // expected-remark @below {{1024_aligned: width 1024, 64 threads, 1 programs, 16-byte accesses}}
  // expected-remark @below {{2048_aligned: width 2048, 128 threads, 1 programs, 16-byte accesses}}
  // expected-remark @below {{4096_aligned: width 4096, 256 threads, 1 programs, 16-byte accesses}}
  // expected-remark @below {{8192_aligned: width 8192, 512 threads, 1 programs, 16-byte accesses}}
  // expected-remark @below {{streamed_aligned: chunks of 8192, 512 threads, 1 programs, 16-byte accesses}}
  // expected-remark @below {{64: width 64, 64 threads, 16 programs}}
  // expected-remark @below {{128: width 128, 64 threads, 8 programs}}
  // expected-remark @below {{256: width 256, 64 threads, 4 programs}}
  // expected-remark @below {{512: width 512, 64 threads, 2 programs}}
  // expected-remark @below {{1024: width 1024, 64 threads, 1 programs}}
  // expected-remark @below {{2048: width 2048, 128 threads, 1 programs}}
  // expected-remark @below {{4096: width 4096, 256 threads, 1 programs}}
  // expected-remark @below {{8192: width 8192, 512 threads, 1 programs}}
  // expected-remark @below {{last: chunks of 8192, 512 threads, 1 programs}}
  gpu.func @loop(%x: !f, %y: !f) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 65536, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !f
    %w = vector.transfer_read %x[%c0, %c0], %zero : !f, !row
    %sums = scf.for %i = %block to %rows step %c1 iter_args(%sum = %zeros) -> (!row) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !f, !row
      %a = arith.addf %v, %w : !row
      %b = arith.mulf %v, %w : !row
      %s = vector.multi_reduction <add>, %b, %zero [0] : !row to f32
      %ss = vector.broadcast %s : f32 to !row
      %c = arith.addf %a, %ss : !row
      %d = arith.addf %b, %c : !row
      %next = arith.addf %d, %sum : !row
      scf.yield %next : !row
    }
    vector.transfer_write %sums, %y[%block, %c0] : !row, !f
    gpu.return
  }

  // A loop that reduces what it carries can't go over chunks: the widest vectors bound the extent.
  // CHECK-LABEL: gpu.func @norms(
  // CHECK-SAME: guards = [{{.*}}7), range(extent(0, 1), 0, 64)]
  // expected-remark @below {{64_aligned: width 64, 64 threads, 16 programs, 16-byte accesses}}
  // expected-remark @below {{last: width 64, 64 threads, 16 programs}}
  // expected-remark @below {{no launch for extents above 64: it is the kernel's width, and rows can't go in chunks: 'vector.multi_reduction' reduces what a loop carries in each iteration}}
  gpu.func @norms(%x: !f, %y: !f) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !f
    %sums = scf.for %i = %block to %rows step %c1 iter_args(%sum = %zeros) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !f, vector<64xf32>
      // expected-remark @below {{elements beyond #carousel.expr<extent(0, 1)> are masked, got padding that is shared}}
      %s = vector.multi_reduction <add>, %sum, %zero [0] : vector<64xf32> to f32
      %ss = vector.broadcast %s : f32 to vector<64xf32>
      %next = arith.addf %v, %ss : vector<64xf32>
      scf.yield %next : vector<64xf32>
    }
    vector.transfer_write %sums, %y[%block, %c0] : vector<64xf32>, !f
    gpu.return
  }

  // CTAs keep weights of 32 bits that all programs read, and go through the rows.
  // CHECK-LABEL: gpu.func @weights_4096_aligned
  // CHECK-SAME: carousel.launch = #carousel.launch<grid = [min(extent(1, 0), resident)], block = [128]>
  // CHECK: %[[WEIGHTS:.*]] = vector.transfer_read %{{.*}}vector<4096xf32>
  // CHECK: %[[ROWS:.*]] = memref.dim
  // CHECK: %[[FIRST:.*]] = gpu.block_id x
  // CHECK: %[[STEP:.*]] = gpu.grid_dim x
  // CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %[[ROWS]] step %[[STEP]] {
  // CHECK:   vector.transfer_read %{{.*}}[%[[ROW]],
  // CHECK:   vector.transfer_write
  // CHECK: } {carousel.pipeline = #carousel.pipeline<>}
  // expected-remark @below {{64_aligned: width 64, 64 threads, 16 programs, 16-byte accesses}}
  // expected-remark @below {{128_aligned: width 128, 64 threads, 8 programs, 16-byte accesses}}
  // expected-remark @below {{256_aligned: width 256, 64 threads, 4 programs, 16-byte accesses}}
  // expected-remark @below {{512_aligned: width 512, 64 threads, 2 programs, 16-byte accesses}}
  // expected-remark @below {{1024_aligned: width 1024, 64 threads, 1 programs, 16-byte accesses}}
  // expected-remark @below {{2048_aligned: width 2048, 128 threads, 1 programs, 16-byte accesses}}
  // expected-remark @below {{4096_aligned: width 4096, 128 threads, 1 programs, 16-byte accesses, in a loop over programs}}
  // expected-remark @below {{streamed_aligned: chunks of 4096, 256 threads, 2 programs, 16-byte accesses}}
  // expected-remark @below {{64: width 64, 64 threads, 16 programs}}
  // expected-remark @below {{128: width 128, 64 threads, 8 programs}}
  // expected-remark @below {{256: width 256, 64 threads, 4 programs}}
  // expected-remark @below {{512: width 512, 64 threads, 2 programs}}
  // expected-remark @below {{1024: width 1024, 64 threads, 1 programs}}
  // expected-remark @below {{2048: width 2048, 128 threads, 1 programs}}
  // expected-remark @below {{4096: width 4096, 256 threads, 2 programs}}
  // expected-remark @below {{last: chunks of 4096, 256 threads, 2 programs}}
  gpu.func @weights(%w: !v, %x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 4096, covers = extent(1, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %pad = arith.constant 0.0 : bf16
    %block = gpu.block_id x
    %v = vector.transfer_read %x[%block, %c0], %pad : !m, vector<4096xbf16>
    %wide = arith.extf %v : vector<4096xbf16> to vector<4096xf32>
    %ws = vector.transfer_read %w[%c0], %zero : !v, vector<4096xf32>
    %b = vector.transfer_read %w[%c0], %zero : !v, vector<4096xf32>
    %p = arith.mulf %wide, %ws : vector<4096xf32>
    %s = arith.addf %p, %b : vector<4096xf32>
    %n = arith.truncf %s : vector<4096xf32> to vector<4096xbf16>
    vector.transfer_write %n, %y[%block, %c0] : vector<4096xbf16>, !m
    gpu.return
  }

  // What a variant becomes serves the same kernel and has the variant's guards, too.
  // CHECK-LABEL: gpu.func @given
  // CHECK-SAME: block = [128]
  // CHECK-SAME: kernel = "copy", guards = [aligned(0, 16)]
  // expected-remark @below {{last: 128 threads, 1 program}}
  gpu.func @given(%x: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.variant = #carousel.variant<kernel = "copy", guards = [aligned(0, 16)]>,
      carousel.launch = #carousel.launch<grid = [1]>} {
    gpu.return
  }
}
