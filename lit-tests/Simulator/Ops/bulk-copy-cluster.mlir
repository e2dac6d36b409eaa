// bulk.copy_cluster: bytes of this CTA's shared memory to a peer's, whose barrier says so.
// RUN: carousel-sim %s --kernel @k --arg y=empty:16 --expect y=iota:16 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!tile = memref<8xf32, #ws>
!peer_tile = memref<8xf32, #cluster>
!y = memref<16xf32, #gl>

gpu.module @m {
  // The CTA of rank r makes r*8 .. r*8+7, sends them in two pieces, and writes what the other one
  // sent: y = iota.
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%bar: !bar, %out: !tile {llvm.align = 16 : i64},
                %in: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [8], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant 1 : i32
    %size = arith.constant 16 : i32
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 32 : !bar
    }
    %r = arith.index_cast %rank : i32 to index
    %before = arith.muli %r, %c8 : index
    %i = arith.addi %before, %t : index
    %i_i32 = arith.index_cast %i : index to i32
    %v = arith.sitofp %i_i32 : i32 to f32
    memref.store %v, %out[%t] : !tile
    carousel.fence.proxy async_shared_cta
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %first {
      %peer_in = carousel.cluster.map_shared %in, %other : !tile to !peer_tile
      %peer_bar = carousel.cluster.map_shared %bar, %other : !bar to !peer_bar
      carousel.bulk.copy_cluster %out[%c0] to %peer_in[%c0], 16 signals %peer_bar[%c0]
          : !tile, !peer_tile, !peer_bar
      carousel.bulk.copy_cluster %out[%c4] to %peer_in[%c4], %size signals %peer_bar[%c0]
          : !tile, !peer_tile, !peer_bar
    }
    carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
    %w = memref.load %in[%t] : !tile
    %o = arith.index_cast %other : i32 to index
    %other_before = arith.muli %o, %c8 : index
    %j = arith.addi %other_before, %t : index
    memref.store %w, %y[%j] : !y
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}
