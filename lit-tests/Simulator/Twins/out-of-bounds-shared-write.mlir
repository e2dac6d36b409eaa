// Memory; a thread writes within shared memory.
// Wrong: the last thread writes after its end.
// RUN: carousel-sim %s --kernel @right --arg y=empty:32 --expect y=zeros:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:32 --expect y=zeros:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:32 --expect-finding out-of-bounds --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!tile = memref<32xi32, #ws>
!bytes = memref<?xi8, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32], shared = 128>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %bytes = gpu.dynamic_shared_memory : !bytes
    %tile = memref.view %bytes[%c0][] : !bytes to !tile
    %thread = gpu.thread_id x
    %i = arith.addi %thread, %c0 : index
    memref.store %zero, %tile[%i] : !tile
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32], shared = 128>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %bytes = gpu.dynamic_shared_memory : !bytes
    %tile = memref.view %bytes[%c0][] : !bytes to !tile
    %thread = gpu.thread_id x
    %i = arith.addi %thread, %c1 : index
    memref.store %zero, %tile[%i] : !tile
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }
}
