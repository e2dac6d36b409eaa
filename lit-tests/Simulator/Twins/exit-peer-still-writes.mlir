// Exit: a CTA doesn't end while its peers use its shared memory.
// Wrong: it arrives at the cluster's barrier, and ends without waiting.
// RUN: carousel-sim %s --kernel @right --arg y=empty:2 --expect y=zeros:2 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:2 --expect y=zeros:2 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:2 --expect-finding out-of-bounds --within 20

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!vector = memref<2xi32, #gl>
!word = memref<1xi32, #ws>
!peer_word = memref<1xi32, #cluster>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer = carousel.cluster.map_shared %word, %other : !word to !peer_word
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    memref.store %zero, %peer[%c0] : !peer_word
    carousel.cluster.arrive
    carousel.cluster.wait
    %block = gpu.block_id x
    memref.store %zero, %y[%block] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %peer = carousel.cluster.map_shared %word, %other : !word to !peer_word
    carousel.cluster.arrive semantics(relaxed)
    carousel.cluster.wait
    memref.store %zero, %peer[%c0] : !peer_word
    carousel.cluster.arrive
    %block = gpu.block_id x
    memref.store %zero, %y[%block] : !vector
    gpu.return
  }
}
