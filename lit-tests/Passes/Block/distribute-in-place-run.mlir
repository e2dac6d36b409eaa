// Results that are computed in the tile of what a program reads: every variant gives what the program means, for several
// programs of a CTA. Extents are one off a tile, smaller than one, or 0.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a --require-variants --
// DEFINE: %{m} = 129
// DEFINE: %{n} = 136
// DEFINE: %{k} = 72
// DEFINE: %{factors} = --arg x=random:%{m}x%{k}@72x1 --arg w=random:%{n}x%{k}@72x1:1
// DEFINE: %{gate} = --kernel @gate %{factors} --arg r=random:%{m}x%{n}@136x1:2 --arg s=random:%{m}x%{n}@136x1:3 --arg y=empty:%{m}x%{n}@136x1 --arg z=like:y
// DEFINE: %{check_gate} = carousel-sim %s %{gate} --out y=%t.y.npy --out z=%t.z.npy && %{lowered} %{gate} --multiprocessors 1 --schedules 2 --expect y=%t.y.npy --expect z=%t.z.npy --rtol 0.0079 --atol 1e-3
// DEFINE: %{add} = --kernel @add %{factors} --arg y=random:%{m}x%{n}@136x1:2
// DEFINE: %{check_add} = carousel-sim %s %{add} --out y=%t.y.npy && %{lowered} %{add} --multiprocessors 1 --policy all --expect y=%t.y.npy --rtol 0.0079 --atol 1e-3
// RUN: %{check_gate}
// RUN: %{check_add}
// REDEFINE: %{k} = 0
// RUN: %{check_gate}
// REDEFINE: %{m} = 1
// REDEFINE: %{n} = 135
// REDEFINE: %{k} = 1
// RUN: %{check_gate}
// RUN: %{check_add}

#gl = #gpu.address_space<global>
#maps = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  // The first result takes the tile of `r`, the second one has its own, and threads read `s`.
  gpu.func @gate(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                 %r: !matrix {carousel.argument = #carousel.argument<"r", in>}, %s: !matrix {carousel.argument = #carousel.argument<"s", in>},
                 %y: !matrix {carousel.argument = #carousel.argument<"y", out>}, %z: !matrix {carousel.argument = #carousel.argument<"z", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
                         carousel.launch = #carousel.launch<grid = [ceildiv(extent(4, 1), 128), ceildiv(extent(4, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %row = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %column = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sums = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x128xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad : !matrix, vector<128x64xbf16>
      %next = vector.contract #maps %a, %b, %acc : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
      scf.yield %next : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %r16 = vector.transfer_read %r[%row, %column], %pad : !matrix, vector<128x128xbf16>
    %s16 = vector.transfer_read %s[%row, %column], %pad : !matrix, vector<128x128xbf16>
    %r32 = arith.extf %r16 : vector<128x128xbf16> to vector<128x128xf32>
    %s32 = arith.extf %s16 : vector<128x128xbf16> to vector<128x128xf32>
    %gate = arith.mulf %sums, %r32 : vector<128x128xf32>
    %gated = arith.addf %gate, %s32 : vector<128x128xf32>
    %y16 = arith.truncf %gated : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %y16, %y[%row, %column] : vector<128x128xbf16>, !matrix
    %other = arith.subf %r32, %sums : vector<128x128xf32>
    %z16 = arith.truncf %other : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %z16, %z[%row, %column] : vector<128x128xbf16>, !matrix
    gpu.return
  }

  // What is read is written.
  gpu.func @add(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                %y: !matrix {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
                         carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 256), ceildiv(extent(2, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %row = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %column = affine.apply affine_map<(d) -> (d * 256)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sums = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad : !matrix, vector<256x64xbf16>
      %next = vector.contract #maps %a, %b, %acc : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %next : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %old = vector.transfer_read %y[%row, %column], %pad : !matrix, vector<128x256xbf16>
    %wide = arith.extf %old : vector<128x256xbf16> to vector<128x256xf32>
    %sum = arith.addf %sums, %wide : vector<128x256xf32>
    %y16 = arith.truncf %sum : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %y16, %y[%row, %column] : vector<128x256xbf16>, !matrix
    gpu.return
  }
}
