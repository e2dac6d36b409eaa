// Poison that reaches memory: threads beyond the extent store a number of their own.
// Wrong: their number is poison.
// RUN: carousel-sim %s --kernel @right --arg x=zeros:16 --arg y=empty:16 --expect y=zeros:16 --schedules 100
// RUN: carousel-sim %s --kernel @right --arg x=zeros:16 --arg y=empty:16 --expect y=zeros:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=zeros:16 --arg y=empty:16 --expect-finding poison --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<16xf32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c7 = arith.constant 7 : index
    %other = arith.constant 0.0 : f32
    %i = gpu.thread_id x
    %inside = arith.cmpi ult, %i, %c7 : index
    %v = memref.load %x[%i] : !vector
    %r = arith.select %inside, %v, %other : f32
    memref.store %r, %y[%i] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16]>} {
    %c7 = arith.constant 7 : index
    %other = ub.poison : f32
    %i = gpu.thread_id x
    %inside = arith.cmpi ult, %i, %c7 : index
    %v = memref.load %x[%i] : !vector
    %r = arith.select %inside, %v, %other : f32
    memref.store %r, %y[%i] : !vector
    gpu.return
  }
}
