// Contractions of block programs compute the same at all phases: by matrix instructions, with factors in tiles and in
// registers, in both orders of their dimensions; and by threads, for other types, extents, kinds and maps. Sums are in
// the order of k, so the bits are equal.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a -- --kernel %{kernel} %{args} --expect y=%t.npy --quiet
// REDEFINE: %{args} = --arg a=random:40x70 --arg b=random:70x40:1 --arg y=zeros:40x40
// REDEFINE: %{kernel} = @in_order
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg a=random:70x40 --arg b=random:40x70:1 --arg y=zeros:40x40
// REDEFINE: %{kernel} = @transposed
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg a=random:32x16 --arg b=random:16x32:1 --arg y=zeros:32x32
// REDEFINE: %{kernel} = @computed
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg a=random:20x9 --arg b=random:9x12:1 --arg y=zeros:20x12
// REDEFINE: %{kernel} = @by_threads
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @largest
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg a=random:3x8x4 --arg b=random:3x4x6:1 --arg y=zeros:3x8x6
// REDEFINE: %{kernel} = @batched
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{args} = --arg a=random:8x32 --arg b=random:32:1 --arg y=zeros:9
// REDEFINE: %{kernel} = @vectors
// RUN: %{block}
// RUN: %{lowered}

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>
#plain = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#turned = {indexing_maps = [#km, #nk, #nm], iterator_types = ["parallel", "parallel", "reduction"]}
#most = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maxnumf>}
#batches = {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                             affine_map<(b, m, n, k) -> (b, m, n)>],
            iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
#rows = {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
         iterator_types = ["parallel", "reduction"]}
#dot = {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
!bf16 = memref<?x?xbf16, #gl>
!f16 = memref<?x?xf16, #gl>
!f32 = memref<?x?xf32, #gl>
!bytes = memref<?x?xi8, #gl>
!ints = memref<?x?xi32, #gl>
!cube = memref<?x?x?xf32, #gl>
!line = memref<?xf32, #gl>
#launch = #carousel.launch<grid = [1], block = [64]>

