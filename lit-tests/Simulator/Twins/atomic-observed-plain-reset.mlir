// Scopes, atomics and fences; waw: the thread that counts last has seen all other atomics of the counter, and may reset it by an ordinary store.
// Wrong: the second one does, while the third one may still count.
// RUN: carousel-sim %s --kernel @right --arg count=zeros:1 --expect count=zeros:1 --schedules 200
// RUN: carousel-sim %s --kernel @right --arg count=zeros:1 --expect count=zeros:1 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg count=zeros:1 --expect-finding data-race --schedules 50

#gl = #gpu.address_space<global>

!count = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%count: !count {carousel.argument = #carousel.argument<"count">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, !count) -> i32
    %resets = arith.cmpi eq, %old, %two : i32
    scf.if %resets {
      memref.store %zero, %count[%c0] : !count
    }
    gpu.return
  }

  gpu.func @wrong(%count: !count {carousel.argument = #carousel.argument<"count">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, !count) -> i32
    %resets = arith.cmpi eq, %old, %one : i32
    scf.if %resets {
      memref.store %zero, %count[%c0] : !count
    }
    gpu.return
  }
}
