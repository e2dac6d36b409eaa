// Memory; a thread reads within its buffers.
// Wrong: the last thread reads the element after the last.
// RUN: carousel-sim %s --kernel @right --arg x=zeros:32 --arg y=empty:32 --expect y=zeros:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=zeros:32 --arg y=empty:32 --expect y=zeros:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=zeros:32 --arg y=empty:32 --expect-finding out-of-bounds --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<32xi32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %i = arith.addi %thread, %c0 : index
    %v = memref.load %x[%i] : !vector
    memref.store %v, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %i = arith.addi %thread, %c1 : index
    %v = memref.load %x[%i] : !vector
    memref.store %v, %y[%thread] : !vector
    gpu.return
  }
}
