// tensor_map.prefetch: a hint about the descriptor, in each space; changes nothing.
// RUN: carousel-sim %s --kernel @k --arg x=iota:4x4 --arg y=empty:4x4 --expect y=iota:4x4 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<1x!carousel.mbarrier, #ws>
!map = !carousel.tensor_map<4x4xf32>
!tile = memref<4x4xf32, #ws>
!x = memref<4x4xf32, #gl>

gpu.module @m {
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>},
              %map: !map {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !tile {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4, 4]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %phase0 = arith.constant false
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %both = arith.addi %tx, %ty : index
    %first = arith.cmpi eq, %both, %c0 : index
    scf.if %first {
      carousel.tensor_map.prefetch %map : !map
      carousel.tensor_map.prefetch %map space(param) : !map
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 64 : !bar
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %bar[%c0]
          : !map, !tile, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %v = memref.load %tile[%ty, %tx] : !tile
    memref.store %v, %y[%ty, %tx] : !x
    gpu.return
  }
}
