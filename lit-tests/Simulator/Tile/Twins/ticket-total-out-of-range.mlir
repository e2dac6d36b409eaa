// A launch takes 1 to 2^31 - 1 tickets, also where their number is known at run time only.
// Wrong: it takes fewer than none.
// RUN: carousel-sim %s --kernel @right --arg x=zeros:4 --arg c=zeros:1 --arg y=empty:4 --expect y=iota:4 --expect c=zeros:1 --schedules 50
// RUN: carousel-sim %s --kernel @right --arg x=zeros:4 --arg c=zeros:1 --arg y=empty:4 --expect y=iota:4 --expect c=zeros:1 --policy all --schedules 5
// RUN: carousel-sim %s --kernel @wrong --arg x=zeros:4 --arg c=zeros:1 --arg y=empty:4 --expect-finding invalid-operand --schedules 20 | FileCheck %s
// CHECK: finding: [invalid-operand] expected 1 to 2^31 - 1 tickets, got -4

#gl = #gpu.address_space<global>

!vector = memref<4xi32, #gl>
!counters = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %c: !counters {carousel.argument = #carousel.argument<"c", inout>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %n = memref.load %x[%c0] : !vector
    %extra = arith.index_cast %n : i32 to index
    %blocks = gpu.grid_dim x
    %more = arith.addi %blocks, %extra : index
    %less = arith.subi %extra, %blocks : index
    %ticket = carousel.grid.ticket %c[%c0] of %more : !counters
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %v = arith.index_cast %ticket : index to i32
      memref.store %v, %y[%ticket] : !vector
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %c: !counters {carousel.argument = #carousel.argument<"c", inout>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %n = memref.load %x[%c0] : !vector
    %extra = arith.index_cast %n : i32 to index
    %blocks = gpu.grid_dim x
    %more = arith.addi %blocks, %extra : index
    %less = arith.subi %extra, %blocks : index
    %ticket = carousel.grid.ticket %c[%c0] of %less : !counters
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %v = arith.index_cast %ticket : index to i32
      memref.store %v, %y[%ticket] : !vector
    }
    gpu.return
  }
}
