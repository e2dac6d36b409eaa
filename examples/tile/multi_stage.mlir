// Kernels of several inputs whose rings differ in depth, at the tile phase.
//
// - @four_inputs: out = ((a + b) * c) + d. One loop in which each of the four inputs has a ring of
//   its own, so that threads continue with a tile as soon as it has landed.
// - @amax_scale: for each row i, s = the largest |a[i, :] * b[i, :]| and out[i, :] = s * c[i, :] +
//   d[i, :]. Two loops in a persistent one, each with a ring of its own: a and b in four stages, c
//   and d in two. Neither ring restarts with the next rows.
// - @weighted_rows: out[i, :] = w[i] * x[i, :]. Two nested loops that both have a ring. The ring of
//   w has two stages and a tile per iteration of the outer loop. The ring of x has four stages and a
//   tile per iteration of the inner loop.
//
//   carousel-sim multi_stage.mlir --kernel @amax_scale --reference @amax_scale_reference \
//     --arg a=random:13x300 --arg b=random:13x300:1 --arg c=random:13x300:2 \
//     --arg d=random:13x300:3 --arg out=like:a --schedules 4 --policy all
//
// No result depends on the order in which anything is done, so references get the same bits.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!flat = memref<1024xf32, #ws>
!tile = memref<8x128xf32, #ws>
!weights = memref<8xf32, #ws>
!quad = vector<4xf32>

