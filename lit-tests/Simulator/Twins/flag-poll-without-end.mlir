// Engine operations; a loop that polls memory ends when another thread has written it.
// Wrong: the thread that polls would write it after the loop; the run ends at the step limit.
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --arg flags=zeros:1 --expect y=zeros:1 --step-limit 2000 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg y=empty:1 --arg flags=zeros:1 --expect y=zeros:1 --step-limit 2000 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg y=empty:1 --arg flags=zeros:1 --step-limit 2000 --expect-finding step-limit --schedules 100

#gl = #gpu.address_space<global>

!vector = memref<1xi32, #gl>
!flags = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %old = memref.atomic_rmw assign %one, %flags[%c0] : (i32, !flags) -> i32
    scf.while : () -> () {
      %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
      %again = arith.cmpi eq, %flag, %zero : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.while : () -> () {
      %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
      %again = arith.cmpi eq, %flag, %zero : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %old = memref.atomic_rmw assign %one, %flags[%c0] : (i32, !flags) -> i32
    memref.store %zero, %y[%c0] : !vector
    gpu.return
  }
}
