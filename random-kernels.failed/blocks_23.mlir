// scripts/random-kernels --kind blocks --seed 23 --count 1 --chip sm_90a --schedules 1  # lower sm_90a: refused: 'vector.broadcast' op expected at most 224 registers of a thread for a vector, got 256 in a block of 64 threads
// carousel-sim --kernel @blocks_23 --arg x0=random:2x4x2x2@24x6x3x1:27 --arg x1=random:2x7x5@91x13x1:26 --arg y2=empty:2x7x4x5 --arg x3=random:9x104x33x1@6864x66x2x1:27 --arg x4=random:34x33@36x1:25 --arg y5=empty:2x34x32
#gl = #gpu.address_space<global>
gpu.module @random {
  gpu.func @blocks_23(
      %x0: memref<?x?x?x?xi64, strided<[?, ?, ?, 1], offset: ?>, #gl> {carousel.argument = #carousel.argument<"x0", in>},
      %x1: memref<?x?x?xi32, strided<[?, ?, 1], offset: ?>, #gl> {carousel.argument = #carousel.argument<"x1", in>},
      %y2: memref<?x?x?x?xi64, #gl> {carousel.argument = #carousel.argument<"y2", out>},
      %x3: memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>, #gl> {carousel.argument = #carousel.argument<"x3", in>},
      %x4: memref<?x?xi8, strided<[?, 1], offset: ?>, #gl> {carousel.argument = #carousel.argument<"x4", in>},
      %y5: memref<?x?x?xi8, #gl> {carousel.argument = #carousel.argument<"y5", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>,
        carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k2 = arith.constant 0 : i64
    %k3 = arith.constant dense<3> : vector<7x4x5xi32>
    %k4 = arith.constant dense<2> : vector<7x4x5xi32>
    %k5 = arith.constant 5 : i32
    %c5 = arith.constant 5 : index
    %c3 = arith.constant 3 : index
    %k8 = arith.constant 5.0 : f32
    %k9 = arith.constant dense<5> : vector<33x32xi32>
    %k10 = arith.constant dense<0> : vector<33x32xi32>
    %k11 = arith.constant 2 : i8
    %program = gpu.block_id x
    %v1 = vector.transfer_read %x0[%program, %c0, %c1, %c0], %k2 {in_bounds = [false, false, false]} : memref<?x?x?x?xi64, strided<[?, ?, ?, 1], offset: ?>, #gl>, vector<7x4x5xi64>
    %v2 = arith.cmpi eq, %k3, %k4 : vector<7x4x5xi32>
    %v3 = arith.select %v2, %v1, %v1 : vector<7x4x5xi1>, vector<7x4x5xi64>
    %v4 = vector.transfer_read %x1[%program, %c1, %c0], %k5 {in_bounds = [true, true]} : memref<?x?x?xi32, strided<[?, ?, 1], offset: ?>, #gl>, vector<1x4xi32>
    %v5 = vector.create_mask %c5, %c3, %c5 : vector<7x4x5xi1>
    vector.transfer_write %v1, %y2[%program, %c0, %c0, %c0], %v5 : vector<7x4x5xi64>, memref<?x?x?x?xi64, #gl>
    %v6 = vector.transpose %v1, [0, 2, 1] : vector<7x4x5xi64> to vector<7x5x4xi64>
    %v7 = vector.step : vector<1xindex>
    %v8 = vector.broadcast %v7 : vector<1xindex> to vector<1x100x33x1xindex>
    %v9 = vector.broadcast %v7 : vector<1xindex> to vector<1x100x33x1xindex>
    %v10 = arith.cmpi ult, %v9, %v8 : vector<1x100x33x1xindex>
    %v11 = vector.transfer_read %x3[%c3, %c3, %c0, %c0], %k8, %v10 {in_bounds = [true, true, true, true]} : memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>, #gl>, vector<1x100x33x1xf32>
    %v12 = arith.cmpi eq, %k9, %k10 : vector<33x32xi32>
    %v13 = vector.transfer_read %x4[%c0, %c1], %k11, %v12 {in_bounds = [true, true]} : memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>, vector<33x32xi8>
    vector.transfer_write %v13, %y5[%program, %c0, %c0] {permutation_map = affine_map<(d0, d1, d2) -> (d2, d1)>} : vector<33x32xi8>, memref<?x?x?xi8, #gl>
    gpu.return
  }
}
