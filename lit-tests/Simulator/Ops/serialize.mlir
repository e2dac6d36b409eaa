// serialize: regions run in the order of their turns, in whatever order CTAs reach them. Each region sees
// the accesses of all threads in the previous one. The first and the last turn are known, there are results,
// and semaphores end at 0. Unordered: no turn is the first or the last one, and no access to the semaphores.
// RUN: carousel-sim %s --kernel @k --arg s=zeros:2x3 --arg y=empty:2x32 --arg z=empty:6 --expect s=zeros:2x3 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @k --arg s=zeros:2x3 --arg y=empty:2x32 --arg z=empty:6 --expect s=zeros:2x3 --reference @expected --policy all --schedules 2
// RUN: carousel-sim %s --kernel @k --then @k --arg s=zeros:2x3 --arg y=empty:2x32 --arg z=empty:6 --expect s=zeros:2x3 --reference @expected --schedules 2
// RUN: carousel-sim %s --kernel @unordered --arg s=iota:2x3 --arg y=zeros:2x32 --arg z=empty:6 --expect s=iota:2x3 --reference @expected_unordered --policy all --schedules 2

#gl = #gpu.address_space<global>
!s = memref<2x3xi32, #gl>
!y = memref<2x32xi32, #gl>
!z = memref<6xi32, #gl>

gpu.module @m {
  // Two segments of three CTAs, whose turns run against the CTAs' ids: y = y * 4 + turn + 1, from 0 in the first one.
  gpu.func @k(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
              %y: !y {carousel.argument = #carousel.argument<"y", out>},
              %z: !z {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [6], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i32
    %four = arith.constant 4 : i32
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %segment = arith.remui %block, %c2 : index
    %part = arith.divui %block, %c2 : index
    %turn = arith.subi %c2, %part : index
    %number = arith.addi %turn, %c1 : index
    %v = arith.index_cast %number : index to i32
    %r:2 = carousel.serialize %s[%segment, %c1] turn %turn of %c3 (%first, %last) {
      %old = scf.if %first -> i32 {
        scf.yield %zero : i32
      } else {
        %c31 = arith.constant 31 : index
        %other = arith.subi %c31, %t : index
        %loaded = memref.load %y[%segment, %other] : !y
        scf.yield %loaded : i32
      }
      gpu.barrier
      %shifted = arith.muli %old, %four : i32
      %new = arith.addi %shifted, %v : i32
      memref.store %new, %y[%segment, %t] : !y
      carousel.pass_turn %last, %new : i1, i32
    } : !s -> i1, i32
    // Of the last turn the sum, of the others -1.
    %none = arith.constant -1 : i32
    %leads = arith.cmpi eq, %t, %c0 : index
    scf.if %leads {
      %result = arith.select %r#0, %r#1, %none : i32
      memref.store %result, %z[%block] : !z
    }
    gpu.return
  }

  gpu.func @unordered(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                      %y: !y {carousel.argument = #carousel.argument<"y", inout>},
                      %z: !z {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [6], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %r = carousel.serialize %s[%c0, %c0] turn %c0 of %c1 order(unordered) (%first, %last) {
      %0 = memref.atomic_rmw addi %one, %y[%c0, %t] : (i32, !y) -> i32
      %any = arith.ori %first, %last : i1
      carousel.pass_turn %any : i1
    } : !s -> i1
    %leads = arith.cmpi eq, %t, %c0 : index
    scf.if %leads {
      %result = arith.select %r, %one, %zero : i32
      memref.store %result, %z[%block] : !z
    }
    gpu.return
  }
}

func.func @expected(%s: memref<2x3xi32>, %y: memref<2x32xi32>, %z: memref<6xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // (1 * 4 + 2) * 4 + 3
  %sum = arith.constant 27 : i32
  %none = arith.constant -1 : i32
  linalg.fill ins(%sum : i32) outs(%y : memref<2x32xi32>)
  linalg.fill ins(%none : i32) outs(%z : memref<6xi32>)
  memref.store %sum, %z[%c0] : memref<6xi32>
  memref.store %sum, %z[%c1] : memref<6xi32>
  return
}

func.func @expected_unordered(%s: memref<2x3xi32>, %y: memref<2x32xi32>, %z: memref<6xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  %six = arith.constant 6 : i32
  scf.for %i = %c0 to %c32 step %c1 {
    memref.store %six, %y[%c0, %i] : memref<2x32xi32>
  }
  linalg.fill ins(%zero : i32) outs(%z : memref<6xi32>)
  return
}
