// What a program reads for its result is copied to the tile of the result, which is idle while the product is computed. Threads
// change their elements there.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks{variants=true},carousel-distribute,canonicalize,cse))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-specialize-blocks{variants=true},carousel-distribute,canonicalize,cse))' | FileCheck %s --check-prefix=SM80

#gl = #gpu.address_space<global>
#maps = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<512x512xbf16, #gl>
!rows = memref<300x512xbf16, #gl>
!floats = memref<512x512xf32, #gl>

gpu.module @m {
  // The loop over programs has one slot for the tile. It is read and written by pieces of registers, in the same places.
  // CHECK-LABEL: gpu.func @residual
  // CHECK: scf.for
  // CHECK: carousel.multiply
  // CHECK: carousel.load %arg2[%[[ROW:.*]], %[[COLUMN:.*]]] to %[[TILE:.*]] swizzle(b128)
  // CHECK: %[[OLD:.*]] = vector.load %[[TILE]][%[[I:.*]], %[[J:.*]]] {{.*}}vector<2xbf16>
  // CHECK: arith.addf %{{.*}} : vector<16xbf16>
  // CHECK: vector.store %{{.*}}, %[[TILE]][%[[I]], %[[J]]] {{.*}}vector<2xbf16>
  // CHECK: carousel.store %[[TILE]] to %arg3[%[[ROW]], %[[COLUMN]]] swizzle(b128)
  // CHECK-NEXT: } {carousel.pipeline = #carousel.pipeline<stages = 1>}
  // Without such loops, threads read it.
  // SM80-LABEL: gpu.func @residual
  // SM80: vector.load %arg2
  gpu.func @residual(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                     %r: !rows {carousel.argument = #carousel.argument<"r", in>}, %y: !rows {carousel.argument = #carousel.argument<"y", out>})
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
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x256xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
      scf.yield %n : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %old = vector.transfer_read %r[%row, %column], %pad {in_bounds = [false, true]} : !rows, vector<128x256xbf16>
    %narrow = arith.truncf %sums : vector<128x256xf32> to vector<128x256xbf16>
    %new = arith.addf %narrow, %old : vector<128x256xbf16>
    vector.transfer_write %new, %y[%row, %column] {in_bounds = [false, true]} : vector<128x256xbf16>, !rows
    gpu.return
  }

  // The first result takes the tile. What the second one needs of it is in registers by then.
  // CHECK-LABEL: gpu.func @two_results
  // CHECK: carousel.multiply
  // CHECK: carousel.load %arg2[{{.*}}] to %[[TILE:.*]] in_bounds
  // CHECK-COUNT-32: vector.load %[[TILE]]
  // CHECK-NOT: vector.load %[[TILE]]
  // CHECK: carousel.store %[[TILE]] to %arg3
  // CHECK-NOT: carousel.store %[[TILE]]
  // CHECK: carousel.store %{{.*}} to %arg4
  gpu.func @two_results(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                       %r: !matrix {carousel.argument = #carousel.argument<"r", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
                       %z: !matrix {carousel.argument = #carousel.argument<"z", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [4, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c128 : index
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x128xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
      scf.yield %n : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %old = vector.transfer_read %r[%row, %column], %pad {in_bounds = [true, true]} : !matrix, vector<128x128xbf16>
    %narrow = arith.truncf %sums : vector<128x128xf32> to vector<128x128xbf16>
    %sum = arith.addf %narrow, %old : vector<128x128xbf16>
    vector.transfer_write %sum, %y[%row, %column] {in_bounds = [true, true]} : vector<128x128xbf16>, !matrix
    %product = arith.mulf %narrow, %old : vector<128x128xbf16>
    vector.transfer_write %product, %z[%row, %column] {in_bounds = [true, true]} : vector<128x128xbf16>, !matrix
    gpu.return
  }

  // Elements of another size have no place in the tile.
  // CHECK-LABEL: gpu.func @other_types
  // CHECK-NOT: carousel.load %arg2
  // CHECK: carousel.store
  gpu.func @other_types(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                       %r: !floats {carousel.argument = #carousel.argument<"r", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [4, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %row = arith.muli %down, %c128 : index
    %column = arith.muli %across, %c128 : index
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (vector<128x128xf32>) {
      %a = vector.transfer_read %x[%row, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %b = vector.transfer_read %w[%column, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %n = vector.contract #maps %a, %b, %s : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
      scf.yield %n : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %old = vector.transfer_read %r[%row, %column], %zero {in_bounds = [true, true]} : !floats, vector<128x128xf32>
    %sum = arith.addf %sums, %old : vector<128x128xf32>
    %narrow = arith.truncf %sum : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %narrow, %y[%row, %column] {in_bounds = [true, true]} : vector<128x128xbf16>, !matrix
    gpu.return
  }
}
