// Accesses; an element at a multiple of its size.
// Wrong: the view of it begins 2 bytes off, where the device traps.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --expect y=iota:1 --shared 64 --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --shared 64 --expect-finding invalid-operand --schedules 5 | FileCheck %s
// CHECK: expected an address at a multiple of 4 bytes, as the access says, got one 2 bytes past that

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!bytes = memref<?xi8, #ws>
!word = memref<1xi32, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %shift = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = gpu.dynamic_shared_memory : !bytes
    %word = memref.view %bytes[%shift][] : !bytes to !word
    memref.store %zero, %word[%c0] : !word
    %v = memref.atomic_rmw addi %one, %word[%c0] : (i32, !word) -> i32
    memref.store %v, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %shift = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = gpu.dynamic_shared_memory : !bytes
    %word = memref.view %bytes[%shift][] : !bytes to !word
    memref.store %zero, %word[%c0] : !word
    %v = memref.atomic_rmw addi %one, %word[%c0] : (i32, !word) -> i32
    memref.store %v, %y[%c0] : !vector
    gpu.return
  }
}
