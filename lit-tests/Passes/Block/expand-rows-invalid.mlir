// Writes to rows that reduce and that no tile has.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-rows))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
#n = #carousel.argument<"n", in>
#z = #carousel.argument<"z", inout>
!m = memref<?x?xf32, strided<[?, 1]>, #gl>
!n = memref<?xi64, #gl>

// C307: no store of a tile begins before its memref.
gpu.module @m {
  gpu.func @before(%z: !m {carousel.argument = #z}, %n: !n {carousel.argument = #n}, %j: index, %v: vector<4x32xf32>)
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %own = carousel.rows %z[%n] reduce<add f32> : !m, !n
    // expected-error @below {{expected a write to rows that reduce to be that of a tile, got one of threads: threads write it, since an index may be negative and no store of a tile may begin before its memref}}
    vector.transfer_write %v, %own[%c0, %j] : vector<4x32xf32>, !m
    gpu.return
  }
}
