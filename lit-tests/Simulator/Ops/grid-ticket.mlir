// grid.ticket: each CTA gets a number of its own, all of its threads the same, whatever the order in which CTAs
// start; several in a kernel, and in a loop. The counters are 0 again, so the next launch counts anew.
// RUN: carousel-sim %s --kernel @once --arg c=zeros:2 --arg taken=zeros:7 --arg same=zeros:7 --expect c=zeros:2 --reference @expected_once --schedules 8
// RUN: carousel-sim %s --kernel @once --arg c=zeros:2 --arg taken=zeros:7 --arg same=zeros:7 --expect c=zeros:2 --reference @expected_once --multiprocessors 1 --resident 2 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @once --then @once --arg c=zeros:2 --arg taken=zeros:7 --arg same=zeros:7 --expect c=zeros:2 --reference @expected_twice --multiprocessors 1 --resident 2 --schedules 4
// RUN: carousel-sim %s --kernel @drawn --arg c=zeros:2 --arg taken=zeros:7 --arg same=zeros:7 --expect c=zeros:2 --reference @expected_once --multiprocessors 1 --resident 2 --policy all --schedules 2

#gl = #gpu.address_space<global>
!counters = memref<2xi32, #gl>
!numbers = memref<7xi32, #gl>

gpu.module @m {
  // taken[i] is how often ticket i was drawn, same[i] how many threads of its CTA got it.
  gpu.func @once(%c: !counters {carousel.argument = #carousel.argument<"c", inout>},
                 %taken: !numbers {carousel.argument = #carousel.argument<"taken", inout>},
                 %same: !numbers {carousel.argument = #carousel.argument<"same", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [7], block = [8, 4]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %blocks = gpu.grid_dim x
    %ticket = carousel.grid.ticket %c[%c1] of %blocks : !counters
    %thread = arith.addi %x, %y : index
    %leads = arith.cmpi eq, %thread, %c0 : index
    scf.if %leads {
      %0 = memref.atomic_rmw addi %one, %taken[%ticket] : (i32, !numbers) -> i32
    }
    %1 = memref.atomic_rmw addi %one, %same[%ticket] : (i32, !numbers) -> i32
    gpu.return
  }

  // As long as there are any. Each of the CTAs also draws one that isn't there.
  gpu.func @drawn(%c: !counters {carousel.argument = #carousel.argument<"c", inout>},
                  %taken: !numbers {carousel.argument = #carousel.argument<"taken", inout>},
                  %same: !numbers {carousel.argument = #carousel.argument<"same", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [3], block = [8, 4]>} {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %one = arith.constant 1 : i32
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %blocks = gpu.grid_dim x
    %total = arith.addi %blocks, %c7 : index
    %thread = arith.addi %x, %y : index
    %leads = arith.cmpi eq, %thread, %c0 : index
    scf.while : () -> () {
      %ticket = carousel.grid.ticket %c[%c0] of %total : !counters
      %is_there = arith.cmpi ult, %ticket, %c7 : index
      scf.if %is_there {
        scf.if %leads {
          %0 = memref.atomic_rmw addi %one, %taken[%ticket] : (i32, !numbers) -> i32
        }
        %1 = memref.atomic_rmw addi %one, %same[%ticket] : (i32, !numbers) -> i32
      }
      scf.condition(%is_there)
    } do {
      scf.yield
    }
    gpu.return
  }
}

func.func @expected_once(%c: memref<2xi32>, %taken: memref<7xi32>, %same: memref<7xi32>) {
  %one = arith.constant 1 : i32
  %all = arith.constant 32 : i32
  linalg.fill ins(%one : i32) outs(%taken : memref<7xi32>)
  linalg.fill ins(%all : i32) outs(%same : memref<7xi32>)
  return
}

func.func @expected_twice(%c: memref<2xi32>, %taken: memref<7xi32>, %same: memref<7xi32>) {
  %two = arith.constant 2 : i32
  %all = arith.constant 64 : i32
  linalg.fill ins(%two : i32) outs(%taken : memref<7xi32>)
  linalg.fill ins(%all : i32) outs(%same : memref<7xi32>)
  return
}
