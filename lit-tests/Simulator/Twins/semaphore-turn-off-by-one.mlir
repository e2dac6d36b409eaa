// Happens-before 7; deadlock: a CTA waits for its turn.
// Wrong: the CTA before it goes on to the turn after.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --arg turns=zeros:1 --expect y=zeros:1 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --arg turns=zeros:1 --expect y=zeros:1 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --arg turns=zeros:1 --expect-finding deadlock --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<1xi32, #gl>
!turns = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %next = arith.addi %zero, %one : i32
      carousel.grid.serial_release %turns[%c0], %next : !turns
    } else {
      carousel.grid.serial_wait %turns[%c0], %one : !turns
      memref.store %zero, %y[%c0] : !vector
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %next = arith.addi %one, %one : i32
      carousel.grid.serial_release %turns[%c0], %next : !turns
    } else {
      carousel.grid.serial_wait %turns[%c0], %one : !turns
      memref.store %zero, %y[%c0] : !vector
    }
    gpu.return
  }
}
