// The kernel of multicast puts (docs/Comm.md), at the tile phase: words from local memory to the
// parts of all GPUs. It has a package of its own, because chips before sm_90 have no multimem.
// `ctas` CTAs take the tiles of the body in turn: engines load a tile, and threads store it. The
// body's target is a multiple of 16 bytes; up to three words before it go one by one, by the first
// CTA. Threads also store what is left after the last 16 bytes of the body.
//
//   carousel-compile multicast.mlir -o multicast.pkg --chip sm_90a

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!words = memref<?xi32, #gl>
!tile = memref<4096xi32, #ws>
!few = memref<4xi32, #ws>

gpu.module @multicast {
  gpu.func @put_multicast(
      %x: !words {carousel.argument = #carousel.argument<"x", in>},
      %y: !words {carousel.argument = #carousel.argument<"y", out>, carousel.multicast},
      %head_x: !words {carousel.argument = #carousel.argument<"head_x", in>},
      %head_y: !words {carousel.argument = #carousel.argument<"head_y", out>, carousel.multicast},
      %ctas: index {carousel.argument = #carousel.argument<"ctas">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(4)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !words
    %few = memref.alloc() {alignment = 16 : i64} : !few
    %is_first = arith.cmpi eq, %block, %c0 : index
    %head = memref.dim %head_x, %c0 : !words
    %has_head = arith.cmpi ne, %head, %c0 : index
    %copies_head = arith.andi %is_first, %has_head : i1
    scf.if %copies_head {
      carousel.load %head_x[%c0] to %few engine<vector, width = 4> : !words, !few
      carousel.store %few to %head_y[%c0] engine<vector, width = 4> : !few, !words
    }

    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %buffer = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %buffer : !words, !tile
      carousel.store %buffer to %y[%i] : !tile, !words
    } {carousel.pipeline = #carousel.pipeline<stages = 6>}
    gpu.return
  }
}
