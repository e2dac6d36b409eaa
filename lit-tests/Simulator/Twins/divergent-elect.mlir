// Happens-before 2; divergence: the threads of the mask execute an election together.
// Wrong: in code that the upper half of the warp doesn't come to.
// RUN: carousel-sim %s --kernel @right --arg y=zeros:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=zeros:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=zeros:1 --expect-finding barrier-divergence --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %lower = arith.cmpi ult, %thread, %c16 : index
    %elected = carousel.elect
    scf.if %lower {
      scf.if %elected {
        memref.store %zero, %y[%c0] : !vector
      }
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %lower = arith.cmpi ult, %thread, %c16 : index
    scf.if %lower {
      %elected = carousel.elect
      scf.if %elected {
        memref.store %zero, %y[%c0] : !vector
      }
    }
    gpu.return
  }
}
