// Happens-before 2; raw: a CTA reads what its peer wrote into its shared memory.
// Wrong: the peer's arrive at the cluster's barrier is relaxed.
// RUN: carousel-sim %s --kernel @right --arg x=iota:2 --arg y=empty:2 --expect y=iota:2 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:2 --arg y=empty:2 --expect y=iota:2 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:2 --arg y=empty:2 --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<2xi32, #gl>
!word = memref<1xi32, #ws>
!peer_word = memref<1xi32, #cluster>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %i = arith.index_cast %other : i32 to index
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    %peer = carousel.cluster.map_shared %word, %other : !word to !peer_word
    %v = memref.load %x[%i] : !vector
    memref.store %v, %peer[%c0] : !peer_word
    carousel.cluster.arrive
    carousel.cluster.wait
    %w = memref.load %word[%c0] : !word
    %j = gpu.block_id x
    memref.store %w, %y[%j] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %i = arith.index_cast %other : i32 to index
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    %peer = carousel.cluster.map_shared %word, %other : !word to !peer_word
    %v = memref.load %x[%i] : !vector
    memref.store %v, %peer[%c0] : !peer_word
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    %w = memref.load %word[%c0] : !word
    %j = gpu.block_id x
    memref.store %w, %y[%j] : !vector
    gpu.return
  }
}
