// scf and cf: each thread has its own control flow.
// RUN: carousel-sim %s --kernel @loops --arg x=iota:8 --arg y=empty:8 --reference @expected_loops --schedules 4
// RUN: carousel-sim %s --kernel @choices --arg x=iota:8 --arg y=empty:8 --reference @expected_choices --schedules 4
// RUN: carousel-sim %s --kernel @blocks --arg x=iota:8 --arg y=empty:8 --reference @expected_blocks --schedules 4

#gl = #gpu.address_space<global>
!y = memref<8xi32, #gl>

gpu.module @m {
  // y = t + (t - 1) + ... + 1 by scf.for, plus the length of t's Collatz path to 1 by scf.while.
  gpu.func @loops(%x: !y {carousel.argument = #carousel.argument<"x", in>},
                  %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !y
    %end = arith.addi %t, %c1 : index
    %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %zero) -> (i32) {
      %n = arith.index_cast %i : index to i32
      %next = arith.addi %s, %n : i32
      scf.yield %next : i32
    }
    %path:2 = scf.while (%n = %v, %steps = %zero) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ugt, %n, %one : i32
      scf.condition(%more) %n, %steps : i32, i32
    } do {
    ^bb0(%n: i32, %steps: i32):
      %half = arith.divui %n, %two : i32
      %triple = arith.muli %n, %three : i32
      %up = arith.addi %triple, %one : i32
      %bit = arith.remui %n, %two : i32
      %odd = arith.cmpi eq, %bit, %one : i32
      %next = arith.select %odd, %up, %half : i32
      %steps_next = arith.addi %steps, %one : i32
      scf.yield %next, %steps_next : i32, i32
    }
    %w = arith.addi %sum, %path#1 : i32
    memref.store %w, %y[%t] : !y
    gpu.return
  }

  // Below 3: 100 + t; 5: 55; 6: 66; else t.
  gpu.func @choices(%x: !y {carousel.argument = #carousel.argument<"x", in>},
                    %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %c3 = arith.constant 3 : index
    %hundred = arith.constant 100 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !y
    %low = arith.cmpi ult, %t, %c3 : index
    %w = scf.if %low -> (i32) {
      %a = arith.addi %v, %hundred : i32
      scf.yield %a : i32
    } else {
      %b = scf.index_switch %t -> i32
      case 5 {
        %five = arith.constant 55 : i32
        scf.yield %five : i32
      }
      case 6 {
        %six = arith.constant 66 : i32
        scf.yield %six : i32
      }
      default {
        scf.yield %v : i32
      }
      scf.yield %b : i32
    }
    memref.store %w, %y[%t] : !y
    gpu.return
  }

  // A loop of cf.cond_br: t!, then 0 for t = 3, 1 for t = 4 by cf.switch.
  gpu.func @blocks(%x: !y {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !y
    cf.br ^head(%v, %one : i32, i32)
  ^head(%n: i32, %product: i32):
    %more = arith.cmpi ugt, %n, %one : i32
    cf.cond_br %more, ^body, ^done
  ^body:
    %next = arith.muli %product, %n : i32
    %less = arith.subi %n, %one : i32
    cf.br ^head(%less, %next : i32, i32)
  ^done:
    cf.switch %v : i32, [
      default: ^end(%product : i32),
      3: ^end(%zero : i32),
      4: ^end(%one : i32)
    ]
  ^end(%result: i32):
    memref.store %result, %y[%t] : !y
    gpu.return
  }
}

func.func @expected_loops(%x: memref<8xi32>, %y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  // Sums 0, 1, 3, 6, 10, 15, 21, 28; paths 0, 0, 1, 7, 2, 5, 8, 16.
  %v = arith.constant dense<[0, 1, 4, 13, 12, 20, 29, 44]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  return
}

func.func @expected_choices(%x: memref<8xi32>, %y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[100, 101, 102, 3, 4, 55, 66, 7]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  return
}

func.func @expected_blocks(%x: memref<8xi32>, %y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1, 1, 2, 0, 1, 120, 720, 5040]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  return
}
