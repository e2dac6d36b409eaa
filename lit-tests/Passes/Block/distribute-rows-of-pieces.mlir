// Rows that are broadcast beside the sums of a product, for which threads have no registers, are read after the loop, each piece's
// part with the piece, and what is computed of them is computed there.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks{variants=true},carousel-distribute,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#maps = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<512x512xbf16, #gl>
!row = memref<512xbf16, #gl>
!sums = vector<128x256xf32>

gpu.module @m {
  // A piece has eight columns: four runs of each row.
  // CHECK-LABEL: gpu.func @rows_aligned
  // CHECK-NOT: {{load %arg2|load %arg3|math.rsqrt}}
  // CHECK: carousel.multiply
  // CHECK-COUNT-4: vector.load %arg3
  // CHECK-NOT: vector.load %arg3
  // CHECK: arith.mulf %{{.*}} : vector<16xf32>
  // CHECK-COUNT-4: vector.load %arg2
  // CHECK-NOT: vector.load %arg2
  // CHECK: math.rsqrt %{{.*}} : vector<8xf32>
  // CHECK: arith.addf %{{.*}} : vector<16xf32>
  // CHECK: carousel.store
  gpu.func @rows(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
                 %a: !row {carousel.argument = #carousel.argument<"a", in>}, %b: !row {carousel.argument = #carousel.argument<"b", in>},
                 %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [2, 4], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %r = arith.muli %down, %c128 : index
    %c = arith.muli %across, %c256 : index
    %early = vector.transfer_read %a[%c], %pad {in_bounds = [true]} : !row, vector<256xbf16>
    %wide = arith.extf %early : vector<256xbf16> to vector<256xf32>
    %root = math.rsqrt %wide : vector<256xf32>
    %sums = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zeros) -> (!sums) {
      %p = vector.transfer_read %x[%r, %k], %pad {in_bounds = [true, true]} : !matrix, vector<128x64xbf16>
      %q = vector.transfer_read %w[%c, %k], %pad {in_bounds = [true, true]} : !matrix, vector<256x64xbf16>
      %n = vector.contract #maps %p, %q, %s : vector<128x64xbf16>, vector<256x64xbf16> into !sums
      scf.yield %n : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %late = vector.transfer_read %b[%c], %pad {in_bounds = [true]} : !row, vector<256xbf16>
    %factor = arith.extf %late : vector<256xbf16> to vector<256xf32>
    %factors = vector.broadcast %factor : vector<256xf32> to !sums
    %scaled = arith.mulf %sums, %factors : !sums
    %roots = vector.broadcast %root : vector<256xf32> to !sums
    %moved = arith.addf %scaled, %roots : !sums
    %new = arith.truncf %moved : !sums to vector<128x256xbf16>
    vector.transfer_write %new, %y[%r, %c] {in_bounds = [true, true]} : vector<128x256xbf16>, !matrix
    gpu.return
  }
}
