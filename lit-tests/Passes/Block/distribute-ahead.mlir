// What a write takes beside the products of a loop is read before the loop, as far as registers last, in words of 32 bits.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks{variants=true},carousel-distribute,canonicalize,cse))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-specialize-blocks{variants=true},carousel-distribute,canonicalize,cse))' | FileCheck %s --check-prefix=SM80

#gl = #gpu.address_space<global>
#maps = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<512x512xbf16, #gl>
!rows = memref<300x512xbf16, #gl>
!floats = memref<512x512xf32, #gl>

gpu.module @m {
  // Values that are read again while they are computed go piece by piece, as a gate: as a whole, they would take as many registers
  // as the sums. A chain without it is computed as a whole.
  // CHECK-LABEL: gpu.func @read_again(
  // CHECK: carousel.multiply
  // CHECK: math.tanh %{{.*}} : vector<16xf32>
  // CHECK-LABEL: gpu.func @chain(
  // CHECK: carousel.multiply
  // CHECK: math.tanh %{{.*}} : vector<128xf32>
  gpu.func @read_again(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                       %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c256 : index
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %n : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %tanh = math.tanh %sums : vector<128x256xf32>
    %gated = arith.mulf %sums, %tanh : vector<128x256xf32>
    %narrow = arith.truncf %gated : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %narrow, %y[%row, %column] {in_bounds = [true, true]} : vector<128x256xbf16>, !matrix
    gpu.return
  }

  gpu.func @chain(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                  %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c256 : index
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %n : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %tanh = math.tanh %sums : vector<128x256xf32>
    %narrow = arith.truncf %tanh : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %narrow, %y[%row, %column] {in_bounds = [true, true]} : vector<128x256xbf16>, !matrix
    gpu.return
  }

  // What a program reads and computes before the loop, for the write alone, is computed after the loop. The first of two residuals
  // is in the result's tile. 128 sums leave registers for all pieces of the second one. Each run has a condition, since rows may
  // end.
  // CHECK-LABEL: gpu.func @before_aligned
  // CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (vector<1xi32>) {
  // CHECK-NEXT: %[[LOADED:.*]] = vector.load %arg3{{.*}}vector<2xbf16>
  // CHECK-NEXT: vector.bitcast %[[LOADED]] : vector<2xbf16> to vector<1xi32>
  // CHECK-COUNT-63: vector.load %arg3
  // CHECK-NOT: {{vector.load %arg3|arith.mulf}}
  // CHECK: carousel.multiply
  // CHECK: arith.mulf %{{.*}} : vector<16xbf16>
  // CHECK: vector.bitcast %{{.*}} : vector<8xi32> to vector<16xbf16>
  // CHECK: carousel.store
  // Elements of which each takes a register aren't read ahead.
  // CHECK-LABEL: gpu.func @before(
  // CHECK-NOT: load %arg3
  // CHECK: carousel.multiply
  // Without warpgroups, factors need these registers.
  // SM80-LABEL: gpu.func @before_aligned
  // SM80: nvgpu.mma.sync
  // SM80: vector.load %arg3
  gpu.func @before(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                   %r: !matrix {carousel.argument = #carousel.argument<"r", in>}, %t: !rows {carousel.argument = #carousel.argument<"t", in>},
                   %y: !rows {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2, 3], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c256 : index
    %old = vector.transfer_read %r[%row, %column], %pad {in_bounds = [true, true]} : !matrix, vector<128x256xbf16>
    %square = arith.mulf %old, %old : vector<128x256xbf16>
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %n : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %narrow = arith.truncf %sums : vector<128x256xf32> to vector<128x256xbf16>
    %other = vector.transfer_read %t[%row, %column], %pad {in_bounds = [false, true]} : !rows, vector<128x256xbf16>
    %both = arith.addf %narrow, %square : vector<128x256xbf16>
    %new = arith.addf %both, %other : vector<128x256xbf16>
    vector.transfer_write %new, %y[%row, %column] {in_bounds = [false, true]} : vector<128x256xbf16>, !rows
    gpu.return
  }

  // 80 registers hold five of eight pieces. The next one is read once one was taken.
  // CHECK-LABEL: gpu.func @wide_aligned
  // CHECK-COUNT-40: vector.load %arg2
  // CHECK-NOT: vector.load %arg2
  // CHECK: scf.for
  // CHECK: carousel.multiply
  // CHECK: vector.store %{{.*}}, %arg3
  // CHECK-COUNT-8: vector.load %arg2
  // CHECK-NOT: vector.load %arg2
  // CHECK: vector.store %{{.*}}, %arg3
  gpu.func @wide(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                 %r: !floats {carousel.argument = #carousel.argument<"r", in>}, %y: !floats {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c256 : index
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %n : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %old = vector.transfer_read %r[%row, %column], %zero {in_bounds = [true, true]} : !floats, vector<128x256xf32>
    %new = arith.addf %sums, %old : vector<128x256xf32>
    vector.transfer_write %new, %y[%row, %column] {in_bounds = [true, true]} : vector<128x256xf32>, !floats
    gpu.return
  }

  // A row for all of the tile is read ahead as a whole, where registers for it are left.
  // CHECK-LABEL: gpu.func @row_aligned
  // CHECK-COUNT-32: vector.load %arg2
  // CHECK-NOT: vector.load %arg2
  // CHECK: carousel.multiply
  // CHECK: vector.bitcast %{{.*}} : vector<32xi32> to vector<64xbf16>
  // CHECK: carousel.store
  gpu.func @row(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                %r: memref<512xbf16, #gl> {carousel.argument = #carousel.argument<"r", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c256 : index
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %n : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %bias = vector.transfer_read %r[%column], %pad {in_bounds = [true]} : memref<512xbf16, #gl>, vector<256xbf16>
    %wide = arith.extf %bias : vector<256xbf16> to vector<256xf32>
    %rows = vector.broadcast %wide : vector<256xf32> to vector<128x256xf32>
    %sum = arith.addf %sums, %rows : vector<128x256xf32>
    %new = arith.truncf %sum : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %new, %y[%row, %column] {in_bounds = [true, true]} : vector<128x256xbf16>, !matrix
    gpu.return
  }

  // What the kernel writes is read where the program reads it.
  // CHECK-LABEL: gpu.func @in_place_aligned
  // CHECK-NOT: vector.load %arg2
  // CHECK: carousel.multiply
  // CHECK: vector.load %arg2
  gpu.func @in_place(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                     %y: !floats {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c256 : index
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %n : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %old = vector.transfer_read %y[%row, %column], %zero {in_bounds = [true, true]} : !floats, vector<128x256xf32>
    %new = arith.addf %sums, %old : vector<128x256xf32>
    vector.transfer_write %new, %y[%row, %column] {in_bounds = [true, true]} : vector<128x256xf32>, !floats
    gpu.return
  }
}
