// Happens-before 2; deadlock: a named barrier waits for as many threads as it says.
// Wrong: for 96, of which 32 don't come.
// RUN: carousel-sim %s --kernel @right --arg y=empty:128 --expect y=zeros:128 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:128 --expect y=zeros:128 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:128 --expect-finding deadlock --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<128xi32, #gl>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %meets = arith.cmpi ult, %thread, %c64 : index
    scf.if %meets {
      carousel.barrier.sync 1 threads(64)
    }
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %meets = arith.cmpi ult, %thread, %c64 : index
    scf.if %meets {
      carousel.barrier.sync 1 threads(96)
    }
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }
}
