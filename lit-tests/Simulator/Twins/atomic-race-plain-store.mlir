// Happens-before 7; waw: atomics on one element don't race with each other.
// Wrong: plain stores in their place, though all store the same.
// RUN: carousel-sim %s --kernel @right --arg y=zeros:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=zeros:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=zeros:1 --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %old = memref.atomic_rmw assign %zero, %y[%c0] : (i32, !vector) -> i32
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }
}
