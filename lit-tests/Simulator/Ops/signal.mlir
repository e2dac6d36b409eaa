// Signals between GPUs: counters of both widths that are set and increased and wrap around, waits with and without a
// timeout, GPUs that stop, and memory of one GPU. docs/Transport.md defines them.
// DEFINE: %{gpus} = --gpus 2 --peer there=arrived
// RUN: carousel-sim %s --kernel @tile %{gpus} --arg arrived=zeros:2 --arg result=empty:1 --expect arrived=iota:2 --expect result=iota:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @block %{gpus} --arg arrived=zeros:2 --arg result=empty:1 --expect result=iota:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @around --arg counter=zeros:1 --arg result=empty:2 --expect result=iota:2 --policy all --schedules 10
//
// A wait that no signal ends says who waits for what, since when, and who signalled last.
// RUN: not carousel-sim %s --kernel @never %{gpus} --arg arrived=zeros:1 | FileCheck %s --check-prefix=NEVER
// NEVER: finding: [deadlock] expected a thread that can go on or a transfer in flight, found that all of 2 threads of 2 CTAs wait
// NEVER: CTA 0 of @never on GPU 0, warp 0 (thread 0) waits at {{.*}}signal.mlir:[[#]]:[[#]] on signal arrived@0 at least 2 since cycle [[#]]; missing: its value is 1; could come from: a signal, the last of which was by CTA 0 of @never on GPU 1 thread 0 at {{.*}}signal.mlir
// NEVER: CTA 0 of @never on GPU 1
//
// So does the wait for a GPU that has stopped.
// RUN: not carousel-sim %s --kernel @stops %{gpus} --arg arrived=zeros:1 --stop-gpu 1 --stop-within 1 | FileCheck %s --check-prefix=STOPS
// STOPS: finding: [deadlock]
// STOPS: CTA 0 of @stops on GPU 0, warp 0 (thread 0) waits at {{.*}} on signal arrived@0 at least 1 since cycle [[#]]; missing: its value is 0; could come from: a signal, of which there was none
// STOPS: GPU 1 stopped at step 1
// STOPS: GPU 1 stopped at step 1
//
// A wait with a timeout ends when nothing else can act.
// RUN: carousel-sim %s --kernel @timeout %{gpus} --arg arrived=zeros:1 --arg result=empty:1 --stop-gpu 1 --stop-within 1 --expect result@0=zeros:1 --policy all --schedules 10
//
// In some schedules it ends before the signal comes. A kernel that reads nonetheless races with what the peer writes, and one
// that doesn't is right, whatever its outputs are then.
// DEFINE: %{trusts} =
// DEFINE: %{take} = carousel-sim %s --kernel @takes %{gpus} --peer remote=inbox --arg inbox=zeros:1 --arg arrived=zeros:1 --arg result=zeros:1 --arg trusts=%{trusts} --expect result=iota:1 --policy starved-warp
// REDEFINE: %{trusts} = 1
// RUN: %{take} --within 10 --expect-finding data-race
// REDEFINE: %{trusts} = 0
// RUN: %{take} --schedules 10
// RUN: %{take} --seed 1 | FileCheck %s --check-prefix=EXPIRED
// EXPIRED: wait{{s?}} expired, so outputs are not compared
//
// The step is drawn from the seed, and replayed.
// RUN: carousel-sim %s --kernel @tile %{gpus} --arg arrived=zeros:2 --arg result=empty:1 --stop-gpu 1 --stop-within 30 --seed 5 --allow-finding deadlock --record %t.record > %t.stopped
// RUN: carousel-sim %s --kernel @tile %{gpus} --arg arrived=zeros:2 --arg result=empty:1 --stop-gpu 1 --stop-within 30 --replay %t.record --allow-finding deadlock > %t.replayed
// RUN: grep stopped %t.stopped > %t.first
// RUN: grep stopped %t.replayed | diff - %t.first
//
// Atomics of gpu scope race with those of another GPU; signals don't.
// RUN: carousel-sim %s --kernel @atomics %{gpus} --arg arrived=zeros:1 --expect-finding data-race --policy all --schedules 10
// RUN: carousel-sim %s --kernel @adds %{gpus} --arg arrived=zeros:1 --policy all --schedules 10
//
// Memory without an attribute is that of one GPU.
// RUN: not carousel-sim %s --kernel @shared --gpus 2 --peer y=x --arg x=zeros:1 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: @shared: expected carousel.symmetric or carousel.peer on arguments that share memory, got
// RUN: not carousel-sim %s --kernel @tile --gpus 2 --peer other=arrived --arg arrived=zeros:2 --arg result=empty:1 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected --peer with an argument of tile, got other
// RUN: not carousel-sim %s --kernel @tile --gpus 2 --peer there --arg arrived=zeros:2 2>&1 | FileCheck %s --check-prefix=PEER
// PEER: error: expected --peer NAME=OTHER, with +N or -N for another GPU than the next one, got 'there'
// RUN: not carousel-sim %s --kernel @tile --peer there=arrived 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: expected --peer with --gpus of 2 or more
// RUN: not carousel-sim %s --kernel @tile --gpus 2 --stop-gpu 2 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: error: expected --stop-gpu below 2, the number of GPUs, got 2
// RUN: not carousel-sim %s --kernel @tile --gpus 2 --stop-within 2 2>&1 | FileCheck %s --check-prefix=WITHIN
// WITHIN: error: expected --stop-within with --stop-gpu

