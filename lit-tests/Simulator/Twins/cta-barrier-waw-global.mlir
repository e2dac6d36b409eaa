// Happens-before 2; waw: two threads of a CTA write one element of global memory.
// Wrong: no barrier in between.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=empty:32 --expect y=iota:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=empty:32 --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<32xi32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %last = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    memref.store %zero, %y[%thread] : !vector
    gpu.barrier
    %v = memref.load %x[%mirror] : !vector
    memref.store %v, %y[%mirror] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %last = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %mirror = arith.subi %last, %thread : index
    memref.store %zero, %y[%thread] : !vector
    %v = memref.load %x[%mirror] : !vector
    memref.store %v, %y[%mirror] : !vector
    gpu.return
  }
}
