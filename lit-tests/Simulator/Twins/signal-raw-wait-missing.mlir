// Happens-before 7, system scope; raw: a GPU reads what a peer has put.
// Wrong: there is no wait.
// RUN: carousel-sim %s --kernel @right --gpus 2 --peer remote=inbox --peer there=arrived --arg x=random:1024:{rank} --arg inbox=empty:1024 --arg arrived=zeros:1 --arg z=empty:1024 --expect z=random:1024:{rank+1} --schedules 1000
// RUN: carousel-sim %s --kernel @right --gpus 2 --peer remote=inbox --peer there=arrived --arg x=random:1024:{rank} --arg inbox=empty:1024 --arg arrived=zeros:1 --arg z=empty:1024 --expect z=random:1024:{rank+1} --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --gpus 2 --peer remote=inbox --peer there=arrived --arg x=random:1024:{rank} --arg inbox=empty:1024 --arg arrived=zeros:1 --arg z=empty:1024 --expect-finding engine-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1024xf32, #gl>
!tile = memref<1024xf32, #ws>
!counters = memref<1xi64, #gl>
!barriers = memref<1x!carousel.mbarrier, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %remote: !vector {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
      %inbox: !vector {carousel.argument = #carousel.argument<"inbox">, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>}) workgroup(%tile: !tile, %taken: !tile, %full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %one = arith.constant 1 : i64
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[%c0], 1 : !barriers
      carousel.fence.mbarrier_init
    }
    scf.for %i = %thread to %c1024 step %c64 {
      %v = memref.load %x[%i] : !vector
      memref.store %v, %tile[%i] : !tile
    }
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %is_first {
      carousel.bulk.store %tile[%c0] to %remote[%c0], 4096 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
      carousel.signal.release %there[%c0] set %one : !counters
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
      %remote: !vector {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there">, carousel.peer},
      %inbox: !vector {carousel.argument = #carousel.argument<"inbox">, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
      %z: !vector {carousel.argument = #carousel.argument<"z", out>}) workgroup(%tile: !tile, %taken: !tile, %full: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %one = arith.constant 1 : i64
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      carousel.mbarrier.init %full[%c0], 1 : !barriers
      carousel.fence.mbarrier_init
    }
    scf.for %i = %thread to %c1024 step %c64 {
      %v = memref.load %x[%i] : !vector
      memref.store %v, %tile[%i] : !tile
    }
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    scf.if %is_first {
      carousel.bulk.store %tile[%c0] to %remote[%c0], 4096 : !tile, !vector
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
      carousel.signal.release %there[%c0] set %one : !counters
    }
    gpu.barrier
    scf.for %i = %thread to %c1024 step %c64 {
      %v = memref.load %inbox[%i] : !vector
      memref.store %v, %z[%i] : !vector
    }
    gpu.return
  }
}
