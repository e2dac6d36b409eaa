// Happens-before 8; raw: the first launch writes after launch_dependents. The wait covers that too.
// Wrong: no wait.
// RUN: carousel-sim %s --kernel @first --then @right --arg x=iota:64 --arg y=zeros:64 --arg z=empty:64 --dependent --expect z=iota:64 --schedules 1000
// RUN: carousel-sim %s --kernel @first --then @right --arg x=iota:64 --arg y=zeros:64 --arg z=empty:64 --dependent --expect z=iota:64 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @first --then @wrong --arg x=iota:64 --arg y=zeros:64 --arg z=empty:64 --dependent --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<64xi32, #gl>

gpu.module @twins {
  gpu.func @first(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
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

  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", in>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c32 : index
    %i = arith.addi %before, %t : index
    carousel.grid.dependency_wait
    %v = memref.load %y[%i] : !vector
    memref.store %v, %z[%i] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", in>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %before = arith.muli %block, %c32 : index
    %i = arith.addi %before, %t : index
    %v = memref.load %y[%i] : !vector
    memref.store %v, %z[%i] : !vector
    gpu.return
  }
}
