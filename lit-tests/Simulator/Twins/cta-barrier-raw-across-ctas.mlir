// Happens-before 2; raw: a CTA's barrier orders the threads of that CTA only.
// Wrong: a CTA reads what the other one has written.
// RUN: carousel-sim %s --kernel @right --arg x=iota:2 --arg y=zeros:2 --arg z=empty:2 --expect z=iota:2 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:2 --arg y=zeros:2 --arg z=empty:2 --expect z=iota:2 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:2 --arg y=zeros:2 --arg z=empty:2 --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<2xi32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c1 = arith.constant 1 : index
    %block = gpu.block_id x
    %other = arith.subi %c1, %block : index
    %v = memref.load %x[%block] : !vector
    memref.store %v, %y[%block] : !vector
    gpu.barrier
    %w = memref.load %y[%block] : !vector
    memref.store %w, %z[%block] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c1 = arith.constant 1 : index
    %block = gpu.block_id x
    %other = arith.subi %c1, %block : index
    %v = memref.load %x[%block] : !vector
    memref.store %v, %y[%block] : !vector
    gpu.barrier
    %w = memref.load %y[%other] : !vector
    memref.store %w, %z[%block] : !vector
    gpu.return
  }
}
