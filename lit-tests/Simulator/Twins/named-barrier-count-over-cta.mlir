// Happens-before 2; a named barrier can't be for more threads than the CTA has.
// Wrong: it is for 96 of 64.
// RUN: carousel-sim %s --kernel @right --arg y=empty:64 --expect y=zeros:64 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:64 --expect y=zeros:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:64 --expect-finding invalid-operand --allow-finding deadlock --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<64xi32, #gl>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    carousel.barrier.sync 1 threads(64)
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    carousel.barrier.sync 1 threads(96)
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }
}
