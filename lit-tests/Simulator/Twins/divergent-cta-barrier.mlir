// Happens-before 2; divergence: all threads of a CTA come to its barrier.
// Wrong: only the first one does.
// RUN: carousel-sim %s --kernel @right --arg y=empty:32 --expect y=zeros:32 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:32 --expect y=zeros:32 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:32 --expect-finding barrier-divergence --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!word = memref<1xi32, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      memref.store %zero, %word[%c0] : !word
    }
    gpu.barrier
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%word: !word) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      memref.store %zero, %word[%c0] : !word
      gpu.barrier
    }
    memref.store %zero, %y[%thread] : !vector
    gpu.return
  }
}
