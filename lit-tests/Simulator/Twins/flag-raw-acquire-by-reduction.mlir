// Happens-before 7, Scopes, atomics and fences; raw: an atomic reads the flag of the first CTA, of which the second one has told without an order.
// Wrong: the result of the atomic is unused; so it is a reduction, which forms no acquire pattern.
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=zeros:1 --arg z=empty:1 --arg flags=zeros:2 --expect z=iota:1 --schedules 30
// RUN: carousel-sim %s --kernel @right --arg x=iota:1 --arg y=zeros:1 --arg z=empty:1 --arg flags=zeros:2 --expect z=iota:1 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:1 --arg y=zeros:1 --arg z=empty:1 --arg flags=zeros:2 --expect-finding data-race --schedules 20

#gl = #gpu.address_space<global>

!vector = memref<1xi32, #gl>
!flags = memref<2xi32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [3], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %writes = arith.cmpi eq, %block, %c0 : index
    %tells = arith.cmpi eq, %block, %c1 : index
    %reads = arith.cmpi eq, %block, %c2 : index
    scf.if %writes {
      %v = memref.load %x[%c0] : !vector
      memref.store %v, %y[%c0] : !vector
      carousel.fence.thread release gpu
      %old = memref.atomic_rmw addi %one, %flags[%c0] : (i32, !flags) -> i32
    }
    scf.if %tells {
      scf.while : () -> () {
        %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
        %again = arith.cmpi eq, %flag, %zero : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      %old = memref.atomic_rmw addi %one, %flags[%c1] : (i32, !flags) -> i32
    }
    scf.if %reads {
      scf.while : () -> () {
        %told = memref.atomic_rmw addi %zero, %flags[%c1] : (i32, !flags) -> i32
        %again = arith.cmpi eq, %told, %zero : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
      carousel.fence.thread acquire gpu
      %is_set = arith.cmpi ne, %flag, %zero : i32
      scf.if %is_set {
        %v = memref.load %y[%c0] : !vector
        memref.store %v, %z[%c0] : !vector
      }
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [3], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %block = gpu.block_id x
    %writes = arith.cmpi eq, %block, %c0 : index
    %tells = arith.cmpi eq, %block, %c1 : index
    %reads = arith.cmpi eq, %block, %c2 : index
    scf.if %writes {
      %v = memref.load %x[%c0] : !vector
      memref.store %v, %y[%c0] : !vector
      carousel.fence.thread release gpu
      %old = memref.atomic_rmw addi %one, %flags[%c0] : (i32, !flags) -> i32
    }
    scf.if %tells {
      scf.while : () -> () {
        %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
        %again = arith.cmpi eq, %flag, %zero : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      %old = memref.atomic_rmw addi %one, %flags[%c1] : (i32, !flags) -> i32
    }
    scf.if %reads {
      scf.while : () -> () {
        %told = memref.atomic_rmw addi %zero, %flags[%c1] : (i32, !flags) -> i32
        %again = arith.cmpi eq, %told, %zero : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
      carousel.fence.thread acquire gpu
      %is_set = arith.cmpi ne, %one, %zero : i32
      scf.if %is_set {
        %v = memref.load %y[%c0] : !vector
        memref.store %v, %z[%c0] : !vector
      }
    }
    gpu.return
  }
}
