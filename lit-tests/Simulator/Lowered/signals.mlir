// Signals in loops, in roles and in block programs: the same bytes at every phase, under every policy.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered
// DEFINE: %{block} = --pipeline 'builtin.module(gpu.module(carousel-attach-target{chip=CHIP},carousel-distribute),carousel-lower{chip=CHIP})'
// DEFINE: %{gpus} = --gpus 2 --peer remote=inbox --peer there=arrived --arg arrived=zeros:2
// DEFINE: %{all} = --policy all --schedules 2
// RUN: carousel-sim %s --kernel @unified %{gpus} --arg x=random:5003:{rank} --arg inbox=empty:5003 --arg z=empty:5003 --expect z=random:5003:{rank-1} %{all}
// RUN: %{lowered} %s -- --kernel @unified %{gpus} --arg x=random:5003:{rank} --arg inbox=empty:5003 --arg z=empty:5003 --expect z=random:5003:{rank-1} %{all}
// RUN: %{lowered} %s -- --kernel @unified %{gpus} --arg x=random:0:{rank} --arg inbox=empty:0 --arg z=empty:0 --expect z=random:0:{rank-1} %{all}
// RUN: %{lowered} %s -- --kernel @specialized %{gpus} --arg x=random:5003:{rank} --arg inbox=empty:5003 --arg z=empty:5003 --expect z=random:5003:{rank-1} %{all}
// RUN: %{lowered} %s -- --kernel @specialized %{gpus} --arg x=random:256:{rank} --arg inbox=empty:256 --arg z=empty:256 --expect z=random:256:{rank-1} %{all}
// RUN: carousel-sim %s --kernel @block %{gpus} --arg x=random:3x100:{rank} --arg inbox=empty:3x100 --arg z=empty:3x100 --expect z=random:3x100:{rank-1} %{all}
// RUN: %{lowered} %{block} %s -- --kernel @block %{gpus} --arg x=random:3x100:{rank} --arg inbox=empty:3x100 --arg z=empty:3x100 --expect z=random:3x100:{rank-1} %{all}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!vector = memref<?xf32, #gl>
!matrix = memref<?x?xf32, #gl>
!tile = memref<256xf32, #ws>
!counters = memref<?xi64, #gl>

gpu.module @kernels {
  // A signal for each tile, and a wait before each tile that is taken.
  gpu.func @unified(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %remote: !vector {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %inbox: !vector {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>, carousel.symmetric},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %one = arith.constant 1 : i64
    %none = arith.constant 0 : i64
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !vector
    %first = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %tile = memref.alloc() {alignment = 128 : i64} : !tile
    %taken = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %tile : !vector, !tile
      carousel.store %tile to %remote[%i] : !tile, !vector
      carousel.signal %there[%block] add %one : !counters
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %done = scf.for %i = %first to %n step %step iter_args(%count = %none) -> (i64) {
      %next = arith.addi %count, %one : i64
      carousel.wait_signal %arrived[%block] at_least %next : !counters
      carousel.load %inbox[%i] to %taken : !vector, !tile
      carousel.store %taken to %z[%i] : !tile, !vector
      scf.yield %next : i64
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // The threads that consume store, signal and wait.
  gpu.func @specialized(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %remote: !vector {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %inbox: !vector {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>, carousel.symmetric},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [96]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %one = arith.constant 1 : i64
    %none = arith.constant 0 : i64
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !vector
    %first = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %tile = memref.alloc() {alignment = 128 : i64} : !tile
    %taken = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %tile : !vector, !tile
      carousel.store %tile to %remote[%i] : !tile, !vector
      carousel.signal %there[%block] add %one : !counters
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    %done = scf.for %i = %first to %n step %step iter_args(%count = %none) -> (i64) {
      %next = arith.addi %count, %one : i64
      carousel.wait_signal %arrived[%block] at_least %next : !counters
      carousel.load %inbox[%i] to %taken : !vector, !tile
      carousel.store %taken to %z[%i] : !tile, !vector
      scf.yield %next : i64
    }
    gpu.return
  }

  // A row for each CTA.
  gpu.func @block(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %remote: !matrix {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %inbox: !matrix {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>, carousel.symmetric},
      %z: !matrix {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.coresident, carousel.block_program = #carousel.block_program<>,
                  carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : i64
    %all = arith.constant 3 : i64
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !matrix, vector<128xf32>
    vector.transfer_write %v, %remote[%row, %c0] : vector<128xf32>, !matrix
    carousel.signal %there[%c0] add %one : !counters
    carousel.wait_signal %arrived[%c0] at_least %all : !counters
    %w = vector.transfer_read %inbox[%row, %c0], %zero : !matrix, vector<128xf32>
    vector.transfer_write %w, %z[%row, %c0] : vector<128xf32>, !matrix
    gpu.return
  }
}
