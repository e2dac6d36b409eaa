// Memory; shared memory begins unwritten.
// Wrong: a thread reads the element after the one that it wrote.
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=empty:1 --expect y=iota:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=empty:1 --expect y=iota:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:1 --arg y=empty:1 --expect-finding unwritten-read --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!word = memref<2xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %x[%c0] : !vector
    memref.store %v, %tile[%c0] : !word
    %w = memref.load %tile[%c0] : !word
    memref.store %w, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %x[%c0] : !vector
    memref.store %v, %tile[%c0] : !word
    %w = memref.load %tile[%c1] : !word
    memref.store %w, %y[%c0] : !vector
    gpu.return
  }
}
