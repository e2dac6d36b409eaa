// Happens-before 2; raw: a warp arrives at a named barrier for what it wrote, another one waits.
// Wrong: it arrives before it writes.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding data-race --allow-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %writes = arith.cmpi ult, %thread, %c32 : index
    scf.if %writes {
      %v = memref.load %x[%thread] : !vector
      memref.store %v, %tile[%thread] : !tile
      carousel.barrier.arrive 1 threads(64)
    } else {
      %i = arith.subi %thread, %c32 : index
      carousel.barrier.sync 1 threads(64)
      %v = memref.load %tile[%i] : !tile
      memref.store %v, %y[%i] : !vector
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %writes = arith.cmpi ult, %thread, %c32 : index
    scf.if %writes {
      %v = memref.load %x[%thread] : !vector
      carousel.barrier.arrive 1 threads(64)
      memref.store %v, %tile[%thread] : !tile
    } else {
      %i = arith.subi %thread, %c32 : index
      carousel.barrier.sync 1 threads(64)
      %v = memref.load %tile[%i] : !tile
      memref.store %v, %y[%i] : !vector
    }
    gpu.return
  }
}
