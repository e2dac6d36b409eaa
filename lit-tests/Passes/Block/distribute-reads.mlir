// Each read of a pipelined loop has a ring, or a reason why not.
// RUN: carousel-compile %s --chip sm_90a --emit ptx --explain -o %t.package 2>%t.warnings | FileCheck %s
// A user's loop that reads otherwise asks for what isn't done.
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.warnings
// RUN: not carousel-compile %s --chip sm_90a --emit ptx --werror=pipeline -o %t.none 2>&1 | FileCheck %s --check-prefix=ERROR
// WARN-COUNT-5: warning: read of {{.*}}: threads read it in each iteration
// WARN-NOT: warning
// ERROR: error: read of masked: threads read it in each iteration: it has a mask [not-ringed:masked]

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!s = memref<?x?x64xf32, strided<[?, ?, 1], offset: ?>, #gl>
!i = memref<?x?xi32, strided<[?, 1], offset: ?>, #gl>
!v = memref<?xf32, strided<[1], offset: ?>, #gl>

gpu.module @m {
  // CHECK: load box, middle, row, indices: {{.*}} stages
  // CHECK: read of masked at {{.*}}: threads read it in each iteration: it has a mask [not-ringed:masked]
  // CHECK: read of turned at {{.*}}: threads read it in each iteration: it permutes or repeats dimensions, or omits the last one [not-ringed:permuted]
  // CHECK: read of column at {{.*}}: threads read it in each iteration: it permutes or repeats dimensions, or omits the last one [not-ringed:permuted]
  // CHECK: read of padded at {{.*}}: threads read it in each iteration: its padding isn't a constant [not-ringed:padding]
  // CHECK: read of gathered at {{.*}}: threads read it in each iteration: it gathers elements [not-ringed:gathers]
  gpu.func @reads(
      %box: !m {carousel.argument = #carousel.argument<"box", in>},
      %middle: !s {carousel.argument = #carousel.argument<"middle", in>},
      %row: !v {carousel.argument = #carousel.argument<"row", in>},
      %masked: !m {carousel.argument = #carousel.argument<"masked", in>},
      %turned: !m {carousel.argument = #carousel.argument<"turned", in>},
      %column: !m {carousel.argument = #carousel.argument<"column", in>},
      %padded: !m {carousel.argument = #carousel.argument<"padded", in>},
      %gathered: !v {carousel.argument = #carousel.argument<"gathered", in>},
      %indices: !i {carousel.argument = #carousel.argument<"indices", in>},
      %padding: f32 {carousel.argument = #carousel.argument<"padding", in>},
      %width: index {carousel.argument = #carousel.argument<"width", in>},
      %y: !m {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
        carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %all = arith.constant dense<true> : vector<64x64xi1>
    %head = gpu.block_id x
    %end = memref.dim %box, %c0 : !m
    %sum = scf.for %i = %c0 to %end step %c64 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %a = vector.transfer_read %box[%i, %c0], %pad : !m, vector<64x64xf32>
      %b = vector.transfer_read %middle[%i, %head, %c0], %pad {permutation_map = affine_map<(d0, d1, d2) -> (d0, d2)>} : !s, vector<64x64xf32>
      %r = vector.transfer_read %row[%i], %pad : !v, vector<64xf32>
      %rb = vector.broadcast %r : vector<64xf32> to vector<64x64xf32>
      %counts = vector.transfer_read %indices[%i, %c0], %none : !i, vector<64x64xi32>
      %number = vector.broadcast %none : i32 to vector<64x64xi32>
      %mask = arith.cmpi sgt, %counts, %number : vector<64x64xi32>
      %c = vector.transfer_read %masked[%i, %c0], %pad, %mask : !m, vector<64x64xf32>
      %d = vector.transfer_read %turned[%c0, %i], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : !m, vector<64x64xf32>
      %e = vector.transfer_read %column[%i, %head], %pad {permutation_map = affine_map<(d0, d1) -> (d0, 0)>} : !m, vector<64x64xf32>
      %f = vector.transfer_read %padded[%i, %c0], %padding : !m, vector<64x64xf32>
      %g = vector.gather %gathered[%c0] [%counts], %all, %zeros : !v, vector<64x64xi32>, vector<64x64xi1>, vector<64x64xf32> into vector<64x64xf32>
      %0 = arith.addf %acc, %a : vector<64x64xf32>
      %1 = arith.addf %0, %b : vector<64x64xf32>
      %2 = arith.addf %1, %rb : vector<64x64xf32>
      %3 = arith.addf %2, %c : vector<64x64xf32>
      %4 = arith.addf %3, %d : vector<64x64xf32>
      %5 = arith.addf %4, %e : vector<64x64xf32>
      %6 = arith.addf %5, %f : vector<64x64xf32>
      %7 = arith.addf %6, %g : vector<64x64xf32>
      scf.yield %7 : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<64x64xf32>, !m
    gpu.return
  }
}
