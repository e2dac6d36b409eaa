// bulk.prefetch: a hint that changes nothing; a literal size, a value, a cache policy.
// RUN: carousel-sim %s --kernel @k --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
!x = memref<64xf32, #gl>

gpu.module @m {
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %size = arith.constant 128 : i32
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %policy = carousel.cache_policy.fractional evict_last
      carousel.bulk.prefetch %x[%c0], 128 : !x
      carousel.bulk.prefetch %x[%c32], %size cache %policy : !x
    }
    %v = memref.load %x[%t] : !x
    memref.store %v, %y[%t] : !x
    gpu.return
  }
}
