// Memory; an output begins unwritten.
// Wrong: a thread reads the output in place of the input.
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=empty:1 --arg z=empty:1 --expect z=iota:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=empty:1 --arg z=empty:1 --expect z=iota:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:1 --arg y=empty:1 --arg z=empty:1 --expect-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : !vector
    memref.store %v, %z[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %v = memref.load %y[%c0] : !vector
    memref.store %v, %z[%c0] : !vector
    gpu.return
  }
}