#gl = #gpu.address_space<global>
!counters = memref<?xi64, #gl>
!values = memref<1xi32, #gl>

gpu.module @signals {
  // Each GPU signals the other one twice.
  gpu.func @tile(%there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                 %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
                 %result: !values {carousel.argument = #carousel.argument<"result", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %none = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %thread = gpu.thread_id x
    carousel.signal %there[%c0] set %none : !counters
    carousel.signal %there[%c1] add %one : !counters
    carousel.wait_signal %arrived[%c1] at_least %one : !counters
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      memref.store %zero, %result[%c0] : !values
    }
    gpu.return
  }

  gpu.func @block(%there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                  %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
                  %result: !values {carousel.argument = #carousel.argument<"result", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0> : vector<1xi32>
    %one = arith.constant 1 : i64
    %ns = arith.constant 1000 : i64
    carousel.signal %there[%c0] set %one : !counters
    carousel.wait_signal %arrived[%c0] at_least %one : !counters
    %reached = carousel.wait_signal %arrived[%c0] at_least %one timeout %ns : !counters -> i1
    scf.if %reached {
      vector.transfer_write %zeros, %result[%c0] {in_bounds = [true]} : vector<1xi32>, !values
    }
    gpu.return
  }

  // 2^31 - 1 and then -2^31: the counter has reached both.
  gpu.func @around(%counter: !values {carousel.argument = #carousel.argument<"counter">, carousel.symmetric},
                   %result: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"result", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %most = arith.constant 2147483647 : i32
    %least = arith.constant -2147483648 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ns = arith.constant 100 : i64
    carousel.signal.release %counter[%c0] set %most : !values
    %early = carousel.signal.wait %counter[%c0] at_least %least timeout %ns : !values -> i1
    carousel.signal.release %counter[%c0] add %one : !values
    %late = carousel.signal.wait %counter[%c0] at_least %most timeout %ns : !values -> i1
    carousel.signal.wait %counter[%c0] at_least %least : !values
    %first = arith.select %early, %one, %zero : i32
    %second = arith.select %late, %one, %zero : i32
    memref.store %first, %result[%c0] : memref<2xi32, #gl>
    memref.store %second, %result[%c1] : memref<2xi32, #gl>
    gpu.return
  }

  gpu.func @never(%there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                  %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    carousel.signal.release %there[%c0] add %one : !counters
    carousel.signal.wait %arrived[%c0] at_least %two : !counters
    gpu.return
  }

  gpu.func @stops(%there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                  %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i64
    // Nothing is signalled before the second step.
    carousel.signal.wait %arrived[%c0] at_least %zero : !counters
    carousel.signal.wait %arrived[%c0] at_least %zero : !counters
    carousel.signal.release %there[%c0] set %one : !counters
    carousel.signal.wait %arrived[%c0] at_least %one : !counters
    gpu.return
  }

  gpu.func @timeout(%there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                    %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
                    %result: !values {carousel.argument = #carousel.argument<"result", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i64
    %ns = arith.constant 1000 : i64
    %thread = gpu.thread_id x
    carousel.wait_signal %arrived[%c0] at_least %zero : !counters
    carousel.wait_signal %arrived[%c0] at_least %zero : !counters
    carousel.signal %there[%c0] set %one : !counters
    %reached = carousel.wait_signal %arrived[%c0] at_least %one timeout %ns : !counters -> i1
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %number = arith.extui %reached : i1 to i32
      memref.store %number, %result[%c0] : !values
    }
    gpu.return
  }

  gpu.func @takes(%remote: !values {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
                  %there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                  %inbox: !values {carousel.argument = #carousel.argument<"inbox">, carousel.symmetric},
                  %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
                  %trusts: i1 {carousel.argument = #carousel.argument<"trusts", in>},
                  %result: !values {carousel.argument = #carousel.argument<"result">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %ns = arith.constant 1000 : i64
    memref.store %zero, %remote[%c0] : !values
    carousel.signal %there[%c0] set %one : !counters
    %reached = carousel.wait_signal %arrived[%c0] at_least %one timeout %ns : !counters -> i1
    %takes = arith.ori %reached, %trusts : i1
    scf.if %takes {
      %a = memref.load %inbox[%c0] : !values
      memref.store %a, %result[%c0] : !values
    }
    gpu.return
  }

  gpu.func @atomics(%there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                    %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %old = memref.atomic_rmw addi %one, %there[%c0] : (i64, !counters) -> i64
    %own = memref.atomic_rmw addi %one, %arrived[%c0] : (i64, !counters) -> i64
    gpu.return
  }

  gpu.func @adds(%there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
                 %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %four = arith.constant 4 : i64
    carousel.signal %there[%c0] add %one : !counters
    carousel.signal %arrived[%c0] add %one : !counters
    carousel.wait_signal %arrived[%c0] at_least %four : !counters
    gpu.return
  }

  gpu.func @shared(%x: !counters {carousel.argument = #carousel.argument<"x">},
                   %y: !counters {carousel.argument = #carousel.argument<"y">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    gpu.return
  }
}
