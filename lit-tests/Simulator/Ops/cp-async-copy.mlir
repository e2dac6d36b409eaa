// cp_async.copy: 4, 8 or 16 bytes of each thread; `valid` of them from the source and zeros after;
// zeros only with `ignore`; hints change nothing.
// RUN: carousel-sim %s --kernel @sizes --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 8
// RUN: carousel-sim %s --kernel @zeros --arg x=iota:24 --arg y=empty:24 --reference @expected --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x16 = memref<16xf32, #gl>
!t16 = memref<16xf32, #ws>
!x24 = memref<24xi32, #gl>
!t24 = memref<24xi32, #ws>

gpu.module @m {
  // One thread: 4 bytes at 0 .. 3, 8 at 4 and 6, 16 at 8 and, past L1, at 12.
  gpu.func @sizes(%x: !x16 {carousel.argument = #carousel.argument<"x", in>},
                  %y: !x16 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !t16 {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %policy = carousel.cache_policy.fractional evict_first
    scf.for %i = %c0 to %c4 step %c1 {
      carousel.cp_async.copy ca %x[%i] to %tile[%i], 4 : !x16, !t16
    }
    carousel.cp_async.copy ca %x[%c4] to %tile[%c4], 8 l2_prefetch(64) : !x16, !t16
    carousel.cp_async.copy ca %x[%c6] to %tile[%c6], 8 cache %policy : !x16, !t16
    carousel.cp_async.copy ca %x[%c8] to %tile[%c8], 16 l2_prefetch(256) : !x16, !t16
    carousel.cp_async.copy cg %x[%c12] to %tile[%c12], 16 l2_prefetch(128) cache %policy
        : !x16, !t16
    carousel.cp_async.wait_all
    %v = vector.load %tile[%c0] : !t16, vector<16xf32>
    vector.store %v, %y[%c0] : !x16, vector<16xf32>
    gpu.return
  }

  // 16 bytes of which 16, 8, 5 and 0 are valid; 16 that are ignored, and that aren't. The first byte
  // of 9 is all of it.
  gpu.func @zeros(%x: !x24 {carousel.argument = #carousel.argument<"x", in>},
                  %y: !x24 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !t24 {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %all = arith.constant 16 : i32
    %half = arith.constant 8 : i32
    %five = arith.constant 5 : i32
    %none = arith.constant 0 : i32
    %true = arith.constant true
    %false = arith.constant false
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 valid %all : !x24, !t24
    carousel.cp_async.copy cg %x[%c4] to %tile[%c4], 16 valid %half : !x24, !t24
    carousel.cp_async.copy ca %x[%c8] to %tile[%c8], 16 valid %five : !x24, !t24
    carousel.cp_async.copy ca %x[%c12] to %tile[%c12], 16 valid %none : !x24, !t24
    carousel.cp_async.copy cg %x[%c16] to %tile[%c16], 16 ignore %true : !x24, !t24
    carousel.cp_async.copy cg %x[%c20] to %tile[%c20], 16 ignore %false : !x24, !t24
    carousel.cp_async.wait_all
    %v = vector.load %tile[%c0] : !t24, vector<24xi32>
    vector.store %v, %y[%c0] : !x24, vector<24xi32>
    gpu.return
  }
}

func.func @expected(%x: memref<24xi32>, %y: memref<24xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 0, 0, 8, 9, 0, 0,
                             0, 0, 0, 0, 0, 0, 0, 0, 20, 21, 22, 23]> : vector<24xi32>
  vector.store %v, %y[%c0] : memref<24xi32>, vector<24xi32>
  return
}
