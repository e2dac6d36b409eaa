// Happens-before 8; war: a dependent launch clears, after its wait, what the launch before reads. Wrong:
// before its wait.
// RUN: carousel-sim %s --kernel @first --then @right --arg x=iota:64 --arg y=zeros:64 --dependent --expect x=zeros:64 --expect y=iota:64 --schedules 1000
// RUN: carousel-sim %s --kernel @first --then @right --arg x=iota:64 --arg y=zeros:64 --dependent --expect x=zeros:64 --expect y=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @first --then @wrong --arg x=iota:64 --arg y=zeros:64 --dependent --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<64xi32, #gl>

gpu.module @twins {
  gpu.func @first(%x: !vector {carousel.argument = #carousel.argument<"x">},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c32 : index
    %i = arith.addi %before, %t : index
    carousel.grid.launch_dependents
    %v = memref.load %x[%i] : !vector
    memref.store %v, %y[%i] : !vector
    gpu.return
  }

  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c32 : index
    %i = arith.addi %before, %t : index
    %zero = arith.constant 0 : i32
    carousel.grid.dependency_wait
    memref.store %zero, %x[%i] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c32 : index
    %i = arith.addi %before, %t : index
    %zero = arith.constant 0 : i32
    memref.store %zero, %x[%i] : !vector
    carousel.grid.dependency_wait
    gpu.return
  }
}
