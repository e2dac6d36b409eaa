// C252: writes to an argument that is only read, by a memref that no verifier follows. The second writes what is there.
// RUN: carousel-sim %s --kernel @hidden --arg x=iota:8 --arg y=zeros:8 --arg first=1 --arg v=7 --expect-finding invalid-operand | FileCheck %s
// RUN: carousel-sim %s --kernel @hidden --arg x=iota:8 --arg y=zeros:8 --arg first=1 --arg v=3 --expect-finding invalid-operand | FileCheck %s
// RUN: carousel-sim %s --kernel @hidden --arg x=iota:8 --arg y=zeros:8 --arg first=0 --arg v=7 --quiet
// CHECK: written-inputs.mlir:[[@LINE+11]]:{{.*}}: finding: [invalid-operand] expected writes of arguments that are out or inout, found one of 1 bytes of x, which is in
// CHECK: buffer: x, byte 3

#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @hidden(%x: memref<?xi8, #gl> {carousel.argument = #carousel.argument<"x", in>}, %y: memref<?xi8, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                   %first: i1 {carousel.argument = #carousel.argument<"first", in>}, %v: i8 {carousel.argument = #carousel.argument<"v", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c3 = arith.constant 3 : index
    %either = arith.select %first, %x, %y : memref<?xi8, #gl>
    // The location of the finding.
    memref.store %v, %either[%c3] : memref<?xi8, #gl>
    gpu.return
  }
}
