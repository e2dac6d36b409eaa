// C = relu(A * B + bias) with K split among CTAs, at the tile phase: each CTA multiplies its part of K,
// and the `split` CTAs of a tile of C take turns to accumulate their parts in `work`. The last one
// reads the sum back, adds the bias, and stores to C. The order is always the same, and so are the
// bits of C. M, N and K needn't be multiples of the tile, nor K of the parts: what is outside is
// zero, adds nothing and isn't stored.
//
// - @split_k_f32: all of f32.
// - @split_k_bf16: operands and result of bf16, sums of f32.
// - @split_k_f16: all of f16 but for the products of one CTA: the parts are rounded to f16 in each
//   turn, as PTX rounds reductions.
//
// Without tensor cores. CTAs take their places by tickets, so that a CTA waits only for such as have
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

// 128 multiplications, with conversions, are as many as a loop needs: ptxas makes faster code of it as it is.
#rolled = #llvm.loop_annotation<unroll = <disable = true>>

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
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : vector<4x4xf32>
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
    %steps = arith.ceildivui %k, %c16 : index
    %part_steps = arith.ceildivui %steps, %split : index
    %part = arith.muli %part_steps, %c16 : index
    %begin = arith.muli %turn, %part : index
    %open_end = arith.addi %begin, %part : index
    %end = arith.minui %open_end, %k : index

    // The thread's 4x4 elements of the tile.
    %thread_row = arith.divui %thread, %c16 : index
    %thread_column = arith.remui %thread, %c16 : index
    %i = arith.muli %thread_row, %c4 : index
    %j = arith.muli %thread_column, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : memref<64x16xf32, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<16x64xf32, #ws>
    %biases = memref.alloc() {alignment = 128 : i64} : memref<64xf32, #ws>
    %sums = memref.alloc() {alignment = 128 : i64} : memref<64x64xf32, #ws>
    carousel.load %bias[%column] to %biases : !vector_f32, memref<64xf32, #ws>
    %sum = scf.for %kk = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<4x4xf32>) {
      carousel.load %a[%row, %kk] to %as : !matrix_f32, memref<64x16xf32, #ws>
      carousel.load %b[%kk, %column] to %bs : !matrix_f32, memref<16x64xf32, #ws>
      %next = scf.for %p = %c0 to %c16 step %c4 iter_args(%s = %acc) -> (vector<4x4xf32>) {
        %av = vector.load %as[%i, %p] {alignment = 16 : i64} : memref<64x16xf32, #ws>, vector<4x4xf32>
        %bv = vector.load %bs[%p, %j] {alignment = 16 : i64} : memref<16x64xf32, #ws>, vector<4x4xf32>
        %added = vector.contract {
            indexing_maps = [#row_of_a, #row_of_b, #row_of_c],
            iterator_types = ["parallel", "parallel", "reduction"]} %av, %bv, %s
            : vector<4x4xf32>, vector<4x4xf32> into vector<4x4xf32>
        scf.yield %added : vector<4x4xf32>
      }
      scf.yield %next : vector<4x4xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    vector.store %sum, %sums[%i, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4x4xf32>
    %is_last = carousel.serialize %semaphores[%tile, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %work[%row, %column] reduce<add f32> first(%first) last(%last)
          : memref<64x64xf32, #ws>, !sums_f32
      carousel.pass_turn %last : i1
    } : !semaphores -> i1
    scf.if %is_last {
      %total = vector.load %sums[%i, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4x4xf32>
      %bias_row = vector.load %biases[%j] {alignment = 16 : i64} : memref<64xf32, #ws>, vector<4xf32>
      %bias_rows = vector.broadcast %bias_row : vector<4xf32> to vector<4x4xf32>
      %biased = arith.addf %total, %bias_rows : vector<4x4xf32>
      %active = arith.maximumf %biased, %zero : vector<4x4xf32>
      vector.store %active, %sums[%i, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4x4xf32>
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
    %zero = arith.constant dense<0.0> : vector<4x4xf32>
    %lanes = arith.constant 8 : index
    %step = arith.constant 32 : index
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
    %steps = arith.ceildivui %k, %step : index
    %part_steps = arith.ceildivui %steps, %split : index
    %part = arith.muli %part_steps, %step : index
    %begin = arith.muli %turn, %part : index
    %open_end = arith.addi %begin, %part : index
    %end = arith.minui %open_end, %k : index

    // The thread's 4x4 elements of the tile.
    %thread_row = arith.divui %thread, %c16 : index
    %thread_column = arith.remui %thread, %c16 : index
    %i = arith.muli %thread_row, %c4 : index
    %j = arith.muli %thread_column, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : memref<64x32xbf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<32x64xbf16, #ws>
    %biases = memref.alloc() {alignment = 128 : i64} : memref<64xbf16, #ws>
    %sums = memref.alloc() {alignment = 128 : i64} : memref<64x64xf32, #ws>
    %cs = memref.alloc() {alignment = 128 : i64} : memref<64x64xbf16, #ws>
    carousel.load %bias[%column] to %biases : !vector_bf16, memref<64xbf16, #ws>
    %sum = scf.for %kk = %begin to %end step %step iter_args(%acc = %zero) -> (vector<4x4xf32>) {
      carousel.load %a[%row, %kk] to %as : !matrix_bf16, memref<64x32xbf16, #ws>
      carousel.load %b[%kk, %column] to %bs : !matrix_bf16, memref<32x64xbf16, #ws>
      %next = scf.for %p = %c0 to %step step %lanes iter_args(%s = %acc) -> (vector<4x4xf32>) {
        %av = vector.load %as[%i, %p] {alignment = 16 : i64} : memref<64x32xbf16, #ws>, vector<4x8xbf16>
        %bv = vector.load %bs[%p, %j] {alignment = 8 : i64} : memref<32x64xbf16, #ws>, vector<8x4xbf16>
        %aw = arith.extf %av : vector<4x8xbf16> to vector<4x8xf32>
        %bw = arith.extf %bv : vector<8x4xbf16> to vector<8x4xf32>
        %added = vector.contract {
            indexing_maps = [#row_of_a, #row_of_b, #row_of_c],
            iterator_types = ["parallel", "parallel", "reduction"]} %aw, %bw, %s
            : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
        scf.yield %added : vector<4x4xf32>
      } {llvm.loop_annotation = #rolled}
      scf.yield %next : vector<4x4xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    vector.store %sum, %sums[%i, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4x4xf32>
    %is_last = carousel.serialize %semaphores[%tile, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %work[%row, %column] reduce<add f32> first(%first) last(%last)
          : memref<64x64xf32, #ws>, !sums_f32
      carousel.pass_turn %last : i1
    } : !semaphores -> i1
    scf.if %is_last {
      %total = vector.load %sums[%i, %j] {alignment = 16 : i64} : memref<64x64xf32, #ws>, vector<4x4xf32>
      %bias_row = vector.load %biases[%j] {alignment = 8 : i64} : memref<64xbf16, #ws>, vector<4xbf16>
      %wide_bias = arith.extf %bias_row : vector<4xbf16> to vector<4xf32>
      %bias_rows = vector.broadcast %wide_bias : vector<4xf32> to vector<4x4xf32>
      %biased = arith.addf %total, %bias_rows : vector<4x4xf32>
      %active = arith.maximumf %biased, %zero : vector<4x4xf32>
      %result = arith.truncf %active : vector<4x4xf32> to vector<4x4xbf16>
      vector.store %result, %cs[%i, %j] {alignment = 8 : i64} : memref<64x64xbf16, #ws>, vector<4x4xbf16>
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
    %zero = arith.constant dense<0.0> : vector<4x4xf32>
    %lanes = arith.constant 8 : index
    %step = arith.constant 32 : index
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
    %steps = arith.ceildivui %k, %step : index
    %part_steps = arith.ceildivui %steps, %split : index
    %part = arith.muli %part_steps, %step : index
    %begin = arith.muli %turn, %part : index
    %open_end = arith.addi %begin, %part : index
    %end = arith.minui %open_end, %k : index

    // The thread's 4x4 elements of the tile.
    %thread_row = arith.divui %thread, %c16 : index
    %thread_column = arith.remui %thread, %c16 : index
    %i = arith.muli %thread_row, %c4 : index
    %j = arith.muli %thread_column, %c4 : index

    %as = memref.alloc() {alignment = 128 : i64} : memref<64x32xf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<32x64xf16, #ws>
    %biases = memref.alloc() {alignment = 128 : i64} : memref<64xf16, #ws>
    %sums = memref.alloc() {alignment = 128 : i64} : memref<64x64xf16, #ws>
    carousel.load %bias[%column] to %biases : !vector_f16, memref<64xf16, #ws>
    %sum = scf.for %kk = %begin to %end step %step iter_args(%acc = %zero) -> (vector<4x4xf32>) {
      carousel.load %a[%row, %kk] to %as : !matrix_f16, memref<64x32xf16, #ws>
      carousel.load %b[%kk, %column] to %bs : !matrix_f16, memref<32x64xf16, #ws>
      %next = scf.for %p = %c0 to %step step %lanes iter_args(%s = %acc) -> (vector<4x4xf32>) {
        %av = vector.load %as[%i, %p] {alignment = 16 : i64} : memref<64x32xf16, #ws>, vector<4x8xf16>
        %bv = vector.load %bs[%p, %j] {alignment = 8 : i64} : memref<32x64xf16, #ws>, vector<8x4xf16>
        %aw = arith.extf %av : vector<4x8xf16> to vector<4x8xf32>
        %bw = arith.extf %bv : vector<8x4xf16> to vector<8x4xf32>
        %added = vector.contract {
            indexing_maps = [#row_of_a, #row_of_b, #row_of_c],
            iterator_types = ["parallel", "parallel", "reduction"]} %aw, %bw, %s
            : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
        scf.yield %added : vector<4x4xf32>
      } {llvm.loop_annotation = #rolled}
      scf.yield %next : vector<4x4xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    %rounded = arith.truncf %sum : vector<4x4xf32> to vector<4x4xf16>
    vector.store %rounded, %sums[%i, %j] {alignment = 8 : i64} : memref<64x64xf16, #ws>, vector<4x4xf16>
    %is_last = carousel.serialize %semaphores[%tile, %c0] turn %turn of %split (%first, %last) {
      carousel.accumulate %sums into %work[%row, %column] reduce<add f16> first(%first) last(%last)
          : memref<64x64xf16, #ws>, !sums_f16
      carousel.pass_turn %last : i1
    } : !semaphores -> i1
    scf.if %is_last {
      %total = vector.load %sums[%i, %j] {alignment = 8 : i64} : memref<64x64xf16, #ws>, vector<4x4xf16>
      %bias_row = vector.load %biases[%j] {alignment = 8 : i64} : memref<64xf16, #ws>, vector<4xf16>
      %wide = arith.extf %total : vector<4x4xf16> to vector<4x4xf32>
      %wide_bias = arith.extf %bias_row : vector<4xf16> to vector<4xf32>
      %bias_rows = vector.broadcast %wide_bias : vector<4xf32> to vector<4x4xf32>
      %biased = arith.addf %wide, %bias_rows : vector<4x4xf32>
      %active = arith.maximumf %biased, %zero : vector<4x4xf32>
      %result = arith.truncf %active : vector<4x4xf32> to vector<4x4xf16>
      vector.store %result, %sums[%i, %j] {alignment = 8 : i64} : memref<64x64xf16, #ws>, vector<4x4xf16>
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
