// C = relu(A * B + bias) with K split among CTAs, at the tile phase. Each CTA multiplies its part
// of K, and the `split` CTAs of a tile of C take turns to accumulate their parts in `work`. The
// last one reads the sum back, adds the bias, and stores to C. The order is always the same, and so
// are the bits of C. M, N and K needn't be multiples of the tile, nor K of the parts: elements
// outside are zero, add nothing and aren't stored.
//
// - @split_k_f32: all of f32, without tensor cores.
// - @split_k_bf16: operands and result of bf16, sums of f32, by tensor cores (nvgpu.mma.sync).
// - @split_k_f16: all of f16, except the products of one CTA, which are as in bf16. The parts are
//   rounded to f16 in each turn, as PTX rounds reductions.
//
// Tiles of 16-bit elements are swizzled, so that ldmatrix reads rows from different banks. With three
// stages, three CTAs fit on an SM; with as many stages as fit, two would (benchmarks/archive).
//
// CTAs take their places by tickets, so that a CTA waits only for such as have
// started before it. Semaphores, one for each tile of C, the counter of the tickets and `work` are the
// runtime's to allocate; rows of `work` are multiples of 16 bytes, so that engines can reach them.
//
//   carousel-sim split_k.mlir --kernel @split_k_f32 --reference @split_k_f32_reference \
//     --arg a=iota:70x40 --arg b=iota:40x72 --arg bias=iota:72 --arg c=empty:70x72 \
//     --arg split=3 --rtol 1e-6

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

#row_of_a = affine_map<(m, n, k) -> (m, k)>
#row_of_b = affine_map<(m, n, k) -> (k, n)>
#row_of_c = affine_map<(m, n, k) -> (m, n)>

// What is done once for a tile isn't worth more code.
#rolled = #llvm.loop_annotation<unroll = <disable = true>>
// What is done most is for the assembler to unroll, or not, by the registers that it finds.
#as_it_is = #llvm.loop_annotation<disableNonforced = true>

!counters = memref<?xi32, #gl>
!semaphores = memref<?x32xi32, #gl> // 128 bytes apart: who waits for one isn't in the way of others
!matrix_f32 = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!vector_f32 = memref<?xf32, #gl>
!sums_f32 = memref<?x?xf32, #gl>
!host_f32 = memref<?x?xf32, strided<[?, 1], offset: ?>>
!matrix_bf16 = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!vector_bf16 = memref<?xbf16, #gl>
!sums_bf16 = memref<?x?xbf16, #gl>
!host_bf16 = memref<?x?xbf16, strided<[?, 1], offset: ?>>
!matrix_f16 = memref<?x?xf16, strided<[?, 1], offset: ?>, #gl>
!vector_f16 = memref<?xf16, #gl>
!sums_f16 = memref<?x?xf16, #gl>
!host_f16 = memref<?x?xf16, strided<[?, 1], offset: ?>>

