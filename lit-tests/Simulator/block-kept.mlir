// Rows in tiles give at the machine phase what whole rows give at the block phase, wherever they end: in the first chunk, at
// the ends of chunks and beside them, and at the tile's end. Rows of 1001 elements aren't multiples of 16 bytes.
// RUN: sed 's/width = 256, covers = extent(0, 1), keeps = 1024/width = 1024, covers = extent(0, 1)/; s/vector<256x/vector<1024x/g' %s > %t.wide.mlir
// DEFINE: %{x} =
// DEFINE: %{chips} = sm_80,sm_90a,sm_100a
// DEFINE: %{block} = carousel-sim %t.wide.mlir --kernel @center --arg x=random:3%{x} --arg r=random:3%{x}:1 --arg y=like:x --out y=%t.npy --quiet
// DEFINE: %{machine} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip %{chips} -- --kernel @center --arg x=random:3%{x} --arg r=random:3%{x}:1 --arg y=like:x --expect y=%t.npy --rtol 1e-5 --atol 1e-5 --quiet
// REDEFINE: %{x} = x8
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x248
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x256
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x264
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x520
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x1001
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x1001@1008x1
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x1016
// RUN: %{block} && %{machine}
// REDEFINE: %{x} = x1024
// RUN: %{block} && %{machine}
// No variant is for wider rows.
// REDEFINE: %{x} = x1025
// RUN: not %{machine} | FileCheck %s
// CHECK: not run: expected range(extent(0, 1), 0, 1024), got 1025

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>>
!row = vector<256xf32>
gpu.module @m {
  // Two rows in tiles, one after its first reduction.
  gpu.func @center(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                   %r: !matrix {carousel.argument = #carousel.argument<"r", in>},
                   %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 256, covers = extent(0, 1), keeps = 1024>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix, !row
    %most = vector.multi_reduction <maxnumf>, %v, %lowest [0] : !row to f32
    %mosts = vector.broadcast %most : f32 to !row
    %d = arith.subf %v, %mosts : !row
    %e = math.exp %d : !row
    %w = vector.transfer_read %r[%row, %c0], %zero : !matrix, !row
    %p = arith.mulf %e, %w : !row
    %sum = vector.multi_reduction <add>, %p, %zero [0] : !row to f32
    %sums = vector.broadcast %sum : f32 to !row
    %q = arith.addf %p, %sums : !row
    vector.transfer_write %q, %y[%row, %c0] : !row, !matrix
    gpu.return
  }
}
