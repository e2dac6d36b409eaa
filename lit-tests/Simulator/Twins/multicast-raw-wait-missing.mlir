// Happens-before 7, system scope; raw: GPUs read what one of them has put to all by a multicast address.
// Wrong: there is no wait.
// RUN: carousel-sim %s --kernel @right --gpus 3 --multicast all=inbox --peer next=arrived+1 --peer last=arrived+2 --arg x=random:1024:0 --arg inbox=empty:1024 --arg arrived=zeros:1 --arg z=empty:1024 --arg rank={rank} --expect z=random:1024:0 --schedules 1000
// RUN: carousel-sim %s --kernel @right --gpus 3 --multicast all=inbox --peer next=arrived+1 --peer last=arrived+2 --arg x=random:1024:0 --arg inbox=empty:1024 --arg arrived=zeros:1 --arg z=empty:1024 --arg rank={rank} --expect z=random:1024:0 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --gpus 3 --multicast all=inbox --peer next=arrived+1 --peer last=arrived+2 --arg x=random:1024:0 --arg inbox=empty:1024 --arg arrived=zeros:1 --arg z=empty:1024 --arg rank={rank} --expect-finding data-race --allow-finding unwritten-read --allow-finding missing-proxy-fence --schedules 100

#gl = #gpu.address_space<global>
!vector = memref<1024xf32, #gl>
!counters = memref<1xi64, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %all: !vector {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %next: !counters {carousel.argument = #carousel.argument<"next">, carousel.peer},
      %last: !counters {carousel.argument = #carousel.argument<"last">, carousel.peer},
      %inbox: !vector {carousel.argument = #carousel.argument<"inbox">, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %one = arith.constant 1 : i64
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %puts = arith.cmpi eq, %rank, %c0 : index
    scf.if %puts {
      %begin = arith.muli %thread, %c4 : index
      scf.for %i = %begin to %c1024 step %c256 {
        %v = vector.load %x[%i] : !vector, vector<4xf32>
        carousel.multimem.store %v to %all[%i] : vector<4xf32>, !vector
      }
      gpu.barrier
      scf.if %is_first {
        carousel.fence.proxy alias
        carousel.signal.release %next[%c0] set %one : !counters
        carousel.signal.release %last[%c0] set %one : !counters
        carousel.signal.release %arrived[%c0] set %one : !counters
      }
    }
    scf.if %is_first {
      carousel.signal.wait %arrived[%c0] at_least %one : !counters
    }
    gpu.barrier
    scf.for %i = %thread to %c1024 step %c64 {
      %v = memref.load %inbox[%i] : !vector
      memref.store %v, %z[%i] : !vector
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %all: !vector {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %next: !counters {carousel.argument = #carousel.argument<"next">, carousel.peer},
      %last: !counters {carousel.argument = #carousel.argument<"last">, carousel.peer},
      %inbox: !vector {carousel.argument = #carousel.argument<"inbox">, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %one = arith.constant 1 : i64
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %puts = arith.cmpi eq, %rank, %c0 : index
    scf.if %puts {
      %begin = arith.muli %thread, %c4 : index
      scf.for %i = %begin to %c1024 step %c256 {
        %v = vector.load %x[%i] : !vector, vector<4xf32>
        carousel.multimem.store %v to %all[%i] : vector<4xf32>, !vector
      }
      gpu.barrier
      scf.if %is_first {
        carousel.fence.proxy alias
        carousel.signal.release %next[%c0] set %one : !counters
        carousel.signal.release %last[%c0] set %one : !counters
        carousel.signal.release %arrived[%c0] set %one : !counters
      }
    }
    scf.if %is_first {
    }
    gpu.barrier
    scf.for %i = %thread to %c1024 step %c64 {
      %v = memref.load %inbox[%i] : !vector
      memref.store %v, %z[%i] : !vector
    }
    gpu.return
  }
}
