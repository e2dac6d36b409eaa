// Happens-before 7; raw: an atomic flag and fences on both sides order what it tells of.
// Wrong: the flag is set by a plain store, which is itself a race.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg flags=zeros:1 --expect z=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg flags=zeros:1 --expect z=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=zeros:16 --arg z=empty:16 --arg flags=zeros:1 --expect-finding data-race --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<16xi32, #gl>
!flags = memref<1xi32, #gl>
!row = vector<16xi32>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %y[%c0] : !vector, !row
      carousel.fence.thread release gpu
      %old = memref.atomic_rmw assign %one, %flags[%c0] : (i32, !flags) -> i32
    } else {
      scf.while : () -> () {
        %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
        %again = arith.cmpi eq, %flag, %zero : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      carousel.fence.thread acquire gpu
      %v = vector.load %y[%c0] : !vector, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %y[%c0] : !vector, !row
      carousel.fence.thread release gpu
      memref.store %one, %flags[%c0] : !flags
    } else {
      scf.while : () -> () {
        %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
        %again = arith.cmpi eq, %flag, %zero : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      carousel.fence.thread acquire gpu
      %v = vector.load %y[%c0] : !vector, !row
      vector.store %v, %z[%c0] : !vector, !row
    }
    gpu.return
  }
}
