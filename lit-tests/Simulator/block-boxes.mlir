// Factors that are boxes of pixels, multiplied by warpgroups as matrices of their rows: rounded to tf32 before and after the
// change of shape, where the load rounds, and boxes of bf16 that are transposed. Numbers up to 12240 aren't tf32's, and all sums
// are exact, so that the lowered kernels give the bits of the block phase only if each factor is rounded once.
// DEFINE: %{kernel} =
// DEFINE: %{args} = --arg x=iota:9x17x80 --arg w=iota:32x80:3 --arg y=empty:9x17x32
// DEFINE: %{block} = carousel-sim %s --kernel @%{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{machine} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a -- --kernel @%{kernel} %{args} --expect y=%t.npy --quiet

// REDEFINE: %{kernel} = rounded_last
// RUN: %{block} && %{machine}
// REDEFINE: %{kernel} = rounded_first
// RUN: %{block} && %{machine}
// REDEFINE: %{args} = --arg x=iota:9x17x80:128 --arg w=iota:32x80:3 --arg y=empty:9x17x32
// REDEFINE: %{kernel} = halves
// RUN: %{block} && %{machine}

// The tile of three dimensions is the product's, and the load rounds it.
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a --mlir-print-ir-after=carousel-distribute -o /dev/null 2>&1 | FileCheck %s
// CHECK-LABEL: gpu.func @rounded_last_aligned
// CHECK-NOT: carousel.round_tf32
// CHECK: carousel.multiply {{.*}} : memref<8x16x32xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: gpu.func @rounded_first_aligned
// CHECK-NOT: carousel.round_tf32
// CHECK: carousel.multiply {{.*}} : memref<8x16x32xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: gpu.func @halves_aligned
// CHECK: carousel.multiply {{.*}} : memref<8x16x64xbf16, #gpu.address_space<workgroup>>, memref<64x32xbf16

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#tall = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 16), ceildiv(extent(2, 0), 8)]>
#program = #carousel.block_program<>
!image = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>, #gl>
!weights = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!half_image = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!half_weights = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!sums = vector<128x32xf32>

gpu.module @boxes {
  gpu.func @rounded_last(
      %x: !image {carousel.argument = #carousel.argument<"x", in>}, %w: !weights {carousel.argument = #carousel.argument<"w", in>},
      %y: !image {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %step = arith.constant 32 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 8)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 16)>(%across)
    %depth = memref.dim %x, %c2 : !image
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (!sums) {
      %b = vector.transfer_read %x[%i, %j, %k], %pad : !image, vector<8x16x32xf32>
      %m = vector.shape_cast %b : vector<8x16x32xf32> to vector<128x32xf32>
      %l = carousel.round_tf32 %m : vector<128x32xf32>
      %wt = vector.transfer_read %w[%c0, %k], %pad : !weights, vector<32x32xf32>
      %r = carousel.round_tf32 %wt : vector<32x32xf32>
      %next = vector.contract #tall %l, %r, %acc : vector<128x32xf32>, vector<32x32xf32> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %box = vector.shape_cast %sum : !sums to vector<8x16x32xf32>
    vector.transfer_write %box, %y[%i, %j, %c0] : vector<8x16x32xf32>, !image
    gpu.return
  }

  gpu.func @rounded_first(
      %x: !image {carousel.argument = #carousel.argument<"x", in>}, %w: !weights {carousel.argument = #carousel.argument<"w", in>},
      %y: !image {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %step = arith.constant 32 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 8)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 16)>(%across)
    %depth = memref.dim %x, %c2 : !image
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (!sums) {
      %b = vector.transfer_read %x[%i, %j, %k], %pad : !image, vector<8x16x32xf32>
      %l = carousel.round_tf32 %b : vector<8x16x32xf32>
      %m = vector.shape_cast %l : vector<8x16x32xf32> to vector<128x32xf32>
      %wt = vector.transfer_read %w[%c0, %k], %pad : !weights, vector<32x32xf32>
      %r = carousel.round_tf32 %wt : vector<32x32xf32>
      %next = vector.contract #tall %m, %r, %acc : vector<128x32xf32>, vector<32x32xf32> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %box = vector.shape_cast %sum : !sums to vector<8x16x32xf32>
    vector.transfer_write %box, %y[%i, %j, %c0] : vector<8x16x32xf32>, !image
    gpu.return
  }

  gpu.func @halves(
      %x: !half_image {carousel.argument = #carousel.argument<"x", in>}, %w: !half_weights {carousel.argument = #carousel.argument<"w", in>},
      %y: !image {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %step = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 8)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 16)>(%across)
    %depth = memref.dim %x, %c2 : !half_image
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (!sums) {
      %b = vector.transfer_read %x[%i, %j, %k], %pad : !half_image, vector<8x16x64xbf16>
      %m = vector.shape_cast %b : vector<8x16x64xbf16> to vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %c0], %pad : !half_weights, vector<64x32xbf16>
      %next = vector.contract #product %m, %wt, %acc : vector<128x64xbf16>, vector<64x32xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %box = vector.shape_cast %sum : !sums to vector<8x16x32xf32>
    vector.transfer_write %box, %y[%i, %j, %c0] : vector<8x16x32xf32>, !image
    gpu.return
  }
}
