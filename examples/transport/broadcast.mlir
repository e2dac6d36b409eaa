// Copies to all GPUs at once by a multicast address, at the tile phase. docs/Transport.md defines
// such memory. Engines load a tile, and threads store it to all parts by multimem instructions,
// because PTX ISA 9.0 has no bulk copy to a multicast address. Words may have any number and any
// address at a multiple of 4: guards choose pieces of 16 bytes where addresses are multiples of 16.
//
//   carousel-sim broadcast.mlir --kernel @put_all --then @take_all --gpus 2 --multicast all=inbox \
//     --peer there1=arrived+1 --peer there2=arrived+2 --peer there3=arrived+3 \
//     --arg source=random:9000:7 --arg inbox=empty:2x9000 --arg arrived=zeros:2x2 \
//     --arg target=empty:2x9000 --arg ctas=2 --arg round=1 --arg rank={rank}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!words = memref<?xi32, #gl>
!rows = memref<?x?xi32, #gl>
!counters = memref<?x?xi64, #gl>
!tile = memref<4096xi32, #ws>

gpu.module @transport {
  // Writes `source` to row `rank` of the inboxes of all GPUs. Then it signals to up to four GPUs
  // for each CTA that its part is there: to three peers, and to its own. With fewer GPUs a signal
  // sets a counter again.
  gpu.func @put_all(
      %source: !words {carousel.argument = #carousel.argument<"source", in>},
      %all: !rows {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %there1: !counters {carousel.argument = #carousel.argument<"there1", inout>, carousel.peer},
      %there2: !counters {carousel.argument = #carousel.argument<"there2", inout>, carousel.peer},
      %there3: !counters {carousel.argument = #carousel.argument<"there3", inout>, carousel.peer},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>},
      %rank: i64 {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(6)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %words = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %row = arith.index_cast %rank : i64 to index
    %n = memref.dim %source, %c0 : !words
    %first = arith.muli %block, %words : index
    %step = arith.muli %blocks, %words : index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %source[%i] to %slot : !words, !tile
      carousel.store %slot to %all[%row, %i] : !tile, !rows
    } {carousel.pipeline = #carousel.pipeline<stages = 6, prefetch = 4>}
    carousel.signal %there1[%row, %block] set %round : !counters
    carousel.signal %there2[%row, %block] set %round : !counters
    carousel.signal %there3[%row, %block] set %round : !counters
    carousel.signal %arrived[%row, %block] set %round : !counters
    gpu.return
  }

  // Waits for the rows of all GPUs, and copies them.
  gpu.func @take_all(
      %inbox: !rows {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %target: !rows {carousel.argument = #carousel.argument<"target", out>},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(3)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %words = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %gpus = memref.dim %inbox, %c0 : !rows
    %n = memref.dim %inbox, %c1 : !rows
    %first = arith.muli %block, %words : index
    %step = arith.muli %blocks, %words : index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %row = %c0 to %gpus step %c1 {
      carousel.wait_signal %arrived[%row, %block] at_least %round : !counters
      scf.for %i = %first to %n step %step {
        carousel.load %inbox[%row, %i] to %slot : !rows, !tile
        carousel.store %slot to %target[%row, %i] : !tile, !rows
      } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    }
    gpu.return
  }

  // Adds `source` to the sums of all GPUs, and signals. GPUs may do so at the same time: each
  // addition of multimem is atomic at system scope.
  gpu.func @add_all(
      %source: !words {carousel.argument = #carousel.argument<"source", in>},
      %all: !words {carousel.argument = #carousel.argument<"all", inout>, carousel.multicast},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>},
      %rank: i64 {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(3)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %words = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %row = arith.index_cast %rank : i64 to index
    %n = memref.dim %source, %c0 : !words
    %first = arith.muli %block, %words : index
    %step = arith.muli %blocks, %words : index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %source[%i] to %slot : !words, !tile
      carousel.store %slot to %all[%i] reduce<add u32> : !tile, !words
    } {carousel.pipeline = #carousel.pipeline<stages = 6, prefetch = 4>}
    carousel.signal %there[%row, %block] set %round : !counters
    gpu.return
  }
}
