// Happens-before 7; raw: what one thread has acquired, a barrier hands to the others of its CTA.
// Wrong: no barrier between the thread that waits and the one that reads.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect z=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect z=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg turns=zeros:1 --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<16xi32, #gl>
!turns = memref<1xi32, #gl>
!row = vector<16xi32>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %signals = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi ne, %thread, %c0 : index
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      scf.if %signals {
        %v = vector.load %x[%c0] : !vector, !row
        vector.store %v, %y[%c0] : !vector, !row
        carousel.grid.serial_release %turns[%c0], %one : !turns
      }
    } else {
      scf.if %signals {
        carousel.grid.serial_wait %turns[%c0], %one : !turns
      }
      gpu.barrier
      scf.if %is_other {
        %v = vector.load %y[%c0] : !vector, !row
        vector.store %v, %z[%c0] : !vector, !row
      }
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [2]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %signals = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi ne, %thread, %c0 : index
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      scf.if %signals {
        %v = vector.load %x[%c0] : !vector, !row
        vector.store %v, %y[%c0] : !vector, !row
        carousel.grid.serial_release %turns[%c0], %one : !turns
      }
    } else {
      scf.if %signals {
        carousel.grid.serial_wait %turns[%c0], %one : !turns
      }
      scf.if %is_other {
        %v = vector.load %y[%c0] : !vector, !row
        vector.store %v, %z[%c0] : !vector, !row
      }
    }
    gpu.return
  }
}
