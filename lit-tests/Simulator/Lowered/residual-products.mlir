// A product with a bias and a residual, which are read ahead of its sums, in tiles of which some end behind the last row: the
// same bits as at the block phase.
// RUN: carousel-opt %s --carousel-lower='chip=sm_90a variants=true' -o %t.mlir
// RUN: carousel-sim %s --kernel @product --arg x=random:200x128 --arg w=random:256x128:1 --arg b=random:256:2 --arg r=random:200x256:3 --arg y=empty:200x256 --out y=%t.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @product_64x128_aligned_tma --multiprocessors 1 --arg x=random:200x128 --arg w=random:256x128:1 --arg b=random:256:2 --arg r=random:200x256:3 --arg y=empty:200x256 --expect y=%t.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @product_64x128_tma --multiprocessors 1 --arg x=random:200x128 --arg w=random:256x128:1 --arg b=random:256:2 --arg r=random:200x256:3 --arg y=empty:200x256 --expect y=%t.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @product_128x256_aligned_tma --multiprocessors 1 --arg x=random:200x128 --arg w=random:256x128:1 --arg b=random:256:2 --arg r=random:200x256:3 --arg y=empty:200x256 --expect y=%t.npy --quiet

#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>

gpu.module @kernels {
  gpu.func @product(%arg0: memref<200x128xbf16, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"x", in>}, %arg1: memref<256x128xbf16, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"w", in>}, %arg2: memref<256xbf16, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"b", in>}, %arg3: memref<200x256xbf16, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"r", in>}, %arg4: memref<200x256xbf16, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [ceildiv(256, 128), ceildiv(200, 128)]>} {
    %cst = arith.constant 0.000000e+00 : bf16
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant dense<0.000000e+00> : vector<128x128xf32>
    %c128 = arith.constant 128 : index
    %block_id_x = gpu.block_id  x
    %block_id_y = gpu.block_id  y
    %0 = arith.muli %block_id_x, %c128 : index
    %1 = arith.muli %block_id_y, %c128 : index
    %2 = scf.for %arg5 = %c0 to %c128 step %c64 iter_args(%arg6 = %cst_0) -> (vector<128x128xf32>) {
      %10 = vector.transfer_read %arg0[%1, %arg5], %cst {in_bounds = [false, true]} : memref<200x128xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
      %11 = vector.transfer_read %arg1[%0, %arg5], %cst {in_bounds = [true, true]} : memref<256x128xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
      %12 = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %10, %11, %arg6 : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
      scf.yield %12 : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %3 = vector.transfer_read %arg2[%0], %cst {in_bounds = [true]} : memref<256xbf16, #gpu.address_space<global>>, vector<128xbf16>
    %4 = vector.transfer_read %arg3[%1, %0], %cst {in_bounds = [false, true]} : memref<200x256xbf16, #gpu.address_space<global>>, vector<128x128xbf16>
    %5 = arith.extf %3 : vector<128xbf16> to vector<128xf32>
    %6 = vector.broadcast %5 : vector<128xf32> to vector<128x128xf32>
    %7 = arith.addf %2, %6 : vector<128x128xf32>
    %8 = arith.truncf %7 : vector<128x128xf32> to vector<128x128xbf16>
    %9 = arith.addf %8, %4 : vector<128x128xbf16>
    vector.transfer_write %9, %arg4[%1, %0] {in_bounds = [false, true]} : vector<128x128xbf16>, memref<200x256xbf16, #gpu.address_space<global>>
    gpu.return
  }
}
