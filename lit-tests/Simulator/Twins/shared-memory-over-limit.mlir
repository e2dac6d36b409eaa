// Memory; a CTA has no more shared memory than the chip gives it: 227 KiB on sm_90.
// Wrong: 16 bytes more.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --expect-finding shared-memory-limit --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1], shared = 232448>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1], shared = 232464>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }
}