gpu.module @multi_stage {
  gpu.func @four_inputs(
      %a: !vector {carousel.argument = #carousel.argument<"a", in>},
      %b: !vector {carousel.argument = #carousel.argument<"b", in>},
      %c: !vector {carousel.argument = #carousel.argument<"c", in>},
      %d: !vector {carousel.argument = #carousel.argument<"d", in>},
      %out: !vector {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 1024), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c1024 : index
    %step = arith.muli %blocks, %c1024 : index
    %n = memref.dim %a, %c0 : !vector
    %j = arith.muli %thread, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : !flat
    %bs = memref.alloc() {alignment = 128 : i64} : !flat
    %cs = memref.alloc() {alignment = 128 : i64} : !flat
    %ds = memref.alloc() {alignment = 128 : i64} : !flat
    %outs = memref.alloc() {alignment = 128 : i64} : !flat
    scf.for %i = %first to %n step %step {
      carousel.load %a[%i] to %as : !vector, !flat
      %av = vector.load %as[%j] {alignment = 16 : i64} : !flat, !quad
      carousel.load %b[%i] to %bs : !vector, !flat
      %bv = vector.load %bs[%j] {alignment = 16 : i64} : !flat, !quad
      %ab = arith.addf %av, %bv : !quad
      carousel.load %c[%i] to %cs : !vector, !flat
      %cv = vector.load %cs[%j] {alignment = 16 : i64} : !flat, !quad
      carousel.load %d[%i] to %ds : !vector, !flat
      %dv = vector.load %ds[%j] {alignment = 16 : i64} : !flat, !quad
      %v = math.fma %ab, %cv, %dv : !quad
      vector.store %v, %outs[%j] {alignment = 16 : i64} : !flat, !quad
      carousel.store %outs to %out[%i] : !flat, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = [3, 3, 2, 2]>}
    gpu.return
  }

  // A warp has a row of the tile, a lane 4 of its 128 columns.
  gpu.func @amax_scale(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %c: !matrix {carousel.argument = #carousel.argument<"c", in>},
      %d: !matrix {carousel.argument = #carousel.argument<"d", in>},
      %out: !matrix {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 8), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zeros = arith.constant dense<0.0> : !quad
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c8 : index
    %step = arith.muli %blocks, %c8 : index
    %rows = memref.dim %a, %c0 : !matrix
    %columns = memref.dim %a, %c1 : !matrix
    %mine = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %j = arith.muli %lane, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : !tile
    %bs = memref.alloc() {alignment = 128 : i64} : !tile
    %cs = memref.alloc() {alignment = 128 : i64} : !tile
    %ds = memref.alloc() {alignment = 128 : i64} : !tile
    %outs = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %rows step %step {
      %largest = scf.for %column = %c0 to %columns step %c128 iter_args(%acc = %zeros) -> (!quad) {
        carousel.load %a[%i, %column] to %as : !matrix, !tile
        carousel.load %b[%i, %column] to %bs : !matrix, !tile
        %av = vector.load %as[%mine, %j] {alignment = 16 : i64} : !tile, !quad
        %bv = vector.load %bs[%mine, %j] {alignment = 16 : i64} : !tile, !quad
        %ab = arith.mulf %av, %bv : !quad
        %abs = math.absf %ab : !quad
        %next = arith.maximumf %acc, %abs : !quad
        scf.yield %next : !quad
      } {carousel.pipeline = #carousel.pipeline<stages = 4>}
      %of_lane = vector.reduction <maximumf>, %largest : !quad into f32
      %of_row = gpu.subgroup_reduce maximumf %of_lane : (f32) -> f32
      %scale = vector.broadcast %of_row : f32 to !quad
      scf.for %column = %c0 to %columns step %c128 {
        carousel.load %c[%i, %column] to %cs : !matrix, !tile
        carousel.load %d[%i, %column] to %ds : !matrix, !tile
        %cv = vector.load %cs[%mine, %j] {alignment = 16 : i64} : !tile, !quad
        %dv = vector.load %ds[%mine, %j] {alignment = 16 : i64} : !tile, !quad
        %v = math.fma %scale, %cv, %dv : !quad
        vector.store %v, %outs[%mine, %j] {alignment = 16 : i64} : !tile, !quad
        carousel.store %outs to %out[%i, %column] : !tile, !matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    }
    gpu.return
  }

  gpu.func @weighted_rows(
      %w: !vector {carousel.argument = #carousel.argument<"w", in>},
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %out: !matrix {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(1, 0), 8), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c8 : index
    %step = arith.muli %blocks, %c8 : index
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %x, %c1 : !matrix
    %mine = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %j = arith.muli %lane, %c4 : index

    %ws = memref.alloc() {alignment = 128 : i64} : !weights
    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %outs = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %rows step %step {
      carousel.load %w[%i] to %ws : !vector, !weights
      %weight = memref.load %ws[%mine] : !weights
      %scale = vector.broadcast %weight : f32 to !quad
      scf.for %column = %c0 to %columns step %c128 {
        carousel.load %x[%i, %column] to %xs : !matrix, !tile
        %xv = vector.load %xs[%mine, %j] {alignment = 16 : i64} : !tile, !quad
        %v = arith.mulf %scale, %xv : !quad
        vector.store %v, %outs[%mine, %j] {alignment = 16 : i64} : !tile, !quad
        carousel.store %outs to %out[%i, %column] : !tile, !matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}

func.func @four_inputs_reference(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>,
                                 %d: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %av = memref.load %a[%i] : memref<?xf32>
    %bv = memref.load %b[%i] : memref<?xf32>
    %cv = memref.load %c[%i] : memref<?xf32>
    %dv = memref.load %d[%i] : memref<?xf32>
    %ab = arith.addf %av, %bv : f32
    %v = math.fma %ab, %cv, %dv : f32
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}

func.func @amax_scale_reference(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                               %b: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                               %c: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                               %d: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                               %out: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %a, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %a, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %largest = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %zero) -> (f32) {
      %av = memref.load %a[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %bv = memref.load %b[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %ab = arith.mulf %av, %bv : f32
      %abs = math.absf %ab : f32
      %next = arith.maximumf %acc, %abs : f32
      scf.yield %next : f32
    }
    scf.for %j = %c0 to %columns step %c1 {
      %cv = memref.load %c[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %dv = memref.load %d[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %v = math.fma %largest, %cv, %dv : f32
      memref.store %v, %out[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}

func.func @weighted_rows_reference(%w: memref<?xf32>,
                                   %x: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                                   %out: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %weight = memref.load %w[%i] : memref<?xf32>
    scf.for %j = %c0 to %columns step %c1 {
      %xv = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %v = arith.mulf %weight, %xv : f32
      memref.store %v, %out[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
