// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks))' | FileCheck %s

// The order of programs whose products have rows that a list in memory gives: a grid has as many rows
// of tiles as there may be, so the last ones may be empty. Few of them go one by one, and more in
// groups of 16.

#gl = #gpu.address_space<global>
#maps = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!rows = memref<?xi32, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @listed(
  // CHECK: %[[ROWS:.*]] = memref.dim %arg0, %{{.*}} : memref<?xi32,
  // CHECK: %[[SIDE:.*]] = arith.constant 16 : index
  // CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[ROWS]], %[[SIDE]] : index
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[SIZE:.*]] = arith.select %[[FEW]], %[[ONE]], %[[SIDE]] : index
  // CHECK: scf.for
  // CHECK: arith.muli %{{.*}}, %[[SIZE]] : index
  gpu.func @listed(
      %rows: !rows {carousel.argument = #carousel.argument<"rows", in>},
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(3, 1), 256), extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %row = memref.load %rows[%down] : !rows
    %i = arith.index_castui %row : i32 to index
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x256xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x256xbf16>
      %next = vector.contract #maps %xt, %wt, %acc
          : vector<128x64xbf16>, vector<64x256xbf16> into vector<128x256xf32>
      scf.yield %next : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %v, %y[%i, %j] : vector<128x256xbf16>, !matrix
    gpu.return
  }

  // Any other product has all rows of tiles that its grid has.
  // CHECK-LABEL: gpu.func @counted(
  // CHECK-NOT: arith.select
  // CHECK: scf.for
  gpu.func @counted(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(2, 1), 256), ceildiv(extent(0, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x256xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x256xbf16>
      %next = vector.contract #maps %xt, %wt, %acc
          : vector<128x64xbf16>, vector<64x256xbf16> into vector<128x256xf32>
      scf.yield %next : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %v, %y[%i, %j] : vector<128x256xbf16>, !matrix
    gpu.return
  }
}