gpu.module @m {
  // Both factors in tiles, in the order that ldmatrix has for one of them.
  gpu.func @in_order(%a: !bf16 {carousel.argument = #carousel.argument<"a", in>}, %b: !bf16 {carousel.argument = #carousel.argument<"b", in>},
      %y: !f32 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.5> : vector<64x64xf32>
    %depth = memref.dim %a, %c1 : !bf16
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %at = vector.transfer_read %a[%c0, %k], %pad : !bf16, vector<64x32xbf16>
      %bt = vector.transfer_read %b[%k, %c0], %pad : !bf16, vector<32x64xbf16>
      %next = vector.contract #plain %at, %bt, %acc : vector<64x32xbf16>, vector<32x64xbf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<64x64xf32>, !f32
    gpu.return
  }

  // All the other way round.
  gpu.func @transposed(%a: !f16 {carousel.argument = #carousel.argument<"a", in>}, %b: !f16 {carousel.argument = #carousel.argument<"b", in>},
      %y: !f32 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : f16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %depth = memref.dim %a, %c0 : !f16
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %at = vector.transfer_read %a[%k, %c0], %pad : !f16, vector<32x64xf16>
      %bt = vector.transfer_read %b[%c0, %k], %pad : !f16, vector<64x32xf16>
      %next = vector.contract #turned %at, %bt, %acc : vector<32x64xf16>, vector<64x32xf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<64x64xf32>, !f32
    gpu.return
  }

  // Factors that threads have: extended to f32 by the program, which the product doesn't need.
  gpu.func @computed(%a: !bf16 {carousel.argument = #carousel.argument<"a", in>}, %b: !bf16 {carousel.argument = #carousel.argument<"b", in>},
      %y: !f32 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %twos = arith.constant dense<2.0> : vector<32x16xbf16>
    %ones = arith.constant dense<1.0> : vector<32x32xf32>
    %at = vector.transfer_read %a[%c0, %c0], %pad : !bf16, vector<32x16xbf16>
    %bt = vector.transfer_read %b[%c0, %c0], %pad : !bf16, vector<16x32xbf16>
    %twice = arith.mulf %at, %twos : vector<32x16xbf16>
    %a32 = arith.extf %twice : vector<32x16xbf16> to vector<32x16xf32>
    %b32 = arith.extf %bt : vector<16x32xbf16> to vector<16x32xf32>
    %sum = vector.contract #plain %a32, %b32, %ones : vector<32x16xf32>, vector<16x32xf32> into vector<32x32xf32>
    // The result is a factor in turn, and both factors are the same.
    %again = arith.truncf %sum : vector<32x32xf32> to vector<32x32xbf16>
    %square = vector.contract #plain %again, %again, %sum : vector<32x32xbf16>, vector<32x32xbf16> into vector<32x32xf32>
    vector.transfer_write %square, %y[%c0, %c0] : vector<32x32xf32>, !f32
    gpu.return
  }

  // f32, in extents that aren't powers of two; the last step reads outside.
  gpu.func @by_threads(%a: !f32 {carousel.argument = #carousel.argument<"a", in>}, %b: !f32 {carousel.argument = #carousel.argument<"b", in>},
      %y: !f32 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<20x12xf32>
    %depth = memref.dim %a, %c1 : !f32
    %sum = scf.for %k = %c0 to %depth step %c5 iter_args(%acc = %zeros) -> (vector<20x12xf32>) {
      %at = vector.transfer_read %a[%c0, %k], %pad : !f32, vector<20x5xf32>
      %bt = vector.transfer_read %b[%k, %c0], %pad : !f32, vector<5x12xf32>
      %next = vector.contract #plain %at, %bt, %acc : vector<20x5xf32>, vector<5x12xf32> into vector<20x12xf32>
      scf.yield %next : vector<20x12xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<20x12xf32>, !f32
    gpu.return
  }

  // The largest product. Bytes are multiplied as i32.
  gpu.func @largest(%a: !f32 {carousel.argument = #carousel.argument<"a", in>}, %b: !f32 {carousel.argument = #carousel.argument<"b", in>},
      %y: !f32 {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %hundred = arith.constant dense<100.0> : vector<20x9xf32>
    %least = arith.constant dense<-3.0> : vector<20x12xf32>
    %none = arith.constant dense<7> : vector<20x12xi32>
    %at = vector.transfer_read %a[%c0, %c0], %pad : !f32, vector<20x9xf32>
    %bt = vector.transfer_read %b[%c0, %c0], %pad : !f32, vector<9x12xf32>
    %most = vector.contract #most %at, %bt, %least : vector<20x9xf32>, vector<9x12xf32> into vector<20x12xf32>
    %wide = arith.mulf %at, %hundred : vector<20x9xf32>
    %a8 = arith.fptosi %wide : vector<20x9xf32> to vector<20x9xi8>
    %b8 = arith.fptosi %bt : vector<9x12xf32> to vector<9x12xi8>
    %sum = vector.contract #plain %a8, %b8, %none : vector<20x9xi8>, vector<9x12xi8> into vector<20x12xi32>
    %sums = arith.sitofp %sum : vector<20x12xi32> to vector<20x12xf32>
    %both = arith.addf %most, %sums : vector<20x12xf32>
    vector.transfer_write %both, %y[%c0, %c0] : vector<20x12xf32>, !f32
    gpu.return
  }

  gpu.func @batched(%a: !cube {carousel.argument = #carousel.argument<"a", in>}, %b: !cube {carousel.argument = #carousel.argument<"b", in>},
      %y: !cube {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<3x8x6xf32>
    %at = vector.transfer_read %a[%c0, %c0, %c0], %pad : !cube, vector<3x8x4xf32>
    %bt = vector.transfer_read %b[%c0, %c0, %c0], %pad : !cube, vector<3x4x6xf32>
    %sum = vector.contract #batches %at, %bt, %zeros : vector<3x8x4xf32>, vector<3x4x6xf32> into vector<3x8x6xf32>
    vector.transfer_write %sum, %y[%c0, %c0, %c0] : vector<3x8x6xf32>, !cube
    gpu.return
  }

  // A matrix and a vector; two vectors.
  gpu.func @vectors(%a: !f32 {carousel.argument = #carousel.argument<"a", in>}, %b: !line {carousel.argument = #carousel.argument<"b", in>},
      %y: !line {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %at = vector.transfer_read %a[%c0, %c0], %pad : !f32, vector<8x32xf32>
    %bt = vector.transfer_read %b[%c0], %pad : !line, vector<32xf32>
    %sum = vector.contract #rows %at, %bt, %zeros : vector<8x32xf32>, vector<32xf32> into vector<8xf32>
    vector.transfer_write %sum, %y[%c0] : vector<8xf32>, !line
    %one = vector.contract #dot %bt, %bt, %pad : vector<32xf32>, vector<32xf32> into f32
    memref.store %one, %y[%c8] : !line
    gpu.return
  }
}
