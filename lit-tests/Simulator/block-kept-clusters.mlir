// CTAs of a cluster keep their parts of rows in tiles. The machine phase gives what whole rows give at the block phase,
// wherever rows end: before the part of a CTA, in its first chunk, beside the ends of parts and chunks, and at the last one.
// Rows of 257 and 1023 elements aren't multiples of 16 bytes.
// RUN: sed 's/width = 64, covers = extent(0, 1), keeps = 1024/width = 1024, covers = extent(0, 1)/; s/, cluster = .4.//; s/vector<64x/vector<1024x/g' %s > %t.wide.mlir
// RUN: sed 's/cluster = .4./cluster = [2]/' %s > %t.2.mlir
// RUN: sed 's/cluster = .4./cluster = [8]/' %s > %t.8.mlir
// DEFINE: %{x} =
// DEFINE: %{file} = %s
// DEFINE: %{args} = --kernel @center --arg x=random:3%{x} --arg r=random:3%{x}:1 --arg y=like:x --arg sums=empty:3
// DEFINE: %{block} = carousel-sim %t.wide.mlir %{args} --out y=%t.npy --out sums=%t.sums.npy --quiet
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --chip sm_90a,sm_100a
// DEFINE: %{machine} = %{lowered} %{file} -- %{args} --expect y=%t.npy --expect sums=%t.sums.npy --rtol 1e-5 --atol 1e-5 --quiet
// REDEFINE: %{x} = x8
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x248
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x256
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x257
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x264
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x704@712x1
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x1023
// RUN: %{block} && %{machine}
// REDEFINE: %{file} = %t.2.mlir
// RUN: %{machine}
// REDEFINE: %{file} = %t.8.mlir
// RUN: %{machine}
// REDEFINE: %{file} = %s
// REDEFINE: %{x} = x1024
// RUN: %{block} && %{machine} --schedules 3
// No variant is for wider rows.
// REDEFINE: %{x} = x1025
// RUN: not %{machine} | FileCheck %s
// CHECK: not run: expected range(extent(0, 1), 0, 1024), got 1025
// Between the passes, each CTA's one thread executes the program for its part.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-stream-rows,carousel-verify-block))' -o %t.parts.mlir
// REDEFINE: %{x} = x704
// RUN: %{block} && carousel-sim %t.parts.mlir %{args} --expect y=%t.npy --expect sums=%t.sums.npy --rtol 1e-5 --atol 1e-5 --schedules 3 --quiet
// What all programs read comes a chunk ahead.
// DEFINE: %{n} =
// DEFINE: %{weighted} = --kernel @weighted --arg x=random:3%{x} --arg w=random:%{n}:1 --arg y=like:x
// REDEFINE: %{n} = 704
// RUN: carousel-sim %t.wide.mlir %{weighted} --out y=%t.npy --quiet
// RUN: %{lowered} %s -- %{weighted} --expect y=%t.npy --rtol 1e-5 --atol 1e-5 --quiet
// REDEFINE: %{n} = 257
// REDEFINE: %{x} = x257
// RUN: carousel-sim %t.wide.mlir %{weighted} --out y=%t.npy --quiet
// RUN: %{lowered} %s -- %{weighted} --expect y=%t.npy --rtol 1e-5 --atol 1e-5 --quiet
// Indices of elements, and numbers of fewer than 32 bits.
// DEFINE: %{index} = --kernel @argmax --arg x=random:3x704 --arg value=empty:3 --arg index=empty:3 --arg programs=empty:3
// DEFINE: %{expect} = --expect value=%t.value.npy --expect index=%t.index.npy --expect programs=%t.programs.npy
// RUN: carousel-sim %t.wide.mlir %{index} --out value=%t.value.npy --out index=%t.index.npy --out programs=%t.programs.npy --quiet
// RUN: %{lowered} %s -- %{index} %{expect} --quiet
// RUN: carousel-sim %t.parts.mlir %{index} %{expect} --quiet

#gl = #gpu.address_space<global>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!matrix16 = memref<?x?xf16, #gl>
!row = vector<64xf32>
gpu.module @m {
  // Two rows in tiles, one after its first reduction. A mask and a scalar per program.
  gpu.func @center(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                   %r: !matrix {carousel.argument = #carousel.argument<"r", in>},
                   %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
                   %sums: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"sums", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 1024>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %lowest = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %row = gpu.block_id x
    %n = memref.dim %x, %c1 : !matrix
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix, !row
    %most = vector.multi_reduction <maxnumf>, %v, %lowest [0] : !row to f32
    %mosts = vector.broadcast %most : f32 to !row
    %d = arith.subf %v, %mosts : !row
    %e = math.exp %d : !row
    %w = vector.transfer_read %r[%row, %c0], %zero : !matrix, !row
    %outer = arith.addf %e, %w : !row
    %exists = vector.create_mask %n : vector<64xi1>
    %p = arith.select %exists, %outer, %zeros : vector<64xi1>, !row
    // The initial value counts once, and not for each CTA.
    %sum = vector.multi_reduction <add>, %p, %one [0] : !row to f32
    %all = vector.broadcast %sum : f32 to !row
    %q = arith.addf %p, %all : !row
    vector.transfer_write %q, %y[%row, %c0] : !row, !matrix
    memref.store %sum, %sums[%row] : memref<?xf32, #gl>
    gpu.return
  }

  gpu.func @argmax(%x: !matrix16 {carousel.argument = #carousel.argument<"x", in>},
                   %value: memref<?xf16, #gl> {carousel.argument = #carousel.argument<"value", out>},
                   %index: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"index", out>},
                   %programs: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"programs", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 1024>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFC00 : f16
    %last = arith.constant 0x7FFFFFFF : index
    %row = gpu.block_id x
    %rows = gpu.grid_dim x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix16, vector<64xf16>
    %max = vector.multi_reduction <maximumf>, %v, %lowest [0] : vector<64xf16> to f16
    %maxes = vector.broadcast %max : f16 to vector<64xf16>
    %found = arith.cmpf oeq, %v, %maxes : vector<64xf16>
    %steps = vector.step : vector<64xindex>
    %lasts = vector.broadcast %last : index to vector<64xindex>
    %own = arith.select %found, %steps, %lasts : vector<64xi1>, vector<64xindex>
    %first = vector.multi_reduction <minsi>, %own, %last [0] : vector<64xindex> to index
    %first64 = arith.index_cast %first : index to i64
    %rows64 = arith.index_cast %rows : index to i64
    memref.store %max, %value[%row] : memref<?xf16, #gl>
    memref.store %first64, %index[%row] : memref<?xi64, #gl>
    memref.store %rows64, %programs[%row] : memref<?xi64, #gl>
    gpu.return
  }

  gpu.func @weighted(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                     %w: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"w", in>},
                     %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 1024>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !matrix, !row
    %sum = vector.multi_reduction <add>, %v, %zero [0] : !row to f32
    %sums = vector.broadcast %sum : f32 to !row
    %d = arith.addf %v, %sums : !row
    %ws = vector.transfer_read %w[%c0], %zero : memref<?xf32, #gl>, !row
    %e = arith.mulf %d, %ws : !row
    vector.transfer_write %e, %y[%row, %c0] : !row, !matrix
    gpu.return
  }
}
