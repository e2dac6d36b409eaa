// The kernels of the TMA transport (docs/Comm.md), at the tile phase: bytes from one address to
// another, either of which may be on a peer. `ctas` CTAs take the tiles of the body in turn, each
// through a ring that bulk copies fill and empty. Thread blocks of one warp suffice: one thread
// issues all copies. Up to 15 bytes before and after the body go one by one, by the threads of the
// first CTA.
//
//   carousel-compile transport.mlir -o transport.pkg --chip sm_90a

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!bytes = memref<?xi8, #gl>
!words = memref<?xi32, #gl>
!tile = memref<16384xi8, #ws>

gpu.module @transport {
  gpu.func @copy_bytes(
      %x: !bytes {carousel.argument = #carousel.argument<"x", in>},
      %y: !bytes {carousel.argument = #carousel.argument<"y", out>},
      %head_x: !bytes {carousel.argument = #carousel.argument<"head_x", in>},
      %head_y: !bytes {carousel.argument = #carousel.argument<"head_y", out>},
      %tail_x: !bytes {carousel.argument = #carousel.argument<"tail_x", in>},
      %tail_y: !bytes {carousel.argument = #carousel.argument<"tail_y", out>},
      %ctas: index {carousel.argument = #carousel.argument<"ctas">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(6)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c16384 = arith.constant 16384 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !bytes
    %head = memref.dim %head_x, %c0 : !bytes
    %tail = memref.dim %tail_x, %c0 : !bytes

    %is_first = arith.cmpi eq, %block, %c0 : index
    %in_head = arith.cmpi ult, %thread, %head : index
    %copies_head = arith.andi %is_first, %in_head : i1
    scf.if %copies_head {
      %v = memref.load %head_x[%thread] : !bytes
      memref.store %v, %head_y[%thread] : !bytes
    }
    %in_tail = arith.cmpi ult, %thread, %tail : index
    %copies_tail = arith.andi %is_first, %in_tail : i1
    scf.if %copies_tail {
      %v = memref.load %tail_x[%thread] : !bytes
      memref.store %v, %tail_y[%thread] : !bytes
    }

    %first = arith.muli %block, %c16384 : index
    %step = arith.muli %blocks, %c16384 : index
    %buffer = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %buffer : !bytes, !tile
      carousel.store %buffer to %y[%i] : !tile, !bytes
    } {carousel.pipeline = #carousel.pipeline<stages = 6>}
    gpu.return
  }
}

// The same for a source whose body isn't aligned like its target. `x` begins up to 15 bytes before
// the body, at a multiple of 16, and ends at one. Threads shift each tile by `shift` bytes, from one
// tile of shared memory into another. A module of its own, too.
gpu.module @transport_shifted {
  gpu.func @copy_shifted(
      %x: !words {carousel.argument = #carousel.argument<"x", in>},
      %y: !words {carousel.argument = #carousel.argument<"y", out>},
      %head_x: !bytes {carousel.argument = #carousel.argument<"head_x", in>},
      %head_y: !bytes {carousel.argument = #carousel.argument<"head_y", out>},
      %tail_x: !bytes {carousel.argument = #carousel.argument<"tail_x", in>},
      %tail_y: !bytes {carousel.argument = #carousel.argument<"tail_y", out>},
      %shift: i32 {carousel.argument = #carousel.argument<"shift">},
      %ctas: index {carousel.argument = #carousel.argument<"ctas">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(7)], block = [512]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %c4096 = arith.constant 4096 : index
    %three = arith.constant 3 : i32
    %two = arith.constant 2 : i32
    %word_bits = arith.constant 32 : i64
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %y, %c0 : !words
    %head = memref.dim %head_x, %c0 : !bytes
    %tail = memref.dim %tail_x, %c0 : !bytes

    %is_first = arith.cmpi eq, %block, %c0 : index
    %in_head = arith.cmpi ult, %thread, %head : index
    %copies_head = arith.andi %is_first, %in_head : i1
    scf.if %copies_head {
      %v = memref.load %head_x[%thread] : !bytes
      memref.store %v, %head_y[%thread] : !bytes
    }
    %in_tail = arith.cmpi ult, %thread, %tail : index
    %copies_tail = arith.andi %is_first, %in_tail : i1
    scf.if %copies_tail {
      %v = memref.load %tail_x[%thread] : !bytes
      memref.store %v, %tail_y[%thread] : !bytes
    }

    // Whole words, and then bits.
    %skipped = arith.shrui %shift, %two : i32
    %skip = arith.index_castui %skipped : i32 to index
    %odd = arith.andi %shift, %three : i32
    %odd_bits = arith.shli %odd, %three : i32
    %bits = arith.extui %odd_bits : i32 to i64
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %in = memref.alloc() {alignment = 128 : i64} : memref<4100xi32, #ws>
    %out = memref.alloc() {alignment = 128 : i64} : memref<4096xi32, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in : !words, memref<4100xi32, #ws>
      scf.for %j = %thread to %c4096 step %c512 {
        %at = arith.addi %j, %skip : index
        %next = arith.addi %at, %c1 : index
        %low = memref.load %in[%at] : memref<4100xi32, #ws>
        %high = memref.load %in[%next] : memref<4100xi32, #ws>
        %low64 = arith.extui %low : i32 to i64
        %high64 = arith.extui %high : i32 to i64
        %above = arith.shli %high64, %word_bits : i64
        %both = arith.ori %above, %low64 : i64
        %moved = arith.shrui %both, %bits : i64
        %word = arith.trunci %moved : i64 to i32
        memref.store %word, %out[%j] : memref<4096xi32, #ws>
      }
      carousel.store %out to %y[%i] : memref<4096xi32, #ws>, !words
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}

// Add x to y, which may be on a peer. Each element is added atomically with respect to its own GPU
// only. A module of its own: who only copies needn't compile it.
gpu.module @transport_add {
  gpu.func @add_f32(
      %x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
      %ctas: index {carousel.argument = #carousel.argument<"ctas">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(2)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : memref<?xf32, #gl>
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %buffer = memref.alloc() {alignment = 128 : i64} : memref<4096xf32, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %buffer : memref<?xf32, #gl>, memref<4096xf32, #ws>
      carousel.store %buffer to %y[%i] reduce<add f32>
        : memref<4096xf32, #ws>, memref<?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 6>}
    gpu.return
  }

  gpu.func @add_f16(
      %x: memref<?xf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<?xf16, #gl> {carousel.argument = #carousel.argument<"y", inout>},
      %ctas: index {carousel.argument = #carousel.argument<"ctas">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(2)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : memref<?xf16, #gl>
    %first = arith.muli %block, %c8192 : index
    %step = arith.muli %blocks, %c8192 : index
    %buffer = memref.alloc() {alignment = 128 : i64} : memref<8192xf16, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %buffer : memref<?xf16, #gl>, memref<8192xf16, #ws>
      carousel.store %buffer to %y[%i] reduce<add f16>
        : memref<8192xf16, #ws>, memref<?xf16, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 6>}
    gpu.return
  }

  gpu.func @add_bf16(
      %x: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"y", inout>},
      %ctas: index {carousel.argument = #carousel.argument<"ctas">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(2)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : memref<?xbf16, #gl>
    %first = arith.muli %block, %c8192 : index
    %step = arith.muli %blocks, %c8192 : index
    %buffer = memref.alloc() {alignment = 128 : i64} : memref<8192xbf16, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %buffer : memref<?xbf16, #gl>, memref<8192xbf16, #ws>
      carousel.store %buffer to %y[%i] reduce<add bf16>
        : memref<8192xbf16, #ws>, memref<?xbf16, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 6>}
    gpu.return
  }

  gpu.func @add_i32(
      %x: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
      %ctas: index {carousel.argument = #carousel.argument<"ctas">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(2)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : memref<?xi32, #gl>
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %buffer = memref.alloc() {alignment = 128 : i64} : memref<4096xi32, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %buffer : memref<?xi32, #gl>, memref<4096xi32, #ws>
      carousel.store %buffer to %y[%i] reduce<add s32>
        : memref<4096xi32, #ws>, memref<?xi32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 6>}
    gpu.return
  }
}