gpu.module @split_k {
  gpu.func @split_k_f32(
      %a: !matrix_f32 {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix_f32 {carousel.argument = #carousel.argument<"b", in>},
      %bias: !vector_f32 {carousel.argument = #carousel.argument<"bias", in>},
      %c: !matrix_f32 {carousel.argument = #carousel.argument<"c", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %work: !sums_f32 {
        carousel.argument = #carousel.argument<"work", inout>,
        carousel.workspace = #carousel.workspace<[extent(3, 0), ceildiv(extent(3, 1), 8) * 8]>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(3, 0), 64) * ceildiv(extent(3, 1), 64)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 0), 64) * ceildiv(extent(3, 1), 64) * scalar(4)],
        block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : vector<4x4xf32>
    %least = arith.constant dense<0.0> : vector<4xf32>
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %m = memref.dim %c, %c0 : !matrix_f32
    %n = memref.dim %c, %c1 : !matrix_f32
    %k = memref.dim %a, %c1 : !matrix_f32
    %down = arith.ceildivui %m, %c64 : index
    %across = arith.ceildivui %n, %c64 : index
    %tiles = arith.muli %down, %across : index

    // The tile of C, and this CTA's part of K.
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %tile = arith.remui %ticket, %tiles : index
    %turn = arith.divui %ticket, %tiles : index
    %tile_row = arith.divui %tile, %across : index
    %tile_column = arith.remui %tile, %across : index
    %row = arith.muli %tile_row, %c64 : index
    %column = arith.muli %tile_column, %c64 : index
    %steps = arith.ceildivui %k, %c32 : index
    %part_steps = arith.ceildivui %steps, %split : index
    %part = arith.muli %part_steps, %c32 : index
    %begin = arith.muli %turn, %part : index
    %open_end = arith.addi %begin, %part : index
    %end = arith.minui %open_end, %k : index

    // The thread's 4x4 elements of the tile.
    %thread_row = arith.divui %thread, %c16 : index
    %thread_column = arith.remui %thread, %c16 : index
    %i = arith.muli %thread_row, %c4 : index
    %j = arith.muli %thread_column, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : memref<64x32xf32, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<32x64xf32, #ws>
    %biases = memref.alloc() {alignment = 128 : i64} : memref<64xf32, #ws>
    %sums = memref.alloc() {alignment = 128 : i64} : memref<64x64xf32, #ws>
    carousel.load %bias[%column] to %biases : !vector_f32, memref<64xf32, #ws>
    %sum = scf.for %kk = %begin to %end step %c32 iter_args(%acc = %zero) -> (vector<4x4xf32>) {
      carousel.load %a[%row, %kk] to %as : !matrix_f32, memref<64x32xf32, #ws>
      carousel.load %b[%kk, %column] to %bs : !matrix_f32, memref<32x64xf32, #ws>
      %next = scf.for %p = %c0 to %c32 step %c4 iter_args(%s = %acc) -> (vector<4x4xf32>) {
        %av = vector.load %as[%i, %p] {alignment = 16 : i64} : memref<64x32xf32, #ws>, vector<4x4xf32>
        %bv = vector.load %bs[%p, %j] {alignment = 16 : i64} : memref<32x64xf32, #ws>, vector<4x4xf32>
        %added = vector.contract {
            indexing_maps = [#row_of_a, #row_of_b, #row_of_c],
            iterator_types = ["parallel", "parallel", "reduction"]} %av, %bv, %s
            : vector<4x4xf32>, vector<4x4xf32> into vector<4x4xf32>
        scf.yield %added : vector<4x4xf32>
      } {llvm.loop_annotation = #as_it_is}
      scf.yield %next : vector<4x4xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    vector.store %sum, %sums[%i, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4x4xf32>
    %is_last = carousel.serialize %semaphores[%tile, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %work[%row, %column] reduce<add f32> first(%first) last(%last)
          : memref<64x64xf32, #ws>, !sums_f32
      carousel.pass_turn %last : i1
    } : !semaphores -> i1
    scf.if %is_last {
      %bias_row = vector.load %biases[%j] {alignment = 16 : i64} : memref<64xf32, #ws>, vector<4xf32>
      scf.for %r = %thread_row to %c64 step %c16 {
        %total = vector.load %sums[%r, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4xf32>
        %biased = arith.addf %total, %bias_row : vector<4xf32>
        %active = arith.maximumf %biased, %least : vector<4xf32>
        vector.store %active, %sums[%r, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4xf32>
      } {llvm.loop_annotation = #rolled}
      carousel.store %sums to %c[%row, %column] : memref<64x64xf32, #ws>, !matrix_f32
    }
    gpu.return
  }

  gpu.func @split_k_bf16(
      %a: !matrix_bf16 {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix_bf16 {carousel.argument = #carousel.argument<"b", in>},
      %bias: !vector_bf16 {carousel.argument = #carousel.argument<"bias", in>},
      %c: !matrix_bf16 {carousel.argument = #carousel.argument<"c", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %work: !sums_f32 {
        carousel.argument = #carousel.argument<"work", inout>,
        carousel.workspace = #carousel.workspace<[extent(3, 0), ceildiv(extent(3, 1), 8) * 8]>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(3, 0), 64) * ceildiv(extent(3, 1), 64)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 0), 64) * ceildiv(extent(3, 1), 64) * scalar(4)],
        block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %least = arith.constant dense<0.0> : vector<4xf32>
    %none = arith.constant dense<0.0> : vector<2x2xf32>
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %m = memref.dim %c, %c0 : !matrix_bf16
    %n = memref.dim %c, %c1 : !matrix_bf16
    %k = memref.dim %a, %c1 : !matrix_bf16
    %down = arith.ceildivui %m, %c64 : index
    %across = arith.ceildivui %n, %c64 : index
    %tiles = arith.muli %down, %across : index

    // The tile of C, and this CTA's part of K.
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %tile = arith.remui %ticket, %tiles : index
    %turn = arith.divui %ticket, %tiles : index
    %tile_row = arith.divui %tile, %across : index
    %tile_column = arith.remui %tile, %across : index
    %row = arith.muli %tile_row, %c64 : index
    %column = arith.muli %tile_column, %c64 : index
    %steps = arith.ceildivui %k, %c64 : index
    %part_steps = arith.ceildivui %steps, %split : index
    %part = arith.muli %part_steps, %c64 : index
    %begin = arith.muli %turn, %part : index
    %open_end = arith.addi %begin, %part : index
    %end = arith.minui %open_end, %k : index

    // The warp's 16x32 elements of the tile, as four products of 16x8, and what the lane reads of A and B for them.
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %warp_across = arith.remui %warp, %c2 : index
    %warp_down = arith.divui %warp, %c2 : index
    %top = arith.muli %warp_down, %c16 : index
    %left = arith.muli %warp_across, %c32 : index
    %matrix_row = arith.remui %lane, %c16 : index
    %matrix_half = arith.divui %lane, %c16 : index
    %matrix_column = arith.muli %matrix_half, %c8 : index
    %a_row = arith.addi %top, %matrix_row : index
    %b_column = arith.addi %left, %matrix_column : index
    %b_next = arith.addi %b_column, %c16 : index

    // The lane's elements of a product: two of a row, and two of the row eight further down.
    %in_row = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_row, %c2 : index
    %down_tile = arith.divui %lane, %c4 : index
    %i0 = arith.addi %top, %down_tile : index
    %i1 = arith.addi %i0, %c8 : index
    %j0 = arith.addi %left, %pair : index
    %j1 = arith.addi %j0, %c8 : index
    %j2 = arith.addi %j0, %c16 : index
    %j3 = arith.addi %j0, %c24 : index

    // The four columns of which the thread finishes every sixteenth row.
    %thread_row = arith.divui %thread, %c16 : index
    %thread_column = arith.remui %thread, %c16 : index
    %j = arith.muli %thread_column, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : memref<64x64xbf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<64x64xbf16, #ws>
    %biases = memref.alloc() {alignment = 128 : i64} : memref<64xbf16, #ws>
    %sums = memref.alloc() {alignment = 128 : i64} : memref<64x64xf32, #ws>
    %cs = memref.alloc() {alignment = 128 : i64} : memref<64x64xbf16, #ws>
    carousel.load %bias[%column] to %biases : !vector_bf16, memref<64xbf16, #ws>
    %sum:4 = scf.for %kk = %begin to %end step %c64
        iter_args(%s0 = %none, %s1 = %none, %s2 = %none, %s3 = %none)
        -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
      carousel.load %a[%row, %kk] to %as swizzle(b128) : !matrix_bf16, memref<64x64xbf16, #ws>
      carousel.load %b[%kk, %column] to %bs swizzle(b128) : !matrix_bf16, memref<64x64xbf16, #ws>
      %next:4 = scf.for %p = %c0 to %c64 step %c16 iter_args(%n0 = %s0, %n1 = %s1, %n2 = %s2, %n3 = %s3)
          -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
        %a_column = arith.addi %p, %matrix_column : index
        %b_row = arith.addi %p, %matrix_row : index
        %av = nvgpu.ldmatrix %as[%a_row, %a_column] {numTiles = 4 : i32, transpose = false}
            : memref<64x64xbf16, #ws> -> vector<4x2xbf16>
        %b01 = nvgpu.ldmatrix %bs[%b_row, %b_column] {numTiles = 4 : i32, transpose = true}
            : memref<64x64xbf16, #ws> -> vector<4x2xbf16>
        %b23 = nvgpu.ldmatrix %bs[%b_row, %b_next] {numTiles = 4 : i32, transpose = true}
            : memref<64x64xbf16, #ws> -> vector<4x2xbf16>
        %b0 = vector.extract_strided_slice %b01 {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %b1 = vector.extract_strided_slice %b01 {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %b2 = vector.extract_strided_slice %b23 {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %b3 = vector.extract_strided_slice %b23 {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xbf16> to vector<2x2xbf16>
        %m0 = nvgpu.mma.sync (%av, %b0, %n0) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m1 = nvgpu.mma.sync (%av, %b1, %n1) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m2 = nvgpu.mma.sync (%av, %b2, %n2) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m3 = nvgpu.mma.sync (%av, %b3, %n3) {mmaShape = [16, 8, 16]}
            : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
        scf.yield %m0, %m1, %m2, %m3 : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
      } {llvm.loop_annotation = #as_it_is}
      scf.yield %next#0, %next#1, %next#2, %next#3
          : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %r00 = vector.extract %sum#0[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r00, %sums[%i0, %j0] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %r01 = vector.extract %sum#0[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r01, %sums[%i1, %j0] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %r10 = vector.extract %sum#1[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r10, %sums[%i0, %j1] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %r11 = vector.extract %sum#1[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r11, %sums[%i1, %j1] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %r20 = vector.extract %sum#2[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r20, %sums[%i0, %j2] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %r21 = vector.extract %sum#2[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r21, %sums[%i1, %j2] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %r30 = vector.extract %sum#3[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %r30, %sums[%i0, %j3] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %r31 = vector.extract %sum#3[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %r31, %sums[%i1, %j3] {alignment = 8 : i64} : memref<64x64xf32, #ws>, vector<2xf32>
    %is_last = carousel.serialize %semaphores[%tile, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %work[%row, %column] reduce<add f32> first(%first) last(%last)
          : memref<64x64xf32, #ws>, !sums_f32
      carousel.pass_turn %last : i1
    } : !semaphores -> i1
    scf.if %is_last {
      %bias_row = vector.load %biases[%j] {alignment = 8 : i64} : memref<64xbf16, #ws>, vector<4xbf16>
      %wide_bias = arith.extf %bias_row : vector<4xbf16> to vector<4xf32>
      scf.for %r = %thread_row to %c64 step %c16 {
        %total = vector.load %sums[%r, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4xf32>
        %biased = arith.addf %total, %wide_bias : vector<4xf32>
        %active = arith.maximumf %biased, %least : vector<4xf32>
        %result = arith.truncf %active : vector<4xf32> to vector<4xbf16>
        vector.store %result, %cs[%r, %j] {alignment = 8 : i64} : memref<64x64xbf16, #ws>, vector<4xbf16>
      } {llvm.loop_annotation = #rolled}
      carousel.store %cs to %c[%row, %column] : memref<64x64xbf16, #ws>, !matrix_bf16
    }
    gpu.return
  }

  gpu.func @split_k_f16(
      %a: !matrix_f16 {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix_f16 {carousel.argument = #carousel.argument<"b", in>},
      %bias: !vector_f16 {carousel.argument = #carousel.argument<"bias", in>},
      %c: !matrix_f16 {carousel.argument = #carousel.argument<"c", out>},
      %split: index {carousel.argument = #carousel.argument<"split", in>},
      %work: !sums_f16 {
        carousel.argument = #carousel.argument<"work", inout>,
        carousel.workspace = #carousel.workspace<[extent(3, 0), ceildiv(extent(3, 1), 8) * 8]>},
      %semaphores: !semaphores {
        carousel.argument = #carousel.argument<"semaphores", inout>,
        carousel.workspace = #carousel.workspace<[ceildiv(extent(3, 0), 64) * ceildiv(extent(3, 1), 64)]>},
      %tickets: !counters {
        carousel.argument = #carousel.argument<"tickets", inout>,
        carousel.workspace = #carousel.workspace<[1]>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(3, 0), 64) * ceildiv(extent(3, 1), 64) * scalar(4)],
        block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %least = arith.constant dense<0.0> : vector<4xf32>
    %none = arith.constant dense<0.0> : vector<2x2xf32>
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %blocks = gpu.grid_dim x
    %m = memref.dim %c, %c0 : !matrix_f16
    %n = memref.dim %c, %c1 : !matrix_f16
    %k = memref.dim %a, %c1 : !matrix_f16
    %down = arith.ceildivui %m, %c64 : index
    %across = arith.ceildivui %n, %c64 : index
    %tiles = arith.muli %down, %across : index

    // The tile of C, and this CTA's part of K.
    %ticket = carousel.grid.ticket %tickets[%c0] of %blocks : !counters
    %tile = arith.remui %ticket, %tiles : index
    %turn = arith.divui %ticket, %tiles : index
    %tile_row = arith.divui %tile, %across : index
    %tile_column = arith.remui %tile, %across : index
    %row = arith.muli %tile_row, %c64 : index
    %column = arith.muli %tile_column, %c64 : index
    %steps = arith.ceildivui %k, %c64 : index
    %part_steps = arith.ceildivui %steps, %split : index
    %part = arith.muli %part_steps, %c64 : index
    %begin = arith.muli %turn, %part : index
    %open_end = arith.addi %begin, %part : index
    %end = arith.minui %open_end, %k : index

    // The warp's 16x32 elements of the tile, as four products of 16x8, and what the lane reads of A and B for them.
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %warp_across = arith.remui %warp, %c2 : index
    %warp_down = arith.divui %warp, %c2 : index
    %top = arith.muli %warp_down, %c16 : index
    %left = arith.muli %warp_across, %c32 : index
    %matrix_row = arith.remui %lane, %c16 : index
    %matrix_half = arith.divui %lane, %c16 : index
    %matrix_column = arith.muli %matrix_half, %c8 : index
    %a_row = arith.addi %top, %matrix_row : index
    %b_column = arith.addi %left, %matrix_column : index
    %b_next = arith.addi %b_column, %c16 : index

    // The lane's elements of a product: two of a row, and two of the row eight further down.
    %in_row = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_row, %c2 : index
    %down_tile = arith.divui %lane, %c4 : index
    %i0 = arith.addi %top, %down_tile : index
    %i1 = arith.addi %i0, %c8 : index
    %j0 = arith.addi %left, %pair : index
    %j1 = arith.addi %j0, %c8 : index
    %j2 = arith.addi %j0, %c16 : index
    %j3 = arith.addi %j0, %c24 : index

    // The four columns of which the thread finishes every sixteenth row.
    %thread_row = arith.divui %thread, %c16 : index
    %thread_column = arith.remui %thread, %c16 : index
    %j = arith.muli %thread_column, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : memref<64x64xf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<64x64xf16, #ws>
    %biases = memref.alloc() {alignment = 128 : i64} : memref<64xf16, #ws>
    %sums = memref.alloc() {alignment = 128 : i64} : memref<64x64xf16, #ws>
    carousel.load %bias[%column] to %biases : !vector_f16, memref<64xf16, #ws>
    %sum:4 = scf.for %kk = %begin to %end step %c64
        iter_args(%s0 = %none, %s1 = %none, %s2 = %none, %s3 = %none)
        -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
      carousel.load %a[%row, %kk] to %as swizzle(b128) : !matrix_f16, memref<64x64xf16, #ws>
      carousel.load %b[%kk, %column] to %bs swizzle(b128) : !matrix_f16, memref<64x64xf16, #ws>
      %next:4 = scf.for %p = %c0 to %c64 step %c16 iter_args(%n0 = %s0, %n1 = %s1, %n2 = %s2, %n3 = %s3)
          -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
        %a_column = arith.addi %p, %matrix_column : index
        %b_row = arith.addi %p, %matrix_row : index
        %av = nvgpu.ldmatrix %as[%a_row, %a_column] {numTiles = 4 : i32, transpose = false}
            : memref<64x64xf16, #ws> -> vector<4x2xf16>
        %b01 = nvgpu.ldmatrix %bs[%b_row, %b_column] {numTiles = 4 : i32, transpose = true}
            : memref<64x64xf16, #ws> -> vector<4x2xf16>
        %b23 = nvgpu.ldmatrix %bs[%b_row, %b_next] {numTiles = 4 : i32, transpose = true}
            : memref<64x64xf16, #ws> -> vector<4x2xf16>
        %b0 = vector.extract_strided_slice %b01 {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xf16> to vector<2x2xf16>
        %b1 = vector.extract_strided_slice %b01 {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xf16> to vector<2x2xf16>
        %b2 = vector.extract_strided_slice %b23 {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xf16> to vector<2x2xf16>
        %b3 = vector.extract_strided_slice %b23 {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xf16> to vector<2x2xf16>
        %m0 = nvgpu.mma.sync (%av, %b0, %n0) {mmaShape = [16, 8, 16]}
            : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m1 = nvgpu.mma.sync (%av, %b1, %n1) {mmaShape = [16, 8, 16]}
            : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m2 = nvgpu.mma.sync (%av, %b2, %n2) {mmaShape = [16, 8, 16]}
            : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        %m3 = nvgpu.mma.sync (%av, %b3, %n3) {mmaShape = [16, 8, 16]}
            : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        scf.yield %m0, %m1, %m2, %m3 : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
      } {llvm.loop_annotation = #as_it_is}
      scf.yield %next#0, %next#1, %next#2, %next#3
          : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %h0 = arith.truncf %sum#0 : vector<2x2xf32> to vector<2x2xf16>
    %r00 = vector.extract %h0[0] : vector<2xf16> from vector<2x2xf16>
    vector.store %r00, %sums[%i0, %j0] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %r01 = vector.extract %h0[1] : vector<2xf16> from vector<2x2xf16>
    vector.store %r01, %sums[%i1, %j0] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %h1 = arith.truncf %sum#1 : vector<2x2xf32> to vector<2x2xf16>
    %r10 = vector.extract %h1[0] : vector<2xf16> from vector<2x2xf16>
    vector.store %r10, %sums[%i0, %j1] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %r11 = vector.extract %h1[1] : vector<2xf16> from vector<2x2xf16>
    vector.store %r11, %sums[%i1, %j1] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %h2 = arith.truncf %sum#2 : vector<2x2xf32> to vector<2x2xf16>
    %r20 = vector.extract %h2[0] : vector<2xf16> from vector<2x2xf16>
    vector.store %r20, %sums[%i0, %j2] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %r21 = vector.extract %h2[1] : vector<2xf16> from vector<2x2xf16>
    vector.store %r21, %sums[%i1, %j2] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %h3 = arith.truncf %sum#3 : vector<2x2xf32> to vector<2x2xf16>
    %r30 = vector.extract %h3[0] : vector<2xf16> from vector<2x2xf16>
    vector.store %r30, %sums[%i0, %j3] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %r31 = vector.extract %h3[1] : vector<2xf16> from vector<2x2xf16>
    vector.store %r31, %sums[%i1, %j3] {alignment = 4 : i64} : memref<64x64xf16, #ws>, vector<2xf16>
    %is_last = carousel.serialize %semaphores[%tile, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %work[%row, %column] reduce<add f16> first(%first) last(%last)
          : memref<64x64xf16, #ws>, !sums_f16
      carousel.pass_turn %last : i1
    } : !semaphores -> i1
    scf.if %is_last {
      %bias_row = vector.load %biases[%j] {alignment = 8 : i64} : memref<64xf16, #ws>, vector<4xf16>
      %wide_bias = arith.extf %bias_row : vector<4xf16> to vector<4xf32>
      scf.for %r = %thread_row to %c64 step %c16 {
        %total = vector.load %sums[%r, %j] {alignment = 8 : i64} : memref<64x64xf16, #ws>, vector<4xf16>
        %wide = arith.extf %total : vector<4xf16> to vector<4xf32>
        %biased = arith.addf %wide, %wide_bias : vector<4xf32>
        %active = arith.maximumf %biased, %least : vector<4xf32>
        %result = arith.truncf %active : vector<4xf32> to vector<4xf16>
        vector.store %result, %sums[%r, %j] {alignment = 8 : i64} : memref<64x64xf16, #ws>, vector<4xf16>
      } {llvm.loop_annotation = #rolled}
      carousel.store %sums to %c[%row, %column] : memref<64x64xf16, #ws>, !matrix_f16
    }
    gpu.return
  }
}

// In the order of K.
func.func @split_k_f32_reference(
    %a: !host_f32, %b: !host_f32,
    %bias: memref<?xf32>, %c: !host_f32, %split: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : !host_f32
  %n = memref.dim %c, %c1 : !host_f32
  %k = memref.dim %a, %c1 : !host_f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a[%i, %p] : !host_f32
        %bv = memref.load %b[%p, %j] : !host_f32
        %next = math.fma %av, %bv, %s : f32
        scf.yield %next : f32
      }
      %v = memref.load %bias[%j] : memref<?xf32>
      %biased = arith.addf %sum, %v : f32
      %active = arith.maximumf %biased, %zero : f32
      memref.store %active, %c[%i, %j] : !host_f32
    }
  }
  return
}

// In the order of K.
func.func @split_k_bf16_reference(
    %a: !host_bf16, %b: !host_bf16,
    %bias: memref<?xbf16>, %c: !host_bf16, %split: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : !host_bf16
  %n = memref.dim %c, %c1 : !host_bf16
  %k = memref.dim %a, %c1 : !host_bf16
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a[%i, %p] : !host_bf16
        %bv = memref.load %b[%p, %j] : !host_bf16
        %aw = arith.extf %av : bf16 to f32
        %bw = arith.extf %bv : bf16 to f32
        %next = math.fma %aw, %bw, %s : f32
        scf.yield %next : f32
      }
      %v = memref.load %bias[%j] : memref<?xbf16>
      %w = arith.extf %v : bf16 to f32
      %biased = arith.addf %sum, %w : f32
      %active = arith.maximumf %biased, %zero : f32
      %result = arith.truncf %active : f32 to bf16
      memref.store %result, %c[%i, %j] : !host_bf16
    }
  }
  return
}

// In the order of K, in one sum: the parts aren't rounded.
func.func @split_k_f16_reference(
    %a: !host_f16, %b: !host_f16,
    %bias: memref<?xf16>, %c: !host_f16, %split: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : !host_f16
  %n = memref.dim %c, %c1 : !host_f16
  %k = memref.dim %a, %c1 : !host_f16
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a[%i, %p] : !host_f16
        %bv = memref.load %b[%p, %j] : !host_f16
        %aw = arith.extf %av : f16 to f32
        %bw = arith.extf %bv : f16 to f32
        %next = math.fma %aw, %bw, %s : f32
        scf.yield %next : f32
      }
      %v = memref.load %bias[%j] : memref<?xf16>
      %w = arith.extf %v : f16 to f32
      %biased = arith.addf %sum, %w : f32
      %active = arith.maximumf %biased, %zero : f32
      %result = arith.truncf %active : f32 to f16
      memref.store %result, %c[%i, %j] : !host_f16
    }
  }
  return
}
