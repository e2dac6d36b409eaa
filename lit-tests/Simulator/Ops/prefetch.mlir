// prefetch: every level, of global and of local memory; changes nothing.
// RUN: carousel-sim %s --kernel @k --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 8

#gl = #gpu.address_space<global>
#local = #nvvm.memory_space<local>
!x = memref<32xf32, #gl>

gpu.module @m {
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %own = memref.alloca() : memref<4xf32, #local>
    carousel.prefetch l1 %x[%t] : !x
    carousel.prefetch l2 %x[%t] : !x
    carousel.prefetch l2_evict_last %x[%t] : !x
    carousel.prefetch l2_evict_normal %x[%t] : !x
    carousel.prefetch uniform_l1 %x[%t] : !x
    carousel.prefetch l1 %own[%c0] : memref<4xf32, #local>
    carousel.prefetch l2 %own[%c0] : memref<4xf32, #local>
    %v = memref.load %x[%t] : !x
    memref.store %v, %y[%t] : !x
    gpu.return
  }
}
