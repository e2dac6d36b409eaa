// Engine operations, for accesses of threads too; an access is as aligned as it says.
// Wrong: it begins at the second element.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=zeros:16 --expect y=iota:16 --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=zeros:16 --expect y=iota:16 --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=zeros:16 --expect-finding invalid-operand --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<32xi32, #gl>
!half = memref<16xi32, #gl>
!row = vector<4xi32>
!tile = memref<32xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !half {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %begin = arith.constant 0 : index
    %thread = gpu.thread_id x
    %i = arith.muli %thread, %c4 : index
    %tile = memref.alloc() {alignment = 16 : i64} : !tile
    carousel.load %x[%c0] to %tile : !vector, !tile
    %j = arith.addi %i, %begin : index
    %v = vector.load %tile[%j] {alignment = 16 : i64} : !tile, !row
    vector.store %v, %y[%i] {alignment = 16 : i64} : !half, !row
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !half {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %begin = arith.constant 1 : index
    %thread = gpu.thread_id x
    %i = arith.muli %thread, %c4 : index
    %tile = memref.alloc() {alignment = 16 : i64} : !tile
    carousel.load %x[%c0] to %tile : !vector, !tile
    %j = arith.addi %i, %begin : index
    %v = vector.load %tile[%j] {alignment = 16 : i64} : !tile, !row
    vector.store %v, %y[%i] {alignment = 16 : i64} : !half, !row
    gpu.return
  }
}
