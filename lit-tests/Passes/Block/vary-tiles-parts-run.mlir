// The CTAs of a cluster divide the iterations of a product's loop, and add their sums: every variant gives what the program
// means, exactly in integers. Extents are one off a tile; parts have an iteration more than others, or none.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a --require-variants --
// DEFINE: %{k} = 601
// DEFINE: %{pitch} = 608
// DEFINE: %{integers} = --kernel @integers --arg x=random:65x%{k}@%{pitch}x1 --arg w=random:127x%{k}@%{pitch}x1:1 --arg start=random:65x128:2 --arg y=empty:65x128
// DEFINE: %{norm} = --kernel @norm --arg x=random:129x%{k}@%{pitch}x1 --arg w=random:%{k}x72:1 --arg bias=random:72:2 --arg y=empty:129x72
// DEFINE: %{gram} = --kernel @gram --arg x=random:132x%{k}@144x1 --arg y=empty:132x132
// DEFINE: %{columns} = --kernel @columns --arg x=random:9x%{k}@144x1 --arg w=random:127x%{k}@144x1:1 --arg y=empty:16x128
// DEFINE: %{check} = carousel-sim %s %{integers} --out y=%t.npy && %{lowered} %{integers} --schedules 3 --expect y=%t.npy
// DEFINE: %{check_norm} = carousel-sim %s %{norm} --out y=%t.npy && %{lowered} %{norm} --schedules 3 --expect y=%t.npy --rtol 0.0079 --atol 1e-3
// RUN: %{check}
// RUN: %{check_norm}
// REDEFINE: %{k} = 0
// RUN: %{check}
// RUN: %{check_norm}
// REDEFINE: %{k} = 1
// RUN: %{check}
// RUN: %{check_norm}
// REDEFINE: %{k} = 131
// RUN: carousel-sim %s %{gram} --out y=%t.npy && %{lowered} %{gram} --policy all --expect y=%t.npy
// RUN: carousel-sim %s %{columns} --out y=%t.npy && %{lowered} %{columns} --policy all --expect y=%t.npy

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#start = #carousel.argument<"start", in>
#bias = #carousel.argument<"bias", in>
#y = #carousel.argument<"y", out>
!bytes = memref<?x?xi8, strided<[?, 1], offset: ?>, #gl>
!ints = memref<?x?xi32, #gl>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
gpu.module @m {
  // Sums begin with what is read, which counts once.
  gpu.func @integers(
      %x: !bytes {carousel.argument = #x}, %w: !bytes {carousel.argument = #w}, %start: !ints {carousel.argument = #start},
      %y: !ints {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.parts = 8 : i64,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0 : i8
    %none = arith.constant 0 : i32
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !bytes
    %first = vector.transfer_read %start[%i, %j], %none : !ints, vector<128x128xi32>
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %first) -> (vector<128x128xi32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !bytes, vector<128x64xi8>
      %wt = vector.transfer_read %w[%j, %k], %pad : !bytes, vector<128x64xi8>
      %next = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
          %xt, %wt, %acc : vector<128x64xi8>, vector<128x64xi8> into vector<128x128xi32>
      scf.yield %next : vector<128x128xi32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<128x128xi32>, !ints
    gpu.return
  }

  // Two sums: of products, and of the squares of a row. What follows is computed once for each element.
  gpu.func @norm(
      %x: !matrix {carousel.argument = #x}, %w: !matrix {carousel.argument = #w},
      %bias: memref<?xf32, #gl> {carousel.argument = #bias}, %y: !matrix {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.parts = 4 : i64,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %half = arith.constant dense<0.5> : vector<128x128xf32>
    %least = arith.constant dense<1.0> : vector<128xf32>
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %empty = arith.constant dense<0.0> : vector<128xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum, %squares = scf.for %k = %c0 to %depth step %c64
        iter_args(%acc = %zeros, %of_row = %empty) -> (vector<128x128xf32>, vector<128xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
          %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into vector<128x128xf32>
      %wide = arith.extf %xt : vector<128x64xbf16> to vector<128x64xf32>
      %square = arith.mulf %wide, %wide : vector<128x64xf32>
      %all = vector.multi_reduction <add>, %square, %of_row [1] : vector<128x64xf32> to vector<128xf32>
      scf.yield %next, %all : vector<128x128xf32>, vector<128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %b = vector.transfer_read %bias[%j], %none : memref<?xf32, #gl>, vector<128xf32>
    %rows = vector.broadcast %b : vector<128xf32> to vector<128x128xf32>
    %positive = arith.addf %squares, %least : vector<128xf32>
    %scale = math.rsqrt %positive : vector<128xf32>
    %column = vector.shape_cast %scale : vector<128xf32> to vector<128x1xf32>
    %scales = vector.broadcast %column : vector<128x1xf32> to vector<128x128xf32>
    %scaled = arith.mulf %sum, %scales : vector<128x128xf32>
    %v = arith.addf %scaled, %rows : vector<128x128xf32>
    %e = math.erf %v : vector<128x128xf32>
    %h = arith.mulf %v, %half : vector<128x128xf32>
    %g = math.fma %h, %e, %h : vector<128x128xf32>
    %y16 = arith.truncf %g : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %y16, %y[%i, %j] : vector<128x128xbf16>, !matrix
    gpu.return
  }

  // Equal expressions along both dimensions of the grid.
  gpu.func @gram(%x: !bytes {carousel.argument = #x}, %y: !ints {carousel.argument = #y}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.parts = 2 : i64,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 128), ceildiv(extent(0, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0 : i8
    %zeros = arith.constant dense<0> : vector<128x128xi32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !bytes
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x128xi32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !bytes, vector<128x64xi8>
      %wt = vector.transfer_read %x[%j, %k], %pad : !bytes, vector<128x64xi8>
      %next = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
          %xt, %wt, %acc : vector<128x64xi8>, vector<128x64xi8> into vector<128x128xi32>
      scf.yield %next : vector<128x128xi32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<128x128xi32>, !ints
    gpu.return
  }

  // CTAs have parts of the columns.
  gpu.func @columns(
      %x: !bytes {carousel.argument = #x}, %w: !bytes {carousel.argument = #w}, %y: !ints {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.parts = 8 : i64,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0 : i8
    %zeros = arith.constant dense<0> : vector<16x128xi32>
    %across = gpu.block_id x
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !bytes
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<16x128xi32>) {
      %xt = vector.transfer_read %x[%c0, %k], %pad : !bytes, vector<16x64xi8>
      %wt = vector.transfer_read %w[%j, %k], %pad : !bytes, vector<128x64xi8>
      %next = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
          %xt, %wt, %acc : vector<16x64xi8>, vector<128x64xi8> into vector<16x128xi32>
      scf.yield %next : vector<16x128xi32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%c0, %j] : vector<16x128xi32>, !ints
    gpu.return
  }
}
