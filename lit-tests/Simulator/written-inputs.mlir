// C252: writes to an argument that is only read, by a memref that no verifier follows.
// RUN: carousel-sim %s --kernel @hidden --arg x=iota:8 --arg y=zeros:8 --arg first=1 --expect-finding invalid-operand | FileCheck %s
// RUN: carousel-sim %s --kernel @hidden --arg x=iota:8 --arg y=zeros:8 --arg first=0 --quiet
// CHECK: finding: [invalid-operand] expected writes of arguments that are out or inout, found a byte of x, which is in, that the run has changed
// CHECK: buffer: x, byte 3

#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @hidden(%x: memref<?xi8, #gl> {carousel.argument = #carousel.argument<"x", in>}, %y: memref<?xi8, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                   %first: i1 {carousel.argument = #carousel.argument<"first", in>}) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c3 = arith.constant 3 : index
    %seven = arith.constant 7 : i8
    %either = arith.select %first, %x, %y : memref<?xi8, #gl>
    memref.store %seven, %either[%c3] : memref<?xi8, #gl>
    gpu.return
  }
}
