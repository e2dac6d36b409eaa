// All tiles of a product give the bits of the block phase: sums of small integers are exact. One multiprocessor goes
// through several tiles. Rows of 67 elements have no engine: eight warps copy them, beside consumers.
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// DEFINE: %{even} = --arg x=iota:136x72 --arg w=iota:72x264 --arg bias=iota:264
// DEFINE: %{odd} = --arg x=iota:70x67 --arg w=iota:67x131 --arg bias=iota:131
// RUN: carousel-sim %s --kernel @matmul %{even} --arg y=empty:136x264 --out y=%t.even.npy --quiet --again --kernel @matmul %{odd} --arg y=empty:70x131 --out y=%t.odd.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @matmul_aligned_tma --multiprocessors 1 --policy all %{even} --arg y=empty:136x264 --expect y=%t.even.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @matmul_128x128_aligned_tma --multiprocessors 1 --policy all %{even} --arg y=empty:136x264 --expect y=%t.even.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @matmul_64x128_aligned_tma --multiprocessors 1 --policy all %{even} --arg y=empty:136x264 --expect y=%t.even.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @matmul_64x64_aligned_tma --multiprocessors 1 --policy all %{even} --arg y=empty:136x264 --expect y=%t.even.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @matmul_128x256_cluster2_aligned_tma --multiprocessors 2 --policy all %{even} --arg y=empty:136x264 --expect y=%t.even.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @matmul_64x128 --multiprocessors 1 --policy all %{odd} --arg y=empty:70x131 --expect y=%t.odd.npy --quiet

// Numbers of programs that are quotients and remainders by constants follow the tile, too, the rows' before the columns'.
// DEFINE: %{batch} = --arg x=iota:2x256x64 --arg w=iota:2x64x256
// RUN: carousel-sim %s --kernel @batched %{batch} --arg y=empty:2x256x256 --out y=%t.batch.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @batched_128x256_aligned_tma --policy all %{batch} --arg y=empty:2x256x256 --expect y=%t.batch.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @batched_64x64_aligned_tma --policy all %{batch} --arg y=empty:2x256x256 --expect y=%t.batch.npy --quiet

// CHECK: gpu.func @matmul_64x128_aligned_tma
// CHECK: gpu.func @matmul_aligned_tma
// CHECK: gpu.func @matmul_128x128_aligned_tma
// CHECK: gpu.func @matmul_64x64_aligned_tma
// CHECK: gpu.func @matmul_64x128({{.*}} block = [384]
// CHECK: carousel.fence.proxy async_shared_cta

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!bytes = memref<?x?xf16, strided<[?, 1], offset: ?>, #gl>
!words = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!sums = vector<128x256xf32>

gpu.module @m {
  gpu.func @matmul(
      %x: !bytes {carousel.argument = #carousel.argument<"x", in>}, %w: !bytes {carousel.argument = #carousel.argument<"w", in>},
      %bias: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"bias", in>},
      %y: !words {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 1), 256), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !bytes
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !bytes, vector<128x64xf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !bytes, vector<64x256xf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xf16>, vector<64x256xf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %row = vector.transfer_read %bias[%j], %none : memref<?xf32, #gl>, vector<256xf32>
    %rows = vector.broadcast %row : vector<256xf32> to !sums
    %v = arith.addf %sum, %rows : !sums
    vector.transfer_write %v, %y[%i, %j] : !sums, !words
    gpu.return
  }

  gpu.func @batched(
      %x: memref<2x256x64xf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %w: memref<2x64x256xf16, #gl> {carousel.argument = #carousel.argument<"w", in>},
      %y: memref<2x256x256xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<
        grid = [2 * ceildiv(256, 128) * ceildiv(256, 128)]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : f16
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %id = gpu.block_id x
    %down = arith.remui %id, %c2 : index
    %rest = arith.divui %id, %c2 : index
    %across = arith.remui %rest, %c2 : index
    %b = arith.divui %rest, %c2 : index
    %i = arith.muli %down, %c128 : index
    %j = arith.muli %across, %c128 : index
    %sum = scf.for %k = %c0 to %c64 step %c64 iter_args(%acc = %zeros) -> (vector<128x128xf32>) {
      %xt = vector.transfer_read %x[%b, %i, %k], %pad {in_bounds = [true, true]} : memref<2x256x64xf16, #gl>, vector<128x64xf16>
      %wt = vector.transfer_read %w[%b, %k, %j], %pad {in_bounds = [true, true]} : memref<2x64x256xf16, #gl>, vector<64x128xf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xf16>, vector<64x128xf16> into vector<128x128xf32>
      scf.yield %next : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%b, %i, %j] {in_bounds = [true, true]} : vector<128x128xf32>, memref<2x256x256xf32, #gl>
    gpu.return
  }
}
