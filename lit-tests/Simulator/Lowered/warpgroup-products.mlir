// Products by warpgroups among other ops: the simulated machine gets the same bits at all phases.
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a -o %t.mlir
// RUN: carousel-sim %s --kernel @called --arg x=random:70x72 --arg w=random:40x72:1 --arg y=empty:70x40 --out y=%t.0.npy --quiet --again --kernel @read_back --arg x=random:70x72 --arg w=random:40x72:1 --arg y=random:70x40:2 --out y=%t.1.npy --quiet --again --kernel @gram --arg x=random:76x72 --arg y=empty:76x76 --out y=%t.2.npy --quiet --again --kernel @requested --arg x=random:70x72 --arg w=random:40x72:1 --arg y=random:70x40:2 --out y=%t.3.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @called_tma --multiprocessors 1 --policy all --arg x=random:70x72 --arg w=random:40x72:1 --arg y=empty:70x40 --expect y=%t.0.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @read_back --multiprocessors 1 --policy all --arg x=random:70x72 --arg w=random:40x72:1 --arg y=random:70x40:2 --expect y=%t.1.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @gram_tma --multiprocessors 1 --policy all --arg x=random:76x72 --arg y=empty:76x76 --expect y=%t.2.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @requested --multiprocessors 1 --arg x=random:70x72 --arg w=random:40x72:1 --arg y=random:70x40:2 --expect y=%t.3.npy --quiet
// RUN: FileCheck %s --input-file %t.mlir

// CHECK-LABEL: gpu.func @called_tma
// CHECK-SAME: min(ceildiv(extent(2, 1), 16) * ceildiv(extent(2, 0), 64), resident)
// CHECK: wgmma.mma
// CHECK-LABEL: gpu.func @gram_tma
// CHECK: wgmma.mma
// CHECK-LABEL: gpu.func @requested
// CHECK-NOT: wgmma.mma

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#y = #carousel.argument<"y", out>
#z = #carousel.argument<"y", inout>
#program = #carousel.block_program<>
// A second warpgroup that has columns between those of the first.
#between = #carousel.layout<register = [[0, 1], [8, 0], [0, 16]],
    lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [0, 8]]>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!floats = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  // The id of the program is in the loop, by a call.
  func.func private @step(%x: !matrix, %w: !matrix, %k: index, %sum: vector<64x16xf32>)
      -> vector<64x16xf32> {
    %pad = arith.constant 0.0 : bf16
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 16)>(%across)
    %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<64x16xbf16>
    %wt = vector.transfer_read %w[%j, %k], %pad : !matrix, vector<16x16xbf16>
    %next = vector.contract #product %xt, %wt, %sum
        : vector<64x16xbf16>, vector<16x16xbf16> into vector<64x16xf32>
    return %next : vector<64x16xf32>
  }
  gpu.func @called(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %y: !floats {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 16), ceildiv(extent(2, 0), 64)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zeros = arith.constant dense<0.0> : vector<64x16xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 16)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %zeros) -> (vector<64x16xf32>) {
      %next = func.call @step(%x, %w, %k, %s)
          : (!matrix, !matrix, index, vector<64x16xf32>) -> vector<64x16xf32>
      scf.yield %next : vector<64x16xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<64x16xf32>, !floats
    gpu.return
  }

  // Other threads read what a warpgroup has stored.
  gpu.func @read_back(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %y: !floats {carousel.argument = #z})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 16), ceildiv(extent(2, 0), 128)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x16xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 16)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %zeros) -> (vector<128x16xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x16xbf16>
      %wt = vector.transfer_read %w[%j, %k], %pad : !matrix, vector<16x16xbf16>
      %next = vector.contract #product %xt, %wt, %s
          : vector<128x16xbf16>, vector<16x16xbf16> into vector<128x16xf32>
      scf.yield %next : vector<128x16xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<128x16xf32>, !floats
    %back = vector.transfer_read %y[%i, %j], %none {permutation_map = affine_map<(a, b) -> (b, a)>}
        : !floats, vector<16x128xf32>
    %twice = arith.addf %back, %back : vector<16x128xf32>
    vector.transfer_write %twice, %y[%i, %j] {permutation_map = affine_map<(a, b) -> (b, a)>}
        : vector<16x128xf32>, !floats
    gpu.return
  }

  // Both factors are one tile, of the rows of x in the first 64.
  gpu.func @gram(
      %x: !matrix {carousel.argument = #x}, %y: !floats {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(1, 0), 64)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %down = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %zeros) -> (vector<64x64xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<64x16xbf16>
      %next = vector.contract #product %xt, %xt, %s
          : vector<64x16xbf16>, vector<64x16xbf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %i] : vector<64x64xf32>, !floats
    gpu.return
  }

  gpu.func @requested(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %y: !floats {carousel.argument = #z})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 32), ceildiv(extent(2, 0), 64)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 32)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %before = vector.transfer_read %y[%i, %j], %none {carousel.layout = #between}
        : !floats, vector<64x32xf32>
    %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %before) -> (vector<64x32xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<64x16xbf16>
      %wt = vector.transfer_read %w[%j, %k], %pad : !matrix, vector<32x16xbf16>
      %next = vector.contract #product %xt, %wt, %s
          : vector<64x16xbf16>, vector<32x16xbf16> into vector<64x32xf32>
      scf.yield %next : vector<64x32xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<64x32xf32>, !floats
    gpu.return
  }
}
