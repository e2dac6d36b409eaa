// set_max_registers: a warpgroup gives registers back, another one takes them; no value changes. All
// threads of a warpgroup have to come to the same one, and a CTA has 65536 registers at most.
// RUN: carousel-sim %s --kernel @k --arg y=empty:256 --expect y=iota:256 --schedules 8
// RUN: carousel-sim %s --kernel @k --block 160 --arg y=empty:256 --schedules 8
// RUN: carousel-sim %s --kernel @two_counts --expect-finding barrier-divergence --schedules 8
// RUN: carousel-sim %s --kernel @one_warp --expect-finding barrier-divergence --schedules 8
// RUN: carousel-sim %s --kernel @budget --arg producer=24 --policy all
// RUN: carousel-sim %s --kernel @budget --arg producer=40 --policy all --expect-finding invalid-operand | FileCheck %s --check-prefix=BUDGET
// BUDGET: expected at most 65536 registers for the warpgroups of a CTA, got 66560
// RUN: carousel-sim %s --kernel @returns --policy all --expect-finding invalid-operand | FileCheck %s --check-prefix=RETURNS
// RETURNS: expected at most 65536 registers for the warpgroups of a CTA, got 91136

#gl = #gpu.address_space<global>
!y = memref<256xi32, #gl>

gpu.module @m {
  gpu.func @k(%y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %gives = arith.cmpi ult, %t, %c128 : index
    scf.if %gives {
      carousel.set_max_registers dec 40
    } else {
      carousel.set_max_registers inc 232
    }
    memref.store %v, %y[%t] : !y
    gpu.return
  }

  gpu.func @two_counts() kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %is_first = arith.cmpi ult, %t, %c32 : index
    scf.if %is_first {
      carousel.set_max_registers dec 40
    } else {
      carousel.set_max_registers dec 48
    }
    gpu.return
  }

  gpu.func @one_warp() kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %is_first = arith.cmpi ult, %t, %c32 : index
    scf.if %is_first {
      carousel.set_max_registers dec 40
    }
    gpu.return
  }

  gpu.func @budget(%producer: index {carousel.argument = #carousel.argument<"producer", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [384]>} {
    %c40 = arith.constant 40 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %is_producer = arith.cmpi ult, %t, %c128 : index
    scf.if %is_producer {
      %takes_40 = arith.cmpi eq, %producer, %c40 : index
      scf.if %takes_40 {
        carousel.set_max_registers dec 40
      } else {
        carousel.set_max_registers dec 24
      }
    } else {
      carousel.set_max_registers inc 240
    }
    gpu.return
  }

  // What the second warpgroup takes again after the others have it.
  gpu.func @returns() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [384]>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %group = arith.divui %t, %c128 : index
    %is_second = arith.cmpi eq, %group, %c1 : index
    scf.if %is_second {
      carousel.set_max_registers dec 24
      carousel.set_max_registers inc 232
    } else {
      carousel.set_max_registers inc 240
    }
    gpu.return
  }
}
