// Products of 8-bit floats by warpgroups: sums of 128 of k are promoted to f32, one or two of them in a tile. Factors are small
// integers, so that all phases give the same: no iteration, one and several, ragged extents, roles and all schedules.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{block} = carousel-sim %s --kernel @%{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{lowered} = carousel-sim %t.mlir --kernel @%{kernel}_tma %{args} --expect y=%t.npy --quiet --policy all --schedules 2 --multiprocessors 2
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// REDEFINE: %{kernel} = two_parts
// REDEFINE: %{args} = --arg x=iota:130x784:7 --arg w=iota:80x784:5 --arg y=empty:130x80
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=iota:64x16:7 --arg w=iota:64x16:5 --arg y=empty:64x64
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = one_part
// REDEFINE: %{args} = --arg x=iota:70x400:7 --arg w=iota:72x400:5 --arg y=empty:70x72
// RUN: %{block}
// RUN: %{lowered}
// Parts that are scaled: one, two, three, four, and five with a ragged one.
// REDEFINE: %{kernel} = scaled
// REDEFINE: %{args} = --arg x=iota:70x128:7 --arg w=iota:72x128:5 --arg s=iota:70x1:3 --arg y=empty:70x72
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=iota:64x256:7 --arg w=iota:64x256:5 --arg s=iota:64x2:3 --arg y=empty:64x64
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=iota:64x384:7 --arg w=iota:64x384:5 --arg s=iota:64x3:3 --arg y=empty:64x64
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=iota:64x512:7 --arg w=iota:64x512:5 --arg s=iota:64x4:3 --arg y=empty:64x64
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg x=iota:130x528:7 --arg w=iota:72x528:5 --arg s=iota:130x5:3 --arg y=empty:130x72
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{lowered} = carousel-sim %t.mlir --kernel @%{kernel} %{args} --expect y=%t.npy --quiet --policy random
// REDEFINE: %{args} = --arg x=empty:64x0 --arg w=empty:64x0 --arg s=empty:64x0 --arg y=empty:64x64
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = one_part
// REDEFINE: %{args} = --arg x=empty:64x0 --arg w=empty:64x0 --arg y=empty:64x64
// RUN: %{block}
// RUN: %{lowered}
// A kernel that extends the factors gets sums of f32.
// RUN: sed '/^ /s/%next = vector.contract #product %xt, %wt/%xe = arith.extf %xt : !x2 to vector<64x256xf32>\n %we = arith.extf %wt : !w2 to vector<64x256xf32>\n %next = vector.contract #product %xe, %we/; /^ /s/: !x2, !w2 into/: vector<64x256xf32>, vector<64x256xf32> into/' %s | carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks,carousel-distribute))' | FileCheck %s --check-prefix=EXTENDED

// CHECK-LABEL: gpu.func @two_parts_tma
// CHECK-COUNT-8: carousel.wgmma.mma
// CHECK: carousel.wgmma.wait 1
// CHECK: arith.addf
// CHECK: carousel.wgmma.wait 0
// CHECK-LABEL: gpu.func @one_part_tma
// CHECK-COUNT-4: carousel.wgmma.mma
// CHECK-NOT: carousel.wgmma.wait 1
// CHECK: carousel.wgmma.wait 0
// CHECK-LABEL: gpu.func @scaled_tma
// CHECK: carousel.wgmma.wait 1
// CHECK: math.fma
// CHECK: carousel.wgmma.wait 1
// CHECK: math.fma
// CHECK: scf.yield
// EXTENDED-LABEL: gpu.func @two_parts
// EXTENDED-NOT: promote
// EXTENDED: xf16
// EXTENDED-LABEL: gpu.func @one_part
// EXTENDED: promote(128)

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
!x = memref<?x?xf8E4M3FN, strided<[?, 1], offset: ?>, #gl>
!w = memref<?x?xf8E5M2, strided<[?, 1], offset: ?>, #gl>
!y = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!x2 = vector<64x256xf8E4M3FN>
!w2 = vector<64x256xf8E4M3FN>
!x1 = vector<64x128xf8E5M2>
!w1 = vector<64x128xf8E5M2>
!sums = vector<64x64xf32>

gpu.module @m {
  gpu.func @two_parts(%x: !x {carousel.argument = #carousel.argument<"x", in>}, %w: !x {carousel.argument = #carousel.argument<"w", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 64), ceildiv(extent(2, 0), 64)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 256 : index
    %px = arith.constant 0.0 : f8E4M3FN
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !x
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %px : !x, !x2
      %wt = vector.transfer_read %w[%j, %k], %px : !x, !w2
      %next = vector.contract #product %xt, %wt, %acc : !x2, !w2 into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, !y
    gpu.return
  }
  gpu.func @one_part(%x: !w {carousel.argument = #carousel.argument<"x", in>}, %w: !w {carousel.argument = #carousel.argument<"w", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 64), ceildiv(extent(2, 0), 64)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 128 : index
    %pw = arith.constant 0.0 : f8E5M2
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !w
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pw : !w, !x1
      %wt = vector.transfer_read %w[%j, %k], %pw : !w, !w1
      %other = vector.contract #product %xt, %wt, %acc : !x1, !w1 into !sums
      scf.yield %other : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, !y
    gpu.return
  }
  gpu.func @scaled(%x: !x {carousel.argument = #carousel.argument<"x", in>}, %w: !x {carousel.argument = #carousel.argument<"w", in>},
      %s: !y {carousel.argument = #carousel.argument<"s", in>}, %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(3, 1), 64), ceildiv(extent(3, 0), 64)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 128 : index
    %px = arith.constant 0.0 : f8E4M3FN
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !x
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %px : !x, vector<64x128xf8E4M3FN>
      %wt = vector.transfer_read %w[%j, %k], %px : !x, vector<64x128xf8E4M3FN>
      %part = vector.contract #product %xt, %wt, %zeros : vector<64x128xf8E4M3FN>, vector<64x128xf8E4M3FN> into !sums
      %b = arith.divui %k, %step : index
      %scale = vector.transfer_read %s[%i, %b], %none : !y, vector<64x1xf32>
      %scales = vector.broadcast %scale : vector<64x1xf32> to !sums
      %next = math.fma %part, %scales, %acc : !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, !y
    gpu.return
  }
}
