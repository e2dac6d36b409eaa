// Products of a factor that threads have in registers, and of factors that loads round to tf32, compute the same at all
// phases: of rows that engines copy, and of others; of no depth, and of less than a slot.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{same} = carousel-sim %s --kernel %{kernel} %{args} --out y=%t.npy --quiet && env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a -- --kernel %{kernel} %{args} --expect y=%t.npy --quiet
// REDEFINE: %{kernel} = @along
// REDEFINE: %{args} = --arg x=random:70x72 --arg w=random:68x72:1 --arg y=empty:70x68
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:65x37 --arg w=random:66x37:1 --arg y=empty:65x66
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:3x0 --arg w=random:4x0:1 --arg y=empty:3x4
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:65x131 --arg w=random:66x131:1 --arg y=empty:65x66
// RUN: %{same}
// REDEFINE: %{kernel} = @across
// REDEFINE: %{args} = --arg x=random:70x72 --arg w=random:72x68:1 --arg y=empty:70x68
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:65x37 --arg w=random:37x66:1 --arg y=empty:65x66
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:3x0 --arg w=random:0x4:1 --arg y=empty:3x4
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:65x131 --arg w=random:131x193:1 --arg y=empty:65x193
// RUN: %{same}
// REDEFINE: %{kernel} = @bytes_across
// REDEFINE: %{args} = --arg x=random:70x160 --arg w=random:160x80:1 --arg y=empty:70x80
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:65x37 --arg w=random:37x66:1 --arg y=empty:65x66
// RUN: %{same}
// REDEFINE: %{kernel} = @scaled
// REDEFINE: %{args} = --arg x=random:70x72 --arg w=random:72x72:1 --arg y=empty:70x72
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:65x37 --arg w=random:66x37:1 --arg y=empty:65x66
// RUN: %{same}
// REDEFINE: %{kernel} = @few_rows
// REDEFINE: %{args} = --arg x=random:35x72 --arg w=random:72x72:1 --arg y=empty:35x72
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:1x37 --arg w=random:66x37:1 --arg y=empty:1x66
// RUN: %{same}
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' | FileCheck %s

// CHECK-LABEL: gpu.func @along_tma
// CHECK-SAME: tensor_map<64x32xtf32, swizzle = b128>
// CHECK-SAME: tensor_map<64x32xtf32, swizzle = b128>
// CHECK: carousel.wgmma.wait 1
// CHECK-LABEL: gpu.func @across_tma
// CHECK: carousel.wgmma.mma %{{.*}}, %{{.*}}, %{{.*}} {a_type = f32}
// CHECK: carousel.wgmma.wait 1, %{{.*}} : !carousel.wgmma_registers<vector<4x1xi32>>
// CHECK-LABEL: gpu.func @few_rows_tma
// CHECK: carousel.wgmma.mma %{{.*}}, %{{.*}}, %{{.*}} : !carousel.matrix_descriptor<bf16, k>, !carousel.matrix_descriptor<bf16, k>, !carousel.wgmma_registers<vector<4x2x2xf32>>

#gl = #gpu.address_space<global>
#along = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
#across = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#y = #carousel.argument<"y", out>
// One block: other tiles have tests of their own.
#launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 64), ceildiv(extent(2, 0), 64)], block = [128]>
!floats = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!bytes = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!words = memref<?x?xi32, strided<[?, 1], offset: ?>, #gl>
!halves = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  gpu.func @along(%x: !floats {carousel.argument = #x}, %w: !floats {carousel.argument = #w}, %y: !floats {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 32 : index
    %pad = arith.constant 0.0 : f32
    %pad_w = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !floats
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !floats, vector<64x32xf32>
      %wt = vector.transfer_read %w[%j, %k], %pad_w : !floats, vector<64x32xf32>
      %xr = carousel.round_tf32 %xt : vector<64x32xf32>
      %wr = carousel.round_tf32 %wt : vector<64x32xf32>
      %next = vector.contract #along %xr, %wr, %acc : vector<64x32xf32>, vector<64x32xf32> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<64x64xf32>, !floats
    gpu.return
  }

  gpu.func @across(%x: !floats {carousel.argument = #x}, %w: !floats {carousel.argument = #w}, %y: !floats {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 32 : index
    %pad = arith.constant 0.0 : f32
    %pad_w = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !floats
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !floats, vector<64x32xf32>
      %wt = vector.transfer_read %w[%k, %j], %pad_w : !floats, vector<32x64xf32>
      %xr = carousel.round_tf32 %xt : vector<64x32xf32>
      %wr = carousel.round_tf32 %wt : vector<32x64xf32>
      %next = vector.contract #across %xr, %wr, %acc : vector<64x32xf32>, vector<32x64xf32> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<64x64xf32>, !floats
    gpu.return
  }

  gpu.func @bytes_across(%x: !bytes {carousel.argument = #x}, %w: !bytes {carousel.argument = #w}, %y: !words {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 64 : index
    %pad = arith.constant 0 : i8
    %pad_w = arith.constant 0 : i8
    %zeros = arith.constant dense<0> : vector<64x64xi32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !bytes
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (vector<64x64xi32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !bytes, vector<64x64xi8>
      %wt = vector.transfer_read %w[%k, %j], %pad_w : !bytes, vector<64x64xi8>
      %next = vector.contract #across %xt, %wt, %acc : vector<64x64xi8>, vector<64x64xi8> into vector<64x64xi32>
      scf.yield %next : vector<64x64xi32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<64x64xi32>, !words
    gpu.return
  }

  // The first factor is computed, and results have 16 bits.
  gpu.func @scaled(%x: !halves {carousel.argument = #x}, %w: !halves {carousel.argument = #w}, %y: !halves {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 32 : index
    %pad = arith.constant 0.0 : bf16
    %pad_w = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !halves
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !halves, vector<64x32xbf16>
      %wt = vector.transfer_read %w[%j, %k], %pad_w : !halves, vector<64x32xbf16>
      %twice = arith.addf %xt, %xt : vector<64x32xbf16>
      %next = vector.contract #along %twice, %wt, %acc : vector<64x32xbf16>, vector<64x32xbf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %half = arith.truncf %sum : vector<64x64xf32> to vector<64x64xbf16>
    vector.transfer_write %half, %y[%i, %j] : vector<64x64xbf16>, !halves
    gpu.return
  }

  // Few rows are the columns of instructions, whose rows are those of w.
  gpu.func @few_rows(%x: !halves {carousel.argument = #x}, %w: !halves {carousel.argument = #w}, %y: !halves {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(2, 1), 64), ceildiv(extent(2, 0), 32)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant 32 : index
    %pad = arith.constant 0.0 : bf16
    %pad_w = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<32x64xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 32)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !halves
    %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (vector<32x64xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !halves, vector<32x32xbf16>
      %wt = vector.transfer_read %w[%j, %k], %pad_w : !halves, vector<64x32xbf16>
      %next = vector.contract #along %xt, %wt, %acc : vector<32x32xbf16>, vector<64x32xbf16> into vector<32x64xf32>
      scf.yield %next : vector<32x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %half = arith.truncf %sum : vector<32x64xf32> to vector<32x64xbf16>
    vector.transfer_write %half, %y[%i, %j] : vector<32x64xbf16>, !halves
    gpu.return
  }
}
