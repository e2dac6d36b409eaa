  // Receives what @put or @put_add sends: waits for a CTA's signal, and copies its part of the inbox.
  gpu.func @take(
      %inbox: !bytes {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %target: !bytes {carousel.argument = #carousel.argument<"target", out>},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(3)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %bytes = arith.constant 16384 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %inbox, %c0 : !bytes
    %first = arith.muli %block, %bytes : index
    %step = arith.muli %blocks, %bytes : index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    carousel.wait_signal %arrived[%block] at_least %round : !counters
    scf.for %i = %first to %n step %step {
      carousel.load %inbox[%i] to %slot : !bytes, !tile
      carousel.store %slot to %target[%i] : !tile, !bytes
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // Writes what @get reads, and signals each of the reader's CTAs.
  gpu.func @offer(
      %data: !bytes {carousel.argument = #carousel.argument<"data", in>},
      %source: !bytes {carousel.argument = #carousel.argument<"source", out>, carousel.symmetric},
      %reader: !counters {carousel.argument = #carousel.argument<"reader", inout>, carousel.peer},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(3)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %bytes = arith.constant 16384 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %data, %c0 : !bytes
    %first = arith.muli %block, %bytes : index
    %step = arith.muli %blocks, %bytes : index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %data[%i] to %slot : !bytes, !tile
      carousel.store %slot to %source[%i] : !tile, !bytes
    }
    carousel.signal %reader[%block] set %round : !counters
    gpu.return
  }
