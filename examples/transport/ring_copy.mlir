// Copies to and from the memory of a peer, at the tile phase: rings whose loads or stores go over
// NVLink, and signals. docs/Transport.md defines both. The buffers are bytes of any number at any
// address: guards choose bulk copies where addresses are multiples of 16, with a vector tail, and
// copies by threads elsewhere. `ctas` CTAs of four warps copy, so that the rest of the GPU stays
// free.
//
//   carousel-sim ring_copy.mlir --kernel @put --gpus 2 --peer remote=inbox --peer there=arrived \
//     --arg source=random:70000:{rank} --arg inbox=empty:70000 --arg arrived=zeros:3 \
//     --arg ctas=3 --arg round=1 --expect inbox=random:70000:{rank-1}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!bytes = memref<?xi8, #gl>
!floats = memref<?xf32, #gl>
!counters = memref<?xi64, #gl>
!tile = memref<16384xi8, #ws>
!float_tile = memref<4096xf32, #ws>

gpu.module @transport {
  // Puts `source` to a peer, and signals for each CTA that its part is there.
  gpu.func @put(
      %source: !bytes {carousel.argument = #carousel.argument<"source", in>},
      %remote: !bytes {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(3)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %bytes = arith.constant 16384 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %source, %c0 : !bytes
    %first = arith.muli %block, %bytes : index
    %step = arith.muli %blocks, %bytes : index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %source[%i] to %slot : !bytes, !tile
      carousel.store %slot to %remote[%i] : !tile, !bytes
    } {carousel.pipeline = #carousel.pipeline<stages = 6, prefetch = 4>}
    carousel.signal %there[%block] set %round : !counters
    gpu.return
  }

  // Adds `source` to a peer's buffer: a reducing store over NVLink. One peer at a time may do it.
  gpu.func @put_add(
      %source: !floats {carousel.argument = #carousel.argument<"source", in>},
      %remote: !floats {carousel.argument = #carousel.argument<"remote", inout>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(3)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %elements = arith.constant 4096 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %source, %c0 : !floats
    %first = arith.muli %block, %elements : index
    %step = arith.muli %blocks, %elements : index
    %slot = memref.alloc() {alignment = 128 : i64} : !float_tile
    scf.for %i = %first to %n step %step {
      carousel.load %source[%i] to %slot : !floats, !float_tile
      carousel.store %slot to %remote[%i] reduce<add f32> : !float_tile, !floats
    } {carousel.pipeline = #carousel.pipeline<stages = 6, prefetch = 4>}
    carousel.signal %there[%block] set %round : !counters
    gpu.return
  }

  // Waits until a peer's buffer is ready, and gets it. The peer signals each CTA's counter.
  gpu.func @get(
      %remote: !bytes {carousel.argument = #carousel.argument<"remote", in>, carousel.peer},
      %target: !bytes {carousel.argument = #carousel.argument<"target", out>},
      %ready: !counters {carousel.argument = #carousel.argument<"ready", inout>,
                         carousel.symmetric},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [scalar(3)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %bytes = arith.constant 16384 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %remote, %c0 : !bytes
    %first = arith.muli %block, %bytes : index
    %step = arith.muli %blocks, %bytes : index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    carousel.wait_signal %ready[%block] at_least %round : !counters
    scf.for %i = %first to %n step %step {
      carousel.load %remote[%i] to %slot : !bytes, !tile
      carousel.store %slot to %target[%i] : !tile, !bytes
    } {carousel.pipeline = #carousel.pipeline<stages = 6, prefetch = 4>}
    gpu.return
  }

  // Rounds of puts in both directions: each GPU puts to the next one, waits for the one before it,
  // copies what has come, and hands the inbox back. A wait that takes longer than `ns` ends the
  // kernel with a record in `status` (docs/Transport.md). Its CTAs wait for others that must run.
  gpu.func @exchange(
      %source: !bytes {carousel.argument = #carousel.argument<"source", in>},
      %remote: !bytes {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %inbox: !bytes {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %free: !counters {carousel.argument = #carousel.argument<"free", inout>,
                        carousel.symmetric},
      %freed: !counters {carousel.argument = #carousel.argument<"freed", inout>, carousel.peer},
      %target: !bytes {carousel.argument = #carousel.argument<"target", out>},
      %status: !counters {carousel.argument = #carousel.argument<"status", inout>},
      %ctas: i32 {carousel.argument = #carousel.argument<"ctas", in>},
      %rounds: i64 {carousel.argument = #carousel.argument<"rounds", in>},
      %ns: i64 {carousel.argument = #carousel.argument<"ns", in>},
      %rank: i64 {carousel.argument = #carousel.argument<"rank", in>},
      %next: i64 {carousel.argument = #carousel.argument<"next", in>},
      %previous: i64 {carousel.argument = #carousel.argument<"previous", in>}) kernel
      attributes {carousel.coresident,
                  carousel.launch = #carousel.launch<grid = [scalar(9)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bytes = arith.constant 16384 : index
    %one = arith.constant 1 : i64
    %true = arith.constant true
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %source, %c0 : !bytes
    %first = arith.muli %block, %bytes : index
    %step = arith.muli %blocks, %bytes : index
    %last = arith.index_cast %rounds : i64 to index
    %slot = memref.alloc() {alignment = 128 : i64} : !tile
    %taken = memref.alloc() {alignment = 128 : i64} : !tile
    %ended = scf.for %r = %c0 to %last step %c1 iter_args(%alive = %true) -> (i1) {
      %went = scf.if %alive -> i1 {
        // The inbox of the next GPU is free of the rounds before this one.
        %before = arith.index_cast %r : index to i64
        %round = arith.addi %before, %one : i64
        %is_free = carousel.wait_signal %free[%block] at_least %before timeout %ns
            : !counters -> i1
        %has_put = scf.if %is_free -> i1 {
          scf.for %i = %first to %n step %step {
            carousel.load %source[%i] to %slot : !bytes, !tile
            carousel.store %slot to %remote[%i] : !tile, !bytes
          } {carousel.pipeline = #carousel.pipeline<stages = 2>}
          carousel.signal %there[%block] set %round : !counters
          %has_come = carousel.wait_signal %arrived[%block] at_least %round timeout %ns
              : !counters -> i1
          scf.if %has_come {
            scf.for %i = %first to %n step %step {
              carousel.load %inbox[%i] to %taken : !bytes, !tile
              carousel.store %taken to %target[%i] : !tile, !bytes
            } {carousel.pipeline = #carousel.pipeline<stages = 2>}
            carousel.signal %freed[%block] add %one : !counters
          } else {
            func.call @record(%status, %rank, %previous, %block, %round, %ns)
                : (!counters, i64, i64, index, i64, i64) -> ()
          }
          scf.yield %has_come : i1
        } else {
          func.call @record(%status, %rank, %next, %block, %before, %ns)
              : (!counters, i64, i64, index, i64, i64) -> ()
          scf.yield %is_free : i1
        }
        scf.yield %has_put : i1
      } else {
        scf.yield %alive : i1
      }
      scf.yield %went : i1
    }
    gpu.return
  }

  // Who waited for whom, at which counter, for which value, and for how long. Each CTA has 8
  // words.
  func.func @record(%status: !counters, %rank: i64, %other: i64, %block: index, %value: i64,
                    %ns: i64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant 1 : i64
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %at = arith.muli %block, %c8 : index
      %at1 = arith.addi %at, %c1 : index
      %at2 = arith.addi %at, %c2 : index
      %at3 = arith.addi %at, %c3 : index
      %at4 = arith.addi %at, %c4 : index
      %at5 = arith.addi %at, %c5 : index
      %counter = arith.index_cast %block : index to i64
      memref.store %rank, %status[%at1] : !counters
      memref.store %other, %status[%at2] : !counters
      memref.store %counter, %status[%at3] : !counters
      memref.store %value, %status[%at4] : !counters
      memref.store %ns, %status[%at5] : !counters
      carousel.fence.thread release sys
      memref.store %one, %status[%at] : !counters
    }
    return
  }
}
